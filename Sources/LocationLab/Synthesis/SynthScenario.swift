package import LocationCore
import LocationFormats
import LocationRuntime

/// What a track is made from: where it goes, how fast, where it stops, and how badly it is seen.
///
/// Decoded by ``init(yaml:file:)``; every value in it is in range. `Docs/Synth.md` describes the format.
package struct SynthScenario: Equatable, Sendable {
  /// Written into the track; nil where the scenario gives none.
  package var name: String?
  /// What the track proves, one sentence; nil where the scenario gives none.
  package var about: String?
  /// When the first fix is due.
  package var start: UTCTime
  /// What makes the noise of this run differ from another's.
  package var seed: UInt64
  /// Lone wrong positions.
  package var outliers: Outliers
  /// The fields written beside time and position.
  package var fields: Set<Field>
  /// What happens, in order; the first is a place.
  package var steps: [Step]

  /// A field of a fix that a track may lack, as real ones do.
  package enum Field: String, CaseIterable, Sendable {
    case accuracy, hdop, speed, course, elevation
  }

  /// Lone wrong positions: the receiver believes them as much as the others.
  package struct Outliers: Equatable, Sendable {
    /// The share of fixes that are wrong, 0 to 1.
    package var share: Double
    /// How far off they are, metres.
    package var distanceMeters: ClosedRange<Double>

    /// No wrong positions.
    package static let none = Outliers(share: 0, distanceMeters: 0...0)
  }

  /// A point of the way.
  package struct Waypoint: Hashable, Sendable {
    /// Where.
    package var coordinate: Coordinate
    /// Metres; every waypoint of a scenario has one or none has.
    package var elevationMeters: Double?
  }

  /// One step and the settings that hold during it.
  package struct Step: Equatable, Sendable {
    /// What happens in it.
    package var action: Action
    /// What holds during the step.
    package var settings: Settings
    /// Whether there are no fixes while it lasts.
    package var signalLost: Bool
  }

  /// What a step does.
  package enum Action: Equatable, Sendable {
    /// The receiver is here, without having moved here: the beginning, or carried while switched off.
    case at(Waypoint)
    /// Moves through these points; comes to rest at the last if the next step does not move on.
    case move([Waypoint])
    /// Stands still.
    case stop(seconds: Double)
    /// No fixes from here on for that long, whatever happens meanwhile.
    case gap(seconds: Double)
    /// The next fix begins a new segment.
    case newSegment
    /// Only settings.
    case set
  }

  /// How things move and how they are seen.
  package struct Settings: Equatable, Sendable {
    /// Metres a second, not exceeded; nil until the scenario says.
    package var speedMetersPerSecond: Double?
    /// Metres a second squared, speeding up.
    package var accelerationMetersPerSecondSquared: Double
    /// Metres a second squared, slowing down; positive.
    package var brakingMetersPerSecondSquared: Double
    /// Metres a second squared, sideways: how fast a bend is taken.
    package var lateralMetersPerSecondSquared: Double
    /// Metres before a corner at which its rounding begins; 0 turns on the spot at full speed.
    package var roundingMeters: Double
    /// Microseconds from one fix to the next.
    package var intervalMicroseconds: Int64
    /// How badly positions are seen.
    package var noise: Noise

    /// Where the scenario says nothing: a car's motion, a fix a second, a good receiver under an open sky.
    package static let standard = Settings(
      speedMetersPerSecond: nil, accelerationMetersPerSecondSquared: 1.5,
      brakingMetersPerSecondSquared: 2, lateralMetersPerSecondSquared: 2.5, roundingMeters: 10,
      intervalMicroseconds: 1_000_000, noise: .standard)
  }

  /// How badly positions are seen: normal errors along each axis, correlated in time.
  package struct Noise: Equatable, Sendable {
    /// Standard deviation along one axis, metres.
    package var sigmaMeters: Double
    /// Seconds in which the correlation of the error falls to 1/e; 0 for none.
    package var correlationSeconds: Double
    /// The true error over the one the receiver reports: 1 is honest, 2 understates by half.
    package var understatedBy: Double
    /// Standard deviation of each component of the velocity, metres a second.
    package var speedSigmaMetersPerSecond: Double

    /// 4 m, 60 s, honest, 0.1 m/s.
    package static let standard = Noise(
      sigmaMeters: 4, correlationSeconds: 60, understatedBy: 1, speedSigmaMetersPerSecond: 0.1)
  }
}

/// A means of transport, for its usual speed and the ways it starts, stops and turns: round figures of
/// comfortable travel, so that a scenario need not state them.
package enum SynthCarrier: String, CaseIterable, Sendable {
  case walk, bicycle, car, train, ferry

  /// Sets speed and motion to what is usual; leaves interval and noise alone.
  package func apply(to settings: inout SynthScenario.Settings) {
    let (speed, acceleration, braking, lateral, rounding) = motion
    settings.speedMetersPerSecond = speed
    settings.accelerationMetersPerSecondSquared = acceleration
    settings.brakingMetersPerSecondSquared = braking
    settings.lateralMetersPerSecondSquared = lateral
    settings.roundingMeters = rounding
  }

  /// Metres a second; three times metres a second squared: speeding up, slowing down, sideways; metres.
  private var motion: (Double, Double, Double, Double, Double) {
    switch self {
    case .walk: (1.4, 0.8, 0.8, 1.5, 1)
    case .bicycle: (5, 0.6, 1.2, 2, 4)
    case .car: (13.9, 1.5, 2, 2.5, 10)
    case .train: (40, 0.4, 0.5, 0.6, 300)
    case .ferry: (8, 0.05, 0.05, 0.1, 150)
    }
  }
}

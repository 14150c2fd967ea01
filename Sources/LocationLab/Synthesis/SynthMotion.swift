package import LocationCore
import LocationFormats

/// Where the receiver truly is at any time of a scenario.
package struct SynthMotion: Sendable {
  /// A stretch of time in which one thing goes on.
  struct Phase: Sendable {
    enum Kind: Sendable {
      case standing(SynthScenario.Waypoint)
      case moving(GeodesicLeg, SpeedProfile.Run, elevationsMeters: (from: Double, to: Double)?)
    }
    var kind: Kind
    /// Seconds since the start of the track.
    var start: Double
    var end: Double
    /// The step of the scenario it belongs to.
    var step: Int
  }

  /// The truth at one moment.
  package struct State: Sendable {
    /// Where.
    package var coordinate: Coordinate
    /// Metres; nil where no waypoint has one.
    package var elevationMeters: Double?
    /// Metres a second over ground.
    package var speedMetersPerSecond: Double
    /// Degrees from true north; of no meaning at rest.
    package var courseDegrees: Double
  }

  private(set) var phases: [Phase] = []
  /// Stretches without fixes, seconds since the start.
  private(set) var gaps: [Range<Double>] = []
  /// The times from which the next fix begins a new segment, seconds since the start, ascending.
  private(set) var segmentStarts: [Double] = []
  /// Metres travelled.
  package private(set) var meters = 0.0
  /// Seconds from start to end.
  package var seconds: Double { phases.last?.end ?? 0 }

  /// The motion of a scenario, without noise.
  package init(_ scenario: SynthScenario) {
    var builder = Builder(motion: self)
    for (index, step) in scenario.steps.enumerated() { builder.take(step, index) }
    builder.travel()
    self = builder.motion
  }

  /// The truth within a phase.
  func state(at seconds: Double, in phase: Phase) -> State {
    switch phase.kind {
    case .standing(let waypoint):
      return State(
        coordinate: waypoint.coordinate, elevationMeters: waypoint.elevationMeters,
        speedMetersPerSecond: 0, courseDegrees: 0)
    case .moving(let leg, let run, let elevations):
      let (meters, speed) = run.state(at: seconds - phase.start)
      let elevation = elevations.map { $0.from + ($0.to - $0.from) * (meters / leg.lengthMeters) }
      return State(
        coordinate: leg.coordinate(at: meters), elevationMeters: elevation,
        speedMetersPerSecond: speed, courseDegrees: leg.courseDegrees(at: meters))
    }
  }
}

/// Turns steps into phases; moves are kept back until it is known where they come to rest.
private struct Builder {
  var motion: SynthMotion
  private var here: SynthScenario.Waypoint?
  private var corners: [RoundedWay.Corner] = []
  /// What begins when the corner with that index has been passed.
  private var marks: [(corner: Int, mark: Mark)] = []

  private enum Mark {
    case gap(seconds: Double)
    case newSegment
  }

  init(motion: SynthMotion) { self.motion = motion }

  mutating func take(_ step: SynthScenario.Step, _ index: Int) {
    switch step.action {
    case .set: break
    case .at(let waypoint):
      travel()
      here = waypoint
      motion.stand(at: waypoint, seconds: 0, step: index)
    case .stop(let seconds):
      travel()
      if let here { motion.stand(at: here, seconds: seconds, step: index) }
    case .move(let waypoints):
      if corners.isEmpty, let here {
        corners = [.init(waypoint: here, settings: step.settings, step: index)]
      }
      for waypoint in waypoints {
        corners.append(.init(waypoint: waypoint, settings: step.settings, step: index))
      }
    case .gap(let seconds): mark(.gap(seconds: seconds))
    case .newSegment: mark(.newSegment)
    }
  }

  private mutating func mark(_ mark: Mark) {
    if corners.isEmpty {
      begin(mark, at: motion.seconds)
    } else {
      marks.append((corners.count - 1, mark))
    }
  }

  private mutating func begin(_ mark: Mark, at seconds: Double) {
    switch mark {
    case .gap(let length): motion.addGap(seconds..<(seconds + length))
    case .newSegment: motion.addSegmentStart(seconds)
    }
  }

  /// Lays out the moves kept back.
  mutating func travel() {
    guard !corners.isEmpty else { return }
    let way = RoundedWay(corners)
    let profile = SpeedProfile(way.pieces.map(\.speed))
    var passed = [Double](repeating: motion.seconds, count: corners.count)
    for (piece, run) in zip(way.pieces, profile.runs) {
      motion.move(along: piece, run, step: corners[piece.corner].step)
      passed[piece.corner] = motion.seconds
    }
    for index in passed.indices.dropFirst() { passed[index] = max(passed[index], passed[index - 1]) }
    for (corner, mark) in marks { begin(mark, at: passed[corner]) }
    here = corners.last?.waypoint
    corners = []
    marks = []
  }
}

extension SynthMotion {
  fileprivate mutating func stand(at waypoint: SynthScenario.Waypoint, seconds length: Double, step: Int) {
    phases.append(Phase(kind: .standing(waypoint), start: seconds, end: seconds + length, step: step))
  }

  fileprivate mutating func move(along piece: RoundedWay.Piece, _ run: SpeedProfile.Run, step: Int) {
    phases.append(
      Phase(
        kind: .moving(piece.leg, run, elevationsMeters: piece.elevationsMeters), start: seconds,
        end: seconds + run.seconds, step: step))
    meters += run.length
  }

  fileprivate mutating func addGap(_ gap: Range<Double>) { gaps.append(gap) }
  fileprivate mutating func addSegmentStart(_ seconds: Double) { segmentStarts.append(seconds) }
}

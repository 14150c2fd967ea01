import LocationCore
import LocationFormats

/// Sees the truth as a receiver would: with errors that drift, a Doppler speed, and now and then nonsense.
///
/// Positions err by a first-order autoregressive process along each axis (a discrete Ornstein-Uhlenbeck
/// process), exact for any distance in time between fixes.
struct SynthReceiver {
  private let outliers: SynthScenario.Outliers
  private var positionSource: SplitMix64
  private var velocitySource: SplitMix64
  private var outlierSource: SplitMix64
  /// The position error in standard deviations, east and north.
  private var error = (east: 0.0, north: 0.0)
  private var lastTime: UTCTime?

  init(seed: UInt64, outliers: SynthScenario.Outliers) {
    self.outliers = outliers
    positionSource = SplitMix64(seed: seed, stream: 1)
    velocitySource = SplitMix64(seed: seed, stream: 2)
    outlierSource = SplitMix64(seed: seed, stream: 3)
  }

  var hasMadeFixes: Bool { lastTime != nil }

  mutating func fix(
    of truth: SynthMotion.State, time: UTCTime, noise: SynthScenario.Noise, startsSegment: Bool
  ) -> SynthFix {
    drift(to: time, correlationSeconds: noise.correlationSeconds)
    let velocity = velocity(of: truth, noise: noise)
    let displacement = outlier()
    let seen: Coordinate
    if let displacement {
      seen = Geodesy.direct(
        from: truth.coordinate, azimuthDegrees: displacement.azimuthDegrees,
        distanceMeters: displacement.meters)
    } else {
      seen = LocalScale(latitude: truth.coordinate.latitude).coordinate(
        east: error.east * noise.sigmaMeters, north: error.north * noise.sigmaMeters,
        from: truth.coordinate)
    }
    let claimed = noise.sigmaMeters * Accuracy.sigmasIn68Percent / noise.understatedBy
    return SynthFix(
      time: time, coordinate: seen.rounded, truth: truth.coordinate,
      accuracyMeters: max(Self.leastAccuracyMeters, claimed), speedMetersPerSecond: velocity.speed,
      courseDegrees: velocity.course, elevationMeters: truth.elevationMeters,
      startsSegment: startsSegment, isOutlier: displacement != nil)
  }

  /// Lets the position error wander on.
  private mutating func drift(to time: UTCTime, correlationSeconds: Double) {
    let fresh = (east: positionSource.normal(), north: positionSource.normal())
    var kept = 0.0
    if let lastTime, correlationSeconds > 0 {
      kept = Trig.exp(-lastTime.seconds(to: time) / correlationSeconds)
    }
    let added = (1 - kept * kept).squareRoot()
    error = (error.east * kept + fresh.east * added, error.north * kept + fresh.north * added)
    lastTime = time
  }

  private mutating func velocity(
    of truth: SynthMotion.State, noise: SynthScenario.Noise
  ) -> (speed: Double, course: Double?) {
    let (sine, cosine) = Trig.sincos(truth.courseDegrees * Trig.radiansPerDegree)
    let sigma = noise.speedSigmaMetersPerSecond
    let east = truth.speedMetersPerSecond * sine + velocitySource.normal() * sigma
    let north = truth.speedMetersPerSecond * cosine + velocitySource.normal() * sigma
    let speed = (east * east + north * north).squareRoot()
    guard speed >= Self.slowestWithCourseMetersPerSecond else { return (speed, nil) }
    let course = Trig.atan2(east, north) * Trig.degreesPerRadian
    return (speed, course < 0 ? course + 360 : course)
  }

  /// Draws the same count of numbers for every fix, so that a fix's luck does not depend on earlier ones.
  private mutating func outlier() -> (meters: Double, azimuthDegrees: Double)? {
    let luck = outlierSource.unit()
    let meters = outlierSource.uniform(in: outliers.distanceMeters)
    let azimuth = outlierSource.uniform(in: 0...360)
    return luck < outliers.share ? (meters, azimuth) : nil
  }

  /// No receiver claims to be better than this without corrections, metres; also keeps the accuracy of a
  /// track without noise positive.
  private static let leastAccuracyMeters = 1.0

  /// Receivers do not tell a course below about this speed, metres a second.
  private static let slowestWithCourseMetersPerSecond = 0.5
}

extension Coordinate {
  /// Brought to whole 1e-7 degrees (about a centimetre), the last bits in which machines may differ cut off.
  fileprivate var rounded: Coordinate {
    Coordinate(
      uncheckedLatitude: (latitude * 1e7).rounded() / 1e7, longitude: (longitude * 1e7).rounded() / 1e7)
  }
}

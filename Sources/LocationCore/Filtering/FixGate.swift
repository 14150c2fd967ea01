/// Refuses position reports that can't be true, and says why.
///
/// It asks, in this order: kind of fix, range, sentinel values, order in time, age, accuracy, implied
/// speed. A report that only an impossible speed explains opens a *candidate track*: when the next reports
/// agree with each other rather than with the last fix, the third is believed. So a teleport changes
/// nothing, and a ferry, a flight or a receiver that woke elsewhere is not refused for ever.
public struct FixGate: Hashable, Sendable, Codable {
  /// What the gate lets through.
  public struct Configuration: Hashable, Sendable, Codable {
    /// A live fix may be this old when it arrives, in seconds. Apple's sample code drops events older than 15 s.
    public var maxAgeSeconds = 15.0
    /// A live fix may be this far ahead of the system clock, in seconds.
    public var maxFutureSeconds = 10.0
    /// The largest 68 % radius any service can use, in metres ("worst allowed" in LocoKit: 300 m).
    public var maxAccuracyMeters = 300.0
    /// Metres a second above which a jump needs confirmation: 360 km/h, a fast train (AOSP's geofences).
    public var maxSpeedMetersPerSecond = 100.0
    /// Metres a second above which nothing is consistent: faster than any airliner.
    public var absoluteSpeedMetersPerSecond = 350.0
    /// Consecutive consistent reports after which a jump is believed.
    public var confirmations = 3
    /// A step ahead in time by more than this many seconds needs the same confirmation: 30 days.
    public var maxStepSeconds = 30.0 * 86_400

    public init() {}
  }

  /// A jump that waits to be confirmed.
  struct Candidate: Hashable, Sendable, Codable {
    var fix: Fix
    var count: Int
  }

  @Shared var configuration: Configuration
  /// The last fix believed.
  public private(set) var last: Fix?
  private var candidate: Candidate?
  /// Metres a second, between the last two fixes, never more than what the errors can't explain; 0 where it is too slow
  /// to change what is allowed.
  private var recentSpeed = 0.0
  /// Whether the next fix comes from another receiver than the last.
  private var isAfterSwitch = false

  /// A gate that has seen no report.
  public init(configuration: Configuration = Configuration()) {
    self.init(Shared(wrappedValue: configuration))
  }

  init(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// Refers to a configuration that others refer to, where it is the same.
  mutating func share(_ configuration: Shared<Configuration>) {
    if configuration == _configuration { _configuration = configuration }
  }

  /// The fix that a report is believed to be. `instant` is when it arrived.
  ///
  /// - Throws: why it is not believed.
  @inline(__always)
  public mutating func judge(
    _ report: FixReport, at instant: EngineInstant
  ) throws(RejectReason) -> Fix {
    if let reason = refusalByItself(report) { throw reason }
    guard let time = report.time,
      let coordinate = Coordinate(latitude: report.latitude, longitude: report.longitude)
    else { throw report.time == nil ? .noTime : .outOfRange }
    let fix = Fix(
      time: time, instant: self.instant(of: report, arriving: instant), coordinate: coordinate,
      accuracy: report.usableAccuracy, speedMetersPerSecond: report.speedMetersPerSecond.flatMap(Self.known),
      courseDegrees: report.courseDegrees.flatMap(Self.known))
    guard let last else { return accept(fix, speed: 0) }

    if time == last.time { throw .duplicate }
    if time < last.time { throw .late }
    if fix.accuracy.radiusMeters > configuration.maxAccuracyMeters { throw .inaccurate }
    let isFarAhead = last.time.seconds(to: time) > configuration.maxStepSeconds
    let speed = impliedSpeed(from: last, to: fix)
    let limit = min(
      max(configuration.maxSpeedMetersPerSecond, Self.speedGrowth * recentSpeed),
      configuration.absoluteSpeedMetersPerSecond)
    if !isFarAhead && isAfterSwitch { return accept(fix, speed: 0) }
    if !isFarAhead && speed <= limit { return accept(fix, speed: speed) }
    return try confirm(fix, reason: isFarAhead ? .future : .speed)
  }

  /// Tells that what follows comes from another receiver: its first fix may lie anywhere, because the distance
  /// between two receivers is no movement. It still has to be later than the last one.
  public mutating func noteSwitch() {
    candidate = nil
    isAfterSwitch = true
  }

  /// Whether a replay may move the engine's clock to the time of this report: not when that time is missing,
  /// is behind, or is so far ahead that it still needs confirmation.
  @inline(__always)
  public func believesTime(of report: FixReport) -> Bool {
    guard refusalByItself(report) == nil, let time = report.time else { return false }
    guard let last else { return true }
    if time <= last.time { return false }
    if last.time.seconds(to: time) <= configuration.maxStepSeconds { return true }
    guard let candidate, candidate.count + 1 >= configuration.confirmations else { return false }
    let step = candidate.fix.time.seconds(to: time)
    return step > 0 && step <= configuration.maxStepSeconds
  }

  /// The refusals that need no memory of earlier fixes but whether 0, 0 is near.
  @inline(__always)
  private func refusalByItself(_ report: FixReport) -> RejectReason? {
    if report.mode == .noFix { return .noFix }
    if !report.latitude.isFinite || !report.longitude.isFinite { return .noPosition }
    if abs(report.latitude) > 90 || abs(report.longitude) > 180 { return .outOfRange }
    if abs(report.latitude) < Self.nullIslandDegrees && abs(report.longitude) < Self.nullIslandDegrees,
      !(last.map(Self.isNearNullIsland) ?? false)
    {
      return .nullIsland
    }
    guard let time = report.time else { return .noTime }
    if let received = report.received {
      let age = time.seconds(to: received)
      if age < -configuration.maxFutureSeconds { return .future }
      if let last, time > last.time, age > configuration.maxAgeSeconds { return .stale }
      if last == nil, age > configuration.maxAgeSeconds { return .stale }
    }
    if last == nil, report.usableAccuracy.radiusMeters > configuration.maxAccuracyMeters {
      return .inaccurate
    }
    return nil
  }

  @inline(__always)
  private mutating func accept(_ fix: Fix, speed: Double) -> Fix {
    last = fix
    candidate = nil
    isAfterSwitch = false
    recentSpeed = speed
    return fix
  }

  /// Counts a jump towards its confirmation.
  @inline(never)
  private mutating func confirm(_ fix: Fix, reason: RejectReason) throws(RejectReason) -> Fix {
    var count = 1
    var speed = 0.0
    if let candidate, candidate.fix.time < fix.time,
      candidate.fix.time.seconds(to: fix.time) <= configuration.maxStepSeconds
    {
      speed = impliedSpeed(from: candidate.fix, to: fix)
      if speed <= configuration.absoluteSpeedMetersPerSecond { count = candidate.count + 1 }
    }
    if count >= configuration.confirmations { return accept(fix, speed: speed) }
    candidate = Candidate(fix: fix, count: count)
    throw reason
  }

  /// When a report held on the engine's axis: its arrival less its age, never before the fix before it.
  @inline(__always)
  private func instant(of report: FixReport, arriving instant: EngineInstant) -> EngineInstant {
    var at = instant
    if let received = report.received, let time = report.time {
      let age = time.seconds(to: received)
      if age > 0 && age <= configuration.maxAgeSeconds { at = at.advanced(bySeconds: -age) }
    }
    return last.map { max($0.instant, at) } ?? at
  }

  /// The least speed in metres a second that explains the step once both errors had their say:
  /// the distance less twice the standard deviation of a difference, over the time.
  ///
  /// 0 for a step so short that no speed of the next one would be allowed for its sake: nearly all, and they need
  /// neither the distance nor the errors.
  @inline(__always)
  private func impliedSpeed(from a: Fix, to b: Fix) -> Double {
    let seconds = a.time.seconds(to: b.time)
    guard seconds > 0 else { return .infinity }
    let unremarkable = configuration.maxSpeedMetersPerSecond / Self.speedGrowth * seconds
    if Geodesy.isSurelyWithin(unremarkable, of: a.coordinate, b.coordinate) { return 0 }
    let sigmaA = a.accuracy.sigmaMeters
    let sigmaB = b.accuracy.sigmaMeters
    let explained = 2 * (sigmaA * sigmaA + sigmaB * sigmaB).squareRoot()
    let distance = Geodesy.distanceMeters(a.coordinate, b.coordinate)
    return max(0, distance - explained) / seconds
  }

  /// How much faster than the last step the next may be, where that is more than the largest speed.
  private static let speedGrowth = 1.5

  /// One metre in degrees of latitude.
  private static let nullIslandDegrees = 1 / 111_000.0

  /// Whether a fix is so close to 0, 0 that being there is no surprise: within about 50 km.
  private static func isNearNullIsland(_ fix: Fix) -> Bool {
    abs(fix.coordinate.latitude) < 0.5 && abs(fix.coordinate.longitude) < 0.5
  }

  private static func known(_ value: Double) -> Double? { value >= 0 && value.isFinite ? value : nil }
}

extension FixReport {
  /// The accuracy, or an assumed one where the report has none that means anything (0, negative, not a number).
  @inline(__always) var usableAccuracy: Accuracy {
    accuracy.radiusMeters > 0 && accuracy.radiusMeters.isFinite ? accuracy : .assumed(mode)
  }
}

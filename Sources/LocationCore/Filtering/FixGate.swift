/// Refuses position reports that can't be true, and says why.
///
/// It asks, in this order: kind of fix, range, sentinel values, order in time, age, accuracy, implied
/// speed. A report that only an impossible speed explains opens a *candidate track*: when the next reports
/// agree with each other rather than with the last fix, the third is believed. So a teleport changes
/// nothing, and a ferry, a flight or a receiver that woke elsewhere is not refused for ever.
///
/// A jump in time is treated like a jump in place, forwards as backwards: no clock is trusted alone; see
/// ``SourceClock``.
///
/// Functions that each report calls are `mutating`, even where they change nothing: for any other call the compiler
/// copies the gate.
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
    /// A step ahead in time by more than this many seconds is no silence, but a clock that was set: 30 days.
    public var maxStepSeconds = 30.0 * 86_400

    public init() {}
  }

  /// A jump that waits to be confirmed.
  struct Candidate: Hashable, Sendable, Codable {
    var fix: Fix
    var count: Int
    /// The time of the first of the reports that agree; version 0.1.0 did not keep it.
    var since: UTCTime?
    /// When the last of them arrived, live.
    var received: UTCTime?
  }

  @Shared var configuration: Configuration
  @Rare private var candidate: Candidate?
  /// What is known of the source's clock; nil while nothing about it was remarkable.
  @Rare private var clock: SourceClock?
  /// Metres a second, between the last two fixes, never more than what the errors can't explain; 0 where it is too slow
  /// to change what is allowed.
  private var recentSpeed = 0.0
  /// The last fix believed.
  public private(set) var last: Fix?
  /// Where the fix before the last was.
  @Maybe private var previous: Coordinate?
  /// Whether the next fix comes from another receiver than the last.
  private var isAfterSwitch = false
  /// Whether a silence before the next fix is explained: by a new segment, or a receiver that was off.
  private var isAfterPause: Bool?
  /// Short steps in a row; nil is none.
  private var steadySteps: Int32?

  /// A gate that has seen no report.
  public init(configuration: Configuration = Configuration()) {
    self.init(Shared(wrappedValue: configuration))
  }

  init(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// Decides by a configuration, to which others refer, from now on.
  mutating func share(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// Takes a report, which is ``last`` if it is believed. `instant` is when it arrived.
  ///
  /// It is returned too, because reading back what has just been stored takes time.
  /// - Throws: why it is not believed.
  @inline(__always) @discardableResult
  public mutating func judge(_ report: FixReport, at instant: EngineInstant) throws(RejectReason) -> Fix {
    if let reason = refusalByItself(report), let reason = insist(on: reason, report) { throw reason }
    guard let time = time(of: report) else { throw .noTime }
    let fix = Fix(report, time: time, at: self.instant(of: report, arriving: instant))
    var speed = 0.0
    if let last {
      if time == last.time { throw .duplicate }
      let step = last.time.seconds(to: time)
      if step < 0 || step > SourceClock.steadyPatienceSeconds, try judgeJump(fix, report) { return fix }
      if fix.accuracy.radiusMeters > configuration.maxAccuracyMeters { throw .inaccurate }
      if !isAfterSwitch {
        speed = impliedSpeed(from: last, to: fix, after: step)
        let limit = min(
          max(configuration.maxSpeedMetersPerSecond, Self.speedGrowth * recentSpeed),
          configuration.absoluteSpeedMetersPerSecond)
        guard speed <= limit else {
          try confirm(fix, reason: .speed, received: report.received)
          return fix
        }
      }
    }
    accept(fix, speed: speed)
    return fix
  }

  /// Judges a fix after an unusual step in time; whether there was anything to confirm, and it was.
  ///
  /// Apart from ``judge(_:at:)``: few steps are unusual.
  @inline(never)
  private mutating func judgeJump(_ fix: Fix, _ report: FixReport) throws(RejectReason) -> Bool {
    guard let reason = jump(to: fix.time, report) else { return false }
    if fix.accuracy.radiusMeters > configuration.maxAccuracyMeters {
      if reason == .future { vouch(fix, received: report.received) }
      throw reason == .late ? .late : .inaccurate
    }
    if reason == .future && isAfterSwitch {
      accept(fix, speed: 0)
    } else {
      try confirm(fix, reason: reason, received: report.received)
    }
    return true
  }

  /// Tells that what follows comes from another receiver: its first fix may lie anywhere, because the distance
  /// between two receivers is no movement. It still has to be later than the last one.
  public mutating func noteSwitch() {
    candidate = nil
    isAfterSwitch = true
  }

  /// Tells that a silence before the next fix is no surprise.
  public mutating func notePause() { isAfterPause = true }

  /// By how much the last report that was believed moved the source's clock; nil where it did not. Forgets it.
  mutating func takeClockMove() -> SourceClock.Move? {
    defer { clock?.move = nil }
    return clock?.move
  }

  /// Whether anything about the source's clock was remarkable.
  @inline(__always) var hasClock: Bool { !_clock.isNone }

  /// The instant on the engine's axis of a report in a replay that follows the last fix by an ordinary step: nearly
  /// all do. Nil for the others.
  @inline(__always)
  mutating func ordinaryInstant(of report: FixReport) -> EngineInstant? {
    guard isOrdinary(report), _clock.isNone, let time = report.time, let lastTime = last?.time else {
      return nil
    }
    let step = lastTime.seconds(to: time)
    return step > 0 && step <= SourceClock.steadyPatienceSeconds
      ? EngineInstant(microseconds: time.microseconds) : nil
  }

  /// The instant on the engine's axis of a report in a replay: its time, less what the source's clock has been moved
  /// by. Nil where the time is missing, is behind, or is so far ahead that it still needs confirmation.
  public mutating func instant(ofReplayed report: FixReport) -> EngineInstant? {
    guard refusalByItself(report) == nil, let time = time(of: report) else { return nil }
    // Only its time is read: a fix that is bound by a name is copied.
    guard let lastTime = last?.time else { return axis(of: time) }
    if time == lastTime { return nil }
    if jump(to: time, report) == nil { return axis(of: time) }
    return instant(ofJump: report, time)
  }

  /// As ``instant(ofReplayed:)``, and judges the report too. Call it for every report when a replay hands the engine
  /// only some of them: the engine's own gate then misses reports that confirm a jump in time.
  public mutating func stamp(_ report: FixReport) -> EngineInstant? {
    let instant = instant(ofReplayed: report)
    _ = try? judge(report, at: instant ?? last?.instant ?? .distantPast)
    return instant
  }

  /// The longest step in time from one report to the next that needs no confirmation, seconds.
  package static var steadyStepSeconds: Double { SourceClock.steadyPatienceSeconds }

  @inline(never)
  private mutating func instant(ofJump report: FixReport, _ time: UTCTime) -> EngineInstant? {
    guard let last else { return nil }
    let fix = Fix(report, time: time, at: self.instant(of: report, arriving: last.instant))
    if fix.accuracy.radiusMeters > configuration.maxAccuracyMeters { return nil }
    let (count, _, since) = confirmation(of: fix, received: report.received)
    guard count >= confirmations(for: fix) else { return nil }
    guard movesClock(to: time) else { return axis(of: time) }
    return last.instant.advanced(bySeconds: Self.elapsed(to: time, since: since, count))
  }

  /// Where a time of the source stands on the engine's axis.
  @inline(__always)
  private mutating func axis(of time: UTCTime) -> EngineInstant {
    guard let clock else { return EngineInstant(microseconds: time.microseconds) }
    return axis(of: time, by: clock)
  }

  @inline(never)
  private mutating func axis(of time: UTCTime, by clock: SourceClock) -> EngineInstant {
    let offset = last.flatMap { clock.offsetOfReturn(to: time, after: $0) } ?? clock.axisOffset
    return EngineInstant(microseconds: time.microseconds &+ offset)
  }

  /// The time of a report, without the rollovers of the source's week number.
  @inline(__always)
  mutating func time(of report: FixReport) -> UTCTime? {
    _clock.isNone ? report.time : timeWithoutRollovers(of: report)
  }

  @inline(never)
  private mutating func timeWithoutRollovers(of report: FixReport) -> UTCTime? {
    guard let rollovers = clock?.rolloverSeconds, rollovers != 0 else { return report.time }
    return report.time?.advanced(bySeconds: rollovers)
  }

  /// Why a time after the last fix needs confirmation; nil where it needs none.
  @inline(__always)
  private mutating func jump(to time: UTCTime, _ report: FixReport) -> RejectReason? {
    guard let step = last?.time.seconds(to: time) else { return nil }
    if step < 0 { return .late }
    if step <= SourceClock.steadyPatienceSeconds { return nil }
    return jump(ahead: step, to: time, report)
  }

  @inline(never)
  private mutating func jump(ahead step: Double, to time: UTCTime, _ report: FixReport) -> RejectReason? {
    guard let last else { return nil }
    if clock?.offsetOfReturn(to: time, after: last) != nil { return nil }
    if step > configuration.maxStepSeconds { return .future }
    // The system's clock vouches for it, or the silence is explained. The first report alone is no track: many phones
    // begin with a place of hours ago.
    if report.received != nil || isAfterPause == true || previous == nil { return nil }
    let isSteady = (steadySteps ?? 0) >= SourceClock.steadyCount
    let patience = isSteady ? SourceClock.steadyPatienceSeconds : SourceClock.patienceSeconds
    guard step > max(patience, SourceClock.patienceFactor * (clock?.longestStep ?? 0)) else { return nil }
    return step <= SourceClock.patienceSeconds && hasMovedOn(report, from: last) ? nil : .future
  }

  /// Whether a report lies farther away than the next one does where only its date is wrong: then time has passed.
  private func hasMovedOn(_ report: FixReport, from last: Fix) -> Bool {
    guard let coordinate = Coordinate(latitude: report.latitude, longitude: report.longitude) else {
      return false
    }
    let usualMeters = previous.map { Geodesy.distanceMeters($0, last.coordinate) } ?? 0
    let errorMeters = last.accuracy.sigmaMeters + report.usableAccuracy.sigmaMeters
    let nextMeters =
      SourceClock.nextMeters + SourceClock.nextSteps * usualMeters + SourceClock.nextSigmas * errorMeters
    return !Geodesy.isWithin(nextMeters, of: last.coordinate, coordinate)
  }

  /// Whether a confirmed jump to a time is one of the clock, not a silence.
  private func movesClock(to time: UTCTime) -> Bool {
    guard let last else { return false }
    let step = last.time.seconds(to: time)
    return step < 0 || step > configuration.maxStepSeconds
  }

  /// Seconds from the last fix to the report that confirms a move of the clock. No clock tells the step to the first
  /// of those that agree: it is taken to be as long as the steps between them.
  private static func elapsed(to time: UTCTime, since: UTCTime, _ count: Int) -> Double {
    since.seconds(to: time) * Double(count) / Double(max(1, count - 1))
  }

  /// The refusals that need no memory of earlier fixes but whether 0, 0 is near.
  @inline(__always)
  private mutating func refusalByItself(_ report: FixReport) -> RejectReason? {
    isOrdinary(report) ? nil : refusalOfUnusual(report)
  }

  /// Whether a report is like nearly all: with time and place, no time of arrival, and not the first.
  @inline(__always)
  private mutating func isOrdinary(_ report: FixReport) -> Bool {
    report.mode != .noFix && report.time != nil && report.received == nil && last != nil
      && abs(report.latitude) <= 90 && abs(report.longitude) <= 180
      && (abs(report.latitude) >= Self.nullIslandDegrees || abs(report.longitude) >= Self.nullIslandDegrees)
  }

  @inline(never)
  private mutating func refusalOfUnusual(_ report: FixReport) -> RejectReason? {
    if report.mode == .noFix { return .noFix }
    if !report.latitude.isFinite || !report.longitude.isFinite { return .noPosition }
    if abs(report.latitude) > 90 || abs(report.longitude) > 180 { return .outOfRange }
    if abs(report.latitude) < Self.nullIslandDegrees && abs(report.longitude) < Self.nullIslandDegrees,
      !(last.map(Self.isNearNullIsland) ?? false)
    {
      return .nullIsland
    }
    guard let time = time(of: report) else { return .noTime }
    if let received = report.received {
      let age = time.seconds(to: received) - (clock?.lagSeconds ?? 0)
      if age < -configuration.maxFutureSeconds { return .future }
      let isLate = last.map { time <= $0.time } ?? false
      if age > (isLate ? configuration.maxStepSeconds : configuration.maxAgeSeconds) { return .stale }
    }
    if last == nil, report.usableAccuracy.radiusMeters > configuration.maxAccuracyMeters {
      return .inaccurate
    }
    return nil
  }

  @inline(__always)
  private mutating func accept(_ fix: Fix, speed: Double) {
    if let last {
      let seconds = last.time.seconds(to: fix.time)
      let steps = steadySteps ?? 0
      steadySteps = seconds > SourceClock.steadySeconds ? nil : steps < .max ? steps + 1 : steps
      if !_clock.isNone || seconds * SourceClock.patienceFactor > SourceClock.steadyPatienceSeconds {
        noteStep(seconds, to: fix.time)
      }
      previous = last.coordinate
    }
    last = fix
    if !_candidate.isNone { candidate = nil }
    isAfterSwitch = false
    if isAfterPause != nil { isAfterPause = nil }
    recentSpeed = speed
  }

  /// Tells the clock of a step, and remembers how long silences of this source are.
  @inline(never)
  private mutating func noteStep(_ seconds: Double, to time: UTCTime) {
    guard let last else { return }
    var known = clock ?? SourceClock()
    known.noteStep(min(seconds, configuration.maxStepSeconds))
    if let offset = known.offsetOfReturn(to: time, after: last) { known.takeBack(to: offset) }
    known.noteTime(time)
    clock = known
  }

  /// How many reports up to this one agree with each other, the least speed between the last two, in metres a second,
  /// and the time of the first. Live, reports of a clock that was set back agree if their dates are as far apart as their
  /// arrivals.
  private mutating func confirmation(
    of fix: Fix, received: UTCTime?
  ) -> (count: Int, speed: Double, since: UTCTime) {
    guard let candidate, candidate.fix.time < fix.time else { return (1, 0, fix.time) }
    let step = candidate.fix.time.seconds(to: fix.time)
    let isLate = last.map { fix.time < $0.time } ?? false
    guard step <= configuration.maxStepSeconds,
      !isLate || SourceClock.keepsPace(step, from: candidate.received, to: received)
    else { return (1, 0, fix.time) }
    let speed = impliedSpeed(from: candidate.fix, to: fix, after: step)
    guard speed <= configuration.absoluteSpeedMetersPerSecond else { return (1, speed, fix.time) }
    return (candidate.count + 1, speed, candidate.since ?? candidate.fix.time)
  }

  /// How many reports it takes to confirm a jump. A clock that is set back leaves the position where it is; reports that
  /// were kept and come late tell of places of before, so it takes more of them to believe in a clock.
  private mutating func confirmations(for fix: Fix) -> Int {
    guard let last, fix.time < last.time, isAfterPause != true,
      !Geodesy.isWithin(SourceClock.samePlaceMeters, of: last.coordinate, fix.coordinate)
    else { return configuration.confirmations }
    return max(configuration.confirmations, SourceClock.elsewhereConfirmations)
  }

  /// Counts a report whose place is of no use towards the confirmation of a jump ahead: its time is as good as any.
  @inline(never)
  private mutating func vouch(_ fix: Fix, received: UTCTime?) {
    let (count, _, since) = confirmation(of: fix, received: received)
    let step = candidate.map { $0.fix.time.seconds(to: fix.time) } ?? 0
    if candidate == nil || (count > 1 && step <= SourceClock.patienceSeconds) {
      candidate = Candidate(fix: fix, count: count, since: since, received: received)
    }
  }

  /// Counts a jump towards its confirmation.
  @inline(never)
  private mutating func confirm(
    _ fix: Fix, reason: RejectReason, received: UTCTime?
  ) throws(RejectReason) {
    if let candidate,
      SourceClock.isRepeated(
        fix.time, from: candidate.since ?? candidate.fix.time, through: candidate.fix.time)
    {
      throw reason
    }
    let (count, speed, since) = confirmation(of: fix, received: received)
    guard count >= confirmations(for: fix) else {
      candidate = Candidate(fix: fix, count: count, since: since, received: received)
      throw reason
    }
    guard let last, movesClock(to: fix.time) else { return accept(fix, speed: speed) }
    let elapsed = Self.elapsed(to: fix.time, since: since, count)
    var known = clock ?? SourceClock()
    if last.time > fix.time { known.noteRetreat(from: last.time) }
    known.axisOffset =
      last.instant.advanced(bySeconds: elapsed).microseconds &- fix.time.microseconds
    known.move = SourceClock.Move(seconds: last.time.seconds(to: fix.time) - elapsed)
    if let received { known.noteLag(fix.time.seconds(to: received), configuration) }
    clock = known
    self.last?.time = since
    return accept(fix, speed: speed)
  }

  /// Why a report is not believed that is refused by itself; nil where enough of its kind agree, so that it is judged
  /// anew and believed.
  @inline(never)
  private mutating func insist(on reason: RejectReason, _ report: FixReport) -> RejectReason? {
    let isDated = reason == .future || reason == .stale
    return isDated && agreesOnLag(report) ? nil : reason
  }

  /// Whether a live report that the system's clock refuses agrees with those before it: then both clocks run, and one
  /// of them was set wrong.
  @inline(never)
  private mutating func agreesOnLag(_ report: FixReport) -> Bool {
    guard let time = time(of: report), let received = report.received else { return false }
    var known = clock ?? SourceClock()
    let isAgreed = known.agreesOnLag(time: time, received: received, count: configuration.confirmations)
    clock = known
    return isAgreed && refusalByItself(report) == nil
  }

  /// When a report held on the engine's axis: its arrival less its age, never before the fix before it.
  @inline(__always)
  private mutating func instant(of report: FixReport, arriving instant: EngineInstant) -> EngineInstant {
    var at = instant
    if let received = report.received, let time = time(of: report) {
      let age = time.seconds(to: received) - (clock?.lagSeconds ?? 0)
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
  private mutating func impliedSpeed(from a: Fix, to b: Fix, after seconds: Double) -> Double {
    guard seconds > 0 else { return .infinity }
    let unremarkable = configuration.maxSpeedMetersPerSecond * (1 / Self.speedGrowth) * seconds
    if Geodesy.isSurelyWithin(unremarkable, of: a.coordinate, b.coordinate) { return 0 }
    return Self.leastSpeed(from: a, to: b, after: seconds)
  }

  @inline(never)
  private static func leastSpeed(from a: Fix, to b: Fix, after seconds: Double) -> Double {
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
}

extension Fix {
  /// The fix that a report is whose place is in range.
  @inline(__always)
  fileprivate init(_ report: FixReport, time: UTCTime, at instant: EngineInstant) {
    self.init(
      time: time, instant: instant,
      coordinate: Coordinate(uncheckedLatitude: report.latitude, longitude: report.longitude),
      accuracy: report.usableAccuracy, speedMetersPerSecond: report.speedMetersPerSecond.flatMap(Self.known),
      courseDegrees: report.courseDegrees.flatMap(Self.known))
  }

  private static func known(_ value: Double) -> Double? { value >= 0 && value.isFinite ? value : nil }
}

extension FixReport {
  /// The accuracy, or an assumed one where the report has none that means anything (0, negative, not a number).
  @inline(__always) var usableAccuracy: Accuracy {
    accuracy.radiusMeters > 0 && accuracy.radiusMeters.isFinite ? accuracy : .assumed(mode)
  }
}

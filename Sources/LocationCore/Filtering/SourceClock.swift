/// What is known of the clock of the source of fixes: no clock is trusted alone.
///
/// A step in time that nothing explains is believed when the third report in a row agrees on it. A step back, or one
/// ahead by more than a month, is then the clock's: the engine's axis goes on, and no silence, visit or energy is made of
/// it. Live, a source whose reports come steadily, but at another time than the system's, differs from it by a lag,
/// which is left out of their age. Where the lag is one of whole rollovers of the week number, the date is put right.
struct SourceClock: Hashable, Sendable, Codable {
  /// The source's clock was moved.
  struct Move: Hashable, Sendable, Codable {
    /// Seconds, positive ahead.
    var seconds: Double
    /// Whether it takes back the last move, which was none: that is not told. Nil is no.
    var isReturn: Bool?

    /// - Parameter seconds: as measured; whole rollovers of the week number are taken for just those.
    init(seconds: Double, isReturn: Bool? = nil) {
      let rollovers = WeekRollover.whole(in: seconds)
      self.seconds = rollovers == 0 ? seconds : rollovers
      self.isReturn = isReturn
    }
  }

  /// Steps ahead of at most so many seconds need no confirmation: receivers that save energy are silent for hours.
  static let patienceSeconds = 10_800.0
  /// The same where ``steadyCount`` steps in a row were no longer than ``steadySeconds``: what a `gap` takes.
  static let steadyPatienceSeconds = 300.0
  static let steadyCount = 60
  static let steadySeconds = 10.0
  /// The same, in the longest step of late: a source that is often silent for long may be so again.
  static let patienceFactor = 3.0
  /// Metres from the last fix to which the next one goes, at most, where only its date is wrong and the position rests.
  static let nextMeters = 50.0
  /// The same, in the way from the fix before.
  static let nextSteps = 3.0
  /// The same, in standard deviations of both.
  static let nextSigmas = 3.0
  /// Metres from the last fix within which earlier reports are of a clock that was set back.
  static let samePlaceMeters = 1_000.0
  /// Reports in a row that it takes to believe that farther away.
  static let elsewhereConfirmations = 10
  /// What the longest step is still worth at the next fix.
  private static let stepMemory = 0.99
  /// Seconds over which reports agree on a lag, at least.
  private static let lagSpanSeconds = 1.0
  /// The part of those seconds by which the lag may change: of reports that waited and come all at once, it changes by
  /// all of them.
  private static let lagDrift = 0.5

  /// Microseconds from the source's time to the engine's axis, in a replay.
  var axisOffset: Int64 = 0
  /// The longest step of late, seconds.
  private(set) var longestStep = 0.0
  /// Seconds by which the system's clock is ahead of the source's.
  private(set) var lagSeconds = 0.0
  /// What is added to the source's dates for the rollovers of its week number, seconds.
  private(set) var rolloverSeconds = 0.0
  /// The last move back, until its time has come again.
  private var retreat: Retreat?
  /// What the last report that was believed did to it.
  var move: Move?
  private var lag: Lag?

  /// A move back: perhaps the clock's, perhaps reports that were kept somewhere and came late.
  private struct Retreat: Hashable, Sendable, Codable {
    /// The latest time before it.
    var from: UTCTime
    var axisOffset: Int64
  }

  /// Reports that agree on a lag.
  private struct Lag: Hashable, Sendable, Codable {
    var time: UTCTime
    var received: UTCTime
    var last: UTCTime
    var count: Int

    func agrees(_ time: UTCTime, _ received: UTCTime) -> Bool {
      SourceClock.keepsPace(
        self.time.seconds(to: time), over: self.received.seconds(to: received), slackSeconds: 0)
    }
  }

  mutating func noteRetreat(from time: UTCTime) { retreat = Retreat(from: time, axisOffset: axisOffset) }

  /// Forgets a move back once its time has come again.
  @inline(__always)
  mutating func noteTime(_ time: UTCTime) {
    if let from = retreat?.from, time > from { retreat = nil }
  }

  /// What ``axisOffset`` is from a time on at which one step leads back to before the last move back: then reports had
  /// come late, and the clock was right. Nil where it does not.
  func offsetOfReturn(to time: UTCTime, after last: Fix) -> Int64? {
    guard let retreat, time > retreat.from,
      last.time.seconds(to: time) > Self.returnShare * last.time.seconds(to: retreat.from),
      last.time.seconds(to: retreat.from) > Self.steadySeconds
    else { return nil }
    let resumed = time.microseconds &+ retreat.axisOffset
    return max(resumed, last.instant.microseconds &+ 1_000_000) &- time.microseconds
  }

  /// Takes the last move back: ``axisOffset`` is this from now on.
  mutating func takeBack(to offset: Int64) {
    let seconds = Double(axisOffset.saturatingSubtract(offset)) * 1e-6
    axisOffset = offset
    move = move ?? Move(seconds: seconds, isReturn: true)
  }

  /// The part of the way back that such a step takes at least.
  private static let returnShare = 0.5

  mutating func noteStep(_ seconds: Double) { longestStep = max(seconds, longestStep * Self.stepMemory) }

  /// Takes the age of a believed report, in seconds, as the lag, where it is more than such a report may have.
  mutating func noteLag(_ age: Double, _ configuration: FixGate.Configuration) {
    let isUsual = age >= -configuration.maxFutureSeconds && age <= configuration.maxAgeSeconds
    lagSeconds = isUsual ? 0 : age
  }

  /// Whether a step in the source's time took as long by the system's clock; a replay can't tell.
  static func keepsPace(_ seconds: Double, from start: UTCTime?, to end: UTCTime?) -> Bool {
    guard let start, let end else { return true }
    return keepsPace(seconds, over: max(0, start.seconds(to: end)), slackSeconds: lagSpanSeconds)
  }

  private static func keepsPace(_ seconds: Double, over elapsed: Double, slackSeconds: Double) -> Bool {
    abs(seconds - elapsed) <= slackSeconds + lagDrift * max(elapsed, 0)
  }

  /// Whether a report repeats one of a run that began at `first` and has come to `last`. A source may send each report
  /// by two ways; the second copy neither agrees nor disagrees with the run. A report that is much older than `last` is no
  /// copy: the run may be what is wrong.
  static func isRepeated(_ time: UTCTime, from first: UTCTime, through last: UTCTime) -> Bool {
    first <= time && 0...steadyPatienceSeconds ~= time.seconds(to: last)
  }

  /// Takes a live report that is too old or too early; whether enough in a row agree on by how much, which is the lag
  /// from then on.
  mutating func agreesOnLag(time: UTCTime, received: UTCTime, count: Int) -> Bool {
    if let lag, Self.isRepeated(time, from: lag.time, through: lag.last) { return false }
    guard var known = lag, known.last < time, known.agrees(time, received) else {
      lag = Lag(time: time, received: received, last: time, count: 1)
      return false
    }
    known.count += 1
    known.last = time
    lag = known
    guard known.count >= count, known.received.seconds(to: received) >= Self.lagSpanSeconds else {
      return false
    }
    let seconds = time.seconds(to: received)
    move = Move(seconds: lagSeconds - seconds)
    let rollovers = WeekRollover.whole(in: seconds)
    rolloverSeconds += rollovers
    lagSeconds = seconds - rollovers
    lag = nil
    return true
  }
}

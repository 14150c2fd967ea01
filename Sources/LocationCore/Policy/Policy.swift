/// Decides when to deliver, wake, relaunch, suspend or end the programs that subscribe (sections A, B, C and K of
/// the rules). It owns no process and no clock: it is told what happened and says what is to be done.
public struct Policy: Hashable, Sendable, Codable {
  /// The numbers of the rules.
  public struct Configuration: Hashable, Sendable, Codable {
    /// Seconds for its own clean-up after a subscriber left the foreground (rule A2).
    public var graceSeconds = 5.0
    /// Seconds an opted-out subscriber has to finish (rule A5).
    public var exitSeconds = 5.0
    /// Whether a force-quit stops location services too, as before iOS 8 (rule A7).
    public var forceQuitBlocksLocation = false
    /// Whether nothing is relaunched between a boot and the first unlock (rule A8).
    public var protectUntilFirstUnlock = false
    /// Seconds of finite tasks in the background (rule C2).
    public var taskBudgetSeconds = 30.0
    /// Seconds before the end of that budget at which open tasks are told (rule C3).
    public var taskWarningSeconds = 5.0
    /// Seconds until the second start in a row that failed, doubled for each further one (rules K5 and E5).
    public var backOffSeconds = 1.0
    /// The longest of these waits (rule K5).
    public var backOffLimitSeconds = 300.0
    /// Wakes overrun in a row after which a subscriber is throttled (rule K2).
    public var throttleOverruns = 5
    /// Seconds for which it is then neither woken nor relaunched, doubled for each further one (rule K2).
    public var throttleSeconds = 60.0
    /// The longest of these times.
    public var throttleLimitSeconds = 3600.0
    /// Seconds of a wake, at most, however much is acknowledged (rule K1).
    public var wakeLimitSeconds = 60.0
    /// Seconds from the end of such a wake to the next for what is left (rule K1).
    public var wakePauseSeconds = 10.0
    /// Events that are handed over at once, at most (rule K5).
    public var handedLimit = 100
    /// Seconds from one look at critical memory pressure to the next (rule A4).
    public var pressureLookSeconds = 1.0
    /// How long a wake is (rule K1).
    @Preset public var wakes = Wakes()
    /// Section G.
    @Preset public var fetch = Fetch()
    /// Section H.
    @Preset public var push = Push()
    /// Section J.
    @Preset public var accessories = Accessories()
    /// Rules E1 and E2.
    @Preset public var keepAlive = KeepAlive()
    /// Rule E4.
    @Preset public var sockets = Sockets()
    /// Rule E5.
    @Preset public var restart = Restart()
    /// Section I.
    @Preset public var transfers = Transfers()
    /// Rule I5.
    @Preset public var issues = Issues()
    /// Section F.
    @Preset public var audio = Audio()
    /// Rule A11.
    @Preset public var restoring = Restoring()
    /// Rule B1.
    @Preset public var moves = Moves()
    /// Rule B8.
    @Preset public var coarse = Coarse()
    /// Rule D3.
    @Preset public var notifications = Notifications()

    public init() {}
  }

  @Shared var configuration: Configuration
  /// By name. Read a field where it is, `sessions[index].state`: a constant that holds a session while the policy changes
  /// is a copy of all of it.
  var sessions: [Session] = []
  /// Whether the machine has been unlocked since it booted (rule A8).
  var isUnlocked = true
  /// The earliest instant at which something is due.
  private(set) var nextDeadline: EngineInstant?
  /// Whether somebody may be told of every fix: if not, a fix costs the policy nothing.
  private(set) var needsFixes = false
  /// Whether there is known to be no source of fixes (rule B9).
  var lacksSource = false
  /// Whether the machine saves energy.
  var isLowPower = false
  /// How short of memory the machine is (rule A4).
  var pressure = MemoryPressure.none
  /// When memory was last looked at while it is critically short.
  var pressureLookedAt: EngineInstant?
  /// Whether somebody measures significant changes for itself (rule B1).
  private(set) var hasOwnMeasures = false
  /// Microseconds by which UTC is ahead of the engine's axis, as of the last fix; nil before the first.
  var utcAhead: Int64?
  /// The machine's time zone (rule D1).
  var zone = TimeZoneRule.utc
  /// Whether there is anything that shows notifications (rule B9).
  var hasNotifier = true
  /// What the machine's network is like (rule G1).
  var network = NetworkState.free
  /// What the machine runs on (rule G1).
  var supply = PowerSupply.mains
  /// Whether nobody is there to do anything: the daemon is down, or the machine sleeps.
  private(set) var isAbsent = false
  /// Since when; nil while somebody is there, and in what earlier versions wrote.
  private var absentSince: EngineInstant?
  /// Whether somebody who is no subscriber wants each fix.
  var hasAudience = false
  /// Since when somebody runs, and so keeps the machine awake; nil while nobody does.
  var awakeSince: EngineInstant?
  /// Whether somebody has a notification that waits for a region (rule D7).
  private(set) var notifiesOfRegions = false
  /// Whether somebody has a notification at all.
  private(set) var notifies = false

  init(configuration: Configuration = Configuration()) { self.init(Shared(wrappedValue: configuration)) }

  init(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// Decides by a configuration, to which others refer, from now on.
  mutating func share(_ configuration: Shared<Configuration>) {
    let isOther = _configuration != configuration
    _configuration = configuration
    // What is waited for is due by the numbers in force.
    if isOther { refreshDeadline() }
  }

  /// Has those who measure significant changes for themselves do so by other numbers from now on (rule B1).
  mutating func share(_ configuration: Shared<SignificantChange.Configuration>) {
    var hasChanged = false
    func isOther(_ measure: SignificantChange?) -> Bool {
      guard let measure, measure.configuration != configuration.wrappedValue else { return false }
      hasChanged = true
      return true
    }
    for index in sessions.indices {
      if isOther(sessions[index].significant) { sessions[index].significant?.share(configuration) }
      if isOther(sessions[index].owed?.measure) { sessions[index].owed?.measure?.share(configuration) }
      for place in sessions[index].outbox.indices where isOther(sessions[index].outbox[place].measure) {
        sessions[index].outbox[place].measure?.share(configuration)
      }
    }
    if hasChanged { refreshDeadline() }
  }

  /// Notes by how many microseconds UTC is ahead of the engine's axis. Where that jumps, what is due by UTC moves.
  @inline(__always)
  mutating func noteUTC(ahead: Int64) {
    let jump = ahead.saturatingSubtract(utcAhead ?? 0)
    utcAhead = ahead
    if notifies, jump.magnitude > Self.jumpMicroseconds { noteJump(ofUTC: jump) }
  }

  /// What is due after some seconds is due after as many, whatever the clocks are set to (rule D1).
  @inline(never)
  private mutating func noteJump(ofUTC microseconds: Int64) {
    for index in sessions.indices where sessions[index].modes.notifications != nil {
      update(index) { $0.modes.notifications?.noteJump(ofUTC: microseconds) }
    }
    refreshDeadline()
  }

  /// A difference that is more than the latency of a report.
  private static var jumpMicroseconds: UInt64 { 1_000_000 }

  /// Where a subscriber is among ``sessions``; nil where there is none of that name.
  func index(of name: String) -> Int? { sessions.firstIndex { $0.subscriber.name == name } }

  /// Where those that run are among ``sessions``.
  var runningSessions: [Int] { sessions.indices.filter { sessions[$0].state.isRunning } }

  /// What is known of a subscriber; nil where there is none of that name.
  func session(_ name: String) -> Session? { sessions.first { $0.subscriber.name == name } }

  /// Works on one subscriber and keeps the deadline true; false when there is none of that name.
  mutating func withSession(_ name: String, _ body: (inout Policy, Int) -> Void) -> Bool {
    guard let index = index(of: name) else { return false }
    body(&self, index)
    refreshDeadline()
    return true
  }

  /// Works on every subscriber in the order of their names and keeps the deadline true.
  mutating func forEachSession(_ body: (inout Policy, Int) -> Void) {
    for index in sessions.indices { body(&self, index) }
    refreshDeadline()
  }

  /// Changes one subscriber's record.
  mutating func update(_ index: Int, _ body: (inout Session) -> Void) { body(&sessions[index]) }

  /// Adds or replaces a subscriber; false when there are as many as may be.
  ///
  /// One that is there keeps its state, unless that is to be `notRunning`: then its process was ended for the new
  /// manifest, and it is started again where something waits for it.
  ///
  /// - Parameter measure: what a subscriber that is new measures significant changes by; nil for what the engine's
  ///   measure says.
  mutating func add(
    _ subscriber: Subscriber, state: SubscriberState, measure: SignificantChange? = nil,
    in turn: inout PolicyTurn
  ) -> Bool {
    if let index = index(of: subscriber.name) {
      let wasEnded = state == .notRunning && sessions[index].state != .notRunning
      if wasEnded { update(index) { $0.hasEnded = true } }
      replace(index, with: subscriber, measure, in: &turn)
      if wasEnded { orphaned(index, cause: .replaced, in: &turn) }
      refreshDeadline()
      return true
    }
    guard sessions.count < Limits.subscribers else { return false }
    var session = Session(subscriber: subscriber)
    session.significant = measure
    session.state = state
    if state == .suspended { session.suspendedAt = turn.instant }
    if state.isRunning { noteAwake(at: turn.instant) }
    let place = sessions.firstIndex { $0.subscriber.name > subscriber.name } ?? sessions.endIndex
    sessions.insert(session, at: place)
    alignModes(place, at: turn.instant)
    if state == .suspended || state == .background { noteWatched(at: turn.instant) }
    refreshDeadline()
    return true
  }

  /// Forgets a subscriber; false when there is none of that name.
  mutating func remove(_ name: String) -> Bool {
    let count = sessions.count
    let isCalled = session(name)?.isCalled ?? false
    sessions.removeAll { $0.subscriber.name == name }
    // The call that came before it goes on for whom it interrupts.
    if isCalled, let heir = sessions.firstIndex(where: { $0.modes.audio?.isInterruptedByCall == true }) {
      sessions[heir].isCalled = true
    }
    refreshDeadline()
    return sessions.count < count
  }

  /// Finds anew when something is due and whether fixes matter.
  mutating func refreshDeadline() {
    if !isAwake { awakeSince = nil }
    for index in sessions.indices where awaitsUser(sessions[index]) { sessions[index].awaitsBriefing = true }
    var due: EngineInstant?
    var needsFixes = false
    var hasOwnMeasures = false
    var notifiesOfRegions = false
    var notifies = false
    var isWatched = false
    // The loop changes only variables. If it changed the policy, the compiler would copy each session.
    for session in sessions {
      due = EngineInstant.earlier(due, session.deadline(_configuration.wrappedValue))
      // As in `fireModes`: what is not fired is not due.
      if session.modes.isUsed {
        due = EngineInstant.earlier(due, modeDeadline(session))
        if let book = session.modes.notifications {
          notifies = true
          if book.hasRegions { notifiesOfRegions = true }
        }
      }
      if session.followsFixes { needsFixes = true }
      if session.significant != nil { hasOwnMeasures = true }
      if session.state == .suspended || session.state == .background { isWatched = true }
    }
    self.needsFixes = needsFixes
    self.hasOwnMeasures = hasOwnMeasures
    self.notifiesOfRegions = notifiesOfRegions
    self.notifies = notifies
    if pressure == .critical, isWatched { due = EngineInstant.earlier(due, nextPressureLook) }
    // Nobody is there to see an answer, or to start a program.
    nextDeadline = isAbsent ? nil : due
  }
}

// MARK: - While nobody is there

extension Policy {
  /// Nobody is there from now on: nothing is due.
  mutating func leave(at instant: EngineInstant) {
    if !isAbsent { absentSince = instant }
    isAbsent = true
    refreshDeadline()
  }

  /// Somebody is there again. What came due meanwhile and belongs to no program is due now.
  mutating func comeBack(in turn: inout PolicyTurn) {
    passAbsence(until: turn.instant)
    absentSince = nil
    isAbsent = false
    forEachSession { policy, index in policy.suspendIfSettled(index, in: &turn) }
    showAgain(in: &turn)
  }

  /// While nobody is there no time passes for programs: all that runs for one has moved on by as much as the clock when
  /// the policy is told something. What begins then runs from there on.
  mutating func passAbsence(until instant: EngineInstant) {
    guard isAbsent, let since = absentSince, since < instant else { return }
    absentSince = instant
    for index in sessions.indices { update(index) { $0.giveBack(seconds: since.seconds(to: instant)) } }
  }
}

// MARK: - While its process is not there yet

extension Policy {
  /// The process of a program that was called begins later than was known: its time begins with it (rule K1).
  mutating func beginLate(_ index: Int, seconds: Double) {
    guard sessions[index].state != .notRunning, seconds > 0 else { return }
    update(index) { $0.postpone(bySeconds: seconds) }
    refreshDeadline()
  }
}

extension Session {
  /// Everything that runs for the program ends so many seconds later.
  fileprivate mutating func postpone(bySeconds seconds: Double) {
    for place in assertions.indices {
      assertions[place].end = assertions[place].end?.advanced(bySeconds: seconds)
    }
    taskClock?.move(bySeconds: seconds)
    wakeClock?.move(bySeconds: seconds)
    exitAt = exitAt?.advanced(bySeconds: seconds)
  }

  /// Nobody was there for some seconds: what was left of the program's time is left.
  fileprivate mutating func giveBack(seconds: Double) {
    postpone(bySeconds: seconds)
    purgeAt = purgeAt?.advanced(bySeconds: seconds)
    restoredAt = restoredAt?.advanced(bySeconds: seconds)
    if let end = standard.request?.end { standard.request?.end = end.advanced(bySeconds: seconds) }
    for part in ModePart.all { part.giveBack?(&modes, seconds) }
  }
}

extension Policy {
  /// Decodes a policy; what version 0.1.0 did not have is as by default.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    _configuration = try values.decode(Shared<Configuration>.self, forKey: .configuration)
    sessions = try values.decode([Session].self, forKey: .sessions)
    for (index, old) in try values.decode([OldSession].self, forKey: .sessions).enumerated() {
      if let budget = old.budget { sessions[index].migrate(budget, configuration.wakes) }
    }
    isUnlocked = try values.decode(Bool.self, forKey: .isUnlocked)
    lacksSource = try values.decode(Bool.self, forKey: .lacksSource)
    isLowPower = try values.decode(Bool.self, forKey: .isLowPower)
    pressure = try values.decodeIfPresent(MemoryPressure.self, forKey: .pressure) ?? MemoryPressure.none
    pressureLookedAt = try values.decodeIfPresent(EngineInstant.self, forKey: .pressureLookedAt)
    utcAhead = try values.decodeIfPresent(Int64.self, forKey: .utcAhead)
    zone = try values.decodeIfPresent(TimeZoneRule.self, forKey: .zone) ?? .utc
    hasNotifier = try values.decodeIfPresent(Bool.self, forKey: .hasNotifier) ?? true
    network = try values.decodeIfPresent(NetworkState.self, forKey: .network) ?? .free
    supply = try values.decodeIfPresent(PowerSupply.self, forKey: .supply) ?? .mains
    isAbsent = try values.decodeIfPresent(Bool.self, forKey: .isAbsent) ?? false
    absentSince = try values.decodeIfPresent(EngineInstant.self, forKey: .absentSince)
    hasAudience = try values.decodeIfPresent(Bool.self, forKey: .hasAudience) ?? false
    awakeSince = try values.decodeIfPresent(EngineInstant.self, forKey: .awakeSince)
    if let name = try OldPolicy(from: decoder).lastAudio, let index = index(of: name) {
      update(index) { $0.modes.audio?.begun = 1 }
    }
    refreshDeadline()
  }
}

/// What a policy of earlier versions kept, and each session keeps now.
private struct OldPolicy: Decodable {
  /// Whose audio session was opened last.
  var lastAudio: String?
}

extension SubscriberState {
  /// Why a program can do nothing now; nil where it runs.
  var refusal: Decision.Reason? {
    switch self {
    case .notRunning: .notRunning
    case .suspended: .suspended
    case .inactive, .active, .background: nil
    }
  }
}

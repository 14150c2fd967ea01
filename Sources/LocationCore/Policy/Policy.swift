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
    /// Seconds until the second start in a row that failed, doubled for each further one.
    public var backOffSeconds = 1.0
    /// The longest of these waits.
    public var backOffLimitSeconds = 300.0
    /// Wakes overrun in a row after which a subscriber is throttled (rule K2).
    public var throttleOverruns = 5
    /// Seconds for which it is then neither woken nor relaunched, doubled for each further one (rule K2).
    public var throttleSeconds = 60.0
    /// The longest of these times.
    public var throttleLimitSeconds = 3600.0

    public init() {}
  }

  @Shared var configuration: Configuration
  /// By name.
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

  init(configuration: Configuration = Configuration()) { self.init(Shared(wrappedValue: configuration)) }

  init(_ configuration: Shared<Configuration>) { _configuration = configuration }

  /// Refers to a configuration that others refer to, where it is the same.
  mutating func share(_ configuration: Shared<Configuration>) {
    if configuration == _configuration { _configuration = configuration }
  }

  /// Works on one subscriber and keeps the deadline true; false when there is none of that name.
  mutating func withSession(_ name: String, _ body: (inout Policy, Int) -> Void) -> Bool {
    guard let index = sessions.firstIndex(where: { $0.subscriber.name == name }) else { return false }
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
  mutating func add(_ subscriber: Subscriber, state: SubscriberState, at instant: EngineInstant) -> Bool {
    if let index = sessions.firstIndex(where: { $0.subscriber.name == subscriber.name }) {
      sessions[index].subscriber = subscriber
      refreshDeadline()
      return true
    }
    guard sessions.count < Limits.subscribers else { return false }
    var session = Session(subscriber: subscriber)
    session.state = state
    if state == .suspended { session.suspendedAt = instant }
    let place = sessions.firstIndex { $0.subscriber.name > subscriber.name } ?? sessions.endIndex
    sessions.insert(session, at: place)
    refreshDeadline()
    return true
  }

  /// Forgets a subscriber; false when there is none of that name.
  mutating func remove(_ name: String) -> Bool {
    let count = sessions.count
    sessions.removeAll { $0.subscriber.name == name }
    refreshDeadline()
    return sessions.count < count
  }

  /// Finds anew when something is due and whether fixes matter.
  mutating func refreshDeadline() {
    var due: EngineInstant?
    needsFixes = false
    for session in sessions {
      if let deadline = session.deadline { due = due.map { min($0, deadline) } ?? deadline }
      if session.followsFixes { needsFixes = true }
    }
    nextDeadline = due
  }
}

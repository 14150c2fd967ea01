/// One subscriber as the policy knows it.
struct Session: Hashable, Sendable, Codable {
  /// An event the subscriber has not acknowledged yet (rule K5).
  struct Pending: Hashable, Sendable, Codable {
    var event: Int
    var trigger: Trigger
    /// Whether the running process has been handed it.
    var isHanded = false
    /// Whether any process has: that it is handed over once more is told by the start, and not for each event.
    var wasHanded = false
  }

  var subscriber: Subscriber
  var state = SubscriberState.notRunning
  /// The user force-quit it (rule A7); a user launch or a reboot clears the mark.
  var wasForceQuit = false
  /// What holds off suspension, in the order it was taken.
  var assertions: [Assertion] = []
  /// Unacknowledged events, oldest first.
  var outbox = Outbox()
  /// How long it may run in the background; nil in the foreground.
  var budget: Budget?
  /// Since when it is suspended.
  var suspendedAt: EngineInstant?
  /// When it is ended for having left the foreground with `exitsOnSuspend` (rule A5).
  var exitAt: EngineInstant?
  /// When it is started again to be handed what it has not acknowledged (rule K5).
  var relaunchAt: EngineInstant?
  /// Starts in a row that ended before anything was acknowledged.
  var failures = 0
  /// Its standard updates (rules B2, B3, B6 and B7).
  var standard = StandardService()
  /// What its standard updates say of a cheaper service (rule B10).
  var advice = AdviceRecord()
  /// When it was last told a coarse position (rule B8).
  var reducedAt: EngineInstant?
  /// A coarse position that waits until the next may be told.
  var owed: Owed?
  /// Wakes in a row that it overran (rule K2).
  var overruns = 0
  /// Until when nothing wakes or relaunches it (rule K2).
  var throttledUntil: EngineInstant?
  /// When it is ended because memory is short (rule A4).
  var purgeAt: EngineInstant?
  /// Bytes of memory it holds; nil while nobody has said.
  var memoryBytes: Int64?
  /// Whether it holds a lock that others may wait for (rule K3).
  var holdsLock = false
  /// The next task token (rule C1).
  var nextTask = 1

  init(subscriber: Subscriber) { self.subscriber = subscriber }

  /// The earliest instant at which something is due.
  var deadline: EngineInstant? {
    var due: EngineInstant?
    func consider(_ instant: EngineInstant?) {
      guard let instant else { return }
      due = due.map { min($0, instant) } ?? instant
    }
    for assertion in assertions {
      if case .grace(let until) = assertion { consider(until) }
    }
    consider(budget?.warning)
    consider(budget?.end)
    consider(exitAt)
    consider(relaunchAt)
    consider(purgeAt)
    consider(throttledUntil)
    consider(batchEnd)
    consider(standard.request?.end)
    if owed != nil { consider(reducedAt?.advanced(bySeconds: ReducedAccuracy.leastSeconds)) }
    return due
  }

  /// Whether it asked to hear of a region.
  func wants(region: String) -> Bool {
    subscriber.services.contains(.regions) && (subscriber.regions?.contains(region) ?? true)
  }

  /// Forgets everything that ends with a process: what it held and what it had been handed.
  mutating func endProcess() {
    state = .notRunning
    assertions = []
    budget = nil
    suspendedAt = nil
    exitAt = nil
    purgeAt = nil
    holdsLock = false
    standard.endProcess()
    outbox.removeAll { !$0.trigger.isKept }
    for index in outbox.indices { outbox[index].isHanded = false }
  }
}

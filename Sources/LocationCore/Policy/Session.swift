/// One subscriber as the policy knows it.
struct Session: Hashable, Sendable, Codable {
  /// An event the subscriber has not acknowledged yet (rule K5).
  struct Pending: Hashable, Sendable, Codable {
    var event: Int
    var trigger: Trigger
    /// Whether the running process has been handed it.
    var isHanded = false
    /// Whether any process, also an earlier one, was handed it. Handing it over again is recorded once, at the start,
    /// not for each event.
    var wasHanded = false
    /// Whether a process in the background is not handed this event (rule M4). Each start judges that anew.
    var isWithheld: Bool?
    /// The region it is about; nil where it is about none.
    var region: String?
    /// Whether it says no more than a coarse position, which reduced accuracy permits.
    var isCoarse: Bool?
    /// What the program is called for; nil for an event of a location service.
    var call: ModeCall.Kind?
    /// The tag of the socket that it is called for (rule E4).
    var tag: String?
    /// The push that it is; nil for anything else.
    @Rare var push: Push?
    /// The session of the transfer or accessory that it is about (rules I2 and J1); nil for anything else.
    var session: String?
    /// What the program was handed in place of the user being shown it (rule D3); nil for anything else.
    @Rare var unshown: NotificationBook.Unshown?
    /// When a running process was last handed the push.
    var handedAt: EngineInstant?
    /// When it came, until it is handed over: the cooldown counts from there meanwhile; nil without a cooldown.
    var keptAt: EngineInstant?
    /// What the subscriber measured by before this move, until it is handed over (rule B1); nil for anything else.
    @Rare var measure: SignificantChange?

    /// Whether something follows if it is not acknowledged.
    var isOwed: Bool { trigger.holdsOff || unshown != nil }

    /// Whether it waits to be handed over, for a trigger.
    func waits(of trigger: Trigger) -> Bool { !isHanded && self.trigger.row == trigger.row }
  }

  @Seldom var subscriber: Subscriber
  var state = SubscriberState.notRunning
  /// The user force-quit it (rule A7); a user launch or a reboot clears the mark.
  var wasForceQuit = false
  /// What holds off suspension, in the order it was taken.
  var assertions: [Assertion] = []
  /// Unacknowledged events, oldest first.
  var outbox = Outbox()
  /// The time of its tasks; nil in the foreground and in a wake without tasks.
  var taskClock: TaskClock?
  /// The time in which it has to acknowledge something; nil in the foreground and while nothing waits for that.
  var wakeClock: WakeClock?
  /// When it is handed the rest of a backlog (rule K1).
  var backlogAt: EngineInstant?
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
  /// The coarse position that it was told last.
  var reducedCell: ReducedCell?
  /// A coarse position that waits until the next may be told.
  @Rare var owed: Owed?
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
  /// Whether it could not be told where the position is, and is to be told that at its next start (rule L1).
  @Added var awaitsBriefing = false
  /// Whether it was in the foreground when the screen was locked, and returns there (rule A2).
  @Added var returnsAtUnlock = false
  /// Whether a call, or what else the user answers, comes before it and goes on (rules A1 and F4).
  @Preset var isCalled = false
  /// Whether the process has been told that memory is short, for the present warning (rule A4).
  @Preset var knowsPressure = false
  /// Whether a program that starts itself is connected, while it is not called; nil where it is not known, as in a
  /// replay: it is called then as any other.
  var isConnected: Bool?
  /// When it was last handed an event of a kind that it can choose, for the first time; for its cooldown.
  var heardAt: EngineInstant?
  /// Whether its process has ended by itself, and what follows from that has not come yet: there is nothing to suspend.
  @Added var hasEnded = false
  /// How its last process ended that nobody had ordered to; nil before.
  @Rare var lastEnd: ProgramEnd?
  /// The next task token (rule C1).
  var nextTask = 1
  /// Its own measure of significant changes (rule B1); nil while it has been handed each that the engine's has found.
  var significant: SignificantChange?
  /// Whether the next fix is to be its first significant change, since the last one was too old.
  @Added var awaitsFirstMove = false
  /// What it asked to be kept for its next process (rule A11).
  var preserved: String?
  /// When its process was started with what was preserved.
  var restoredAt: EngineInstant?
  /// Ends in a row that came soon after being restored.
  @Added var restoreFailures = 0
  /// What the background modes remember of it.
  @Seldom var modes = ModeState()

  /// The earliest instant at which something is due.
  @inline(__always)
  func deadline(_ configuration: Policy.Configuration) -> EngineInstant? {
    var due: EngineInstant?
    func consider(_ instant: EngineInstant?) { due = EngineInstant.earlier(due, instant) }
    for assertion in assertions { consider(assertion.end) }
    if let taskClock, !taskClock.isOver {
      consider(taskClock.warning)
      consider(taskClock.end)
    }
    consider(wakeClock?.end)
    consider(backlogAt)
    if mayKnowMoves { consider(significant?.nextDeadline) }
    consider(exitAt)
    consider(relaunchAt)
    consider(purgeAt)
    consider(throttledUntil)
    consider(batchEnd)
    consider(modes.audio?.silenceEnd(configuration.audio))
    consider(standard.request?.end)
    if dueOwed != nil, locationObjection == nil {
      consider(reducedAt?.advanced(bySeconds: configuration.coarse.leastSeconds))
    }
    return due
  }

  /// Events it was handed and has not acknowledged, of the present wake: for these suspension is held off.
  var handedCount: Int { assertions.count { $0.reason == .delivery } }

  /// Events that its process has and has not acknowledged, those of a wake that is over included (rule K5).
  var heldCount: Int { outbox.count { $0.isHanded && $0.trigger.holdsOff } }

  /// Whether one more event may wait for it (rule K5). What nobody keeps does not count.
  @inline(__always) var hasRoom: Bool {
    outbox.count < Limits.outbox || outbox.count(where: \.isOwed) < Limits.outbox
  }

  /// Whether something waits to be handed to it, apart from what is withheld and from updates that are kept back on
  /// purpose (rule B7).
  @inline(__always) var hasBacklog: Bool {
    standard.batch == nil && outbox.contains { !$0.isHanded && $0.isWithheld != true }
  }

  /// Whether it may be told of significant changes now.
  @inline(__always) var mayKnowMoves: Bool {
    subscriber.services.contains(.significantChange) && locationObjection == nil
  }

  /// Why it may not be told where the machine is now; nil where it may (rule B8).
  @inline(__always) var locationObjection: Decision.Reason? {
    switch subscriber.authorization {
    case .denied: .denied
    case .whenInUse: state.isRunning ? nil : .needsAlways
    case .always: nil
    }
  }

  /// Why it may no longer be told an event that was kept for it; nil where it may (rule B8).
  func objection(to pending: Pending) -> Decision.Reason? {
    guard pending.trigger.isLocation else { return nil }
    if let reason = locationObjection { return reason }
    if subscriber.accuracy == .reduced, pending.isCoarse != true { return .reduced }
    return nil
  }

  /// Whether it asked to hear of a region.
  func wants(region: String) -> Bool {
    subscriber.services.contains(.regions) && (subscriber.regions?.contains(region) ?? true)
  }

  /// Whether it still asks for what an event is of. Standard updates are delivered where it does not (rule B7), and a fix
  /// that it asked for alone is of no service (rule B9).
  func wants(_ pending: Pending) -> Bool {
    if let region = pending.region {
      guard wants(pending.trigger.kind) else { return false }
      let wasRenamed =
        subscriber.formerRegions?.contains { $0.covers(pending.event, region: region) } ?? false
      return wants(region: region) || wasRenamed && subscriber.services.contains(.regions)
    }
    return wants(pending.trigger)
  }

  /// Whether it asks for what a trigger is of, wherever that is.
  func wants(_ trigger: Trigger) -> Bool {
    wants(trigger.kind) && subscriber.services.isSuperset(of: trigger.service.subtracting(.standard))
  }

  /// Forgets everything that ends with a process: what it held and what it had been handed.
  mutating func endProcess() {
    state = .notRunning
    if isConnected != nil { isConnected = false }
    knowsPressure = false
    assertions = []
    taskClock = nil
    wakeClock = nil
    backlogAt = nil
    suspendedAt = nil
    exitAt = nil
    purgeAt = nil
    holdsLock = false
    returnsAtUnlock = false
    hasEnded = false
    restoredAt = nil
    memoryBytes = nil
    standard.endProcess()
    for part in ModePart.all { part.endProcess?(&modes, subscriber) }
    outbox.removeAll { !$0.trigger.isKept || $0.trigger.isOfProcess }
    takeBack()
  }

  /// Whether nothing can reach it: it starts itself, does not run and is not connected.
  var isAway: Bool { subscriber.startsItself && state == .notRunning && isConnected == false }

  /// What was handed over and is not acknowledged is to be handed over anew. Of a oneshot only the oldest can have had a
  /// process.
  mutating func takeBack() {
    var mayHaveProcess = true
    for place in outbox.indices where outbox[place].isHanded {
      outbox[place].isHanded = false
      if !mayHaveProcess { outbox[place].wasHanded = false }
      if subscriber.style == .oneshot { mayHaveProcess = false }
    }
  }
}

/// What a session of version 0.1.0 had in place of the clocks: one budget.
struct OldSession: Decodable {
  struct Budget: Decodable {
    var rule: Rule
    var end: EngineInstant
    var warning: EngineInstant?
  }

  var budget: Budget?
}

extension Session {
  /// Makes the one budget of version 0.1.0 one of the clocks.
  mutating func migrate(_ budget: OldSession.Budget, _ wakes: Policy.Configuration.Wakes) {
    if budget.rule == .taskBudget {
      taskClock = TaskClock(end: budget.end, warning: budget.warning)
    } else if handedCount > 0 {
      wakeClock = WakeClock(
        at: budget.end.advanced(bySeconds: -wakes.seconds), seconds: wakes.seconds)
    }
  }
}

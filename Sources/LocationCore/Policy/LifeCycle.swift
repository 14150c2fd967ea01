/// The life cycle of a subscriber: what the user, the subscriber and the machine do to it (section A of the rules).
extension Policy {
  /// The user starts it or returns to it: it is in the foreground, and its force-quit mark is gone.
  mutating func bringToForeground(_ index: Int, cause: StateMove.Cause = .user, in turn: inout PolicyTurn) {
    let state = sessions[index].state
    guard isUnlocked || state != .notRunning else {
      return decide(.refuse, .firstUnlock, .locked, index, in: &turn)
    }
    guard !sessions[index].isAway else {
      return decide(.refuse, .atLeastOnce, .notConnected, index, in: &turn)
    }
    switch state {
    case .notRunning, .suspended, .background: move(index, to: .inactive, cause: cause, in: &turn)
    case .inactive: break
    case .active: return refuseMove(index, in: &turn)
    }
    move(index, to: .active, cause: cause, in: &turn)
    noteAwake(at: turn.instant)
    let wasThrottled = sessions[index].throttledUntil != nil
    update(index) {
      $0.wasForceQuit = false
      $0.returnsAtUnlock = false
      $0.taskClock = nil
      $0.wakeClock = nil
      $0.backlogAt = nil
      $0.exitAt = nil
      $0.relaunchAt = nil
      $0.suspendedAt = nil
      $0.purgeAt = nil
      $0.overruns = 0
      $0.throttledUntil = nil
      $0.assertions.removeAll { $0.reason == .grace }
    }
    if wasThrottled { decide(.throttle, .overrun, .throttleOver, index, in: &turn) }
    if state == .notRunning { noteStart(index, in: &turn) }
    publishServices(index, in: &turn)
    dropKeepAlive(index, in: &turn)
    update(index) {
      for place in $0.outbox.indices { $0.outbox[place].isWithheld = nil }
    }
    hand(index, in: &turn)
    enterForegroundWithAudio(index, in: &turn)
    // What was closed when it left is opened again (rule J4).
    alignAccessories(index, in: &turn)
    tellOwed(index, in: &turn)
    tellPressure(index, in: &turn)
  }

  /// The user turns to something else: background with some seconds of grace, then suspension (rules A2, A5).
  mutating func sendToBackground(_ index: Int, cause: StateMove.Cause = .user, in turn: inout PolicyTurn) {
    guard sessions[index].state.isForeground, sessions[index].exitAt == nil else {
      return refuseMove(index, in: &turn)
    }
    if sessions[index].state == .active { move(index, to: .inactive, cause: cause, in: &turn) }
    if sessions[index].subscriber.exitsOnSuspend {
      let seconds = configuration.exitSeconds
      warn(index, .exit, seconds: seconds, in: &turn)
      for token in sessions[index].tasks {
        warn(index, .task, task: token, seconds: seconds, in: &turn)
      }
      return update(index) { $0.exitAt = turn.instant.advanced(bySeconds: seconds) }
    }
    move(index, to: .background, cause: cause, in: &turn)
    noteWatched(at: turn.instant)
    let grace = configuration.graceSeconds
    announce(index, .background, cause == .screen ? .screen : .user, graceSeconds: grace, in: &turn)
    let tasks = taskClock(from: turn.instant)
    update(index) {
      $0.modes.keepAlive?.from = turn.instant
      $0.assertions.append(.grace(until: turn.instant.advanced(bySeconds: grace)))
      $0.taskClock = tasks
    }
    // Also what was left of a wake that was over before the foreground.
    holdForHanded(index, at: turn.instant)
    leaveForegroundWithAudio(index, in: &turn)
    leaveForegroundWithAccessories(index, in: &turn)
  }

  /// The subscriber says that it needs no more of the seconds for its clean-up.
  mutating func endGrace(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].assertions.contains(where: { $0.reason == .grace }) else { return }
    update(index) { $0.assertions.removeAll { $0.reason == .grace } }
    suspendIfIdle(index, in: &turn)
  }

  /// The user ends it for good (rule A7). The mark is told where nothing ran, too.
  mutating func forceQuit(_ index: Int, in turn: inout PolicyTurn) {
    decide(.terminate, .forceQuit, .forceQuit, index, after: .notRunning, in: &turn)
    let accessories = sessions[index].modes.accessories?.sessions ?? []
    update(index) {
      $0.wasForceQuit = true
      $0.modes.accessories?.sessions = []
    }
    end(index, retries: false, isOrdered: sessions[index].state != .notRunning, for: .forceQuit, in: &turn)
    noteDropped(accessories, index, in: &turn)
    dropPushes(index, in: &turn)
    cancelTransfers(index, in: &turn)
    update(index) {
      $0.relaunchAt = nil
      $0.preserved = nil
      $0.restoreFailures = 0
      $0.modes.restart = nil
    }
  }

  /// The user removes it: its process ends, and so does all that waits for it (rules A9, D6 and I3).
  mutating func noteRemoval(_ index: Int, in turn: inout PolicyTurn) {
    if sessions[index].state != .notRunning {
      decide(.terminate, .stateMoves, .removed, index, after: .notRunning, in: &turn)
      update(index) { $0.state = .notRunning }
    }
    cancelTransfers(index, in: &turn)
    for pending in sessions[index].outbox where pending.isOwed {
      decide(.drop, .atLeastOnce, .removed, index, event: pending.event, in: &turn)
    }
  }

  /// Its process ended by itself, and how. What follows from it comes as another event. Until then, or until the next
  /// process, it is not suspended (rule A1). A process that waited for that end has the grace of the background of its
  /// own.
  mutating func noteFinished(_ end: ProgramEnd, _ index: Int, in turn: inout PolicyTurn) {
    let isFollowed = end.isFollowed == true
    let grace = Assertion.grace(until: turn.instant.advanced(bySeconds: configuration.graceSeconds))
    let limit = wakeLimitSeconds(index)
    update(index) {
      $0.lastEnd = end
      // A user acknowledged this event by hand while the process ran. The next process gets its full time.
      if $0.subscriber.style == .oneshot, let event = end.event,
        !$0.outbox.contains(where: { $0.event == event })
      {
        $0.assertions.removeAll { $0.reason == .delivery && $0.owner == event }
        $0.wakeClock?.renew(at: turn.instant, limitSeconds: limit)
      }
      $0.hasEnded = $0.state != .notRunning && !isFollowed
      if isFollowed, $0.state == .background {
        $0.assertions.removeAll { $0.reason == .grace }
        $0.assertions.append(grace)
      }
    }
  }

  /// Its process ended by itself. What it has not acknowledged is handed to it again, after a wait that grows.
  ///
  /// - Parameter status: how it ended: not 0 where it failed (rule E5).
  mutating func exited(_ index: Int, status: Int32, in turn: inout PolicyTurn) {
    guard sessions[index].state != .notRunning else { return refuseMove(index, in: &turn) }
    move(index, to: .notRunning, cause: .exit, in: &turn)
    // One that was called in vain comes by itself.
    let isInVain = sessions[index].subscriber.startsItself && status != 0
    end(index, retries: !isInVain, isOrdered: false, in: &turn)
    if status != 0 { scheduleRestart(index, in: &turn) } else { forgetRestarts(index) }
  }

  /// Its process was ended because who ran it is gone, or has a new manifest for it. What it has not acknowledged is
  /// handed to a new one at once.
  mutating func orphaned(_ index: Int, cause: StateMove.Cause = .restart, in turn: inout PolicyTurn) {
    guard sessions[index].state != .notRunning else { return }
    move(index, to: .notRunning, cause: cause, in: &turn)
    // It is not the program's doing that a fetch has no answer.
    update(index) {
      $0.modes.fetch?.askedAt = nil
      // Nobody heard whether the call is over.
      if cause == .restart { $0.isCalled = false }
    }
    end(index, retries: false, isOrdered: false, in: &turn)
    redeliver(index, rule: .atLeastOnce, in: &turn)
    guard sessions[index].state == .notRunning else { return }
    scheduleRestart(index, isFault: false, in: &turn)
  }

  /// Its program has come by itself: what waits for it, or for the next attempt to reach it, is handed over now (rule
  /// K5).
  mutating func registered(_ index: Int, in turn: inout PolicyTurn) {
    if sessions[index].subscriber.startsItself {
      update(index) { $0.isConnected = true }
      return redeliver(index, rule: .atLeastOnce, in: &turn)
    }
    guard !isAbsent, sessions[index].relaunchAt != nil else { return }
    retry(index, in: &turn)
  }

  /// Its program, which starts itself, is not there, or has left without having been called.
  mutating func unregistered(_ index: Int) { update(index) { $0.isConnected = false } }

  /// The machine booted: nobody runs, force-quit marks are gone, and it may be locked (rules A7, A8).
  mutating func reboot(in turn: inout PolicyTurn) {
    isUnlocked = !configuration.protectUntilFirstUnlock
    pressure = .none
    pressureLookedAt = nil
    forEachSession { policy, index in
      if policy.sessions[index].state != .notRunning {
        policy.move(index, to: .notRunning, cause: .reboot, in: &turn)
      }
      let wasThrottled = policy.sessions[index].throttledUntil != nil
      policy.closeAccessoriesOfProcess(index, in: &turn)
      policy.withdrawServices(index, in: &turn)
      policy.endProcess(index, for: .boot, in: &turn)
      policy.update(index) {
        $0.modes.fetch?.askedAt = nil
        $0.modes.notifications?.noteReboot()
        $0.wasForceQuit = false
        $0.isCalled = false
        $0.failures = 0
        $0.relaunchAt = nil
        $0.overruns = 0
        $0.throttledUntil = nil
      }
      policy.dropUndeclaredBluetooth(index, in: &turn)
      if wasThrottled {
        policy.decide(.throttle, .overrun, .throttleOver, index, in: &turn)
      }
    }
    forEachSession { policy, index in policy.reopenBluetooth(index, in: &turn) }
    startAtBoot(in: &turn)
    // After those that have to run.
    turn.steps += sessions.map { .redelivered(subscriber: $0.subscriber.name, rule: .atLeastOnce) }
  }

  /// The screen locks: whoever is in the foreground goes to the background, and returns with the unlock (rule A2).
  mutating func lockScreen(in turn: inout PolicyTurn) {
    forEachSession { policy, index in
      guard policy.sessions[index].state.isForeground, policy.sessions[index].exitAt == nil else { return }
      policy.sendToBackground(index, cause: .screen, in: &turn)
      policy.update(index) { $0.returnsAtUnlock = true }
    }
  }

  /// Something that comes before a subscriber in the foreground, such as a call, begins or ends (rule A1).
  mutating func interrupt(_ index: Int, begins: Bool, in turn: inout PolicyTurn) {
    let session = sessions[index]
    let hasAudio = interruptAudio(index, begins: begins, in: &turn)
    guard session.state == (begins ? .active : .inactive), session.exitAt == nil else {
      // In the background there is no more to take from it, and at the end no more to give back (rule F4).
      if hasAudio, !begins || session.state == .background { return }
      // A program that is about to end has nothing to give back either.
      if !begins, session.exitAt != nil { return }
      return refuseMove(index, in: &turn)
    }
    move(index, to: begins ? .inactive : .active, cause: .interrupt, in: &turn)
  }

  /// The screen unlocks: who was in the foreground returns there (rule A2). At the first unlock after a boot, what was
  /// kept is delivered (rule A8).
  mutating func unlock(in turn: inout PolicyTurn) {
    forEachSession { policy, index in
      // Also one that opted out of the background and has not ended yet (rule A5).
      guard policy.sessions[index].returnsAtUnlock else { return }
      policy.bringToForeground(index, cause: .screen, in: &turn)
    }
    guard !isUnlocked else { return }
    isUnlocked = true
    forEachSession { policy, index in policy.openBluetooth(index, in: &turn) }
    redeliverToAll(rule: .firstUnlock, reason: .firstUnlock, in: &turn)
  }

  /// Suspends a subscriber in the background as soon as nothing holds that off (rule A2). A request for one fix is
  /// answered first (rule B9).
  mutating func suspendIfIdle(
    _ index: Int, rule: Rule = .suspension, reason: Decision.Reason = .idle, in turn: inout PolicyTurn
  ) {
    guard sessions[index].state == .background, sessions[index].assertions.isEmpty, !sessions[index].hasEnded
    else { return }
    // Nobody is there to suspend it, nor to see whether it still runs.
    guard !isAbsent else { return }
    if sessions[index].standard.request != nil {
      cutOffRequest(index, rule: .standard, reason: .suspended, in: &turn)
      // Once the answer is handed over this is called again.
      if case .answered? = turn.steps.last { return }
    }
    if sessions[index].holdsLock {
      return terminate(index, .sharedResource, .sharedLock, in: &turn)
    }
    endModes(index, in: &turn)
    let unshown = sessions[index].outbox.filter { $0.unshown != nil }
    announce(index, .suspended, rule == .suspension ? .idle : .budgetOver, in: &turn)
    decide(.suspend, rule, reason, index, after: .suspended, in: &turn)
    turn.order(.suspend(subscriber: sessions[index].subscriber.name))
    update(index) {
      $0.state = .suspended
      $0.taskClock = nil
      $0.wakeClock = nil
      $0.suspendedAt = turn.instant
      $0.overruns = 0
      $0.forgetRestWithoutUpdates()
      $0.outbox.removeAll { !$0.trigger.isKept }
      $0.takeBack()
    }
    keepLatest(index, in: &turn)
    showUnacknowledged(unshown, index, in: &turn)
    noteWatched(at: turn.instant)
    if sessions[index].hasBacklog, sessions[index].backlogAt == nil { pause(index, at: turn.instant) }
  }

  /// Ends a subscriber by rule. What it has not acknowledged is tried again, unless the user turned away.
  mutating func terminate(_ index: Int, _ rule: Rule, _ reason: Decision.Reason, in turn: inout PolicyTurn) {
    decide(.terminate, rule, reason, index, after: .notRunning, in: &turn)
    end(index, retries: rule != .exitsOnSuspend, in: &turn)
    if rule != .exitsOnSuspend { scheduleRestart(index, in: &turn) }
  }

  /// Its process is gone, or is to go. What it has not acknowledged is tried again after a wait that grows (rule K5).
  ///
  /// - Parameter reason: why what waits for that process alone is dropped.
  mutating func end(
    _ index: Int, retries: Bool, isOrdered: Bool = true, for reason: Decision.Reason = .notRunning,
    in turn: inout PolicyTurn
  ) {
    if isOrdered { turn.order(.terminate(subscriber: sessions[index].subscriber.name)) }
    noteEnd(index, at: turn.instant)
    endModes(index, in: &turn)
    closeAccessoriesOfProcess(index, in: &turn)
    endProcess(index, for: reason, in: &turn)
    dropUndeclaredBluetooth(index, in: &turn)
    resumeAudio(in: &turn)
    guard retries, sessions[index].outbox.contains(where: \.trigger.relaunches) else { return }
    let wait = configuration.backOffSeconds.doubled(
      sessions[index].failures, atMost: configuration.backOffLimitSeconds)
    update(index) {
      $0.failures += 1
      $0.relaunchAt = turn.instant.advanced(bySeconds: wait)
    }
  }

  /// Forgets what ends with a process. What waits for that process alone, or was not acknowledged by it, has a decision
  /// (rules A9 and K5).
  private mutating func endProcess(_ index: Int, for reason: Decision.Reason, in turn: inout PolicyTurn) {
    let lost = sessions[index].outbox.filter(\.trigger.isOfProcess)
    let unshown = sessions[index].outbox.filter { $0.unshown != nil }
    update(index) { $0.endProcess() }
    keepLatest(index, in: &turn)
    for pending in lost {
      let ending: Rule = pending.trigger.row == .accessory ? .accessoryClosed : .forceQuit
      decide(
        .drop, reason == .forceQuit ? ending : pending.trigger.rule, reason, index, event: pending.event,
        trigger: pending.trigger, in: &turn)
    }
    showUnacknowledged(unshown, index, in: &turn)
  }

  /// What was handed over and not acknowledged waits again. Of a trigger whose latest event counts, that one alone does
  /// (rule M2).
  private mutating func keepLatest(_ index: Int, in turn: inout PolicyTurn) {
    let waiting = sessions[index].outbox.filter { $0.trigger.waiting == .latest && !$0.isHanded }
    for pending in waiting where waiting.last(where: { $0.trigger.row == pending.trigger.row }) != pending {
      drop(pending.trigger.rule, .merged, index, in: &turn) { $0.event == pending.event }
    }
  }

  /// Makes a move that rule A1 allows and says so.
  private mutating func move(
    _ index: Int, to state: SubscriberState, cause: StateMove.Cause, in turn: inout PolicyTurn
  ) {
    let session = sessions[index]
    precondition(session.state.mayBecome(state), "rule A1: \(session.state) can't become \(state)")
    turn.steps.append(
      .moved(
        StateMove(subscriber: session.subscriber.name, before: session.state, after: state, cause: cause)))
    update(index) { $0.state = state }
  }

  private func refuseMove(_ index: Int, in turn: inout PolicyTurn) {
    decide(.refuse, .stateMoves, .illegalMove, index, in: &turn)
  }

  /// Tells a subscriber the state that it moves to (rule A2).
  private func announce(
    _ index: Int, _ state: SubscriberState, _ reason: Order.StateNotice.Reason, graceSeconds: Double? = nil,
    in turn: inout PolicyTurn
  ) {
    let notice = Order.StateNotice(state: state, reason: reason, graceSeconds: graceSeconds)
    turn.order(.announce(subscriber: sessions[index].subscriber.name, notice))
  }
}

// MARK: - Preservation

extension Policy.Configuration {
  /// The numbers of rule A11.
  public struct Restoring: Hashable, Sendable, Codable, Blank {
    /// A process that ends within so many seconds of being restored may have ended for that.
    public var soonSeconds = 5.0
    /// So many such ends in a row, and what was preserved is forgotten.
    public var attempts = 2

    public init() {}
  }
}

extension Policy {
  /// The subscriber asks for a text to be kept for its next process (rule A11).
  mutating func preserve(_ text: String, _ index: Int) {
    update(index) { $0.preserved = text.utf8.count <= Limits.preservedBytes ? text : $0.preserved }
  }

  /// A new process has been started, with what the one before asked to be kept. Where there is no source of fixes, it
  /// is told so at once (rule B9).
  mutating func noteStart(_ index: Int, in turn: inout PolicyTurn) {
    update(index) { $0.restoredAt = $0.preserved == nil ? nil : turn.instant }
    noteRestarted(index, at: turn.instant)
    if sessions[index].awaitsBriefing {
      update(index) { $0.awaitsBriefing = false }
      turn.steps.append(.briefed(subscriber: sessions[index].subscriber.name))
    }
    guard lacksSource, !sessions[index].subscriber.services.isEmpty else { return }
    decide(.refuse, .availability, .noSource, index, in: &turn)
    turn.order(.refuse(subscriber: sessions[index].subscriber.name, what: "start", reason: .noSource))
  }

  /// A process has ended. What is restored twice in a row by a process that then ends soon is forgotten: it may be what
  /// ends it.
  private mutating func noteEnd(_ index: Int, at instant: EngineInstant) {
    let numbers = configuration.restoring
    update(index) {
      guard let restoredAt = $0.restoredAt else { return }
      $0.restoreFailures =
        restoredAt.seconds(to: instant) < numbers.soonSeconds ? $0.restoreFailures + 1 : 0
      guard $0.restoreFailures >= numbers.attempts else { return }
      $0.preserved = nil
      $0.restoreFailures = 0
    }
  }
}

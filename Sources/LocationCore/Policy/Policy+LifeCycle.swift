/// The life cycle of a subscriber: what the user, the subscriber and time do to it (sections A and C of the rules).
extension Policy {
  /// The user starts it or returns to it: it is in the foreground, and its force-quit mark is gone.
  mutating func bringToForeground(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let state = sessions[index].state
    switch state {
    case .notRunning, .suspended: move(index, to: .inactive, cause: .user, into: &steps)
    case .background:
      move(index, to: .suspended, cause: .user, into: &steps)
      move(index, to: .inactive, cause: .user, into: &steps)
    case .inactive: break
    case .active: return refuseMove(index, into: &steps)
    }
    move(index, to: .active, cause: .user, into: &steps)
    update(index) {
      $0.wasForceQuit = false
      $0.budget = nil
      $0.exitAt = nil
      $0.relaunchAt = nil
      $0.suspendedAt = nil
      $0.purgeAt = nil
      $0.overruns = 0
      $0.throttledUntil = nil
      $0.assertions.removeAll { if case .grace = $0 { true } else { false } }
    }
    for pending in sessions[index].outbox where !pending.isHanded {
      steps.append(.decided(sessions[index].decision(.deliver, .atLeastOnce, .kept, event: pending.event)))
    }
    hand(index, at: instant, into: &steps)
  }

  /// The user turns to something else: background with some seconds of grace, then suspension (rules A2, A5).
  mutating func sendToBackground(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard sessions[index].state.isForeground else { return refuseMove(index, into: &steps) }
    if sessions[index].state == .active { move(index, to: .inactive, cause: .user, into: &steps) }
    if sessions[index].subscriber.exitsOnSuspend {
      let seconds = configuration.exitSeconds
      steps.append(.ordered(.warn(subscriber: sessions[index].subscriber.name, seconds: seconds)))
      return update(index) { $0.exitAt = instant.advanced(bySeconds: seconds) }
    }
    move(index, to: .background, cause: .user, into: &steps)
    let grace = configuration.graceSeconds
    let tasks = taskBudget(from: instant)
    update(index) {
      $0.assertions.append(.grace(until: instant.advanced(bySeconds: grace)))
      $0.budget = tasks
    }
  }

  /// The user ends it for good (rule A7).
  mutating func forceQuit(_ index: Int, into steps: inout [PolicyStep]) {
    let session = sessions[index]
    if session.state != .notRunning {
      steps.append(.decided(session.decision(.terminate, .forceQuit, .forceQuit, after: .notRunning)))
      steps.append(.ordered(.terminate(subscriber: session.subscriber.name)))
    }
    update(index) {
      $0.endProcess()
      $0.wasForceQuit = true
      $0.relaunchAt = nil
    }
  }

  /// Its process ended by itself. What it has not acknowledged is handed to it again, after a wait that grows.
  mutating func exited(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let session = sessions[index]
    guard session.state != .notRunning else { return refuseMove(index, into: &steps) }
    let hadWork = session.outbox.contains { $0.isHanded && $0.trigger.relaunches }
    move(index, to: .notRunning, cause: .exit, into: &steps)
    let wait = min(
      configuration.backOffSeconds * Double(1 << min(session.failures, 16)), configuration.backOffLimitSeconds
    )
    update(index) {
      $0.endProcess()
      guard hadWork else { return }
      $0.failures += 1
      $0.relaunchAt = instant.advanced(bySeconds: wait)
    }
  }

  /// Its process was ended because who ran it is gone. What it has not acknowledged is handed to a new one at once.
  mutating func orphaned(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard sessions[index].state != .notRunning else { return }
    let hadWork = sessions[index].outbox.contains(where: \.isHanded)
    move(index, to: .notRunning, cause: .restart, into: &steps)
    update(index) { $0.endProcess() }
    guard hadWork else { return }
    redeliver(index, rule: .atLeastOnce, reason: .unacknowledged, at: instant, into: &steps)
  }

  /// The machine booted: nobody runs, force-quit marks are gone, and it may be locked (rules A7, A8).
  mutating func reboot(at instant: EngineInstant, into steps: inout [PolicyStep]) {
    isUnlocked = !configuration.protectUntilFirstUnlock
    forEachSession { policy, index in
      if policy.sessions[index].state != .notRunning {
        policy.move(index, to: .notRunning, cause: .reboot, into: &steps)
      }
      policy.update(index) {
        $0.endProcess()
        $0.wasForceQuit = false
        $0.failures = 0
        $0.relaunchAt = nil
        $0.overruns = 0
        $0.throttledUntil = nil
      }
      policy.redeliver(index, rule: .atLeastOnce, reason: .unacknowledged, at: instant, into: &steps)
    }
  }

  /// The first unlock after a boot: what was kept is delivered (rule A8).
  mutating func unlock(at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard !isUnlocked else { return }
    isUnlocked = true
    forEachSession { policy, index in
      policy.redeliver(index, rule: .firstUnlock, reason: .firstUnlock, at: instant, into: &steps)
    }
  }

  /// Suspends a subscriber in the background as soon as nothing holds that off (rule A2).
  mutating func suspendIfIdle(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let session = sessions[index]
    guard session.state == .background, session.assertions.isEmpty else { return }
    if session.holdsLock { return terminate(index, .sharedResource, .sharedLock, into: &steps) }
    steps.append(.decided(session.decision(.suspend, .suspension, .idle, after: .suspended)))
    steps.append(.ordered(.suspend(subscriber: session.subscriber.name)))
    update(index) {
      $0.state = .suspended
      $0.budget = nil
      $0.suspendedAt = instant
      $0.overruns = 0
      $0.standard.request = nil
      $0.outbox.removeAll { !$0.trigger.isKept }
    }
  }

  /// Makes a move that rule A1 allows and says so.
  private mutating func move(
    _ index: Int, to state: SubscriberState, cause: StateMove.Cause, into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    precondition(session.state.mayBecome(state), "rule A1: \(session.state) can't become \(state)")
    steps.append(
      .moved(
        StateMove(subscriber: session.subscriber.name, before: session.state, after: state, cause: cause)))
    update(index) { $0.state = state }
  }

  private func refuseMove(_ index: Int, into steps: inout [PolicyStep]) {
    steps.append(.decided(sessions[index].decision(.refuse, .stateMoves, .illegalMove)))
  }

  private func taskBudget(from instant: EngineInstant) -> Budget {
    let end = instant.advanced(bySeconds: configuration.taskBudgetSeconds)
    return Budget(
      rule: .taskBudget, end: end, warning: end.advanced(bySeconds: -configuration.taskWarningSeconds))
  }
}

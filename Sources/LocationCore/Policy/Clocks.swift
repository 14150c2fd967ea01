/// What time does to a subscriber: the ends of grace, of the two clocks and of waits; and finite tasks (sections C and
/// K of the rules).
extension Policy {
  /// Carries out what is due at `instant`, which is the policy's next deadline.
  mutating func fire(in turn: inout PolicyTurn) {
    let wasAwake = awakeSince != nil
    forEachSession { policy, index in
      policy.endAssertions(index, in: &turn)
      policy.warnOfTasks(index, in: &turn)
      policy.endTaskClock(index, in: &turn)
      policy.endWakeClock(index, in: &turn)
      if let exitAt = policy.sessions[index].exitAt, exitAt <= turn.instant {
        policy.terminate(index, .exitsOnSuspend, .exitsOnSuspend, in: &turn)
      }
      policy.endSilence(index, in: &turn)
      policy.endForMemory(index, in: &turn)
      policy.endRequest(index, in: &turn)
      if let batchEnd = policy.sessions[index].batchEnd, batchEnd <= turn.instant {
        policy.flushUpdates(index, reason: .batchDue, in: &turn)
      }
      policy.tellOwed(index, in: &turn)
      policy.tellMove(index, in: &turn)
      policy.endPause(index, in: &turn)
      policy.endThrottle(index, in: &turn)
      if let relaunchAt = policy.sessions[index].relaunchAt, relaunchAt <= turn.instant {
        policy.retry(index, in: &turn)
      }
    }
    lookIfDue(in: &turn)
    fireModes(isAwake: wasAwake, in: &turn)
  }

  private mutating func endAssertions(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].assertions.contains(where: { $0.end.map { $0 <= turn.instant } ?? false }) else {
      return
    }
    update(index) { $0.assertions.removeAll { $0.end.map { $0 <= turn.instant } ?? false } }
    suspendIfIdle(index, in: &turn)
  }

  private mutating func warnOfTasks(_ index: Int, in turn: inout PolicyTurn) {
    guard let clock = sessions[index].taskClock, let warning = clock.warning, warning <= turn.instant else {
      return
    }
    update(index) { $0.taskClock?.warning = nil }
    for token in sessions[index].tasks {
      warn(index, .task, task: token, seconds: turn.instant.seconds(to: clock.end), in: &turn)
    }
  }

  /// Warns a subscriber, and says so (rule A9).
  func warn(
    _ index: Int, _ reason: Order.Warning.Reason, task: Int? = nil, seconds: Double? = nil,
    level: MemoryPressure? = nil, in turn: inout PolicyTurn
  ) {
    let (rule, why): (Rule, Decision.Reason) =
      switch reason {
      case .memory: (.memoryPressure, .memory)
      case .task: (.taskExpiration, .task)
      case .exit: (.exitsOnSuspend, .exit)
      }
    decide(.warn, rule, why, index, task: task, seconds: seconds, in: &turn)
    let warning = Order.Warning(reason: reason, seconds: seconds, task: task, level: level)
    turn.order(.warn(subscriber: sessions[index].subscriber.name, warning))
  }

  /// A subscriber that has a task open when the time for tasks is over is ended, not suspended (rule C3).
  private mutating func endTaskClock(_ index: Int, in turn: inout PolicyTurn) {
    guard let clock = sessions[index].taskClock, !clock.isOver, clock.end <= turn.instant else { return }
    update(index) { $0.taskClock?.isOver = true }
    guard sessions[index].state == .background, sessions[index].holdsTask else { return }
    endOverrun(index, .taskExpiration, .taskOpen, in: &turn)
  }

  /// A subscriber that acknowledged nothing for its whole time is ended. One that did, to the total of a wake, is
  /// suspended, and handed the rest later (rules K1 and K2).
  private mutating func endWakeClock(_ index: Int, in turn: inout PolicyTurn) {
    guard let clock = sessions[index].wakeClock, clock.end <= turn.instant else { return }
    guard sessions[index].state == .background, sessions[index].handedCount > 0 else {
      update(index) { $0.wakeClock = nil }
      return suspendIfIdle(index, in: &turn)
    }
    if clock.isUnanswered(at: turn.instant) {
      return endOverrun(index, .overrun, .budgetOver, in: &turn)
    }
    pause(index, at: turn.instant)
    suspendIfIdle(index, rule: .wakeBudget, reason: .budgetOver, in: &turn)
  }

  /// It took more of the processor than a program in the background may.
  mutating func endOverrun(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].state == .background else { return }
    endOverrun(index, .overrun, .processor, in: &turn)
  }

  /// Ends a subscriber that overran its budget; repeated overruns throttle it (rule K2).
  private mutating func endOverrun(
    _ index: Int, _ rule: Rule, _ reason: Decision.Reason, in turn: inout PolicyTurn
  ) {
    let overruns = sessions[index].overruns + 1
    terminate(index, rule, reason, in: &turn)
    let isTooMany = overruns >= configuration.throttleOverruns
    let seconds = configuration.throttle(afterOverruns: overruns)
    update(index) {
      $0.overruns = overruns
      if isTooMany { $0.throttledUntil = turn.instant.advanced(bySeconds: seconds) }
    }
    if isTooMany { decide(.throttle, .overrun, .throttled, index, in: &turn) }
  }

  private mutating func endThrottle(_ index: Int, in turn: inout PolicyTurn) {
    guard let throttledUntil = sessions[index].throttledUntil, throttledUntil <= turn.instant else { return }
    update(index) { $0.throttledUntil = nil }
    decide(.throttle, .overrun, .throttleOver, index, in: &turn)
    redeliver(index, rule: .overrun, reason: .throttleOver, in: &turn)
  }
}

extension Policy.Configuration {
  /// Seconds for which a subscriber is left alone after so many wakes in a row that it overran.
  func throttle(afterOverruns overruns: Int) -> Double {
    throttleSeconds.doubled(overruns - throttleOverruns, atMost: throttleLimitSeconds)
  }
}

// MARK: - Finite tasks

extension Policy {
  /// Opens a task: it holds off suspension until it ends or the time for tasks is over. A subscriber that runs no code,
  /// has as many open as may be, or has used up the time, can't.
  mutating func beginTask(_ name: String, _ index: Int, in turn: inout PolicyTurn) {
    func refuse(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.refuse, rule, reason, index, in: &turn)
    }
    let session = sessions[index]
    if let reason = session.state.refusal { return refuse(.taskToken, reason) }
    guard session.tasks.count < Limits.tasks else { return refuse(.taskToken, .tooManyTasks) }
    if session.state == .background, session.taskClock?.isOver == true {
      return refuse(.taskBudget, .budgetOver)
    }
    let token = session.nextTask
    let clock = taskClock(from: turn.instant)
    update(index) {
      $0.nextTask += 1
      $0.assertions.append(.task(token: token, name: name))
      if $0.state == .background, $0.taskClock == nil { $0.taskClock = clock }
    }
    // A task that begins after the warning has one of its own, at once.
    if let exitAt = session.exitAt {
      let seconds = turn.instant.seconds(to: exitAt)
      warn(index, .task, task: token, seconds: seconds, in: &turn)
    } else if let clock = sessions[index].taskClock, clock.warning == nil {
      let seconds = turn.instant.seconds(to: clock.end)
      warn(index, .task, task: token, seconds: seconds, in: &turn)
    }
  }

  /// Ends a task; a token that is not open is an error to the caller and changes nothing (rule C4).
  mutating func endTask(_ token: Int, _ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].tasks.contains(token) else {
      return decide(.refuse, .unknownTask, .unknownTask, index, in: &turn)
    }
    update(index) { $0.assertions.removeAll { $0.reason == .task && $0.owner == token } }
    suspendIfIdle(index, in: &turn)
  }

  /// The time for tasks, from now on.
  func taskClock(from instant: EngineInstant) -> TaskClock {
    let end = instant.advanced(bySeconds: configuration.taskBudgetSeconds)
    return TaskClock(end: end, warning: end.advanced(bySeconds: -configuration.taskWarningSeconds))
  }
}

extension Session {
  /// Tokens of its open tasks, oldest first.
  var tasks: [Int] { assertions.filter { $0.reason == .task }.map(\.owner) }
}

/// The time of a oneshot: each event has a process of its own, and each process the whole time.
extension Session {
  /// Seconds it may run for an event (rule K1). A script takes longer than a program that only notes what happened.
  @inline(__always)
  func budgetSeconds(for trigger: Trigger, _ wakes: Policy.Configuration.Wakes) -> Double {
    guard subscriber.style == .oneshot else { return wakes.seconds(of: trigger.budget) }
    return subscriber.maxTimeSeconds ?? Limits.oneshotSeconds
  }
}

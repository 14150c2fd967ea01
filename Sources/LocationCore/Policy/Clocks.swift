/// What time does to a subscriber: the ends of grace, of the two clocks and of waits; and finite tasks (sections C and
/// K of the rules).
extension Policy {
  /// Carries out what is due at `instant`, which is the policy's next deadline.
  mutating func fire(at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let wasAwake = awakeSince != nil
    forEachSession { policy, index in
      policy.endAssertions(index, at: instant, into: &steps)
      policy.warnOfTasks(index, at: instant, into: &steps)
      policy.endTaskClock(index, at: instant, into: &steps)
      policy.endWakeClock(index, at: instant, into: &steps)
      if let exitAt = policy.sessions[index].exitAt, exitAt <= instant {
        policy.terminate(index, .exitsOnSuspend, .exitsOnSuspend, at: instant, into: &steps)
      }
      policy.endSilence(index, at: instant, into: &steps)
      policy.endForMemory(index, at: instant, into: &steps)
      policy.endRequest(index, at: instant, into: &steps)
      if let batchEnd = policy.sessions[index].batchEnd, batchEnd <= instant {
        policy.flushUpdates(index, reason: .batchDue, at: instant, into: &steps)
      }
      policy.tellOwed(index, at: instant, into: &steps)
      policy.tellMove(index, at: instant, into: &steps)
      policy.endPause(index, at: instant, into: &steps)
      policy.endThrottle(index, at: instant, into: &steps)
      if let relaunchAt = policy.sessions[index].relaunchAt, relaunchAt <= instant {
        policy.update(index) { $0.relaunchAt = nil }
        policy.redeliver(index, rule: .atLeastOnce, at: instant, into: &steps)
      }
    }
    lookIfDue(at: instant, into: &steps)
    fireModes(isAwake: wasAwake, at: instant, into: &steps)
  }

  private mutating func endAssertions(
    _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    guard sessions[index].assertions.contains(where: { $0.end.map { $0 <= instant } ?? false }) else {
      return
    }
    update(index) { $0.assertions.removeAll { $0.end.map { $0 <= instant } ?? false } }
    suspendIfIdle(index, at: instant, into: &steps)
  }

  private mutating func warnOfTasks(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard let clock = sessions[index].taskClock, let warning = clock.warning, warning <= instant else {
      return
    }
    update(index) { $0.taskClock?.warning = nil }
    for token in sessions[index].tasks {
      warn(index, .task, task: token, seconds: instant.seconds(to: clock.end), at: instant, into: &steps)
    }
  }

  /// Warns a subscriber, and says so (rule A9).
  func warn(
    _ index: Int, _ reason: Order.Warning.Reason, task: Int? = nil, seconds: Double? = nil,
    level: MemoryPressure? = nil, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    let (rule, why): (Rule, Decision.Reason) =
      switch reason {
      case .memory: (.memoryPressure, .memory)
      case .task: (.taskExpiration, .task)
      case .exit: (.exitsOnSuspend, .exit)
      }
    decide(.warn, rule, why, index, task: task, seconds: seconds, at: instant, into: &steps)
    let warning = Order.Warning(reason: reason, seconds: seconds, task: task, level: level)
    steps.append(.ordered(.warn(subscriber: sessions[index].subscriber.name, warning)))
  }

  /// A subscriber that has a task open when the time for tasks is over is ended, not suspended (rule C3).
  private mutating func endTaskClock(
    _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    guard let clock = sessions[index].taskClock, !clock.isOver, clock.end <= instant else { return }
    update(index) { $0.taskClock?.isOver = true }
    guard sessions[index].state == .background, sessions[index].holdsTask else { return }
    endOverrun(index, .taskExpiration, .taskOpen, at: instant, into: &steps)
  }

  /// A subscriber that acknowledged nothing for its whole time is ended. One that did, to the total of a wake, is
  /// suspended, and handed the rest later (rules K1 and K2).
  private mutating func endWakeClock(
    _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    guard let clock = sessions[index].wakeClock, clock.end <= instant else { return }
    guard sessions[index].state == .background, sessions[index].handedCount > 0 else {
      update(index) { $0.wakeClock = nil }
      return suspendIfIdle(index, at: instant, into: &steps)
    }
    if clock.isUnanswered(at: instant) {
      return endOverrun(index, .overrun, .budgetOver, at: instant, into: &steps)
    }
    pause(index, at: instant)
    suspendIfIdle(index, rule: .wakeBudget, reason: .budgetOver, at: instant, into: &steps)
  }

  /// It took more of the processor than a program in the background may.
  mutating func endOverrun(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard sessions[index].state == .background else { return }
    endOverrun(index, .overrun, .processor, at: instant, into: &steps)
  }

  /// Ends a subscriber that overran what it was given, and throttles it when it does so again and again (rule K2).
  private mutating func endOverrun(
    _ index: Int, _ rule: Rule, _ reason: Decision.Reason, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    let overruns = sessions[index].overruns + 1
    terminate(index, rule, reason, at: instant, into: &steps)
    let isTooMany = overruns >= configuration.throttleOverruns
    let seconds = configuration.throttle(afterOverruns: overruns)
    update(index) {
      $0.overruns = overruns
      if isTooMany { $0.throttledUntil = instant.advanced(bySeconds: seconds) }
    }
    if isTooMany { decide(.throttle, .overrun, .throttled, index, at: instant, into: &steps) }
  }

  private mutating func endThrottle(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard let throttledUntil = sessions[index].throttledUntil, throttledUntil <= instant else { return }
    update(index) { $0.throttledUntil = nil }
    decide(.throttle, .overrun, .throttleOver, index, at: instant, into: &steps)
    redeliver(index, rule: .overrun, reason: .throttleOver, at: instant, into: &steps)
  }
}

extension Policy.Configuration {
  /// Seconds for which a subscriber is left alone after so many wakes in a row that it overran.
  func throttle(afterOverruns overruns: Int) -> Double {
    let doublings = min(max(0, overruns - throttleOverruns), 16)
    return min(throttleSeconds * Double(1 << doublings), throttleLimitSeconds)
  }
}

// MARK: - Finite tasks

extension Policy {
  /// Opens a task: it holds off suspension until it ends or the time for tasks is over. A subscriber that runs no code,
  /// has as many open as may be, or has used up the time, can't.
  mutating func beginTask(
    _ name: String, _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    func refuse(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.refuse, rule, reason, index, at: instant, into: &steps)
    }
    let session = sessions[index]
    if let reason = session.state.refusal { return refuse(.taskToken, reason) }
    guard session.tasks.count < Limits.tasks else { return refuse(.taskToken, .tooManyTasks) }
    if session.state == .background, session.taskClock?.isOver == true {
      return refuse(.taskBudget, .budgetOver)
    }
    let token = session.nextTask
    let clock = taskClock(from: instant)
    update(index) {
      $0.nextTask += 1
      $0.assertions.append(.task(token: token, name: name))
      if $0.state == .background, $0.taskClock == nil { $0.taskClock = clock }
    }
    // A task that begins after the warning has one of its own, at once.
    if let exitAt = session.exitAt {
      let seconds = instant.seconds(to: exitAt)
      warn(index, .task, task: token, seconds: seconds, at: instant, into: &steps)
    } else if let clock = sessions[index].taskClock, clock.warning == nil {
      let seconds = instant.seconds(to: clock.end)
      warn(index, .task, task: token, seconds: seconds, at: instant, into: &steps)
    }
  }

  /// Ends a task; a token that is not open is an error to the caller and changes nothing (rule C4).
  mutating func endTask(
    _ token: Int, _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    guard sessions[index].tasks.contains(token) else {
      return decide(.refuse, .unknownTask, .unknownTask, index, at: instant, into: &steps)
    }
    update(index) { $0.assertions.removeAll { $0.reason == .task && $0.owner == token } }
    suspendIfIdle(index, at: instant, into: &steps)
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
  func budgetSeconds(for trigger: Trigger, _ wakes: Policy.Configuration.Wakes) -> Double {
    guard subscriber.style == .oneshot else { return wakes.seconds(of: trigger.budget) }
    return subscriber.maxTimeSeconds ?? Limits.oneshotSeconds
  }
}

/// What time does to a subscriber: ends of grace, of budgets and of waits.
extension Policy {
  /// Carries out what is due at `instant`, which is the policy's next deadline.
  mutating func fire(at instant: EngineInstant, into steps: inout [PolicyStep]) {
    forEachSession { policy, index in
      policy.endGrace(index, at: instant, into: &steps)
      policy.warn(index, at: instant, into: &steps)
      policy.endBudget(index, at: instant, into: &steps)
      if let exitAt = policy.sessions[index].exitAt, exitAt <= instant {
        policy.terminate(index, .exitsOnSuspend, .exitsOnSuspend, into: &steps)
      }
      policy.endForMemory(index, at: instant, into: &steps)
      policy.endRequest(index, at: instant, into: &steps)
      if let batchEnd = policy.sessions[index].batchEnd, batchEnd <= instant {
        policy.flushUpdates(index, reason: .batchDue, at: instant, into: &steps)
      }
      policy.tellOwed(index, at: instant, into: &steps)
      if let throttledUntil = policy.sessions[index].throttledUntil, throttledUntil <= instant {
        policy.update(index) { $0.throttledUntil = nil }
        policy.redeliver(index, rule: .overrun, reason: .throttleOver, at: instant, into: &steps)
      }
      if let relaunchAt = policy.sessions[index].relaunchAt, relaunchAt <= instant {
        policy.update(index) { $0.relaunchAt = nil }
        policy.redeliver(index, rule: .atLeastOnce, reason: .unacknowledged, at: instant, into: &steps)
      }
    }
  }

  private mutating func endGrace(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let isOver = sessions[index].assertions.contains {
      if case .grace(let until) = $0 { until <= instant } else { false }
    }
    guard isOver else { return }
    update(index) {
      $0.assertions.removeAll { if case .grace(let until) = $0 { until <= instant } else { false } }
    }
    suspendIfIdle(index, at: instant, into: &steps)
  }

  private mutating func warn(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard let budget = sessions[index].budget, let warning = budget.warning, warning <= instant else {
      return
    }
    update(index) { $0.budget?.warning = nil }
    steps.append(
      .ordered(
        .warn(subscriber: sessions[index].subscriber.name, seconds: warning.seconds(to: budget.end))))
  }

  /// A subscriber that still holds something when its time is over is ended, not suspended (rules C3, K2).
  private mutating func endBudget(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard let budget = sessions[index].budget, budget.end <= instant else { return }
    update(index) { $0.budget = nil }
    guard sessions[index].state == .background else { return }
    if sessions[index].assertions.isEmpty { return suspendIfIdle(index, at: instant, into: &steps) }
    let isTask = sessions[index].assertions.contains { if case .task = $0 { true } else { false } }
    let overruns = sessions[index].overruns + 1
    terminate(index, isTask ? .taskExpiration : .overrun, isTask ? .taskOpen : .budgetOver, into: &steps)
    let isTooMany = overruns >= configuration.throttleOverruns
    let seconds = configuration.throttle(afterOverruns: overruns)
    update(index) {
      $0.overruns = overruns
      if isTooMany { $0.throttledUntil = instant.advanced(bySeconds: seconds) }
    }
  }

  /// Ends a subscriber by rule.
  mutating func terminate(
    _ index: Int, _ rule: Rule, _ reason: Decision.Reason, into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    steps.append(.decided(session.decision(.terminate, rule, reason, after: .notRunning)))
    steps.append(.ordered(.terminate(subscriber: session.subscriber.name)))
    update(index) { $0.endProcess() }
  }
}

extension Policy.Configuration {
  /// Seconds for which a subscriber is left alone after so many wakes in a row that it overran.
  func throttle(afterOverruns overruns: Int) -> Double {
    let doublings = min(max(0, overruns - throttleOverruns), 16)
    return min(throttleSeconds * Double(1 << doublings), throttleLimitSeconds)
  }
}

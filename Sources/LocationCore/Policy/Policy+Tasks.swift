/// Finite-length tasks (section C of the rules).
extension Policy {
  /// Opens a task: it holds off suspension until it ends or its time is over. Who runs no code, or has as many open
  /// as may be, can't.
  mutating func beginTask(
    _ name: String, _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    switch session.state {
    case .notRunning: return steps.append(.decided(session.decision(.refuse, .taskToken, .notRunning)))
    case .suspended: return steps.append(.decided(session.decision(.refuse, .taskToken, .suspended)))
    case .inactive, .active, .background: break
    }
    let open = session.assertions.count { if case .task = $0 { true } else { false } }
    guard open < Limits.tasks else {
      return steps.append(.decided(session.decision(.refuse, .taskToken, .tooManyTasks)))
    }
    let token = session.nextTask
    let end = instant.advanced(bySeconds: configuration.taskBudgetSeconds)
    let budget = Budget(
      rule: .taskBudget, end: end, warning: end.advanced(bySeconds: -configuration.taskWarningSeconds))
    update(index) {
      $0.nextTask += 1
      $0.assertions.append(.task(token: token, name: name))
      guard $0.state == .background else { return }
      if $0.budget?.rule != .taskBudget { $0.budget = budget }
    }
  }

  /// Ends a task; a token that is not open is an error to the caller and changes nothing (rule C4).
  mutating func endTask(
    _ token: Int, _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    let isOpen = sessions[index].assertions.contains {
      if case .task(let open, _) = $0 { open == token } else { false }
    }
    guard isOpen else {
      return steps.append(.decided(sessions[index].decision(.refuse, .unknownTask, .unknownTask)))
    }
    update(index) {
      $0.assertions.removeAll { if case .task(let open, _) = $0 { open == token } else { false } }
    }
    suspendIfIdle(index, at: instant, into: &steps)
  }
}

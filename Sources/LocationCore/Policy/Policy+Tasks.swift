/// Finite-length tasks (section C of the rules).
extension Policy {
  /// Opens a task: it holds off suspension until it ends or its time is over. Returns its token.
  mutating func beginTask(_ name: String, _ index: Int, at instant: EngineInstant) -> Int {
    let token = sessions[index].nextTask
    let end = instant.advanced(bySeconds: configuration.taskBudgetSeconds)
    let budget = Budget(
      rule: .taskBudget, end: end, warning: end.advanced(bySeconds: -configuration.taskWarningSeconds))
    update(index) {
      $0.nextTask += 1
      $0.assertions.append(.task(token: token, name: name))
      guard $0.state == .background else { return }
      if $0.budget?.rule != .taskBudget { $0.budget = budget }
    }
    return token
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

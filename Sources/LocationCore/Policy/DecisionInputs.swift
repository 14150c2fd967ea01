/// Tells decisions: each names its rule, its reason and the facts that it depended on.
extension Policy {
  /// Tells a decision, with what it depended on (rule A9).
  func decide(
    _ action: Decision.Action, _ rule: Rule, _ reason: Decision.Reason, _ index: Int, event: Int? = nil,
    trigger: Trigger? = nil, after: SubscriberState? = nil, task: Int? = nil, seconds: Double? = nil,
    in turn: inout PolicyTurn
  ) {
    let trigger = trigger ?? event.flatMap { sessions[index].outbox.trigger(of: $0) }
    let before = sessions[index].state
    var inputs = inputs(of: action, rule, reason, index, event: event, trigger: trigger, at: turn.instant)
    if let seconds { inputs.budgetSeconds = seconds }
    turn.steps.append(
      .decided(
        Decision(
          subscriber: sessions[index].subscriber.name, action: action, rule: rule, before: before,
          after: after ?? before, event: event, reason: reason, task: task,
          inputs: inputs == Decision.Inputs() ? nil : inputs)))
  }

  /// What a decision depended on.
  private func inputs(
    of action: Decision.Action, _ rule: Rule, _ reason: Decision.Reason, _ index: Int, event: Int?,
    trigger: Trigger?, at instant: EngineInstant
  ) -> Decision.Inputs {
    let state = sessions[index].state
    let isLocation = trigger?.isLocation ?? true
    var inputs = Decision.Inputs()
    let throttled = sessions[index].throttledUntil.flatMap { $0 > instant ? instant.seconds(to: $0) : nil }
    switch action {
    case .deliver, .wake, .relaunch, .defer, .coalesce, .drop, .refuse:
      if isLocation, event != nil || rule == .authorization {
        inputs.authorization = sessions[index].subscriber.authorization
        inputs.accuracy = sessions[index].subscriber.accuracy
      }
      if rule == .firstUnlock { inputs.isLocked = !isUnlocked }
      if let trigger, trigger.inLowPower == .notAsked || trigger.isSilent || trigger.isWanted {
        inputs.lowPower = isLowPower
      }
      let isJudged = !isLocation || sessions[index].subscriber.authorization == .always
      // A good moment is judged before it is an event.
      let isOffered = event != nil || trigger?.row == .goodMoment
      if isOffered, reason == .pressure { inputs.pressure = pressure }
      guard isOffered, !state.isRunning, isJudged else { break }
      inputs.backgroundDelivery = sessions[index].subscriber.backgroundDelivery
      inputs.throttledSeconds = throttled
      inputs.forceQuit = sessions[index].wasForceQuit
      if state == .notRunning {
        inputs.isLocked = !isUnlocked
        inputs.pressure = pressure
      }
      if action == .wake || action == .relaunch {
        inputs.budgetSeconds = budgetSeconds(index)
      }
    case .terminate, .purge, .warn:
      if rule == .memoryPressure { inputs.pressure = pressure }
      if rule == .forceQuit { inputs.forceQuit = true }
      if rule == .taskExpiration { inputs.budgetSeconds = configuration.taskBudgetSeconds }
      if rule == .overrun { inputs.budgetSeconds = sessions[index].wakeClock?.seconds }
    case .throttle: inputs.throttledSeconds = throttled
    case .suspend, .notify, .hold: break
    }
    return inputs
  }
}

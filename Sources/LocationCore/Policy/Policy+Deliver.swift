/// From an event to a subscriber: deliver, wake, relaunch, or why not (sections B and K of the rules).
extension Policy {
  /// Offers an event to everyone who asked for its service, and for `region` where it is about one. Who may know no
  /// more than a coarse position is offered that, or nothing.
  mutating func offer(
    event: Int, trigger: Trigger, region: String? = nil, visit: VisitEvent? = nil, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    forEachSession { policy, index in
      let session = policy.sessions[index]
      guard session.subscriber.services.contains(trigger.service) else { return }
      if let region, !session.wants(region: region) { return }
      if session.subscriber.accuracy == .reduced {
        guard region == nil else {
          return steps.append(
            .decided(session.decision(.refuse, .authorization, .reduced, event: event)))
        }
        let owed = Session.Owed(trigger: trigger, visit: visit)
        return policy.offerReduced(owed, event: event, to: index, at: instant, into: &steps)
      }
      policy.offer(event: event, trigger: trigger, to: index, at: instant, into: &steps)
    }
  }

  /// Offers an event to one subscriber.
  mutating func offer(
    event: Int, trigger: Trigger, to index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    let state = session.state
    func decide(_ action: Decision.Action, _ rule: Rule, _ reason: Decision.Reason) {
      steps.append(.decided(session.decision(action, rule, reason, event: event)))
    }
    switch session.subscriber.authorization {
    case .denied: return decide(.refuse, .authorization, .denied)
    case .whenInUse where !state.isRunning: return decide(.refuse, .authorization, .needsAlways)
    case .whenInUse, .always: break
    }
    guard state.isRunning || trigger.isKept else {
      return decide(.drop, trigger.rule, state == .suspended ? .suspended : .notRunning)
    }
    guard session.outbox.count < Limits.outbox else { return decide(.drop, .atLeastOnce, .outboxFull) }
    update(index) { $0.outbox.append(Session.Pending(event: event, trigger: trigger)) }
    switch state {
    case .inactive, .active:
      decide(.deliver, trigger.rule, .foreground)
      hand(index, at: instant, into: &steps)
    case .background:
      decide(.deliver, trigger.rule, .running)
      hand(index, at: instant, into: &steps)
    case .suspended:
      if let (rule, reason) = obstacle(to: trigger, index, at: instant) {
        return decide(.defer, rule, reason)
      }
      start(index, for: event, rule: trigger.rule, reason: .suspended, at: instant, into: &steps)
    case .notRunning:
      if !trigger.relaunches {
        decide(.defer, trigger.rule, .notRunning)
      } else if let (rule, reason) = obstacle(to: trigger, index, at: instant) {
        decide(.defer, rule, reason)
      } else if session.wasForceQuit {
        start(index, for: event, rule: .forceQuit, reason: .forceQuitLocation, at: instant, into: &steps)
      } else {
        start(index, for: event, rule: trigger.rule, reason: .notRunning, at: instant, into: &steps)
      }
    }
  }

  /// What stands in the way of waking or starting a subscriber.
  func obstacle(
    to trigger: Trigger, _ index: Int, at instant: EngineInstant
  ) -> (Rule, Decision.Reason)? {
    let session = sessions[index]
    if !session.subscriber.backgroundDelivery { return (.authorization, .backgroundDeliveryOff) }
    if let throttledUntil = session.throttledUntil, throttledUntil > instant { return (.overrun, .throttled) }
    guard session.state == .notRunning else { return nil }
    if session.subscriber.exitsOnSuspend { return (.exitsOnSuspend, .exitsOnSuspend) }
    if session.wasForceQuit && (configuration.forceQuitBlocksLocation || !trigger.outlivesForceQuit) {
      return (.forceQuit, .forceQuit)
    }
    if !isUnlocked { return (.firstUnlock, .locked) }
    if let relaunchAt = session.relaunchAt, relaunchAt > instant { return (.atLeastOnce, .backOff) }
    return nil
  }

  /// Wakes or relaunches a subscriber for an event and hands it everything that waits.
  mutating func start(
    _ index: Int, for event: Int, rule: Rule, reason: Decision.Reason, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    let isWake = session.state == .suspended
    steps.append(
      .decided(
        session.decision(isWake ? .wake : .relaunch, rule, reason, event: event, after: .background)))
    for pending in session.outbox where pending.event != event && !pending.isHanded {
      steps.append(
        .decided(
          Decision(
            subscriber: session.subscriber.name, action: .deliver, rule: .atLeastOnce, before: .background,
            after: .background, event: pending.event, reason: .kept)))
    }
    let seconds = session.outbox.map(\.trigger.budgetSeconds).max() ?? 0
    let launch = Order.Launch(
      cause: rule, event: event, budgetSeconds: seconds,
      sleptSeconds: session.suspendedAt.map { $0.seconds(to: instant) },
      throttleSeconds: session.overruns >= configuration.throttleOverruns
        ? configuration.throttle(afterOverruns: session.overruns) : nil)
    let name = session.subscriber.name
    steps.append(
      .ordered(isWake ? .wake(subscriber: name, launch: launch) : .relaunch(subscriber: name, launch: launch))
    )
    update(index) {
      $0.state = .background
      $0.suspendedAt = nil
      $0.relaunchAt = nil
      $0.throttledUntil = nil
      $0.standard.batch = nil
    }
    hand(index, at: instant, into: &steps)
  }

  /// Hands over what has not been handed over yet, oldest first, and holds off suspension until it is acknowledged.
  mutating func hand(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let name = sessions[index].subscriber.name
    update(index) { $0.standard.batch = nil }
    for place in sessions[index].outbox.indices where !sessions[index].outbox[place].isHanded {
      let pending = sessions[index].outbox[place]
      update(index) {
        $0.outbox[place].isHanded = true
        guard pending.trigger.isKept else { return }
        $0.assertions.append(.delivery(id: pending.event))
        guard !$0.state.isForeground else { return }
        let budget = Budget(
          rule: .wakeBudget, end: instant.advanced(bySeconds: pending.trigger.budgetSeconds), warning: nil)
        if $0.budget == nil { $0.budget = budget } else { $0.budget?.extend(to: budget) }
      }
      steps.append(.ordered(.deliver(subscriber: name, event: pending.event)))
    }
  }

  /// Wakes or starts a subscriber for what it has not acknowledged, unless something stands in the way.
  mutating func redeliver(
    _ index: Int, rule: Rule, reason: Decision.Reason, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    guard !session.state.isRunning, session.subscriber.authorization == .always,
      let first = session.outbox.first(where: {
        session.state == .suspended ? $0.trigger.wakes && !$0.isHanded : $0.trigger.relaunches
      }),
      obstacle(to: first.trigger, index, at: instant) == nil
    else { return }
    start(index, for: first.event, rule: rule, reason: reason, at: instant, into: &steps)
  }

  /// The subscriber acknowledged an event: it is done, and may let the subscriber be suspended.
  mutating func acknowledge(
    _ event: Int, _ index: Int, into steps: inout [PolicyStep], at instant: EngineInstant
  ) {
    update(index) {
      $0.outbox.removeAll { $0.event == event }
      $0.assertions.removeAll { $0 == .delivery(id: event) }
      $0.failures = 0
    }
    suspendIfIdle(index, at: instant, into: &steps)
  }
}

extension Session {
  /// A decision about this subscriber in its present state.
  func decision(
    _ action: Decision.Action, _ rule: Rule, _ reason: Decision.Reason, event: Int? = nil,
    after: SubscriberState? = nil
  ) -> Decision {
    Decision(
      subscriber: subscriber.name, action: action, rule: rule, before: state, after: after ?? state,
      event: event, reason: reason)
  }
}

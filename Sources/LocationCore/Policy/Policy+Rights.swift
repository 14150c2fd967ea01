/// What a subscriber asks for and what the user lets it know, as both change while it runs (rules B8 and B9).
extension Policy {
  /// The user changed when the subscriber may be told; what waits for a denied one is dropped.
  mutating func authorize(
    _ authorization: Subscriber.Authorization, _ index: Int, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    update(index) { $0.subscriber.authorization = authorization }
    switch authorization {
    case .denied:
      dropWaiting(index, .denied, into: &steps)
      update(index) { $0.standard.request = nil }
    case .whenInUse: update(index) { $0.standard.batch = nil }
    case .always: redeliver(index, rule: .authorization, reason: .kept, at: instant, into: &steps)
    }
  }

  /// The user changed how exactly the subscriber may be told; what waits and says more is dropped.
  mutating func limit(
    _ accuracy: Subscriber.AccuracyAuthorization, _ index: Int, into steps: inout [PolicyStep]
  ) {
    guard accuracy != sessions[index].subscriber.accuracy else { return }
    update(index) {
      $0.subscriber.accuracy = accuracy
      $0.owed = nil
    }
    guard accuracy == .reduced else { return }
    dropWaiting(index, .reduced, into: &steps)
    update(index) { $0.standard.request = nil }
  }

  /// The user changed whether anything else may wake or relaunch the subscriber.
  mutating func setBackgroundDelivery(
    _ isOn: Bool, _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    update(index) { $0.subscriber.backgroundDelivery = isOn }
    guard isOn else { return }
    redeliver(index, rule: .authorization, reason: .backgroundDeliveryOn, at: instant, into: &steps)
  }

  /// The subscriber asks for services. Where there is no source of fixes that fails at once (rule B9).
  mutating func startServices(
    _ services: Subscriber.Services, _ index: Int, into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    guard !lacksSource else {
      return steps.append(.decided(session.decision(.refuse, .availability, .noSource)))
    }
    if session.subscriber.authorization == .denied {
      steps.append(.decided(session.decision(.refuse, .authorization, .denied)))
    } else if session.subscriber.accuracy == .reduced, services.contains(.regions) {
      steps.append(.decided(session.decision(.refuse, .authorization, .reduced)))
    }
    update(index) {
      $0.subscriber.services.formUnion(services)
      // A request for one fix is part of what now begins.
      if services.contains(.standard) { $0.standard.request = nil }
    }
  }

  /// The subscriber asks for services no more. Updates that were kept back are delivered (rule B7).
  mutating func stopServices(
    _ services: Subscriber.Services, _ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    if services.contains(.standard), sessions[index].standard.batch != nil {
      flushUpdates(index, reason: .stopped, at: instant, into: &steps)
    }
    update(index) {
      $0.subscriber.services.subtract(services)
      if services.contains(.standard) { $0.standard.endProcess() }
    }
  }

  /// Drops what waits for a subscriber and has not been handed over.
  private mutating func dropWaiting(
    _ index: Int, _ reason: Decision.Reason, into steps: inout [PolicyStep]
  ) {
    for pending in sessions[index].outbox where !pending.isHanded {
      steps.append(.decided(sessions[index].decision(.drop, .authorization, reason, event: pending.event)))
    }
    update(index) {
      $0.outbox.removeAll { !$0.isHanded }
      $0.owed = nil
      $0.standard.batch = nil
    }
  }
}

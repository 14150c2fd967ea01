/// Rule B1: one update when the position has moved significantly. The distance and the window are measured by
/// ``SignificantChange``.
extension BackgroundMode {
  /// Rule B1.
  public static let significantChange = BackgroundMode(
    name: "significant change", kind: "significant-change", services: .significantChange,
    trigger: .significantChange)
}

extension Trigger {
  /// Rule B1.
  public static let significantChange = Trigger(
    rule: .significantChange, service: .significantChange, wakes: true, relaunches: true,
    afterForceQuit: .goesOn, budgetSeconds: 10, waiting: .upTo(Limits.outbox))
}

// MARK: - Each subscriber's own measure

extension Policy {
  /// Offers a significant change to those who have been handed all that the engine's measure has said. A subscriber
  /// that is not told measures for itself from then on, from what it was last handed.
  mutating func offerMove(
    event: Int, measuredBefore measure: SignificantChange, at instant: EngineInstant,
    into steps: inout [PolicyStep]
  ) {
    forEachSession { policy, index in
      let session = policy.sessions[index]
      guard session.subscriber.services.contains(.significantChange), session.wants(.move),
        session.significant == nil
      else { return }
      let isTold = policy.offerByAccuracy(
        event: event, trigger: .significantChange.of(.move), to: index, at: instant, into: &steps)
      if !isTold { policy.update(index) { $0.significant = measure } }
    }
  }

  /// Shows a fix to the measure of one subscriber; what it is to be told.
  mutating func measure(_ fix: Fix, _ index: Int) -> SignificantChange.Change? {
    guard sessions[index].mayKnowMoves, var measure = sessions[index].significant else { return nil }
    let change = measure.observe(fix)
    update(index) { $0.significant = measure }
    return change
  }

  /// The first significant change of a subscriber that has not been told any: the last fix, unless that is too old.
  mutating func firstMove(_ index: Int, last: Fix, at instant: EngineInstant) -> SignificantChange.Change? {
    guard sessions[index].mayKnowMoves, var measure = sessions[index].significant, !measure.hasDelivered,
      last.instant.seconds(to: instant) <= Self.freshSeconds
    else { return nil }
    let change = measure.deliver(last, at: instant, reason: .initial)
    update(index) { $0.significant = measure }
    return change
  }

  /// Tells a subscriber what waited for the end of its window.
  mutating func tellMove(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard sessions[index].mayKnowMoves, var measure = sessions[index].significant,
      let change = measure.advance(to: instant)
    else { return }
    update(index) { $0.significant = measure }
    steps.append(.changed(subscriber: sessions[index].subscriber.name, change))
  }

  /// Seconds from a fix to the first significant change it may be told as.
  private static var freshSeconds: Double { 60 }
}

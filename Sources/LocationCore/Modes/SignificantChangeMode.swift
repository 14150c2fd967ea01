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
    afterForceQuit: .goesOn, budget: .short, waiting: .upTo(Limits.outbox))
}

// MARK: - Each subscriber's own measure

extension Policy {
  /// Offers a significant change to those who have been handed all that the engine's measure has said. A subscriber
  /// that is not told measures for itself from then on, from what it was last handed.
  mutating func offerMove(event: Int, measuredBefore measure: SignificantChange, in turn: inout PolicyTurn) {
    forEachSession { policy, index in
      guard policy.sessions[index].subscriber.services.contains(.significantChange),
        policy.sessions[index].wants(.move), policy.sessions[index].significant == nil
      else { return }
      let isTold = policy.offerByAccuracy(
        event: event, trigger: .significantChange.of(.move), to: index, in: &turn)
      if isTold {
        policy.noteWaitingMove(event, index, measuredBefore: measure)
      } else {
        policy.noteUntold(index, measuredBefore: measure)
      }
    }
  }

  /// A subscriber was not told a move: it goes on measuring from what it was handed last. The move is not kept. Where
  /// its rights forbid it, the last fix is judged as soon as they permit it again (rule B8).
  mutating func noteUntold(_ index: Int, measuredBefore measure: SignificantChange?) {
    let mayKnow = sessions[index].mayKnowMoves
    update(index) {
      $0.significant = measure
      if mayKnow { $0.significant?.settle() } else { $0.significant?.skip() }
    }
  }

  /// Shows a fix to the measure of one subscriber; what it is to be told.
  mutating func measure(_ fix: Fix, _ index: Int) -> SignificantChange.Change? {
    guard var measure = sessions[index].significant else { return nil }
    guard sessions[index].mayKnowMoves else {
      update(index) { $0.significant?.skip() }
      return nil
    }
    let change = measure.observe(fix)
    update(index) {
      $0.significant = measure
      $0.awaitsFirstMove = false
    }
    return change
  }

  /// The first significant change of a subscriber that has not been told any: the last fix, or the next where that is
  /// too old.
  mutating func firstMove(_ index: Int, last: Fix, at instant: EngineInstant) -> SignificantChange.Change? {
    guard sessions[index].mayKnowMoves, var measure = sessions[index].significant, !measure.hasDelivered
    else {
      return nil
    }
    guard last.instant.seconds(to: instant) <= configuration.moves.freshSeconds else {
      let isTold =
        sessions[index].wants(.move) && !isDropped(.significantChange.of(.move), index, at: instant)
      if sessions[index].awaitsFirstMove != isTold { update(index) { $0.awaitsFirstMove = isTold } }
      return nil
    }
    let change = measure.deliver(last, at: instant, reason: .initial)
    update(index) { $0.significant = measure }
    return change
  }

  /// The window of a subscriber is over, and whether it is to be told a move has to be found out.
  func tellMove(_ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    guard session.mayKnowMoves, let due = session.significant?.nextDeadline, due <= turn.instant else {
      return
    }
    turn.steps.append(.changed(subscriber: session.subscriber.name))
  }

  /// What a subscriber whose window is over is to be told of the last fix; nil where it has not moved far enough.
  mutating func dueMove(_ index: Int, last: Fix, at instant: EngineInstant) -> SignificantChange.Change? {
    guard sessions[index].mayKnowMoves, var measure = sessions[index].significant else { return nil }
    let change = measure.judge(last, at: instant)
    update(index) { $0.significant = measure }
    return change
  }
}

extension Policy.Configuration {
  /// The number of rule B1, beside those by which moves are measured.
  public struct Moves: Hashable, Sendable, Codable, Blank {
    /// Seconds from a fix to the first significant change it may be told as.
    public var freshSeconds = 60.0

    public init() {}
  }
}

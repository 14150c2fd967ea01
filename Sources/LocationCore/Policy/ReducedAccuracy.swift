/// Rule B8 for who may know no more than a coarse position: the middle of a ``ReducedCell``, at most one in 15
/// minutes, and no regions.
enum ReducedAccuracy {
  /// Seconds from one coarse position to the next: four an hour.
  static let leastSeconds = 900.0
}

extension Session {
  /// A coarse position that a subscriber is to be told.
  struct Owed: Hashable, Sendable, Codable {
    /// What it is told for.
    var trigger: Trigger
    /// The visit it is about; nil where it is about where the position is.
    var visit: VisitEvent?
  }

  /// Whether a coarse position may be told at `instant`.
  func mayTellReduced(at instant: EngineInstant) -> Bool {
    guard let reducedAt else { return true }
    return reducedAt.seconds(to: instant) >= ReducedAccuracy.leastSeconds
  }
}

extension Policy {
  /// Offers a coarse position to a subscriber, now or as soon as the next may be told. The latest visit goes before
  /// all else: it tells where the position is too.
  mutating func offerReduced(
    _ owed: Session.Owed, event: Int, to index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]
  ) {
    let session = sessions[index]
    switch session.subscriber.authorization {
    case .denied:
      return steps.append(.decided(session.decision(.refuse, .authorization, .denied, event: event)))
    case .whenInUse where !session.state.isRunning:
      return steps.append(.decided(session.decision(.refuse, .authorization, .needsAlways, event: event)))
    case .whenInUse, .always: break
    }
    if session.mayTellReduced(at: instant) {
      update(index) {
        $0.reducedAt = instant
        $0.owed = nil
      }
      return steps.append(.reduced(subscriber: session.subscriber.name, owed))
    }
    steps.append(.decided(session.decision(.coalesce, .authorization, .reducedWindow, event: event)))
    update(index) { if $0.owed?.visit == nil || owed.visit != nil { $0.owed = owed } }
  }

  /// Tells what waited until the next coarse position may be told.
  mutating func tellOwed(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard let owed = sessions[index].owed, sessions[index].mayTellReduced(at: instant) else { return }
    update(index) {
      $0.owed = nil
      $0.reducedAt = instant
    }
    steps.append(.reduced(subscriber: sessions[index].subscriber.name, owed))
  }
}

extension VisitEvent {
  /// As it is told to who may know no more than the cell of the place.
  var reduced: VisitEvent {
    let cell = ReducedCell(coordinate)
    var event = self
    event.coordinate = cell.middle
    event.radiusMeters = cell.accuracy.radiusMeters
    return event
  }
}

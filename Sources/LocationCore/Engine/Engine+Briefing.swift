/// What a subscriber is told at its start that could be told nothing before (rule L1): which of its regions the position
/// is in, and a first significant change.
extension Engine {
  /// Tells it. What that leads to is appended to the steps.
  mutating func brief(_ name: String, into effects: inout [Effect]) {
    guard let index = state.policy.index(of: name) else { return }
    for event in regionStates(for: state.policy.sessions[index]) {
      state.tally.regions.count(event.kind)
      let id = record(.region(event), at: utc(at: event.instant), into: &effects)
      state.policy.offerByAccuracy(event: id, trigger: .region, region: event.region, to: index, in: &turn)
    }
    let session = state.policy.sessions[index]
    // After a boot it may be a move that starts it.
    let knowsMove = session.outbox.contains { $0.trigger.row == .significantChange }
    if session.state.isForeground || !knowsMove { beginMeasure(index, into: &effects) }
    state.policy.refreshDeadline()
  }

  /// Has a subscriber measure significant changes anew: the first is told now, or with the next fix (rule B1).
  private mutating func beginMeasure(_ index: Int, into effects: inout [Effect]) {
    let measure = newMeasure
    state.policy.update(index) { $0.significant = measure }
    guard !state.policy.isAbsent, let last = state.gate.last,
      let change = state.policy.firstMove(index, last: last, at: state.instant)
    else { return }
    offer(change, to: index, measure, into: &effects)
  }

  /// The states of the regions that a subscriber names; where it names none, of those that the position is in. None
  /// where it may not know, or chose other events.
  private func regionStates(for session: Session) -> [RegionEvent] {
    let subscriber = session.subscriber
    guard subscriber.services.contains(.regions), subscriber.accuracy == .full,
      session.locationObjection == nil, subscriber.filter?.kinds == nil
    else { return [] }
    let ids = subscriber.regions.map { Set($0).sorted() } ?? regionsInside
    return ids.compactMap { id in
      guard let state = regionState(id), state != .unknown else { return nil }
      return RegionEvent(
        .state(state), of: id, visit: 0, at: self.state.instant, last: self.state.gate.last, .launched)
    }
  }
}

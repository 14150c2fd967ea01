/// What the engine makes of visits.
extension Engine {
  /// Records what the visit monitor found, and offers arrivals and departures to those who asked for them.
  mutating func recordVisitEvents(into effects: inout [Effect]) {
    for event in visitEvents {
      let id = takeID()
      let kind: EventKind
      switch event.kind {
      case .provisional:
        guard configuration.explains else { continue }
        effects.append(.record(Record(id: id, time: utc(at: event.instant), body: .visit(event))))
        continue
      case .arrive:
        state.tally.arrivals += 1
        kind = .arrive
      case .depart:
        state.tally.departures += 1
        kind = .leave
      }
      effects.append(.record(Record(id: id, time: utc(at: event.instant), body: .visit(event))))
      // At the end of the stream nothing happened that anybody should be woken for.
      guard hasSubscribers, event.reason != .end else { continue }
      state.policy.offer(
        event: id, trigger: .visit.of(kind), visit: event, at: state.instant, into: &steps)
      recordSteps(into: &effects)
    }
    visitEvents = []
  }

  /// Closes the visit under way at the end of the stream.
  mutating func endVisit(into effects: inout [Effect]) {
    state.visits.finish(at: state.instant, into: &visitEvents)
    recordVisitEvents(into: &effects)
  }
}

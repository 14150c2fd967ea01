/// What the engine makes of visits.
extension Engine {
  /// Records what the visit monitor found, and offers arrivals and departures to those who asked for them.
  mutating func recordVisitEvents(into effects: inout [Effect]) {
    for event in visitEvents {
      let kind: EventKind
      switch event.kind {
      case .provisional:
        if configuration.explains {
          record(.visit(event), at: utc(at: event.instant), into: &effects)
        } else {
          _ = takeID()
        }
        continue
      case .arrive: kind = .arrive
      case .depart: kind = .leave
      }
      let id = recordVisit(event, at: utc(at: event.instant), into: &effects)
      // At the end of the stream nothing happened that anybody should be woken for.
      guard hasSubscribers, event.reason != .end else { continue }
      state.policy.offer(event: id, trigger: .visit.of(kind), visit: event, in: &turn)
      recordSteps(into: &effects)
    }
    visitEvents = []
  }

  /// Records an arrival or a departure, and counts it; the id of the record.
  mutating func recordVisit(_ event: VisitEvent, at time: UTCTime, into effects: inout [Effect]) -> Int {
    switch event.kind {
    case .arrive: state.tally.arrivals += 1
    case .depart: state.tally.departures += 1
    case .provisional: break
    }
    return record(.visit(event), at: time, into: &effects)
  }

  /// Closes the visit under way at the end of the stream.
  mutating func endVisit(into effects: inout [Effect]) {
    state.visits.finish(at: state.instant, into: &visitEvents)
    recordVisitEvents(into: &effects)
  }
}

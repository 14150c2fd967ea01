/// What the engine makes of standard updates (rules B2, B3, B6, B7 and B8).
extension Engine {
  /// Offers a fix to those who get standard updates. It is judged by where they stood when it came: what else it may
  /// wake them for comes after.
  mutating func offerUpdates(of fix: Fix, into effects: inout [Effect]) {
    state.policy.observe(fix, at: state.instant, into: &takers)
    guard !takers.isEmpty else { return }
    // One record for all who are told the same.
    var shared: Int?
    for taker in takers {
      let name = state.policy.sessions[taker.index].subscriber.name
      switch taker.what {
      case .update:
        let id = shared ?? record(LocationUpdate(fix, .update), time: fix.time, into: &effects)
        shared = id
        let moves = configuration.significant
        state.policy.update(taker.index) { $0.advice.note(fix, moves) }
        state.policy.offerUpdate(event: id, fix, to: taker.index, in: &turn)
      case .answer(let fix, let reason): tell(name, fix, reason, into: &effects)
      case .pause(let reason): record(name, pauses: true, reason, to: taker.index, at: fix, into: &effects)
      case .resume(let reason): record(name, pauses: false, reason, to: taker.index, at: fix, into: &effects)
      case .reduced(let trigger):
        let owed = Session.Owed(trigger: trigger, visit: nil)
        state.policy.offerReduced(owed, event: nextID, to: taker.index, in: &turn)
      }
      recordSteps(into: &effects)
    }
    takers.removeAll(keepingCapacity: true)
  }

  /// Tells one subscriber a fix it has asked for.
  mutating func tell(
    _ name: String, _ fix: Fix, _ reason: LocationUpdate.Reason, into effects: inout [Effect]
  ) {
    guard let index = state.policy.index(of: name) else { return }
    let id = record(LocationUpdate(fix, reason), time: utc(at: state.instant), into: &effects)
    if !state.policy.offer(event: id, trigger: .standard, to: index, in: &turn),
      case .decided(let decision)? = turn.steps.last
    {
      state.policy.refuseRequest(index, decision.rule, decision.reason, in: &turn)
    }
    // An answer that suspension waits for.
    state.policy.suspendIfIdle(index, in: &turn)
    state.policy.refreshDeadline()
  }

  /// Tells one subscriber a coarse position. One that waited is not told if it is the same as the last (rule B1).
  ///
  /// - Parameter before: When the last one was told.
  mutating func tell(
    _ name: String, _ owed: Session.Owed, before: EngineInstant?, into effects: inout [Effect]
  ) {
    guard let index = state.policy.index(of: name), let last = state.gate.last else { return }
    let cell = ReducedCell(owed.visit?.coordinate ?? last.coordinate)
    // A direct one has no event that it stands for.
    if owed.event != nil, owed.visit == nil, cell == state.policy.sessions[index].reducedCell {
      return state.policy.dropUnmoved(owed, before: before, index, in: &turn)
    }
    let instant = state.instant
    state.policy.update(index) {
      $0.reducedCell = cell
      // It measures from what it is told now, not from the move that waited.
      guard owed.visit == nil, var measure = owed.measure else { return }
      _ = measure.deliver(last, at: instant, reason: .window)
      $0.significant = measure
    }
    let time = utc(at: state.instant)
    let id =
      if let visit = owed.visit {
        recordVisit(visit.reduced, at: time, into: &effects)
      } else {
        record(LocationUpdate(cell), time: time, into: &effects)
      }
    state.policy.offer(event: id, trigger: owed.trigger, isCoarse: true, to: index, in: &turn)
    state.policy.refreshDeadline()
  }

  private mutating func record(
    _ name: String, pauses: Bool, _ reason: PauseEvent.Reason, to index: Int, at fix: Fix,
    into effects: inout [Effect]
  ) {
    let event = PauseEvent(subscriber: name, pauses: pauses, reason: reason)
    if pauses { state.tally.pauses += 1 } else { state.tally.resumes += 1 }
    let id = record(.pause(event), at: fix.time, into: &effects)
    state.policy.offerPause(event: id, to: index, in: &turn)
  }

  private mutating func record(
    _ update: LocationUpdate, time: UTCTime, into effects: inout [Effect]
  ) -> Int {
    state.tally.locations += 1
    return record(.location(update), at: time, into: &effects)
  }

  /// Who could have had as much for less so far (rule B10).
  public var advice: [Advice] {
    let entries = state.ledger.settled(at: state.instant).entries
    return state.policy.sessions.compactMap { session in
      let joules = entries.reduce(0.0) { sum, entry in
        let isMeant = entry.rule == .standard || entry.rule == .backgroundLocation
        return entry.subscriber == session.subscriber.name && isMeant ? sum + entry.joules : sum
      }
      return session.advice.conclusion(for: session.subscriber, joules: joules)
    }
  }

  /// Tells that at the end.
  mutating func advise(into effects: inout [Effect]) {
    for advice in advice { record(.advice(advice), at: utc(at: state.instant), into: &effects) }
  }
}

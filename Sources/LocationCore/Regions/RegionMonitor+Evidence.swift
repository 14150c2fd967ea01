extension RegionMonitor {
  /// Updates the evidence about one active region and reports what that changes. The record may be gone afterwards.
  mutating func updateEvidence(at place: Int, _ fix: RegionFix, into events: inout [RegionEvent]) {
    let slot = evidence.slot(place)
    if configuration.rule == .plain {
      evidence.setActive(place, false)
      let edge = catalog.roughEdgeMeters(slot, at: fix.coordinate, in: neighbors.plane)
      return decide(place, fix, edge, into: &events)
    }
    let sigma = fix.sigmaMeters * RegionConfiguration.depthFactor(catalog[slot].terms.sensitivity)
    let (edge, isExact) = edgeMeters(slot, place, fix, sigma)
    var probe = RegionProbe(
      instant: fix.instant, edgeMeters: edge, sigmaMeters: sigma, attainableMeters: .infinity)
    if evidence[place].asksAttainable(probe, by: configuration) {
      probe.attainableMeters = catalog[slot].shape.attainableDepthMeters(
        at: fix.coordinate, edgeMeters: edge,
        reachMeters: configuration.attainableReachSigmas * sigma,
        leastMeters: Accuracy.sigmasIn68Percent * sigma,
        enoughMeters: evidence[place].enoughMeters(probe, by: configuration))
    }
    if case .unknown(let first) = evidence[place] {
      updateFirst(place, first, fix, probe, into: &events)
    } else if let reason = evidence[place].update(probe, by: configuration) {
      let edge = isExact ? edge : catalog[slot].shape.edgeMeters(at: fix.coordinate)
      transition(place, fix, edge, reason, into: &events)
    }
    emitOverdueDwell(place, fix, into: &events)
    if !departures.isEmpty { emitOverdueExit(place, fix, into: &events) }
    if notifies(slot, .cross) { followApproach(slot, fix, edge, into: &events) }
    if evidence[place].comesToRest(probe, by: configuration) { evidence.rest(place, at: fix.instant) }
  }

  /// Metres to a region's edge; a bound of them where it is all the same how far beyond it the edge is.
  @inline(__always)
  private mutating func edgeMeters(
    _ slot: RegionSlot, _ place: Int, _ fix: RegionFix, _ sigma: Double
  ) -> (meters: Double, isExact: Bool) {
    if evidence[place].state != .unknown, !notifies(slot, .cross) {
      let bound = catalog.boundMeters(slot, at: fix.coordinate, in: neighbors.plane)
      if abs(bound) > configuration.decidedSigmas * sigma { return (bound, false) }
    }
    return (catalog[slot].shape.edgeMeters(at: fix.coordinate), true)
  }

  /// Decides by the side of the edge on which a fix lies: the plain rule.
  mutating func decide(
    _ place: Int, _ fix: RegionFix, _ edge: Double, into events: inout [RegionEvent]
  ) {
    switch evidence[place].state {
    case .inside: if edge > 0 { transition(place, fix, edge, .plain, into: &events) }
    case .outside: if edge <= 0 { transition(place, fix, edge, .plain, into: &events) }
    case .unknown:
      var none = Counterevidence(at: fix.instant, by: configuration)
      none.settledMean = 0
      find(edge > 0 ? .outside : .inside, place, none, fix, edge, into: &events)
      evidence.noteRest(place, at: fix.instant)
    }
  }

  private mutating func updateFirst(
    _ place: Int, _ first: FirstFixes, _ fix: RegionFix, _ probe: RegionProbe,
    into events: inout [RegionEvent]
  ) {
    var first = first
    let probability = catalog[evidence.slot(place)].shape.probabilityInside(
      at: fix.coordinate, edgeMeters: probe.edgeMeters, sigmaMeters: fix.sigmaMeters)
    let found = first.update(probe, probabilityInside: probability, by: configuration)
    guard let found else {
      evidence[place] = .unknown(first)
      return
    }
    let against = Counterevidence(finding: probe, by: configuration)
    find(found, place, against, fix, probe.edgeMeters, into: &events)
  }

  /// Takes the first state and reports what the region asks to hear of it.
  private mutating func find(
    _ state: RegionState, _ place: Int, _ against: Counterevidence, _ fix: RegionFix, _ edgeMeters: Double,
    into events: inout [RegionEvent]
  ) {
    let slot = evidence.slot(place)
    if state == .inside {
      beginVisit(place, number: 1, against, at: fix.instant)
      neighbors.record(slot, isInside: true)
    } else {
      evidence[place] = .outside(against, visits: 0)
    }
    switch catalog[slot].terms.initial {
    case .silent: break
    case .state: append(.state(state), place, fix, edgeMeters, .initial, into: &events)
    case .event:
      guard state == .inside, notifies(slot, .enter) else { return }
      append(.enter, place, fix, edgeMeters, .initial, into: &events)
    }
  }

  /// Takes the other state and reports it.
  private mutating func transition(
    _ place: Int, _ fix: RegionFix, _ edgeMeters: Double, _ reason: RegionEvent.Reason,
    into events: inout [RegionEvent]
  ) {
    let slot = evidence.slot(place)
    switch evidence[place] {
    case .unknown: break
    case .outside(var against, let visits):
      against.noteTransition(by: configuration)
      neighbors.record(slot, isInside: true)
      beginVisit(place, number: visits &+ 1, against, at: fix.instant)
      if notifies(slot, .enter) { append(.enter, place, fix, edgeMeters, reason, into: &events) }
    case .departed(var against, let visit):
      // Came back before the exit was reported: the visit goes on.
      against.noteTransition(by: configuration)
      neighbors.record(slot, isInside: true)
      evidence[place] = .inside(against, visit)
      departures.removeAll { $0.slot == slot }
      clocks.remove(slot: slot, kind: .exit)
    case .inside(var against, let visit):
      against.noteTransition(by: configuration)
      neighbors.record(slot, isInside: false)
      evidence[place] = .departed(against, visit)
      leave(place, visit, fix, edgeMeters, reason, into: &events)
    }
  }

  private mutating func leave(
    _ place: Int, _ visit: RegionVisit, _ fix: RegionFix, _ edgeMeters: Double, _ reason: RegionEvent.Reason,
    into events: inout [RegionEvent]
  ) {
    let slot = evidence.slot(place)
    let delay = catalog[slot].terms.exitDelaySeconds
    if delay > 0 {
      let confidence = confidence(place, fix, edgeMeters)
      departures.append(
        RegionDeparture(slot: slot, fix: fix, edgeMeters: edgeMeters, confidence: confidence))
      let due = fix.instant.advanced(bySeconds: delay)
      clocks.set(RegionClock(due: due, region: catalog[slot].terms.id, slot: slot, kind: .exit))
      return
    }
    if notifies(slot, .exit) {
      append(.exit, place, fix, edgeMeters, reason, since: visit.enteredAt, into: &events)
    }
    endVisit(place, at: fix.instant)
  }

  // These few change nothing and must be inlined: to call them the whole monitor would be copied.

  @inline(__always) func notifies(_ slot: RegionSlot, _ kind: Region.Notify) -> Bool {
    catalog[slot].terms.notify.contains(kind)
  }

  private mutating func beginVisit(
    _ place: Int, number: Int32, _ against: Counterevidence, at instant: EngineInstant
  ) {
    let slot = evidence.slot(place)
    evidence[place] = .inside(
      against, RegionVisit(number: number, enteredAt: instant, dwellIsReported: false))
    if notifies(slot, .dwell) {
      let due = instant.advanced(bySeconds: catalog[slot].terms.dwellSeconds)
      clocks.set(RegionClock(due: due, region: catalog[slot].terms.id, slot: slot, kind: .dwell))
    }
  }

  /// Ends the visit of a region that was left; the visit.
  @discardableResult
  mutating func endVisit(_ place: Int, at instant: EngineInstant) -> RegionVisit? {
    guard case .departed(let against, let visit) = evidence[place] else { return nil }
    let slot = evidence.slot(place)
    evidence[place] = .outside(against, visits: visit.number)
    if notifies(slot, .dwell) { clocks.remove(slot: slot, kind: .dwell) }
    evidence.noteRest(place, at: instant)
    return visit
  }

  /// Reports a dwell, unless a fix all but rules out that the position is inside; whether it was reported.
  mutating func tellDwell(
    _ place: Int, _ fix: RegionFix, since enteredAt: EngineInstant, into events: inout [RegionEvent]
  ) -> Bool {
    let edge = catalog[evidence.slot(place)].shape.edgeMeters(at: fix.coordinate)
    guard confidence(place, fix, edge) >= Self.leastDwellConfidence else { return false }
    append(.dwell, place, fix, edge, .dwelled, since: enteredAt, into: &events)
    return true
  }

  /// The least probability, by one fix, of being inside with which a dwell is told: about 1.3 standard deviations beyond
  /// the edge. Our choice.
  private static var leastDwellConfidence: Double { 0.1 }

  /// Reports a dwell that was put off for evidence of leaving, once a fix speaks for the stay.
  private mutating func emitOverdueDwell(
    _ place: Int, _ fix: RegionFix, into events: inout [RegionEvent]
  ) {
    guard case .inside(let against, var visit) = evidence[place], visit.dwellIsOverdue,
      !against.isPending, tellDwell(place, fix, since: visit.enteredAt, into: &events)
    else { return }
    visit.dwellIsOverdue = false
    visit.dwellIsReported = true
    evidence[place] = .inside(against, visit)
  }

  /// The probability, by one fix, of a region's recorded state; the plain rule has no doubts.
  @inline(__always)
  private func confidence(_ place: Int, _ fix: RegionFix, _ edgeMeters: Double) -> Double {
    if configuration.rule == .plain { return 1 }
    let inside = catalog[evidence.slot(place)].shape.probabilityInside(
      at: fix.coordinate, edgeMeters: edgeMeters, sigmaMeters: fix.sigmaMeters)
    return evidence[place].state == .inside ? inside : 1 - inside
  }

  /// Appends an event of a fix.
  mutating func append(
    _ kind: RegionEvent.Kind, _ place: Int, _ fix: RegionFix, _ edgeMeters: Double,
    _ reason: RegionEvent.Reason, since enteredAt: EngineInstant? = nil, into events: inout [RegionEvent]
  ) {
    events.append(
      RegionEvent(
        kind: kind, region: catalog[evidence.slot(place)].terms.id, visit: Int(evidence[place].visits),
        instant: fix.instant, coordinate: fix.coordinate, accuracy: fix.accuracy, edgeMeters: edgeMeters,
        confidence: confidence(place, fix, edgeMeters), reason: reason,
        insideSeconds: enteredAt.map { $0.seconds(to: fix.instant) }))
  }
}

extension Counterevidence {
  /// Whether some fixes in a row are against the state.
  @inline(__always) var isPending: Bool { heldRun > 0 || clearRun > 0 }
}

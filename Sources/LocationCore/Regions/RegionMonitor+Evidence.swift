extension RegionMonitor {
  /// Weighs a fix for one active region and tells what it changes.
  mutating func weigh(_ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]) {
    if configuration.rule == .plain { return weighPlainly(slot, fix, into: &events) }
    let (edge, isExact) = edgeMeters(slot, fix)
    var look = RegionProbe(
      instant: fix.instant, edgeMeters: edge, sigmaMeters: fix.sigmaMeters, attainableMeters: .infinity)
    if cells[Int(slot)].track.asksAttainable(look, by: configuration) {
      look.attainableMeters = cells[Int(slot)].shape.attainableDepthMeters(
        at: fix.coordinate, edgeMeters: edge,
        reachMeters: configuration.attainableReachSigmas * fix.sigmaMeters,
        enoughMeters: cells[Int(slot)].track.enoughMeters(look, by: configuration))
    }
    if cells[Int(slot)].track.state == .unknown {
      weighFirst(slot, fix, look, into: &events)
    } else if let reason = cells[Int(slot)].track.weigh(look, by: configuration) {
      let edge = isExact ? edge : cells[Int(slot)].shape.edgeMeters(at: fix.coordinate)
      turn(slot, fix, edge, reason, into: &events)
    }
    emitOverdueDwell(slot, fix, into: &events)
    if notifies(slot, .cross) { followApproach(slot, fix, edge, into: &events) }
    if cells[Int(slot)].track.state != .unknown, cells[Int(slot)].track.comesToRest(look, by: configuration) {
      cells[Int(slot)].track.isActive = false
    }
  }

  /// Metres to a region's edge; a bound of them where it is all the same how far beyond it the edge is.
  @inline(__always)
  private mutating func edgeMeters(_ slot: Int32, _ fix: RegionFix) -> (meters: Double, isExact: Bool) {
    // A circle's edge takes no longer to measure.
    if cells[Int(slot)].outline != nil, cells[Int(slot)].track.state != .unknown, !notifies(slot, .cross) {
      let bound = index.rings[Int(slot)].boundMeters(at: fix.coordinate, in: neighborhood.plane)
      if abs(bound) > configuration.decidedSigmas * fix.sigmaMeters { return (bound, false) }
    }
    return (cells[Int(slot)].shape.edgeMeters(at: fix.coordinate), true)
  }

  private mutating func weighPlainly(_ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]) {
    cells[Int(slot)].track.isActive = false
    decide(slot, fix, roughEdgeMeters(slot, at: fix.coordinate), into: &events)
  }

  /// Takes the side of the edge on which a fix lies.
  mutating func decide(
    _ slot: Int32, _ fix: RegionFix, _ edge: Double, into events: inout [RegionEvent]
  ) {
    switch cells[Int(slot)].track.state {
    case .inside: if edge > 0 { turn(slot, fix, edge, .plain, into: &events) }
    case .outside: if edge <= 0 { turn(slot, fix, edge, .plain, into: &events) }
    case .unknown: find(edge > 0 ? .outside : .inside, slot, fix, edge, into: &events)
    }
  }

  private mutating func weighFirst(
    _ slot: Int32, _ fix: RegionFix, _ look: RegionProbe, into events: inout [RegionEvent]
  ) {
    let inside = cells[Int(slot)].shape.probabilityInside(
      at: fix.coordinate, edgeMeters: look.edgeMeters, sigmaMeters: fix.sigmaMeters)
    if let state = cells[Int(slot)].track.weighFirst(look, probabilityInside: inside, by: configuration) {
      find(state, slot, fix, look.edgeMeters, into: &events)
    }
  }

  /// Takes the first state and tells what the region asks to hear of it.
  private mutating func find(
    _ state: RegionState, _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double,
    into events: inout [RegionEvent]
  ) {
    cells[Int(slot)].track.state = state
    if state == .inside {
      beginVisit(slot, at: fix.instant)
      neighborhood.record(slot, isInside: true)
    }
    switch cells[Int(slot)].terms.initial {
    case .silent: break
    case .state: append(.state(state), slot, fix, edgeMeters, .initial, into: &events)
    case .event:
      guard state == .inside, notifies(slot, .enter) else { return }
      append(.enter, slot, fix, edgeMeters, .initial, into: &events)
    }
  }

  /// Takes the other state and tells of it.
  mutating func turn(
    _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double, _ reason: RegionEvent.Reason,
    into events: inout [RegionEvent]
  ) {
    cells[Int(slot)].track.turn(by: configuration)
    neighborhood.record(slot, isInside: cells[Int(slot)].track.state == .inside)
    if cells[Int(slot)].track.state == .inside {
      enter(slot, fix, edgeMeters, reason, into: &events)
    } else {
      leave(slot, fix, edgeMeters, reason, into: &events)
    }
  }

  private mutating func enter(
    _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double, _ reason: RegionEvent.Reason,
    into events: inout [RegionEvent]
  ) {
    if let held = departures.firstIndex(where: { $0.slot == slot }) {
      // Came back before the exit was told: the visit goes on.
      departures.remove(at: held)
      clocks.remove(slot: slot, kind: .exit)
      inside.append(slot)
      return
    }
    beginVisit(slot, at: fix.instant)
    if notifies(slot, .enter) { append(.enter, slot, fix, edgeMeters, reason, into: &events) }
  }

  private mutating func leave(
    _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double, _ reason: RegionEvent.Reason,
    into events: inout [RegionEvent]
  ) {
    if let place = inside.firstIndex(of: slot) {
      inside[place] = inside[inside.count - 1]
      inside.removeLast()
    }
    let delay = cells[Int(slot)].terms.exitDelaySeconds
    if delay > 0 {
      let confidence = confidence(slot, fix, edgeMeters)
      departures.append(
        RegionDeparture(slot: slot, fix: fix, edgeMeters: edgeMeters, confidence: confidence))
      let due = fix.instant.advanced(bySeconds: delay)
      clocks.set(RegionClock(due: due, region: cells[Int(slot)].terms.id, slot: slot, kind: .exit))
      return
    }
    endVisit(slot)
    if notifies(slot, .exit) { append(.exit, slot, fix, edgeMeters, reason, into: &events) }
  }

  // These few change nothing and must be inlined: to call them the whole monitor would be copied.

  @inline(__always) func notifies(_ slot: Int32, _ kind: Region.Notify) -> Bool {
    cells[Int(slot)].terms.notify.contains(kind)
  }

  private mutating func beginVisit(_ slot: Int32, at instant: EngineInstant) {
    inside.append(slot)
    cells[Int(slot)].track.visit &+= 1
    cells[Int(slot)].track.enteredAt = instant
    if notifies(slot, .dwell) {
      let due = instant.advanced(bySeconds: cells[Int(slot)].terms.dwellSeconds)
      clocks.set(RegionClock(due: due, region: cells[Int(slot)].terms.id, slot: slot, kind: .dwell))
    }
  }

  mutating func endVisit(_ slot: Int32) {
    cells[Int(slot)].track.dwellIsOverdue = false
    if notifies(slot, .dwell) { clocks.remove(slot: slot, kind: .dwell) }
  }

  /// Tells of a dwell that was put off while evidence of leaving was pending, once that has gone.
  private mutating func emitOverdueDwell(
    _ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]
  ) {
    guard cells[Int(slot)].track.dwellIsOverdue, !leavingIsPending(slot) else { return }
    cells[Int(slot)].track.dwellIsOverdue = false
    let edge = cells[Int(slot)].shape.edgeMeters(at: fix.coordinate)
    append(.dwell, slot, fix, edge, .dwelled, into: &events)
  }

  @inline(__always) func leavingIsPending(_ slot: Int32) -> Bool {
    cells[Int(slot)].track.state != .inside || cells[Int(slot)].track.heldRun > 0
      || cells[Int(slot)].track.clearRun > 0
  }

  /// The probability, by one fix, of a region's recorded state; the plain rule has no doubts.
  @inline(__always)
  private func confidence(_ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double) -> Double {
    if configuration.rule == .plain { return 1 }
    let inside = cells[Int(slot)].shape.probabilityInside(
      at: fix.coordinate, edgeMeters: edgeMeters, sigmaMeters: fix.sigmaMeters)
    return cells[Int(slot)].track.state == .inside ? inside : 1 - inside
  }

  /// Appends an event of a fix.
  mutating func append(
    _ kind: RegionEvent.Kind, _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double,
    _ reason: RegionEvent.Reason, into events: inout [RegionEvent]
  ) {
    let track = cells[Int(slot)].track
    events.append(
      RegionEvent(
        kind: kind, region: cells[Int(slot)].terms.id, visit: Int(track.visit), instant: fix.instant,
        coordinate: fix.coordinate, accuracy: fix.accuracy, edgeMeters: edgeMeters,
        confidence: confidence(slot, fix, edgeMeters), reason: reason,
        insideSeconds: kind == .exit ? track.enteredAt.seconds(to: fix.instant) : nil))
  }
}

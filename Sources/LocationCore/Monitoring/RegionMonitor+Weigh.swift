extension RegionMonitor {
  /// Weighs a fix for one active region and tells what it changes.
  mutating func weigh(_ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]) {
    let rule = configuration
    if rule.rule == .plain { return weighPlainly(slot, fix, into: &events) }
    let edge = shapes[Int(slot)].edgeMeters(at: fix.coordinate)
    var look = RegionLook(
      instant: fix.instant, edgeMeters: edge, sigmaMeters: fix.sigmaMeters, attainableMeters: .infinity)
    if tracks[Int(slot)].asksAttainable(look, by: rule) {
      look.attainableMeters = shapes[Int(slot)].attainableDepthMeters(
        at: fix.coordinate, edgeMeters: edge,
        reachMeters: rule.attainableReachSigmas * fix.sigmaMeters,
        enoughMeters: tracks[Int(slot)].enoughMeters(look, by: rule))
    }
    if tracks[Int(slot)].state == .unknown {
      weighFirst(slot, fix, look, into: &events)
    } else if let reason = tracks[Int(slot)].weigh(look, by: rule) {
      turn(slot, fix, edge, reason, into: &events)
    }
    emitOverdueDwell(slot, fix, into: &events)
    if notifies(slot, .cross) { followApproach(slot, fix, edge, into: &events) }
    if tracks[Int(slot)].state != .unknown, tracks[Int(slot)].comesToRest(look, by: rule) {
      tracks[Int(slot)].isActive = false
    }
  }

  /// Takes the side of the edge on which a fix lies.
  private mutating func weighPlainly(_ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]) {
    let edge = roughEdgeMeters(slot, at: fix.coordinate)
    tracks[Int(slot)].isActive = false
    switch tracks[Int(slot)].state {
    case .inside: if edge > 0 { turn(slot, fix, edge, .plain, into: &events) }
    case .outside: if edge <= 0 { turn(slot, fix, edge, .plain, into: &events) }
    case .unknown: find(edge > 0 ? .outside : .inside, slot, fix, edge, into: &events)
    }
  }

  private mutating func weighFirst(
    _ slot: Int32, _ fix: RegionFix, _ look: RegionLook, into events: inout [RegionEvent]
  ) {
    let inside = shapes[Int(slot)].probabilityInside(
      at: fix.coordinate, edgeMeters: look.edgeMeters, sigmaMeters: fix.sigmaMeters)
    if let state = tracks[Int(slot)].weighFirst(look, probabilityInside: inside, by: configuration) {
      find(state, slot, fix, look.edgeMeters, into: &events)
    }
  }

  /// Takes the first state and tells what the region asks to hear of it.
  private mutating func find(
    _ state: RegionState, _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double,
    into events: inout [RegionEvent]
  ) {
    tracks[Int(slot)].state = state
    if state == .inside {
      beginVisit(slot, at: fix.instant)
      neighborhood.record(slot, isInside: true)
    }
    switch terms[Int(slot)].initial {
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
    tracks[Int(slot)].turn(by: configuration)
    neighborhood.record(slot, isInside: tracks[Int(slot)].state == .inside)
    if tracks[Int(slot)].state == .inside {
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
    let delay = terms[Int(slot)].exitDelaySeconds
    if delay > 0 {
      let confidence = confidence(slot, fix, edgeMeters)
      departures.append(
        RegionDeparture(slot: slot, fix: fix, edgeMeters: edgeMeters, confidence: confidence))
      let due = fix.instant.advanced(bySeconds: delay)
      clocks.set(RegionClock(due: due, region: terms[Int(slot)].id, slot: slot, kind: .exit))
      return
    }
    endVisit(slot)
    if notifies(slot, .exit) { append(.exit, slot, fix, edgeMeters, reason, into: &events) }
  }

  // These few change nothing and must be inlined: to call them the whole monitor would be copied.

  @inline(__always) func notifies(_ slot: Int32, _ kind: Region.Notify) -> Bool {
    terms[Int(slot)].notify.contains(kind)
  }

  private mutating func beginVisit(_ slot: Int32, at instant: EngineInstant) {
    inside.append(slot)
    tracks[Int(slot)].visit &+= 1
    tracks[Int(slot)].enteredAt = instant
    if notifies(slot, .dwell) {
      let due = instant.advanced(bySeconds: terms[Int(slot)].dwellSeconds)
      clocks.set(RegionClock(due: due, region: terms[Int(slot)].id, slot: slot, kind: .dwell))
    }
  }

  mutating func endVisit(_ slot: Int32) {
    tracks[Int(slot)].dwellIsOverdue = false
    if notifies(slot, .dwell) { clocks.remove(slot: slot, kind: .dwell) }
  }

  /// Tells of a dwell that was put off while evidence of leaving was pending, once that has gone.
  private mutating func emitOverdueDwell(
    _ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]
  ) {
    guard tracks[Int(slot)].dwellIsOverdue, !leavingIsPending(slot) else { return }
    tracks[Int(slot)].dwellIsOverdue = false
    let edge = shapes[Int(slot)].edgeMeters(at: fix.coordinate)
    append(.dwell, slot, fix, edge, .dwelled, into: &events)
  }

  @inline(__always) func leavingIsPending(_ slot: Int32) -> Bool {
    tracks[Int(slot)].state != .inside || tracks[Int(slot)].heldRun > 0 || tracks[Int(slot)].clearRun > 0
  }

  /// The probability, by one fix, of a region's recorded state; the plain rule has no doubts.
  @inline(__always)
  private func confidence(_ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double) -> Double {
    if configuration.rule == .plain { return 1 }
    let inside = shapes[Int(slot)].probabilityInside(
      at: fix.coordinate, edgeMeters: edgeMeters, sigmaMeters: fix.sigmaMeters)
    return tracks[Int(slot)].state == .inside ? inside : 1 - inside
  }

  /// Appends an event of a fix.
  mutating func append(
    _ kind: RegionEvent.Kind, _ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double,
    _ reason: RegionEvent.Reason, into events: inout [RegionEvent]
  ) {
    let track = tracks[Int(slot)]
    events.append(
      RegionEvent(
        kind: kind, region: terms[Int(slot)].id, visit: Int(track.visit), instant: fix.instant,
        coordinate: fix.coordinate, accuracy: fix.accuracy, edgeMeters: edgeMeters,
        confidence: confidence(slot, fix, edgeMeters), reason: reason,
        insideSeconds: kind == .exit ? track.enteredAt.seconds(to: fix.instant) : nil))
  }
}

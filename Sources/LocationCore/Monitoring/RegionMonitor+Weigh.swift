extension RegionMonitor {
  /// Weighs a fix for one active region and tells what it changes.
  mutating func weigh(_ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]) {
    let shape = shapes[Int(slot)]
    let edge = shape.edgeMeters(at: fix.coordinate)
    let look = RegionLook(
      instant: fix.instant, edgeMeters: edge, sigmaMeters: fix.sigmaMeters,
      attainableMeters: shape.attainableDepthMeters(
        at: fix.coordinate, edgeMeters: edge,
        reachMeters: configuration.attainableReachSigmas * fix.sigmaMeters))
    if tracks[Int(slot)].state == .unknown {
      weighFirst(slot, fix, look, into: &events)
    } else if let reason = verdict(slot, look) {
      turn(slot, fix, look, reason, into: &events)
    }
    emitOverdueDwell(slot, fix, into: &events)
    if configuration.rule == .plain || tracks[Int(slot)].comesToRest(look, by: configuration) {
      tracks[Int(slot)].isActive = tracks[Int(slot)].state == .unknown
    }
  }

  private mutating func verdict(_ slot: Int32, _ look: RegionLook) -> RegionEvent.Reason? {
    switch configuration.rule {
    case .confident: tracks[Int(slot)].weigh(look, by: configuration)
    case .plain: (tracks[Int(slot)].state == .inside) == (look.edgeMeters > 0) ? .plain : nil
    }
  }

  private mutating func weighFirst(
    _ slot: Int32, _ fix: RegionFix, _ look: RegionLook, into events: inout [RegionEvent]
  ) {
    let inside: Double
    switch configuration.rule {
    case .plain: inside = look.edgeMeters > 0 ? 0 : 1
    case .confident: inside = probabilityInside(slot, fix, look.edgeMeters)
    }
    guard
      let found = tracks[Int(slot)].weighFirst(look, probabilityInside: inside, by: configuration),
      let region = regionsBySlot[Int(slot)]
    else { return }
    if found == .inside {
      beginVisit(slot, region, at: fix.instant)
      neighborhood.record(slot, isInside: true)
    }
    switch region.initial {
    case .silent: break
    case .state:
      append(.state(found), slot, region, fix, look.edgeMeters, .initial, into: &events)
    case .event:
      guard found == .inside, region.notify.contains(.enter) else { return }
      append(.enter, slot, region, fix, look.edgeMeters, .initial, into: &events)
    }
  }

  /// Takes the other state and tells of it.
  private mutating func turn(
    _ slot: Int32, _ fix: RegionFix, _ look: RegionLook, _ reason: RegionEvent.Reason,
    into events: inout [RegionEvent]
  ) {
    guard let region = regionsBySlot[Int(slot)] else { return }
    tracks[Int(slot)].turn(by: configuration)
    neighborhood.record(slot, isInside: tracks[Int(slot)].state == .inside)
    if tracks[Int(slot)].state == .inside {
      if let held = departures.firstIndex(where: { $0.slot == slot }) {
        // Came back before the exit was told: the visit goes on.
        departures.remove(at: held)
        clocks.remove(slot: slot, kind: .exit)
        inside.append(slot)
        return
      }
      beginVisit(slot, region, at: fix.instant)
      if region.notify.contains(.enter) {
        append(.enter, slot, region, fix, look.edgeMeters, reason, into: &events)
      }
      return
    }
    inside.removeAll { $0 == slot }
    if region.exitDelaySeconds > 0 {
      let confidence = 1 - probabilityInside(slot, fix, look.edgeMeters)
      departures.append(
        RegionDeparture(slot: slot, fix: fix, edgeMeters: look.edgeMeters, confidence: confidence))
      let due = fix.instant.advanced(bySeconds: region.exitDelaySeconds)
      clocks.set(RegionClock(due: due, region: region.id, slot: slot, kind: .exit))
      return
    }
    endVisit(slot)
    if region.notify.contains(.exit) {
      append(.exit, slot, region, fix, look.edgeMeters, reason, into: &events)
    }
  }

  private mutating func beginVisit(_ slot: Int32, _ region: Region, at instant: EngineInstant) {
    inside.append(slot)
    tracks[Int(slot)].visit &+= 1
    tracks[Int(slot)].enteredAt = instant
    if region.notify.contains(.dwell) {
      let due = instant.advanced(bySeconds: region.dwellSeconds)
      clocks.set(RegionClock(due: due, region: region.id, slot: slot, kind: .dwell))
    }
  }

  mutating func endVisit(_ slot: Int32) {
    tracks[Int(slot)].dwellIsOverdue = false
    clocks.remove(slot: slot, kind: .dwell)
  }

  /// Tells of a dwell that was put off while evidence of leaving was pending, once that has gone.
  private mutating func emitOverdueDwell(
    _ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]
  ) {
    guard tracks[Int(slot)].dwellIsOverdue, !leavingIsPending(slot), let region = regionsBySlot[Int(slot)]
    else { return }
    tracks[Int(slot)].dwellIsOverdue = false
    let edge = shapes[Int(slot)].edgeMeters(at: fix.coordinate)
    append(.dwell, slot, region, fix, edge, .dwelled, into: &events)
  }

  func leavingIsPending(_ slot: Int32) -> Bool {
    let track = tracks[Int(slot)]
    return track.state != .inside || track.heldRun > 0 || track.clearRun > 0
  }

  func probabilityInside(_ slot: Int32, _ fix: RegionFix, _ edgeMeters: Double) -> Double {
    shapes[Int(slot)].probabilityInside(
      at: fix.coordinate, edgeMeters: edgeMeters, sigmaMeters: fix.sigmaMeters)
  }

  /// Appends an event of a fix.
  mutating func append(
    _ kind: RegionEvent.Kind, _ slot: Int32, _ region: Region, _ fix: RegionFix, _ edgeMeters: Double,
    _ reason: RegionEvent.Reason, into events: inout [RegionEvent]
  ) {
    let track = tracks[Int(slot)]
    let probability = probabilityInside(slot, fix, edgeMeters)
    events.append(
      RegionEvent(
        kind: kind, region: region.id, visit: Int(track.visit), instant: fix.instant,
        coordinate: fix.coordinate, accuracy: fix.accuracy, edgeMeters: edgeMeters,
        confidence: track.state == .inside ? probability : 1 - probability, reason: reason,
        insideSeconds: kind == .exit ? track.enteredAt.seconds(to: fix.instant) : nil))
  }
}

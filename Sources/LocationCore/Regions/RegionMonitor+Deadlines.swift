extension RegionMonitor {
  /// When the next dwell or delayed exit is due; nil where none is.
  public var nextDeadline: EngineInstant? { clocks.isEmpty ? nil : clocks.nextDue }

  /// Fires every deadline due up to an instant, in order of due time and region id, each stamped with its
  /// due time.
  public mutating func advance(to instant: EngineInstant, into events: inout [RegionEvent]) {
    while clocks.nextDue <= instant, let clock = clocks.removeNext() {
      switch clock.kind {
      case .dwell: fireDwell(clock, into: &events)
      case .exit: fireExit(clock, into: &events)
      }
    }
  }

  private mutating func fireDwell(_ clock: RegionClock, into events: inout [RegionEvent]) {
    if leavingIsPending(clock.slot) {
      cells[Int(clock.slot)].track.dwellIsOverdue = true
      return
    }
    guard var fix = lastFix else { return }
    fix.instant = clock.due
    let edge = cells[Int(clock.slot)].shape.edgeMeters(at: fix.coordinate)
    append(.dwell, clock.slot, fix, edge, .dwelled, into: &events)
  }

  private mutating func fireExit(_ clock: RegionClock, into events: inout [RegionEvent]) {
    guard let held = departures.firstIndex(where: { $0.slot == clock.slot }) else { return }
    let departure = departures.remove(at: held)
    endVisit(clock.slot)
    guard cells[Int(clock.slot)].terms.notify.contains(.exit) else { return }
    let track = cells[Int(clock.slot)].track
    events.append(
      RegionEvent(
        kind: .exit, region: clock.region, visit: Int(track.visit), instant: clock.due,
        coordinate: departure.fix.coordinate, accuracy: departure.fix.accuracy,
        edgeMeters: departure.edgeMeters, confidence: departure.confidence, reason: .delayed,
        insideSeconds: track.enteredAt.seconds(to: departure.fix.instant)))
  }
}

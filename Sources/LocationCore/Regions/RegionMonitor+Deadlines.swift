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
    guard let place = evidence.place(of: clock.slot), var visit = evidence[place].visit else { return }
    var isTold = false
    if case .inside(let against, _) = evidence[place], !against.isPending {
      guard var fix = lastFix else { return }
      fix.instant = clock.due
      isTold = !awaitsFix && tellDwell(place, fix, since: visit.enteredAt, into: &events)
      // The next fix may tell more.
      if !isTold { evidence.setActive(place, true) }
    }
    if isTold { visit.dwellIsReported = true } else { visit.dwellIsOverdue = true }
    evidence[place].visit = visit
  }

  /// Whether what is due waits for the next fix: the position may be elsewhere since nobody was there to see it. The
  /// plain rule holds nothing back.
  @inline(__always) private var awaitsFix: Bool { isBlind && configuration.rule != .plain }

  private mutating func fireExit(_ clock: RegionClock, into events: inout [RegionEvent]) {
    guard !awaitsFix else {
      if let place = evidence.place(of: clock.slot) { evidence.setActive(place, true) }
      return
    }
    tellDelayedExit(clock.slot, at: clock.due, into: &events)
  }

  /// Reports a delayed exit that had to wait for a fix, which is outside.
  mutating func emitOverdueExit(_ place: Int, _ fix: RegionFix, into events: inout [RegionEvent]) {
    guard case .departed(let against, _) = evidence[place], !against.isPending else { return }
    let slot = evidence.slot(place)
    if clocks.due(of: slot, .exit) == nil { tellDelayedExit(slot, at: fix.instant, into: &events) }
  }

  private mutating func tellDelayedExit(
    _ slot: RegionSlot, at instant: EngineInstant, into events: inout [RegionEvent]
  ) {
    guard let held = departures.firstIndex(where: { $0.slot == slot }) else { return }
    let departure = departures.remove(at: held)
    guard let place = evidence.place(of: slot), let visit = endVisit(place, at: instant),
      notifies(slot, .exit)
    else { return }
    events.append(
      RegionEvent(
        kind: .exit, region: catalog[slot].terms.id, visit: Int(visit.number), instant: instant,
        coordinate: departure.fix.coordinate, accuracy: departure.fix.accuracy,
        edgeMeters: departure.edgeMeters, confidence: departure.confidence, reason: .delayed,
        insideSeconds: visit.enteredAt.seconds(to: departure.fix.instant)))
  }

  /// Sets the deadlines of a region by new terms. A deadline that would lie in the past is due now. A dwell that was
  /// reported is not reported again.
  mutating func reviseDeadlines(of slot: RegionSlot, at now: EngineInstant) {
    guard let place = evidence.place(of: slot), var visit = evidence[place].visit else { return }
    let terms = catalog[slot].terms
    clocks.remove(slot: slot)
    visit.dwellIsOverdue = false
    evidence[place].visit = visit
    func set(_ kind: RegionClock.Kind, _ seconds: Double, after start: EngineInstant) {
      let due = max(now, start.advanced(bySeconds: seconds))
      clocks.set(RegionClock(due: due, region: terms.id, slot: slot, kind: kind))
    }
    if notifies(slot, .dwell), visit.dwellIsReported != true {
      set(.dwell, terms.dwellSeconds, after: visit.enteredAt)
    }
    if let departure = departures.first(where: { $0.slot == slot }) {
      set(.exit, terms.exitDelaySeconds, after: departure.fix.instant)
    }
  }
}

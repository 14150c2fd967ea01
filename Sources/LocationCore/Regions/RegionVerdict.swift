extension RegionMonitor {
  /// Where the position is held to be with respect to the regions for which the next fix is weighed: those with
  /// pending evidence, those it is in, and one more that somebody asks about.
  func standings(with asked: String?) -> [Int32: RegionState] {
    var standings: [Int32: RegionState] = [:]
    for slot in active + inside { standings[slot] = state(in: slot) }
    for departure in departures { standings[departure.slot] = state(in: departure.slot) }
    if let slot = asked.flatMap({ slots[$0] }) { standings[slot] = state(in: slot) }
    return standings
  }

  /// What the last fix said of each region that was, or is now, weighed; one verdict for each, by id.
  func verdicts(since before: [Int32: RegionState], _ events: [RegionEvent], asked: String?)
    -> [RegionVerdict]
  {
    guard let fix = lastFix else { return [] }
    var all = standings(with: asked)
    for (slot, state) in before where regionsBySlot[Int(slot)] != nil { all[slot] = state }
    return all.map { slot, state in
      verdict(slot, fix, before: before[slot] ?? stateBefore(slot, events) ?? state)
    }.sorted { $0.region < $1.region }
  }

  /// What a region's state was before events of this fix changed it; nil where none did.
  private func stateBefore(_ slot: Int32, _ events: [RegionEvent]) -> RegionState? {
    for event in events where event.region == cells[Int(slot)].terms.id {
      switch event.kind {
      case .enter: return event.reason == .initial ? .unknown : .outside
      case .exit: return .inside
      case .state: return .unknown
      case .dwell, .cross: break
      }
    }
    return nil
  }

  private func verdict(_ slot: Int32, _ fix: RegionFix, before: RegionState) -> RegionVerdict {
    let track = cells[Int(slot)].track
    let shape = cells[Int(slot)].shape
    let edge = shape.edgeMeters(at: fix.coordinate)
    let factor = configuration.guardedFactor(track.restlessness) * fix.sigmaMeters
    let after = state(in: slot)
    return RegionVerdict(
      region: cells[Int(slot)].terms.id, before: before, after: after, edgeMeters: edge,
      sigmaMeters: fix.sigmaMeters,
      probabilityInside: shape.probabilityInside(
        at: fix.coordinate, edgeMeters: edge, sigmaMeters: fix.sigmaMeters),
      clearMeters: configuration.clearSigmas * factor, heldMeters: configuration.heldSigmas * factor,
      clearFixes: Int(track.clearRun),
      heldSeconds: after != .unknown && track.heldRun > 0 ? track.heldSince.seconds(to: track.heldLast) : 0,
      reason: reason(slot, fix, before: before, after: after, edgeMeters: edge))
  }

  private func reason(
    _ slot: Int32, _ fix: RegionFix, before: RegionState, after: RegionState, edgeMeters: Double
  ) -> RegionVerdict.Reason {
    let track = cells[Int(slot)].track
    if before != after { return before == .unknown ? .found : after == .inside ? .entered : .left }
    if departures.contains(where: { $0.slot == slot }) { return .heldBack }
    if after == .unknown { return .open }
    let isOtherSide = after == .inside ? edgeMeters > 0 : edgeMeters <= 0
    guard isOtherSide else { return .agrees }
    if track.clearRun > 0 || (track.heldRun > 0 && track.heldLast == fix.instant) { return .gathering }
    guard after == .outside else { return .weak }
    let attainable = cells[Int(slot)].shape.attainableDepthMeters(
      at: fix.coordinate, edgeMeters: edgeMeters,
      reachMeters: configuration.attainableReachSigmas * fix.sigmaMeters)
    return attainable < Accuracy.sigmasIn68Percent * fix.sigmaMeters ? .tooSmall : .weak
  }
}

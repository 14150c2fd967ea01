extension RegionMonitor {
  /// Where the position is held to be with respect to the regions whose evidence the next fix updates: those with
  /// pending evidence, those it is in, and one more that somebody asks about.
  func standings(with asked: String?) -> [String: RegionState] {
    var slots = inside
    if evidence.seenAt == nil { catalog.forEachSlot { slots.append($0) } }
    for record in evidence.records where record.isActive { slots.append(record.slot) }
    if let slot = asked.flatMap({ catalog.slot(of: $0) }) { slots.append(slot) }
    var standings: [String: RegionState] = [:]
    for slot in slots { standings[catalog[slot].terms.id] = state(in: slot) }
    return standings
  }

  /// What the last fix said of each region that is or was active; one verdict for each, by id.
  func verdicts(since before: [String: RegionState], _ events: [RegionEvent], asked: String?)
    -> [RegionVerdict]
  {
    guard let fix = lastFix else { return [] }
    let all = standings(with: asked).merging(before) { _, before in before }
    return all.sorted { $0.key < $1.key }.compactMap { id, state in
      catalog.slot(of: id).map { slot in
        verdict(slot, fix, before: before[id] ?? Self.stateBefore(id, events) ?? state)
      }
    }
  }

  /// What a region's state was before events of this fix changed it; nil where none did.
  private static func stateBefore(_ id: String, _ events: [RegionEvent]) -> RegionState? {
    for event in events where event.region == id {
      switch event.kind {
      case .enter: return event.reason == .initial ? .unknown : .outside
      case .exit: return .inside
      case .state: return .unknown
      case .dwell, .cross: break
      }
    }
    return nil
  }

  private func verdict(_ slot: RegionSlot, _ fix: RegionFix, before: RegionState) -> RegionVerdict {
    let against = evidence.evidence(of: slot, by: configuration).against
    let view = view(of: slot, scaled(fix, for: slot))
    let edge = view.edgeMeters
    let factor = configuration.guardedFactor(against?.flapCount ?? 0) * view.fix.sigmaMeters
    let after = state(in: slot)
    return RegionVerdict(
      region: catalog[slot].terms.id, before: before, after: after, edgeMeters: edge,
      sigmaMeters: fix.sigmaMeters,
      probabilityInside: view.shape.probabilityInside(
        at: fix.coordinate, edgeMeters: edge, sigmaMeters: fix.sigmaMeters),
      clearMeters: configuration.clearSigmas * factor, heldMeters: heldMeters(view, against),
      clearFixes: Int(against?.clearRun ?? 0),
      heldSeconds: against.map { $0.heldRun > 0 ? $0.heldSince.seconds(to: $0.heldLast) : 0 } ?? 0,
      reason: reason(slot, view, before: before, after: after))
  }

  private func reason(
    _ slot: RegionSlot, _ view: View, before: RegionState, after: RegionState
  ) -> RegionVerdict.Reason {
    let against = evidence.evidence(of: slot, by: configuration).against
    if before != after { return before == .unknown ? .found : after == .inside ? .entered : .left }
    if departures.contains(where: { $0.slot == slot }) { return .heldBack }
    if after == .unknown { return .open }
    let isOtherSide = after == .inside ? view.edgeMeters > 0 : view.edgeMeters <= 0
    guard isOtherSide else { return .agrees }
    if let against, against.clearRun > 0 || (against.heldRun > 0 && against.heldLast == view.fix.instant) {
      return .gathering
    }
    guard after == .outside, !view.isInside else { return .weak }
    let sigma = view.fix.sigmaMeters
    return view.attainableMeters(ofSigma: sigma) < Accuracy.sigmasIn68Percent * sigma ? .tooSmall : .weak
  }
}

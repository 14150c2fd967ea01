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
    let shape = catalog[slot].shape
    let edge = shape.edgeMeters(at: fix.coordinate)
    let scaled = scaled(fix, for: slot)
    let factor = configuration.guardedFactor(against?.flapCount ?? 0) * scaled.sigmaMeters
    let held = against.flatMap { heldNeed(view(of: slot, scaled), $0).beyondMeters }
    let after = state(in: slot)
    return RegionVerdict(
      region: catalog[slot].terms.id, before: before, after: after, edgeMeters: edge,
      sigmaMeters: fix.sigmaMeters,
      probabilityInside: shape.probabilityInside(
        at: fix.coordinate, edgeMeters: edge, sigmaMeters: fix.sigmaMeters),
      clearMeters: configuration.clearSigmas * factor, heldMeters: held ?? configuration.heldSigmas * factor,
      clearFixes: Int(against?.clearRun ?? 0),
      heldSeconds: against.map { $0.heldRun > 0 ? $0.heldSince.seconds(to: $0.heldLast) : 0 } ?? 0,
      reason: reason(slot, fix, before: before, after: after, edgeMeters: edge))
  }

  private func reason(
    _ slot: RegionSlot, _ fix: RegionFix, before: RegionState, after: RegionState, edgeMeters: Double
  ) -> RegionVerdict.Reason {
    let against = evidence.evidence(of: slot, by: configuration).against
    if before != after { return before == .unknown ? .found : after == .inside ? .entered : .left }
    if departures.contains(where: { $0.slot == slot }) { return .heldBack }
    if after == .unknown { return .open }
    let isOtherSide = after == .inside ? edgeMeters > 0 : edgeMeters <= 0
    guard isOtherSide else { return .agrees }
    if let against, against.clearRun > 0 || (against.heldRun > 0 && against.heldLast == fix.instant) {
      return .gathering
    }
    guard after == .outside else { return .weak }
    let view = view(of: slot, scaled(fix, for: slot))
    guard let attainable = view.attainableMeters else { return .weak }
    return attainable < Accuracy.sigmasIn68Percent * view.fix.sigmaMeters ? .tooSmall : .weak
  }
}

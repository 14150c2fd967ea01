extension RegionMonitor {
  /// Finds the regions on whose other side the fix lies, and updates the evidence of all that are active.
  mutating func probe(_ fix: RegionFix, into events: inout [RegionEvent]) {
    let first = events.count
    let isFirst = evidence.seenAt == nil
    if !neighbors.covers(fix.coordinate) {
      probeAround(fix, into: &events)
      if catalog.totals.crossCount > 0, let lastFix { probeBetween(lastFix, fix, into: &events) }
    }
    let findsAll = isFirst ? beginFinding(fix) : false
    // From the last: those that come to rest leave the list, and of many at once each would move all behind it.
    for place in evidence.records.indices.reversed() where evidence.isActive(place) {
      updateEvidence(at: place, fix, into: &events)
    }
    if findsAll { findAll(fix, into: &events) }
    if events.count - first > 1 { Self.sort(&events, from: first) }
  }

  /// Sorts events of one instant where they lie: a slice of the array would be copied.
  private static func sort(_ events: inout [RegionEvent], from first: Int) {
    unsafe events.withUnsafeMutableBufferPointer { all in
      unsafe all[first...].sort { $0.precedes($1) }
    }
  }

  /// Brings the neighbor list up to date and activates every region whose state is not the fix's side.
  private mutating func probeAround(_ fix: RegionFix, into events: inout [RegionEvent]) {
    let listed: NeighborList.Listed
    switch neighbors.move(to: fix.coordinate) {
    case .listed(let still): listed = still
    case .unlisted(let unlisted):
      pack()
      var insideCount = 0
      listed = neighbors.refill(unlisted, from: catalog, evidence, insideCount: &insideCount)
      if insideCount != evidence.insideCount { probeInside(fix, into: &events) }
    }
    var scan = neighbors.scan(listed)
    while let slot = neighbors.nextDue(&scan) {
      let probe = compare(slot, fix, into: &events)
      neighbors.note(scan, boundMeters: probe.bound, isAsRecorded: probe.agrees)
    }
    for place in neighbors.large.indices where neighbors.large[place].bound <= 0 {
      let probe = compare(neighbors.large[place].slot, fix, into: &events)
      neighbors.note(scan, large: place, boundMeters: probe.agrees ? probe.bound : 0)
    }
    neighbors.finish(scan)
  }

  /// Probes the regions that the position is held to be in, some of which are not around it any more.
  private mutating func probeInside(_ fix: RegionFix, into events: inout [RegionEvent]) {
    for slot in evidence.inside {
      compare(slot, fix, into: &events)
      neighbors.record(slot, isInside: evidence.state(of: slot) == .inside)
    }
  }

  /// Activates a region if a fix lies on the other side than its state, or decides at once where that is the rule;
  /// metres to its edge.
  @discardableResult
  private mutating func compare(
    _ slot: RegionSlot, _ fix: RegionFix, into events: inout [RegionEvent]
  ) -> (bound: Double, agrees: Bool) {
    let edge = catalog.roughEdgeMeters(slot, at: fix.coordinate, in: neighbors.plane)
    let rank = evidence.rank(of: slot)
    let agrees = (edge > 0) == (evidence.state(of: rank) != .inside)
    if !agrees {
      let isPlain = configuration.rule == .plain
      let place = evidence.open(rank, isActive: !isPlain, by: configuration)
      if isPlain {
        decide(place, fix, edge, into: &events)
      } else {
        evidence.dropRested(at: fix.instant)
      }
    }
    return (abs(edge), agrees)
  }
}

// MARK: - The first fix

extension RegionMonitor {
  /// Starts observing: activates every region so near that this fix alone does not settle its state. All others count
  /// as outside and at rest. Returns true where every region must be checked instead, because some report their first
  /// state or the configuration leaves even far ones open.
  private mutating func beginFinding(_ fix: RegionFix) -> Bool {
    evidence.seenAt = fix.instant
    guard catalog.count > 0 else { return false }
    if catalog.totals.stateCount > 0 { return true }
    // The plain rule has decided of all that hold the place.
    if configuration.rule == .plain { return false }
    let sigmas = Swift.max(configuration.farSigmas, configuration.heldSigmas, Self.farSigmas)
    guard NormalDistribution.upperTail(sigmas) <= 1 - configuration.initialProbability else { return true }
    catalog.find(in: GeoBox(around: fix.coordinate, radiusMeters: sigmas * fix.sigmaMeters), into: &found)
    for slot in found { beginFinding(slot) }
    // It takes no memory where nothing searches for passages.
    found = []
    return false
  }

  private mutating func beginFinding(_ slot: RegionSlot) {
    if evidence.place(of: slot) == nil { evidence.set(slot, .unknown(FirstFixes()), isActive: true) }
  }

  /// Updates the evidence of every region without an entry. Regions that are then at rest keep none.
  private mutating func findAll(_ fix: RegionFix, into events: inout [RegionEvent]) {
    let catalog = catalog
    catalog.forEachSlot { slot in
      guard evidence.place(of: slot) == nil else { return }
      let place = evidence.set(slot, .unknown(FirstFixes()), isActive: true)
      updateEvidence(at: place, fix, into: &events)
    }
  }

  /// So far from its edge, in standard deviations, that a region of any shape is left behind.
  private static let farSigmas = 8.5
}

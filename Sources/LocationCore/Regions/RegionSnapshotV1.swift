/// What version 0.1.0 wrote of a monitor: each region with its evidence, in fields whose meaning depends on the state.
struct RegionSnapshotV1: Decodable {
  struct Track: Decodable {
    var state: RegionState
    var isActive: Bool
    var wasFar: Bool
    var farRun: UInt8
    var restlessness: UInt8
    var clearRun: UInt8
    /// Confident fixes against the state; while unknown, fixes seen.
    var heldRun: UInt8
    var dwellIsOverdue: Bool
    var visit: Int32
    /// While unknown, the mean probability of being inside.
    var settledMean: Double
    var enteredAt: EngineInstant
    var clearSince: EngineInstant
    /// While unknown, the first fix.
    var heldSince: EngineInstant
    var heldLast: EngineInstant
    var weighedLast: EngineInstant
    var heldSigmaMeters: Double
  }

  struct Entry: Decodable {
    var region: Region
    var track: Track
    var departure: RegionSnapshot.Departure?
    var dwellDue: EngineInstant?
    var approach: RegionApproach?
  }

  var entries: [Entry]
  var lastFix: RegionFix?
  var inflation: AccuracyInflation

  /// The same in today's format.
  var migrated: RegionSnapshot {
    // Nothing but the entries says when a region came to rest, so it counts as long ago where there is none.
    RegionSnapshot(
      regions: entries.map(\.region), entries: entries.compactMap(migrated),
      seenAt: lastFix == nil ? nil : .distantPast, lastFix: lastFix, inflation: inflation)
  }

  private func migrated(_ old: Entry) -> RegionSnapshot.Entry? {
    // Before the first fix every region is unknown.
    guard let lastFix else { return nil }
    var entry = RegionSnapshot.Entry(id: old.region.id)
    let known = old.track.evidence(isDeparted: old.departure != nil)
    if case .outside(let against, let visits) = known, !old.track.isActive,
      Counterevidence.isLongPast(against.updatedAt, at: lastFix.instant)
    {
      guard visits > 0 else { return nil }
      entry.visits = visits
      return entry
    }
    entry.evidence = known
    entry.isActive = old.track.isActive
    entry.departure = old.departure
    entry.dwellDue = old.dwellDue
    entry.approach = old.approach
    return entry
  }
}

extension RegionSnapshotV1.Track {
  fileprivate func evidence(isDeparted: Bool) -> RegionEvidence {
    let open = RegionVisit(number: visit, enteredAt: enteredAt, dwellIsOverdue: dwellIsOverdue)
    switch state {
    case .unknown:
      return .unknown(FirstFixes(count: heldRun, since: heldSince, meanProbability: settledMean))
    case .inside: return .inside(against, open)
    case .outside: return isDeparted ? .departed(against, open) : .outside(against, visits: visit)
    }
  }

  private var against: Counterevidence {
    Counterevidence(
      wasFar: wasFar, farRun: farRun, flapCount: restlessness, clearRun: clearRun, heldRun: heldRun,
      settledMean: settledMean, clearSince: clearSince, heldSince: heldSince, heldLast: heldLast,
      updatedAt: weighedLast, heldSigmaMeters: heldSigmaMeters)
  }
}

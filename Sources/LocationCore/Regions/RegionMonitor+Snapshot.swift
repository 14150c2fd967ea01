/// Everything a monitor knows: enough to go on as if nothing had happened.
public struct RegionSnapshot: Hashable, Sendable {
  /// What is known of one region; one without an entry is outside and at rest, or unknown before the first fix.
  struct Entry: Codable, Hashable, Sendable {
    var id: String
    /// Of a region outside and at rest: how often it was visited.
    var visits: Int32?
    /// Of any other.
    var evidence: RegionEvidence?
    /// Whether the next fix updates the evidence.
    var isActive: Bool?
    var departure: Departure?
    var dwellDue: EngineInstant?
    var approach: RegionApproach?
  }

  /// Regions that came to rest outside at the same moment.
  struct Rested: Codable, Hashable, Sendable {
    /// When their evidence was last updated.
    var since: EngineInstant
    /// In order.
    var ids: [String]
  }

  struct Departure: Codable, Hashable, Sendable {
    var fix: RegionFix
    var edgeMeters: Double
    var confidence: Double
    /// Nil where the next fix tells.
    var due: EngineInstant?
  }

  /// The version of this format that is written.
  public static let version = 2

  private(set) var version = Self.version
  /// The regions, in the order of their ids.
  public internal(set) var regions: [Region]
  /// What is known of them, in the order of their ids.
  var entries: [Entry]
  /// Those that were added after the first fix and have seen none: their ids, in order.
  @Preset var unseen: [String] = []
  /// Those that came to rest outside lately, the earliest first.
  @Preset var rested: [Rested] = []
  /// When the regions without an entry were found to be outside; nil before the first fix.
  var seenAt: EngineInstant?
  var lastFix: RegionFix?
  var inflation: AccuracyInflation
  /// When nobody was there any more, where no fix has come since; nil otherwise.
  var absentSince: EngineInstant?

  /// Forgets what is known of some regions.
  mutating func forget(_ ids: Set<String>) {
    entries.removeAll { ids.contains($0.id) }
    unseen.removeAll { ids.contains($0) }
    for place in rested.indices { rested[place].ids.removeAll { ids.contains($0) } }
  }
}

extension RegionSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, regions, entries, unseen, rested, seenAt, lastFix, inflation, absentSince
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    guard let version = try values.decodeIfPresent(Int.self, forKey: .version) else {
      self = try RegionSnapshotV1(from: decoder).migrated
      return
    }
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: values, debugDescription: "regions of a later version: \(version)")
    }
    regions = try values.decode([Region].self, forKey: .regions)
    entries = try values.decode([Entry].self, forKey: .entries)
    _unseen = try values.decode(Preset<[String]>.self, forKey: .unseen)
    _rested = try values.decode(Preset<[Rested]>.self, forKey: .rested)
    seenAt = try values.decodeIfPresent(EngineInstant.self, forKey: .seenAt)
    lastFix = try values.decodeIfPresent(RegionFix.self, forKey: .lastFix)
    inflation = try values.decode(AccuracyInflation.self, forKey: .inflation)
    absentSince = try values.decodeIfPresent(EngineInstant.self, forKey: .absentSince)
  }
}

extension RegionEvidence: Codable {
  private enum CodingKeys: String, CodingKey { case state, first, against, visits, visit }
  private enum Kind: String, Codable { case unknown, outside, inside, departed }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let state = try values.decode(Kind.self, forKey: .state)
    guard state != .unknown else {
      self = .unknown(try values.decode(FirstFixes.self, forKey: .first))
      return
    }
    let against = try values.decode(Counterevidence.self, forKey: .against)
    guard state != .outside else {
      self = .outside(against, visits: try values.decode(Int32.self, forKey: .visits))
      return
    }
    let visit = try values.decode(RegionVisit.self, forKey: .visit)
    self = state == .inside ? .inside(against, visit) : .departed(against, visit)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .unknown(let first):
      try values.encode(Kind.unknown, forKey: .state)
      try values.encode(first, forKey: .first)
    case .outside(let against, let visits):
      try values.encode(Kind.outside, forKey: .state)
      try values.encode(against, forKey: .against)
      try values.encode(visits, forKey: .visits)
    case .inside(let against, let visit), .departed(let against, let visit):
      try values.encode(state == .inside ? Kind.inside : .departed, forKey: .state)
      try values.encode(against, forKey: .against)
      try values.encode(visit, forKey: .visit)
    }
  }
}

// MARK: - Taking and restoring

extension RegionMonitor {
  /// All that the monitor knows.
  public var snapshot: RegionSnapshot { snapshot(regions: catalog.regions) }

  /// All that the monitor knows, with these regions in place of its own: none where the catalog is kept elsewhere.
  func snapshot(regions: [Region]) -> RegionSnapshot {
    var known = RegionSnapshot(
      regions: regions, entries: [], seenAt: evidence.seenAt, lastFix: lastFix, inflation: inflation,
      absentSince: isBlind ? absentSince : nil)
    for place in evidence.records.indices {
      let slot = evidence.slot(place)
      if evidence.isUnseen(place) {
        known.unseen.append(catalog[slot].terms.id)
      } else {
        known.entries.append(entry(of: slot, place))
      }
    }
    evidence.forEachResting { slot, visits in
      known.entries.append(RegionSnapshot.Entry(id: catalog[slot].terms.id, visits: visits))
    }
    if let lastFix {
      let rested = evidence.rested(at: lastFix.instant).sorted { $0.updatedAt < $1.updatedAt }
      for lately in rested where !catalog.isRemoved(lately.slot) {
        if known.rested.last?.since != lately.updatedAt {
          known.rested.append(RegionSnapshot.Rested(since: lately.updatedAt, ids: []))
        }
        known.rested[known.rested.count - 1].ids.append(catalog[lately.slot].terms.id)
      }
    }
    known.entries.sort { $0.id < $1.id }
    known.unseen.sort()
    for place in known.rested.indices { known.rested[place].ids.sort() }
    return known
  }

  private func entry(of slot: RegionSlot, _ place: Int) -> RegionSnapshot.Entry {
    var entry = RegionSnapshot.Entry(id: catalog[slot].terms.id)
    entry.evidence = evidence[place]
    entry.isActive = evidence.isActive(place)
    if let held = departures.first(where: { $0.slot == slot }) {
      entry.departure = RegionSnapshot.Departure(
        fix: held.fix, edgeMeters: held.edgeMeters, confidence: held.confidence,
        due: clocks.due(of: slot, .exit))
    }
    entry.dwellDue = clocks.due(of: slot, .dwell)
    entry.approach = approaches.first { $0.slot == slot }?.approach
    return entry
  }

  /// A monitor that goes on where another stopped. The snapshot's regions are checked like any others.
  public init(
    configuration: RegionConfiguration, restoring snapshot: RegionSnapshot
  ) throws(RegionError) {
    let catalog = try RegionCatalog(snapshot.regions, limit: configuration.regionLimit)
    self.init(Shared(wrappedValue: configuration), catalog, restoring: snapshot)
  }

  /// A monitor that goes on where another stopped, with the regions of a catalog. What the snapshot knows of others is
  /// dropped, and regions that it does not know count as outside.
  init(
    _ configuration: Shared<RegionConfiguration>, _ catalog: RegionCatalog, restoring snapshot: RegionSnapshot
  ) {
    self.init(configuration, catalog)
    lastFix = snapshot.lastFix
    inflation = snapshot.inflation
    absentSince = snapshot.absentSince
    evidence.seenAt = snapshot.seenAt
    var records: [RegionEvidenceTable.Record] = []
    var rested: [(slot: RegionSlot, updatedAt: EngineInstant)] = []
    for entry in snapshot.entries {
      guard let slot = catalog.slot(of: entry.id) else { continue }
      guard let known = known(of: entry, slot) else {
        evidence.setResting(slot, visits: entry.visits ?? 0)
        continue
      }
      let record = RegionEvidenceTable.Record(evidence: known, isActive: entry.isActive ?? true, slot: slot)
      // As earlier versions wrote one that is at rest.
      if case .outside(let against, let visits) = known, !record.isActive {
        evidence.setResting(slot, visits: visits)
        rested.append((slot, against.updatedAt))
      } else {
        records.append(record)
        restore(entry, slot)
      }
    }
    for id in snapshot.unseen {
      guard let slot = catalog.slot(of: id) else { continue }
      records.append(.init(evidence: .unknown(FirstFixes()), isActive: true, slot: slot))
    }
    evidence.insert(records)
    for lately in snapshot.rested {
      for case let slot? in lately.ids.map(catalog.slot) { rested.append((slot, lately.since)) }
    }
    for (slot, updatedAt) in rested.sorted(by: { $0.updatedAt < $1.updatedAt }) {
      evidence.noteRested(slot, updatedAt)
    }
  }

  /// What an entry knows of a region; nil where it is at rest outside.
  private func known(of entry: RegionSnapshot.Entry, _ slot: RegionSlot) -> RegionEvidence? {
    var known = entry.evidence
    guard var visit = known?.visit, visit.dwellIsReported == nil else { return known }
    // As earlier versions wrote a dwell that was reported: as one that is no longer due.
    visit.dwellIsReported = notifies(slot, .dwell) && !visit.dwellIsOverdue && entry.dwellDue == nil
    known?.visit = visit
    return known
  }

  /// Goes on with what is pending for a region.
  private mutating func restore(_ entry: RegionSnapshot.Entry, _ slot: RegionSlot) {
    if let due = entry.dwellDue {
      clocks.set(RegionClock(due: due, region: entry.id, slot: slot, kind: .dwell))
    }
    if let approach = entry.approach { approaches.append((slot, approach)) }
    guard let held = entry.departure else { return }
    departures.append(
      RegionDeparture(slot: slot, fix: held.fix, edgeMeters: held.edgeMeters, confidence: held.confidence))
    if let due = held.due { clocks.set(RegionClock(due: due, region: entry.id, slot: slot, kind: .exit)) }
  }
}

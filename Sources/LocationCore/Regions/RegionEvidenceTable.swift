/// What one device knows of the regions of a catalog. A region that is far away, outside and never visited costs
/// nothing; one that was visited before costs the number of its visits.
///
/// Regions with pending evidence come first among the records, so that a fix walks through them in a row. No other order
/// here decides anything.
struct RegionEvidenceTable: Sendable {
  struct Record: Sendable {
    var slot: RegionSlot
    var evidence: RegionEvidence
  }

  /// The first ``activeCount`` of them are active: each fix updates their evidence.
  private(set) var records: [Record] = []
  private(set) var activeCount = 0
  /// Regions whose evidence says inside.
  private(set) var inside: [RegionSlot] = []
  /// Where a region's record is; where it has none, the complement of the number of its visits.
  private var places = SlotMap()
  /// Regions that came to rest outside, in that order; some of them are active again, or gone.
  private var rested: [RegionSlot] = []
  /// When the regions without an entry were found to be outside; nil where no fix was seen yet, and they are unknown.
  var seenAt: EngineInstant?

  /// The record of a region; nil where it has none.
  @inline(__always) func place(of slot: RegionSlot) -> Int? {
    guard let place = places[slot], place >= 0 else { return nil }
    return Int(place)
  }

  /// Where the evidence says the position is.
  @inline(__always) func state(of slot: RegionSlot) -> RegionState {
    guard let place = places[slot] else { return seenAt == nil ? .unknown : .outside }
    return place < 0 ? .outside : records[Int(place)].evidence.state
  }

  @inline(__always) func isActive(_ place: Int) -> Bool { place < activeCount }

  /// All that is known of a region.
  func evidence(of slot: RegionSlot, by rule: RegionConfiguration) -> RegionEvidence {
    if let place = place(of: slot) { return records[place].evidence }
    guard let seenAt else { return .unknown(FirstFixes()) }
    return .outside(.atRest(since: seenAt, by: rule), visits: restingVisits(of: slot))
  }

  private func restingVisits(of slot: RegionSlot) -> Int32 { places[slot].map { ~$0 } ?? 0 }

  /// The evidence in a record.
  @inline(__always) subscript(place: Int) -> RegionEvidence {
    _read { yield records[place].evidence }
    _modify { yield &records[place].evidence }
  }

  /// Whose record it is.
  @inline(__always) func slot(_ place: Int) -> RegionSlot { records[place].slot }

  /// Makes a region's evidence something else; its record.
  @discardableResult
  mutating func set(_ slot: RegionSlot, _ evidence: RegionEvidence, isActive: Bool) -> Int {
    var place = place(of: slot) ?? -1
    if place < 0 {
      place = records.count
      records.append(Record(slot: slot, evidence: evidence))
      places.set(slot, Int32(place))
    } else {
      records[place].evidence = evidence
    }
    if isActive != self.isActive(place) {
      if isActive { return activate(place) }
      return deactivate(place)
    }
    return place
  }

  /// Has each fix update a region's evidence from now on.
  mutating func activate(_ slot: RegionSlot, at instant: EngineInstant, by rule: RegionConfiguration) {
    if let place = place(of: slot) {
      if !isActive(place) { activate(place) }
    } else {
      dropRested(at: instant)
      set(slot, evidence(of: slot, by: rule), isActive: true)
    }
  }

  /// Counts a region among those that the position is in.
  mutating func noteInside(_ slot: RegionSlot) { inside.append(slot) }

  mutating func noteOutside(_ slot: RegionSlot) {
    guard let place = inside.firstIndex(of: slot) else { return }
    inside[place] = inside[inside.count - 1]
    inside.removeLast()
  }

  /// Leaves a region alone until a fix lies on the other side of its edge.
  mutating func rest(_ place: Int, at instant: EngineInstant, by rule: RegionConfiguration) {
    let place = deactivate(place)
    noteRest(place, at: instant, by: rule)
  }

  /// Forgets what does not matter any more of a region that is at rest outside: all but its visits and, for a minute,
  /// when its evidence was last updated.
  mutating func noteRest(_ place: Int, at instant: EngineInstant, by rule: RegionConfiguration) {
    guard !isActive(place), case .outside(let against, let visits) = records[place].evidence else { return }
    let slot = records[place].slot
    guard visits > 0 || against.updatedAt != seenAt else { return drop(slot, place, visits: 0) }
    records[place].evidence = .outside(.atRest(since: against.updatedAt, by: rule), visits: visits)
    rested.append(slot)
    dropRested(at: instant)
  }

  /// Drops the records of those that have been at rest for so long that it does not matter any more since when.
  private mutating func dropRested(at instant: EngineInstant) {
    var done = 0
    while done < rested.count {
      let slot = rested[done]
      if let place = place(of: slot), !isActive(place),
        case .outside(let against, let visits) = records[place].evidence
      {
        guard against.isLongPast(at: instant) else { break }
        drop(slot, place, visits: visits)
      }
      done += 1
    }
    if done > 0 { rested.removeFirst(done) }
  }

  /// Makes a passage count as a visit.
  mutating func countPassage(_ slot: RegionSlot) {
    guard let place = place(of: slot) else {
      places.set(slot, ~(restingVisits(of: slot) &+ 1))
      return
    }
    switch records[place].evidence {
    case .unknown, .inside: break
    case .outside(let against, let visits): records[place].evidence = .outside(against, visits: visits &+ 1)
    case .departed(let against, var visit):
      visit.number &+= 1
      records[place].evidence = .departed(against, visit)
    }
  }

  /// Visits so far.
  func visits(of slot: RegionSlot) -> Int32 {
    place(of: slot).map { records[$0].evidence.visits } ?? restingVisits(of: slot)
  }

  /// Says of a region at rest outside how often it was visited.
  mutating func setResting(_ slot: RegionSlot, visits: Int32) { if visits > 0 { places.set(slot, ~visits) } }

  /// Forgets a region.
  mutating func remove(_ slot: RegionSlot) {
    noteOutside(slot)
    rested.removeAll { $0 == slot }
    if let place = place(of: slot) { drop(slot, place, visits: 0) } else { places.remove(slot) }
  }

  /// Calls `body` with each region that has an entry: its record, or the number of its visits.
  func forEachEntry(_ body: (RegionSlot, _ place: Int?, _ visits: Int32) -> Void) {
    places.forEachValue { slot, place in
      if place < 0 { body(slot, nil, ~place) } else { body(slot, Int(place), 0) }
    }
  }

  /// Follows the regions to where a packing has put them.
  mutating func renumber(_ renumbered: RegionRenumbering) {
    var moved = SlotMap()
    places.forEachValue { slot, place in moved.set(renumbered(slot), place) }
    places = moved
    for place in records.indices { records[place].slot = renumbered(records[place].slot) }
    for place in inside.indices { inside[place] = renumbered(inside[place]) }
    for place in rested.indices { rested[place] = renumbered(rested[place]) }
  }

  @discardableResult
  private mutating func activate(_ place: Int) -> Int {
    swap(place, activeCount)
    activeCount += 1
    return activeCount - 1
  }

  @discardableResult
  mutating func deactivate(_ place: Int) -> Int {
    activeCount -= 1
    swap(place, activeCount)
    return activeCount
  }

  private mutating func swap(_ place: Int, _ other: Int) {
    guard place != other else { return }
    records.swapAt(place, other)
    places.set(records[place].slot, Int32(place))
    places.set(records[other].slot, Int32(other))
  }

  /// Takes a record out; its visits stay.
  private mutating func drop(_ slot: RegionSlot, _ place: Int, visits: Int32) {
    let place = isActive(place) ? deactivate(place) : place
    swap(place, records.count - 1)
    records.removeLast()
    if visits > 0 { places.set(slot, ~visits) } else { places.remove(slot) }
  }
}

extension Counterevidence {
  /// Whether the evidence is so old that it does not matter any more how old.
  func isLongPast(at instant: EngineInstant) -> Bool {
    updatedAt.seconds(to: instant) >= Self.longestSeconds
  }
}

/// What one device knows of the regions of a catalog. A region that is far away, outside and never visited costs
/// nothing; one that was visited before costs the number of its visits.
struct RegionEvidenceTable: Sendable {
  struct Record: Sendable {
    var evidence: RegionEvidence
    /// Whether each fix updates the evidence.
    var isActive: Bool
    var slot: RegionSlot
  }

  /// A region that came to rest outside, and when its evidence was last updated.
  struct Rested: Sendable {
    var slot: RegionSlot
    var updatedAt: EngineInstant
  }

  /// Of all regions that the position is in, and of those with pending evidence, by slot: they are few.
  private(set) var records: [Record] = []
  /// How often regions without a record were visited.
  private var visited = SlotMap()
  // Beside the count of the visited in memory.
  private(set) var activeCount: Int32 = 0
  /// Regions that came to rest in the last minute, oldest first; after that the time no longer matters. May contain
  /// regions that were removed since.
  private var rested: [Rested] = []
  /// When the regions of which nothing else is known were found to be outside; nil where no fix was seen yet, and they
  /// are unknown.
  var seenAt: EngineInstant?
  /// Whether there may be room to give back.
  private var hasRoom = false

  /// Where a region's record is, or would be. It holds until records come or go.
  struct Rank {
    fileprivate var place: Int
    fileprivate var isTaken: Bool
    fileprivate var slot: RegionSlot
  }

  @inline(__always) func rank(of slot: RegionSlot) -> Rank {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low &+ high) / 2
      if records[middle].slot.rawValue < slot.rawValue { low = middle &+ 1 } else { high = middle }
    }
    return Rank(place: low, isTaken: low < records.count && records[low].slot == slot, slot: slot)
  }

  /// The record of a region; nil where it has none.
  @inline(__always) func place(of slot: RegionSlot) -> Int? {
    let rank = rank(of: slot)
    return rank.isTaken ? rank.place : nil
  }

  /// Where the evidence says the position is.
  @inline(__always) func state(of slot: RegionSlot) -> RegionState { state(of: rank(of: slot)) }

  @inline(__always) func state(of rank: Rank) -> RegionState {
    guard rank.isTaken else { return seenAt == nil ? .unknown : .outside }
    return records[rank.place].evidence.state
  }

  /// The regions that the position is in.
  var inside: [RegionSlot] { records.lazy.filter { $0.evidence.state == .inside }.map(\.slot) }
  /// How many they are.
  var insideCount: Int { records.reduce(0) { $1.evidence.state == .inside ? $0 + 1 : $0 } }

  @inline(__always) func isActive(_ place: Int) -> Bool { records[place].isActive }

  /// All that is known of a region.
  func evidence(of slot: RegionSlot, by rule: RegionConfiguration) -> RegionEvidence {
    place(of: slot).map { records[$0].evidence } ?? resting(slot, by: rule)
  }

  /// All that is known of a region without a record.
  private func resting(_ slot: RegionSlot, by rule: RegionConfiguration) -> RegionEvidence {
    guard let seenAt else { return .unknown(FirstFixes()) }
    return .outside(.atRest(since: restedAt(slot) ?? seenAt, by: rule), visits: visited[slot] ?? 0)
  }

  /// When the evidence of a region that is at rest outside was last updated; nil where that is long past.
  func restedAt(_ slot: RegionSlot) -> EngineInstant? { rested.last { $0.slot == slot }?.updatedAt }

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
    let rank = rank(of: slot)
    if rank.isTaken {
      records[rank.place].evidence = evidence
      setActive(rank.place, isActive)
    } else {
      insert(evidence, at: rank, isActive: isActive)
    }
    return rank.place
  }

  private mutating func insert(_ evidence: RegionEvidence, at rank: Rank, isActive: Bool) {
    records.makeRoomForOne()
    hasRoom = true
    records.insert(Record(evidence: evidence, isActive: isActive, slot: rank.slot), at: rank.place)
    if isActive { activeCount += 1 }
  }

  /// Makes a record for a region that has none, and says whether fixes update it; where it is.
  @discardableResult
  mutating func open(_ rank: Rank, isActive: Bool, by rule: RegionConfiguration) -> Int {
    if rank.isTaken {
      setActive(rank.place, isActive)
    } else {
      insert(resting(rank.slot, by: rule), at: rank, isActive: isActive)
    }
    return rank.place
  }

  mutating func setActive(_ place: Int, _ isActive: Bool) {
    guard isActive != records[place].isActive else { return }
    records[place].isActive = isActive
    activeCount += isActive ? 1 : -1
  }

  /// Leaves a region alone until a fix lies on the other side of its edge.
  mutating func rest(_ place: Int, at instant: EngineInstant) {
    setActive(place, false)
    noteRest(place, at: instant)
  }

  /// Forgets what does not matter any more of a region that is at rest outside: all but its visits and, for a minute,
  /// when its evidence was last updated.
  mutating func noteRest(_ place: Int, at instant: EngineInstant) {
    guard !isActive(place), case .outside(let against, let visits) = records[place].evidence else { return }
    let slot = records.remove(at: place).slot
    hasRoom = true
    setResting(slot, visits: visits)
    dropRested(at: instant)
    noteRested(slot, against.updatedAt)
  }

  /// Remembers when the evidence of a region that came to rest outside was last updated.
  mutating func noteRested(_ slot: RegionSlot, _ updatedAt: EngineInstant) {
    guard updatedAt != seenAt else { return }
    rested.makeRoomForOne()
    hasRoom = true
    rested.append(Rested(slot: slot, updatedAt: updatedAt))
  }

  /// Those of which it still matters at an instant since when they rest. Some may be removed.
  func rested(at instant: EngineInstant) -> some Sequence<Rested> {
    rested.lazy.filter { !Counterevidence.isLongPast($0.updatedAt, at: instant) }
  }

  /// Drops those that have been at rest for so long that it does not matter any more since when.
  mutating func dropRested(at instant: EngineInstant) {
    let kept = rested.firstIndex { !Counterevidence.isLongPast($0.updatedAt, at: instant) } ?? rested.count
    rested.removeFirst(kept)
  }

  /// Makes a passage count as a visit.
  mutating func countPassage(_ slot: RegionSlot) {
    guard let place = place(of: slot) else { return visited.set(slot, (visited[slot] ?? 0) &+ 1) }
    switch records[place].evidence {
    case .unknown, .inside, .departed: break
    case .outside(let against, let visits): records[place].evidence = .outside(against, visits: visits &+ 1)
    }
  }

  /// Visits so far.
  func visits(of slot: RegionSlot) -> Int32 {
    place(of: slot).map { records[$0].evidence.visits } ?? visited[slot] ?? 0
  }

  /// Prefetches what is known of a region without a record; does not block.
  @inline(__always) func prefetch(_ slot: RegionSlot) { visited.prefetch(slot) }

  /// Says of a region at rest outside how often it was visited.
  mutating func setResting(_ slot: RegionSlot, visits: Int32) { if visits > 0 { visited.set(slot, visits) } }

  /// Forgets a region.
  mutating func remove(_ slot: RegionSlot) {
    visited.remove(slot)
    guard let place = place(of: slot) else { return }
    setActive(place, false)
    records.remove(at: place)
    hasRoom = true
  }

  /// Gives back the room that was left by entries which are gone.
  mutating func freeMemory() {
    guard hasRoom else { return }
    hasRoom = false
    records.freeRoom()
    rested.freeRoom()
  }

  /// Whether a region was added after the first fix, and none was seen since.
  func isUnseen(_ place: Int) -> Bool {
    records[place].isActive && records[place].evidence == .unknown(FirstFixes())
  }

  /// Calls `body` with each region at rest outside that was visited, and how often.
  func forEachResting(_ body: (RegionSlot, _ visits: Int32) -> Void) {
    visited.forEachValue { slot, visits in if place(of: slot) == nil { body(slot, visits) } }
  }

  /// Takes records of regions that have none.
  mutating func insert(_ more: [Record]) {
    records += more
    hasRoom = true
    records.sort { $0.slot.rawValue < $1.slot.rawValue }
    for record in more where record.isActive { activeCount += 1 }
  }

  /// Follows the regions to where a packing has put them.
  mutating func renumber(_ renumbered: (RegionSlot) -> RegionSlot) {
    var moved = SlotMap()
    visited.forEachValue { slot, visits in moved.set(renumbered(slot), visits) }
    visited = moved
    for place in records.indices { records[place].slot = renumbered(records[place].slot) }
    records.sort { $0.slot.rawValue < $1.slot.rawValue }
    for place in rested.indices { rested[place].slot = renumbered(rested[place].slot) }
    rested.removeAll { $0.slot == .none }
    hasRoom = true
  }
}

extension Counterevidence {
  /// Whether evidence was updated so long ago that it does not matter any more how long.
  static func isLongPast(_ updatedAt: EngineInstant, at instant: EngineInstant) -> Bool {
    updatedAt.seconds(to: instant) >= longestSeconds
  }
}

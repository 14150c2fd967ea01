/// A deadline of one region.
struct RegionClock: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// The dwell time is over.
    case dwell
    /// The exit delay is over.
    case exit
  }

  var due: EngineInstant
  /// The region's id: orders deadlines of one instant.
  var region: String
  var slot: RegionSlot
  var kind: Kind

  func precedes(_ other: RegionClock) -> Bool {
    due == other.due ? region < other.region : due < other.due
  }
}

/// Deadlines in order, the next one last.
struct RegionClocks: Sendable {
  private var ordered: [RegionClock] = []
  /// When the next deadline is due; the end of time where there is none.
  private(set) var nextDue = never

  /// The end of time.
  static var never: EngineInstant { EngineInstant(microseconds: .max) }

  /// Whether there is none.
  var isEmpty: Bool { ordered.isEmpty }

  mutating func set(_ clock: RegionClock) {
    var low = 0
    var high = ordered.count
    while low < high {
      let middle = (low + high) / 2
      if clock.precedes(ordered[middle]) { low = middle + 1 } else { high = middle }
    }
    ordered.insert(clock, at: low)
    refresh()
  }

  mutating func removeNext() -> RegionClock? {
    defer { refresh() }
    return ordered.popLast()
  }

  mutating func remove(slot: RegionSlot, kind: RegionClock.Kind? = nil) {
    ordered.removeAll { $0.slot == slot && (kind == nil || $0.kind == kind) }
    refresh()
  }

  /// Follows the regions to where a packing has put them.
  mutating func renumber(_ renumbered: (RegionSlot) -> RegionSlot) {
    for entry in ordered.indices { ordered[entry].slot = renumbered(ordered[entry].slot) }
  }

  func due(of slot: RegionSlot, _ kind: RegionClock.Kind) -> EngineInstant? {
    ordered.first { $0.slot == slot && $0.kind == kind }?.due
  }

  private mutating func refresh() {
    nextDue = ordered.last?.due ?? Self.never
  }
}

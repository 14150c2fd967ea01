/// A small number for each of some catalog slots, in the order of the slots.
///
/// A device keeps one entry for each region that it has visited: most have a few, and each takes eight bytes.
struct SlotMap: Sendable {
  private struct Entry: Sendable {
    var slot: RegionSlot
    var value: Int32
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }

  /// The value of a slot; nil where it has none.
  subscript(slot: RegionSlot) -> Int32? {
    let place = rank(of: slot)
    return holds(slot, at: place) ? entries[place].value : nil
  }

  mutating func set(_ slot: RegionSlot, _ value: Int32) {
    let place = rank(of: slot)
    if holds(slot, at: place) {
      entries[place].value = value
    } else {
      entries.makeRoomForOne()
      entries.insert(Entry(slot: slot, value: value), at: place)
    }
  }

  mutating func remove(_ slot: RegionSlot) {
    let place = rank(of: slot)
    if holds(slot, at: place) { entries.remove(at: place) }
  }

  /// The slots that have a value, in order.
  var slots: [RegionSlot] { entries.map(\.slot) }

  /// Follows the regions to where a packing has put them.
  mutating func renumber(_ renumbered: RegionRenumbering) {
    for place in entries.indices { entries[place].slot = renumbered(entries[place].slot) }
    entries.sort { $0.slot.rawValue < $1.slot.rawValue }
  }

  private func holds(_ slot: RegionSlot, at place: Int) -> Bool {
    place < entries.count && entries[place].slot == slot
  }

  /// Where a slot is, or would be put.
  private func rank(of slot: RegionSlot) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low &+ high) / 2
      if entries[middle].slot.rawValue < slot.rawValue { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

/// A small number for each of some catalog slots: a hash table with linear probing.
///
/// A device keeps one entry for each region that it has visited, so the table is small beside a dictionary, and a
/// search does not hash a slot's bytes. The order in which it holds its entries decides nothing.
struct SlotMap: Sendable {
  private struct Cell: Sendable {
    var slot = RegionSlot.none
    var value: Int32 = 0
  }

  /// A power of two of them, or none; three quarters are in use at most.
  private var cells: [Cell] = []
  private(set) var count: Int32 = 0

  /// The value of a slot; nil where it has none.
  @inline(__always) subscript(slot: RegionSlot) -> Int32? {
    guard count > 0 else { return nil }
    let cell = cells[place(of: slot)]
    return cell.slot == slot ? cell.value : nil
  }

  /// Prefetches the cell where the search for a slot begins; does not block.
  @inline(__always) func prefetch(_ slot: RegionSlot) {
    if count > 0 { cells.prefetch(home(of: slot), 0..<MemoryLayout<Cell>.size) }
  }

  mutating func set(_ slot: RegionSlot, _ value: Int32) {
    if 4 * (Int(count) + 1) > 3 * cells.count { grow() }
    let place = place(of: slot)
    if cells[place].slot != slot {
      cells[place].slot = slot
      count += 1
    }
    cells[place].value = value
  }

  /// Takes a slot out, and moves those back that it had pushed on.
  mutating func remove(_ slot: RegionSlot) {
    guard count > 0 else { return }
    var hole = place(of: slot)
    guard cells[hole].slot == slot else { return }
    count -= 1
    let mask = cells.count - 1
    var next = hole
    while true {
      next = (next + 1) & mask
      guard cells[next].slot != .none else { break }
      // One may move into the hole unless its home lies behind the hole.
      if (next - home(of: cells[next].slot)) & mask >= (next - hole) & mask {
        cells[hole] = cells[next]
        hole = next
      }
    }
    cells[hole] = Cell()
  }

  /// Calls `body` with each slot and its value, in no particular order.
  func forEachValue(_ body: (RegionSlot, Int32) -> Void) {
    for cell in cells where cell.slot != .none { body(cell.slot, cell.value) }
  }

  /// Where a slot is, or would be put.
  @inline(__always) private func place(of slot: RegionSlot) -> Int {
    var place = home(of: slot)
    let mask = cells.count - 1
    while cells[place].slot != slot, cells[place].slot != .none { place = (place + 1) & mask }
    return place
  }

  /// Fibonacci hashing: the highest bits of the product are the best mixed.
  @inline(__always) private func home(of slot: RegionSlot) -> Int {
    let mixed = UInt32(bitPattern: slot.rawValue) &* 2_654_435_769
    return Int(mixed ^ (mixed >> 15)) & (cells.count - 1)
  }

  private mutating func grow() {
    let old = cells
    cells = [Cell](repeating: Cell(), count: Swift.max(4, 2 * old.count))
    count = 0
    for cell in old where cell.slot != .none { set(cell.slot, cell.value) }
  }
}

extension RegionMonitor {
  /// Packs the index; after a large load, first numbers the slots so that near regions are near in memory.
  mutating func settle() {
    if index.isWorthReordering { reorder(index.spatialOrder()) }
    index.settle()
  }

  /// Numbers all slots anew: the slot in each place of `order` becomes that place.
  private mutating func reorder(_ order: [Int32]) {
    var places = [Int32](repeating: -1, count: cells.count)
    for (place, old) in order.enumerated() { places[Int(old)] = Int32(place) }
    // Those that are free go to the end, and off it.
    let permutation = Permutation(order + freeSlots)
    index.reorder(permutation, count: order.count)
    permutation.apply(to: &regionsBySlot)
    regionsBySlot.removeLast(freeSlots.count)
    permutation.apply(to: &cells)
    cells.removeLast(freeSlots.count)
    orderOutlines()
    freeSlots = []
    for entry in slots.indices { slots.values[entry] = places[Int(slots.values[entry])] }
    active = active.map { places[Int($0)] }
    inside = inside.map { places[Int($0)] }
    clocks.reorder(places)
    for entry in departures.indices { departures[entry].slot = places[Int(departures[entry].slot)] }
    for entry in approaches.indices { approaches[entry].slot = places[Int(approaches[entry].slot)] }
    neighborhood.forget()
  }

  /// Lays the outlines in the order of the slots.
  private mutating func orderOutlines() {
    var ordered = FlatOutlines()
    ordered.reserve(as: outlines)
    for slot in cells.indices {
      guard let outline = cells[slot].outline else { continue }
      cells[slot].outline = ordered.insert(outline, from: outlines)
    }
    outlines = ordered
  }
}

extension RegionMonitor {
  /// Packs the index; after a large load, first numbers the slots so that near regions are near in memory.
  mutating func settle() {
    if index.isWorthReordering { reorder(index.spatialOrder()) }
    index.settle()
  }

  /// Numbers all slots anew: the slot in each place of `order` becomes that place.
  private mutating func reorder(_ order: [Int32]) {
    var places = [Int32](repeating: -1, count: tracks.count)
    for (place, old) in order.enumerated() { places[Int(old)] = Int32(place) }
    index.reorder(order)
    outlines.reorder(order)
    regionsBySlot = order.map { regionsBySlot[Int($0)] }
    terms = order.map { terms[Int($0)] }
    shapes = order.map { shapes[Int($0)] }
    tracks = order.map { tracks[Int($0)] }
    freeSlots = []
    slots = slots.mapValues { places[Int($0)] }
    active = active.map { places[Int($0)] }
    inside = inside.map { places[Int($0)] }
    clocks.reorder(places)
    for entry in departures.indices { departures[entry].slot = places[Int(departures[entry].slot)] }
    for entry in approaches.indices { approaches[entry].slot = places[Int(approaches[entry].slot)] }
    neighborhood.forget()
  }
}

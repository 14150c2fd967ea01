extension RegionMonitor {
  /// Finds the regions on whose other side the fix lies, and weighs the fix for all that are active.
  mutating func look(from fix: RegionFix, into events: inout [RegionEvent]) {
    let first = events.count
    if !neighborhood.covers(fix.coordinate) { lookAround(from: fix) }
    var index = 0
    while index < active.count {
      let slot = active[index]
      weigh(slot, fix, into: &events)
      if tracks[Int(slot)].isActive {
        index += 1
      } else {
        active[index] = active[active.count - 1]
        active.removeLast()
      }
    }
    if events.count - first > 1 { events[first...].sort { $0.precedes($1) } }
  }

  /// Brings the neighbourhood up to date and activates every region whose state is not the fix's side.
  private mutating func lookAround(from fix: RegionFix) {
    let travel = neighborhood.travelMeters(to: fix.coordinate)
    if neighborhood.horizonMeters - travel > 0 {
      neighborhood.move(to: fix.coordinate, travelMeters: travel)
    } else {
      gather(around: fix.coordinate)
      for slot in inside { compare(slot, at: fix.coordinate) }
    }
    for index in neighborhood.slots.indices where neighborhood.boundsMeters[index] <= 0 {
      neighborhood.boundsMeters[index] = compare(neighborhood.slots[index], at: fix.coordinate)
    }
    neighborhood.settle()
  }

  /// Activates a region if a place lies on the other side than its state; a distance in which its edge is
  /// not met.
  @discardableResult
  private mutating func compare(_ slot: Int32, at place: Coordinate) -> Double {
    let edge = shapes[Int(slot)].edgeMeters(at: place)
    let side = edge > 0 ? RegionState.outside : .inside
    if tracks[Int(slot)].state != side { activate(slot) }
    return abs(edge) * Self.edgeSlack
  }

  /// Takes off what the plane of a shape may add to a distance.
  private static let edgeSlack = 0.98

  mutating func activate(_ slot: Int32) {
    guard !tracks[Int(slot)].isActive else { return }
    tracks[Int(slot)].isActive = true
    active.append(slot)
  }

  /// Lists the regions whose boxes come near a place.
  private mutating func gather(around place: Coordinate) {
    neighborhood.forget()
    neighborhood.move(to: place, travelMeters: 0)
    let horizon = RegionNeighborhood.widestMeters
    let reach = horizon / GeoBox.leastMetersPerDegreeLatitude
    let highest = Swift.min(90, abs(place.latitude) + reach)
    let perLongitude = highest < 90 ? LocalScale(latitude: highest).metersPerDegreeLongitude : 0
    for slot in boxes.indices where regionsBySlot[slot] != nil {
      let north = boxes[slot].latitudeMissDegrees(place.latitude) * GeoBox.leastMetersPerDegreeLatitude
      let east = boxes[slot].longitudeMissDegrees(place.longitude) * perLongitude
      let miss = (north * north + east * east).squareRoot() * Self.edgeSlack
      guard miss < horizon else { continue }
      neighborhood.slots.append(Int32(slot))
      neighborhood.boundsMeters.append(miss)
    }
    neighborhood.horizonMeters = horizon
  }
}

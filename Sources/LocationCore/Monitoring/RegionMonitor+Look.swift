extension RegionMonitor {
  /// Finds the regions on whose other side the fix lies, and weighs the fix for all that are active.
  mutating func look(from fix: RegionFix, into events: inout [RegionEvent]) {
    let first = events.count
    if !neighborhood.covers(fix.coordinate) {
      lookAround(from: fix)
      if crossCount > 0, let lastFix { lookBetween(lastFix, fix, into: &events) }
    }
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
    if !neighborhood.move(to: fix.coordinate) {
      if index.isUnsettled { settle() }
      neighborhood.gather(from: &index, tracks)
      if neighborhood.refine(from: index, tracks) != inside.count { findLeft(by: fix) }
    }
    neighborhood.scan()
    for lane in neighborhood.due {
      let slot = neighborhood.lanes[Int(lane)].slot
      let look = compare(slot, at: fix.coordinate)
      neighborhood.note(lane: lane, boundMeters: look.bound, isAsRecorded: look.agrees)
    }
    guard !neighborhood.large.isEmpty else { return }
    for place in neighborhood.large.indices where neighborhood.large[place].bound <= 0 {
      let slot = neighborhood.large[place].slot
      let look = compare(slot, at: fix.coordinate)
      neighborhood.note(large: place, boundMeters: look.agrees ? look.bound : 0)
    }
    neighborhood.settleLarge()
  }

  /// Looks at the regions that the position is held to be in, some of which are not around it any more.
  private mutating func findLeft(by fix: RegionFix) {
    for slot in inside {
      compare(slot, at: fix.coordinate)
      neighborhood.record(slot, isInside: true)
    }
  }

  /// Activates a region if a place lies on the other side than its state; metres to its edge.
  @discardableResult
  private mutating func compare(_ slot: Int32, at place: Coordinate) -> (bound: Double, agrees: Bool) {
    let edge = roughEdgeMeters(slot, at: place)
    let agrees = (edge > 0) == (tracks[Int(slot)].state != .inside)
    if !agrees { activate(slot) }
    return (abs(edge), agrees)
  }

  /// Metres to a region's edge but for centimetres; the sign is certain.
  @inline(__always)
  mutating func roughEdgeMeters(_ slot: Int32, at place: Coordinate) -> Double {
    if let scales = neighborhood.plane.scales(at: place.latitude),
      let edge = outlines.edgeMeters(
        slot, at: place, perLongitude: scales.perLongitude, perLatitude: scales.perLatitude)
    {
      return edge
    }
    return shapes[Int(slot)].edgeMeters(at: place, in: neighborhood.plane)
  }

  mutating func activate(_ slot: Int32) {
    guard !tracks[Int(slot)].isActive else { return }
    tracks[Int(slot)].isActive = true
    active.append(slot)
  }
}

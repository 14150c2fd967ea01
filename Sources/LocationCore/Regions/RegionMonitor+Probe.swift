extension RegionMonitor {
  /// Finds the regions on whose other side the fix lies, and weighs the fix for all that are active.
  mutating func look(from fix: RegionFix, into events: inout [RegionEvent]) {
    let first = events.count
    if !neighborhood.covers(fix.coordinate) {
      lookAround(from: fix, into: &events)
      if crossCount > 0, let lastFix { lookBetween(lastFix, fix, into: &events) }
    }
    var index = 0
    while index < active.count {
      let slot = active[index]
      weigh(slot, fix, into: &events)
      if cells[Int(slot)].track.isActive {
        index += 1
      } else {
        active[index] = active[active.count - 1]
        active.removeLast()
      }
    }
    if events.count - first > 1 { Self.sort(&events, from: first) }
  }

  /// Sorts events of one instant where they lie: a slice of the array would be copied.
  private static func sort(_ events: inout [RegionEvent], from first: Int) {
    unsafe events.withUnsafeMutableBufferPointer { all in
      unsafe all[first...].sort { $0.precedes($1) }
    }
  }

  /// Brings the neighbourhood up to date and activates every region whose state is not the fix's side.
  private mutating func lookAround(from fix: RegionFix, into events: inout [RegionEvent]) {
    if !neighborhood.move(to: fix.coordinate) {
      if index.isUnsettled { settle() }
      neighborhood.gather(from: &index, cells)
      if neighborhood.refine(from: index, cells) != inside.count {
        findLeft(by: fix, into: &events)
      }
    }
    neighborhood.scan()
    while let slot = neighborhood.nextDue() {
      let look = compare(slot, fix, into: &events)
      neighborhood.note(boundMeters: look.bound, isAsRecorded: look.agrees)
    }
    guard !neighborhood.large.isEmpty else { return }
    for place in neighborhood.large.indices where neighborhood.large[place].bound <= 0 {
      let slot = neighborhood.large[place].slot
      let look = compare(slot, fix, into: &events)
      neighborhood.note(large: place, boundMeters: look.agrees ? look.bound : 0)
    }
    neighborhood.settleLarge()
  }

  /// Looks at the regions that the position is held to be in, some of which are not around it any more.
  private mutating func findLeft(by fix: RegionFix, into events: inout [RegionEvent]) {
    for slot in inside {
      compare(slot, fix, into: &events)
      neighborhood.record(slot, isInside: cells[Int(slot)].track.state == .inside)
    }
  }

  /// Activates a region if a fix lies on the other side than its state, or decides at once where that is the rule;
  /// metres to its edge.
  @discardableResult
  private mutating func compare(
    _ slot: Int32, _ fix: RegionFix, into events: inout [RegionEvent]
  ) -> (bound: Double, agrees: Bool) {
    let edge = roughEdgeMeters(slot, at: fix.coordinate)
    let agrees = (edge > 0) == (cells[Int(slot)].track.state != .inside)
    if !agrees {
      if configuration.rule == .plain { decide(slot, fix, edge, into: &events) } else { activate(slot) }
    }
    return (abs(edge), agrees)
  }

  /// Metres to a region's edge but for centimetres; the sign is certain.
  @inline(__always)
  mutating func roughEdgeMeters(_ slot: Int32, at place: Coordinate) -> Double {
    if let outline = cells[Int(slot)].outline, let scales = neighborhood.plane.scales(at: place.latitude),
      let edge = outlines.edgeMeters(
        outline, at: place, perLongitude: scales.perLongitude, perLatitude: scales.perLatitude)
    {
      return edge
    }
    return cells[Int(slot)].shape.edgeMeters(at: place, in: neighborhood.plane)
  }

  mutating func activate(_ slot: Int32) {
    guard !cells[Int(slot)].track.isActive else { return }
    cells[Int(slot)].track.isActive = true
    active.append(slot)
  }
}

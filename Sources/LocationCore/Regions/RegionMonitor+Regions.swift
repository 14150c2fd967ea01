extension RegionMonitor {
  /// Takes a region; its state is unknown until the next fix.
  public mutating func add(_ region: Region) throws(RegionError) {
    _ = try add(region, RegionEvidence())
  }

  /// Takes a region in a state; the slot it got.
  mutating func add(_ region: Region, _ track: RegionEvidence) throws(RegionError) -> Int32 {
    guard slots[region.id] == nil else { throw .duplicateID(region.id) }
    guard slots.count < configuration.regionLimit else {
      throw .tooMany(limit: configuration.regionLimit)
    }
    guard region.dwellSeconds >= 0 else { throw .invalidSeconds(region.dwellSeconds) }
    guard region.exitDelaySeconds >= 0 else { throw .invalidSeconds(region.exitDelaySeconds) }
    let slot = place(region, try ShapeGeometry(region.shape), track)
    slots[region.id] = slot
    noteLatency(region)
    if track.isActive { active.append(slot) }
    if region.notify.contains(.cross) { crossCount += 1 }
    neighborhood.forget()
    return slot
  }

  private mutating func place(
    _ region: Region, _ shape: ShapeGeometry, _ track: RegionEvidence
  ) -> Int32 {
    let slot = freeSlots.last ?? Int32(cells.count)
    let box = shape.box
    let radii = shape.annulusMeters
    let ring = RegionAnnulus(slot: slot, box: box, innerMeters: radii.inner, outerMeters: radii.outer)
    index.insert(ring, box)
    let outline = outlines.insert(shape, ring)
    let cell = RegionEntry(terms: RegionTerms(region), outline: outline, shape: shape, track: track)
    if freeSlots.popLast() == nil {
      regionsBySlot.append(region)
      cells.append(cell)
    } else {
      regionsBySlot[Int(slot)] = region
      cells[Int(slot)] = cell
    }
    return slot
  }

  /// Forgets a region and all that was pending for it; tells whether there was one.
  @discardableResult
  public mutating func remove(id: String) -> Bool {
    guard let slot = slots.removeValue(forKey: id) else { return false }
    let latency = regionsBySlot[Int(slot)]?.maxLatencySeconds
    regionsBySlot[Int(slot)] = nil
    forgetLatency(latency)
    cells[Int(slot)].track.isActive = false
    active.removeAll { $0 == slot }
    inside.removeAll { $0 == slot }
    departures.removeAll { $0.slot == slot }
    approaches.removeAll { $0.slot == slot }
    if notifies(slot, .cross) { crossCount -= 1 }
    clocks.remove(slot: slot)
    freeSlots.append(slot)
    index.remove(slot)
    if let outline = cells[Int(slot)].outline { outlines.remove(outline) }
    cells[Int(slot)].outline = nil
    neighborhood.forget()
    return true
  }
}

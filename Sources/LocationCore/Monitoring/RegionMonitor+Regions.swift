extension RegionMonitor {
  /// Takes a region; its state is unknown until the next fix.
  public mutating func add(_ region: Region) throws(RegionError) {
    _ = try add(region, RegionTrack())
  }

  /// Takes a region in a state; the slot it got.
  mutating func add(_ region: Region, _ track: RegionTrack) throws(RegionError) -> Int32 {
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
    _ region: Region, _ shape: ShapeGeometry, _ track: RegionTrack
  ) -> Int32 {
    let slot: Int32
    if let free = freeSlots.popLast() {
      slot = free
      regionsBySlot[Int(slot)] = region
      terms[Int(slot)] = RegionTerms(region)
      shapes[Int(slot)] = shape
      tracks[Int(slot)] = track
    } else {
      slot = Int32(regionsBySlot.count)
      regionsBySlot.append(region)
      terms.append(RegionTerms(region))
      shapes.append(shape)
      tracks.append(track)
    }
    let box = shape.box
    let ring = shape.ringMeters
    let placed = RegionRing(slot: slot, box: box, innerMeters: ring.inner, outerMeters: ring.outer)
    index.insert(placed, box)
    outlines.insert(shape, placed)
    return slot
  }

  /// Forgets a region and all that was pending for it; tells whether there was one.
  @discardableResult
  public mutating func remove(id: String) -> Bool {
    guard let slot = slots.removeValue(forKey: id) else { return false }
    let latency = regionsBySlot[Int(slot)]?.maxLatencySeconds
    regionsBySlot[Int(slot)] = nil
    forgetLatency(latency)
    tracks[Int(slot)].isActive = false
    active.removeAll { $0 == slot }
    inside.removeAll { $0 == slot }
    departures.removeAll { $0.slot == slot }
    approaches.removeAll { $0.slot == slot }
    if notifies(slot, .cross) { crossCount -= 1 }
    clocks.remove(slot: slot)
    freeSlots.append(slot)
    index.remove(slot)
    outlines.remove(slot)
    neighborhood.forget()
    return true
  }
}

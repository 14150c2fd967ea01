extension RegionMonitor {
  /// All that a monitor knows: enough to go on as if nothing had happened.
  public struct Snapshot: Codable, Hashable, Sendable {
    struct Entry: Codable, Hashable, Sendable {
      var region: Region
      var track: RegionEvidence
      var departure: Departure?
      var dwellDue: EngineInstant?
      var approach: RegionApproach?
    }

    struct Departure: Codable, Hashable, Sendable {
      var fix: RegionFix
      var edgeMeters: Double
      var confidence: Double
      var due: EngineInstant
    }

    /// In the order of the regions' ids.
    var entries: [Entry]
    var lastFix: RegionFix?
    var inflation: AccuracyInflation
  }

  /// All that the monitor knows.
  public var snapshot: Snapshot {
    let entries = slots.sorted { $0.key < $1.key }.compactMap { _, slot in entry(of: slot) }
    return Snapshot(entries: entries, lastFix: lastFix, inflation: inflation)
  }

  private func entry(of slot: Int32) -> Snapshot.Entry? {
    guard let region = regionsBySlot[Int(slot)] else { return nil }
    var departure: Snapshot.Departure?
    if let held = departures.first(where: { $0.slot == slot }), let due = clocks.due(of: slot, .exit) {
      departure = Snapshot.Departure(
        fix: held.fix, edgeMeters: held.edgeMeters, confidence: held.confidence, due: due)
    }
    return Snapshot.Entry(
      region: region, track: cells[Int(slot)].track, departure: departure,
      dwellDue: clocks.due(of: slot, .dwell),
      approach: approaches.first { $0.slot == slot }?.approach)
  }

  /// A monitor that goes on where another stopped. The snapshot's regions are checked like any others.
  public init(configuration: RegionConfiguration, restoring snapshot: Snapshot) throws(RegionError) {
    self.init(configuration: configuration)
    lastFix = snapshot.lastFix
    inflation = snapshot.inflation
    for entry in snapshot.entries { try restore(entry) }
  }

  private mutating func restore(_ entry: Snapshot.Entry) throws(RegionError) {
    let slot = try add(entry.region, entry.track)
    if entry.track.state == .inside { inside.append(slot) }
    if let due = entry.dwellDue {
      clocks.set(RegionClock(due: due, region: entry.region.id, slot: slot, kind: .dwell))
    }
    if let approach = entry.approach { approaches.append((slot, approach)) }
    if let held = entry.departure {
      departures.append(
        RegionDeparture(
          slot: slot, fix: held.fix, edgeMeters: held.edgeMeters, confidence: held.confidence))
      clocks.set(RegionClock(due: held.due, region: entry.region.id, slot: slot, kind: .exit))
    }
  }
}

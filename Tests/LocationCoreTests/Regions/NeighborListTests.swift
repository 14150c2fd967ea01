import Testing

@testable import LocationCore

/// The neighbor list alone, against a measurement of every edge.
@Suite struct NeighborListTests {
  private static func scene(_ noise: inout SeededNoise, from origin: Coordinate) throws -> RegionCatalog {
    try RegionCatalog(
      (0..<300).map { index in
        let size = index % 40 == 0 ? 9_000 : index % 6 == 0 ? 900.0 : 120
        return circle(
          "r\(index)", radius: noise.uniform(3...size), east: noise.uniform(-4_000...4_000),
          north: noise.uniform(-4_000...4_000), from: origin, initial: .silent)
      })
  }

  /// While it covers a place, no edge lies between that and the last probe.
  @Test(arguments: [0.0, 48, 79, -85]) func `the safe distance is safe`(latitude: Double) throws {
    var noise = SeededNoise(seed: 61)
    let origin = Coordinate(uncheckedLatitude: latitude, longitude: -179.99)
    let catalog = try Self.scene(&noise, from: origin)
    var shapes: [ShapeGeometry] = []
    catalog.forEachSlot { shapes.append(catalog[$0].shape) }
    var list = NeighborList()
    var evidence = RegionEvidenceTable()
    evidence.seenAt = .distantPast
    var sides: [Bool] = []
    var (east, north) = (0.0, 0.0)
    var covered = 0
    for step in 0..<800 {
      east += noise.uniform(-12...12)
      north += noise.uniform(-12...12)
      if step % 200 == 199 { (east, north) = (noise.uniform(-3_000...3_000), noise.uniform(-3_000...3_000)) }
      let here = place(east: east, north: north, from: origin)
      let now = shapes.map { $0.edgeMeters(at: here) <= 0 }
      if list.covers(here) {
        covered += 1
        #expect(now == sides, "step \(step)")
      } else {
        Self.probe(&list, catalog, &evidence, here)
        sides = now
      }
      if now != sides { break }
    }
    #expect(covered > 50)
  }

  /// What a monitor does with it, under the plain rule.
  private static func probe(
    _ list: inout NeighborList, _ catalog: RegionCatalog, _ evidence: inout RegionEvidenceTable,
    _ here: Coordinate
  ) {
    let none = Counterevidence(settledMean: 0, updatedAt: .distantPast)
    func compare(_ slot: RegionSlot) -> (bound: Double, agrees: Bool) {
      let edge = catalog[slot].shape.edgeMeters(at: here)
      let agrees = (edge > 0) == (evidence.state(of: slot) != .inside)
      if edge <= 0, !agrees {
        evidence.set(slot, .inside(none, RegionVisit(number: 1, enteredAt: .distantPast)), isActive: false)
      } else if !agrees {
        evidence.remove(slot)
      }
      if !agrees { list.record(slot, isInside: edge <= 0) }
      return (abs(edge), agrees)
    }
    let listed: NeighborList.Listed
    switch list.move(to: here) {
    case .listed(let still): listed = still
    case .unlisted(let unlisted):
      var count = 0
      listed = list.refill(unlisted, from: catalog, evidence, insideCount: &count)
      if count != evidence.inside.count { for slot in evidence.inside { _ = compare(slot) } }
    }
    var scan = list.scan(listed)
    while let slot = list.nextDue(&scan) {
      let (bound, agrees) = compare(slot)
      list.note(scan, boundMeters: bound, isAsRecorded: agrees)
    }
    for index in list.large.indices where list.large[index].bound <= 0 {
      let (bound, agrees) = compare(list.large[index].slot)
      list.note(scan, large: index, boundMeters: agrees ? bound : 0)
    }
    list.finish(scan)
    var inside: Set<RegionSlot> = []
    catalog.forEachSlot { if catalog[$0].shape.edgeMeters(at: here) <= 0 { inside.insert($0) } }
    #expect(Set(evidence.inside) == inside)
  }
}

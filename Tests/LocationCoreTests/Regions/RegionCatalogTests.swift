import Testing

@testable import LocationCore

/// The catalog against a plain list of its regions, while regions come and go and parts are packed.
@Suite struct RegionCatalogTests {
  private static func region(_ id: Int, _ noise: inout SeededNoise) -> Region {
    let size = id % 50 == 0 ? 300_000 : id % 7 == 0 ? 5_000.0 : 300
    return Region(
      id: "r\(id)",
      shape: .circle(
        center: Coordinate(
          uncheckedLatitude: noise.uniform(60...64),
          longitude: (178 + noise.uniform(0...4)).remainder(dividingBy: 360)),
        radiusMeters: noise.uniform(5...size)),
      notify: id % 5 == 0 ? [.enter, .cross] : [.enter], maxLatencySeconds: id % 11 == 0 ? Double(id) : nil,
      initial: id % 3 == 0 ? .state : .silent)
  }

  /// What a catalog has, asked in every way that it can be.
  private static func check(
    _ catalog: RegionCatalog, _ expected: [String: Region], _ noise: inout SeededNoise
  ) {
    #expect(catalog.count == expected.count)
    #expect(catalog.regions == expected.values.sorted { $0.id < $1.id })
    #expect(catalog.totals.crossCount == expected.values.count { $0.notify.contains(.cross) })
    #expect(catalog.totals.stateCount == expected.values.count { $0.initial == .state })
    #expect(catalog.totals.leastLatencySeconds == expected.values.compactMap(\.maxLatencySeconds).min())
    var slots: [String] = []
    catalog.forEachSlot { slots.append(catalog[$0].terms.id) }
    #expect(slots.sorted() == expected.keys.sorted())
    for id in expected.keys {
      #expect(catalog.region(id) == expected[id])
      #expect(catalog.slot(of: id).map { catalog[$0].terms.id } == id)
    }
    let middle = Coordinate(
      uncheckedLatitude: noise.uniform(59...65),
      longitude: (177 + noise.uniform(0...6)).remainder(dividingBy: 360))
    let box = GeoBox(around: middle, radiusMeters: noise.uniform(10...60_000))
    var found: [RegionSlot] = []
    catalog.find(in: box, into: &found)
    let near = expected.values.filter { region in
      (try? ShapeGeometry(region.shape).box.meets(box)) == true
    }
    #expect(found.map { catalog[$0].terms.id }.sorted() == near.map(\.id).sorted())
    checkLeaves(catalog, expected, around: middle)
  }

  /// Every region that is not far away is in a leaf that is gathered.
  private static func checkLeaves(
    _ catalog: RegionCatalog, _ expected: [String: Region], around place: Coordinate
  ) {
    var groups: [RegionCatalog.LeafGroup] = []
    let horizon = catalog.gather(
      around: place, wanted: 3, hintMeters: 500, widestMeters: 100_000, into: &groups)
    var listed: Set<String> = []
    let scale = LocalScale(latitude: Swift.min(90, abs(place.latitude) + 1))
    catalog.forEachLeaf(
      of: groups, longitude: Float(place.longitude), latitude: Float(place.latitude),
      metersPerLongitude: Float(scale.metersPerDegreeLongitude), withinMeters: Float(horizon)
    ) { leaf, first, _ in
      for lane in 0..<AnnulusLeaf.width where leaf.north[lane] < .infinity {
        let slot = first.advanced(by: lane)
        if !catalog.isRemoved(slot) { listed.insert(catalog[slot].terms.id) }
      }
    }
    let missed = expected.values.filter { region in
      guard case .circle(let center, let radius) = region.shape, !listed.contains(region.id) else {
        return false
      }
      return Geodesy.distanceMeters(center, place) - radius < 0.9 * horizon
    }
    #expect(missed.isEmpty)
  }

  @Test(arguments: [1, 2, 3]) func `has what was added and not removed, however it was packed`(seed: Int)
    throws
  {
    var noise = SeededNoise(seed: seed)
    var catalog = RegionCatalog()
    var expected: [String: Region] = [:]
    var versions: [(RegionCatalog, [String: Region])] = []
    var next = 0
    for round in 0..<60 {
      for _ in 0..<Int(noise.uniform(0...(round % 10 == 0 ? 400 : 40))) {
        let region = Self.region(next, &noise)
        next += 1
        try catalog.add(region)
        expected[region.id] = region
      }
      for id in expected.keys.sorted().filter({ _ in noise.unit() < 0.05 }) {
        let wasThere = catalog.remove(id: id)
        let isThere = catalog.remove(id: id)
        #expect(wasThere && !isThere)
        // Now and then it comes back.
        if let region = expected.removeValue(forKey: id), noise.unit() < 0.3 {
          try catalog.add(region)
          expected[id] = region
        }
      }
      if round % 3 == 0 { catalog.pack() }
      if round % 6 == 0 { Self.check(catalog, expected, &noise) }
      if round % 15 == 0 { versions.append((catalog, expected)) }
    }
    // An older version does not change with its successors.
    for (version, regions) in versions { Self.check(version, regions, &noise) }
    #expect(catalog.parts.count < 20)
  }

  @Test func `a packing says where each region went`() throws {
    var noise = SeededNoise(seed: 9)
    var catalog = try RegionCatalog((0..<200).map { Self.region($0, &noise) })
    for id in 200..<500 { try catalog.add(Self.region(id, &noise)) }
    for id in stride(from: 0, to: 500, by: 7) { catalog.remove(id: "r\(id)") }
    let before = catalog
    let renumbered = catalog.packed()
    before.forEachSlot { slot in
      let moved = renumbered(slot)
      #expect(moved != .none && catalog[moved].terms.id == before[slot].terms.id)
    }
    #expect(renumbered(RegionSlot(part: 1, entry: before.parts[1].removed.map(Int.init).min() ?? 0)) == .none)
  }

  @Test func `an id is taken once, and a limit holds`() throws {
    var noise = SeededNoise(seed: 4)
    let region = Self.region(1, &noise)
    var catalog = try RegionCatalog([region])
    #expect(throws: RegionError.duplicateID("r1")) { try catalog.add(region) }
    #expect(throws: RegionError.tooMany(limit: 1)) { try catalog.add(Self.region(2, &noise), limit: 1) }
  }
}

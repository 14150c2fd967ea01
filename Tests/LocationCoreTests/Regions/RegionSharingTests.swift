import Testing

@testable import LocationCore

/// Monitors that share a catalog, and catalogs of the same regions that came to be in different ways.
@Suite struct RegionSharingTests {
  private static func regions(_ noise: inout SeededNoise) -> [Region] {
    (0..<150).map { index in
      circle(
        "r\(index)", radius: noise.uniform(5...200), east: noise.uniform(-900...900),
        north: noise.uniform(-300...300),
        notify: index % 4 == 0 ? [.enter, .exit, .cross] : [.enter, .exit, .dwell],
        dwell: 30, exitDelay: index % 5 == 0 ? 20 : 0, initial: index % 3 == 0 ? .event : .silent)
    }
  }

  private static func story(_ noise: inout SeededNoise) -> [Fix] {
    var east = -700.0
    return (0..<500).map { second in
      if noise.unit() > 0.4 { east += noise.uniform(-8...14) }
      return makeFix(
        second: Double(second),
        place(east: east + noise.uniform(-6...6), north: noise.uniform(-6...6), from: munich))
    }
  }

  @Test(arguments: [1, 2]) func `how a catalog was packed changes no event and no snapshot`(seed: Int) throws
  {
    var noise = SeededNoise(seed: seed)
    let regions = Self.regions(&noise)
    let story = Self.story(&noise)
    var whole = RegionMonitor(catalog: try RegionCatalog(regions))
    let expected = whole.events(of: story)
    #expect(expected.count > 20)

    var catalog = RegionCatalog()
    for (index, region) in regions.reversed().enumerated() {
      try catalog.add(region)
      // Some that are gone again.
      if index % 3 == 0 { try catalog.add(circle("x\(index)", east: Double(index), initial: .silent)) }
      if index % 20 == 0 { catalog.pack() }
    }
    for index in regions.indices { catalog.remove(id: "x\(index)") }
    var pieces = RegionMonitor(catalog: catalog)
    let same = pieces.events(of: story) == expected
    #expect(same)
    let alike = pieces.snapshot == whole.snapshot
    #expect(alike)
  }

  @Test(arguments: [3, 4]) func `giving memory back changes no event and no snapshot`(seed: Int) throws {
    var noise = SeededNoise(seed: seed)
    let catalog = try RegionCatalog(Self.regions(&noise))
    let story = Self.story(&noise)
    var whole = RegionMonitor(catalog: catalog)
    let expected = whole.events(of: story)
    #expect(expected.count > 20)
    var lean = RegionMonitor(catalog: catalog)
    var events: [RegionEvent] = []
    for fix in story {
      lean.observe(fix, into: &events)
      if seed == 3 || noise.unit() < 0.3 { lean.freeMemory() }
    }
    let same = events == expected
    #expect(same)
    let alike = lean.snapshot == whole.snapshot
    #expect(alike)
  }

  @Test func `packing under way changes no event`() throws {
    var noise = SeededNoise(seed: 5)
    let regions = Self.regions(&noise)
    let story = Self.story(&noise)
    var calm = RegionMonitor(catalog: try RegionCatalog(regions))
    var busy = RegionMonitor(catalog: try RegionCatalog(regions))
    var expected: [RegionEvent] = []
    var events: [RegionEvent] = []
    for (second, fix) in story.enumerated() {
      calm.observe(fix, into: &expected)
      // Far away regions come and go, and have parts packed again and again.
      for index in 0..<5 {
        try busy.add(circle("far\(second)-\(index)", north: 90_000 + Double(second * 100), initial: .silent))
      }
      if second > 20 { for index in 0..<4 { busy.remove(id: "far\(second - 20)-\(index)") } }
      busy.observe(fix, into: &events)
    }
    let same = events == expected
    #expect(same, "\(events.words) \(expected.words)")
    #expect(expected.count > 20)
  }

  @Test func `monitors that share a catalog do not disturb each other`() throws {
    var noise = SeededNoise(seed: 6)
    let catalog = try RegionCatalog(Self.regions(&noise))
    let story = Self.story(&noise)
    var alone = RegionMonitor(catalog: catalog)
    let expected = alone.events(of: story)
    var monitors = (0..<4).map { _ in RegionMonitor(catalog: catalog) }
    var events = [[RegionEvent]](repeating: [], count: 4)
    for (second, fix) in story.enumerated() {
      for index in monitors.indices {
        // Each at another place of the story.
        let other = story[(second + 100 * index) % story.count]
        var shifted = fix
        shifted.coordinate = other.coordinate
        monitors[index].observe(shifted, into: &events[index])
      }
      if second == 200 { monitors[3].remove(id: "r1") }
      if second == 300 { try monitors[2].add(circle("new", initial: .silent)) }
    }
    let same = events[0] == expected
    #expect(same)
    #expect(monitors[2].count == 151 && monitors[3].count == 149 && monitors[0].count == 150)
    #expect(catalog.count == 150 && catalog.region("r1") != nil)
  }

  /// A region that is far away and outside costs nothing.
  @Test func `a device keeps records only of regions around it`() throws {
    var noise = SeededNoise(seed: 7)
    let regions = (0..<3_000).map { index in
      circle(
        "r\(index)", radius: noise.uniform(10...200), east: noise.uniform(-20_000...20_000),
        north: noise.uniform(-20_000...20_000), initial: .silent)
    }
    var monitor = RegionMonitor(catalog: try RegionCatalog(regions))
    var events: [RegionEvent] = []
    for fix in Self.story(&noise) {
      monitor.observe(fix, into: &events)
      #expect(monitor.evidence.records.count < 30)
    }
    let visited = Set(events.filter { $0.visit > 0 }.map(\.region)).count
    #expect(monitor.snapshot.entries.count <= visited + 30)
  }

  @Test func `a first fix finds the same whether regions report their first state or not`() throws {
    var noise = SeededNoise(seed: 8)
    for _ in 0..<20 {
      let regions = (0..<80).map { index in
        circle(
          "r\(index)", radius: noise.uniform(5...400), east: noise.uniform(-500...500),
          north: noise.uniform(-500...500), initial: .silent)
      }
      var quiet = RegionMonitor(catalog: try RegionCatalog(regions))
      let loud = regions.map { region in
        var region = region
        region.initial = .state
        return region
      }
      var reporting = RegionMonitor(catalog: try RegionCatalog(loud))
      for second in 0..<40 {
        let fix = makeFix(
          second: Double(second), place(east: noise.uniform(-20...20), from: munich))
        _ = quiet.events(of: [fix])
        _ = reporting.events(of: [fix])
        var known = [quiet.snapshot, reporting.snapshot]
        for place in known.indices { known[place].regions = [] }
        #expect(known[0] == known[1], "second \(second)")
      }
    }
  }
}

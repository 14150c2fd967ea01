import Testing

@testable import LocationCore

/// What must hold for every track. The track here walks among small, large, overlapping and neighbouring
/// circles, with stops on edges, teleports and gaps.
@Suite struct RegionMonitorProperties {
  private static let regions: [Region] = [
    circle("a", radius: 100), circle("b", radius: 60, east: 72),
    circle("c", radius: 400, east: 200, notify: [.enter, .exit, .dwell], dwell: 45),
    circle("d", radius: 25, east: 300, north: 50, exitDelay: 30),
    circle(
      "e", radius: 80, east: 500, notify: [.enter, .exit, .dwell], dwell: 20, exitDelay: 15, initial: .event),
    circle("f", radius: 5_000, north: 4_900), circle("g", radius: 50, east: 30_000),
    outline("h", [(-400, -60), (-200, -60), (-200, 60), (-300, 0), (-400, 60), (-400, -60)]),
    outline("i", [(120, -9), (130, -9), (130, 9), (120, 9), (120, -9)]),
    Region(
      id: "j",
      shape: .corridor(
        line: [place(east: 600, north: -90, from: munich), place(east: 640, north: 80, from: munich)],
        bufferMeters: 12),
      notify: [.enter, .exit, .cross]),
  ]

  private static func outline(_ id: String, _ corners: [(Double, Double)]) -> Region {
    let ring = corners.map { place(east: $0.0, north: $0.1, from: munich) }
    return Region(
      id: id, shape: .polygon(Region.Polygon(shell: ring)), notify: [.enter, .exit, .dwell, .cross],
      dwellSeconds: 30)
  }

  /// A fix, or a gap where nil.
  private static func story(seed: Int, count: Int = 700, origin: Coordinate = munich) -> [Fix?] {
    var receiver = SimulatedReceiver(seed: seed, sigmaMeters: 6, correlationSeconds: 20)
    var story: [Fix?] = []
    var east = 0.0
    var speed = 5.0
    for second in 0..<count {
      if second % 60 == 0 {
        let speeds: [Double] = [0, 1.4, 5, 15, -15, -5]
        speed = speeds[Int(receiver.noise.bits() % 6)]
        if abs(east) > 700 { speed = east > 0 ? -15 : 15 }
      }
      east += speed
      if receiver.noise.unit() < 0.005 { story.append(nil) }
      let wild = receiver.noise.unit() < 0.01 ? receiver.noise.uniform(-3_000...3_000) : 0
      story.append(receiver.fix(second: second, east: east + wild, north: 0, from: origin))
    }
    return story
  }

  private static func events(_ monitor: inout RegionMonitor, _ story: [Fix?]) -> [RegionEvent] {
    var events: [RegionEvent] = []
    for fix in story {
      if let fix { monitor.observe(fix, into: &events) } else { monitor.noteGap() }
    }
    return events
  }

  /// Without the number of the visit: a passage has one too.
  private static func unnumbered(_ event: RegionEvent) -> RegionEvent {
    var event = event
    event.visit = 0
    return event
  }

  private static let seeds = [1, 2, 3]

  @Test(arguments: seeds) func alternate(seed: Int) throws {
    var monitor = try monitor(Self.regions)
    let events = Self.events(&monitor, Self.story(seed: seed))
    #expect(events.count > 10)
    var inside: [String: Int] = [:]
    for event in events {
      switch event.kind {
      case .enter:
        #expect(inside[event.region] == nil)
        inside[event.region] = event.visit
      case .exit:
        #expect(inside[event.region] == event.visit)
        inside[event.region] = nil
      case .state(let state):
        if state == .inside { inside[event.region] = event.visit }
      case .dwell: #expect(inside[event.region] == event.visit)
      case .cross: break
      }
      #expect((0...1).contains(event.confidence))
    }
    let sorted = events.map(\.instant)
    #expect(sorted == sorted.sorted())
  }

  @Test(arguments: seeds) func orderOfRegionsDoesNotMatter(seed: Int) throws {
    let story = Self.story(seed: seed)
    var forwards = try monitor(Self.regions)
    var backwards = try monitor(Self.regions.reversed())
    let same = Self.events(&forwards, story) == Self.events(&backwards, story)
    #expect(same)
    let alike = forwards.snapshot == backwards.snapshot
    #expect(alike)
  }

  @Test(arguments: seeds) func aShiftInTimeShiftsTheEvents(seed: Int) throws {
    let story = Self.story(seed: seed)
    var one = try monitor(Self.regions)
    var other = try monitor(Self.regions)
    let shift: Int64 = 1_234_567_890_123
    let shifted = story.map { fix in
      fix.map { fix in
        var later = fix
        later.instant.microseconds += shift
        return later
      }
    }
    let events = Self.events(&other, shifted).map { event in
      var earlier = event
      earlier.instant.microseconds -= shift
      earlier.passage?.entered.microseconds -= shift
      earlier.passage?.left.microseconds -= shift
      return earlier
    }
    let same = Self.events(&one, story) == events
    #expect(same)
  }

  @Test(arguments: [-179.9, -168.4246, 168.42459, 168.4246, 168.43, 90.0, 300])
  func aShiftInLongitudeGivesTheSameEvents(degrees: Double) throws {
    func shifted(_ place: Coordinate) -> Coordinate {
      Coordinate(
        uncheckedLatitude: place.latitude,
        longitude: (place.longitude + degrees).remainder(dividingBy: 360))
    }
    let story = Self.story(seed: 4)
    var one = try monitor(Self.regions)
    var other = try monitor(
      Self.regions.map { region in
        var moved = region
        switch region.shape {
        case .circle(let center, let radius):
          moved.shape = .circle(center: shifted(center), radiusMeters: radius)
        case .polygon(let polygon):
          moved.shape = .polygon(
            Region.Polygon(shell: polygon.shell.map(shifted), holes: polygon.holes.map { $0.map(shifted) }))
        case .multiPolygon, .beacon: break
        case .corridor(let line, let buffer):
          moved.shape = .corridor(line: line.map(shifted), bufferMeters: buffer)
        }
        return moved
      })
    let moved = story.map { fix in
      fix.map { fix in
        var moved = fix
        moved.coordinate = shifted(fix.coordinate)
        return moved
      }
    }
    let here = Self.events(&one, story)
    let there = Self.events(&other, moved)
    #expect(here.words == there.words)
    #expect(here.map(\.reason) == there.map(\.reason))
    #expect(zip(here, there).allSatisfy { abs($0.edgeMeters - $1.edgeMeters) < 1e-4 })
  }

  @Test(arguments: seeds) func duplicatesAndLateCopiesChangeNothing(seed: Int) throws {
    let story = Self.story(seed: seed)
    var plain = try monitor(Self.regions)
    var noisy = try monitor(Self.regions)
    let expected = Self.events(&plain, story)
    var events: [RegionEvent] = []
    for (index, fix) in story.enumerated() {
      guard let fix else {
        noisy.noteGap()
        continue
      }
      noisy.observe(fix, into: &events)
      noisy.observe(fix, into: &events)
      if index > 10, let late = story[index - 10] { noisy.observe(late, into: &events) }
    }
    let same = events == expected
    #expect(same, "\(events.words) \(expected.words)")
  }

  @Test(arguments: seeds) func extraAdvancesChangeNothing(seed: Int) throws {
    let story = Self.story(seed: seed)
    var plain = try monitor(Self.regions)
    var busy = try monitor(Self.regions)
    let expected = Self.events(&plain, story)
    var events: [RegionEvent] = []
    for fix in story {
      guard let fix else {
        busy.noteGap()
        continue
      }
      if let due = busy.nextDeadline, due <= fix.instant { busy.advance(to: due, into: &events) }
      busy.advance(to: fix.instant, into: &events)
      busy.observe(fix, into: &events)
      busy.advance(to: fix.instant, into: &events)
    }
    let same = events == expected
    #expect(same, "\(events.words) \(expected.words)")
  }

  @Test func aRestoreAtAnyFixIsInvisible() throws {
    let story = Self.story(seed: 9, count: 400)
    var whole = try monitor(Self.regions)
    let expected = Self.events(&whole, story)
    for cut in story.indices {
      var first = try monitor(Self.regions)
      let before = Self.events(&first, Array(story[..<cut]))
      var second = try RegionMonitor(configuration: first.configuration, restoring: first.snapshot)
      let alike = second.snapshot == first.snapshot
      #expect(alike)
      let same = before + Self.events(&second, Array(story[cut...])) == expected
      #expect(same, "cut at \(cut)")
    }
  }

  /// Also while regions come and go: those that no fix has met yet, and those that rest since a moment ago.
  @Test(arguments: seeds) func aRestoreIsInvisibleAmongRegionsThatComeAndGo(seed: Int) throws {
    var noise = SeededNoise(seed: seed)
    var whole = try monitor(Self.regions)
    var cut = try monitor(Self.regions)
    var unseen = 0
    var rested = 0
    for (index, fix) in Self.story(seed: seed).enumerated() {
      if noise.uniform(0...1) < 0.2 {
        let region = circle(
          "new \(index)", radius: noise.uniform(10...300), east: noise.uniform(-400...400),
          north: noise.uniform(-400...400))
        try whole.add(region)
        try cut.add(region)
      }
      if noise.uniform(0...1) < 0.1, whole.count > 0 {
        let id = whole.regions[Int(noise.bits() % UInt64(whole.count))].id
        whole.remove(id: id)
        cut.remove(id: id)
      }
      let snapshot = cut.snapshot
      unseen = max(unseen, snapshot.unseen.count)
      rested = max(rested, snapshot.rested.count)
      cut = try RegionMonitor(configuration: cut.configuration, restoring: snapshot)
      #expect(cut.snapshot == snapshot, "fix \(index)")
      guard let fix else {
        whole.noteGap()
        cut.noteGap()
        continue
      }
      let expected = whole.events(of: [fix])
      let events = cut.events(of: [fix])
      #expect(events == expected, "fix \(index)")
    }
    #expect(unseen > 0 && rested > 0)
  }

  /// The cache of what is near must not decide anything.
  @Test(arguments: seeds) func lookingAfreshAtEveryFixChangesNothing(seed: Int) throws {
    let story = Self.story(seed: seed)
    var cached = try monitor(Self.regions)
    var fresh = try monitor(Self.regions)
    let expected = Self.events(&cached, story)
    var events: [RegionEvent] = []
    for fix in story {
      fresh.neighbors.forget()
      fresh.activateAll(at: fix?.instant)
      if let fix { fresh.observe(fix, into: &events) } else { fresh.noteGap() }
    }
    let same = events == expected
    #expect(same, "\(events.words) \(expected.words)")
  }

  /// A region that hears of passages is measured exactly at each weighing, others only where that can matter.
  @Test(arguments: seeds) func measuringExactlyEachTimeChangesNothing(seed: Int) throws {
    var noise = SeededNoise(seed: seed)
    let regions = (0..<40).map { index in
      let middle = place(east: noise.uniform(-800...800), north: noise.uniform(-300...300), from: munich)
      let shell = ShapeGeometryTests.star(5 + index % 20, &noise, at: middle, radius: noise.uniform(80...400))
      return Region(id: "star\(index)", shape: .polygon(Region.Polygon(shell: shell)))
    }
    var some = RegionMonitor()
    var each = RegionMonitor()
    for var region in regions {
      try some.add(region)
      region.notify.insert(.cross)
      try each.add(region)
    }
    let story = Self.story(seed: seed)
    let events = Self.events(&some, story).map(Self.unnumbered)
    #expect(events.count > 20)
    #expect(events == Self.events(&each, story).filter { $0.kind != .cross }.map(Self.unnumbered))
  }

  /// Dense circles of all sizes, most of them overlapping, against a look at every region for every fix.
  @Test(arguments: [0.0, 61, -84.5], [5.0, 60]) func theIndexMissesNothing(latitude: Double, step: Double)
    throws
  {
    var noise = SeededNoise(seed: 31)
    let origin = Coordinate(uncheckedLatitude: latitude, longitude: 179.99)
    let regions = (0..<240).map { index in
      let size = index % 40 == 0 ? 9_000 : index % 6 == 0 ? 900.0 : 120
      return circle(
        "r\(index)", radius: noise.uniform(3...size), east: noise.uniform(-1_500...1_500),
        north: noise.uniform(-1_500...1_500), from: origin, initial: .silent)
    }
    var quick = try monitor(regions, .plain)
    var inside: [Bool] = []
    var east = 0.0
    var north = 0.0
    var count = 0
    for second in 0..<400 {
      // Now and then the track jumps, and a few regions come and go.
      if second % 100 == 99 {
        (east, north) = (noise.uniform(-9_000...9_000), noise.uniform(-3_000...3_000))
      }
      if second % 40 == 20 {
        for index in stride(from: second % 7, to: 240, by: 31) { quick.remove(id: "r\(index)") }
        for index in stride(from: second % 7, to: 240, by: 31) { try quick.add(regions[index]) }
      }
      east += noise.uniform(-step...step)
      north += noise.uniform(-step...step)
      let fix = makeFix(second: Double(second), place(east: east, north: north, from: origin))
      var events: [RegionEvent] = []
      quick.observe(fix, into: &events)
      count += events.count
      inside = regions.map { region in
        guard case .circle(let center, let radius) = region.shape else { return false }
        return Geodesy.distanceMeters(center, fix.coordinate) <= radius
      }
      let wrong = regions.indices.filter {
        (quick.state(of: regions[$0].id) == .inside) != inside[$0]
      }
      #expect(wrong.isEmpty, "second \(second): \(wrong.map { regions[$0] })")
      if !wrong.isEmpty { break }
    }
    #expect(count > 20)
  }

  /// A drive with slow turns among shapes of every kind, for which near lists are laid ahead, against a look at
  /// every region for every fix.
  @Test(arguments: [0.0, 61, -79.9]) func aDriveMissesNothing(latitude: Double) throws {
    var noise = SeededNoise(seed: 32)
    let origin = Coordinate(uncheckedLatitude: latitude, longitude: 179.97)
    let regions = (0..<400).map { index in
      let middle = place(
        east: noise.uniform(-6_000...6_000), north: noise.uniform(-6_000...6_000), from: origin)
      var region = circle("r\(index)", radius: noise.uniform(20...300), from: middle, initial: .silent)
      switch index % 4 {
      case 1, 2:
        let ring = ShapeGeometryTests.star(
          index % 8 < 4 ? 5 + index % 28 : 60, &noise, at: middle, radius: noise.uniform(30...300))
        region.shape = .polygon(Region.Polygon(shell: ring))
      case 3:
        region.shape = .corridor(
          line: [
            place(east: -200, from: middle), place(east: 100, north: 50, from: middle),
            place(east: 150, north: 300, from: middle),
          ], bufferMeters: noise.uniform(5...40))
      default: break
      }
      return region
    }
    let shapes = try regions.map { try ShapeGeometry($0.shape) }
    var quick = try monitor(regions, .plain)
    var (east, north, turn) = (0.0, 0.0, 0.3)
    var count = 0
    for second in 0..<600 {
      turn += noise.uniform(-0.05...0.05)
      if abs(east) > 6_000 || abs(north) > 6_000 { turn += 0.3 }
      let (sine, cosine) = Trig.sincos(turn)
      east += 30 * cosine
      north += 30 * sine
      let fix = makeFix(second: Double(second), place(east: east, north: north, from: origin))
      var events: [RegionEvent] = []
      quick.observe(fix, into: &events)
      count += events.count
      let wrong = regions.indices.filter {
        (quick.state(of: regions[$0].id) == .inside) != (shapes[$0].edgeMeters(at: fix.coordinate) <= 0)
      }
      #expect(wrong.isEmpty, "second \(second): \(wrong.map { regions[$0] })")
      if !wrong.isEmpty { break }
    }
    #expect(count > 20)
  }
}

extension RegionMonitor {
  /// Has the next fix update the evidence of every region.
  mutating func activateAll(at instant: EngineInstant?) {
    guard let instant, evidence.seenAt != nil else { return }
    for region in regions {
      guard let slot = catalog.slot(of: region.id) else { continue }
      evidence.open(evidence.rank(of: slot), isActive: true, by: configuration)
      evidence.dropRested(at: instant)
    }
  }
}

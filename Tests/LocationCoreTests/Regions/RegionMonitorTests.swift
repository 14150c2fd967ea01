import Testing

@testable import LocationCore

/// What a region tells of plain tracks. East is metres from the centre of a circle of 100 m, one fix a second.
@Suite struct RegionMonitorTests {
  /// A track along the east axis.
  private func track(_ east: [Double], sigma: Double = 5, from second: Int = 0, every step: Double = 1)
    -> [Fix]
  {
    east.enumerated().map { index, meters in
      makeFix(
        second: Double(second) + Double(index) * step, place(east: meters, from: munich), sigmaMeters: sigma)
    }
  }

  @Test func tellsTheFirstStateAtTheFirstFix() throws {
    var monitor = try monitor([circle("home"), circle("far", east: 5_000)])
    #expect(monitor.state(of: "home") == .unknown)
    #expect(monitor.events(of: track([10])).words == ["outside far@0", "inside home@0"])
    #expect(monitor.state(of: "home") == .inside)
    #expect(monitor.state(of: "far") == .outside)
    #expect(monitor.state(of: "nowhere") == nil)
  }

  /// Toward a pole a degree of longitude shrinks to nothing; what is far away stays so.
  @Test(arguments: [1.0, -1]) func takesFixesUpToThePoles(side: Double) throws {
    func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
      Coordinate(uncheckedLatitude: side * latitude, longitude: longitude)
    }
    let cap = (0...24).map { at(89.6, Double($0 % 24) * 15 - 170) }
    let regions = [
      circle("far"), Region(id: "near", shape: .circle(center: at(89.3, 20), radiusMeters: 15_000)),
      Region(id: "pole", shape: .circle(center: at(90, 0), radiusMeters: 20_000)),
      Region(id: "cap", shape: .polygon(Region.Polygon(shell: cap))),
    ]
    var monitor = try monitor(regions, .plain)
    let shapes = try regions.map { try ShapeGeometry($0.shape) }
    var noise = SeededNoise(seed: 7)
    var events: [RegionEvent] = []
    for second in 0..<2_000 {
      let isNear = second % 500 > 20
      let here = at(isNear ? noise.uniform(88.5...90) : noise.uniform(40...90), noise.uniform(-180...180))
      monitor.observe(makeFix(second: Double(second), here, sigmaMeters: 5), into: &events)
      for (region, shape) in zip(regions, shapes) {
        let edge = shape.edgeMeters(at: here)
        guard abs(edge) > 1 else { continue }
        #expect(monitor.state(of: region.id) == (edge <= 0 ? .inside : .outside), "\(region.id) \(here)")
      }
    }
  }

  @Test(arguments: [
    (Region.Initial.state, 0.0, ["inside home@0"]), (.event, 0, ["enter home@0"]), (.silent, 0, []),
    (.state, 500, ["outside home@0"]), (.event, 500, []), (.silent, 500, []),
    (.state, 101, ["outside home@20"]), (.event, 99, ["enter home@20"]), (.silent, 99, []),
  ])
  func saysOfTheFirstStateWhatTheRegionAsksFor(initial: Region.Initial, east: Double, words: [String]) throws
  {
    var monitor = try monitor([circle("home", initial: initial)])
    #expect(monitor.events(of: track(Array(repeating: east, count: 30))).words == words)
  }

  @Test func aRegionTooSmallForTheFixStaysUnknown() throws {
    var monitor = try monitor([circle("dot", radius: 10)])
    #expect(monitor.events(of: track(Array(repeating: 2, count: 600), sigma: 10)).isEmpty)
    #expect(monitor.state(of: "dot") == .unknown)
    #expect(monitor.events(of: track([80], sigma: 10, from: 600)).words == ["outside dot@600"])
  }

  @Test func clearFixesInARowMakeAnExitAndAnEnter() throws {
    var monitor = try monitor([circle("home")])
    let out = stride(from: 0.0, through: 300, by: 10).map { $0 }
    let events = monitor.events(of: track(out + out.reversed()))
    // 122.5 m is 4.5 standard deviations out; 130, 140 and 150 m are seen at 13, 14 and 15 s.
    #expect(events.words == ["inside home@0", "exit home@15", "enter home@56"])
    #expect(events.map(\.visit) == [1, 1, 2])
    #expect(events.map(\.reason) == [.initial, .clear, .clear])
    #expect(events[1].insideSeconds == 15)
    #expect(abs(events[1].edgeMeters - 50) < 0.1)
    #expect(events[1].confidence > 0.999)
  }

  @Test func confidentFixesHeldForTwentySecondsMakeAnExit() throws {
    var monitor = try monitor([circle("home")])
    let events = monitor.events(of: track([0, 0, 0] + Array(repeating: 120, count: 40)))
    #expect(events.words == ["inside home@0", "exit home@23"])
    #expect(events[1].reason == .held)
  }

  @Test func aRestNearTheEdgeSettlesInTime() throws {
    var monitor = try monitor([circle("home")])
    let events = monitor.events(of: track([0] + Array(repeating: 116, count: 3600)))
    #expect(events.map(\.reason) == [.initial, .settled])
    #expect(try #require(events.last).instant.microseconds < 3_000_000_000)
  }

  @Test func twoConfidentFixesAreEnoughWhereFixesAreSeldom() throws {
    var monitor = try monitor([circle("home")])
    #expect(
      monitor.events(of: track([0, 0, 500, 0, 500, 500], every: 60)).words
        == ["inside home@0", "exit home@300"])
  }

  /// Claimed standard deviations of a lone wild fix, whose place is `east`.
  @Test(arguments: [0.1, 1, 5, 50, 500, 5_000], [0.0, 300])
  func aLoneOutlierChangesNothing(sigma: Double, home: Double) throws {
    var monitor = try monitor([circle("home")])
    _ = monitor.events(of: track(Array(repeating: home, count: 30)))
    for (index, wild) in [250.0, 3_000, 2e6, 0].enumerated() where wild != home {
      let second = 100 * (index + 1)
      let fix = makeFix(second: Double(second), place(east: wild, from: munich), sigmaMeters: sigma)
      #expect(monitor.events(of: [fix]).isEmpty)
      #expect(monitor.events(of: track(Array(repeating: home, count: 30), from: second + 1)).isEmpty)
    }
  }

  @Test func aFixWorseThanTheRegionNeverEntersIt() throws {
    var monitor = try monitor([circle("dot", radius: 50)])
    let away = Array(repeating: 5_000.0, count: 5)
    // 68 % within 51 m.
    let sigma = 51 / Accuracy.sigmasIn68Percent
    let events = monitor.events(
      of: track(away) + track(Array(repeating: 0, count: 7_200), sigma: sigma, from: 5))
    #expect(events.words == ["outside dot@0"])
  }

  @Test func aSmallRegionFires() throws {
    var monitor = try monitor([circle("gate", radius: 15)])
    let events = monitor.events(
      of: track(Array(repeating: 500, count: 5)) + track(Array(repeating: 4, count: 40), sigma: 7, from: 5)
        + track(Array(repeating: 200, count: 5), sigma: 7, from: 45))
    #expect(events.words == ["outside gate@0", "enter gate@25", "exit gate@47"])
  }

  /// From a radius on that is a little above that of the fixes both ask for the same evidence, wherever the fixes lie.
  @Test(arguments: 0..<60)
  func aPolygonIsEnteredLikeTheCircleAroundIt(seed: Int) throws {
    var noise = SeededNoise(seed: seed)
    let radius = noise.uniform(10...150)
    let sigma = radius / (noise.uniform(1.05...4) * Accuracy.sigmasIn68Percent)
    func point(_ share: Double, _ turn: Double) -> Coordinate {
      let (sine, cosine) = Trig.sincos(2 * Double.pi * turn)
      return place(east: share * radius * cosine, north: share * radius * sine, from: munich)
    }
    let ring = (0...64).map { point(1, Double($0 % 64) / 64) }
    var monitor = try monitor([
      circle("circle", radius: radius),
      Region(id: "polygon", shape: .polygon(Region.Polygon(shell: ring))),
    ])
    var events = monitor.events(of: track(Array(repeating: 5_000, count: 10)))
    let here = point(noise.uniform(0...0.95), noise.uniform(0...1))
    for second in 10..<100 {
      monitor.observe(makeFix(second: Double(second), here, sigmaMeters: sigma), into: &events)
    }
    let verdicts = monitor.verdicts(since: [:], [], asked: nil)
    let circle = try #require(verdicts.first { $0.region == "circle" })
    let polygon = try #require(verdicts.first { $0.region == "polygon" })
    // Its sides lie 0.12 % of the radius farther in.
    let error =
      0.002 * radius + DeepestPlace.toleranceShare * RegionConfiguration().attainableReachSigmas * sigma
    #expect(abs(circle.heldMeters - polygon.heldMeters) <= error, "seed \(seed): \(circle) \(polygon)")
    guard abs(-circle.edgeMeters - circle.heldMeters) > 2 * error else { return }
    #expect(monitor.state(of: "polygon") == monitor.state(of: "circle"), "seed \(seed): \(events.words)")
  }

  @Test func dwellIsToldFromADeadlineWhenFixesStop() throws {
    var monitor = try monitor([circle("home", notify: [.dwell], dwell: 60)])
    #expect(monitor.events(of: track([0, 0])).words == ["inside home@0"])
    #expect(monitor.nextDeadline == EngineInstant(microseconds: 60_000_000))
    var events: [RegionEvent] = []
    monitor.advance(to: EngineInstant(microseconds: 59_999_999), into: &events)
    #expect(events.isEmpty)
    monitor.advance(to: EngineInstant(microseconds: 90_000_000), into: &events)
    #expect(events.words == ["dwell home@60"])
    #expect(events[0].reason == .dwelled)
    #expect(monitor.nextDeadline == nil)
  }

  /// Fixes far outside that each are less accurate than the one before make no row that says it left.
  @Test(arguments: [false, true]) func `a dwell waits while the last fix all but rules it out`(returns: Bool)
    throws
  {
    var monitor = try monitor([circle("home", notify: [.enter, .exit, .dwell], dwell: 120)])
    var fixes = track(Array(repeating: 0, count: 20), every: 5)
    for (index, sigma) in [20.0, 90, 130, 160, 200].enumerated() {
      fixes += track([400], sigma: sigma, from: 100 + 5 * index)
    }
    #expect(monitor.events(of: fixes).words == ["inside home@0"])
    let later = monitor.events(of: track(Array(repeating: returns ? 0 : 400, count: 6), from: 125, every: 5))
    #expect(later.words.contains { $0.hasPrefix("dwell") } == returns, "\(later.words)")
    #expect(later.words.contains { $0.hasPrefix("exit") } == !returns, "\(later.words)")
  }

  /// What was due while nobody was there is told by the next fix, if that is inside.
  @Test(arguments: [0.0, 900]) func dwellWaitsForAFixWhereNobodyWasThere(meters: Double) throws {
    var monitor = try monitor([circle("home", notify: [.dwell], dwell: 60)])
    _ = monitor.events(of: track([0, 0, 0]))
    monitor.noteAbsence(at: EngineInstant(microseconds: 2_000_000))
    var copy = try RegionMonitor(
      configuration: monitor.configuration, restoring: Coding.copy(monitor.snapshot))
    var events: [RegionEvent] = []
    copy.advance(to: EngineInstant(microseconds: 90_000_000), into: &events)
    #expect(events.isEmpty)
    let later = copy.events(of: track(Array(repeating: meters, count: 5), from: 100))
    #expect(later.words == (meters == 0 ? ["dwell home@100"] : []))
    #expect(copy.snapshot.absentSince == nil)
  }

  /// A delayed exit that was due while nobody was there is told by the next fix, if that is outside.
  @Test(arguments: [0.0, 300]) func `a delayed exit waits for a fix where nobody was there`(meters: Double)
    throws
  {
    var monitor = try monitor([circle("home", exitDelay: 60)])
    _ = monitor.events(of: track([0, 0] + Array(repeating: 300, count: 5)))
    monitor.noteAbsence(at: EngineInstant(microseconds: 6_000_000))
    var events: [RegionEvent] = []
    monitor.advance(to: EngineInstant(microseconds: 90_000_000), into: &events)
    #expect(events.isEmpty && monitor.nextDeadline == nil && monitor.state(of: "home") == .inside)
    var copy = try RegionMonitor(
      configuration: monitor.configuration, restoring: Coding.copy(monitor.snapshot))
    let later = copy.events(of: track(Array(repeating: meters, count: 10), from: 100))
    #expect(later.words == (meters == 0 ? [] : ["exit home@100"]))
    #expect(later.allSatisfy { $0.reason == .delayed && $0.insideSeconds == 4 })
    #expect(copy.state(of: "home") == (meters == 0 ? .inside : .outside))
  }

  @Test func dwellWaitsWhileLeavingIsPendingAndIsDroppedByTheExit() throws {
    let region = circle("home", notify: [.dwell, .exit], dwell: 60)
    var leaves = try monitor([region])
    let staying = Array(repeating: 0.0, count: 50)
    let out = Array(repeating: 120.0, count: 30)
    #expect(leaves.events(of: track(staying + out)).words == ["inside home@0", "exit home@70"])
    var returns = try monitor([region])
    #expect(
      returns.events(of: track(staying + out.prefix(15) + staying)).words == [
        "inside home@0", "dwell home@65",
      ])
  }

  @Test func anExitDelayHoldsTheExitBackAndAReturnWithdrawsIt() throws {
    let region = circle("home", exitDelay: 60)
    let out = Array(repeating: 300.0, count: 30)
    var leaves = try monitor([region])
    var events = leaves.events(of: track([0, 0] + out))
    #expect(leaves.state(of: "home") == .inside && leaves.inside.count == 1)
    leaves.advance(to: EngineInstant(microseconds: 100_000_000), into: &events)
    #expect(events.words == ["inside home@0", "exit home@64"])
    #expect(events[1].reason == .delayed)
    #expect(events[1].insideSeconds == 4)
    #expect(leaves.state(of: "home") == .outside)
    var returns = try monitor([region])
    let back = Array(repeating: 0.0, count: 90)
    #expect(returns.events(of: track([0, 0] + out + back)).words == ["inside home@0"])
    #expect(returns.nextDeadline == nil)
  }

  @Test func exitsComeBeforeEntersThenById() throws {
    let out = [circle("z"), circle("b")]
    let into = [circle("a", east: 1_000), circle("y", east: 1_000)]
    var monitor = try monitor(out + into)
    _ = monitor.events(of: track([0]))
    let events = monitor.events(of: track([1_000, 1_000, 1_000], from: 1))
    #expect(events.words == ["exit b@3", "exit z@3", "enter a@3", "enter y@3"])
  }

  @Test func aGapStartsRunsAgain() throws {
    var monitor = try monitor([circle("home")])
    _ = monitor.events(of: track([0, 300, 300]))
    monitor.noteGap()
    #expect(monitor.events(of: track([300, 300], from: 3)).isEmpty)
    #expect(monitor.events(of: track([300], from: 5)).words == ["exit home@5"])
  }

  @Test func `fixes that each come after a silence follow one another`() throws {
    var monitor = try monitor([circle("home")])
    _ = monitor.events(of: track([1_000, 1_000]))
    var words: [String] = []
    func see(_ east: Double, at second: Int, isSilence: Bool) {
      let silenceEnd = EngineInstant(microseconds: Int64(second) * 1_000_000)
      monitor.noteGap(silenceEnd: isSilence ? silenceEnd : nil)
      words += monitor.events(of: track([east], from: second)).words
    }
    // The first silence may be a lost signal; from the second on it is how seldom the fixes come.
    for minute in 1...3 { see(0, at: minute * 600, isSilence: true) }
    #expect(words == ["enter home@1200"])
    // A new segment of a track, or another source, is no silence.
    for minute in 4...9 { see(1_000, at: minute * 600, isSilence: false) }
    #expect(words == ["enter home@1200"])
    // The first silence after those is a lost signal again.
    see(1_000, at: 6_000, isSilence: true)
    #expect(words == ["enter home@1200"])
    #expect(monitor.snapshot.lastFix?.isAfterSilence == true)
    see(1_000, at: 6_600, isSilence: true)
    #expect(words == ["enter home@1200", "exit home@6600"])
  }

  @Test func regionsComeAndGoBetweenFixes() throws {
    var monitor = try monitor([circle("home")])
    _ = monitor.events(of: track([0]))
    try monitor.add(circle("work", east: 2_000))
    #expect(throws: RegionError.duplicateID("work")) { try monitor.add(circle("work")) }
    #expect(monitor.events(of: track([0, 0], from: 1)).words == ["outside work@1"])
    let removed = [monitor.remove(id: "home"), monitor.remove(id: "home")]
    #expect(removed == [true, false])
    #expect(monitor.state(of: "home") == nil)
    #expect(monitor.regions.map(\.id) == ["work"])
    let there = track([2_000, 2_000, 2_000], from: 10)
    #expect(monitor.events(of: there).words == ["enter work@12"])
    try monitor.add(circle("home"))
    #expect(monitor.events(of: track([2_000], from: 13)).words == ["outside home@13"])
  }

  @Test func `a visit goes on where only the terms of its region change`() throws {
    var monitor = try monitor([circle("home", notify: [.enter, .exit, .dwell], dwell: 60)])
    _ = monitor.events(of: track([0, 0]))
    // Others come, so that the slot moves as well.
    for index in 0..<40 {
      try monitor.add(circle("far \(index)", east: 5_000 + Double(index), initial: .silent))
    }
    func change(_ region: Region, _ second: Double) throws -> Bool {
      try monitor.change(region, at: EngineInstant(microseconds: Int64(second * 1e6)))
    }
    let named = Region(
      id: "home", name: "Home", shape: circle("home").shape, notify: [.enter, .exit, .dwell], dwellSeconds: 30
    )
    #expect(try change(named, 2))
    #expect(monitor.state(of: "home") == .inside && monitor.regions.last?.name == "Home")
    let stay = monitor.events(of: track(Array(repeating: 0, count: 50), from: 2))
    #expect(stay.words == ["dwell home@30"])
    // What was told is not told again.
    #expect(try change(circle("home", notify: [.exit, .dwell], dwell: 40), 52))
    #expect(monitor.events(of: track(Array(repeating: 0, count: 20), from: 52)).isEmpty)
    // An exit that is held back comes by the new delay, at once where that is over.
    #expect(try change(circle("home", notify: [.exit], exitDelay: 600), 72))
    #expect(monitor.events(of: track([300, 300, 300, 300, 300, 300], from: 72)).isEmpty)
    #expect(try change(circle("home", notify: [.exit], exitDelay: 1), 78))
    let left = monitor.events(of: track([300], from: 79))
    #expect(left.words == ["exit home@78"])
    #expect(left.first?.visit == 1 && left.first?.insideSeconds == 74)
    // Another outline is another region.
    #expect(try !change(circle("home", radius: 101), 80))
    #expect(try !change(circle("nowhere"), 80))
    #expect(throws: RegionError.self) { try change(circle("home", dwell: -1), 80) }
    #expect(monitor.state(of: "home") == .outside && monitor.count == 41)
  }

  @Test func `a dwell that is first asked for during a visit counts from its beginning`() throws {
    var monitor = try monitor([circle("home")])
    _ = monitor.events(of: track(Array(repeating: 0, count: 100)))
    let isChanged = try monitor.change(
      circle("home", notify: [.dwell], dwell: 30), at: EngineInstant(microseconds: 99_000_000))
    #expect(isChanged && monitor.nextDeadline == EngineInstant(microseconds: 99_000_000))
    #expect(monitor.events(of: track([0], from: 100)).words == ["dwell home@99"])
  }

  @Test func `a dwell that was told is not told again after nobody asked for it`() throws {
    var monitor = try monitor([circle("home", notify: [.dwell], dwell: 30)])
    #expect(
      monitor.events(of: track(Array(repeating: 0, count: 100))).words == ["inside home@0", "dwell home@30"])
    for notify: Region.Notify in [[.exit], [.exit, .dwell]] {
      let isChanged = try monitor.change(
        circle("home", notify: notify, dwell: 30), at: EngineInstant(microseconds: 99_000_000))
      #expect(isChanged && monitor.nextDeadline == nil)
    }
    #expect(monitor.events(of: track([0], from: 100)).isEmpty)
  }

  /// Earlier versions wrote of a dwell only whether it was reported or is due.
  @Test(arguments: [([.exit], ["dwell home@99"]), ([.dwell], [])] as [(Region.Notify, [String])])
  func `a snapshot of an earlier version knows by its region's terms whether a dwell was told`(
    notify: Region.Notify, words: [String]
  ) throws {
    var monitor = try monitor([circle("home", notify: notify, dwell: 30)])
    _ = monitor.events(of: track(Array(repeating: 0, count: 100)))
    var older = monitor.snapshot
    older.entries[0].evidence?.visit?.dwellIsReported = nil
    var restored = try RegionMonitor(
      configuration: monitor.configuration, restoring: Coding.copy(older))
    let isChanged = try restored.change(
      circle("home", notify: [.exit, .dwell], dwell: 30), at: EngineInstant(microseconds: 99_000_000))
    #expect(isChanged)
    #expect(restored.events(of: track([0], from: 100)).words == words)
  }

  @Test(arguments: [0, -1, .nan, .infinity, 3e7])
  func badRadiiAreRefused(radius: Double) {
    var monitor = RegionMonitor()
    #expect(throws: RegionError.self) { try monitor.add(circle("bad", radius: radius)) }
    #expect(monitor.count == 0)
  }

  @Test(arguments: [-1, .nan]) func badTimesAreRefused(seconds: Double) {
    var monitor = RegionMonitor()
    #expect(throws: RegionError.self) { try monitor.add(circle("bad", dwell: seconds)) }
    #expect(throws: RegionError.self) { try monitor.add(circle("bad", exitDelay: seconds)) }
  }

  @Test func thePlainRuleFollowsEachFix() throws {
    var monitor = try monitor([circle("home")], .plain)
    let events = monitor.events(of: track([0, 99, 101, 99, 5_000, 0]))
    #expect(events.words == ["inside home@0", "exit home@2", "enter home@3", "exit home@4", "enter home@5"])
  }
}

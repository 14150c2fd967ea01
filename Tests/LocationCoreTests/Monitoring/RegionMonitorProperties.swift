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
  ]

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
    #expect(Self.events(&forwards, story) == Self.events(&backwards, story))
    #expect(forwards.snapshot == backwards.snapshot)
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
      return earlier
    }
    #expect(Self.events(&one, story) == events)
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
        guard case .circle(let center, let radius) = region.shape else { return region }
        var moved = region
        moved.shape = .circle(center: shifted(center), radiusMeters: radius)
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
    #expect(events == expected)
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
    #expect(events == expected)
  }

  @Test func aRestoreAtAnyFixIsInvisible() throws {
    let story = Self.story(seed: 9, count: 400)
    var whole = try monitor(Self.regions)
    let expected = Self.events(&whole, story)
    for cut in story.indices {
      var first = try monitor(Self.regions)
      let before = Self.events(&first, Array(story[..<cut]))
      var second = try RegionMonitor(configuration: first.configuration, restoring: first.snapshot)
      #expect(second.snapshot == first.snapshot)
      #expect(before + Self.events(&second, Array(story[cut...])) == expected, "cut at \(cut)")
    }
  }

  /// The cache of what is near must not decide anything.
  @Test(arguments: seeds) func lookingAfreshAtEveryFixChangesNothing(seed: Int) throws {
    let story = Self.story(seed: seed)
    var cached = try monitor(Self.regions)
    var fresh = try monitor(Self.regions)
    let expected = Self.events(&cached, story)
    var events: [RegionEvent] = []
    for fix in story {
      fresh.neighborhood.forget()
      for slot in fresh.tracks.indices { fresh.activate(Int32(slot)) }
      if let fix { fresh.observe(fix, into: &events) } else { fresh.noteGap() }
    }
    #expect(events == expected)
  }
}

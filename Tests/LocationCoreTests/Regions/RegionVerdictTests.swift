import TestSupport
import Testing

@testable import LocationCore

/// What each fix says of each region, and what a state would take to change.
@Suite struct RegionVerdictTests {
  private static let regions: [Region] = [
    circle("a", radius: 100), circle("b", radius: 60, east: 72),
    circle("c", radius: 400, east: 200, notify: [.enter, .exit, .dwell], dwell: 45),
    circle("d", radius: 25, east: 300, north: 50, exitDelay: 30), circle("far", radius: 50, east: 30_000),
    circle("dot", radius: 6, east: 150),
    circle("silent", radius: 90, east: 400, exitDelay: 30, initial: .silent),
  ]

  /// A walk to and fro among the regions with stops, wild fixes and gaps; the regions come first, and one comes and
  /// goes on the way.
  private static func walk(seed: Int) -> [Stamped] {
    var receiver = SimulatedReceiver(seed: seed, sigmaMeters: 6, correlationSeconds: 20)
    var events = regions.map { Stamped(at: EngineInstant(microseconds: 0), .addRegion($0)) }
    var east = -300.0
    var speed = 5.0
    for second in 1...600 {
      if second % 40 == 0 {
        speed = [0, 1.4, 5, -5, -1.4][Int(receiver.noise.bits() % 5)]
        if abs(east - 200) > 500 { speed = east > 200 ? -10 : 10 }
      }
      east += speed
      let wild = receiver.noise.unit() < 0.02 ? receiver.noise.uniform(-3_000...3_000) : 0
      let fix = receiver.fix(second: second, east: east + wild, north: 0, from: munich)
      let report = FixReport(
        time: fix.time, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
        accuracy: fix.accuracy)
      if second % 150 == 0 { events.append(Stamped(at: fix.instant, .segmentBreak)) }
      if second == 200 { events.append(Stamped(at: fix.instant, .removeRegion(id: "b"))) }
      if second == 400 { events.append(Stamped(at: fix.instant, .addRegion(regions[1]))) }
      events.append(Stamped(at: fix.instant, .fix(report)))
    }
    return events
  }

  @Test(arguments: 1...6)
  func `B4 each fix that is believed has exactly one verdict for each region that may change, and it is true`(
    seed: Int
  ) throws {
    var configuration = EngineConfiguration()
    configuration.explains = true
    configuration.explainedRegion = "far"
    var engine = Engine(configuration: configuration)
    var effects: [Effect] = []
    var count = 0
    var reasons: Set<RegionVerdict.Reason> = []
    for stamped in Self.walk(seed: seed) {
      engine.advance(to: stamped.at, into: &effects)
      let ids = engine.regionIDs
      let before = Dictionary(uniqueKeysWithValues: ids.map { ($0, engine.regionState($0)) })
      let candidates = Set(ids.filter { before[$0] != .outside }).union(["far"]).union(engine.weighed)
      effects.removeAll()
      engine.handle(stamped, into: &effects)
      guard case .fix = stamped.event else { continue }
      let fixes = effects.records.compactMap { record -> [RegionVerdict]? in
        if case .fixAccepted(_, let verdicts, _) = record.body { verdicts } else { nil }
      }
      guard let verdicts = fixes.first else { continue }
      #expect(fixes.count == 1)
      count += 1
      let told = verdicts.map(\.region)
      #expect(told == Set(told).sorted(), "one for each, by id")
      #expect(candidates.isSubset(of: told), "\(candidates.subtracting(told)) at \(stamped.at)")
      for id in ids where before[id] != engine.regionState(id) { #expect(told.contains(id)) }
      for verdict in verdicts {
        #expect(verdict.before == before[verdict.region])
        #expect(verdict.after == engine.regionState(verdict.region))
        #expect((0...1).contains(verdict.probabilityInside))
        let isChange = [.found, .entered, .left].contains(verdict.reason)
        #expect(isChange == (verdict.before != verdict.after), "\(verdict)")
        reasons.insert(verdict.reason)
      }
    }
    #expect(count > 500)
    #expect(reasons.isSuperset(of: [.found, .entered, .left, .agrees, .weak, .gathering]))
  }

  // MARK: - What it lacks

  /// The state of a region after so many fixes a second at the last place of a monitor.
  private func state(
    of id: String, _ monitor: RegionMonitor, fixes: Int, radiusMeters: Double, everySeconds step: Double = 1
  ) throws -> RegionState? {
    var monitor = monitor
    monitor.inflation = AccuracyInflation()
    let last = try #require(monitor.lastFix)
    var events: [RegionEvent] = []
    for index in 1...fixes {
      let microseconds = last.instant.microseconds + Int64(Double(index) * step * 1e6)
      monitor.observe(
        Fix(
          time: UTCTime(microseconds: microseconds), instant: EngineInstant(microseconds: microseconds),
          coordinate: last.coordinate, accuracy: Accuracy(radiusMeters: radiusMeters, source: .reported)),
        into: &events)
    }
    return monitor.state(of: id)
  }

  @Test(arguments: 1...40)
  func `with the error that is named the fix would have been clear, and with a larger one not`(seed: Int)
    throws
  {
    let noise = SeededRandom(UInt64(seed))
    var random = noise
    let isInside = seed % 2 == 0
    let start: Double = isInside ? 0 : 2_000
    let end =
      isInside ? Double.random(in: 110...400, using: &random) : Double.random(in: 0...90, using: &random)
    var monitor = try monitor([circle("home")])
    var events: [RegionEvent] = []
    // Long enough on one side that it is left behind, then one fix on the other with a large error.
    for second in 0..<10 {
      monitor.observe(makeFix(second: Double(second), place(east: start, from: munich)), into: &events)
    }
    let radius = Double.random(in: 30...250, using: &random)
    monitor.observe(
      makeFix(
        second: 10, place(east: end, from: munich), sigmaMeters: radius / Accuracy.sigmasIn68Percent),
      into: &events)
    let before = try #require(monitor.state(of: "home"))
    #expect(before == (isInside ? .inside : .outside))
    let clear = try #require(monitor.needs(of: "home").first { $0.way == .clear })
    let needed = try #require(clear.radiusMeters)
    let edge = abs(end - 100)
    #expect(abs(try #require(clear.lackingMeters) - max(0, try #require(clear.beyondMeters) - edge)) < 0.1)
    guard needed < radius else { return #expect(clear.lackingMeters == 0) }
    let enough = try state(of: "home", monitor, fixes: 3, radiusMeters: 0.999 * needed)
    #expect(enough != before, "\(noise)")
    let tooLittle = try state(of: "home", monitor, fixes: 3, radiusMeters: 1.001 * needed)
    #expect(tooLittle == before, "\(noise)")
    // And confident ones for as long as it takes.
    let held = try #require(monitor.needs(of: "home").first { $0.way == .held })
    let heldRadius = try #require(held.radiusMeters)
    let seconds = try #require(held.seconds).need
    #expect(
      try state(of: "home", monitor, fixes: 2, radiusMeters: 0.999 * heldRadius, everySeconds: seconds + 0.1)
        != before, "\(noise)")
  }

  @Test(arguments: 1...40)
  func `with the error that is named the fix would count for a region of any size, with a larger one not`(
    seed: Int
  ) throws {
    let noise = SeededRandom(UInt64(seed))
    var random = noise
    let size = Double.random(in: seed % 2 == 0 ? 8...30 : 30...300, using: &random)
    let radius = Double.random(in: 2...40, using: &random)
    var monitor = try monitor([circle("shop", radius: size)])
    var events: [RegionEvent] = []
    for second in 0..<10 {
      monitor.observe(makeFix(second: Double(second), place(east: 2_000, from: munich)), into: &events)
    }
    let east = Double.random(in: 0...0.6, using: &random) * size
    monitor.observe(
      makeFix(
        second: 10, place(east: east, from: munich), sigmaMeters: radius / Accuracy.sigmasIn68Percent),
      into: &events)
    let held = try #require(monitor.needs(of: "shop").first { $0.way == .held })
    let needed = try #require(held.radiusMeters)
    let seconds = try #require(held.seconds).need
    let enough = try state(
      of: "shop", monitor, fixes: 2, radiusMeters: 0.999 * needed, everySeconds: seconds + 0.1)
    #expect(enough == .inside, "\(noise)")
    let tooLittle = try state(
      of: "shop", monitor, fixes: 2, radiusMeters: 1.001 * needed, everySeconds: seconds + 0.1)
    #expect(tooLittle == .outside, "\(noise)")
    // The verdict on the fix says the same of the place, and it is where a fix of this error begins to count.
    let verdict = try #require(monitor.verdicts(since: [:], [], asked: "shop").first)
    #expect(verdict.heldMeters == held.beyondMeters)
    #expect((verdict.reason == .gathering) == (-verdict.edgeMeters >= verdict.heldMeters), "\(noise)")
    let sigma = radius / Accuracy.sigmasIn68Percent
    let usual = 3.5 * sigma
    let small = size >= radius ? max(0, size - 1.5 * sigma) : .infinity
    #expect(abs(verdict.heldMeters - min(usual, small)) < 0.1, "\(noise) \(size) \(radius) \(east)")
  }

  @Test(arguments: [95.0, 60, 105, 150, 20])
  func `while the state is unknown the fix that is named is as sure as it must be`(east: Double) throws {
    var monitor = try monitor([circle("home")])
    var events: [RegionEvent] = []
    monitor.observe(makeFix(second: 0, place(east: east, from: munich), sigmaMeters: 120), into: &events)
    #expect(monitor.state(of: "home") == .unknown)
    let need = try #require(monitor.needs(of: "home").first)
    #expect(need.way == .initial && need.probability == 0.95)
    #expect(need.fixes == RegionNeed.Tally(have: 1, need: 3))
    let radius = try #require(need.radiusMeters)
    #expect(try state(of: "home", monitor, fixes: 1, radiusMeters: 0.99 * radius) != .unknown)
    #expect(try state(of: "home", monitor, fixes: 1, radiusMeters: 1.01 * radius) == .unknown)
  }

  @Test func `of no region, and before the first fix, nothing is needed`() throws {
    var monitor = try monitor([circle("home", notify: [.enter, .exit, .dwell], dwell: 300, exitDelay: 30)])
    #expect(monitor.needs(of: "home").isEmpty && monitor.needs(of: "nowhere").isEmpty)
    var events: [RegionEvent] = []
    for second in 0..<40 {
      monitor.observe(makeFix(second: Double(second), place(east: 0, from: munich)), into: &events)
    }
    #expect(monitor.needs(of: "home").map(\.way) == [.clear, .held, .settled, .dwelled])
    #expect(monitor.needs(of: "home").last?.seconds == RegionNeed.Span(have: 39, need: 300))
    for second in 40..<50 {
      monitor.observe(makeFix(second: Double(second), place(east: 900, from: munich)), into: &events)
    }
    #expect(monitor.needs(of: "home").map(\.way) == [.delayed])
    let verdicts = monitor.verdicts(since: monitor.standings(with: nil), [], asked: nil)
    #expect(verdicts.map(\.reason) == [.heldBack])
  }
}

extension Engine {
  /// Ids of the regions for which the next fix is weighed.
  fileprivate var weighed: [String] {
    regions.evidence.records.filter(\.isActive).map { regions.catalog[$0.slot].terms.id }
  }
}

import TestSupport
import Testing

@testable import LocationCore

/// Standing and leaving with simulated noise. `LOCWATCH_FULL` runs the judged sizes.
@Suite struct RegionSimulationTests {
  private static let hours = Corpus.isFull ? 8.0 : 0.3
  private static let seeds = Corpus.isFull ? 100 : 2

  /// A shape, and a place on its edge.
  enum Outline: String, CaseIterable {
    /// 100 m around; on its edge.
    case circle
    /// 50 m around, which is small against the largest error.
    case smallCircle
    /// Sides of 200 m; on the middle of a side.
    case square
    /// The same square; on a corner.
    case corner
    /// A square with a notch; on the notch's bottom.
    case notched
    /// An L; on the corner that points inwards.
    case reflex
    /// 100 m to both sides of a line; on its edge.
    case corridor

    var region: Region {
      switch self {
      case .circle: return LocationCoreTests.circle("home", initial: .silent)
      case .smallCircle: return LocationCoreTests.circle("home", radius: 50, east: 50, initial: .silent)
      case .square, .corner:
        return polygon([(-100, -100), (100, -100), (100, 100), (-100, 100), (-100, -100)])
      case .notched:
        return polygon([
          (-100, -100), (200, -100), (200, -20), (100, -20), (100, 20), (200, 20), (200, 100), (-100, 100),
          (-100, -100),
        ])
      case .reflex:
        return polygon([
          (-100, -200), (300, -200), (300, 0), (100, 0), (100, 200), (-100, 200), (-100, -200),
        ])
      case .corridor:
        let line = [place(east: 0, north: -500, from: munich), place(east: 0, north: 500, from: munich)]
        return Region(id: "home", shape: .corridor(line: line, bufferMeters: 100), initial: .silent)
      }
    }

    private func polygon(_ corners: [(Double, Double)]) -> Region {
      let ring = corners.map { place(east: $0.0, north: $0.1, from: munich) }
      return Region(id: "home", shape: .polygon(Region.Polygon(shell: ring)), initial: .silent)
    }

    /// Metres north of the middle, 100 m east of which is the edge.
    var north: Double { self == .corner ? 100 : 0 }
  }

  /// Transitions after the first state of a device that stands on the edge.
  private func transitions(
    seed: Int, _ outline: Outline = .circle, sigma: Double, correlation: Double, understates: Double = 1,
    hours: Double, after: Int = 0
  ) throws -> Int {
    var receiver = SimulatedReceiver(
      seed: seed, sigmaMeters: sigma, correlationSeconds: correlation, understates: understates)
    var monitor = try monitor([outline.region])
    var events: [RegionEvent] = []
    for second in 0..<Int(hours * 3600) {
      let fix = receiver.fix(second: second, east: 100, north: outline.north, from: munich)
      monitor.observe(fix, into: &events)
    }
    return events.filter { $0.instant.microseconds >= after * 1_000_000 }.count
  }

  @Test(arguments: Outline.allCases, [5.0, 15, 30]) func standingOnTheEdgeDoesNotFlap(
    outline: Outline, sigma: Double
  ) throws {
    for correlation in [10.0, 60, 300] {
      let counts = try (0..<Self.seeds).map { seed in
        try transitions(seed: seed, outline, sigma: sigma, correlation: correlation, hours: Self.hours)
      }
      Self.publish("edge \(outline) \(sigma) m, \(correlation) s", counts, hours: Self.hours)
      #expect(counts.allSatisfy { $0 <= 1 }, "\(counts)")
      #expect(Double(counts.reduce(0, +)) <= Swift.max(1, Double(Self.seeds) * Self.hours / 24))
    }
  }

  @Test(arguments: Outline.allCases, [1.5, 2])
  func understatedErrorsAreFoundOut(outline: Outline, understates: Double) throws {
    let hours = Corpus.isFull ? 24.5 : 0.7
    for correlation in [10.0, 60, 300] {
      let counts = try (0..<(Corpus.isFull ? 30 : 1)).map { seed in
        try transitions(
          seed: seed, outline, sigma: 7 * understates, correlation: correlation, understates: understates,
          hours: hours, after: 1_800)
      }
      Self.publish("understating \(understates) \(outline) 7 m, \(correlation) s", counts, hours: hours - 0.5)
      #expect(counts.allSatisfy { $0 <= 1 }, "\(counts)")
    }
  }

  /// What is learned of the scatter from one fix to the next must not make a slow error look small.
  @Test(arguments: [1.0, 1.5]) func errorsThatNobodyStatedAreFoundOut(times: Double) throws {
    let hours = Corpus.isFull ? 24.5 : 4.5
    for correlation in [10.0, 60, 300] {
      let counts = try (0..<(Corpus.isFull ? 30 : 4)).map { seed in
        var receiver = SimulatedReceiver(
          seed: seed, sigmaMeters: times * Accuracy.assumed(.threeD).sigmaMeters,
          correlationSeconds: correlation)
        var monitor = try monitor([Outline.circle.region])
        var events: [RegionEvent] = []
        for second in 0..<Int(hours * 3600) {
          var fix = receiver.fix(second: second, east: 100, north: 0, from: munich)
          fix.accuracy = .assumed(.threeD)
          monitor.observe(fix, into: &events)
        }
        return events.filter { $0.instant.microseconds >= 1_800_000_000 }.count
      }
      Self.publish("nobody stated \(times), \(correlation) s", counts, hours: hours - 0.5)
      #expect(counts.allSatisfy { $0 <= 1 }, "\(counts)")
    }
  }

  /// Prints a row of what is published, in the full run.
  private static func publish(_ name: String, _ counts: [Int], hours: Double) {
    guard Corpus.isFull else { return }
    let total = counts.reduce(0, +)
    let perDay = Double(total) * 24 / (Double(counts.count) * hours)
    print("\(name): \(counts.count) tracks, \(total) transitions, most \(counts.max() ?? 0), a day \(perDay)")
  }

  /// Speed, metres a second; seconds within which 95 % of exits are told.
  @Test(arguments: [(1.4, 35.0), (5, 12), (15, 6), (30, 6), (60, 6)], [10.0, 300])
  func exitsAreToldInTime(leaving: (speed: Double, limit: Double), correlation: Double) throws {
    var delays: [Double] = []
    for seed in 0..<(Corpus.isFull ? 1_000 : 200) {
      var receiver = SimulatedReceiver(seed: seed, sigmaMeters: 7, correlationSeconds: correlation)
      var monitor = try monitor([circle("home", initial: .silent)])
      let phase = receiver.noise.unit()
      var events: [RegionEvent] = []
      var second = 0
      while events.isEmpty, second < 400 {
        let moving = Swift.max(0, Double(second) - 30 + phase)
        monitor.observe(
          receiver.fix(second: second, east: leaving.speed * moving, north: 0, from: munich), into: &events)
        second += 1
      }
      let exit = try #require(events.first)
      #expect(exit.kind == .exit)
      delays.append(Double(exit.instant.microseconds) * 1e-6 - 30 + phase - 100 / leaving.speed)
    }
    delays.sort()
    if Corpus.isFull {
      let (median, late, last) = (delays[delays.count / 2], delays[delays.count * 95 / 100], delays.last ?? 0)
      print("exit \(leaving.speed) m/s, \(correlation) s: median \(median), p95 \(late), max \(last)")
    }
    #expect(delays[delays.count * 95 / 100] <= leaving.limit)
  }

  @Test func neighboursSeventyTwoMetresApartDoNotOscillate() throws {
    var receiver = SimulatedReceiver(seed: 72, sigmaMeters: 33, correlationSeconds: 60)
    var monitor = try monitor([circle("home", initial: .silent), circle("next", east: 72, initial: .silent)])
    var events: [RegionEvent] = []
    for second in 0..<(Corpus.isFull ? 86_400 : 3_600) {
      monitor.observe(receiver.fix(second: second, east: 36, north: 0, from: munich), into: &events)
    }
    #expect(events.filter { $0.region == "home" }.count <= 1)
    #expect(events.filter { $0.region == "next" }.count <= 1)
  }
}

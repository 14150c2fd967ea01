import TestSupport
import Testing

@testable import LocationCore

/// Standing and leaving with simulated noise. `LOCWATCH_FULL` runs the judged sizes.
@Suite struct RegionSimulationTests {
  private static let hours = Corpus.isFull ? 8.0 : 0.3
  private static let seeds = Corpus.isFull ? 100 : 2

  /// A shape that has an edge at 100 m east, metres from the middle.
  enum Outline: String, CaseIterable {
    case circle, square, notched, corridor

    var region: Region {
      var region = LocationCoreTests.circle("home", initial: .silent)
      let corners: [(Double, Double)]
      switch self {
      case .circle: return region
      case .square: corners = [(-100, -100), (100, -100), (100, 100), (-100, 100), (-100, -100)]
      // A square with a notch, whose bottom is the edge stood on.
      case .notched:
        corners = [
          (-100, -100), (200, -100), (200, -20), (100, -20), (100, 20), (200, 20), (200, 100), (-100, 100),
          (-100, -100),
        ]
      case .corridor:
        region.shape = .corridor(
          line: [place(east: 0, north: -500, from: munich), place(east: 0, north: 500, from: munich)],
          bufferMeters: 100)
        return region
      }
      region.shape = .polygon(
        Region.Polygon(shell: corners.map { place(east: $0.0, north: $0.1, from: munich) }))
      return region
    }
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
      monitor.observe(receiver.fix(second: second, east: 100, north: 0, from: munich), into: &events)
    }
    return events.filter { $0.instant.microseconds >= after * 1_000_000 }.count
  }

  @Test(arguments: Outline.allCases, [5.0, 15, 30]) func standingOnTheEdgeDoesNotFlap(
    outline: Outline, sigma: Double
  ) throws {
    for correlation in [10.0, 60, 300] {
      var total = 0
      for seed in 0..<Self.seeds {
        let count = try transitions(
          seed: seed, outline, sigma: sigma, correlation: correlation, hours: Self.hours)
        #expect(count <= 1, "seed \(seed)")
        total += count
      }
      #expect(Double(total) <= Swift.max(1, Double(Self.seeds) * Self.hours / 24))
    }
  }

  @Test(.enabled(if: Corpus.isFull), arguments: [10.0, 60, 300], [1.5, 2])
  func understatedErrorsAreFoundOut(correlation: Double, understates: Double) throws {
    for seed in 0..<30 {
      let count = try transitions(
        seed: seed, sigma: 7 * understates, correlation: correlation, understates: understates, hours: 24.5,
        after: 1_800)
      #expect(count <= 1, "seed \(seed)")
    }
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

  @Test func theInflationOfAnHonestReceiverStaysNearOne() {
    var receiver = SimulatedReceiver(seed: 8, sigmaMeters: 7, correlationSeconds: 10)
    var honest = AccuracyInflation()
    var modest = AccuracyInflation()
    for second in 0..<4_000 {
      let fix = receiver.fix(second: second, east: 0, north: 0, from: munich)
      honest.note(fix, limit: 4)
      var claim = fix
      claim.accuracy.radiusMeters /= 2
      modest.note(claim, limit: 4)
    }
    #expect(honest.factor < 1.05)
    #expect(abs(modest.factor - 2) < 0.3)
  }
}

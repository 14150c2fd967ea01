import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// The promise of ``SamplingPlan``, on machines that go where they like.
@Suite struct SamplingPromiseTests {
  /// Two hours between nine regions of all sizes and latencies, at any speed up to the bound, with stops of any length.
  static func journey(seed: UInt64) -> SampledJourney {
    var random = SeededRandom(seed)
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    let places = (0..<9).map { index in
      SampledJourney.Place(
        id: "r\(index)", east: number(-4000...4000), north: number(-4000...4000), radius: number(80...400),
        latency: [60, 120, 200, 300].randomElement(using: &random) ?? 60)
    }
    var journey = SampledJourney(places: places)
    while journey.points.count < 7200 {
      if Bool.random(using: &random), let place = places.randomElement(using: &random) {
        journey.go(to: place.east, place.north, metersPerSecond: number(1...40))
      } else {
        journey.go(to: number(-4000...4000), number(-4000...4000), metersPerSecond: number(1...40))
      }
      journey.stay(Int(number(0...1) * number(0...1) * 1500))
    }
    return journey
  }

  @Test(arguments: [UInt64](1...12)) func noVisitLongerThanItsLatencyIsMissed(_ seed: UInt64) {
    let summary = Self.keepsThePromise(seed)
    #expect(summary.receiverOnSeconds < summary.durationSeconds, "seed \(seed)")
  }

  @Test(arguments: [UInt64](1...12)) func b10_lowPowerModeMissesNoneEither(_ seed: UInt64) {
    let usual = Self.journey(seed: seed).replay(Self.sampling, noise: Self.noise(seed), seed: seed).summary
    let saving = Self.keepsThePromise(seed, Scenario(steps: [Self.lowPower(true, 0)]))
    // It looks at other moments, and so may happen upon a longer search.
    #expect(saving.receiverOnSeconds < 1.05 * usual.receiverOnSeconds, "seed \(seed)")
  }

  @Test(arguments: [UInt64](1...6)) func b10_norDoesAMachineThatTurnsItOnAndOff(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var steps: [Scenario.Step] = []
    var second = 0.0
    while second < 7200 {
      second += Double.random(in: 20...900, using: &random)
      steps.append(Self.lowPower(steps.count % 2 == 0, second))
    }
    _ = Self.keepsThePromise(seed, Scenario(steps: steps))
  }

  @Test func b10_lowPowerModeSavesReceiverTimeOnTheMove() {
    // An hour about town inside one large region: nothing can be entered, and every way out is far.
    var journey = SampledJourney(places: [
      SampledJourney.Place(id: "town", east: 0, north: 0, radius: 9_000, latency: 60)
    ])
    while journey.points.count < 3600 {
      journey.go(to: 4_000, 0, metersPerSecond: 8)
      journey.go(to: -4_000, 0, metersPerSecond: 8)
    }
    let usual = journey.replay(Self.sampling).summary
    let saving = journey.replay(Self.sampling, scenario: Scenario(steps: [Self.lowPower(true, 0)])).summary
    #expect(saving.receiverOnSeconds < 0.7 * usual.receiverOnSeconds)
    #expect(saving.tally.regions == usual.tally.regions)
  }

  private static let sampling: SamplingConfiguration = {
    var sampling = SamplingConfiguration()
    sampling.mode = .adaptive
    return sampling
  }()

  private static func noise(_ seed: UInt64) -> Double { seed % 2 == 0 ? 0.0 : 2.0 }

  private static func lowPower(_ isOn: Bool, _ second: Double) -> Scenario.Step {
    Scenario.Step(at: .afterFirstFix(seconds: second), action: .machine(.lowPower(isOn)))
  }

  /// Looks for every visit that must not be missed; the summary.
  private static func keepsThePromise(_ seed: UInt64, _ scenario: Scenario? = nil) -> Summary {
    let journey = journey(seed: seed)
    let noise = noise(seed)
    // Evidence is clear from 4.5 standard deviations of an error that is believed fourfold at most, and the error.
    let depth = 8 * Swift.max(1 / Accuracy.sigmasIn68Percent, noise)
    let (events, summary) = journey.replay(sampling, noise: noise, seed: seed, scenario: scenario)
    var count = 0
    for visit in journey.visits(depth: depth) {
      guard visit.to - visit.from >= visit.place.latency,
        visit.absence >= Swift.max(sampling.restSeconds, visit.place.latency)
      else { continue }
      count += 1
      let found = events.contains { event in
        let seconds = Drive.instant(0).seconds(to: event.instant)
        let isEntry = event.kind == .enter || event.kind == .state(.inside)
        return isEntry && event.region == visit.place.id
          // The edge is met before the place that is counted, and the third clear fix may be the first after it.
          && seconds >= visit.from - 120 && seconds <= visit.to + 1
      }
      #expect(
        found,
        "seed \(seed): \(visit.place.id), radius \(visit.place.radius) m, latency \(visit.place.latency) s, from \(visit.from) to \(visit.to)"
      )
    }
    #expect(count > 0, "seed \(seed): no visit to find")
    return summary
  }
}

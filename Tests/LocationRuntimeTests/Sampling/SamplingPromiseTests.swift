import TestSupport
import Testing

@testable import LocationCore
@testable import LocationLab
@testable import LocationRuntime

/// The promise of ``SamplingPlan``, on machines that go where they like.
@Suite struct SamplingPromiseTests {
  /// Two hours between nine regions of all sizes and latencies, at any speed up to the bound, with stops of any length.
  static func journey(seed: UInt64) -> SampledJourney {
    var random = SeededRandom(seed)
    let unstated: Double = SamplingConfiguration().latencySeconds
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    let places = (0..<9).map { index -> SampledJourney.Place in
      let latency: Double = [60, 120, 200, 300].randomElement(using: &random) ?? 60
      return SampledJourney.Place(
        id: "r\(index)", east: number(-4000...4000), north: number(-4000...4000), radius: number(80...400),
        latency: index % 3 == 0 ? unstated : latency,
        statesLatency: index % 3 != 0)
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

  /// What a journey is held to.
  private struct Trial {
    var journey: SampledJourney
    var events: [RegionEvent]
    var summary: Summary
    /// Metres beyond an edge from which one fix is clear evidence.
    var depth: Double
    /// Whether the machine is in low-power mode at times: then nothing is promised of absences.
    let isLowPower: Bool

    init(seed: UInt64, scenario: Scenario? = nil) {
      journey = SamplingPromiseTests.journey(seed: seed)
      isLowPower = scenario != nil
      let noise = seed % 2 == 0 ? 0.0 : 2.0
      // Evidence is clear from 4.5 standard deviations of an error that is believed fourfold at most, and the error.
      depth = 8 * Swift.max(1 / Accuracy.sigmasIn68Percent, noise)
      (events, summary) = journey.replay(
        SamplingPromiseTests.sampling, noise: noise, seed: seed, scenario: scenario)
    }

    /// What was told of a region, with the seconds from the start.
    func told(of place: SampledJourney.Place) -> [(seconds: Double, isEntry: Bool)] {
      events.filter { $0.region == place.id }.map { event in
        (Drive.instant(0).seconds(to: event.instant), event.kind == .enter || event.kind == .state(.inside))
      }
    }

    /// Seconds after which an absence has been told: after a rest a tenth is added.
    func exitLatency(of place: SampledJourney.Place) -> Double {
      let sampling = SamplingPromiseTests.sampling
      if isLowPower { return Swift.max(place.latency, sampling.restSeconds) }
      return place.statesLatency
        ? 1.1 * place.latency : Swift.max(sampling.latencySeconds, sampling.restSeconds)
    }
  }

  @Test(arguments: [UInt64](1...12)) func `no visit longer than its latency is missed`(_ seed: UInt64) {
    let summary = Self.keepsThePromise(seed, Trial(seed: seed))
    #expect(summary.receiverOnSeconds < summary.durationSeconds, "seed \(seed)")
  }

  @Test(arguments: [UInt64](1...12)) func b10_lowPowerModeMissesNoneEither(_ seed: UInt64) {
    let usual = Trial(seed: seed).summary
    let saving = Self.keepsThePromise(
      seed, Trial(seed: seed, scenario: Scenario(steps: [Self.lowPower(true, 0)])))
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
    _ = Self.keepsThePromise(seed, Trial(seed: seed, scenario: Scenario(steps: steps)))
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

  private static func lowPower(_ isOn: Bool, _ second: Double) -> Scenario.Step {
    Scenario.Step(at: .afterFirstFix(seconds: second), action: .machine(.lowPower(isOn)))
  }

  /// Looks for every visit that must not be missed; the summary.
  private static func keepsThePromise(_ seed: UInt64, _ trial: Trial) -> Summary {
    var count = 0
    for visit in trial.journey.visits(depth: trial.depth) {
      guard visit.to - visit.from >= visit.place.latency,
        visit.absence >= trial.exitLatency(of: visit.place)
      else { continue }
      count += 1
      let latest = trial.isLowPower ? visit.to : visit.from + visit.place.latency
      let found = trial.told(of: visit.place).contains {
        // The edge is met before the place that is counted, and the third clear fix may be the first after it.
        $0.isEntry && $0.seconds >= visit.from - 120 && $0.seconds <= latest + 1
      }
      #expect(found, "seed \(seed): \(visit)")
    }
    #expect(count > 0, "seed \(seed): no visit to find")
    return trial.summary
  }

  @Test(arguments: [UInt64](1...12)) func `no absence longer than its latency is missed`(_ seed: UInt64) {
    let trial = Trial(seed: seed)
    var count = 0
    for absence in trial.journey.absences(depth: trial.depth) {
      let latency = trial.exitLatency(of: absence.place)
      let told = trial.told(of: absence.place)
      guard absence.to - absence.from >= latency, let last = told.last(where: { $0.seconds < absence.from }),
        last.isEntry
      else { continue }
      count += 1
      let found = told.contains {
        !$0.isEntry && $0.seconds > last.seconds && $0.seconds <= absence.from + latency + 1
      }
      #expect(found, "seed \(seed): \(absence)")
    }
    #expect(count > 0, "seed \(seed): no absence to find")
  }
}

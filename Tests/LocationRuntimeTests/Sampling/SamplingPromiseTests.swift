import TestSupport
import Testing

@testable import LocationCore
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
    let sampling: SamplingConfiguration

    init(seed: UInt64) {
      journey = SamplingPromiseTests.journey(seed: seed)
      var sampling = SamplingConfiguration()
      sampling.mode = .adaptive
      self.sampling = sampling
      let noise = seed % 2 == 0 ? 0.0 : 2.0
      // Evidence is clear from 4.5 standard deviations of an error that is believed fourfold at most, and the error.
      depth = 8 * Swift.max(1 / Accuracy.sigmasIn68Percent, noise)
      (events, summary) = journey.replay(sampling, noise: noise, seed: seed)
    }

    /// What was told of a region, with the seconds from the start.
    func told(of place: SampledJourney.Place) -> [(seconds: Double, isEntry: Bool)] {
      events.filter { $0.region == place.id }.map { event in
        (Drive.instant(0).seconds(to: event.instant), event.kind == .enter || event.kind == .state(.inside))
      }
    }

    /// Seconds after which an absence must have been told: after a rest a tenth is added.
    func exitLatency(of place: SampledJourney.Place) -> Double {
      place.statesLatency ? 1.1 * place.latency : Swift.max(sampling.latencySeconds, sampling.restSeconds)
    }
  }

  @Test(arguments: [UInt64](1...12)) func `no visit longer than its latency is missed`(_ seed: UInt64) {
    let trial = Trial(seed: seed)
    var count = 0
    for visit in trial.journey.visits(depth: trial.depth) {
      guard visit.to - visit.from >= visit.place.latency,
        visit.absence >= trial.exitLatency(of: visit.place)
      else { continue }
      count += 1
      let found = trial.told(of: visit.place).contains {
        // The edge is met before the place that is counted, and the third clear fix may be the first after it.
        $0.isEntry && $0.seconds >= visit.from - 120 && $0.seconds <= visit.from + visit.place.latency + 1
      }
      #expect(found, "seed \(seed): \(visit)")
    }
    #expect(count > 0, "seed \(seed): no visit to find")
    #expect(trial.summary.receiverOnSeconds < trial.summary.durationSeconds, "seed \(seed)")
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

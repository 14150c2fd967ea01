import TestSupport
import Testing

@testable import LocationCore
@testable import LocationLab
@testable import LocationRuntime

/// A receiver that the engine switches misses what confirms a jump in time: the replay dates its reports itself.
@Suite struct SamplingClockTests {
  /// From home to work and back, with a rest at each.
  private static func journey() -> SampledJourney {
    var journey = SampledJourney(places: [
      SampledJourney.Place(id: "home", east: 0, north: 0, radius: 150, latency: 300),
      SampledJourney.Place(id: "work", east: 4000, north: 0, radius: 150, latency: 300),
    ])
    journey.stay(1500)
    for _ in 0..<2 {
      journey.go(to: 4000, 0, metersPerSecond: 10)
      journey.stay(1500)
      journey.go(to: 0, 0, metersPerSecond: 10)
      journey.stay(1500)
    }
    return journey
  }

  /// What is told of the journey: arrivals and departures, and how long it took.
  private static func told(
    _ mode: SamplingConfiguration.Mode, clock: (Double) -> Double
  ) -> (moves: [String], seconds: Double) {
    var sampling = SamplingConfiguration()
    sampling.mode = mode
    let (events, summary) = journey().replay(sampling, clock: clock)
    let moves = events.compactMap { event -> String? in
      if event.kind == .enter { return "enter \(event.region)" }
      return event.kind == .exit ? "exit \(event.region)" : nil
    }
    return (moves, summary.durationSeconds)
  }

  /// A first date that is wrong; then, while the machine rests, a clock that is set back, ahead and by a rollover, and
  /// a silence.
  @Test(arguments: [
    (1.0, -86_400.0), (2_500, -3_600), (2_500, 3_456_000), (2_500, -619_315_200), (2_500, 15_480),
  ])
  func `a jump in time ends nothing`(second: Double, shift: Double) {
    let clock = { (time: Double) in time < second ? time : time + shift }
    let always = Self.told(.continuous, clock: clock)
    let adaptive = Self.told(.adaptive, clock: clock)
    #expect(always.moves.count == 8)
    #expect(adaptive.moves == always.moves)
    #expect(abs(adaptive.seconds - always.seconds) < 10)
  }

  private struct Kinds: RecordSink {
    var kinds: [RegionEvent.Kind] = []
    mutating func receive(_ record: Record) {
      if case .region(let event) = record.body { kinds.append(event.kind) }
    }
  }

  /// As of the policy of `compare` that hands on fixes 50 m apart. Reports that are too inaccurate tell the time too.
  @Test(arguments: [5.0, 3_000])
  func `time passes with reports at rest that are not handed on`(accuracy: Double) {
    var request = ReplayRequest()
    request.subscribers = [Subscriber(name: "a")]
    request.regions = [
      Region(
        id: "work", shape: .circle(center: SampledJourney.coordinate(2000, 0), radiusMeters: 150),
        notify: [.enter, .dwell], dwellSeconds: 600)
    ]
    var replay = TrackReplay(request, to: Kinds(), handsOnAll: false)
    for second in 0...120 {
      replay.take(.fix(Drive.report(Double(second), east: 20 * Double(min(second, 100)))))
    }
    #expect(replay.sink.kinds.last == .enter)
    for second in 121...1_000 { replay.pass(Drive.report(Double(second), east: 2000, accuracy: accuracy)) }
    #expect(replay.sink.kinds.last == .dwell)
  }

  private struct Times: RecordSink {
    var times: [UTCTime] = []
    var gapSeconds: [Double] = []
    mutating func receive(_ record: Record) {
      if case .gap(let seconds, _) = record.body { gapSeconds.append(seconds) }
      if case .receiver = record.body { return }
      times.append(record.time)
    }
  }

  /// After the first silence the engine has had a long one, where it asked for nothing meanwhile, and takes the second
  /// for what it is before the clock does, which sees every report.
  @Test func `a silence counts once`() {
    var request = ReplayRequest()
    request.configuration.sampling.mode = .adaptive
    var subscriber = Subscriber(name: "a")
    subscriber.modes = .location
    request.subscribers = [subscriber]
    request.regions = [
      Region(
        id: "home",
        shape: .circle(
          center: Geodesy.direct(
            from: Drive.origin, azimuthDegrees: 90, distanceMeters: 588), radiusMeters: 60),
        notify: [.enter, .exit, .dwell], dwellSeconds: 1_800)
    ]
    var replay = TrackReplay(request, to: Times())
    var (second, east) = (0.0, 0.0)
    for steps in [200, 220, 400] {
      for _ in 0..<steps {
        replay.take(.fix(Drive.report(second, east: east)))
        (second, east) = (second + 1, east + 1.4)
      }
      second += 4_000
    }
    _ = replay.finish(notes: [])
    let sink = replay.sink
    let isOrdered = zip(sink.times, sink.times.dropFirst()).allSatisfy { $0 <= $1 }
    #expect(isOrdered)
    #expect(sink.gapSeconds.count == 2, "\(sink.gapSeconds)")
  }

  /// As of a policy of `compare`, which hands on fixes 50 m apart.
  @Test func `a silence counts once where few fixes are handed on`() {
    var request = ReplayRequest()
    request.subscribers = [Subscriber(name: "a")]
    request.regions = [
      Region(
        id: "home",
        shape: .circle(
          center: Geodesy.direct(from: Drive.origin, azimuthDegrees: 90, distanceMeters: 300),
          radiusMeters: 200),
        notify: [.enter, .exit, .dwell], dwellSeconds: 1_800)
    ]
    for walk in stride(from: 180, through: 216, by: 4) {
      var replay = TrackReplay(request, to: Times(), handsOnAll: false)
      var filter = DistanceFilter(thresholdMeters: 50)
      for index in 0..<(walk + 400) {
        let report = Drive.report(Double(index + (index < walk ? 0 : 4_000)), east: 1.4 * Double(index))
        let place = Coordinate(uncheckedLatitude: report.latitude, longitude: report.longitude)
        if filter.passes(place) { replay.take(.fix(report)) } else { replay.pass(report) }
      }
      _ = replay.finish(notes: [])
      let times = replay.sink.times
      let isOrdered = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
      #expect(isOrdered, "\(walk) s of walking")
    }
  }

  private struct Launches: RecordSink {
    var times: Set<UTCTime> = []
    mutating func receive(_ record: Record) {
      if case .subscriberState = record.body { times.insert(record.time) }
    }
  }

  @Test(arguments: [0, 1, 2, 5])
  func `reports before the first that is believed begin nothing`(count: Int) {
    var request = ReplayRequest()
    request.configuration.sampling.mode = .adaptive
    request.subscribers = [Subscriber(name: "a")]
    request.scenario = Scenario(steps: [
      Scenario.Step(at: .afterFirstFix(seconds: 30), action: .launch(subscriber: "a"))
    ])
    var replay = TrackReplay(request, to: Launches())
    for second in 0..<count { replay.take(.fix(Drive.report(Double(second), east: 0, accuracy: 3_000))) }
    for second in 10...70 { replay.take(.fix(Drive.report(Double(second), east: 0))) }
    let summary = replay.finish(notes: [])
    #expect(abs(summary.durationSeconds - 60) < 1)
    #expect(replay.sink.times == [UTCTime(microseconds: Drive.instant(40).microseconds)])
  }
}

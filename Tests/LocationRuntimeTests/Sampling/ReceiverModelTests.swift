import TestSupport
import Testing

@testable import LocationCore
@testable import LocationLab
@testable import LocationRuntime

/// The track of a replay as the sky of a receiver that the engine switches.
@Suite struct ReceiverModelTests {
  private struct Moves: RecordSink {
    var kinds: [RegionEvent.Kind] = []
    mutating func receive(_ record: Record) {
      if case .region(let event) = record.body, [.enter, .exit].contains(event.kind) {
        kinds.append(event.kind)
      }
    }
  }

  /// What a walk of four hours through a region tells, with a point every so many seconds.
  private static func walk(
    each step: Int, _ mode: SamplingConfiguration.Mode
  ) -> (kinds: [RegionEvent.Kind], notes: [String]) {
    var request = ReplayRequest()
    request.configuration.sampling.mode = mode
    request.regions = [
      Region(
        id: "town", shape: .circle(center: SampledJourney.coordinate(0, 3_300), radiusMeters: 1_000))
    ]
    request.subscribers = [Subscriber(name: "a")]
    var replay = TrackReplay(request, to: Moves())
    for second in stride(from: 0, to: 4 * 3_600, by: step) {
      replay.take(.fix(Drive.report(Double(second), east: 0, north: 1.4 * Double(second))))
    }
    let summary = replay.finish(notes: [])
    return (replay.sink.kinds, summary.notes)
  }

  @Test(arguments: [10, 59, 61, 75, 89]) func `a track with a point for each search is followed`(step: Int) {
    let always = Self.walk(each: step, .continuous)
    let adaptive = Self.walk(each: step, .adaptive)
    #expect(always.kinds == [.enter, .exit])
    #expect(adaptive.kinds == always.kinds)
    #expect(adaptive.notes.isEmpty, "\(adaptive.notes)")
  }

  @Test(arguments: [90, 240]) func `a track with fewer points is told of`(step: Int) {
    let notes = Self.walk(each: step, .adaptive).notes
    #expect(notes.contains { $0.hasPrefix("most fixes of the track are 90 s or more apart") }, "\(notes)")
  }

  @Test func `a track whose points come in pairs, too late for each search, is told of`() {
    var model = ReceiverModel(SamplingConfiguration())
    _ = model.sees(Drive.instant(0))
    #expect(model.lack == nil)
    for pair in 1...9 {
      let second = Double(pair) * 100
      model.perform(.on(.longest), at: Drive.instant(second - 50), searchSeconds: 20)
      // A minute and more after the last one: it puts the search off, which is over before the next.
      let seen = [second, second + 1].map { model.sees(Drive.instant($0)) }
      #expect(seen == [false, false])
      model.perform(.off(seconds: 60, .noSky), at: Drive.instant(second + 40), searchSeconds: 20)
    }
    #expect(model.lack?.hasPrefix("most searches of the receiver are given up after 90 s") == true)
  }

  @Test func `a search begins at the end of a tunnel, and at once between points that are always late`() {
    func seen(_ seconds: [Double], after search: Double) -> [Double] {
      var model = ReceiverModel(SamplingConfiguration())
      _ = model.sees(Drive.instant(0))
      model.perform(.on(.longest), at: Drive.instant(1), searchSeconds: search)
      return seconds.filter { model.sees(Drive.instant($0)) }
    }
    #expect(seen([5, 25, 30], after: 20) == [25, 30])
    #expect(seen([5, 80, 90, 99, 100], after: 20) == [100])
    #expect(seen([80, 160, 240], after: 20) == [160, 240])
    #expect(seen([100, 200, 300], after: 20) == [])
  }
}

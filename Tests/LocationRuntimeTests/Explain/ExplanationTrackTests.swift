import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab

/// A track is explained as its replay decides.
@Suite struct ExplanationTrackTests {
  private struct Records: RecordSink {
    var all: [Record] = []
    mutating func receive(_ record: Record) { all.append(record) }
  }

  /// A minute at home, then away at 20 m/s.
  private static let reports = (0..<180).map { second in
    Drive.report(Double(second), east: Swift.max(0, Double(second - 60)) * 20)
  }

  private static let request: ReplayRequest = {
    var request = ReplayRequest()
    request.regions = [Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))]
    request.subscribers = [Subscriber(name: "replay")]
    return request
  }()

  private static func time(_ seconds: Double) -> UTCTime {
    UTCTime(microseconds: Drive.instant(seconds).microseconds)
  }

  private func track(_ folder: TemporaryFolder, silence: Range<Int> = 0..<0) -> String {
    let reports = Self.reports[..<silence.lowerBound] + Self.reports[silence.upperBound...]
    let lines = reports.map { report in
      let place = #""lat":\#(report.latitude),"lon":\#(report.longitude)"#
      return #"{"time":"\#(report.time?.rfc3339 ?? "")",\#(place),"acc_m":5}"#
    }
    return folder.write("a.ndjson", lines.joined(separator: "\n") + "\n")
  }

  @Test func `a moment`() throws {
    let folder = TemporaryFolder()
    let path = track(folder)
    let inside = try Explanation(Question(at: Self.time(30), region: "home"), track: path, Self.request)
    #expect(inside.places.map(\.state) == [.inside])
    #expect(inside.time == Self.time(30))
    #expect(inside.error?.basis == .claimed)
    let outside = try Explanation(Question(at: Self.time(120), region: "home"), track: path, Self.request)
    #expect(outside.places.map(\.state) == [.outside])
    let end = try Explanation(Question(), track: path, Self.request)
    #expect(end.fix?.time == Self.time(179))
  }

  @Test func `an event has the id of the replay`() throws {
    let folder = TemporaryFolder()
    let path = track(folder)
    var replay = TrackReplay(Self.request, to: Records())
    for report in Self.reports { replay.take(.fix(report)) }
    _ = replay.finish(notes: [])
    let exit = try #require(replay.sink.all.first { $0.type == "region.exit" })
    let found = try Explanation(Question(event: exit.id), track: path, Self.request)
    #expect(found.event?["type"]?.string == "region.exit")
    #expect(!found.decisions.isEmpty)
  }

  /// In the silence after the first minute the stay is long enough, and the program acknowledges that.
  @Test func `a record of a deadline is told as it was then, not with the fix that came after`() throws {
    let folder = TemporaryFolder()
    let path = track(folder, silence: 60..<170)
    var request = Self.request
    request.regions[0].notify = [.enter, .exit, .dwell]
    request.regions[0].dwellSeconds = 90
    var replay = TrackReplay(request, to: Records())
    for report in Self.reports[..<60] + Self.reports[170...] { replay.take(.fix(report)) }
    _ = replay.finish(notes: [])
    let records = replay.sink.all.filter { !["power", "summary"].contains($0.type) }
    #expect(records.contains { $0.type == "region.dwell" })
    for record in records {
      let found = try Explanation(Question(event: record.id), track: path, request)
      #expect(found.time == record.time && found.event?["type"]?.string == record.type, "\(record)")
      let told = replay.sink.all.filter {
        if case .decision(let decision) = $0.body { decision.event == record.id } else { false }
      }
      #expect(found.decisions == told.map { JSONTree($0) }, "\(record)")
    }
  }

  @Test func `a track of which no fix is accepted is told with its last report`() throws {
    let folder = TemporaryFolder()
    let lines = [
      #"{"time":"2026-05-01T06:00:00Z","lat":0,"lon":0,"acc_m":10}"#,
      #"{"time":"2026-05-01T06:00:09Z","lat":52,"lon":200,"acc_m":10}"#,
    ]
    let path = folder.write("a.ndjson", lines.joined(separator: "\n") + "\n")
    let end = try Explanation(Question(region: "home"), track: path, Self.request)
    #expect(end.time.rfc3339 == "2026-05-01T06:00:09.000Z")
    #expect(end.places.map(\.region) == ["home"])
    let text = end.text(in: .utc)
    #expect(text.contains("the report of 06:00:09 (out_of_range)"), "\(text)")
    #expect(text.contains("none yet"), "\(text)")
    let moment = Question(at: UTCTime(rfc3339: "2026-05-01T06:00:04Z"))
    let between = try Explanation(moment, track: path, Self.request)
    #expect(between.text(in: .utc).contains("the report of 06:00:00 (null_island)"))
  }

  @Test func `in a silence the last move is told as long ago as it was`() throws {
    let folder = TemporaryFolder()
    // The first fix is the first move that is told; an hour later the track goes on.
    let lines = [0, 1, 2, 3_600].map { second in
      #"{"time":"\#(Self.time(Double(second)).rfc3339)","lat":48,"lon":11,"acc_m":5}"#
    }
    let path = folder.write("a.ndjson", lines.joined(separator: "\n") + "\n")
    for seconds in [60.0, 200, 1_000] {
      let answer = try Explanation(Question(at: Self.time(seconds)), track: path, Self.request)
      #expect(answer.move?.sinceSeconds == seconds)
      #expect(answer.move?.windowSeconds == max(0, 300 - seconds))
    }
  }

  /// The replay believes the first fix, whatever its date, and the others as soon as three of them agree.
  @Test(arguments: [[], [#"{"time":"\#(Self.time(-5).rfc3339)","lat":98.2,"lon":11,"acc_m":5}"#]])
  func `a track whose first fix is dated after the moment`(before: [String]) throws {
    let folder = TemporaryFolder()
    let wrong = #"{"time":"2045-12-01T00:00:00Z","lat":48,"lon":11,"acc_m":5}"#
    let lines = stride(from: 0.0, to: 1_800, by: 30).map { second in
      #"{"time":"\#(Self.time(second).rfc3339)","lat":48,"lon":11,"acc_m":5}"#
    }
    let path = folder.write("a.ndjson", (before + [wrong] + lines).joined(separator: "\n") + "\n")
    let moment = Question(at: Self.time(1_200))
    let answer = try Explanation(moment, track: path, Self.request)
    #expect(answer.time == Self.time(1_200))
    #expect(answer.fix?.time == Self.time(1_200))
    // As long as the replay takes the wrong date for right, it says why the others are rejected.
    let early = try Explanation(Question(at: Self.time(30)), track: path, Self.request)
    #expect(early.text(in: .utc).contains("(late)"), "\(early.text(in: .utc))")
    // A date that no later report contradicts is that of the track.
    let alone = folder.write("b.ndjson", wrong + "\n")
    let failure = #expect(throws: Failure.self) { try Explanation(moment, track: alone, Self.request) }
    #expect(failure?.what == "it begins later, at 2045-12-01T00:00:00.000Z")
  }

  @Test func `a recording without an event is told as such`() throws {
    let folder = TemporaryFolder()
    let writer = try JournalWriter(path: folder("a.journal"), configuration: EngineConfiguration())
    try writer.flush()
    let failure = #expect(throws: Failure.self) {
      try Explanation(Question(), recording: folder("a.journal"))
    }
    #expect(failure?.code == .conditionFails)
    #expect(failure?.what == "nothing has been recorded in it")
  }

  @Test func `what is not in it`() throws {
    let folder = TemporaryFolder()
    let path = track(folder)
    for question in [Question(at: Self.time(-10)), Question(event: 99_999), Question(region: "hme")] {
      let failure = #expect(throws: Failure.self) {
        try Explanation(question, track: path, Self.request)
      }
      #expect(failure?.code == .conditionFails)
    }
  }
}

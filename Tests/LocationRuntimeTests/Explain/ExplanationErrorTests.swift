import GRDB
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// What can't be explained is said in one line, with a remedy.
@Suite struct ExplanationErrorTests {
  private static let events: [Stamped] = {
    var drive = Drive()
    drive.add(0, .addRegion(Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 100))))
    drive.add(0, .addSubscriber(Subscriber(name: "logger"), .suspended))
    for second in 1...60 { drive.fix(Double(second), east: 0) }
    return drive.events
  }()

  private static func time(_ seconds: Double) -> UTCTime {
    UTCTime(microseconds: Drive.instant(seconds).microseconds)
  }

  private func refusal(_ path: String, _ question: Question) -> Failure? {
    do throws(Failure) {
      _ = try Explanation(question, state: path)
      return nil
    } catch {
      return error
    }
  }

  /// The program is asked to fetch each hour, for as long as somebody looks.
  @Test func `the id of a damaged row makes up no decisions`() throws {
    let terms = Subscriber(name: "hourly", modes: .fetch)
    let past = try Past(
      [Stamped(at: Drive.instant(0), .addSubscriber(terms, .suspended))] + Self.events)
    let whole = try past.explain(Question(region: "home")).text
    try DatabaseQueue(path: past.path).writeWithoutTransaction {
      try $0.execute(sql: "UPDATE events SET id = 1 << 50 WHERE seq = (SELECT max(seq) FROM events)")
    }
    #expect(try past.explain(Question(region: "home")).text == whole)
  }

  @Test func `a mistyped region or subscriber finds the nearest`() throws {
    let past = try Past(Self.events)
    let region = try #require(refusal(past.path, Question(region: "hme")))
    #expect(region.code == .conditionFails)
    #expect("\(region)" == "no region was called \"hme\" then; did you mean home?")
    let subscriber = try #require(refusal(past.path, Question(subscriber: "loger")))
    #expect("\(subscriber)" == "no subscriber was called \"loger\" then; did you mean logger?")
    let none = try #require(refusal(past.path, Question(region: "x")))
    #expect(none.remedy == "there were home")
  }

  @Test func `a time before the journal begins`() throws {
    let past = try Past(Self.events)
    let failure = try #require(refusal(past.path, Question(at: Self.time(-10))))
    #expect(failure.code == .conditionFails)
    #expect("\(failure)".contains("its journal begins later, at 2026-05-01T06:00:00.000Z; "))
    #expect(throws: Failure.self) {
      try Explanation(Question(at: Self.time(-10)), recording: past.recording)
    }
  }

  @Test func `a journal that was cut short tells where it begins now, and of an older event what is left`()
    throws
  {
    var retention = Retention()
    retention.journalRows = 10
    let past = try Past(Self.events, snapshotEvery: 10, keeping: retention)
    let failure = try #require(refusal(past.path, Question(at: Self.time(5))))
    #expect("\(failure)".contains("its journal begins later, at 2026-05-01T06:00:"))
    let id = try #require(past.ids("region.state").first)
    let answer = try past.explain(Question(event: id))
    #expect(answer("event", "type") == .string("region.state"))
    #expect(answer["regions"] == nil && answer["fix"] == nil)
    let text = try Explanation(Question(event: id), state: past.path).text(in: .utc)
    #expect(text.contains("what led to it is not kept: the journal begins later"))
    #expect(try past.explain(Question(at: Self.time(59)))("fix", "age_s")?.double == 0)
  }

  @Test func `an id that nothing has, no file, no journal, no recording`() throws {
    let past = try Past(Self.events)
    let id = try #require(refusal(past.path, Question(event: 99_999)))
    #expect("\(id)" == "nothing has the id 99999; locwatch events tells the ids of records")
    #expect(throws: Failure.self) { try Explanation(Question(event: 99_999), recording: past.recording) }
    let folder = TemporaryFolder()
    let missing = try #require(refusal(folder("none.db"), Question()))
    #expect(missing.code == .conditionFails && missing.what == "there is no state file yet")
    _ = try StateDatabase.open(path: folder("new.db"))
    let empty = try #require(refusal(folder("new.db"), Question()))
    #expect(empty.code == .conditionFails && empty.what == "it has no journal yet")
    let track = folder.write("a.ndjson", #"{"time":"2026-05-01T06:00:00Z","lat":48,"lon":11}"# + "\n")
    let other = #expect(throws: Failure.self) { try Explanation(Question(), recording: track) }
    #expect(other?.code == .data && other?.what == "not a recording")
  }

  @Test func `after the last thing that is known nothing is made up`() throws {
    let past = try Past(Self.events)
    let answer = try past.explain(Question(at: Self.time(600), region: "home"))
    #expect(answer("known_until") == .string("2026-05-01T06:01:00.000Z"))
    #expect(answer("fix", "age_s")?.double == 540)
    #expect(answer("regions", "state_after") == .string("inside"))
    let text = try Explanation(Question(at: Self.time(600)), state: past.path).text(in: .utc)
    #expect(text.contains("nothing is known after 2026-05-01T06:01:00.000Z"))
  }
}

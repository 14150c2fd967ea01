import Foundation
import GRDB
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// State files that are damaged: each is an answer, none a crash.
@Suite struct StateDamageTests {
  private let folder = TemporaryFolder()

  /// A state file with something in every table that is read.
  static func make(at path: String) throws {
    let database = try StateDatabase.open(path: path)
    let feature =
      #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[11,48]}}"#
    _ = try database.put([try RegionFile.read(bytes: Array(feature.utf8), name: "f")], changing: true)
    try database.put(Subscriber(name: "a", services: [.significantChange]), replacing: false)
    try database.request([.machine(.unlock)])
    try database.setMeta([(.boot, "b"), (.clockOffset, "12"), (.source, "{}")])
    var host = try DaemonHost(
      database, configuration: EngineConfiguration(), retention: Retention(), timing: .clock)
    func reading(_ index: Int) -> ClockReading {
      let utc = UTCTime(microseconds: 1_777_000_000_000_000 + Int64(index) * 1_000_000)
      return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
    }
    try host.handle(
      .addSubscriber(Subscriber(name: "a", services: [.significantChange]), .notRunning), at: reading(0))
    for index in 0..<40 {
      let report = FixReport(
        time: reading(index).utc, latitude: 48 + 0.001 * Double(index), longitude: 11,
        accuracy: Accuracy(radiusMeters: 5, source: .reported))
      try host.handle(.fix(report), at: reading(index))
      try host.commit(at: reading(index))
      if index == 20 { try host.checkpoint(at: reading(index)) }
    }
    database.checkpointLog()
  }

  /// Everything that commands and a daemon read at their start.
  static func readAll(_ path: String) throws(Failure) {
    guard let database = try StateDatabase.openToRead(path: path) else { return }
    _ = try database.regions()
    _ = try database.subscribers()
    _ = try database.requests()
    _ = try database.events(after: 0)
    _ = try database.energy()
    _ = try database.past(before: nil, event: nil)
    _ = try database.recording { _ in }
    for id in 1..<10 { _ = try database.event(id: id) }
    var host = try DaemonHost(
      database, configuration: EngineConfiguration(), retention: Retention(), timing: .clock)
    try host.handle(
      .machine(.reboot),
      at: ClockReading(instant: EngineInstant(microseconds: 1_777_000_100_000_000), utc: nil))
    try host.commit(at: ClockReading(instant: EngineInstant(microseconds: 1_777_000_100_000_000), utc: nil))
    try host.advance(to: ClockReading(instant: EngineInstant(microseconds: 1_777_000_200_000_000), utc: nil))
  }

  private func failure(_ sql: String) throws -> Failure? {
    let path = folder("s.db")
    try Self.make(at: path)
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    do throws(Failure) {
      try Self.readAll(path)
      return nil
    } catch {
      return error
    }
  }

  @Test func `a whole one is read`() throws { #expect(try failure("SELECT 1") == nil) }

  @Test(arguments: [
    ("PRAGMA user_version = -1", "version of the schema is -1"),
    ("PRAGMA user_version = 2", "not those of locwatch"),
    ("PRAGMA user_version = 0", "not those of locwatch"),
    ("DROP TABLE journal", "its table journal is missing"), ("DROP TABLE meta", "its table meta is missing"),
    ("DROP TABLE regions", "its table regions is missing"),
    ("ALTER TABLE events RENAME COLUMN line TO text", "its table events has other columns"),
    ("CREATE TRIGGER t AFTER INSERT ON journal BEGIN DELETE FROM events; END", "trigger"),
    ("CREATE VIEW v AS SELECT 1", "view"),
    ("UPDATE regions SET geojson = '{'", "region \"home\" in its table regions can't be read"),
    ("UPDATE regions SET geojson = 'null'", "region \"home\" in its table regions can't be read"),
    ("UPDATE regions SET geojson = ''", "region \"home\" in its table regions can't be read"),
    (
      """
      INSERT INTO regions (id, tags, geojson)
      SELECT 'Caf' || char(233), tags, replace(geojson, '"home"', '"Caf' || char(233) || '"') FROM regions;
      INSERT INTO regions (id, tags, geojson)
      SELECT 'Cafe' || char(769), tags, replace(geojson, '"home"', '"Cafe' || char(769) || '"') FROM regions
      WHERE id = 'home'
      """, "another region has the same id in other bytes"
    ),
    (
      "UPDATE regions SET geojson = replace(geojson, '\"home\"', '\"work\"')",
      "region \"home\" in its table regions can't be read: its Feature has the id \"work\""
    ),
    ("UPDATE subscribers SET manifest = '['", "in its table subscribers can't be read: the text ends"),
    ("UPDATE subscribers SET manifest = '{}'", "table subscribers"),
    ("UPDATE requests SET event = '{\"machine\":{}}'", "table requests"),
    ("UPDATE journal SET line = '{\"at\":1' WHERE number > 25", "table journal"),
    // Before the last snapshot: only the recording reads it.
    ("UPDATE journal SET line = 'garbage' WHERE number = 3", "row 3 of its table journal"),
    ("UPDATE snapshots SET engine = '{}'", "table snapshots"),
    ("UPDATE snapshots SET engine = replace(engine, '48', '49')", "table snapshots is damaged"),
    ("UPDATE snapshots SET engine = '{', checksum = NULL", "s.db"),
    ("UPDATE events SET line = 'nonsense'", "table events"),
    ("UPDATE events SET line = 'garbage' WHERE seq = 2", "in its table events can't be read"),
    ("UPDATE events SET line = substr(line, 1, 40) WHERE seq = 2", "in its table events can't be read"),
    ("UPDATE events SET line = line || '}' WHERE seq = 2", "in its table events can't be read"),
    ("UPDATE events SET line = '}' WHERE seq = 2", "in its table events can't be read"),
    ("UPDATE events SET id = 9223372036854775807 WHERE seq = 1", "table events"),
  ])
  func `damage is told in one line, with the table and the remedy`(sql: String, words: String) throws {
    let failure = try #require(try failure(sql))
    #expect(failure.code == .data, "\(failure)")
    #expect(failure.description.contains(words), "\(failure)")
    #expect(failure.remedy != nil, "\(failure)")
    for internals in ["JSONError", "DecodingError", "kind:", "Swift."] {
      #expect(!failure.description.contains(internals), "\(failure)")
    }
  }

  @Test func `an outlet that can't be read is named, and can be removed`() throws {
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    for name in ["phone", "toy"] {
      try database.put(OutletSettings(name: name, kind: .webhook, instance: "00ff"), replacing: false)
    }
    try DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "UPDATE outlet_settings SET settings = '{' WHERE name = 'toy'")
    }
    let failure = try #require(throws: Failure.self) { try database.outletSettings() }
    #expect(failure.what.hasPrefix("outlet \"toy\" in its table outlet_settings can't be read: "))
    #expect(failure.remedy == "locwatch outlets remove toy, and add it again")
    #expect(try database.removeOutlet("toy"))
    #expect(try database.outletSettings().map(\.name) == ["phone"])
  }

  @Test(arguments: ["cursor = -1", "attempts = -1", "skipped = -1", "attempts = 9223372036854775807"])
  func `a number that no outlet has had is told as damage`(sql: String) throws {
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    try database.put(OutletSettings(name: "toy", kind: .webhook, instance: "00ff"), replacing: false)
    try database.setOutletCursor("toy", 1)
    #expect(try database.outletProgress("toy")?.cursor == 1)
    try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: "UPDATE outlets SET \(sql)") }
    let failure = try #require(throws: Failure.self) { try database.outletStates() }
    #expect(failure.code == .data && failure.description.contains("table outlets is damaged"), "\(failure)")
    if !sql.hasPrefix("skipped") {
      #expect(throws: failure) { try database.outletProgress("toy") }
    }
  }

  /// Not in a process of its own: Swift Testing waits for one for ever where another child of this process was not
  /// waited for.
  @Test func `bytes that are flipped crash nothing`() throws {
    let path = folder("s.db")
    try Self.make(at: path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var random = SeededRandom(20_261_123)
    for variant in 0..<(Corpus.isFull ? 10_000 : 300) {
      try Self.variant(of: whole, at: path, using: &random)
      do throws(Failure) { try Self.readAll(path) } catch {
        let text = "\(error)"
        #expect(
          !text.contains("JSONError") && !text.contains("DecodingError") && !text.contains("\n")
            && error.code != .software, "variant \(variant), \(random): \(text)")
      }
    }
  }

  /// Flips bytes anywhere in the file, or digits of its texts, which leave it well formed.
  static func variant(of whole: Data, at path: String, using random: inout SeededRandom) throws {
    var bytes = [UInt8](whole)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      var index = Int.random(in: 0..<bytes.count, using: &random)
      if random.chance(0.5) {
        while index + 1 < bytes.count, !(48...57).contains(bytes[index]) { index += 1 }
        bytes[index] = UInt8.random(in: 48...57, using: &random)
      } else {
        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    for log in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + log) }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    // As a version before 4 wrote them: the checksum does not hide what a snapshot may say.
    guard random.chance(0.5) else { return }
    try? DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "UPDATE snapshots SET checksum = NULL")
    }
  }
}

/// How much of the past is kept for whom.
@Suite struct HistoryShareTests {
  private let folder = TemporaryFolder()

  @Test func `one subscriber can't drive the others out of the history`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    var batch = StoreBatch()
    func add(_ id: Int, _ subscriber: String?) {
      batch.events.append(
        StoreBatch.EventRow(
          id: id, type: subscriber == nil ? "significant" : "decision",
          time: UTCTime(microseconds: Int64(id)), line: ",\"id\":\(id)}", subscriber: subscriber))
    }
    for id in 1...50 { add(id, nil) }
    for id in 51...60 { add(id, "quiet") }
    for id in 61...1_000 { add(id, "loud") }
    _ = try database.store(batch)
    var retention = Retention()
    retention.eventRows = 120
    _ = try database.store(
      snapshotOf: Engine(configuration: EngineConfiguration()), at: EngineInstant(microseconds: 0),
      keeping: retention, utc: UTCTime(microseconds: 1_000))
    let kept = try database.read { database in
      try Row.fetchAll(
        database,
        sql:
          "SELECT ifnull(subscriber, '') AS name, count(*) AS rows, min(id) AS first FROM events GROUP BY 1"
      ).map { try [$0.decode(String.self, forColumn: "name"), "\($0.decode(Int.self, forColumn: "rows"))"] }
    }
    // The loud one keeps what the others leave, and its newest.
    #expect(kept == [["", "50"], ["loud", "60"], ["quiet", "10"]])
    #expect(try database.lastEventID() == 1_000)
  }

  @Test func `a record of any type counts toward the share of the program that it names`() throws {
    var encoder = RecordEncoder(format: .ndjson, track: nil)
    var types: Set<String> = []
    for body in Record.families.flatMap({ $0.samples }) {
      let record = Record(id: 1, time: UTCTime(microseconds: 0), body: body)
      let encoded = encoder.encode(record)
      let line = try #require(encoded)
      let row = StoreBatch.EventRow(record, line)
      #expect(
        row.subscriber == (try JSONTree(Array("{\"v\":1".utf8) + line))["subscriber"]?.string,
        "\(record.type)")
      if row.subscriber != nil { types.insert(record.type) }
    }
    #expect(types.isSuperset(of: ["decision", "notification", "fetch", "push", "transfer.done"]), "\(types)")
  }

  @Test(
    arguments: [
      // Those of a log that ends 500 days ago.
      (-900.1, -500.0, 2), (-899.9, -500.0, 3),
      // A fix of the future makes nothing older.
      (-400.1, 0, 2), (-399.9, 0, 3), (-399.9, 9_000, 3), (-400.1, 9_000, 2),
    ])
  func `an event is as old as it is beside the newest`(oldest: Double, newest: Double, kept: Int) throws {
    let folder = TemporaryFolder()
    let database = try StateDatabase.open(path: folder("locwatch.db"))
    let now = UTCTime(microseconds: 1_700_000_000_000_000)
    var batch = StoreBatch()
    for (id, days) in [oldest, newest - 1, newest].enumerated() {
      batch.events.append(
        StoreBatch.EventRow(
          id: id + 1, type: "significant", time: now.advanced(bySeconds: days * 86_400),
          line: ",\"id\":\(id + 1)}", subscriber: nil))
    }
    _ = try database.store(batch)
    _ = try database.store(
      snapshotOf: Engine(configuration: EngineConfiguration()), at: EngineInstant(microseconds: 0),
      keeping: Retention(), utc: now)
    #expect(try database.counts().events == kept)
  }

  @Test(arguments: [(0.0, 3), (399.9, 3), (400.1, 2)])
  func `a clock that is ahead after a boot makes nothing old before a fix does`(fix: Double, kept: Int)
    throws
  {
    let folder = TemporaryFolder()
    let database = try StateDatabase.open(path: folder("locwatch.db"))
    let day = 86_400.0
    let start = UTCTime(microseconds: Drive.epoch)
    var batch = StoreBatch()
    for (id, days) in [0, 1.0, 500].enumerated() {
      batch.events.append(
        StoreBatch.EventRow(
          id: id + 1, type: "significant", time: start.advanced(bySeconds: days * day),
          line: ",\"id\":\(id + 1)}", subscriber: nil))
    }
    _ = try database.store(batch)
    var drive = Drive()
    drive.fix(fix * day, east: 0)
    var engine = Engine(configuration: EngineConfiguration())
    var effects: [Effect] = []
    for event in drive.events { engine.handle(event, into: &effects) }
    _ = try database.store(
      snapshotOf: engine, at: engine.instant, keeping: Retention(),
      utc: start.advanced(bySeconds: 500 * day))
    #expect(try database.counts().events == kept)
  }
}

import GRDB
import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// A daemon that is killed and comes back as another build, whose engine records other things of the same journal. The
/// state file is changed to what that build would have stored.
@Suite struct OtherBuildTests {
  private let folder = TemporaryFolder()

  private func reading(_ second: Int) -> ClockReading {
    let utc = UTCTime(microseconds: 1_777_000_000_000_000 + Int64(second) * 1_000_000)
    return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
  }

  private func host(_ database: StateDatabase) throws -> DaemonHost {
    try DaemonHost(database, configuration: EngineConfiguration(), retention: Retention(), timing: .clock)
  }

  private func restored(_ database: StateDatabase) throws -> RestoredEngine {
    try RestoredEngine(database, orNew: EngineConfiguration())
  }

  /// Who waits for what.
  private func waiting(_ engine: borrowing Engine) -> [Int] {
    engine.subscriber("logger")?.waiting.map(\.event) ?? []
  }

  /// Ids of the crossings of regions that are stored, by type.
  private func crossings(_ database: StateDatabase) throws -> [String: [Int]] {
    try database.read { database in
      let rows = try Row.fetchAll(
        database, sql: "SELECT type, id FROM events WHERE type IN ('region.enter', 'region.exit') ORDER BY id"
      )
      return Dictionary(grouping: rows) { $0["type"] as String }.mapValues { $0.map { $0["id"] as Int } }
    }
  }

  private func outbox(_ database: StateDatabase) throws -> [Int] {
    try database.outbox()["logger", default: []].map(\.event)
  }

  private func execute(_ database: StateDatabase, _ sql: String, _ arguments: StatementArguments) throws {
    try database.write { try $0.execute(sql: sql, arguments: arguments) }
  }

  /// A state file that a killed daemon left: a program has acknowledged that a region was entered, and not that it was
  /// left; the ids of both.
  private func killed() throws -> (database: StateDatabase, enter: Int, exit: Int) {
    let database = try StateDatabase.open(path: folder("s.db"))
    _ = try database.put(
      [try StateDatabaseTests.file(StateDatabaseTests.feature("home", radius: 150))], changing: true)
    var host = try host(database)
    try host.handle(
      .addSubscriber(Subscriber(name: "logger", services: .regions), .notRunning), at: reading(0))
    try host.handle(.machine(.unlock), at: reading(0))
    var acknowledged: Int?
    for second in 0..<60 {
      let report = FixReport(
        time: reading(second).utc, latitude: 48.244 + 0.0002 * Double(second), longitude: 11.5,
        accuracy: Accuracy(radiusMeters: 5, source: .reported))
      try host.handle(.fix(report), at: reading(second))
      if acknowledged == nil, let event = waiting(host.engine).first {
        acknowledged = event
        try host.handle(
          .subscriber(name: "logger", .acknowledged(event: event, coreSeconds: 0)), at: reading(second))
      }
      try host.commit(at: reading(second))
    }
    let enter = try #require(acknowledged)
    let exit = try #require(waiting(host.engine).first)
    #expect(try crossings(database) == ["region.enter": [enter], "region.exit": [exit]])
    #expect(try outbox(database) == [exit])
    return (database, enter, exit)
  }

  /// The daemon comes back twice, and it stays as it is.
  private func check(
    _ database: StateDatabase, waiting expected: [Int], crossings: [String: [Int]],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var last: EngineSnapshot?
    for _ in 0..<3 {
      let host = try host(database)
      #expect(waiting(host.engine) == expected, sourceLocation: sourceLocation)
      #expect(try outbox(database) == expected, sourceLocation: sourceLocation)
      #expect(try self.crossings(database) == crossings, sourceLocation: sourceLocation)
      #expect(try host.engine.nextID > database.lastEventID(), sourceLocation: sourceLocation)
      for event in expected {
        #expect(!host.host.journal.line(of: event).isEmpty, sourceLocation: sourceLocation)
      }
      let snapshot = host.engine.snapshot
      #expect(last == nil || last == snapshot, sourceLocation: sourceLocation)
      last = snapshot
      #expect(try !restored(database).isOther, sourceLocation: sourceLocation)
    }
  }

  @Test func `the same build replays its journal and stores nothing`() throws {
    let (database, enter, exit) = try killed()
    #expect(try !restored(database).isOther)
    func snapshots() throws -> Int? {
      try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM snapshots") }
    }
    let before = try snapshots()
    try check(database, waiting: [exit], crossings: ["region.enter": [enter], "region.exit": [exit]])
    #expect(try snapshots() == before)
  }

  /// The history is bounded: what is gone of it was told.
  @Test(arguments: [0, 7]) func `what is no longer kept is not told again`(more: Int) throws {
    let (database, enter, exit) = try killed()
    if more > 0 { try shift(database, by: more, from: enter) }
    try execute(database, "DELETE FROM events WHERE id <= ?", [enter + more])
    #expect(try restored(database).isOther == (more > 0))
    try check(database, waiting: [exit + more], crossings: ["region.exit": [exit + more]])
  }

  /// Ids as a build gives them that has recorded more before.
  private func shift(_ database: StateDatabase, by more: Int, from enter: Int) throws {
    // In two steps, because ids are unique.
    for step in [1_000, more - 1_000] {
      let from = step > 0 ? enter : enter + 1_000
      try execute(database, "UPDATE events SET id = id + ? WHERE id >= ?", [step, from])
      try execute(database, "UPDATE outbox SET event = event + ? WHERE event >= ?", [step, from])
    }
    try execute(
      database, "UPDATE journal SET line = replace(line, ?, ?)",
      ["\"event\":\(enter),", "\"event\":\(enter + more),"])
  }

  @Test func `what was told under higher ids keeps them, and what was acknowledged is not told again`() throws
  {
    let (database, enter, exit) = try killed()
    let more = 7
    try shift(database, by: more, from: enter)
    #expect(try restored(database).isOther)
    try check(
      database, waiting: [exit + more],
      crossings: ["region.enter": [enter + more], "region.exit": [exit + more]])
  }

  @Test func `what was not told is told once, also after a kill before it is in a snapshot`() throws {
    let (database, enter, exit) = try killed()
    try execute(database, "DELETE FROM events WHERE id = ?", [exit])
    try execute(database, "DELETE FROM outbox WHERE event = ?", [exit])
    let last = try database.lastEventID()
    do {
      let restored = try restored(database)
      #expect(restored.untold.map(\.type) == ["region.exit"])
      try DatabaseJournal.settle(restored.engine, restored.untold, in: database)
    }
    let told = try #require(try crossings(database)["region.exit"]?.first)
    #expect(told > last)
    try check(database, waiting: [told], crossings: ["region.enter": [enter], "region.exit": [told]])
  }

  @Test func `what this engine does not record waits as before`() throws {
    let (database, enter, exit) = try killed()
    let other = exit + 1_000
    try execute(
      database,
      """
      INSERT INTO events (id, type, time, line) SELECT ?1, 'region.dwell', time, replace(line, ?2, ?3)
      FROM events WHERE id = ?4
      """,
      [other, "\"id\":\(exit),\"type\":\"region.exit\"", "\"id\":\(other),\"type\":\"region.dwell\"", exit])
    try execute(database, "INSERT INTO outbox VALUES ('logger', ?, 'waiting')", [other])
    try check(database, waiting: [exit, other], crossings: ["region.enter": [enter], "region.exit": [exit]])
  }

  @Test(arguments: [-1, 1])
  func `what was found a fix earlier or later is the same`(seconds: Int) throws {
    let (database, enter, exit) = try killed()
    try execute(
      database, "UPDATE events SET time = time + ? WHERE id = ?", [seconds * 1_000_000, exit])
    #expect(try restored(database).isOther)
    try check(database, waiting: [exit], crossings: ["region.enter": [enter], "region.exit": [exit]])
  }

  @Test func `what another build has dropped waits no more`() throws {
    let (database, enter, exit) = try killed()
    try execute(database, "DELETE FROM outbox WHERE event = ?", [exit])
    // The decision that says so is one that this engine does not take.
    try execute(
      database,
      """
      INSERT INTO events (id, type, time, line, subscriber)
      SELECT id + 1000, 'decision', time, line, 'logger' FROM events WHERE id = ?
      """, [exit])
    try check(database, waiting: [], crossings: ["region.enter": [enter], "region.exit": [exit]])
  }
}

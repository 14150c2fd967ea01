import GRDB
package import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Lines of NDJSON, as ``events(after:limit:)`` finds them.
  package struct EventPage {
    /// The lines with their ends.
    package var bytes: [UInt8] = []
    /// The last id; nil where there is none.
    package var lastID: Int?
    /// Whether there may be more.
    package var isFull = false
  }

  /// The events with ids above `id`, in order, at most so many.
  package func events(after id: Int, limit: Int = 10_000) throws(Failure) -> EventPage {
    try read("events") { database in
      let statement = try database.cachedStatement(
        sql: "SELECT seq, id, line FROM events WHERE id > ? ORDER BY id LIMIT ?")
      let rows = try Row.fetchCursor(statement, arguments: [id, limit])
      var page = EventPage()
      var count = 0
      while let row = try rows.next() {
        page.bytes += try eventLine(of: row)
        page.bytes.append(UInt8(ascii: "\n"))
        page.lastID = try row.decode(forColumn: "id")
        count += 1
      }
      page.isFull = count == limit
      return page
    }
  }

  /// The whole lines, without their ends, of the events that somebody waits for.
  func waitingLines() throws(Failure) -> [Int: [UInt8]] {
    try read("events") { database in
      var lines: [Int: [UInt8]] = [:]
      let rows = try Row.fetchCursor(
        database, sql: "SELECT id, seq, line FROM events WHERE id IN (SELECT event FROM outbox)")
      while let row = try rows.next() {
        let id: Int = try row.decode(forColumn: "id")
        lines[id] = try eventLine(of: row)
      }
      return lines
    }
  }

  /// The whole line, without its end, of a row of `events` that has `seq`, `id` and `line`.
  ///
  /// - Throws: `.data` where what is stored is not the rest of a record.
  func eventLine(of row: Row) throws -> [UInt8] {
    let id: Int = try row.decode(forColumn: "id")
    let rest: String = try row.decode(forColumn: "line")
    let line = Array(Self.eventLine(seq: try row.decode(forColumn: "seq"), rest).utf8)
    guard rest.utf8.starts(with: ",\"id\":".utf8), Self.isObject(line) else {
      throw Self.damage("event \(id) in its table events can't be read", path)
    }
    return line
  }

  /// Whether a stored line is one whole JSON object.
  static func isObject(_ line: [UInt8]) -> Bool {
    var reader = JSONReader(line)
    do throws(JSONError) {
      guard try reader.peek() == .object else { return false }
      try reader.skip()
      try reader.end()
      return true
    } catch {
      return false
    }
  }

  static func eventLine(seq: Int64, _ line: String) -> String { "{\"v\":1,\"seq\":\(seq)\(line)" }

  /// The id of the newest event; 0 where there is none.
  ///
  /// - Throws: `.data` where it is so high that no engine has given it: the next would be given after it.
  package func lastEventID() throws(Failure) -> Int {
    let id = try read { try Int.fetchOne($0, sql: "SELECT max(id) FROM events") ?? 0 }
    guard id < Self.idLimit else { throw Self.damage("its table events has an id that nobody gave", path) }
    return id
  }

  /// Ids are below it: numbers that every reader of JSON takes exactly.
  private static let idLimit = 1 << 53

  /// The events from an id on, in order, as far as it takes to see whether an engine records the same.
  func events(from id: Int) throws(Failure) -> [(id: Int, type: String, time: UTCTime)] {
    try read("events") { database in
      try Row.fetchAll(
        database, sql: "SELECT id, type, time FROM events WHERE id >= ? ORDER BY id", arguments: [id]
      ).map { row in
        try (
          row.decode(forColumn: "id"), row.decode(forColumn: "type"),
          UTCTime(microseconds: row.decode(forColumn: "time"))
        )
      }
    }
  }

  /// The time of the oldest event that is kept and about no subscriber: what happened before may be gone.
  func oldestTime() throws(Failure) -> UTCTime? {
    try read("events") { database in
      try Int64.fetchOne(database, sql: "SELECT min(time) FROM events WHERE subscriber IS NULL").map {
        UTCTime(microseconds: $0)
      }
    }
  }

  /// The time of the latest event that is kept; nil where there is none.
  package func newestTime() throws(Failure) -> UTCTime? {
    try read("events") { database in
      try Int64.fetchOne(database, sql: "SELECT max(time) FROM events").map { UTCTime(microseconds: $0) }
    }
  }

  /// The events from an id on, in order, for an engine that records other things.
  func pastRecords(from id: Int) throws(Failure) -> [PastRecords.Stored] {
    try read("events") { database in
      try Row.fetchAll(
        database, sql: "SELECT id, type, time, line FROM events WHERE id >= ? ORDER BY id", arguments: [id]
      ).map { row in
        try PastRecords.Stored(
          id: row.decode(forColumn: "id"), time: UTCTime(microseconds: row.decode(forColumn: "time")),
          subject: Self.subject(of: row))
      }
    }
  }

  /// Who waits for which event that is stored, oldest first, for an engine that records other things.
  func pastOutbox() throws(Failure) -> [String: [PastRecords.Waiting]] {
    let sql = """
      SELECT outbox.subscriber AS subscriber, event, state, type, line FROM outbox JOIN events ON id = event
      ORDER BY event
      """
    return try outbox(sql) { row, event, isHanded in
      PastRecords.Waiting(event: event, subject: try Self.subject(of: row), wasHanded: isHanded)
    }
  }

  /// What a row of `events` is about.
  private static func subject(of row: Row) throws -> PastRecords.Subject {
    let line: String = try row.decode(forColumn: "line")
    // What is kept goes on after `v` and `seq`, with a comma.
    let record = try JSONTree(Array("{\(line.dropFirst())".utf8))
    var names: [String: String] = [:]
    for key in PastRecords.Subject.keys { names[key] = record[key]?.string }
    return PastRecords.Subject(type: try row.decode(forColumn: "type"), names: names)
  }

  /// What programs wait for and is not stored: somebody has removed it. There is nothing to hand over.
  func unstoredEvents(
    of engine: borrowing Engine
  ) throws(Failure) -> [(subscriber: String, event: Int)] {
    let waiting = engine.subscribers.flatMap { view in
      view.waiting.map { (subscriber: view.subscriber.name, event: $0.event) }
    }
    return try read("events") { database in
      let statement = try database.cachedStatement(sql: "SELECT EXISTS (SELECT * FROM events WHERE id = ?)")
      return try waiting.filter { try Bool.fetchOne(statement, arguments: [$0.event]) != true }
    }
  }

  /// How many rows there are.
  func counts() throws(Failure) -> (journal: Int, events: Int, regions: Int) {
    try read { database in
      (
        // Its rows are numbered without gaps, because only the oldest are removed; to count them would be to read it.
        try Int.fetchOne(
          database,
          sql: "SELECT (SELECT max(number) FROM journal) - (SELECT min(number) FROM journal) + 1") ?? 0,
        try Int.fetchOne(database, sql: "SELECT count(*) FROM events") ?? 0,
        try Int.fetchOne(database, sql: "SELECT count(*) FROM regions") ?? 0
      )
    }
  }
}

import GRDB
package import LocationCore
package import LocationFormats

/// What one transaction of the daemon stores: events that came, what followed, and who waits for what.
struct StoreBatch {
  /// An event that came, as a line of a recording without its end.
  struct JournalRow {
    var at: EngineInstant
    var line: String
  }

  /// A record.
  struct EventRow {
    var id: Int
    var type: String
    var time: UTCTime
    /// All but `v` and `seq`.
    var line: String
  }

  var journal: [JournalRow] = []
  var events: [EventRow] = []
  var outbox: [OutboxChange] = []
  /// Rows of `requests` that are among the events that came.
  var requests: [Int] = []
  /// Subscribers whose manifest is among the events that came; nil for one that was removed.
  var applied: [(name: String, manifest: String?)] = []
  /// What was last said of the source.
  var source: String?
  /// Whether somebody is told of it, so that a loss of power must not undo it.
  var isTold = false

  var isEmpty: Bool {
    journal.isEmpty && events.isEmpty && outbox.isEmpty && requests.isEmpty && applied.isEmpty
      && source == nil
  }

  /// Rows that wait to be stored.
  var count: Int { journal.count + events.count }

  mutating func removeAll() { self = StoreBatch() }
}

/// Records as the database has numbered them.
struct StoredEvents {
  /// Their lines with their ends.
  private(set) var lines: [UInt8] = []
  /// Where in ``lines`` that of each record ends, behind its line feed.
  private var ends: [(id: Int, end: Int)] = []

  var count: Int { ends.count }

  mutating func append(_ id: Int, _ line: String) {
    lines += line.utf8
    lines.append(UInt8(ascii: "\n"))
    ends.append((id, lines.count))
  }

  /// Hands on each line without its end.
  func eachLine(_ body: (_ id: Int, _ line: ArraySlice<UInt8>) -> Void) {
    var start = 0
    for (id, end) in ends {
      body(id, lines[start..<(end - 1)])
      start = end
    }
  }
}

extension StateDatabase {
  /// Stores a batch, whole or not at all.
  ///
  /// - Returns: the records that are new.
  func store(_ batch: StoreBatch) throws(Failure) -> StoredEvents {
    try write(durably: batch.isTold) { database in
      let journal = try database.cachedStatement(sql: "INSERT INTO journal (at, line) VALUES (?, ?)")
      for row in batch.journal { try journal.execute(arguments: [row.at.microseconds, row.line]) }
      var stored = StoredEvents()
      let event = try database.cachedStatement(
        sql: "INSERT OR IGNORE INTO events (id, type, time, line) VALUES (?, ?, ?, ?)")
      for row in batch.events {
        try event.execute(arguments: [row.id, row.type, row.time.microseconds, row.line])
        guard database.changesCount == 1 else { continue }
        stored.append(row.id, Self.eventLine(seq: database.lastInsertedRowID, row.line))
      }
      for change in batch.outbox { try Self.apply(change, database) }
      for number in batch.requests {
        try database.execute(sql: "DELETE FROM requests WHERE number = ?", arguments: [number])
      }
      for (name, manifest) in batch.applied {
        try database.execute(
          sql: "UPDATE subscribers SET applied = ? WHERE name = ?", arguments: [manifest, name])
      }
      if let source = batch.source { try Self.setMeta(.source, source, database) }
      return stored
    }
  }

  private static func apply(_ change: OutboxChange, _ database: Database) throws {
    switch change {
    case .put(let name, let event, let isHanded):
      try database.cachedStatement(
        sql: "INSERT OR REPLACE INTO outbox (subscriber, event, state) VALUES (?, ?, ?)"
      ).execute(arguments: [name, event, isHanded ? "handed" : "waiting"])
    case .remove(let name, let event):
      try database.cachedStatement(sql: "DELETE FROM outbox WHERE subscriber = ? AND event = ?")
        .execute(arguments: [name, event])
    case .removeAll(let name):
      try database.execute(sql: "DELETE FROM outbox WHERE subscriber = ?", arguments: [name])
    }
  }

  private static func lastJournalNumber(_ database: Database) throws -> Int64 {
    // AUTOINCREMENT keeps it also when the rows are gone.
    try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'journal'") ?? 0
  }

  // MARK: - Coming back

  /// Where the journal stands.
  struct JournalEnd {
    /// The number of its last row; 0 where it never had one.
    var number: Int64
    /// The id of the last event; 0 where there is none.
    var eventID: Int
  }

  func journalEnd() throws(Failure) -> JournalEnd {
    try read { database in
      JournalEnd(
        number: try Self.lastJournalNumber(database),
        eventID: try Int.fetchOne(database, sql: "SELECT max(id) FROM events") ?? 0)
    }
  }

  /// The newest snapshot; nil where there is none.
  package func snapshot() throws(Failure) -> (number: Int64, engine: EngineSnapshot)? {
    let row = try read { database in
      try Row.fetchOne(database, sql: "SELECT number, engine FROM snapshots ORDER BY number DESC LIMIT 1")
    }
    guard let row else { return nil }
    let number: Int64 = row["number"]
    return (number, try Self.snapshot(in: row["engine"], file: path))
  }

  static func snapshot(in text: String, file: String) throws(Failure) -> EngineSnapshot {
    do {
      var reader = JSONReader(Array(text.utf8))
      return try ExactDecoder.value(EngineSnapshot.self, of: try JSONTree(&reader))
    } catch {
      throw Failure(
        .data, file: file,
        what: "its snapshot can't be read: it is of another version of locwatch, or damaged",
        remedy: "use that version, or name another file with --state")
    }
  }

  /// Hands on the rows of the journal after `number`, in order, until one of them is enough.
  ///
  /// - Parameter body: whether it wants more.
  package func journal(after number: Int64, while body: (Stamped) -> Bool) throws(Failure) {
    try read { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT number, line FROM journal WHERE number > ? ORDER BY number",
        arguments: [number])
      while let row = try rows.next() {
        let line: String = row["line"]
        do throws(JournalLine.Trouble) {
          guard body(try JournalLine.stamped(in: Array(line.utf8))) else { return }
        } catch {
          let number: Int64 = row["number"]
          throw Failure(.data, file: path, what: "row \(number) of its journal can't be read: \(error.what)")
        }
      }
    }
  }

  /// Stores a snapshot of the engine after all rows of the journal so far.
  ///
  /// - Returns: its size in bytes.
  func store(
    snapshot: EngineSnapshot, at instant: EngineInstant, keeping retention: Retention, utc: UTCTime
  ) throws(Failure) -> Int {
    let text: String
    do {
      text = try ExactEncoder.tree(of: snapshot).text
    } catch {
      throw Failure(.software, file: path, what: "can't keep the engine: \(error)")
    }
    try write { database in
      let number = try Self.lastJournalNumber(database)
      try database.execute(
        sql: "INSERT OR REPLACE INTO snapshots (number, at, engine) VALUES (?, ?, ?)",
        arguments: [number, instant.microseconds, text])
      try Self.setMeta(.lastSeen, "\(utc.microseconds)", database)
      try Self.discard(beyond: retention, utc: utc, database)
    }
    return text.utf8.count
  }

  /// Removes what is older than it is kept, but nothing that is needed: the two newest snapshots, the journal from
  /// the oldest kept one on, the newest event, and events that a subscriber or an outlet waits for.
  private static func discard(beyond retention: Retention, utc: UTCTime, _ database: Database) throws {
    let last = try lastJournalNumber(database)
    // Without a snapshot before them, rows of the journal tell nothing.
    try database.execute(
      sql: """
        DELETE FROM snapshots WHERE number < ?
          AND number NOT IN (SELECT number FROM snapshots ORDER BY number DESC LIMIT 2)
        """, arguments: [last.saturatingSubtract(Int64(retention.journalRows))])
    try database.execute(sql: "DELETE FROM journal WHERE number <= (SELECT min(number) FROM snapshots)")
    let oldest = utc.advanced(bySeconds: -retention.eventDays * 86_400).microseconds
    try database.execute(
      sql: """
        DELETE FROM events WHERE seq < (SELECT max(seq) FROM events)
          AND (seq <= (SELECT max(seq) FROM events) - ? OR time < ?)
          AND id NOT IN (SELECT event FROM outbox)
          AND NOT EXISTS (SELECT 1 FROM outlets WHERE cursor < events.id)
        """, arguments: [Int64(retention.eventRows), oldest])
  }
}

/// How much of the past is kept.
public struct Retention: Hashable, Sendable {
  /// Rows of the journal; more where the last two snapshots need them. A day of a fix a second, and some.
  public var journalRows = 100_000.0
  /// Events.
  public var eventRows = 100_000.0
  /// Days by which an event may be old.
  public var eventDays = 400.0

  public init() {}
}

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
    /// Whom a decision is about; nil for what is about nobody.
    var subscriber: String?
  }

  var journal: [JournalRow] = []
  var events: [EventRow] = []
  var outbox: [OutboxChange] = []
  /// Regions that are among the events that came.
  var regions: [StateDatabase.RegionVersionChange] = []
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
      if !batch.regions.isEmpty {
        try Self.apply(batch.regions, after: try Self.lastJournalNumber(database), database)
      }
      for row in batch.journal { try journal.execute(arguments: [row.at.microseconds, row.line]) }
      var stored = StoredEvents()
      let event = try database.cachedStatement(
        sql: "INSERT OR IGNORE INTO events (id, type, time, line, subscriber) VALUES (?, ?, ?, ?, ?)")
      for row in batch.events {
        try event.execute(arguments: [row.id, row.type, row.time.microseconds, row.line, row.subscriber])
        guard database.changesCount == 1 else { continue }
        stored.append(row.id, Self.eventLine(seq: database.lastInsertedRowID, row.line))
      }
      for change in batch.outbox { try Self.apply(change, database) }
      for number in batch.requests {
        try Self.remove(request: number, database)
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

  static func lastJournalNumber(_ database: Database) throws -> Int64 {
    // AUTOINCREMENT keeps it also when the rows are gone.
    try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'journal'") ?? 0
  }

  // MARK: - Coming back

  /// Whether a daemon has ever run on it.
  func hasRun() throws(Failure) -> Bool {
    try read { database in
      let snapshots = try Int.fetchOne(database, sql: "SELECT count(*) FROM snapshots") ?? 0
      return try snapshots > 0 || Self.lastJournalNumber(database) > 0
    }
  }

  /// The newest snapshot; nil where there is none.
  package func snapshot() throws(Failure) -> (number: Int64, engine: EngineSnapshot)? {
    let number = try read("snapshots") { database in
      try Int64.fetchOne(database, sql: "SELECT number FROM snapshots ORDER BY number DESC LIMIT 1")
    }
    guard let number else { return nil }
    return (number, try snapshot(number: number))
  }

  /// The snapshot of that number.
  ///
  /// - Throws: `.data` where it can't be read.
  package func snapshot(number: Int64) throws(Failure) -> EngineSnapshot {
    // Its checksum is absent where 0.1.0 stored it.
    let row = try read("snapshots") { database in
      try Row.fetchOne(
        database,
        sql: "SELECT engine, checksum, regions, configuration FROM snapshots WHERE number = ?",
        arguments: [number]
      ).map { row -> (text: String, checksum: Int64?, regions: String, configuration: Int64?) in
        try (
          row.decode(forColumn: "engine"), row.decode(forColumn: "checksum"),
          row.decode(forColumn: "regions"), row.decode(forColumn: "configuration")
        )
      }
    }
    guard let row else {
      throw Failure(
        .tryAgain, file: path, what: "the daemon has discarded the snapshot that was to be read",
        remedy: "try again")
    }
    guard let place = SnapshotRegions(rawValue: row.regions) else { throw unreadableSnapshots }
    guard row.checksum.map({ $0 == Checksum.of(row.text) }) ?? true else {
      throw Self.damage("its table snapshots is damaged: a checksum differs", path)
    }
    guard let tree = try? JSONTree(Array(row.text.utf8)) else { throw unreadableSnapshots }
    let settings = try row.configuration.map { number throws(Failure) in try configuration(number: number) }
    var snapshot: EngineSnapshot
    do throws(SnapshotFormat.Trouble) {
      let own = tree["configuration"] ?? .object([])
      let configuration = if let settings { settings } else { try SnapshotFormat.configuration(of: own) }
      snapshot = try SnapshotFormat.snapshot(of: tree, configuration: configuration)
    } catch {
      guard case .later(let version) = error else { throw unreadableSnapshots }
      throw Failure(
        .data, file: path,
        what: "written by a later version of locwatch (snapshot \(version); this one knows "
          + "\(SnapshotFormat.version))", remedy: "upgrade locwatch, or name another file with --state")
    }
    if place == .versions { snapshot.watchedRegions = try versions(at: number) }
    return snapshot
  }

  private var unreadableSnapshots: Failure {
    Failure(
      .data, file: path,
      what: "its table snapshots can't be read: it is of another version of locwatch, or damaged",
      remedy: "use that version, or name another file with --state")
  }

  /// Hands on the rows of the journal after `number`, in order, until one of them is enough.
  ///
  /// - Parameter body: whether it wants more.
  package func journal(after number: Int64, while body: (Stamped) -> Bool) throws(Failure) {
    try read("journal") { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT number, at, line FROM journal WHERE number > ? ORDER BY number",
        arguments: [number])
      while let row = try rows.next() {
        let line: String = try row.decode(forColumn: "line")
        let at: Int64 = try row.decode(forColumn: "at")
        do throws(JournalLine.Trouble) {
          let stamped = try JournalLine.stamped(in: Array(line.utf8))
          // An instant in the far future would have the engine do all that is due until then.
          guard stamped.at.microseconds == at else {
            throw JournalLine.Trouble(what: "its instant differs from that of its line")
          }
          guard body(stamped) else { return }
        } catch {
          let number: Int64 = try row.decode(forColumn: "number")
          throw Self.damage("row \(number) of its table journal can't be read: \(error.what)", path)
        }
      }
    }
  }

  /// Stores a snapshot of the engine after all rows of the journal so far.
  ///
  /// - Returns: its size in bytes.
  func store(
    snapshotOf engine: borrowing Engine, at instant: EngineInstant, keeping retention: Retention,
    utc: UTCTime, insteadOf old: [PowerLedger.Entry]? = nil
  ) throws(Failure) -> Int {
    let regions: SnapshotRegions = try hasVersions(ofAll: engine.regionCount) ? .versions : .here
    let spent = old == nil ? [] : engine.ledger.settled(at: instant).entries
    // A clock may be years ahead after a boot, until the first fix.
    let latest = min(utc, engine.tally.last?.time ?? utc)
    let (text, settings): (String, String)
    do {
      let snapshot = regions == .here ? engine.snapshot : engine.snapshotWithoutRegions
      text = try SnapshotFormat.tree(of: snapshot).text
      settings = try ExactEncoder.tree(of: snapshot.configuration).text
    } catch {
      throw Failure(.software, file: path, what: "can't keep the engine: \(error)")
    }
    try write { database in
      let number = try Self.lastJournalNumber(database)
      try database.execute(
        sql: """
          INSERT OR REPLACE INTO snapshots (number, at, engine, checksum, regions, configuration)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          number, instant.microseconds, text, Checksum.of(text), regions.rawValue,
          try Self.number(ofSettings: settings, database),
        ])
      // An engine that has seen nothing has no time.
      if utc.microseconds > 0 { try Self.setMeta(.lastSeen, "\(utc.microseconds)", database) }
      if let old { try Self.reprice(old, as: spent, database) }
      try Self.discard(beyond: retention, utc: latest, database)
    }
    return text.utf8.count
  }

  /// Removes what is older than it is kept, but nothing that is needed: the two newest snapshots, the journal from
  /// the oldest kept one on, the newest event, and events that a subscriber or an outlet waits for.
  ///
  /// If there are too many events, subscribers over their share lose their oldest events first, so no subscriber can
  /// push the others out of the history.
  private static func discard(beyond retention: Retention, utc: UTCTime, _ database: Database) throws {
    let last = try lastJournalNumber(database)
    // Without a snapshot before them, rows of the journal tell nothing.
    try database.execute(
      sql: """
        DELETE FROM snapshots WHERE number < ?
          AND number NOT IN (SELECT number FROM snapshots ORDER BY number DESC LIMIT 2)
        """, arguments: [last.saturatingSubtract(Int64(retention.journalRows))])
    try database.execute(sql: "DELETE FROM journal WHERE number <= (SELECT min(number) FROM snapshots)")
    try discardVersions(database)
    try discardConfigurations(database)
    // Where time is that of the fixes, the newest event may be years old: the others are as old as they are beside it.
    let newest = try Int64.fetchOne(database, sql: "SELECT time FROM events ORDER BY seq DESC LIMIT 1")
    let now = newest.map { min(utc, UTCTime(microseconds: $0)) } ?? utc
    let oldest = now.advanced(bySeconds: -retention.eventDays * 86_400).microseconds
    try database.execute(
      sql: "DELETE FROM events WHERE time < ? AND \(dispensable)", arguments: [oldest])
    try discardEvents(beyond: Int(retention.eventRows), database)
  }

  /// What nobody needs.
  private static let dispensable = """
    seq < (SELECT max(seq) FROM events) AND id NOT IN (SELECT event FROM outbox)
      AND NOT EXISTS (SELECT 1 FROM outlets LEFT JOIN outlet_settings USING (name) WHERE \(isAwaited))
    """

  private static func discardEvents(beyond limit: Int, _ database: Database) throws {
    var excess = (try Int.fetchOne(database, sql: "SELECT count(*) FROM events") ?? 0) - limit
    guard excess > 0 else { return }
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT subscriber AS name, count(*) AS rows FROM events WHERE subscriber IS NOT NULL
        GROUP BY subscriber ORDER BY rows DESC, subscriber
        """)
    // What is about nobody has a share too.
    let share = limit / (rows.count + 1)
    for row in rows {
      let (name, count) = try (
        row.decode(String.self, forColumn: "name"), row.decode(Int.self, forColumn: "rows")
      )
      guard excess > 0, count > share else { break }
      try database.execute(
        sql: """
          DELETE FROM events WHERE seq IN (SELECT seq FROM events
            WHERE subscriber = ? AND \(dispensable) ORDER BY seq LIMIT ?)
          """, arguments: [name, min(excess, count - share)])
      excess -= database.changesCount
    }
    guard excess > 0 else { return }
    try database.execute(
      sql:
        "DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE \(dispensable) ORDER BY seq LIMIT ?)",
      arguments: [excess])
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

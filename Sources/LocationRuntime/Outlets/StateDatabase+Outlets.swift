import GRDB
import LocationCore
import LocationFormats

extension StateDatabase {
  /// How far each outlet has come.
  static let outletsMigration = Migration(
    name: "outlets",
    sql: """
      CREATE TABLE outlets (
        name TEXT PRIMARY KEY,
        cursor INTEGER NOT NULL,           -- id of the last event that is done with
        skipped INTEGER NOT NULL DEFAULT 0 -- events that were left out, because too many waited
      ) STRICT, WITHOUT ROWID;
      """)

  /// What outlets there are, and how they fare.
  static let outletSettingsMigration = Migration(
    name: "outlet settings",
    sql: """
      CREATE TABLE outlet_settings (
        name TEXT PRIMARY KEY,
        settings TEXT NOT NULL -- JSON; without secrets
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE outlets ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0; -- that failed since the last success
      ALTER TABLE outlets ADD COLUMN trouble TEXT;                        -- why the last one failed
      ALTER TABLE outlets ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0; -- 1: no more attempts
      """)

  /// How far an outlet has come and how it fares; nil where there is none of that name.
  func outletProgress(_ name: String) throws(Failure) -> (
    cursor: Int, attempts: Int, isDisabled: Bool, isTroubled: Bool
  )? {
    try read("outlets") { database in
      try Row.fetchOne(
        database,
        sql: "SELECT cursor, attempts, disabled, trouble IS NOT NULL AS troubled FROM outlets WHERE name = ?",
        arguments: [name]
      ).map { row in
        (
          try outletCount(row, "cursor"), try outletCount(row, "attempts"),
          try row.decode(Bool.self, forColumn: "disabled"), try row.decode(Bool.self, forColumn: "troubled")
        )
      }
    }
  }

  /// A stored counter of an outlet. A damaged one is refused: sums with it could overflow.
  func outletCount(_ row: Row, _ column: String) throws -> Int {
    let count: Int = try row.decode(forColumn: column)
    guard (0...1 << 53).contains(count) else {
      throw Self.damage("its table outlets is damaged: \(column) is \(count)", path)
    }
    return count
  }

  /// Notes how an outlet fares.
  func setOutletTrouble(
    _ name: String, attempts: Int, reason: String?, isDisabled: Bool
  ) throws(Failure) {
    try write(durably: false) { database in
      try database.execute(
        sql: "UPDATE outlets SET attempts = ?, trouble = ?, disabled = ? WHERE name = ?",
        arguments: [attempts, reason, isDisabled, name])
    }
  }

  /// Forgets all outlets but these.
  func forgetOutlets(except names: [String]) throws(Failure) {
    let stored = try read { try String.fetchAll($0, sql: "SELECT name FROM outlets") }
    let gone = stored.filter { !names.contains($0) }
    guard !gone.isEmpty else { return }
    try write { database in
      for name in gone {
        try database.execute(sql: "DELETE FROM outlets WHERE name = ?", arguments: [name])
      }
    }
  }

  /// Notes how far an outlet has come. A loss of power may undo it: events are then offered again.
  func setOutletCursor(_ name: String, _ cursor: Int) throws(Failure) {
    try write(durably: false) { database in
      try database.cachedStatement(
        sql: """
          INSERT INTO outlets (name, cursor) VALUES (?1, ?2)
          ON CONFLICT (name) DO UPDATE SET cursor = ?2
          """
      ).execute(arguments: [name, cursor])
    }
  }

  /// Whether an event waits for an outlet: it comes after the outlet's cursor, and ``EventFilter`` passes it. For
  /// `events` beside `outlets LEFT JOIN outlet_settings USING (name)`.
  static let isAwaited = """
    cursor < events.id
      AND (json_extract(settings, '$.types') IS NULL
        OR events.type IN (SELECT value FROM json_each(settings, '$.types')))
      AND (json_extract(settings, '$.regions') IS NULL
        OR json_extract('{"v":1' || events.line, '$.region') IN (
          SELECT value FROM json_each(settings, '$.regions')
          UNION ALL SELECT json_extract(value, '$.id') FROM json_each(settings, '$.formerRegions')
          WHERE events.id <= json_extract(value, '$.through')))
    """

  /// Skips the oldest events that wait for an outlet where there are more than `limit`.
  func skipEvents(of name: String, keeping limit: Int) throws(Failure) -> (count: Int, cursor: Int)? {
    // The last of those that are not kept; none in the usual case, which writes nothing.
    let last = try read { database in
      try Int.fetchOne(
        database,
        sql: """
          SELECT events.id FROM outlets LEFT JOIN outlet_settings USING (name) JOIN events ON \(Self.isAwaited)
          WHERE outlets.name = ? ORDER BY events.id DESC LIMIT 1 OFFSET ?
          """, arguments: [name, limit])
    }
    guard let last else { return nil }
    return try write { database in
      let count =
        try Int.fetchOne(
          database,
          sql: """
            SELECT count(*) FROM outlets LEFT JOIN outlet_settings USING (name) JOIN events ON \(Self.isAwaited)
            WHERE outlets.name = ? AND events.id <= ?
            """, arguments: [name, last]) ?? 0
      try database.execute(
        sql: "UPDATE outlets SET cursor = ?, skipped = skipped + ? WHERE name = ?",
        arguments: [last, count, name])
      return (count, last)
    }
  }

  /// Events with ids above `id`, in order, at most so many.
  func loggedEvents(after id: Int, limit: Int) throws(Failure) -> [LoggedEvent] {
    try read("events") { database in
      let statement = try database.cachedStatement(
        sql: "SELECT seq, id, type, line FROM events WHERE id > ? ORDER BY id LIMIT ?")
      return try Row.fetchAll(statement, arguments: [id, limit]).map { row in
        let line = try eventLine(of: row)
        return LoggedEvent(
          id: try row.decode(forColumn: "id"), type: try row.decode(forColumn: "type"),
          region: try JSONTree(line)["region"]?.string, line: String(decoding: line, as: UTF8.self)
        )
      }
    }
  }
}

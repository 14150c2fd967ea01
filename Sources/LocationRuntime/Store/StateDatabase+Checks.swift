import GRDB
import LocationCore
import LocationFormats

/// What damage a state file may have, and how it is noticed.
extension StateDatabase {
  /// What tells damage from what was written, and who a decision is about.
  static let checksMigration = Migration(
    name: "checks",
    sql: """
      ALTER TABLE snapshots ADD COLUMN checksum INTEGER; -- of engine, see Checksum; NULL: not known
      ALTER TABLE events ADD COLUMN subscriber TEXT;     -- whom a decision is about
      CREATE INDEX events_of_subscriber ON events (subscriber, seq) WHERE subscriber IS NOT NULL;
      """)

  /// Tables and their columns.
  private static func columns(_ database: Database) throws -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT m.name AS name, p.name AS part FROM sqlite_master AS m, pragma_table_info(m.name) AS p
        WHERE m.type = 'table'
        """)
    while let row = try rows.next() {
      columns[try row.decode(String.self, forColumn: "name"), default: []]
        .insert(try row.decode(String.self, forColumn: "part"))
    }
    return columns
  }

  /// A database in memory with the tables of this version, and their columns; nil where SQLite can't make one.
  ///
  /// It is never closed: where GRDB closes one, Dispatch starts its threads, and their watchdog wakes an idle daemon every
  /// second.
  private static let blueprint: (queue: DatabaseQueue, columns: [String: Set<String>])? = {
    guard let queue = try? DatabaseQueue() else { return nil }
    let found = try? queue.write { database in
      for migration in migrations { try database.execute(sql: migration.sql) }
      return try columns(database)
    }
    return (queue, found ?? [:])
  }()

  /// Looks whether all tables are there. Others may be, as `.recover` of sqlite3 leaves one; but nothing that runs by
  /// itself.
  ///
  /// - Throws: `.data` where one is missing, or there is a trigger or a view.
  func checkTables(_ database: Database) throws {
    let found = try Self.columns(database)
    for (table, columns) in (Self.blueprint?.columns ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard let there = found[table] else { throw Self.damage("its table \(table) is missing", path) }
      guard columns.isSubset(of: there) else {
        throw Self.damage("its table \(table) has other columns than that of locwatch", path)
      }
    }
    let foreign = try String.fetchOne(
      database, sql: "SELECT type FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1")
    if let foreign { throw Self.damage("it has a \(foreign) that is not of locwatch", path) }
  }

  /// A damaged state file.
  static func damage(_ what: String, _ path: String) -> Failure {
    Failure(.data, file: path, what: what, remedy: remedyForDamage)
  }

  /// What to do about a damaged state file.
  static let remedyForDamage =
    "move it away and import the regions again; sqlite3 FILE .recover may save the rest"
}

/// A checksum of stored text. It tells damage by a disk or by hand, not by somebody who wants to deceive: who may write
/// the state file may do so anyway.
enum Checksum {
  static func of(_ text: String) -> Int64 { Int64(bitPattern: FNV1a.hash(text.utf8.span)) }
}

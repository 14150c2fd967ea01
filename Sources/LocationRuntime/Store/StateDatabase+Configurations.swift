import GRDB
import LocationCore
import LocationFormats

/// The settings that the engine had. A snapshot refers to them by their number and does not repeat them.
extension StateDatabase {
  static let configurationsMigration = Migration(
    name: "configurations",
    sql: """
      CREATE TABLE configurations (        -- settings of the engine, the power profile among them
        number INTEGER PRIMARY KEY,
        settings TEXT NOT NULL UNIQUE,     -- JSON
        checksum INTEGER NOT NULL          -- of settings, see Checksum
      ) STRICT;
      ALTER TABLE snapshots ADD COLUMN configuration INTEGER; -- a number; NULL: settings in engine, as before
      """)

  /// What tells snapshots of other settings apart; for a query of `snapshots`.
  static let settingsOfSnapshot = "coalesce(configuration, json_extract(engine, '$.configuration'))"

  /// The number of settings, which are stored where they are new.
  static func number(ofSettings text: String, _ database: Database) throws -> Int64? {
    try database.execute(
      sql: "INSERT OR IGNORE INTO configurations (settings, checksum) VALUES (?, ?)",
      arguments: [text, Checksum.of(text)])
    return try Int64.fetchOne(
      database, sql: "SELECT number FROM configurations WHERE settings = ?", arguments: [text])
  }

  /// The settings of a number.
  ///
  /// - Throws: `.data` where they are not there or damaged.
  func configuration(number: Int64) throws(Failure) -> EngineConfiguration {
    let row = try read("configurations") { database in
      try Row.fetchOne(
        database, sql: "SELECT settings, checksum FROM configurations WHERE number = ?", arguments: [number]
      ).map { row -> (text: String, checksum: Int64) in
        try (row.decode(forColumn: "settings"), row.decode(forColumn: "checksum"))
      }
    }
    guard let row, row.checksum == Checksum.of(row.text) else {
      throw Self.damage("its table configurations is damaged", path)
    }
    do {
      return try SnapshotFormat.configuration(of: try JSONTree(Array(row.text.utf8)))
    } catch {
      throw Self.damage("its table configurations can't be read", path)
    }
  }

  /// Forgets settings that no snapshot needs.
  static func discardConfigurations(_ database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM configurations WHERE number NOT IN
          (SELECT configuration FROM snapshots WHERE configuration IS NOT NULL)
        """)
  }
}

import GRDB
import LocationFormats

extension StateDatabase {
  /// Facts that stand alone.
  enum MetaKey: String {
    /// The boot to which ``clockOffset`` belongs.
    case boot
    /// From the boot-time clock to the engine's axis, microseconds.
    case clockOffset = "clock_offset_us"
    /// The daemon's control socket, where it is not beside the database.
    case control
    /// What tells its ids from those of other state files.
    case instance
    /// What was last said of the source, as JSON.
    case source
    /// UTC at which the daemon was last seen, microseconds.
    case lastSeen = "last_seen_us"
  }

  /// A fact; nil where it was never stated.
  func meta(_ key: MetaKey) throws(Failure) -> String? { try read { try Self.meta(key, $0) } }

  /// States facts; nil takes one back.
  func setMeta(_ values: [(MetaKey, String?)]) throws(Failure) {
    try write { database in for (key, value) in values { try Self.setMeta(key, value, database) } }
  }

  static func meta(_ key: MetaKey, _ database: Database) throws -> String? {
    try String.fetchOne(database, sql: "SELECT value FROM meta WHERE key = ?", arguments: [key.rawValue])
  }

  static func setMeta(_ key: MetaKey, _ value: String?, _ database: Database) throws {
    guard let value else {
      return try database.execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [key.rawValue])
    }
    try database.cachedStatement(sql: "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")
      .execute(arguments: [key.rawValue, value])
  }
}

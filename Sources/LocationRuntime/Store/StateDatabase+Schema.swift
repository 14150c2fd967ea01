import GRDB
import LocationFormats

extension StateDatabase {
  /// One step of the schema; what was released is never changed.
  struct Migration {
    /// For messages and comments.
    var name: String
    var sql: String
  }

  /// All steps in their order. `PRAGMA user_version` is how many were done.
  static let migrations: [Migration] = [
    regionsMigration, daemonMigration, outletsMigration, checksMigration,
    regionVersionsMigration, outletSettingsMigration,
    pushTokensMigration, pushRegistrationsMigration, configurationsMigration,
    requestBootsMigration,
  ]

  /// `PRAGMA application_id` of every database of ours: "locw".
  static let applicationID = 0x6C6F_6377

  /// Brings the schema up to date. A daemon of an earlier version that runs on it could not go on: then nothing is done.
  ///
  /// - Throws: `.data` where the database is not ours or is of a later version; `.tryAgain` where such a daemon runs.
  func migrate() throws(Failure) {
    if try isCurrent() { return }
    let version = try read { try self.version(of: $0) }
    if version == 0 { return try upgrade() }
    if StateLock.isOurs(path) { return try upgradeWithoutDaemon() }
    do throws(Failure) {
      let lock = try StateLock(state: path)
      try upgradeWithoutDaemon()
      withExtendedLifetime(lock) {}
    } catch {
      guard error.code == .tryAgain else { throw error }
      // A daemon of this version may have been quicker.
      guard try isCurrent() else { throw isOfEarlierDaemon }
    }
  }

  /// How many migrations version 0.1.0 knew.
  private static let firstVersion = 2

  /// Changes what version 0.1.0 stored with another meaning. It left `applied` NULL for a program of a simulated run,
  /// where NULL stands for another program now, and it kept properties of regions that had no meaning yet.
  private static let mendsOfFirstVersion = """
    UPDATE subscribers SET applied = '' WHERE applied IS NULL;
    UPDATE regions SET geojson = json_remove(geojson, '$.properties.sensitivity', '$.properties.beacon')
      WHERE CASE WHEN json_valid(geojson) THEN
        json_type(geojson, '$.properties.sensitivity') IS NOT NULL
        OR json_type(geojson, '$.properties.beacon') IS NOT NULL END;
    """

  /// Whether all migrations were done.
  private func isCurrent() throws(Failure) -> Bool {
    try read { database in
      guard try self.version(of: database) == Self.migrations.count else { return false }
      try checkTables(database)
      return true
    }
  }

  /// Version 0.1.0 holds another lock.
  private func upgradeWithoutDaemon() throws(Failure) {
    guard !ControlClient.hasDaemon(state: path, database: self) else { throw isOfEarlierDaemon }
    try upgrade()
  }

  private var isOfEarlierDaemon: Failure {
    Failure(
      .tryAgain, file: path, what: "a locwatch run of an earlier version uses it",
      remedy: "stop it first; locwatch run then brings the file up to date")
  }

  private func upgrade() throws(Failure) {
    try write { database in
      // Another process may have been quicker.
      let done = try self.version(of: database)
      if done == Self.firstVersion { try database.execute(sql: Self.mendsOfFirstVersion) }
      for migration in Self.migrations[done...] { try database.execute(sql: migration.sql) }
      try database.execute(sql: "PRAGMA application_id = \(Self.applicationID)")
      try database.execute(sql: "PRAGMA user_version = \(Self.migrations.count)")
      try checkTables(database)
    }
  }

  /// For a database that can't be written.
  ///
  /// - Throws: `.data` where it is not ours or of another version.
  func checkSchema() throws(Failure) {
    let version = try read { database in
      let version = try self.version(of: database)
      if version == Self.migrations.count { try checkTables(database) }
      return version
    }
    guard version == Self.migrations.count else {
      throw Failure(
        .data, file: path, what: "of an earlier version of locwatch, and can't be written",
        remedy: "run locwatch once as its owner")
    }
  }

  /// How many migrations were done.
  private func version(of database: Database) throws -> Int {
    let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    if application == 0, version == 0 {
      let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
      if tables == 0 { return 0 }
    }
    guard application == Self.applicationID else {
      throw Failure(
        .data, file: path, what: "the SQLite database of another program",
        remedy: "name another file with --state")
    }
    guard version >= 0 else { throw Self.damage("its version of the schema is \(version)", path) }
    guard version <= Self.migrations.count else {
      throw Failure(
        .data, file: path,
        what:
          "written by a later version of locwatch (schema \(version); this one knows \(Self.migrations.count))",
        remedy: "upgrade locwatch, or name another file with --state")
    }
    return version
  }
}

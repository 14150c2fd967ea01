import GRDB
import Glibc
import LocationCore
package import LocationFormats
import Synchronization

/// The one SQLite database that holds all that locwatch remembers.
///
/// It is in WAL mode, so that the daemon writes while commands read. Each use of it is one transaction:
/// done whole, or not at all.
package struct StateDatabase: Sendable {
  /// As the user named it.
  package let path: String
  private let queue: DatabaseQueue
  private let durability = Durability()

  /// How long a writer waits for another writer, seconds: far more than any transaction takes.
  static let patienceSeconds = 10.0

  /// Opens the database to write, making it and its folder where they are not there.
  ///
  /// - Throws: `.cantCreate`, `.noPermission`, `.io`; `.data` where the file is something else, is damaged, or
  ///   was written by a later version.
  package static func open(path: String) throws(Failure) -> StateDatabase {
    try StatePath.makeFolder(of: path)
    try StatePath.makeFile(path)
    // SQLite would only say that it can't open it.
    guard unsafe access(path, R_OK) == 0 else { throw StatePath.unreadable(path, errno) }
    let isEmpty = StatePath.status(path)?.st_size == 0
    let database = try StateDatabase(path: path, isReadOnly: false, isToWrite: true, isEmpty: isEmpty)
    try database.migrate()
    return database
  }

  /// Whether there is a database to read.
  ///
  /// - Throws: `.noPermission`.
  package static func isThere(path: String) throws(Failure) -> Bool {
    try StatePath.requireName(path)
    guard unsafe access(path, R_OK) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return false }
      throw StatePath.unreadable(path, code)
    }
    // SQLite would make a database of an empty file. Beside a log it may be one whose first page is there.
    return !StatePath.isEmptyFile(path) || StatePath.status(path + "-wal") != nil
  }

  /// Opens the database to read; nil where there is none.
  ///
  /// - Throws: `.noPermission`, `.io`, `.data`, as ``open(path:)``.
  package static func openToRead(path: String) throws(Failure) -> StateDatabase? {
    guard try isThere(path: path) else { return nil }
    let mayWrite = unsafe access(path, W_OK) == 0
    do throws(Failure) {
      let database = try StateDatabase(path: path, isReadOnly: !mayWrite)
      if mayWrite { try database.migrate() } else { try database.checkSchema() }
      return database
    } catch {
      // On a full disk, and in a folder that can't be written, SQLite can't make the index of its log. It can do without
      // where the log is empty.
      let isForbidden = error.code == .noPermission || error.code == .cantCreate
      guard isForbidden || mayWrite && error.code == .io else { throw error }
      guard StatePath.status(path + "-wal").map({ $0.st_size == 0 }) ?? true else {
        guard isForbidden else { throw error }
        throw Failure(
          .noPermission, file: path,
          what: "can't be read by one who can't write to its folder while there is a log beside it",
          remedy: "ask as its owner")
      }
      let database = try StateDatabase(path: path, isReadOnly: true, isUnchanging: true)
      try database.checkSchema()
      return database
    }
  }

  /// Where the daemon listens that has run on a state file, of whatever version; nil where that is beside the file, or
  /// can't be read. Nothing is changed.
  static func storedControl(path: String) -> String? {
    guard (try? isThere(path: path)) == true else { return nil }
    let mayWrite = unsafe access(path, W_OK) == 0
    return try? StateDatabase(path: path, isReadOnly: !mayWrite).meta(.control)
  }

  /// - Parameters:
  ///   - isToWrite: whether the file is made one with a log (https://sqlite.org/wal.html) where it is none. That writes,
  ///     so who only reads takes the file as it is.
  ///   - isUnchanging: whether SQLite may take it that nobody writes, and makes no other files.
  ///   - isEmpty: whether nobody has written anything into the file.
  private init(
    path: String, isReadOnly: Bool, isToWrite: Bool = false, isUnchanging: Bool = false, isEmpty: Bool = false
  ) throws(Failure) {
    var configuration = Configuration()
    configuration.label = "locwatch"
    configuration.readonly = isReadOnly
    if isToWrite { configuration.journalMode = .wal }
    configuration.busyMode = .timeout(Self.patienceSeconds)
    // A file that was made to deceive runs nothing, and damaged pages are noticed early (sqlite.org/security.html).
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
      // For ``shrink()``. A file that has a page keeps what it has.
      if isEmpty { try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL") }
    }
    self.path = path
    do {
      // SQLite takes some names for something else than a file.
      let name = path.hasPrefix("/") ? path : "./\(path)"
      queue = try DatabaseQueue(
        path: isUnchanging ? Self.uri(name) + "?immutable=1" : name, configuration: configuration)
    } catch {
      throw Failure(error, database: path)
    }
  }

  /// A path as a URI (sqlite.org/uri.html).
  private static func uri(_ path: String) -> String {
    "file:"
      + String(escaping: path.utf8, isUppercase: false) { $0.isLetterOrDigit || "/._-".utf8.contains($0) }
  }

  /// Looks at the database; what is seen does not change meanwhile.
  ///
  /// - Parameter table: whose rows are read, for the message where they can't be.
  func read<Value>(_ table: String? = nil, _ body: (Database) throws -> Value) throws(Failure) -> Value {
    do {
      return try queue.read(body)
    } catch {
      throw Failure(error, database: path, table: table)
    }
  }

  /// Changes the database; an error undoes all changes.
  ///
  /// - Parameter durably: whether the change outlives a loss of power from when this returns on. In any case it
  ///   outlives the end of the process.
  func write<Value>(durably: Bool = true, _ body: (Database) throws -> Value) throws(Failure) -> Value {
    do {
      return try queue.writeWithoutTransaction { database in
        try durability.set(durably, on: database)
        // Immediate, so that a second writer waits here rather than fail halfway.
        var value: Value?
        try database.inTransaction(.immediate) {
          value = try body(database)
          return .commit
        }
        guard let value else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return value
      }
    } catch {
      throw Failure(error, database: path)
    }
  }

  /// Changes how long this connection waits for another writer.
  func setPatience(seconds: Double) {
    do {
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA busy_timeout = \(Int(seconds * 1_000))")
      }
    } catch {
      // It waits as long as before.
    }
  }

  /// What the connection was last told of ``write(durably:_:)``: to tell it is a tenth of what storing a fix takes.
  private final class Durability: Sendable {
    private let current = Mutex<Bool?>(nil)

    func set(_ isDurable: Bool, on database: Database) throws {
      try current.withLock { current in
        guard current != isDurable else { return }
        current = nil
        // In WAL mode FULL is one fsync of the log, with all that was not synced before (sqlite.org/pragma.html).
        try database.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
        current = isDurable
      }
    }
  }

  /// Writes what is in the log into the database, as far as nobody reads it meanwhile; what fails is done by SQLite
  /// later.
  func checkpointLog() {
    do { _ = try queue.writeWithoutTransaction { try $0.checkpoint(.passive) } } catch {
      // The log only grows on.
    }
  }

  /// Empties the log where it is so long that its file system may soon lack the room to write it into the database:
  /// from then on the log would only grow.
  ///
  /// - Returns: whether there is so little room that it is to be looked at again after the next transaction.
  func emptyLogBeforeRoomEnds() -> Bool {
    guard let free = StatePath.freeBytes(at: path) else { return false }
    let log = StatePath.status(path + "-wal").map { Int($0.st_size) } ?? 0
    if log > 0, log + Self.leastFreeBytes > free { emptyLog() }
    return log + Self.plentyOfBytes > free
  }

  /// Writes all of the log into the database, and gives its room back to the file system. Where somebody reads, or the
  /// disk is full, that is left for later; nobody is waited for.
  func emptyLog() {
    do {
      try queue.writeWithoutTransaction { database in
        let patience = try Int.fetchOne(database, sql: "PRAGMA busy_timeout") ?? 0
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? database.execute(sql: "PRAGMA busy_timeout = \(patience)") }
        try database.checkpoint(.truncate)
      }
    } catch {
      // The log only grows on.
    }
  }

  /// Room that is left beside what the log needs in the database, for the next transaction: 256 KiB.
  private static let leastFreeBytes = 262_144
  /// The same, for ``DaemonLimits/commitsUnseen`` transactions: 4 MiB.
  private static let plentyOfBytes = 4_194_304

  /// Gives free pages back to the file system, a few at a time. Some are kept, because new rows need them soon. A file of
  /// an earlier version keeps all.
  func shrink() {
    do throws(Failure) {
      try write(durably: false) { database in
        let free = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard free > Self.sparePages else { return }
        let pages = min(free - Self.sparePages, Self.pagesAtOnce)
        try database.execute(sql: "PRAGMA incremental_vacuum(\(pages))")
      }
    } catch {
      // The file only stays as large as it is.
    }
  }

  /// Free pages that stay: 4 MiB, a quarter of an hour of fixes.
  private static let sparePages = 1_024
  /// Pages that are given back at once: 2 MiB, some 10 ms, and half of the log that is reserved.
  private static let pagesAtOnce = 512

  /// Makes the log as long as it may become before SQLite begins it anew, so that what is stored from here on lies
  /// within it: to sync a file that grows costs its file system a transaction more. A disk that has no room to write
  /// such a log into the database as well is left as it was. A log that has grown beyond, because somebody read for long,
  /// is made shorter again when SQLite begins it anew.
  func reserveLog() {
    do {
      try queue.writeWithoutTransaction { database in
        let pageBytes = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        let pages = try Int.fetchOne(database, sql: "PRAGMA wal_autocheckpoint") ?? 0
        let bytes = pages * pageBytes
        // Twice, so that what is reserved stays, with the heads of its pages.
        try database.execute(sql: "PRAGMA journal_size_limit = \(2 * bytes)")
        if let free = StatePath.freeBytes(at: path), free < 2 * bytes + Self.leastFreeBytes { return }
        // What fits the cache would never reach the log.
        let cached = try Int.fetchOne(database, sql: "PRAGMA cache_size") ?? 0
        try database.execute(sql: "PRAGMA cache_size = 10")
        defer { try? database.execute(sql: "PRAGMA cache_size = \(cached)") }
        do {
          try database.inTransaction(.immediate) {
            try database.execute(sql: "CREATE TABLE reserve (bytes BLOB)")
            try database.execute(
              sql: "INSERT INTO reserve VALUES (zeroblob(?))", arguments: [bytes])
            return .rollback
          }
        } catch {
          try database.checkpoint(.truncate)
        }
      }
    } catch {
      // A log that is shorter is as good, only slower.
    }
  }
}

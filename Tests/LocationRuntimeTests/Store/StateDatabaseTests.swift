import FoundationEssentials
import GRDB
import Glibc
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

@Suite struct StateDatabaseTests {
  let folder = TemporaryFolder()

  static func file(_ features: String..., name: String = "f") throws -> RegionFile {
    try RegionFile.read(bytes: Array(features.joined(separator: "\n").utf8), name: name)
  }

  static func feature(_ id: String, radius: Int = 100, more: String = "") -> String {
    #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":\#(radius)\#(more)},"#
      + #""geometry":{"type":"Point","coordinates":[11.5,48.25]}}"#
  }

  /// Changes a database behind the back of the code under test.
  private func execute(_ path: String, _ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }

  // MARK: The file

  @Test func `is made with its folders, for its owner alone, in WAL mode`() throws {
    let path = folder("a/b/state.db")
    let database = try StateDatabase.open(path: path)
    #expect(try database.regions().regions == [])
    func mode(_ path: String) throws -> String {
      "\(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] ?? 0)"
    }
    #expect(try mode(path) == "\(0o600)")
    #expect(try mode(folder("a/b")) == "\(0o700)")
    let queue = try DatabaseQueue(path: path)
    #expect(try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
    #expect(
      try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == StateDatabase.migrations.count)
    #expect(
      try queue.read { try Int.fetchOne($0, sql: "PRAGMA application_id") } == StateDatabase.applicationID)
  }

  @Test func `of ours that others can read is closed to them when it is opened to write`() throws {
    let folder = TemporaryFolder()
    let path = folder.write("s.db", "")
    #expect(unsafe chmod(path, 0o644) == 0)
    let database = try StateDatabase.open(path: path)
    for part in ["", "-wal", "-shm"] {
      guard let status = StatePath.status(path + part) else { continue }
      #expect(status.st_mode & 0o777 == 0o600, "\(part)")
      #expect(unsafe chmod(path + part, 0o644) == 0)
    }
    _ = try StateDatabase.open(path: path)
    for part in ["", "-wal", "-shm"] {
      guard let status = StatePath.status(path + part) else { continue }
      #expect(status.st_mode & 0o777 == 0o600, "\(part)")
    }
    withExtendedLifetime(database) {}
  }

  @Test func `what SQLite left beside one that could not be written is made writable with it`() throws {
    let folder = TemporaryFolder()
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    #expect(unsafe chmod(path + "-shm", 0o400) == 0)
    _ = try StateDatabase.open(path: path)
    #expect(StatePath.status(path + "-shm").map { $0.st_mode & 0o777 } == 0o600)
    withExtendedLifetime(database) {}
  }

  @Test func `the remedy for a program that may not be executed can be copied`() throws {
    let folder = TemporaryFolder()
    let program = folder.write("my program.sh", "")
    do throws(Failure) {
      _ = try CommandPath.resolve(program)
      Issue.record("it can't be executed")
    } catch {
      #expect(error.code == .noPermission && error.remedy == "chmod +x '\(program)'", "\(error)")
    }
  }

  @Test(arguments: [
    ("#!/no/such/shell -e\n", "its interpreter /no/such/shell is not there"),
    ("#! /bin/sh\r\nexit\r\n", "its lines end as on Windows, so that it asks for \"/bin/sh\\r\""),
    ("#!/bin/sh\n", nil), ("echo\n", nil), ("#!\n", nil), ("", nil),
  ])
  func `a script whose interpreter is not there is told as such`(text: String, objection: String?) throws {
    let folder = TemporaryFolder()
    let script = folder.write("script", text)
    #expect(ScriptInterpreter.objection(to: script) == objection)
    guard let objection else { return }
    let code = unsafe chmod(script, 0o755)
    #expect(code == 0)
    do throws(Failure) {
      _ = try CommandPath.resolve(script)
      Issue.record("it can't be executed")
    } catch {
      #expect(error.code == .noInput && error.what == objection, "\(error)")
    }
    do throws(Failure) {
      _ = try ProgramTrial.run([script])
      Issue.record("it was started")
    } catch {
      #expect(error.what == "\(script) can't be started: \(objection)", "\(error)")
    }
  }

  @Test func `the machine's daemon is asked at its socket by those who can't read its file`() {
    #expect(
      ControlAddress.unstored(state: StatePath.system, isForbidden: true).path == "/run/locwatch/control")
    #expect(
      ControlAddress.unstored(state: StatePath.system, isForbidden: false).path == StatePath.system
        + ".control")
    #expect(ControlAddress.unstored(state: "/tmp/s.db", isForbidden: true).path == "/tmp/s.db.control")
  }

  @Test func `gives the room of its log back, waits for no reader, and keeps what was stored`() throws {
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    func logBytes() -> Int? { StatePath.status(path + "-wal").map { Int($0.st_size) } }
    try database.write { try $0.execute(sql: "CREATE TABLE filling (number)") }
    #expect(logBytes() ?? 0 > 0)
    _ = database.emptyLogBeforeRoomEnds()
    #expect(logBytes() ?? 0 > 0, "this disk has more room than that")
    // One who reads what the log has of before.
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: path, configuration: configuration)
    try reader.writeWithoutTransaction { connection in
      try connection.execute(sql: "BEGIN")
      _ = try Int.fetchOne(connection, sql: "SELECT count(*) FROM filling")
    }
    try database.write { try $0.execute(sql: "INSERT INTO filling VALUES (1)") }
    database.emptyLog()
    #expect(logBytes() ?? 0 > 0)
    try reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try reader.close()
    database.emptyLog()
    #expect(logBytes() == 0)
    let rows = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM filling") }
    #expect(rows == 1)
  }

  @Test func `makes a log that a reader held shorter when that is gone`() throws {
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    database.reserveLog()
    let reserved = Int(StatePath.status(path + "-wal")?.st_size ?? 0)
    #expect(reserved > 4_000_000)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let reader = try DatabaseQueue(path: path, configuration: configuration)
    try reader.writeWithoutTransaction { connection in
      try connection.execute(sql: "BEGIN")
      _ = try Int.fetchOne(connection, sql: "SELECT count(*) FROM regions")
    }
    try database.write { try $0.execute(sql: "CREATE TABLE filling (bytes BLOB)") }
    try database.write { try $0.execute(sql: "INSERT INTO filling VALUES (zeroblob(12000000))") }
    #expect(Int(StatePath.status(path + "-wal")?.st_size ?? 0) > 12_000_000)
    try reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try reader.close()
    database.checkpointLog()
    try database.write { try $0.execute(sql: "INSERT INTO filling VALUES (1)") }
    #expect((reserved...2 * reserved).contains(Int(StatePath.status(path + "-wal")?.st_size ?? 0)))
  }

  @Test func `gives free pages back a few at a time, and keeps some`() throws {
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    try database.write { database in
      try database.execute(
        sql: "CREATE TABLE filling (bytes BLOB); INSERT INTO filling VALUES (zeroblob(8000000))")
      try database.execute(sql: "DROP TABLE filling")
    }
    func pages(_ pragma: String) throws -> Int {
      try database.read { try Int.fetchOne($0, sql: "PRAGMA \(pragma)") ?? 0 }
    }
    let before = try pages("page_count")
    #expect(try pages("freelist_count") > 1_900)
    database.shrink()
    #expect(try pages("page_count") <= before - 512)
    #expect(try pages("page_count") > before - 520, "with pages of the map that are not needed any more")
    for _ in 0..<4 { database.shrink() }
    let rest = try pages("freelist_count")
    #expect((1_000...1_024).contains(rest))
    #expect(try database.regions().regions == [])
  }

  @Test func `is not made by reading`() throws {
    #expect(try StateDatabase.openToRead(path: folder("none.db")) == nil)
    #expect(!FileManager.default.fileExists(atPath: folder("none.db")))
    // Nor is an empty file that somebody mistakes for one.
    let empty = folder.write("notes.txt", "")
    #expect(try StateDatabase.openToRead(path: empty) == nil)
    #expect(FileManager.default.contents(atPath: empty)?.isEmpty == true)
    _ = try StateDatabase.open(path: empty)
    #expect(try StateDatabase.openToRead(path: empty) != nil)
  }

  @Test func `remembers`() throws {
    _ = try StateDatabase.open(path: folder("s.db")).put(
      [try Self.file(Self.feature("home"))], changing: true)
    let again = try #require(try StateDatabase.openToRead(path: folder("s.db")))
    #expect(try again.regions().regions.map(\.id) == ["home"])
  }

  @Test func `is not written by who only reads, and does not wait for who writes`() throws {
    let path = folder("s.db")
    do { _ = try StateDatabase.open(path: path).put([try Self.file(Self.feature("home"))], changing: true) }
    let bytes = try Data(contentsOf: URL(filePath: path))
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let writer = try DatabaseQueue(path: path, configuration: configuration)
    try writer.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let database = try #require(try StateDatabase.openToRead(path: path))
    #expect(try database.regions().regions.map(\.id) == ["home"])
    try writer.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  @Test func `may have a name that SQLite takes for something else`() throws {
    // A URI, and a database in memory.
    for name in ["file:x.db", ":memory:"] {
      let path = folder(name)
      _ = try StateDatabase.open(path: path).put([try Self.file(Self.feature("home"))], changing: true)
      #expect(try StateDatabase.openToRead(path: path)?.regions().regions.count == 1)
    }
  }

  @Test func `a later version's is refused, and not touched`() throws {
    let path = folder("s.db")
    _ = try StateDatabase.open(path: path)
    let known = StateDatabase.migrations.count
    try execute(path, "PRAGMA user_version = \(known + 6)")
    for open in [{ try StateDatabase.open(path: path) }, { try StateDatabase.openToRead(path: path) }] {
      let thrown = #expect(throws: Failure.self) { _ = try open() }
      #expect(thrown?.code == .data)
      #expect(
        thrown?.what
          == "written by a later version of locwatch (schema \(known + 6); this one knows \(known))")
    }
  }

  @Test func `one more subscriber than an engine takes is refused, a change is not`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    for number in 1...Limits.subscribers {
      try database.put(Subscriber(name: "s\(number)"), replacing: false)
    }
    let thrown = #expect(throws: Failure.self) {
      try database.put(Subscriber(name: "more"), replacing: false)
    }
    #expect(thrown?.what == "there are 1,000 subscribers already")
    let isReplaced = try database.put(Subscriber(name: "s1", services: [.visits]), replacing: true)
    #expect(isReplaced)
    #expect(try database.subscribers().count == Limits.subscribers)
  }

  @Test func `names that are refused by now are read, and can be removed`() throws {
    let path = folder("s.db")
    let database = try StateDatabase.open(path: path)
    try database.put(Subscriber(name: "a\nb"), replacing: false)
    let reader = try #require(try StateDatabase.openToRead(path: path))
    #expect(try reader.subscribers().map(\.subscriber.name) == ["a\nb"])
    _ = try database.removeSubscriber("a\nb")
    #expect(try reader.subscribers().isEmpty)
  }

  @Test func `a request that an earlier version left is of the boot of the last daemon`() throws {
    let path = folder("s.db")
    for migration in StateDatabase.migrations.prefix(9) { try execute(path, migration.sql) }
    try execute(
      path,
      """
      PRAGMA application_id = \(StateDatabase.applicationID);
      PRAGMA user_version = 9;
      INSERT INTO requests (event) VALUES ('\(try ExactEncoder.tree(of: Event.machine(.unlock)).text)')
      """)
    let database = try StateDatabase.open(path: path)
    try database.request([.machine(.unlock)])
    let requests = try database.requests()
    #expect(requests.map(\.event) == [.machine(.unlock), .machine(.unlock)])
    #expect(requests.map(\.boot) == [nil, ProcessStatus.boot])
    for (lastBoot, expected) in [(nil, false), ("another", true), (ProcessStatus.boot, false)] {
      #expect(requests.map { $0.isUndoneByBoot(since: lastBoot) } == [expected, false])
    }
  }

  @Test func `another program's is refused, and not touched`() throws {
    let path = folder("other.db")
    try execute(path, "CREATE TABLE theirs (a)")
    let thrown = #expect(throws: Failure.self) { _ = try StateDatabase.open(path: path) }
    #expect(thrown?.code == .data)
    #expect(thrown?.what == "the SQLite database of another program")
    #expect(try DatabaseQueue(path: path).read { try $0.tableExists("regions") } == false)
  }

  @Test func `what is no database is refused`() throws {
    let path = folder.write("text.db", String(repeating: "no database ", count: 100))
    for open in [{ try StateDatabase.open(path: path) }, { try StateDatabase.openToRead(path: path) }] {
      let thrown = #expect(throws: Failure.self) { _ = try open() }
      #expect(thrown?.code == .data)
      #expect(thrown?.what == "not an SQLite database")
    }
  }

  @Test func `a damaged one is told as such`() throws {
    let path = folder("s.db")
    let features = (0..<200).map { Self.feature("region \($0)") }.joined(separator: "\n")
    _ = try StateDatabase.open(path: path).put(
      [try RegionFile.read(bytes: Array(features.utf8), name: "f")], changing: true)
    try execute(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    var bytes = try #require(FileManager.default.contents(atPath: path))
    // Page 1 has the schema; what follows is what is looked at.
    for index in 4096..<bytes.count { bytes[index] = 0xA5 }
    _ = FileManager.default.createFile(atPath: path, contents: bytes)
    let thrown = #expect(throws: Failure.self) { _ = try StateDatabase.openToRead(path: path)?.regions() }
    #expect(thrown?.code == .data)
    #expect(thrown?.what.hasPrefix("the database is damaged") == true)
  }

  @Test func `a folder in its place is told as such`() {
    let thrown = #expect(throws: Failure.self) { _ = try StateDatabase.open(path: folder.path) }
    #expect(thrown?.code == .cantCreate)
    let below = #expect(throws: Failure.self) {
      _ = try StateDatabase.open(path: folder.write("file", "") + "/s.db")
    }
    #expect(below?.code == .cantCreate)
    let nowhere = #expect(throws: Failure.self) { _ = try StateDatabase.open(path: "/proc/none/s.db") }
    #expect(nowhere?.code == .cantCreate)
  }

  @Test func `a full disk changes nothing`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    _ = try database.put([try Self.file(Self.feature("home"))], changing: true)
    _ = try database.write { try Int.fetchOne($0, sql: "PRAGMA max_page_count = 20") }
    let features = (0..<2000).map { Self.feature("region \($0)") }.joined(separator: "\n")
    let file = try RegionFile.read(bytes: Array(features.utf8), name: "f")
    let thrown = #expect(throws: Failure.self) { try database.put([file], changing: true) }
    #expect(thrown?.code == .io)
    #expect(thrown?.what == "the disk is full")
    #expect(thrown?.remedy == "make room")
    #expect(try database.regionIDs() == ["home"])
  }

  @Test(arguments: [
    (ResultCode.SQLITE_NOTADB, Failure.Code.data), (.SQLITE_CORRUPT, .data), (.SQLITE_FULL, .io),
    (.SQLITE_IOERR, .io), (.SQLITE_IOERR_FSYNC, .io), (.SQLITE_BUSY, .tryAgain), (.SQLITE_LOCKED, .tryAgain),
    (.SQLITE_READONLY, .noPermission), (.SQLITE_READONLY_DIRECTORY, .noPermission),
    (.SQLITE_CANTOPEN, .cantCreate),
    (.SQLITE_MISUSE, .software),
  ])
  func `errors of SQLite have exit codes`(result: ResultCode, code: Failure.Code) {
    let failure = Failure(DatabaseError(resultCode: result, message: "why"), database: "s.db")
    #expect(failure.code == code)
    #expect(failure.description.hasPrefix("s.db: "))
    #expect(!failure.description.contains("\n"))
  }

  @Test func `what SQLite does not say of a disk is said`() {
    func failure(_ code: ResultCode, _ path: String) -> Failure {
      Failure(DatabaseError(resultCode: code, message: "why"), database: path)
    }
    let full = failure(.SQLITE_IOERR_SHMSIZE, folder("s.db"))
    #expect(full.what == "the disk is full" && full.code == .io)
    #expect(failure(.SQLITE_IOERR, folder("s.db")).what == "can't be read or written (why)")
    let nowhere = failure(.SQLITE_CANTOPEN, folder("none/s.db"))
    #expect(nowhere.what == "can't be opened (No such file or directory)" && nowhere.code == .cantCreate)
    #expect(failure(.SQLITE_CANTOPEN, folder("s.db")).what == "can't be opened (why)")
  }

  // MARK: Regions

  @Test func `keeps order, text and tags, and replaces in place`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    let first = try Self.file(
      Self.feature("b", more: #","tags":["x"],"owner":{"deep":[1.50]}"#), Self.feature("a"), Self.feature("c")
    )
    #expect(try database.put([first], changing: true) == .init(added: 3))
    #expect(try database.put([first], changing: true) == .init(unchanged: 3))
    let second = try Self.file(Self.feature("d"), Self.feature("b", radius: 7))
    #expect(try database.put([second], changing: true) == .init(added: 1, changed: 1))
    let read = try database.regions()
    #expect(read.regions.map(\.id) == ["b", "a", "c", "d"])
    #expect(try read.feature(at: 1) == first.feature(at: 1))
    #expect(try read.feature(at: 0) == second.feature(at: 1))
    #expect(read.warnings == [])
  }

  @Test func `chooses by id and by tag`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    _ = try database.put(
      [
        try Self.file(
          Self.feature("a", more: #","tags":["x","y"]"#), Self.feature("b", more: #","tags":["y"]"#),
          Self.feature("c"))
      ], changing: true)
    #expect(try database.regions(.ids(["c", "a", "none"])).regions.map(\.id) == ["a", "c"])
    #expect(try database.regions(.ids([])).regions == [])
    #expect(try database.regions(.tag("y")).regions.map(\.id) == ["a", "b"])
    #expect(try database.unknown(among: ["a", "z", "c"]) == ["z"])
    #expect(try database.remove(.tag("x")) == 1)
    #expect(try database.remove(.ids(["b", "none"])) == 1)
    #expect(try database.regionIDs() == ["c"])
    #expect(try database.remove(.all) == 1)
  }

  @Test func `nothing is stored of files that can't be stored whole`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    let thrown = #expect(throws: Failure.self) {
      try database.put(
        [try Self.file(Self.feature("a")), try Self.file(Self.feature("b"), Self.feature("a"), name: "g")],
        changing: true)
    }
    #expect(thrown?.code == .data)
    #expect(thrown?.description == "g: region \"a\" is in an earlier file too; ids are unique")
    #expect(try database.regionIDs() == [])
    _ = try database.put([try Self.file(Self.feature("a"))], changing: false)
    let again = #expect(throws: Failure.self) {
      try database.put([try Self.file(Self.feature("z"), Self.feature("a"))], changing: false)
    }
    #expect(again?.code == .cantCreate)
    #expect(try database.regionIDs() == ["a"])
  }

  @Test func `two processes can make it and write to it at once`() async throws {
    let path = folder("s.db")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<5 {
            let feature = Self.feature("w\(writer)-\(number)")
            _ = try StateDatabase.open(path: path).put([try Self.file(feature)], changing: false)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try StateDatabase.openToRead(path: path)?.regionIDs().count == 20)
  }
}

@Suite struct StatePathTests {
  @Test(
    arguments: [
      ("x.db", ["HOME": "/h"], false, "x.db"),
      (nil, ["HOME": "/h"], false, "/h/.local/state/locwatch/locwatch.db"),
      (nil, ["HOME": "/h", "XDG_STATE_HOME": "/x"], false, "/x/locwatch/locwatch.db"),
      (nil, ["HOME": "/h", "XDG_STATE_HOME": "relative"], false, "/h/.local/state/locwatch/locwatch.db"),
      (nil, ["HOME": "/h", "XDG_STATE_HOME": ""], false, "/h/.local/state/locwatch/locwatch.db"),
      (nil, ["HOME": "/root"], true, "/var/lib/locwatch/locwatch.db"),
      (nil, ["HOME": "/root", "XDG_STATE_HOME": "/x"], true, "/x/locwatch/locwatch.db"),
      (
        nil, ["STATE_DIRECTORY": "/var/lib/one:/var/lib/two", "XDG_STATE_HOME": "/x"], true,
        "/var/lib/one/locwatch.db"
      ),
    ] as [(String?, [String: String], Bool, String)])
  func `is where people look for it`(
    option: String?, environment: [String: String], isRoot: Bool, path: String
  ) throws {
    #expect(try StatePath.resolve(option: option, environment: environment, isRoot: isRoot) == path)
  }

  @Test func `is asked for where nothing says`() {
    let thrown = #expect(throws: Failure.self) {
      try StatePath.resolve(option: nil, environment: [:], isRoot: false)
    }
    #expect(thrown?.code == .config)
    let relative = #expect(throws: Failure.self) {
      try StatePath.resolve(option: nil, environment: ["HOME": "rel"], isRoot: false)
    }
    #expect(relative?.what == "HOME is not an absolute path")
  }
}

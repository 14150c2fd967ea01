import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// Paths that somebody else may have prepared: the daemon follows no link, and trusts only what belongs to its user.
@Suite struct StatePathTests {
  /// What a daemon answers on the state file of a folder.
  private func run(_ folder: TemporaryFolder) async throws -> Binary.Result {
    try await Binary.run(["run", "--gpsd", "/nonexistent.sock", "--state", folder("s.db")])
  }

  private func expect(_ result: Binary.Result, _ words: String) {
    #expect(result.status == 77, "\(result.stderr)")
    #expect(result.stderr.contains(words), "\(result.stderr)")
    #expect(result.stderr.split(separator: "\n").count == 1, "\(result.stderr)")
  }

  private func make(_ folder: TemporaryFolder) throws { _ = try StateDatabase.open(path: folder("s.db")) }

  @Test(arguments: ["", "-wal", "-shm", "-journal"])
  func `a symbolic link is not followed`(part: String) async throws {
    let folder = TemporaryFolder()
    if !part.isEmpty { try make(folder) }
    for log in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder("s.db") + log) }
    let target = folder("target")
    #expect(unsafe symlink(target, folder("s.db") + part) == 0)
    expect(try await run(folder), "is a symbolic link")
    let asked = try await Binary.run(["events", "--state", folder("s.db")])
    #expect(asked.status == 77, "\(asked.stderr)")
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  /// Who opens one waits for somebody who opens the other end.
  @Test(arguments: ["-wal", "-shm", "-journal"])
  func `a pipe beside it is refused, and one among the notes of programs is passed over`(part: String)
    async throws
  {
    let folder = TemporaryFolder()
    try make(folder)
    for log in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder("s.db") + log) }
    #expect(unsafe mkfifo(folder("s.db") + part, 0o600) == 0)
    for command in [["events"], ["regions", "list"]] {
      let asked = try await Binary.run(command + ["--state", folder("s.db")])
      #expect(asked.status == 73 && asked.stderr.contains("s.db\(part): is no plain file"), "\(asked)")
    }
    let run = try DaemonRun()
    try FileManager.default.createDirectory(
      atPath: run.state + ".run", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    #expect(unsafe mkfifo(run.state + ".run/a.run", 0o600) == 0)
    try run.start()
    #expect(await run.end() == 0)
  }

  @Test func `a second name is refused`() async throws {
    let folder = TemporaryFolder()
    try make(folder)
    #expect(unsafe link(folder("s.db"), folder("other.db")) == 0)
    expect(try await run(folder), "hard links")
  }

  @Test func `a file that others may write is refused`() async throws {
    let folder = TemporaryFolder()
    try make(folder)
    #expect(unsafe chmod(folder("s.db"), 0o666) == 0)
    expect(try await run(folder), "others may write it")
  }

  @Test func `nor is a command of it tried out, or an outlet`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    for command in [
      ["on", "move"] + state + ["--", "touch", folder("mark")],
      ["outlets", "add", "door", "--webhook", "http://127.0.0.1:9"] + state,
    ] { #expect(try await Binary.run(command).status == 0) }
    let tried = ["on", "test", "move"] + state
    #expect(try await Binary.run(tried).status == 0)
    #expect(FileManager.default.fileExists(atPath: folder("mark")))
    try FileManager.default.removeItem(atPath: folder("mark"))
    #expect(unsafe chmod(folder("s.db"), 0o666) == 0)
    expect(try await Binary.run(tried), "others may write it")
    expect(try await Binary.run(["outlets", "test", "door"] + state), "others may write it")
    #expect(!FileManager.default.fileExists(atPath: folder("mark")))
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a file that may not be read is refused to who reads or changes it`()
    async throws
  {
    let run = try DaemonRun(.nobody)
    _ = try StateDatabase.open(path: run.state)
    for command in [["status"], ["regions", "add", "home", "--circle", "48,11,100"]] {
      expect(try await run.command(command), "can't be read: Permission denied; ask as its owner")
    }
  }

  @Test(.enabled(if: geteuid() == 0)) func `root does nothing that another user's files say`() async throws {
    let nobody: uid_t = 65_534
    let folder = TemporaryFolder()
    try make(folder)
    #expect(unsafe chown(folder("s.db"), nobody, nobody) == 0)
    expect(try await run(folder), "belongs to user 65534")
    #expect(unsafe chown(folder("s.db"), 0, 0) == 0)
    #expect(unsafe chown(folder.path, nobody, nobody) == 0)
    expect(try await run(folder), "not root's alone")
    #expect(unsafe chown(folder.path, 0, 0) == 0)
    #expect(unsafe chmod(folder.path, 0o775) == 0 && chown(folder.path, 0, nobody) == 0)
    expect(try await run(folder), "not root's alone; chmod go-w \(folder.path), or name another file")
    let ruled = try await Binary.run([
      "on", "enter", "home", "--circle", "1,2,100", "--state", folder("s.db"), "--", "/bin/true",
    ])
    #expect(ruled.status == 0 && ruled.stderr.contains("locwatch run refuses this state file: "), "\(ruled)")
    #expect(unsafe chmod(folder.path, 0o755) == 0 && chown(folder.path, 0, 0) == 0)
    #expect(unsafe mkdir(folder("s.db.run"), 0o755) == 0)
    #expect(unsafe chown(folder("s.db.run"), nobody, nobody) == 0)
    expect(try await run(folder), "belongs to another user")
  }

  @Test(.enabled(if: geteuid() == 0)) func `root makes no file where another user leads it`() async throws {
    let nobody: uid_t = 65_534
    let (folder, roots) = (TemporaryFolder(), TemporaryFolder())
    #expect(unsafe mkdir(folder("theirs"), 0o755) == 0 && chown(folder("theirs"), nobody, nobody) == 0)
    #expect(unsafe mkdir(folder("theirs/roots"), 0o755) == 0)
    #expect(unsafe symlink(roots.path, folder("theirs-link")) == 0)
    #expect(unsafe lchown(folder("theirs-link"), nobody, nobody) == 0)
    #expect(unsafe symlink(folder("theirs/roots"), folder("link")) == 0)
    for place in ["theirs", "theirs/roots", "theirs-link", "link", "theirs/new"] {
      let result = try await Binary.run([
        "run", "--gpsd", "/nonexistent.sock", "--state", folder(place) + "/s.db",
      ])
      expect(result, "not root's alone")
    }
    for made in ["theirs/s.db", "theirs/roots/s.db", "theirs/new"] {
      #expect(!FileManager.default.fileExists(atPath: folder(made)), "\(made)")
    }
    #expect(!FileManager.default.fileExists(atPath: roots("s.db")))
  }

  @Test(.enabled(if: geteuid() == 0)) func `root records into no pipe of another user`() async throws {
    let folder = TemporaryFolder()
    let pipe = folder("r.journal")
    #expect(unsafe mkfifo(pipe, 0o666) == 0 && chown(pipe, 65_534, 65_534) == 0)
    let result = try await Binary.run([
      "run", "--gpsd", "/nonexistent.sock", "--state", folder("s.db"), "--record", pipe,
    ])
    #expect(result.status == 73 && result.stderr.contains("can't be created"), "\(result.stderr)")
  }

  @Test(.enabled(if: geteuid() == 0), arguments: ["-wal", "-journal", "-shm"])
  func `a log that another user put beside a state file is not used`(part: String) async throws {
    let folder = TemporaryFolder()
    try make(folder)
    for log in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder("s.db") + log) }
    _ = folder.write("s.db" + part, "")
    #expect(unsafe chown(folder("s.db") + part, 65_534, 65_534) == 0)
    expect(try await run(folder), "belongs to user 65534, not to the state file's")
    let added = try await Binary.run([
      "regions", "add", "a", "--circle", "48,11,100", "--state", folder("s.db"),
    ])
    #expect(added.status == 77, "\(added.stderr)")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `root keeps no state where another user can put a log beside it`() async throws {
    let folder = TemporaryFolder()
    #expect(unsafe chmod(folder.path, 0o1777) == 0)
    expect(try await run(folder), "not root's alone")
    for path in ["x/../s.db", "./s.db"] {
      #expect(unsafe mkdir(folder("x"), 0o700) == 0 || errno == EEXIST)
      let result = try await Binary.run([
        "run", "--gpsd", "/nonexistent.sock", "--state", folder.path + "/" + path,
      ])
      expect(result, "not root's alone")
    }
    #expect(!FileManager.default.fileExists(atPath: folder("s.db")))
    // In a folder of its own below that it may.
    try make(folder)
    let run = try DaemonRun()
    #expect(unsafe chmod(run.folder.path, 0o1777) == 0 && mkdir(run.folder("own"), 0o700) == 0)
    try run.start(["--state", run.folder("own/s.db")])
    #expect(await run.end() == 0)
  }

  @Test func `nothing is read, written or erased where a link beside the state file leads`() throws {
    let (folder, elsewhere) = (TemporaryFolder(), TemporaryFolder())
    let others = TransferSpool(state: elsewhere("s.db"))
    try others.store("{}", 1, of: "x")
    let job = elsewhere("s.db.transfers/jobs/x/1.json")
    #expect(unsafe symlink(elsewhere("s.db.transfers"), folder("s.db.transfers")) == 0)
    let spool = TransferSpool(state: folder("s.db"))
    #expect(spool.job(1, of: "x") == nil)
    #expect(throws: Failure.self) { try spool.store("{}", 2, of: "x") }
    #expect(throws: Failure.self) { try spool.folders(of: Subscriber(name: "x")) }
    spool.sweep(except: [:])
    spool.erase(1, of: "x")
    #expect(others.job(1, of: "x") != nil && others.job(2, of: "x") == nil)
    others.sweep(except: [:])
    #expect(!FileManager.default.fileExists(atPath: job))
    #expect(unsafe symlink(elsewhere.path, folder("s.db.files")) == 0)
    #expect(throws: Failure.self) { try spool.directory(of: Subscriber(name: "x")) }
  }

  @Test(.enabled(if: geteuid() == 0))
  func `root erases nothing in a folder that another user made beside the state file`() throws {
    let folder = TemporaryFolder()
    let spool = TransferSpool(state: folder("s.db"))
    try spool.store("{}", 1, of: "x")
    #expect(unsafe chown(folder("s.db.transfers"), 65_534, 65_534) == 0)
    spool.sweep(except: [:])
    #expect(FileManager.default.fileExists(atPath: folder("s.db.transfers/jobs/x/1.json")))
    #expect(spool.job(1, of: "x") == nil)
  }

  @Test func `what is no plain file is refused`() async throws {
    let folder = TemporaryFolder()
    #expect(unsafe mkfifo(folder("s.db"), 0o600) == 0)
    let result = try await run(folder)
    #expect(result.status == 73 && result.stderr.contains("is no plain file"), "\(result.stderr)")
  }

  @Test func `a directory and an empty name are refused by every command`() async throws {
    let folder = TemporaryFolder()
    #expect(unsafe mkdir(folder("d"), 0o700) == 0)
    for words in [
      ["run"], ["status"], ["regions", "list"], ["regions", "add", "a", "--circle", "48,11,99"],
    ] {
      let directory = try await Binary.run(words + ["--state", folder("d")])
      #expect(directory.status == 73, "\(directory)")
      let text = "locwatch: \(folder("d")): is a directory; name a file in it with --state\n"
      #expect(directory.stderr == text)
      let none = try await Binary.run(words + ["--state", ""])
      #expect(none.status == 64, "\(none)")
      #expect(none.stderr == "locwatch: --state names no file; name one, or leave the option out\n")
    }
  }

  @Test func `a run folder that is a link is refused`() async throws {
    let folder = TemporaryFolder()
    try make(folder)
    let elsewhere = TemporaryFolder()
    #expect(unsafe symlink(elsewhere.path, folder("s.db.run")) == 0)
    let result = try await run(folder)
    #expect(result.status == 74 && result.stderr.contains("s.db.run"), "\(result.stderr)")
  }

  @Test func `two daemons can't be on one file, whatever becomes of other files`() async throws {
    let run = try DaemonRun.started()
    for other in [".run", ".control"] { try? FileManager.default.removeItem(atPath: run.state + other) }
    let second = try await run.command(["run", "--gpsd", run.gpsd.address])
    #expect(second.status == 75, "\(second.stderr)")
    #expect(await run.end() == 0)
  }

  @Test func `a command is taken while the daemon starts`() async throws {
    let run = try DaemonRun()
    let manifest = run.folder.write("a.yaml", "name: a\nstyle: oneshot\ncommand: [/bin/true]\n")
    #expect(try await run.command(["subscribers", "add", manifest]).status == 0)
    for _ in 1...3 {
      try run.start(isSimulated: false, expectsConnection: false)
      for _ in 1...5 {
        for verb in [["unlock"], ["lock"], ["subscribers", "quit", "a"]] {
          let taken = try await run.command(verb)
          #expect(taken.status == 0, "\(verb): \(taken.stderr)")
        }
      }
      await run.end(SIGKILL)
    }
  }

  @Test func `a lock ends with its owner, and can be had again`() throws {
    let folder = TemporaryFolder()
    func hold() throws { _ = try StateLock(state: folder("s.db"), pausing: {}) }
    try hold()
    do {
      let lock = try StateLock(state: folder("s.db"))
      let failure = #expect(throws: Failure.self) { try hold() }
      #expect(failure?.code == .tryAgain)
      #expect(failure?.what == "a command uses it, or a locwatch run that begins or ends")
      withExtendedLifetime(lock) {}
    }
    try hold()
  }

  @Test func `a lock that a command holds is waited for`() throws {
    final class Command {
      private let lock: StateLock
      init(_ state: String) throws { lock = try StateLock(state: state) }
    }
    let folder = TemporaryFolder()
    var command: Command? = try Command(folder("s.db"))
    var pauses = 0
    let lock = try StateLock(state: folder("s.db")) {
      pauses += 1
      if pauses == 3 { command = nil }
    }
    withExtendedLifetime(lock) {}
    #expect(pauses == 3 && command == nil)
  }

  @Test func `what says where somebody was is for its owner alone`() async throws {
    let folder = TemporaryFolder()
    _ = try await Binary.run(["regions", "add", "a", "--circle", "48,11,100", "--state", folder("s.db")])
    let exported = try await Binary.run([
      "regions", "export", "-o", folder("r.geojson"), "--state", folder("s.db"),
    ])
    #expect(exported.status == 0, "\(exported.stderr)")
    let track = PackageRoot.file("Tracks/walk-around-the-block.gpx")
    let replayed = try await Binary.run(["replay", track, "--report", folder("r.html")])
    #expect(replayed.status == 0, "\(replayed.stderr)")
    for name in ["r.geojson", "r.html", "s.db"] {
      var status = stat()
      #expect(unsafe stat(folder(name), &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }
}

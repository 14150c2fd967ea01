import Foundation
import GRDB
import TestSupport
import Testing

@testable import LocationRuntime

/// `locwatch run` on a disk that is full, on a database that is damaged, and what it keeps of the past.
@Suite struct StorageTests {
  private static func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: index, latitude: 48 + 0.0002 * Double(index))
  }

  /// Of a connection beside the daemon's, which may be writing just then.
  private static var patient: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(TestPatience.seconds)
    return configuration
  }

  /// Lets a process write no file beyond so many bytes, as a disk that is full would; nil for any.
  private func limit(_ run: DaemonRun, to bytes: Int?) throws {
    let pid = try #require(run.process?.pid)
    let prlimit = Process()
    prlimit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    prlimit.arguments = ["--pid", "\(pid)", "--fsize=\(bytes.map { "\($0)" } ?? "unlimited"):unlimited"]
    try prlimit.run()
    prlimit.waitUntilExit()
    #expect(prlimit.terminationStatus == 0)
  }

  /// Starts a daemon that has stored ten fixes when its disk takes no more.
  private func startOnFullDisk(_ run: DaemonRun) async throws {
    try run.start()
    for index in 0..<10 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(10)
    try limit(run, to: 4_096)
  }

  @Test func `a disk that takes nothing holds it up but loses nothing`() async throws {
    let undisturbed = try DaemonRun()
    try undisturbed.start()
    for index in 0..<60 { undisturbed.gpsd.say(Self.report(index)) }
    try await undisturbed.waitForFixes(60)
    #expect(await undisturbed.end() == 0)

    let run = try DaemonRun()
    try await startOnFullDisk(run)
    for index in 10..<50 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the complaint") { run.process?.stderr.contains("going on in memory") == true }
    try await run.wait("the fixes") {
      try await run.command(["status", "--json"]).stdout.contains(#""fixes":50"#)
    }
    let status = try await run.command(["status"])
    #expect(status.stdout.contains("rows wait in memory"), "\(status.stdout)")
    #expect(try run.storedFixes() < 50)
    try limit(run, to: nil)
    for index in 50..<60 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(60)
    try await run.wait("the news") { run.process?.stderr.contains("nothing was lost") == true }
    #expect(await run.end() == 0)
    // Without what a busy machine adds: that the source was silent for five seconds, which takes an id.
    func told(_ run: DaemonRun) async throws -> [Substring] {
      try await run.events().filter { !$0.contains(#""type":"stale""#) && !$0.contains(#""type":"source""#) }
        .map { line in line.range(of: #""type""#).map { line[$0.lowerBound...] } ?? line }
    }
    #expect(try await told(run) == told(undisturbed))
  }

  /// Nothing can be started while nothing can be stored: its wake of 10 s begins when there is room.
  @Test func `K2 a full disk blames no program`() async throws {
    let run = try DaemonRun()
    let added = try await run.command(["regions", "add", "here", "--circle", "48.008,11.5,150"])
    #expect(added.status == 0, "\(added.stderr)")
    try await run.add(
      "quick", "echo '{\"done\":true}'; cat >/dev/null",
      manifest: "services: [regions]\nauthorization: always")
    try await startOnFullDisk(run)
    for index in 10..<20 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the complaint") { run.process?.stderr.contains("going on in memory") == true }
    for index in 20..<120 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the fixes") {
      try await run.command(["status", "--json"]).stdout.contains(#""fixes":120"#)
    }
    try limit(run, to: nil)
    for index in 120..<125 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(125)
    try await run.wait("its answer") {
      try await run.command(["status", "--json"]).stdout.contains(#""waiting":0"#)
    }
    #expect(await run.end() == 0)
    let events = try await run.events()
    #expect(events.count { $0.contains(#""action":"relaunch""#) } == 1, "\(events)")
    #expect(!events.contains { $0.contains(#""rule":"K2""#) }, "\(events)")
  }

  @Test func `who asks for the status finds at once that there is room`() async throws {
    let run = try DaemonRun()
    try await startOnFullDisk(run)
    run.gpsd.say(Self.report(10))
    try await run.wait("the complaint") { run.process?.stderr.contains("going on in memory") == true }
    // Each attempt that fails doubles the time to the next that the daemon makes by itself.
    for _ in 0..<7 {
      #expect(try await run.command(["status"]).stdout.contains("rows wait in memory"))
    }
    try limit(run, to: nil)
    #expect(try await run.command(["status"]).stdout.contains("rows wait in memory") == false)
    try await run.wait("the news") { run.process?.stderr.contains("nothing was lost") == true }
    #expect(await run.end() == 0)
  }

  @Test func `a command is told to wait for room, and finds at once that there is some`() async throws {
    let run = try DaemonRun()
    try await startOnFullDisk(run)
    func add(_ id: String) async throws -> Binary.Result {
      try await run.command(["regions", "add", id, "--circle", "48,11,100"])
    }
    // The file is this command's to write; the daemon's engine is not.
    let waits = try await add("a")
    #expect(waits.status == 74 && waits.stderr.contains("does it when it can"), "\(waits.stderr)")
    // Each attempt that fails doubles the time to the next that the daemon makes by itself.
    for id in ["b", "c", "d", "e", "f", "g"] { #expect(try await add(id).status == 74) }
    try limit(run, to: nil)
    let added = try await add("h")
    #expect(added.status == 0, "\(added.stderr)")
    try await run.wait("the news") { run.process?.stderr.contains("nothing was lost") == true }
    #expect(await run.end() == 0)
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""regions":8"#))
  }

  @Test func `another program's lock holds up what is stored, and nothing else`() async throws {
    let run = try DaemonRun()
    _ = try await run.command(["regions", "add", "here", "--circle", "48,11.5,300"])
    try run.start()
    try await run.waitForFixes(0)
    var configuration = Self.patient
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: run.state, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    for index in 0..<10 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the complaint") {
      run.process?.stderr.contains("another program keeps it locked") == true
    }
    // The lock is held until the daemon has answered with all fixes.
    try await run.wait("the fixes") {
      try await run.command(["status", "--json"]).stdout.contains(#""fixes":10"#)
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try await run.wait("the news") { run.process?.stderr.contains("nothing was lost") == true }
    #expect(try await run.events().contains { $0.contains(#""region":"here""#) })
    #expect(await run.end() == 0)
  }

  @Test func `a damaged row does not end a daemon that reads its regions again`() async throws {
    let run = try DaemonRun()
    for id in ["here", "there"] {
      _ = try await run.command(["regions", "add", id, "--circle", "48,11.5,300"])
    }
    try run.start()
    try await run.waitForFixes(0)
    try await DatabaseQueue(path: run.state, configuration: Self.patient).write {
      try $0.execute(sql: "UPDATE regions SET geojson = '{' WHERE id = 'there'")
    }
    run.process?.signal(SIGHUP)
    try await run.wait("the complaint") {
      run.process?.stderr.contains(#"region "there" in its table regions can't be read"#) == true
    }
    // Nothing is applied of what can't be read as a whole, whoever asks.
    try await DatabaseQueue(path: run.state, configuration: Self.patient).write {
      try $0.execute(sql: "DELETE FROM regions WHERE id = 'here'")
    }
    let states = #"{"do":"region-states","ids":["here","there"]}"#
    #expect(try run.ask(#"{"do":"reload"}"#).contains(#""code":65"#))
    #expect(try run.ask(states).contains(#""here":"unknown""#))
    // Those in force, and not the one that the file still has.
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""regions":2"#))
    try await DatabaseQueue(path: run.state, configuration: Self.patient).write {
      try $0.execute(sql: "DELETE FROM regions")
    }
    #expect(try run.ask(#"{"do":"reload"}"#).contains(#""ok":true"#))
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""regions":0"#))
    // A daemon whose time is that of the fixes applies it with the first.
    for index in 0..<3 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(3)
    #expect(try run.ask(states).contains(#""states":{}"#))
    #expect(await run.end() == 0)
  }

  @Test(arguments: ["status", "events", "regions list", "subscribers list"])
  func `a disk that takes nothing does not keep anybody from asking`(command: String) async throws {
    let run = try DaemonRun()
    _ = try await run.command(["regions", "add", "here", "--circle", "48.001,11.5,300"])
    try run.start()
    for index in 0..<5 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(5)
    #expect(await run.end() == 0)
    let words = command.split(separator: " ").map(String.init)
    let before = try await run.command(words)
    let full = try await Binary.run(
      ["-c", #"ulimit -f 0; exec "$0" "$@""#, Binary.path] + words + ["--state", run.state],
      executable: "/bin/sh")
    #expect(full.status == before.status && full.stdout == before.stdout, "\(full.stderr)")
  }

  @Test func `a folder that can't be written does not keep its user from asking`() async throws {
    let run = try DaemonRun(getuid() == 0 ? .nobody : .own)
    let added = try await run.command(["regions", "add", "here", "--circle", "48.001,11.5,300"])
    #expect(added.status == 0, "\(added)")
    let before = try await run.command(["regions", "list"])
    if getuid() == 0 { unsafe chown(run.folder.path, 0, 0) }
    unsafe chmod(run.folder.path, 0o555)
    defer { unsafe chmod(run.folder.path, 0o755) }
    let list = try await run.command(["regions", "list"])
    #expect(list.status == 0 && list.stdout.contains("here") && list.stdout == before.stdout, "\(list)")
    let status = try await run.command(["status"])
    #expect(status.status == 1 && status.stdout.contains("does not run"), "\(status)")
    let change = try await run.command(["regions", "remove", "here"])
    #expect(change.status == 77, "\(change)")
  }

  @Test(arguments: ["rm s.db s.db-wal", "cp s.db b; mv b s.db", "rm s.db-wal"])
  func `a state file that is taken from under the daemon ends it`(deed: String) async throws {
    for event in ["a fix", "a command", "SIGTERM", "SIGHUP"] {
      let run = try DaemonRun()
      try run.start()
      run.gpsd.say(Self.report(0))
      try await run.waitForFixes(1)
      let name = (run.state as NSString).lastPathComponent
      let done = try await Binary.run(
        ["-c", "cd '\(run.folder.path)'; " + deed.replacing("s.db", with: name)], executable: "/bin/sh")
      #expect(done.status == 0, "\(done)")
      switch event {
      case "a fix": run.gpsd.say(Self.report(1))
      case "SIGTERM": run.process?.signal(SIGTERM)
      case "SIGHUP": run.process?.signal(SIGHUP)
      default:
        let status = try await run.command(["status"])
        #expect(status.status == 74 && status.stderr.contains("removed or replaced"), "\(status)")
      }
      #expect(await run.process?.finish() == 74, "\(event)")
      #expect(run.process?.stderr.contains("removed or replaced") == true)
      // The file that has its place is not given its log.
      let log = try? FileManager.default.attributesOfItem(atPath: run.state + "-wal")[.size] as? Int
      #expect((log ?? 0) == 0)
      if deed.contains("mv") {
        let events = try await run.command(["events"])
        #expect(events.status == 0, "\(events)")
      }
    }
  }

  @Test func `a recording of a daemon before is kept`() async throws {
    let run = try DaemonRun()
    let file = run.folder("r.journal")
    for second in 0..<3 {
      try run.start(["--record", file])
      run.gpsd.say(Self.report(second))
      try await run.waitForFixes(second + 1)
      let status = await run.end(second < 2 ? SIGKILL : SIGTERM)
      #expect(second < 2 || status == 0)
    }
    #expect(run.process?.stderr.contains("recording to \(file).2") == true)
    for name in [file, file + ".1", file + ".2"] {
      let replayed = try await Binary.run(["replay", name, "--format", "ndjson"])
      #expect(replayed.status == 0 && replayed.stdout.contains(#""accepted":1,"#), "\(replayed)")
    }
  }

  @Test func `a recording that can't be written ends, and the daemon does not`() async throws {
    let run = try DaemonRun()
    try run.start(["--record", "/dev/full"], expectsConnection: false)
    #expect(await run.process?.finish() == 74)
    #expect(run.process?.stderr.contains("/dev/full") == true)

    // One that fails later is told.
    let fifo = run.folder("fifo")
    #expect(unsafe mkfifo(fifo, 0o600) == 0)
    let reader = unsafe open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try run.start(["--record", fifo])
    close(reader)
    for index in 0..<5 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(5)
    try await run.wait("the complaint") { run.process?.stderr.contains("the recording ends here") == true }
    #expect(await run.end() == 0)
  }

  @Test func `a database that can't be written is refused, and can be asked`() async throws {
    let run = try DaemonRun.started()
    for index in 0..<5 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(5)
    #expect(await run.end() == 0)
    let known = try await run.events()
    // Root may write anything: another user takes its part where root runs the tests.
    let isRoot = geteuid() == 0
    let prefix = isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"] : []
    #expect(unsafe chmod(run.state, 0o444) == 0)
    #expect(unsafe chmod(run.folder.path, 0o555) == 0)
    defer { _ = unsafe chmod(run.folder.path, 0o755) }
    let daemon = try LiveProcess.command(
      prefix + [Binary.path, "run", "--gpsd", "/nonexistent.sock", "--state", run.state])
    #expect(await daemon.finish() == 77)
    #expect(daemon.stderr.contains("locwatch.db") || daemon.stderr.contains(run.state), "\(daemon.stderr)")
    #expect(daemon.stderr.split(separator: "\n").count == 1, "\(daemon.stderr)")
    let events = try LiveProcess.command(prefix + [Binary.path, "events", "--state", run.state])
    #expect(await events.finish() == 77 || events.lines == known, "\(events.stderr)")
  }

  @Test(arguments: ["status", "events", "regions", "run", "journal"])
  func `a database with damaged pages is told in one line`(command: String) async throws {
    let run = try DaemonRun()
    _ = try await run.command(["regions", "add", "here", "--circle", "48.001,11.5,300"])
    try run.start()
    for index in 0..<60 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(60)
    #expect(await run.end() == 0)
    // All pages but the first, which says what the file is.
    let file = try #require(FileHandle(forUpdatingAtPath: run.state))
    let size = try file.seekToEnd()
    try file.seek(toOffset: 4_096)
    try file.write(contentsOf: [UInt8](repeating: 0xA5, count: Int(size) - 4_096))
    try file.close()
    for log in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: run.state + log) }
    let more =
      switch command {
      case "run": ["--gpsd", "/nonexistent.sock"]
      case "regions": ["list"]
      default: [String]()
      }
    let told = try await run.command([command] + more)
    #expect(told.status == 65, "\(told.stdout) \(told.stderr)")
    #expect(told.stderr.contains("the database is damaged"), "\(told.stderr)")
    #expect(told.stderr.split(separator: "\n").count == 1, "\(told.stderr)")
  }

  @Test func `how much is kept can be changed while it runs`() async throws {
    let run = try DaemonRun()
    let settings = run.folder.write("c.yaml", "significant_change: {distance_m: 20, window_s: 0}\n")
    try run.start(["--config", settings])
    for index in 0..<60 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(60)
    #expect(try await run.events().count > 30)
    _ = run.folder.write(
      "c.yaml",
      "significant_change: {distance_m: 20, window_s: 0}\nstate: {event_rows: 5, journal_rows: 3}\n")
    run.process?.signal(SIGHUP)
    try await run.wait("the retention") { try await run.events().count == 5 }
    let counts = try #require(try StateDatabase.openToRead(path: run.state)).counts()
    #expect(counts.events == 5)
    // It comes back from what is left, and ids go on.
    #expect(await run.end() == 0)
    try run.start(["--config", settings])
    for index in 60..<62 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(62)
    #expect(await run.end() == 0)
    #expect(try #require(try StateDatabase.openToRead(path: run.state)).counts().journal < 60)
  }
}

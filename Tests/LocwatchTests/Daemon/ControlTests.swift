import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Commands beside a running `locwatch run`, and without one.
@Suite struct ControlTests {
  @Test func `a daemon that gives no answer leaves what it stored`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let manifest = folder.write("m.yaml", "name: logger\ncommand: [/bin/cat]\nservices: [regions]\n")
    #expect(try await Binary.run(["subscribers", "add", manifest] + state).status == 0)
    let none = try await Binary.run(["status", "--json"] + state)
    #expect(none.status == 1 && !none.stdout.contains(#""answers""#), "\(none)")
    #expect(none.stdout.contains(#"{"name":"logger","state":"notRunning","waiting":0}"#), "\(none)")
    for (name, text) in [("loger", "did you mean logger?"), ("logger", "logger waits for no event 5")] {
      let ack = try await Binary.run(["ack", "5", "--subscriber", name] + state)
      #expect(ack.status == 1 && ack.stderr.contains(text), "\(ack)")
    }
    // It takes connections, and ends them.
    let listener = try Listener(path: folder("s.db.control"))
    let taking = Task.detached { for _ in 0..<2 { _ = listener.accept() } }
    let status = try await Binary.run(["status", "--json"] + state)
    #expect(status.status == 1 && status.stdout.contains(#""answers":false"#), "\(status)")
    #expect(status.stderr.hasSuffix("; this is what it stored last\n"), "\(status)")
    let change = try await Binary.run(["low-power", "on"] + state)
    #expect(change.status == 69 && !change.stderr.contains("locwatch status"), "\(change)")
    await taking.value
  }

  @Test func `what is stored while the daemon ends is no failure`() async throws {
    let folder = TemporaryFolder()
    let state = ["--state", folder("s.db")]
    let listener = try Listener(path: folder("s.db.control"))
    // It is looked for, and then told.
    let taking = Task.detached { for _ in 0..<2 { _ = listener.accept() } }
    let added = try await Binary.run(["regions", "add", "a", "--circle", "48,11,100"] + state)
    #expect(added.status == 0, "\(added)")
    await taking.value
    let list = try await Binary.run(["regions", "list", "--format", "ndjson"] + state)
    #expect(list.stdout.contains(#""id":"a""#), "\(list)")
  }

  private static func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: index, latitude: 48 + 0.0002 * Double(index))
  }

  @Test func `a second daemon on the same state file is refused`() async throws {
    let run = try DaemonRun.started()
    let second = try await run.command(["run", "--gpsd", run.gpsd.address])
    #expect(second.status == 75)
    #expect(second.stderr.contains("another locwatch run uses it"), "\(second.stderr)")
    #expect(await run.end() == 0)
  }

  @Test func `status tells what the daemon knows, and that it is stale without one`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["status"]).status == 1)
    try run.start()
    let count = 5
    for index in 0..<count { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(count)
    let live = try await run.command(["status", "--json"])
    #expect(live.status == 0, "\(live.stdout) \(live.stderr)")
    #expect(live.stdout.contains(#""fixes":\#(count),"accepted":\#(count)"#), "\(live.stdout)")
    let last = count - 1
    let fix = String(
      format: #""fix":{"time":"2026-05-04T06:30:%02d.000Z","lat":%.7f"#, last, 48 + 0.0002 * Double(last))
    #expect(live.stdout.contains(fix), "\(live.stdout)")
    #expect(await run.end() == 0)
    let after = try await run.command(["status", "--json"])
    #expect(after.status == 1)
    #expect(after.stdout.contains(#""stale":true,"last_seen":"#), "\(after.stdout)")
    #expect(after.stdout.contains(#""fixes":\#(count)"#), "\(after.stdout)")
    let text = try await run.command(["status"])
    #expect(text.stdout.contains("daemon   does not run; last seen "), "\(text.stdout)")
  }

  @Test func `status is not stale any more when fixes come again`() async throws {
    let run = try DaemonRun()
    try run.start(isSimulated: false)
    run.say(48)
    try await run.wait("the silence") {
      try await run.command(["status", "--json"]).stdout.contains(#""source":{"state":"silent"}"#)
    }
    #expect(try await run.command(["status"]).status == 1)
    // On a busy machine the answer may come more than five seconds after a fix.
    try await run.wait("a status that is not stale") {
      run.say(48)
      let status = try await run.command(["status", "--json"])
      return status.status == 0
        && status.stdout.contains(#""source":{"state":"found","name":"gpsd 3.22"}"#)
    }
    #expect(await run.end() == 0)
  }

  @Test func `status counts regions that were imported before a log's first fix`() async throws {
    let run = try DaemonRun.started()
    #expect(await run.end() == 0)
    #expect(try await run.command(["regions", "add", "here", "--circle", "48,11.5,300"]).status == 0)
    try run.start()
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""regions":1"#))
    #expect(try await run.command(["regions", "add", "there", "--circle", "49,11.5,300"]).status == 0)
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""regions":2"#))
    #expect(await run.end() == 0)
  }

  @Test func `regions that are added, shown and removed count at once`() async throws {
    let run = try DaemonRun.started()
    for index in 0..<5 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(5)
    #expect(try await run.command(["regions", "add", "here", "--circle", "48.001,11.5,300"]).status == 0)
    for index in 5..<8 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(8)
    let shown = try await run.command(["regions", "show", "here", "--format", "ndjson"])
    #expect(shown.stdout.contains(#""state":"inside""#), "\(shown.stdout)")
    #expect(try await run.events().contains { $0.contains(#""region":"here","state":"inside""#) })
    #expect(try await run.command(["regions", "remove", "here"]).status == 0)
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""regions":0"#))
    #expect(await run.end() == 0)

    // Without a daemon the database is changed, and the next one has it.
    #expect(try await run.command(["regions", "add", "there", "--circle", "48.002,11.5,300"]).status == 0)
    let unknown = try await run.command(["regions", "show", "there", "--format", "ndjson"])
    #expect(unknown.stdout.contains(#""state":"unknown""#))
    try run.start()
    for index in 8..<12 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(12)
    #expect(await run.end() == 0)
    let offline = try await run.command(["regions", "show", "there", "--format", "ndjson"])
    #expect(offline.stdout.contains(#""state":"inside""#), "\(offline.stdout)")
  }

  @Test func `events go on from a cursor, and follow a daemon through its end`() async throws {
    let run = try DaemonRun.started()
    let follow = try LiveProcess(Binary.path, ["events", "--follow", "--state", run.state])
    for index in 0..<3 { run.gpsd.say(Self.report(index)) }
    #expect(await follow.wait { $0.contains { $0.contains(#""type":"significant""#) } })
    #expect(await run.end(SIGKILL) == 137)
    #expect(try await run.command(["regions", "add", "here", "--circle", "48.001,11.5,300"]).status == 0)
    try run.start()
    for index in 3..<6 { run.gpsd.say(Self.report(index)) }
    #expect(await follow.wait { $0.contains { $0.contains(#""type":"region.state""#) } }, "\(follow.stdout)")
    // Only what has ended tells nothing more, such as that no fix comes any more.
    #expect(await run.end() == 0)
    let all = try await run.events()
    #expect(await follow.wait { $0.count >= all.count })
    #expect(follow.lines == all)
    let since = try await run.command(["events", "--since", "2"])
    #expect(
      since.stdout.split(separator: "\n")[...]
        == all.drop { !$0.contains(#""id":3,"#) }.drop { $0.contains(#""id":2,"#) })
    follow.signal(SIGTERM)
  }

  @Test func `to follow events ends when nobody reads them any more`() async throws {
    let run = try DaemonRun.started()
    run.gpsd.say(Self.report(0))
    try await run.waitForFixes(1)
    // At rest nothing more is printed; without a daemon neither.
    for state in [run.state, run.folder("none.db")] {
      let follow = try LiveProcess(
        "/bin/sh", ["-c", "{ \(Binary.path) events --follow --state \(state); echo \"$?\" >&2; } | true"])
      #expect(await follow.finish() == 0)
      #expect(follow.stderr.hasSuffix("141\n"), "\(follow.stderr)")
    }
    #expect(await run.end() == 0)
  }

  @Test func `signals reload and end it, and systemd is told`() async throws {
    let run = try DaemonRun()
    let socket = try DatagramSocket(path: run.folder("notify"))
    let settings = run.folder.write("c.yaml", "significant_change: {distance_m: 500}\n")
    let process = try LiveProcess(
      "/usr/bin/env",
      [
        "NOTIFY_SOCKET=\(run.folder("notify"))", "WATCHDOG_USEC=2000000", Binary.path, "run", "--gpsd",
        run.gpsd.address, "--state", run.state, "--simulated", "--config", settings,
      ])
    #expect(socket.receive()?.hasPrefix("READY=1\nSTATUS=") == true)
    #expect(run.gpsd.connect())
    #expect(socket.wait(for: "WATCHDOG=1"))
    run.gpsd.say(Self.report(0))
    try await run.wait("the fix") { try run.storedFixes() == 1 }

    _ = run.folder.write("c.yaml", "significant_change: {distance_m: 40, window_s: 1}\n")
    process.signal(SIGHUP)
    #expect(socket.wait(for: "RELOADING=1"))
    #expect(socket.wait(for: "READY=1"))
    for index in 1..<12 { run.gpsd.say(Self.report(index)) }
    try await run.wait("the reports") { try run.storedFixes() == 12 }
    #expect(try await run.events().contains { $0.contains(#""reason":"moved""#) })

    _ = run.folder.write("c.yaml", "significant_change: {distance_mm: 40}\n")
    process.signal(SIGHUP)
    #expect(socket.wait(for: "READY=1"))
    try await run.wait("the log") {
      process.stderr.contains("distance_m") && process.stderr.contains("stay as they were")
    }
    process.signal(SIGTERM)
    #expect(socket.wait(for: "STOPPING=1"))
    #expect(await process.finish() == 0)
  }

  @Test func `a reload that finds a mistake in the settings answers with it`() async throws {
    let run = try DaemonRun()
    let settings = run.folder.write("c.yaml", "policy: {wake_s: 10}\n")
    try run.start(["--config", settings])
    #expect(try run.ask(#"{"do":"reload"}"#).contains(#""ok":true"#))
    _ = run.folder.write("c.yaml", "policy: {wake_s: ten}\n")
    let answer = try run.ask(#"{"do":"reload"}"#)
    #expect(answer.contains(#""code":78"#) && answer.contains("policy.wake_s"), "\(answer)")
    #expect(await run.end() == 0)
  }

  @Test(arguments: [true, false])
  func `a reload reads no pipe, and the settings stay as they were`(isPipeFromTheStart: Bool) async throws {
    let run = try DaemonRun()
    if isPipeFromTheStart {
      let script = #"exec "$@" --config <(echo 'policy: {wake_s: 10}')"#
      try run.start(through: ["/bin/bash", "-c", script, "bash"])
    } else {
      let settings = run.folder.write("c.yaml", "policy: {wake_s: 10}\n")
      try run.start(["--config", settings])
      try #require(unsafe unlink(settings) == 0 && mkfifo(settings, 0o600) == 0)
    }
    let answer = try run.ask(#"{"do":"reload"}"#)
    #expect(answer.contains("can't be read again"), "\(answer)")
    #expect(await run.end() == 0)
  }

  @Test func `a reload that changes nothing touches no program, whenever the first fix came`() async throws {
    let run = try DaemonRun()
    try await run.add("program")
    try await run.add("gone")
    try run.start(run.settings())
    // Where time is that of the fixes, the engine knows of neither yet.
    #expect(try run.ask(#"{"do":"reload"}"#).contains(#""ok":true"#))
    #expect(try await run.command(["subscribers", "remove", "gone"]).status == 0)
    run.move(0, second: 0)
    try await run.waitFor("program", .suspended)
    #expect(try run.shown("gone") == nil)
    let before = try await run.events()
    #expect(try run.ask(#"{"do":"reload"}"#).contains(#""ok":true"#))
    #expect(try await run.events() == before)
    run.move(1, second: 10)
    try await run.wait("the second event") { run.told.count == 2 }
    #expect(Set(run.log.map(\.pid)).count == 1)
    #expect(await run.end() == 0)
  }

  @Test func `what was left for a daemon that waits for its first fix is done once`() async throws {
    let run = try DaemonRun.started()
    #expect(await run.end() == 0)
    #expect(try await run.command(["low-power", "on"]).status == 0)
    func left() throws -> Int? { try StateDatabase.openToRead(path: run.state)?.requests().count }
    try run.start()
    #expect(try left() == 1)
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    #expect(try left() == 0)
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""low_power":true"#))
    #expect(await run.end() == 0)
  }

  @Test(
    arguments: [
      (["--gpsd", ""], 64, "--gpsd names no address"), (["--metrics", ""], 64, "--metrics names no file"),
      (["--metrics", "/"], 73, "/: can't be created: Is a directory"),
      (["--metrics", "/nonexistent/m"], 73, "/nonexistent/m: can't be created: No such file or directory"),
      (
        ["--source", "mqtt:o/a", "--source-secrets", "/nonexistent.yaml"], 66,
        "/nonexistent.yaml: No such file or directory; check the path"
      ),
      (
        ["--source", "mqtt:o/a", "--source-secrets", "/etc/passwd"], 77,
        "/etc/passwd: other users may read or write it"
      ),
    ] as [([String], Int32, String)])
  func `an option that can't work is refused at the start, in one line`(
    options: [String], status: Int32, words: String
  ) async throws {
    // No state file can be there: a daemon that took the option would end by that.
    let run = try await Binary.run(["run", "--state", "/proc/none/s.db"] + options)
    #expect(run.status == status && run.stderr.hasPrefix("locwatch: \(words)"), "\(run.status) \(run.stderr)")
    #expect(run.stderr.split(separator: "\n").count == 1)
  }

  @Test(arguments: [["run", "--state", "/proc/none/s.db", "--gpsd"], ["watch", "-n", "1"]])
  func `an address of gpsd beside another source is said not to be read`(words: [String]) async throws {
    let run = try await Binary.run(words + ["pi.local:2947", "--source", "nmea:/nonexistent"])
    let lines = run.stderr.split(separator: "\n")
    #expect(lines.first == "locwatch: pi.local:2947 is not read: --source names another source", "\(run)")
    #expect(run.status != 0 && lines.count == 2, "\(run)")
  }

  @Test func `a state file that can't be used is told in one line`() async throws {
    let folder = TemporaryFolder()
    let garbage = folder.write("garbage.db", String(repeating: "no database at all. ", count: 100))
    let newer = folder("newer.db")
    #expect(
      try await Binary.run(["regions", "add", "a", "--circle", "1,2,300", "--state", newer]).status == 0)
    // PRAGMA user_version stands at byte 60 (sqlite.org/fileformat.html, 1.3).
    let file = try #require(FileHandle(forUpdatingAtPath: newer))
    try file.seek(toOffset: 60)
    try file.write(contentsOf: [0, 0, 0, 99])
    try file.close()
    let cases: [(String, Int32, String)] = [
      (garbage, 65, "not an SQLite database"), (newer, 65, "written by a later version"),
      ("/proc/none/s.db", 73, "can't"), ("/dev/full/s.db", 73, "can't"),
    ]
    for (path, status, words) in cases {
      let run = try await Binary.run(["run", "--gpsd", "/nonexistent.sock", "--state", path])
      #expect(run.status == status, "\(path): \(run.status) \(run.stderr)")
      #expect(run.stderr.contains(words), "\(run.stderr)")
      #expect(run.stderr.split(separator: "\n").count == 1)
    }
  }
}

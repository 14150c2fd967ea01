import Foundation
import GRDB
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// What happens to the machine, and real programs that hold what others wait for.
@Suite struct MachineTests {
  @Test func `under memory pressure the suspended go, the largest first, and then those in the background`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add("a-small")
    try await run.add("b-large", "x=$(head -c 30000000 /dev/zero | tr '\\0' x)\nserve")
    try await run.add("c-busy", #"echo '{"begin_task":"work"}'; serve"#)
    try run.start(run.settings())
    run.move(0, second: 0)
    for name in ["a-small", "b-large"] { try await run.waitFor(name, .suspended) }
    try await run.wait("the task") {
      try run.shown("c-busy").map { !$0.tasks.isEmpty && $0.waiting.isEmpty } ?? false
    }
    try press(run, "warning")
    try press(run, "critical")
    // One goes at once; memory is looked at again after a second, which is one of the fixes here.
    try await run.waitFor("b-large", .notRunning)
    run.move(0, second: 2)
    try await run.waitFor("a-small", .notRunning)
    #expect(try run.state(of: "c-busy") == .background)
    let purged = try await run.events().filter { $0.contains(#""action":"purge""#) }
    #expect(purged.count == 2)
    #expect(purged.first?.contains("b-large") == true, "\(purged)")

    // Nobody is left to go at once.
    run.move(0, second: 4)
    try await run.wait("the warning") {
      run.log.contains { $0.line.contains(#""type":"memory","level":"critical","seconds":5.000"#) }
    }
    run.move(0, second: 12)
    try await run.waitFor("c-busy", .notRunning)
    #expect(try await run.decisions("c-busy").contains("terminate A4 memory_pressure"))
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: Corpus.isFull, "it takes a processor for itself for a minute"))
  func `who takes a processor for itself in the background is ended, and started for the next event`()
    async throws
  {
    let run = try DaemonRun()
    let task = #"[ -e "$D/burnt" ] || { : > "$D/burnt"; echo '{"begin_task":"work"}'; "#
    try await run.add("burner", task + "for core in 1 2 3 4; do (while :; do :; done) & done; }\nserve")
    try run.start(run.settings("policy: {task_budget_s: 600}\n"))
    run.move(0, second: 0)
    try await run.wait("the rule") {
      try await run.decisions("burner").contains("terminate K2 processor")
    }
    try await run.waitFor("burner", .notRunning)
    run.move(1, second: 10)
    try await run.wait("the next event") { run.told.count >= 2 }
    #expect(await run.end() == 0)
  }

  private func press(_ run: DaemonRun, _ level: String) throws {
    let client = try #require(try ControlClient.connect(state: run.state))
    _ = try client.ask("memory-pressure", ["level": .string(level)])
  }

  private static let seesPressure = (try? MemoryPressureWatch()) != nil

  @Test(.enabled(if: seesPressure, "the kernel does not tell of memory pressure"))
  func `pressure of which an earlier daemon was told ends`() async throws {
    let run = try DaemonRun()
    try await run.add("a")
    try await run.startWithFix()
    try press(run, "critical")
    func pressure() throws -> MemoryPressure? { try run.withEngine { $0.memoryPressure } }
    try await run.wait("the level") { try pressure() == .critical }
    await run.end(SIGKILL)
    try run.start(run.settings())
    try await run.wait("its end") { try pressure() == MemoryPressure.none }
    #expect(await run.end() == 0)
  }

  @Test(arguments: DaemonRun.Rights.here)
  func `who holds a lock on a file of others is ended instead of suspended`(rights: DaemonRun.Rights)
    async throws
  {
    let run = try DaemonRun(rights)
    try await run.add("holder", #"exec 9> "$D/shared"; flock 9; serve"#)
    try await run.add("other")
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.wait("the rule") { try await run.decisions("holder").contains("terminate K3 shared_lock") }
    try await run.waitFor("other", .suspended)
    #expect(try run.state(of: "holder") == .notRunning)
    // It is no force-quit, and the lock is free.
    #expect(try run.shown("holder")?.wasForceQuit == false)
    let flock = try await Binary.run(
      [run.folder("shared"), "/bin/true"], executable: "/usr/bin/flock")
    #expect(flock.status == 0)
    #expect(await run.end() == 0)
  }

  /// A daemon that ended, whose programs wait for the first unlock after a boot, and the options to start it again.
  private static func protected() async throws -> (DaemonRun, [String]) {
    let run = try DaemonRun()
    try await run.add("logger")
    let settings = run.settings("policy: {protect_until_first_unlock: true}\n")
    try run.start(settings)
    run.move(0, second: 0)
    try await run.waitFor("logger", .suspended)
    #expect(await run.end() == 0)
    return (run, settings)
  }

  @Test(arguments: [true, false])
  func `after a boot nothing is started before the first unlock`(byFile: Bool) async throws {
    let (run, settings) = try await Self.protected()
    // Another boot, as far as the state tells.
    try StateDatabase.open(path: run.state).setMeta([(.boot, "another")])
    try run.start(settings)
    run.move(1, second: 10)
    try await run.wait("the decision") { try await run.decisions("logger").contains("defer A8 locked") }
    #expect(try run.state(of: "logger") == .notRunning)
    if byFile {
      try Data((ProcessStatus.boot + "\n").utf8).write(to: URL(fileURLWithPath: run.state + ".unlocked"))
    } else {
      #expect(try await run.command(["unlock"]).status == 0)
    }
    try await run.wait("the event") { run.told.count == 2 }
    #expect(await run.end() == 0)
    #expect(try await run.decisions("logger").contains { $0.hasPrefix("relaunch A8") })
  }

  @Test(arguments: [true, false])
  func `A8 an unlock that was left for the daemon counts for the boot in which it was left`(
    isOfThisBoot: Bool
  ) async throws {
    let (run, settings) = try await Self.protected()
    #expect(try await run.command(["unlock"]).status == 0)
    // Another boot, as far as the state tells.
    let database = try StateDatabase.open(path: run.state)
    try database.setMeta([(.boot, "another")])
    if !isOfThisBoot { try database.write { try $0.execute(sql: "UPDATE requests SET boot = 'another'") } }
    try run.start(settings)
    run.move(1, second: 10)
    if isOfThisBoot {
      try await run.wait("the event") { run.told.count == 2 }
    } else {
      try await run.wait("the decision") { try await run.decisions("logger").contains("defer A8 locked") }
      #expect(try run.state(of: "logger") == .notRunning)
      try await run.wait("the log") { run.process?.stderr.contains("it does not count") == true }
    }
    #expect(try database.requests().isEmpty)
    #expect(await run.end() == 0)
  }

  @Test(arguments: [true, false])
  func `A7 a boot clears the mark of a force-quit that was left before it`(isOfThisBoot: Bool) async throws {
    let run = try DaemonRun()
    try await run.add("logger")
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.waitFor("logger", .suspended)
    #expect(await run.end() == 0)
    #expect(try await run.command(["subscribers", "quit", "logger"]).status == 0)
    // Another boot, as far as the state tells.
    let database = try StateDatabase.open(path: run.state)
    try database.setMeta([(.boot, "another")])
    if !isOfThisBoot { try database.write { try $0.execute(sql: "UPDATE requests SET boot = 'another'") } }
    try run.start(run.settings())
    run.move(1, second: 10)
    try await run.waitForFixes(2)
    #expect(try run.shown("logger")?.wasForceQuit == isOfThisBoot)
    #expect(try await run.decisions("logger").contains("terminate A7 force_quit"))
    #expect(try database.requests().isEmpty)
    #expect(await run.end() == 0)
  }

  @Test func `a program that is no child connects and is handed its events`() async throws {
    let run = try DaemonRun()
    let manifest = run.folder.write(
      "peer.yaml", "name: peer\ncommand: [/bin/true]\nstyle: socket\nservices: [significant-change]\n")
    #expect(try await run.command(["subscribers", "add", manifest]).status == 0)
    try run.start(run.settings())
    let connection = try Connection(path: run.state + ".subscribers")
    connection.send("{\"register\":\"peer\"}\n")
    var heard = connection.receive() ?? ""
    #expect(heard.contains(#""type":"registered""#))
    run.move(0, second: 0)
    while !heard.contains(#""type":"significant""#) { heard += try #require(connection.receive()) }
    let record = heard.split(separator: "\n").first { $0.contains(#""type":"significant""#) } ?? ""
    let id = try #require(DaemonRun.id(of: record))
    #expect(try run.shown("peer")?.waiting.map(\.event) == [id])
    connection.send("{\"ack\":\(id)}\n")
    try await run.wait("the acknowledgement") { try run.shown("peer")?.waiting.isEmpty == true }
    #expect(await run.end() == 0)
  }

  @Test func `K5 events wait for a program that starts itself, and nobody else is called`() async throws {
    let run = try DaemonRun()
    let manifest = run.folder.write(
      "peer.yaml", "name: peer\nstyle: socket\nservices: [significant-change]\n")
    #expect(try await run.command(["subscribers", "add", manifest]).status == 0)
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    let deferred = try await run.decisions("peer")
    #expect(deferred == ["defer K5 not_connected"])
    let refused = try await run.command(["subscribers", "launch", "peer"])
    #expect(refused.status == 1 && refused.stderr.contains("peer is not connected"), "\(refused)")
    #expect(try await run.command(["subscribers", "list"]).stdout.contains(#""away":true"#))
    #expect(
      try await run.command(["status"]).stdout.contains("peer: notRunning, 1 not acknowledged, not connected")
    )
    let connection = try Connection(path: run.state + ".subscribers")
    connection.send("{\"register\":\"peer\"}\n")
    var heard = ""
    while !heard.contains(#""type":"significant""#) { heard += try #require(connection.receive()) }
    let decisions = try await run.decisions("peer")
    #expect(decisions == ["defer K5 not_connected", "refuse K5 not_connected", "relaunch K5 kept"])
    #expect(await run.end() == 0)
  }

  @Test func `who left the foreground and has not ended yet returns there`() async throws {
    let run = try DaemonRun()
    try await run.add("a", manifest: "exits_on_suspend: true")
    try await run.startWithFix()
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    #expect(try run.state(of: "a") == .inactive)
    func refusal(_ verb: String) async throws -> String {
      let moved = try await run.command(["subscribers", verb, "a"])
      return moved.status == 1 ? moved.stderr : "\(moved)"
    }
    #expect(try await refusal("background") == "locwatch: a is inactive and can't become background\n")
    #expect(try await run.command(["subscribers", "foreground", "a"]).status == 0)
    #expect(try run.state(of: "a") == .active)
    #expect(try await refusal("foreground") == "locwatch: a is active already\n")
    // What was refused is in the history, as in a replay.
    let events = try await run.events()
    #expect(events.count { $0.contains(#""reason":"illegal_move""#) } == 2, "\(events)")
    #expect(await run.end() == 0)
  }

  @Test func `what a program can't have it is told`() async throws {
    let run = try DaemonRun()
    // Acknowledged, it would be suspended before it has read.
    _ = run.folder.write("mute", "")
    try await run.add(
      "asker",
      #"echo '{"end_task":99}'; echo '{"state_of":"nowhere"}'; echo '{"remaining":true}'; serve"#)
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.wait("the answers") { run.log.filter { $0.line.contains(#""type":"refused""#) }.count == 2 }
    let refused = run.log.map(\.line).filter { $0.contains(#""type":"refused""#) }
    #expect(refused.contains { $0.contains(#""what":"end_task","reason":"unknown_task""#) }, "\(refused)")
    #expect(refused.contains { $0.contains(#""what":"state_of","reason":"unknown_region""#) }, "\(refused)")
    try await run.wait("the time") { run.log.contains { $0.line.contains(#""type":"remaining""#) } }
    #expect(run.log.contains { $0.line.contains(#""remaining_s":10.000"#) })
    #expect(await run.end() == 0)
  }
}

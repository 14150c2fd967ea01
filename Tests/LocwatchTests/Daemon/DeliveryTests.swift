import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Events on their way to real programs of a daemon that is killed again and again.
@Suite struct DeliveryTests {
  /// Each report is a significant change: 600 m further, 10 s later.
  private static func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: 10 * index, latitude: 40 + 0.0054 * Double(index))
  }

  /// A resident that notes the ids it is handed and acknowledges them, once a file says that it may run.
  private func manifest(_ run: DaemonRun, style: String = "resident") -> String {
    let script = run.folder.write(
      "logger.py",
      """
      import json, os, sys
      if not os.path.exists("\(run.folder("go"))"): sys.exit(1)
      log = open("\(run.folder("log"))", "a")
      for line in sys.stdin:
          record = json.loads(line)
          if "id" not in record: continue
          log.write("%d\\n" % record["id"])
          log.flush()
          print(json.dumps({"ack": record["id"]}), flush=True)
      """)
    return run.folder.write(
      "logger.yaml",
      """
      name: logger
      command: [/usr/bin/env, python3, \(script)]
      style: \(style)
      services: [significant-change]
      """)
  }

  private func settings(_ run: DaemonRun) -> String {
    run.folder.write("c.yaml", "significant_change: {window_s: 5}\n")
  }

  /// The ids that the program was handed.
  private func log(_ run: DaemonRun) -> [Int] {
    let text = (try? String(contentsOfFile: run.folder("log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { Int($0) }
  }

  /// The ids of the significant changes.
  private func changes(_ run: DaemonRun) async throws -> [Int] {
    try await run.events().filter { $0.contains(#""type":"significant""#) }.compactMap { line in
      line.split(separator: ",").first { $0.hasPrefix(#""id":"#) }.flatMap { Int($0.dropFirst(5)) }
    }
  }

  @Test func `a command whose path is written in other bytes is another command`() async throws {
    let run = try DaemonRun()
    try run.start(["--config", settings(run)])
    for (index, (name, word)) in [("caf\u{E9}.sh", "one"), ("cafe\u{301}.sh", "two")].enumerated() {
      let script = run.folder.write(name, "echo \(word) >> '\(run.folder("log"))'\n")
      let yaml = run.folder.write(
        "cafe.yaml",
        "{name: cafe, command: [/bin/sh, '\(script)'], style: oneshot, services: [significant-change]}\n")
      #expect(try await run.command(["subscribers", "add", yaml, "--replace"]).status == 0)
      run.gpsd.say(Self.report(index))
      try await run.wait(word) {
        (try? String(contentsOfFile: run.folder("log"), encoding: .utf8))?.contains(word) == true
      }
    }
    #expect(await run.end() == 0)
  }

  @Test func `an event that waits behind the process of another is acknowledged by hand, and runs nothing`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add(
      "a", style: "oneshot",
      #"echo "$LOCWATCH_EVENT_ID" >> "$D/ran"; while ! [ -e "$D/end" ]; do sleep 0.01; done"#)
    try await run.startWithFix()
    try await run.wait("the first event") { run.lines(of: "ran").count == 1 }
    run.move(1, second: 8)
    try await run.wait("the second event") { try run.shown("a")?.waiting.count == 2 }
    let event = try #require(try run.shown("a")?.waiting.last?.event)
    #expect(try await run.command(["ack", "\(event)"]).status == 0)
    // Nor does one that runs freeze by that.
    let first = String(try #require(run.lines(of: "ran").first))
    #expect(try await run.command(["ack", first]).status == 0)
    #expect(try run.shown("a")?.state == .background)
    _ = run.folder.write("end", "")
    try await run.waitFor("a", .notRunning)
    #expect(run.lines(of: "ran").count == 1 && run.lines(of: "ran").first != "\(event)")
    #expect(await run.end() == 0)
  }

  @Test func `a region is renamed under a program that runs, and under one that waits for its event`()
    async throws
  {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "40.0,11.5,300"]).status == 0)
    try await run.add("reader", manifest: "services: [regions]\nregions: [home]")
    try await run.add(
      "sender", style: "oneshot", #"[ -e "$D/online" ] && echo "$LOCWATCH_EVENT_ID" >> "$D/sent""#,
      manifest: "services: [regions]\nregions: [home]")
    try run.start()
    for index in 0..<10 {
      run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 40.02 - 0.002 * Double(index)))
    }
    for index in 10..<30 { run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 40)) }
    try await run.wait("the failure") {
      try run.state(of: "sender") == .notRunning && run.shown("sender")?.waiting.isEmpty == false
    }
    let event = try #require(try run.shown("sender")?.waiting.first?.event)
    #expect(try await run.command(["subscribers", "launch", "reader"]).status == 0)
    try await run.wait("the reader") { run.log.contains { $0.line.contains(#""type":"launch""#) } }
    let pid = try #require(run.log.last?.pid)
    let renamed = try await run.command(["regions", "rename", "home", "flat"])
    #expect(renamed.stdout.hasPrefix("reader names it flat\nsender names it flat\n"), "\(renamed)")
    #expect(try run.shown("sender")?.waiting.first?.event == event)
    #expect(try run.shown("sender")?.subscriber.regions == ["flat"])
    #expect(try run.state(of: "reader") == .active && DaemonRun.isAlive(pid))
    _ = run.folder.write("online", "")
    run.gpsd.say(ScriptedGPSD.report(second: 600, latitude: 40))
    try await run.wait("the event") { run.lines(of: "sent").first == "\(event)" }
    #expect(await run.end() == 0)
    #expect(!(try await run.events()).contains { $0.contains(#""reason":"replaced""#) })
  }

  @Test(arguments: ["resident", "oneshot"])
  func `a program is started, told and suspended; what it acknowledged is not told again`(style: String)
    async throws
  {
    let run = try DaemonRun()
    _ = run.folder.write("go", "")
    #expect(try await run.command(["subscribers", "add", manifest(run, style: style)]).status == 0)
    try run.start(["--config", settings(run)])
    // Time is that of the fixes: who has not acknowledged after ten seconds of it is ended, and told again.
    for index in 0..<5 {
      run.gpsd.say(Self.report(index))
      try await run.wait("event \(index)") {
        try log(run).count == index + 1 && run.shown("logger")?.waiting.isEmpty == true
      }
    }
    try await run.wait("the acknowledgements") {
      try await run.command(["status", "--json"]).stdout.contains(#""outbox":0"#)
    }
    #expect(await run.end(SIGKILL) == 137)
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(5))
    try await run.wait("the event") { log(run).count == 6 }
    #expect(await run.end() == 0)
    #expect(try await changes(run) == log(run))
  }

  @Test func `what its starter did with signals changes nothing`() async throws {
    let run = try DaemonRun()
    _ = run.folder.write("go", "")
    #expect(try await run.command(["subscribers", "add", manifest(run, style: "oneshot")]).status == 0)
    let starter = """
      import os, signal, sys
      signal.signal(signal.SIGCHLD, signal.SIG_IGN)
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
      os.execv(sys.argv[1], sys.argv[1:])
      """
    try run.start(["--config", settings(run)], through: ["/usr/bin/env", "python3", "-c", starter])
    run.gpsd.say(Self.report(0))
    try await run.wait("the event") {
      try log(run).count == 1 && run.shown("logger")?.waiting.isEmpty == true
    }
    #expect(try run.shown("logger")?.lastEnd?.status == 0)
    #expect(await run.end() == 0)
    #expect(log(run).count == 1)
  }

  @Test func `many events while a program is down and the daemon is killed all arrive, in order`()
    async throws
  {
    let count = Corpus.isFull ? 1_000 : 120
    let kills = Corpus.isFull ? 20 : 6
    let run = try DaemonRun()
    var random = SeededRandom(11)
    #expect(try await run.command(["subscribers", "add", manifest(run)]).status == 0)
    try run.start(["--config", settings(run)])
    var killAt = Set<Int>()
    while killAt.count < kills { killAt.insert(Int.random(in: 1..<count, using: &random)) }
    for index in 0..<count {
      run.gpsd.say(Self.report(index))
      guard killAt.contains(index) else { continue }
      try await run.waitForFixes(index + 1)
      #expect(await run.end(SIGKILL) == 137)
      try run.start(["--config", settings(run)])
    }
    try await run.waitForFixes(count)
    #expect(log(run) == [])
    let shown = try await run.command(["subscribers", "list", "--format", "ndjson"])
    #expect(shown.stdout.contains(#""waiting":\#(count)"#), "\(shown.stdout)")

    // The program can run from now on; the daemon is killed twice more while it catches up.
    _ = run.folder.write("go", "")
    var second = 10 * count
    for restart in 0..<3 {
      let enough = restart < 2 ? (restart + 1) * count / 4 : count
      try await catchUp(run, to: enough, from: &second, latitude: 40 + 0.0054 * Double(count - 1))
      guard restart < 2 else { break }
      #expect(await run.end(SIGKILL) == 137)
      try run.start(["--config", settings(run)])
    }
    try await run.wait("the acknowledgements") {
      try await run.command(["status", "--json"]).stdout.contains(#""outbox":0"#)
    }
    #expect(await run.end() == 0)
    let told = log(run)
    var seen = Set<Int>()
    let firsts = told.filter { seen.insert($0).inserted }
    #expect(firsts == (try await changes(run)), "\(random)")
    #expect(firsts == firsts.sorted())
  }

  /// Lets time pass, which is that of the fixes, while the program does not run, until it was told so many events.
  private func catchUp(_ run: DaemonRun, to count: Int, from second: inout Int, latitude: Double) async throws
  {
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while Set(log(run)).count < count {
      try #require(ContinuousClock.now < end, "\(Set(log(run)).count) of \(count)")
      let state = try run.state(of: "logger")
      guard state == .notRunning || state == .suspended else {
        try await Task.sleep(for: .milliseconds(10))
        continue
      }
      // Where it was: no further event. One step at a time, shorter than the ten seconds that the program has once it
      // is started; the longest back-off is 300 s.
      second += 5
      let fixes = try run.storedFixes()
      run.gpsd.say(ScriptedGPSD.report(second: second, latitude: latitude))
      try await run.waitForFixes(fixes + 1)
    }
  }

  @Test func `a user opens, leaves and force-quits a program`() async throws {
    let run = try DaemonRun()
    _ = run.folder.write("go", "")
    #expect(try await run.command(["subscribers", "add", manifest(run)]).status == 0)
    #expect(try await run.command(["subscribers", "launch", "logger"]).status == 69)
    try run.start(["--config", settings(run)])
    run.gpsd.say(Self.report(0))
    try await run.wait("the event") { log(run).count == 1 }
    func state() async throws -> String {
      let shown = try await run.command(["subscribers", "show", "logger", "--format", "ndjson"])
      return shown.stdout.split(separator: ",").first { $0.hasPrefix(#""state":"#) }.map(String.init) ?? ""
    }
    try await run.wait("the suspension") { try await state() == #""state":"suspended""# }
    #expect(try await run.command(["subscribers", "launch", "logger"]).status == 0)
    #expect(try await state() == #""state":"active""#)
    #expect(try await run.command(["subscribers", "launch", "logger"]).status == 1)
    #expect(try await run.command(["subscribers", "background", "logger"]).status == 0)
    #expect(try await state() == #""state":"background""#)
    #expect(try await run.command(["subscribers", "quit", "logger"]).status == 0)
    #expect(try await state() == #""state":"notRunning""#)
    #expect(try await run.command(["subscribers", "quit", "loger"]).status == 1)
    #expect(try await run.command(["subscribers", "remove", "logger"]).status == 0)
    #expect(await run.end() == 0)
    #expect(try await run.command(["subscribers", "list", "--format", "ndjson"]).stdout == "")
  }

  @Test func `an event is acknowledged by hand, with a daemon and without`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["subscribers", "add", manifest(run)]).status == 0)
    try run.start(["--config", settings(run)])
    for index in 0..<2 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(2)
    let ids = try await changes(run)
    #expect(ids.count == 2)
    #expect(try await run.command(["ack", "\(ids[0])"]).status == 0)
    #expect(try await run.command(["ack", "\(ids[0])"]).status == 1)
    #expect(await run.end() == 0)
    #expect(try await run.command(["ack", "\(ids[1])"]).status == 0)
    try run.start(["--config", settings(run)])
    #expect(try await run.command(["status", "--json"]).stdout.contains(#""outbox":0"#))
    #expect(await run.end() == 0)
  }

  @Test(arguments: ["ack", "ack after a boot", "quit"])
  func `what was done by hand without a daemon starts nothing at the next start`(verb: String) async throws {
    let run = try DaemonRun()
    _ = run.folder.write("mute", "")
    try await run.add("a")
    try await run.startWithFix()
    try await run.wait("the event") { run.lines(of: "log").contains { $0.contains(#""id":"#) } }
    let event = try #require(try run.shown("a")?.waiting.first?.event)
    await run.end(SIGKILL)
    let before = try await run.decisions("a").count
    if verb.hasSuffix("boot") { try StateDatabase.open(path: run.state).setMeta([(.boot, "another")]) }
    let words = verb == "quit" ? ["subscribers", "quit", "a"] : ["ack", "\(event)"]
    #expect(try await run.command(words).status == 0)
    try run.start(run.settings())
    try await run.waitFor("a", .notRunning)
    let after = try await run.decisions("a").dropFirst(before)
    #expect(!after.contains { $0.contains("launch") }, "\(after)")
    #expect(run.lines(of: "log").count { $0.contains(#""id":\#(event)"#) } == 1)
    #expect(await run.end() == 0)
  }
}

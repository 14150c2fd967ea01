import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Suspension, wake and relaunch of real programs by the daemon.
@Suite struct SuspensionTests {
  @Test(arguments: DaemonRun.Rights.here)
  func `the processor time of a suspended program stands still, with that of its children's children`(
    rights: DaemonRun.Rights
  ) async throws {
    let run = try DaemonRun(rights)
    try await run.add(
      "busy",
      #"""
      sh -c 'sh -c "echo \$\$ >> $0/burners; while :; do :; done" "$0" & echo $$ >> "$0/burners"; while :; do :; done' "$D" &
      echo $$ >> "$D/burners"
      while [ "$(wc -l < "$D/burners")" -lt 3 ]; do :; done
      serve
      """#)
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.waitFor("busy", .suspended)
    let pids = try await run.waitForFile("burners").split(separator: "\n").compactMap { Int32($0) }
    #expect(pids.count == 3)
    // The engine has ordered it; the kernel takes a moment.
    var before: [Double?] = []
    try await run.wait("a rest") {
      before = pids.map { ProcessStatus(of: $0)?.coreSeconds }
      burn(0.3)
      return before == pids.map { ProcessStatus(of: $0)?.coreSeconds }
    }
    #expect(!before.contains(nil))
    burn(0.3)
    #expect(before == pids.map { ProcessStatus(of: $0)?.coreSeconds })
    // Woken they all go on.
    run.move(1, second: 10)
    try await run.wait("their going on") {
      zip(before, pids.map { ProcessStatus(of: $0)?.coreSeconds }).allSatisfy { ($0 ?? 0) < ($1 ?? 0) }
        || run.told.count == 2
    }
    try await run.wait("the second event") { run.told.count == 2 }
    let launches = run.log.filter { $0.line.contains(#""type":"launch""#) }
    #expect(launches.count == 2)
    #expect(launches.last?.line.contains(#""slept_s":10.000"#) == true, "\(launches)")
    #expect(Set(run.log.map(\.pid)).count == 1)
    #expect(await run.end() == 0)
    // They were killed; the kernel takes a moment.
    try await run.wait("their end") { !pids.contains(where: DaemonRun.isAlive) }
  }

  @Test(arguments: [("/nowhere/logger", 66), ("/etc/passwd", 77), ("no-such-logger", 66), ("./logger", 66)])
  func `a launch of a program that can't be started says so`(program: String, status: Int32) async throws {
    let run = try DaemonRun.started()
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    let manifest = run.folder.write("a.yaml", "name: a\ncommand: [\(program)]\nservices: [visits]\n")
    #expect(try await run.command(["subscribers", "add", manifest]).status == 0)
    for verb in ["launch", "foreground"] {
      let told = try await run.command(["subscribers", verb, "a"])
      #expect(told.status == status && told.stderr.contains(program), "\(told)")
    }
    #expect(await run.end() == 0)
  }

  @Test func `a launch in the moment in which the program ends by itself starts it again`() async throws {
    let run = try DaemonRun.started()
    run.move(0, second: 0)
    try await run.waitForFixes(1)
    try await run.add(
      "a", #"read -r launch; echo "$$ $launch" >> "$D/log"; while ! [ -e "$D/end" ]; do sleep 0.01; done"#,
      manifest: "services: [visits]")
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    try await run.wait("its start") { run.log.count == 1 }
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    let first = try #require(run.log.first?.pid)
    // The daemon finds its end and the launch together.
    run.process?.signal(SIGSTOP)
    let end = run.folder.write("end", "")
    try await run.wait("its end") { !DaemonRun.isAlive(first) }
    try FileManager.default.removeItem(atPath: end)
    let socket = try StreamSocket(path: run.state + ".control")
    socket.send((#"{"do":"subscriber","verb":"launch","name":"a"}"# + "\n").utf8)
    run.process?.signal(SIGCONT)
    let answer = String(decoding: socket.receive(seconds: TestPatience.seconds) ?? [], as: UTF8.self)
    #expect(answer.contains(#""ok":true"#), "\(answer)")
    try await run.wait("its second start") { run.log.count == 2 }
    try await run.wait("its end in the records") {
      try await run.events().contains { $0.contains(#""type":"program.end""#) }
    }
    try await run.waitFor("a", .active)
    let second = try #require(run.log.last?.pid)
    #expect(DaemonRun.isAlive(second))
    #expect(try await run.command(["subscribers", "quit", "a"]).status == 0)
    try await run.wait("the end of the second") { !DaemonRun.isAlive(second) }
    #expect(await run.end() == 0)
  }

  /// Takes so many seconds of processor time: what else could have taken some has had the chance.
  private func burn(_ seconds: Double) {
    let end = Double(clock()) + seconds * Double(CLOCKS_PER_SEC)
    while Double(clock()) < end {}
  }

  @Test(arguments: DaemonRun.Rights.here)
  func `killed by the kernel it is relaunched and handed its event, and that is no force-quit`(
    rights: DaemonRun.Rights
  ) async throws {
    let run = try DaemonRun(rights)
    try await run.add("logger")
    try run.start(run.settings())
    run.move(0, second: 0)
    try await run.waitFor("logger", .suspended)
    let first = try #require(run.log.last?.pid)
    kill(first, SIGKILL)
    try await run.waitFor("logger", .notRunning)
    #expect(try run.shown("logger")?.wasForceQuit == false)
    run.move(1, second: 10)
    try await run.waitFor("logger", .suspended)
    #expect(run.told.count == 2)
    #expect(run.log.last?.pid != first)

    // Killed before it has acknowledged, it is handed the same event, with the same id.
    _ = run.folder.write("mute", "")
    run.move(2, second: 20)
    try await run.wait("the third event") { run.told.count == 3 }
    let third = try #require(run.log.last?.pid)
    // In this order: the program looks for the file after it has written to the log.
    kill(third, SIGKILL)
    try await run.waitFor("logger", .notRunning)
    unsafe unlink(run.folder("mute"))
    run.move(2, second: 22)
    try await run.wait("it again") { run.told.count == 4 }
    try await run.waitFor("logger", .suspended)
    #expect(run.told[2] == run.told[3])
    #expect(await run.end() == 0)
    let decisions = try await run.decisions("logger")
    #expect(decisions.filter { $0.hasPrefix("relaunch") }.count == 3, "\(decisions)")
    #expect(!decisions.contains { $0.hasPrefix("terminate") })
  }

  @Test(arguments: [false, true])
  func `after a force-quit location services relaunch it, unless the setting says no`(isBlocked: Bool)
    async throws
  {
    let run = try DaemonRun()
    try await run.add("logger")
    // What relaunches nobody relaunches nobody after a force-quit either.
    try await run.add("follower", manifest: "services: [standard]\nmodes: [location]")
    try run.start(run.settings(isBlocked ? "policy: {force_quit_blocks_location: true}\n" : ""))
    run.move(0, second: 0)
    try await run.waitFor("logger", .suspended)
    for name in ["logger", "follower"] {
      if name == "follower" { #expect(try await run.command(["subscribers", "launch", name]).status == 0) }
      #expect(try await run.command(["subscribers", "quit", name]).status == 0)
      #expect(try run.state(of: name) == .notRunning)
      #expect(try run.shown(name)?.wasForceQuit == true)
    }
    let before = run.told.count
    run.move(1, second: 10)
    if isBlocked {
      try await run.waitForFixes(2)
      #expect(try run.state(of: "logger") == .notRunning)
      #expect(try await run.command(["subscribers", "launch", "logger"]).status == 0)
    }
    try await run.wait("the event") { run.told.count > before }
    #expect(try run.state(of: "follower") == .notRunning)
    #expect(await run.end() == 0)
    let relaunches = try await run.decisions("logger").filter { $0.hasPrefix("relaunch") }
    #expect(relaunches.count == (isBlocked ? 1 : 2), "\(relaunches)")
    #expect(
      try await run.decisions("follower").allSatisfy { !$0.hasPrefix("relaunch") && !$0.hasPrefix("wake") })
  }
}

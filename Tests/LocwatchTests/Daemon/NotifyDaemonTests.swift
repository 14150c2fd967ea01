import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Notifications of real programs, shown by a command, through a kill and from the terminal.
@Suite struct NotifyDaemonTests {
  private static func start(_ run: DaemonRun) throws {
    let hook = "notifications: {notify_hook: [\(PackageRoot.file("Examples/notify.py"))]}\n"
    try run.start(
      run.settings(hook), through: ["/usr/bin/env", "NOTIFY_LOG=\(run.folder("shown"))"])
  }

  private static func shown(_ run: DaemonRun) -> [Substring] {
    run.lines(of: "shown")
  }

  private static func scheduled(_ run: DaemonRun) throws -> [String] {
    try run.withEngine { $0.notifications(of: "a").map(\.id) } ?? []
  }

  /// Waits until it is stored that nothing is on its way to the user: else the next daemon shows it again.
  private static func waitUntilStored(_ run: DaemonRun) async throws {
    try await run.wait("that it was shown") {
      try run.withEngine { $0.state.policy.sessions.allSatisfy { $0.modes.notifications?.showing == nil } }
        ?? false
    }
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
  func `D3 D5 what a program schedules is shown by the hook, and survives a kill of the daemon`() async throws
  {
    let run = try DaemonRun()
    try await run.add(
      "a",
      // With a task it is not suspended before it has read the answers.
      #"echo '{"begin_task":"wait"}'"# + "\n"
        + #"echo '{"notify":{"id":"tea","title":"Tea","body":"is ready","after_s":30}}'"# + "\n"
        + #"echo '{"notify":{"id":"late","title":"Late","after_s":300,"badge":3}}'"# + "\n"
        + #"echo '{"notifications":true}'"# + "\n"
        + #"echo '{"cancel_notification":"coffee"}'"# + "\nserve")
    try Self.start(run)
    run.move(0, second: 0)
    try await run.wait("the schedule") { try Self.scheduled(run) == ["tea", "late"] }
    try await run.wait("the answers") {
      let lines = run.log.map(\.line)
      return lines.contains(#"{"notification":"tea"}"#)
        && lines.contains {
          $0.contains(#""type":"notifications","notifications":[{"id":"tea","title":"Tea""#)
            && $0.contains(#""badge":3}]"#)
        }
        && lines.contains {
          $0.contains(#""type":"refused","what":"cancel_notification","reason":"unknown_notification""#)
        }
    }
    #expect(Self.shown(run).isEmpty)
    run.move(0, second: 40)
    try await run.wait("the first") { Self.shown(run) == ["a: Tea: is ready"] }
    try await Self.waitUntilStored(run)
    await run.end(SIGKILL)
    try Self.start(run)
    run.move(0, second: 400)
    try await run.wait("the second") { Self.shown(run) == ["a: Tea: is ready", "a: Late: "] }
    #expect(try Self.scheduled(run) == [])
    let decisions = try await run.decisions("a")
    #expect(decisions.filter { $0 == "notify D3 due" }.count == 2)
    #expect(await run.end() == 0)
  }

  /// Schedules a notification without a daemon.
  private static func add(_ run: DaemonRun, _ id: String, _ when: [String]) async throws {
    try await run.add("a")
    let added = try await run.command(["notifications", "add", "a", "--title", "T", "--id", id] + when)
    #expect(added.status == 0 && !added.stderr.contains("is past"), "\(added.stderr)")
  }

  @Test(arguments: [
    ["--at", "2025-05-01T05:30:00Z"], ["--wall", "2025-05-01T07:30", "--zone", "Europe/Berlin"],
  ])
  func `D1 a time that is past is told`(when: [String]) async throws {
    let run = try DaemonRun()
    try await run.add("a")
    let added = try await run.command(["notifications", "add", "a", "--title", "T"] + when)
    #expect(added.status == 0 && added.stderr.hasSuffix("is past: it is due now\n"), "\(added.stderr)")
    #expect(added.stderr.contains("2025-05-01"), "\(added.stderr)")
  }

  @Test func `D1 a time on the wall that is scheduled without a daemon is of the machine's zone`()
    async throws
  {
    let run = try DaemonRun()
    try await Self.add(run, "up", ["--wall", "2030-05-01T07:30"])
    try run.start(
      run.settings("notifications: {notify_hook: [/bin/true]}\n"), isSimulated: false,
      through: ["/usr/bin/env", "TZ=CET-1"])
    try await run.wait("the schedule") { try Self.scheduled(run) == ["up"] }
    let list = try await run.command(["notifications", "list", "a", "--format", "ndjson"])
    #expect(list.stdout.contains("2030-05-01T06:30:00"), "\(list.stdout)")
    #expect(await run.end() == 0)
  }

  @Test func `a hook that is not there is told at the start and at a reload`() async throws {
    let run = try DaemonRun()
    let settings = run.settings("notifications: {notify_hook: [/nowhere/show]}\n")
    try run.start(settings)
    func said(_ words: String) async throws {
      try await run.wait(words) { run.process?.stderr.contains(words) ?? false }
    }
    try await said("notifications.notify_hook: /nowhere/show: no such program; check its path")
    _ = run.settings("sampling: {receiver_hook: [nowhere-to-switch]}\n")
    #expect(try run.ask(#"{"do":"reload"}"#).contains(#""ok":true"#))
    try await said("sampling.receiver_hook: no program \"nowhere-to-switch\" in PATH")
    #expect(await run.end() == 0)
  }

  @Test func `D1 a time on the wall follows the machine's zone while the daemon runs`() async throws {
    let run = try DaemonRun()
    try await Self.add(run, "up", ["--wall", "2030-05-01T07:30"])
    let zone = run.folder.write("zone", "TZif\nUTC0\n")
    try run.start(
      run.settings("notifications: {notify_hook: [/bin/true]}\n"), isSimulated: false,
      through: ["/usr/bin/env", "TZ=:\(zone)"])
    func isDue(_ text: String) throws -> Bool {
      try run.withEngine { $0.notifications(of: "a").first?.time == UTCTime(rfc3339: text) } ?? false
    }
    try await run.wait("the schedule") { try isDue("2030-05-01T07:30:00Z") }
    _ = run.folder.write("zone", "TZif\nCET-1\n")
    try await run.wait("the other zone") { try isDue("2030-05-01T06:30:00Z") }
    #expect(await run.end() == 0)
  }

  @Test func `D1 seconds that are scheduled without a daemon count from the command`() async throws {
    let run = try DaemonRun()
    let before = try #require(SystemClock().read().utc)
    try await Self.add(run, "tea", ["--after", "600"])
    let after = try #require(SystemClock().read().utc)
    let requests = try #require(try StateDatabase.openToRead(path: run.state)).requests()
    guard case .subscriber("a", .mode(.notify(let notification))) = try #require(requests.first).event,
      case .at(let time) = notification.when
    else {
      Issue.record("\(requests)")
      return
    }
    #expect(before.advanced(bySeconds: 600) <= time && time <= after.advanced(bySeconds: 600))
  }

  @Test func `what is cancelled, replaced or denied before the first daemon starts is never shown`()
    async throws
  {
    let run = try DaemonRun()
    for name in ["a", "b", "c"] { try await run.add(name) }
    let add = ["notifications", "add"]
    for command in [
      add + ["a", "--title", "cancelled", "--id", "tea", "--now"], ["notifications", "cancel", "a", "tea"],
      add + ["a", "--title", "replaced", "--id", "bus", "--now"],
      add + ["a", "--title", "later", "--id", "bus", "--after", "3600"],
      add + ["b", "--title", "denied", "--now"], ["push", "b", "--data", #"{"alert":"denied"}"#],
      ["subscribers", "notifications", "b", "denied"], add + ["c", "--title", "shown", "--now"],
    ] { #expect(try await run.command(command).status == 0, "\(command)") }
    let hook = run.folder.write("hook", "#!/bin/sh\ncat >> \(run.folder("shown"))\n")
    #expect(unsafe chmod(hook, 0o755) == 0)
    for _ in 1...2 {
      try run.start(run.settings("notifications: {notify_hook: [\(hook)]}\n"), isSimulated: false)
      try await run.wait("the one that is left") { Self.shown(run).contains { $0.contains("\"shown\"") } }
      #expect(await run.end() == 0)
    }
    #expect(Self.shown(run).count == 1, "\(Self.shown(run))")
    #expect(try Self.scheduled(run) == ["bus"])
    #expect(try await !run.decisions("a").contains { $0.contains("D4") })
  }

  @Test func `B9 what is scheduled without a daemon is refused in the log where nothing shows it`()
    async throws
  {
    let run = try DaemonRun()
    try await Self.add(run, "tea", ["--now"])
    try run.start(
      isSimulated: false,
      through: ["/usr/bin/env", "-u", "DBUS_SESSION_BUS_ADDRESS", "-u", "XDG_RUNTIME_DIR"])
    try await run.wait("the log") {
      run.process?.stderr.contains(
        "a: notification \"tea\" asked for before the daemon started is refused by rule B9") == true
    }
    try await run.wait("the refusal") { try await run.decisions("a").contains("refuse B9 no_notifier") }
    #expect(await run.end() == 0)
  }

  @Test func `D8 a sound that is not there is the usual one, and the log says so`() async throws {
    let run = try DaemonRun()
    try await run.add(
      "a", #"echo '{"notify":{"id":"tea","title":"Tea","sound":"nope.wav","now":true}}'"# + "\nserve")
    let hook = run.folder.write("hook", "#!/bin/sh\ncat >> '\(run.folder("shown"))'\n")
    try #require(unsafe chmod(hook, 0o700) == 0)
    try run.start(run.settings("notifications: {notify_hook: [\(hook)]}\n"))
    run.move(0, second: 0)
    try await run.wait("the notification") {
      Self.shown(run).contains { $0.contains(#""title":"Tea""#) && $0.contains(#""sound":"default""#) }
    }
    try await run.wait("the log") {
      run.process?.stderr.contains(#"a: its notification sounds as usual; "nope.wav" is no WAV"#) == true
    }
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: hasPython, "no Python here"))
  func `D5 one that nobody could show is shown by the next daemon`() async throws {
    let run = try DaemonRun()
    try await run.add("a")
    let hook = run.folder("hook.py")
    let settings = run.settings("notifications: {notify_hook: [\(hook)]}\n")
    let starter = ["/usr/bin/env", "NOTIFY_LOG=\(run.folder("shown"))"]
    try run.start(settings, through: starter)
    run.move(0, second: 0)
    try await run.waitFor("a", .suspended)
    let add = ["notifications", "add", "a", "--title", "Tea", "--id", "tea", "--now"]
    #expect(try await run.command(add).status == 0)
    try await run.wait("the complaint") { run.process?.stderr.contains("hook.py can't be started") == true }
    await run.end(SIGKILL)
    try FileManager.default.copyItem(atPath: PackageRoot.file("Examples/notify.py"), toPath: hook)
    try run.start(settings, through: starter)
    run.move(0, second: 10)
    try await run.waitForFixes(2)
    try await run.wait("the notification") { Self.shown(run) == ["a: Tea: "] }
    try await Self.waitUntilStored(run)
    #expect(await run.end() == 0)
    try run.start(settings, through: starter)
    run.move(0, second: 20)
    try await run.waitForFixes(3)
    #expect(Self.shown(run) == ["a: Tea: "])
    #expect(await run.end() == 0)
  }

  @Test func `D5 one that the command could not show is shown by the same daemon`() async throws {
    let run = try DaemonRun()
    try await run.add("a", #"echo '{"notify":{"id":"tea","title":"Tea","now":true}}'"# + "\nserve")
    let hook = run.folder.write(
      "hook", "#!/bin/sh\ntest -e '\(run.folder("there"))' || exit 69\ncat >> '\(run.folder("shown"))'\n")
    try #require(unsafe chmod(hook, 0o700) == 0)
    try run.start(run.settings("notifications: {notify_hook: [\(hook)]}\n"))
    run.move(0, second: 0)
    try await run.wait("the log") {
      run.process?.stderr.contains("hook ended with status 69; what was not shown is tried again") == true
    }
    #expect(Self.shown(run).isEmpty)
    _ = run.folder.write("there", "")
    try await run.wait("the notification") { Self.shown(run).count == 1 }
    try await Self.waitUntilStored(run)
    #expect(Self.shown(run).count == 1)
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python here"))
  func `D4 D6 D8 they are listed, added, cancelled and opened from the terminal`() async throws {
    let run = try DaemonRun()
    try await run.add("a")
    try Self.start(run)
    run.move(0, second: 0)
    try await run.waitFor("a", .suspended)
    let add = ["notifications", "add", "a", "--title", "Tea", "--id", "tea"]
    #expect(try await run.command(add + ["--after", "600"]).stderr.contains("scheduled tea"))
    let list = try await run.command(["notifications", "list", "a"])
    #expect(list.stdout.contains("tea"), "\(list.stdout)")
    #expect(try await run.command(["regions", "add", "home", "--circle", "41,11.5,300"]).status == 0)
    for way in ["enter", "exit"] {
      let atHome = [
        "notifications", "add", "a", "--title", "T", "--id", way, "--region", "home", "--on", way,
      ]
      #expect(try await run.command(atHome).status == 0)
      let lists = try await run.command(["notifications", "list", "a", "--format", "text"])
      #expect(lists.stdout.contains("\(way) region home"), "\(lists.stdout)")
      #expect(try await run.command(["notifications", "cancel", "a", way]).status == 0)
    }
    let rule = ["on", "exit", "gate", "--circle", "41,11.5,300", "--state", run.state, "--", "true"]
    #expect(try await Binary.run(rule).status == 0)
    for (region, change) in [
      ("home", ["regions", "rename", "home", "flat"]), ("flat", ["regions", "remove", "flat"]),
      ("gate", ["on", "remove", "exit-gate"]),
    ] {
      let away = [
        "notifications", "add", "a", "--title", "T", "--id", "away", "--region", region, "--on", "exit",
      ]
      #expect(try await run.command(away).status == 0)
      let changed = try await run.command(change)
      let left = "warning: notification away of a waits for region \"\(region)\", which is not there"
      #expect(changed.status == 0 && changed.stderr.contains(left), "\(changed)")
      #expect(try await run.command(["notifications", "cancel", "a", "away"]).status == 0)
    }
    #expect(try await run.command(["notifications", "cancel", "a", "tea"]).status == 0)
    let again = try await run.command(["notifications", "cancel", "a", "tea"])
    #expect(again.status == 1)
    #expect(
      again.stderr.contains("no such notification; locwatch notifications list lists those there are\n"),
      "\(again.stderr)")
    let elsewhere = try await run.command(
      ["notifications", "add", "a", "--title", "T", "--region", "nowhere", "--on", "exit"])
    #expect(
      elsewhere.stderr.contains("no such region; locwatch regions list lists those there are\n"),
      "\(elsewhere.stderr)")
    #expect(try await run.command(add + ["--now"]).status == 0)
    try await run.wait("the notification") { Self.shown(run) == ["a: Tea: "] }
    #expect(try await run.command(["notifications", "open", "a", "tea"]).status == 0)
    try await run.waitFor("a", .active)
    try await run.wait("the launch") {
      run.log.contains {
        $0.line.contains(#""kind":"notification""#) && $0.line.contains(#""notification":"tea""#)
      }
    }
    #expect(try await run.command(["notifications", "deny", "a"]).status == 0)
    let denied = try await run.command(add + ["--after", "600"])
    #expect(denied.status == 1)
    #expect(denied.stderr.contains("D8"), "\(denied.stderr)")
    #expect(denied.stderr.hasSuffix("; locwatch notifications allow a\n"), "\(denied.stderr)")
    #expect(await run.end() == 0)
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// `locwatch low-power`, with a daemon and without.
@Suite struct LowPowerTests {
  /// A daemon whose receiver is off at once when it is released.
  private func prepared(_ sampling: String, services: String) async throws -> (
    run: DaemonRun, options: [String]
  ) {
    let run = try DaemonRun()
    try await run.add("program", manifest: "services: [\(services)]")
    let settings = run.folder.write(
      "c.yaml",
      "sampling: {mode: adaptive, power_off_s: 0, \(sampling)}\nsignificant_change: {window_s: 0}\n")
    return (run, ["--config", settings])
  }

  /// Says it, and what the answer was.
  @discardableResult
  private func lowPower(_ run: DaemonRun, _ arguments: [String]) async throws -> String {
    let result = try await run.command(["low-power"] + arguments)
    #expect(result.status == 0, "\(result.stderr)")
    return result.stdout
  }

  private func status(_ run: DaemonRun) async throws -> String {
    try await run.command(["status", "--json"]).stdout
  }

  /// What the journal has of low-power mode.
  private func said(_ run: DaemonRun) throws -> [Bool] {
    try run.journaled().compactMap { stamped in
      if case .machine(.lowPower(let isOn)) = stamped.event { isOn } else { nil }
    }
  }

  /// Seconds from the last fix to the next one that is asked for, and why.
  private func wait(_ run: DaemonRun) throws -> (seconds: Double, reason: ReceiverOrder.Reason?) {
    let found = try run.withEngine { ($0.tally.last?.instant, $0.receiver) }
    let (fix, receiver) = try #require(found)
    return (try #require(fix).seconds(to: try #require(receiver.dueAt)), receiver.reason)
  }

  @Test func `the next fix waits for rest_s while it is on, through a kill, and no longer when it is off`()
    async throws
  {
    let (run, options) = try await prepared("rest_s: 900", services: "significant-change")
    let recording = run.folder("a.journal")
    try run.start(options + ["--record", recording], isSimulated: false)
    run.say(48)
    try await run.waitForRelease()
    try await run.wait("the release") { try run.switches().last?.event == .released }
    try await run.waitFor("program", .suspended)
    let moving = try wait(run)
    #expect(moving.seconds < 600 && moving.reason == .moved, "\(moving)")
    #expect(
      try await lowPower(run, []) == #"{"v":1,"low_power":false,"sampling":"adaptive","daemon":true}"# + "\n")

    #expect(
      try await lowPower(run, ["on"]) == #"{"v":1,"low_power":true,"sampling":"adaptive","daemon":true}"#
        + "\n"
    )
    let saving = try wait(run)
    #expect(saving.seconds > 800 && saving.seconds <= 900 && saving.reason == .lowPower, "\(saving)")
    try await lowPower(run, ["on"])
    #expect(try said(run) == [true])
    #expect(try await lowPower(run, ["--format", "text"]) == "low-power mode is on\n")
    let shown = try await run.command(["status"]).stdout
    #expect(shown.contains("low power   on\n"), "\(shown)")
    #expect(shown.contains(": low-power mode\n"), "\(shown)")

    #expect(await run.end(SIGKILL) == 137)
    let told = try await run.events()
    #expect(try await DaemonRun.replay(recording) == told)
    try run.start(options, isSimulated: false, expectsConnection: false)
    try await run.wait("the daemon") { try await status(run).contains(#""daemon":{"#) }
    #expect(try await status(run).contains(#""reason":"low_power""#))
    #expect(try wait(run) == saving)

    #expect(try await lowPower(run, ["off"]).contains(#""low_power":false"#))
    #expect(try wait(run) == moving)
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    #expect(try await run.replayJournal() == run.events())
  }

  @Test func `on the move it looks no more often than at rest, and what happens is told`() async throws {
    let (run, options) = try await prepared("rest_s: 30, latency_s: 1", services: "regions")
    #expect(try await run.command(["regions", "add", "home", "--circle", "48,11.5,150"]).status == 0)
    try await lowPower(run, ["on"])
    try run.start(options, isSimulated: false)
    for ago in stride(from: 4.0, through: 0, by: -1) { run.say(48, ago: ago) }
    try await run.waitForRelease()
    try await run.wait("the release") { try run.switches().last?.event == .released }
    let fix: EngineInstant = try #require(try run.withEngine { $0.tally.last?.instant } ?? nil)
    #expect(try wait(run).reason == .lowPower)
    try await run.waitForSearch()
    try await run.wait("the opening") { try run.switches().last?.event == .opened }
    // By the way out at 40 m/s it would have been less than 5 s; the search begins as early as the first one took.
    let seconds = fix.seconds(to: try #require(try run.switches().last).at)
    #expect(seconds > 5, "\(seconds)")
    for ago in stride(from: 4.0, through: 0, by: -1) { run.say(48.01, ago: ago) }
    try await run.wait("the exit") {
      try await run.events().contains { $0.contains(#""type":"region.exit""#) }
    }
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    let told = try await run.events()
    #expect(told.contains { $0.contains(#""region":"home","state":"inside""#) }, "\(told)")
    #expect(try await run.replayJournal() == told)
  }

  @Test func `it holds through an end and a boot, and what is said meanwhile counts from the next start`()
    async throws
  {
    let run = try DaemonRun()
    let none = try await run.command(["low-power", "on"])
    #expect(none.status == 1 && none.stderr.contains("no state file yet"), "\(none)")
    try run.start(isSimulated: false)
    run.say(48)
    try await run.wait("the fix") { try run.storedFixes() == 1 }
    try await lowPower(run, ["on"])
    #expect(
      try await lowPower(run, ["--format", "text"])
        == "low-power mode is on, without effect: the receiver is on all the time\n")
    #expect(await run.end() == 0)
    // Another boot, as far as the state tells.
    try StateDatabase.open(path: run.state).setMeta([(.boot, "another")])
    try run.start(isSimulated: false)
    try await run.wait("the boot") { try run.journaled().contains { $0.event == .machine(.reboot) } }
    #expect(try await status(run).contains(#""low_power":true"#))
    #expect(await run.end() == 0)

    for mode in ["on", "off", "on", "off", "off"] { try await lowPower(run, [mode]) }
    #expect(
      try await lowPower(run, ["--format", "text"])
        == "low-power mode is off; no daemon runs, the next one goes on so\n")
    #expect(try await status(run).contains(#""low_power":false"#))
    try run.start(isSimulated: false)
    #expect(try await lowPower(run, []).contains(#""low_power":false"#))
    #expect(try said(run) == [true, false])
    #expect(await run.end() == 0)
  }

  @Test func `what makes no sense is refused, and what comes too early too`() async throws {
    let run = try DaemonRun()
    try await run.add("a")
    try run.start()
    #expect(try await run.command(["low-power", "maybe"]).status == 64)
    #expect(try await run.command(["low-power", "--json", "--format", "text"]).status == 64)
    let client = try #require(try ControlClient.connect(state: run.state))
    #expect(throws: Failure(.usage, what: "\"on\" is true or false")) {
      try client.ask("low-power", ["on": .string("yes")])
    }
    // Where time is that of the fixes.
    for words in [["low-power", "on"], ["subscribers", "launch", "a"], ["subscribers", "quit", "a"]] {
      let early = try await run.command(words)
      #expect(early.status == 75 && early.stderr.contains("before the first fix"), "\(words): \(early)")
    }
    #expect(try await run.command(["subscribers", "quit", "b"]).status == 1)
    run.gpsd.say(ScriptedGPSD.report(second: 0, latitude: 48))
    try await run.waitForFixes(1)
    #expect(try said(run) == [])
    try await lowPower(run, ["on"])
    #expect(try said(run) == [true])
    #expect(await run.end() == 0)
  }

  @Test func `the script in Examples follows the power profile`() async throws {
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48,11.5,150"]).status == 0)
    // Stands in for what the bus tells: a line at the start, and one for each change.
    let told = ["balanced", "power-saver", "performance"]
    let bin = run.folder("bin")
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: false)
    let programs = [
      ("powerprofilesctl", #"cat "$0.profile""#),
      (
        "gdbus",
        told.map { profile in
          #"echo \#(profile) > "${0%/*}/powerprofilesctl.profile"; echo line; "#
            + #"until [ -e "${0%/*}/\#(profile)" ]; do sleep 0.01; done"#
        }.joined(separator: "\n")
      ),
      (
        "locwatch",
        #"'\#(Binary.path)' "$@"; read profile < "${0%/*}/powerprofilesctl.profile"; "#
          + #"echo "$profile $2" >> "${0%/*}/said"; : > "${0%/*}/$profile""#
      ),
    ]
    for (name, script) in programs {
      let path = run.folder.write("bin/\(name)", "#!/bin/sh\n\(script)\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let script = try await Binary.run(
      ["PATH=\(bin):\(path)", PackageRoot.file("Examples/power-profile.sh"), "--state", run.state],
      executable: "/usr/bin/env")
    #expect(script.status == 0 && script.stdout.isEmpty, "\(script)")
    #expect(
      KernelFile.read(run.folder("bin/said")) == "balanced off\npower-saver on\nperformance off\n")
    #expect(try await lowPower(run, []).contains(#""low_power":false"#))
  }

  @Test(arguments: [("battery", "true"), ("mains", "false")])
  func `the units in Examples say what they are for`(unit: String, expected: String) async throws {
    let text = try #require(KernelFile.read(PackageRoot.file("Examples/systemd/locwatch-\(unit).service")))
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ExecStart=") })
    var words = line.split(separator: " ").dropFirst().map(String.init)
    #expect(words.suffix(2) == ["--state", "/var/lib/locwatch/locwatch.db"])
    words.removeLast(2)
    let run = try DaemonRun()
    #expect(try await run.command(["regions", "add", "home", "--circle", "48,11.5,150"]).status == 0)
    try await lowPower(run, [expected == "true" ? "off" : "on"])
    let said = try await run.command(words)
    #expect(said.status == 0 && said.stdout.contains(#""low_power":\#(expected)"#), "\(said)")
    let rule = try #require(KernelFile.read(PackageRoot.file("Examples/udev/70-locwatch.rules")))
    #expect(rule.contains(" locwatch-\(unit).service"))
  }
}

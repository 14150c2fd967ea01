import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// `locwatch run --sampling adaptive`: gpsd is let go of, and asked again when it has to be.
@Suite struct AdaptiveTests {
  /// A daemon whose receiver is off at once when it is released.
  private func prepared(_ sampling: String, regions: [String]) async throws -> (
    run: DaemonRun, options: [String]
  ) {
    let run = try DaemonRun()
    for (number, region) in regions.enumerated() {
      let added = try await run.command(
        ["regions", "add", "r\(number)"] + region.split(separator: " ").map(String.init))
      try #require(added.status == 0, "\(added.stderr)")
    }
    try await run.add("program", manifest: "services: [regions]")
    let settings = run.folder.write("c.yaml", "sampling: {mode: adaptive, power_off_s: 0\(sampling)}\n")
    return (run, ["--config", settings])
  }

  private func status(_ run: DaemonRun) async throws -> String {
    try await run.command(["status", "--json"]).stdout
  }

  @Test func `gpsd is let go of and asked again when a region may be visited, and the visit is told`()
    async throws
  {
    // 1,112 m north, met after 26 s at 40 m/s: time enough to ask for the status while it is off.
    let (run, options) = try await prepared(
      ", latency_s: 2", regions: ["--circle 48.01,11.5,150"])
    let recording = run.folder("a.journal")
    try run.start(options + ["--record", recording], isSimulated: false)
    run.say(48)
    try await run.waitForRelease()
    try await run.wait("the release") { try run.switches().last?.event == .released }
    let off = try await status(run)
    #expect(off.contains(#""stale":false"#), "\(off)")
    #expect(
      off.contains(#""receiver":{"sampling":"adaptive","state":"off","reason":"enter","due":""#), "\(off)")
    let fix: Fix = try #require(try run.withEngine { $0.tally.last } ?? nil)
    try await run.waitForSearch()
    try await run.wait("the opening") { try run.switches().last?.event == .opened }
    let opened = try #require(try run.switches().last)
    // (962 m - 3 sigma) / 40 m/s + 2 s, less the evidence and the time to a fix, which a busy machine may make long.
    let seconds = fix.instant.seconds(to: opened.at)
    #expect(seconds > 10, "\(seconds)")
    for ago in stride(from: 4.0, through: 0, by: -1) { run.say(48.01, ago: ago) }
    try await run.wait("the enter") {
      try await run.events().contains { $0.contains(#""type":"region.enter""#) }
    }
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    let told = try await run.events()
    // Nothing is missed at rest. Once it is there the receiver stays on, and its silence is told after five seconds.
    let before = told.prefix { !$0.contains(#""type":"region.enter""#) }
    #expect(!before.contains { $0.contains(#""type":"stale""#) || $0.contains(#""type":"gap""#) }, "\(told)")
    #expect(told.count { $0.contains(#""type":"source""#) } == 1)
    #expect(try await DaemonRun.replay(recording) == told)
    #expect(try await run.replayJournal() == told)
  }

  @Test
  func `killed while the receiver is off it comes back with it off, and what asks for a fix switches it on`()
    async throws
  {
    let (run, options) = try await prepared(
      ", longest_s: 600, latency_s: 1", regions: ["--circle 49,11.5,150"])
    try run.start(options, isSimulated: false)
    run.say(48)
    try await run.waitForRelease()
    try await run.wait("the release") { try run.switches().last?.event == .released }
    let due = try #require(try run.withEngine { $0.receiver })
    #expect(await run.end(SIGKILL) == 137)
    try run.start(options, isSimulated: false, expectsConnection: false)
    try await run.wait("the daemon") { try await status(run).contains(#""daemon":{"#) }
    #expect(try await status(run).contains(#""state":"off","reason":"longest","due":""#))
    #expect(try run.withEngine { $0.receiver } == due)
    #expect(!run.gpsd.connect(seconds: 0.5), "nobody asks for a fix")
    #expect(try await run.command(["regions", "add", "near", "--circle", "48.0005,11.5,200"]).status == 0)
    try await run.waitForSearch()
    for ago in [0.3, 0.2, 0.1, 0] { run.say(48, ago: ago) }
    try await run.wait("the state") {
      try await run.events().contains { $0.contains(#""region":"near","state":"inside""#) }
    }
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    let told = try await run.events()
    #expect(told.contains { $0.contains(#""region":"near","state":"inside""#) }, "\(told)")
    #expect(try await run.replayJournal() == told)
  }

  @Test func `under settings that say continuous it is switched on at once`() async throws {
    let (run, options) = try await prepared(", longest_s: 600", regions: ["--circle 49,11.5,150"])
    try run.start(options, isSimulated: false)
    run.say(48)
    try await run.waitForRelease()
    _ = run.folder.write("c.yaml", "sampling: {mode: continuous}\n")
    run.process?.signal(SIGHUP)
    try await run.waitForSearch()
    try await run.wait("the receiver") {
      try await status(run).contains(#""receiver":{"sampling":"continuous","state":"on"}"#)
    }
    #expect(await run.end() == 0)
  }

  @Test func `a hook is told, and a hook that fails is told of once`() async throws {
    let hook = #"receiver_hook: [/bin/sh, -c, 'echo "$1" >> "$0"; exit 3', HOOKED]"#
    let run = try DaemonRun()
    try await run.add("program", manifest: "services: [regions]")
    let settings = run.folder.write(
      "c.yaml",
      "sampling: {mode: adaptive, longest_s: 4, power_off_s: 0, \(hook.replacing("HOOKED", with: run.folder("hooked")))}\n"
    )
    #expect(try await run.command(["regions", "add", "far", "--circle", "49,11.5,150"]).status == 0)
    try run.start(["--config", settings], isSimulated: false)
    run.say(48)
    try await run.waitForRelease()
    try await run.waitForSearch()
    try await run.wait("the hook") {
      KernelFile.read(run.folder("hooked")) == "on\noff\non\n"
    }
    #expect(await run.end() == 0)
    let complaints = run.process?.stderr.split(separator: "\n").filter { $0.contains("receiver_hook") }
    #expect(
      complaints?.count == 1 && complaints?[0].contains("ended with status 3") == true, "\(complaints ?? [])")
    // Who reads all the time tells it too: whoever read before may have left the receiver off.
    let told = KernelFile.read(run.folder("hooked")) ?? ""
    _ = run.folder.write(
      "c.yaml",
      "sampling: {mode: continuous, \(hook.replacing("HOOKED", with: run.folder("hooked")))}\n")
    try run.start(["--config", settings], isSimulated: false)
    try await run.wait("the hook at a start") { KernelFile.read(run.folder("hooked")) == told + "on\n" }
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: GPSDServer.isInstalled))
  func `a real gpsd is watched only while a fix is asked for`() async throws {
    // A busy machine finds a fix and lets the receiver go late: what is left of the pause is still long.
    let (run, options) = try await prepared(", longest_s: 15", regions: ["--circle 53,13,150"])
    let gpsd = try GPSDServer()
    let daemon = try LiveProcess.command(
      [Binary.path, "run", "--gpsd", gpsd.address, "--state", run.state] + options)
    let receiver = try #require(gpsd.connectReceiver())
    // A receiver that stands still, for as long as gpsd listens to it.
    try await run.wait("three looks") {
      receiver.send(ReceiverText.epoch())
      return try run.switches().count { $0.event == .released } >= 3
    }
    daemon.signal(SIGTERM)
    #expect(await daemon.finish() == 0, "\(daemon.stderr)")
    let all = try run.switches()
    // On and off by turns, and off until the next look was due.
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.event != $1.event })
    for (one, next) in zip(all, all.dropFirst()) where one.event == .released {
      #expect(one.at.seconds(to: next.at) > 2)
    }
    let told = try await run.events()
    #expect(!told.contains { $0.contains(#""type":"stale""#) }, "\(told)")
    #expect(try await run.replayJournal() == told)
  }

  @Test(.enabled(if: GPSDServer.isInstalled && Corpus.isFull, "two minutes"))
  func `a gpsd without -n closes the receiver a minute after it is let go of, and opens it again`()
    async throws
  {
    let run = try DaemonRun()
    try await run.add("program", manifest: "services: [regions]")
    #expect(try await run.command(["regions", "add", "far", "--circle", "53,13,150"]).status == 0)
    let settings = run.folder.write("c.yaml", "sampling: {mode: adaptive, longest_s: 80}\n")
    let gpsd = try GPSDServer()
    let daemon = try LiveProcess.command(
      [Binary.path, "run", "--gpsd", gpsd.address, "--state", run.state, "--config", settings])
    let receiver = try #require(gpsd.connectReceiver())
    try await run.wait("the release") {
      receiver.send(ReceiverText.epoch())
      return try run.switches().contains { $0.event == .released }
    }
    // gpsd looks at the time when the receiver says something.
    var seconds = 0
    while seconds < 75, !receiver.waitForEnd(seconds: 1) {
      receiver.send(ReceiverText.epoch())
      seconds += 1
    }
    #expect((55..<75).contains(seconds), "\(seconds)")
    _ = try #require(gpsd.connectReceiver())
    let power = try await run.command(["power"])
    daemon.signal(SIGTERM)
    #expect(await daemon.finish() == 0, "\(daemon.stderr)")
    #expect(power.stdout.contains("receiver_linger"), "\(power.stdout)")
  }
}

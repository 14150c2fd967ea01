import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats

/// `locwatch explain` beside a daemon, after it, and on its journal.
@Suite struct ExplainTests {
  /// Past a place of 150 m at 22 m/s, due north, with one program that is told of it.
  private func driven(_ fixes: Int = 60) async throws -> DaemonRun {
    let run = try DaemonRun()
    let added = try await run.command(["regions", "add", "home", "--circle", "48.005,11.5,150"])
    #expect(added.status == 0, "\(added.stderr)")
    try await run.add("logger", manifest: "services: [regions]")
    try run.start()
    for index in 0..<fixes {
      run.gpsd.say(ScriptedGPSD.report(second: index, latitude: 48 + 0.0002 * Double(index)))
    }
    try await run.waitForFixes(fixes)
    return run
  }

  private func answer(_ run: DaemonRun, _ more: [String]) async throws -> JSONTree {
    let result = try await run.command(["explain"] + more)
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout.split(separator: "\n").count == 1)
    var reader = JSONReader(Array(result.stdout.utf8))
    return try JSONTree(&reader)
  }

  private func first(_ tree: JSONTree, _ list: String) -> JSONTree? {
    if case .array(let elements) = tree[list] { elements.first } else { nil }
  }

  @Test func `beside a running daemon, after its end and after a kill the answer is the same`() async throws {
    let run = try await driven()
    let at = ["--at", "2026-05-04T06:30:18Z", "--region", "home"]
    let beside = try await answer(run, at)
    let region = try #require(first(beside, "regions"))
    #expect(region["state_before"] == .string("outside") && region["state_after"] == .string("outside"))
    #expect(region["reason"] == .string("agrees"))
    #expect(beside["fix"]?["time"] == .string("2026-05-04T06:30:18.000Z"))
    let next = try #require(region["next"])
    #expect(next["type"] == .string("region.enter"))
    #expect(await run.end(SIGKILL) == 137)
    #expect(try await answer(run, at) == beside)
    try run.start()
    #expect(await run.end() == 0)
    #expect(try await answer(run, at) == beside)
    let journal = run.folder("a.journal")
    #expect(try await run.command(["journal", "-o", journal]).status == 0)
    let replayed = try await Binary.run(["explain", journal] + at + ["--json"])
    #expect(replayed.stdout.contains(#""edge_m":\#(try #require(region["edge_m"]).text),"#), "\(replayed)")
  }

  @Test func `the event that woke a program: the record itself, who was told, and by which rule`()
    async throws
  {
    let run = try await driven()
    let lines = try await run.events()
    let enter = try #require(lines.first { $0.contains(#""type":"region.enter""#) })
    var reader = JSONReader(Array(enter.utf8))
    let record = try JSONTree(&reader)
    let id = try #require(record["id"]?.integer)
    let told = try await answer(run, ["--event", "\(id)"])
    for key in ["region", "edge_m", "acc_m", "confidence", "reason", "time"] {
      #expect(told["event"]?[key] == record[key], "\(key)")
    }
    let decision = try #require(first(told, "decisions"))
    #expect(decision["subscriber"] == .string("logger"))
    #expect(decision["rule"] == .string("B4"))
    let region = try #require(first(told, "regions"))
    #expect(region["state_before"] == .string("outside") && region["state_after"] == .string("inside"))
    #expect(region["edge_m"] == record["edge_m"])
    #expect(await run.end() == 0)
  }

  @Test(.enabled(if: GPSFake.isInstalled))
  func `of a drive that a real gpsd tells it answers beside the daemon, and the same after a kill`()
    async throws
  {
    let run = try DaemonRun()
    let places = run.folder.write("places.geojson", ShortDrive.places)
    #expect(try await run.command(["regions", "import", places]).status == 0)
    try await run.add("logger", manifest: "services: [regions]")
    let settings = run.folder.write("c.yaml", ShortDrive.settings)
    let fake = try GPSFake(
      log: ShortDrive.log(startingAt: ShortDrive.now, in: run.folder),
      secondsBetweenSentences: ShortDrive.secondsBetweenSentences)
    let daemon = try LiveProcess.command(
      [Binary.path, "run", "--gpsd", fake.address, "--state", run.state, "--config", settings])
    var enter: Substring?
    try await run.wait("the enter") {
      enter = try await run.events().first { $0.contains(#""type":"region.enter""#) }
      return enter != nil
    }
    try await run.waitFor("logger", .suspended)
    var reader = JSONReader(Array((enter ?? "").utf8))
    let record = try JSONTree(&reader)
    let id = try #require(record["id"]?.integer)
    let time = try #require(record["time"]?.string.flatMap { UTCTime(rfc3339: $0) })

    let event = try await answer(run, ["--event", "\(id)"])
    #expect(event["event"]?["region"] == .string("end"))
    #expect(first(event, "decisions")?["rule"] == .string("B4"))
    #expect(first(event, "regions")?["state_after"] == .string("inside"))
    let earlier = ["--region", "end", "--at", time.advanced(bySeconds: -4).rfc3339]
    let before = try await answer(run, earlier)
    #expect(first(before, "regions")?["state_after"] == .string("outside"))
    #expect(first(before, "regions")?["next"]?["id"] == .number("\(id)"))
    #expect(first(before, "subscribers")?["state"] == .string("notRunning"))
    let now = try await answer(run, ["--subscriber", "logger"])
    #expect(first(now, "subscribers")?["state"] == .string("suspended"))
    #expect(first(now, "subscribers")?["last"]?["type"] == .string("decision"))
    let text = try await run.command(["explain", "--event", "\(id)", "--format", "text"])
    #expect(text.stdout.contains("logger relaunched in the background (B4)"), "\(text)")

    daemon.signal(SIGKILL)
    #expect(await daemon.finish() == 137)
    #expect(try await answer(run, ["--event", "\(id)"]) == event)
    #expect(try await answer(run, earlier) == before)
  }

  @Test func `text says it in words, and a moment without a time is the newest`() async throws {
    let run = try await driven(15)
    let text = try await run.command(["explain", "--region", "home", "--format", "text"])
    #expect(text.stdout.hasPrefix("2026-05-04T06:30:14.000Z\n"), "\(text.stdout) \(text.stderr)")
    #expect(text.stdout.contains("outside (B4, agrees): "), "\(text.stdout)")
    #expect(text.stdout.contains("3 fixes in a row "), "\(text.stdout)")
    #expect(text.stdout.contains("would be: "), "\(text.stdout)")
    #expect(await run.end() == 0)
  }

  @Test func `what can't be told is one line with its exit status`() async throws {
    let run = try await driven(5)
    for (arguments, status, words) in [
      (["--region", "hoem"], Int32(1), "no region was called \"hoem\" then; did you mean home?"),
      (["--subscriber", "x"], 1, "no subscriber was called \"x\" then; there were logger"),
      (["--event", "1000000"], 1, "nothing has the id 1000000; locwatch events"),
      (["--at", "2020-01-01T00:00:00Z"], 1, "its journal begins later, at 2026-05-04T06:30:00.000Z; "),
    ] {
      let result = try await run.command(["explain"] + arguments)
      #expect(result.status == status, "\(result)")
      #expect(result.stderr.split(separator: "\n").count == 1 && result.stderr.contains(words), "\(result)")
    }
    #expect(await run.end() == 0)
    let usage = try await Binary.run(["explain", "--at", "soon"])
    #expect(usage.status == 64)
    let none = try await Binary.run(["explain", "--state", run.folder("none.db")])
    #expect(none.status == 1 && none.stderr.contains("there is no state file yet; locwatch run makes one"))
  }
}

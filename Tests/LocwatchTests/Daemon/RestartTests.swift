import Foundation
import GRDB
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// `locwatch run`, killed and started again.
@Suite struct RestartTests {
  /// A drive due north at 22 m/s past two places.
  private static let fixes = 160
  private static func report(_ index: Int) -> String {
    ScriptedGPSD.report(second: index, latitude: 48 + 0.0002 * Double(index))
  }

  private func prepared() async throws -> DaemonRun {
    let run = try DaemonRun()
    for (id, latitude) in [("first", 48.008), ("second", 48.020)] {
      let added = try await run.command(["regions", "add", id, "--circle", "\(latitude),11.5,150"])
      #expect(added.status == 0, "\(added.stderr)")
    }
    return run
  }

  /// The records of a run that nobody disturbs.
  private func undisturbed() async throws -> [Substring] {
    let run = try await prepared()
    try run.start()
    for index in 0..<Self.fixes { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(Self.fixes)
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    return try await run.events()
  }

  @Test func `killed after every k-th fix it tells the same, to the byte`() async throws {
    let expected = try await undisturbed()
    #expect(expected.count { $0.contains(#""type":"region.e"#) } == 4)
    let run = try await prepared()
    try run.start()
    for index in 0..<Self.fixes {
      run.gpsd.say(Self.report(index))
      guard index % 16 == 15 else { continue }
      try await run.waitForFixes(index + 1)
      #expect(await run.end(SIGKILL) == 137)
      try run.start()
    }
    try await run.waitForFixes(Self.fixes)
    #expect(await run.end() == 0)
    let told = try await run.events()
    #expect(told == expected)
  }

  /// As after a change of build, whose engine records an event more, and gives others other ids.
  @Test func `what another build has not told is told once, and what it has told keeps its id`() async throws
  {
    let run = try await prepared()
    try await run.add("logger", "cat >/dev/null", manifest: "services: [regions]\nauthorization: always")
    try run.start()
    for index in 0..<80 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(80)
    #expect(await run.end(SIGKILL) == 137)
    let database = try DatabaseQueue(path: run.state)
    let (first, last) = try await database.write { database in
      let first = try #require(try Int.fetchOne(database, sql: "SELECT min(event) FROM outbox"))
      let last = try #require(try Int.fetchOne(database, sql: "SELECT max(id) FROM events"))
      try database.execute(sql: "DELETE FROM events WHERE id = ?", arguments: [first])
      try database.execute(sql: "UPDATE events SET id = id + 500 WHERE id = ?", arguments: [last])
      return (first, last)
    }
    try database.close()
    let before = try await run.events().count
    try run.start()
    for index in 80..<Self.fixes { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(120)
    #expect(await run.end(SIGKILL) == 137)
    let left = try run.storedFixes()
    try run.start()
    for index in left..<Self.fixes { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(Self.fixes)
    #expect(await run.end() == 0)
    let events = try await run.events()
    let ids = events.compactMap { DaemonRun.id(of: $0) }
    #expect(events.count > before && Set(ids).count == ids.count && ids == ids.sorted())
    for region in ["first", "second"] {
      for type in ["region.enter", "region.exit"] {
        let crossings = events.filter {
          $0.contains(#""type":"\#(type)""#) && $0.contains(#""region":"\#(region)""#)
        }
        #expect(crossings.count == 1, "\(type) \(region)")
        let isNew = region == "second" || type == "region.enter"
        #expect(crossings.compactMap { DaemonRun.id(of: $0) }.allSatisfy { ($0 > last) == isNew })
      }
    }
    #expect(!ids.contains(first))
  }

  @Test func `a program that was removed and added again while no daemon ran has nothing of the old one`()
    async throws
  {
    let run = try await prepared()
    let manifest = "services: [regions]\nauthorization: always"
    try await run.add("logger", "cat >/dev/null", manifest: manifest)
    try run.start()
    for index in 0..<80 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(80)
    #expect(await run.end() == 0)
    #expect(try run.shown("logger")?.waiting.isEmpty == false)
    let later = ["notifications", "add", "logger", "--title", "T", "--after", "3600"]
    #expect(try await run.command(later).status == 0)
    #expect(try await run.command(["subscribers", "remove", "logger"]).status == 0)
    #expect(try StateDatabase.openToRead(path: run.state)?.requests().isEmpty == true)
    try await run.add("logger", "cat >/dev/null", manifest: manifest)
    try run.start()
    run.gpsd.say(Self.report(80))
    try await run.waitForFixes(81)
    #expect(await run.end() == 0)
    #expect(try run.shown("logger")?.waiting.isEmpty == true)
  }

  /// Its wake of 10 s ends while the daemon is stopped; it has answered long before.
  @Test func `K2 a daemon that was stopped blames no program for that`() async throws {
    let run = try DaemonRun()
    let started = run.folder("started")
    try await run.add(
      "quick", "touch \(started); sleep 1; echo '{\"done\":true}'; cat >/dev/null",
      manifest: "services: [significant-change]\nauthorization: always")
    try run.start(isSimulated: false)
    run.say(48)
    try await run.wait("the program to start") { FileManager.default.fileExists(atPath: started) }
    run.process?.signal(SIGSTOP)
    try await Task.sleep(for: .seconds(13))
    run.process?.signal(SIGCONT)
    try await run.wait("its suspension") {
      try await run.events().contains { $0.contains(#""action":"suspend""#) }
    }
    #expect(await run.end() == 0)
    let events = try await run.events()
    #expect(!events.contains { $0.contains(#""rule":"K2""#) }, "\(events)")
  }

  @Test func `what waits and is not stored is handed to nobody`() async throws {
    let run = try await prepared()
    try await run.add("logger", "cat >/dev/null", manifest: "services: [regions]\nauthorization: always")
    try run.start()
    for index in 0..<80 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(80)
    #expect(await run.end() == 0)
    let database = try DatabaseQueue(path: run.state)
    let first = try await database.write { database in
      let first = try #require(try Int.fetchOne(database, sql: "SELECT min(event) FROM outbox"))
      try database.execute(sql: "DELETE FROM events WHERE id = ?", arguments: [first])
      return first
    }
    try database.close()
    try run.start()
    run.gpsd.say(Self.report(80))
    try await run.waitForFixes(81)
    #expect(await run.end() == 0)
    #expect(run.process?.stderr.contains("event \(first), for which logger waits, is not stored") == true)
  }

  @Test(arguments: [Corpus.isFull ? 100 : 8])
  func `killed at random points under load nothing is lost or doubled`(kills: Int) async throws {
    let expected = try await undisturbed()
    var seed = SeededRandom(7)
    var done = 0
    while done < kills {
      // Each pass drives the whole way on a state of its own.
      let run = try await prepared()
      try run.start()
      var next = 0
      while next < Self.fixes {
        let burst = min(Self.fixes - next, Int.random(in: 1...40, using: &seed))
        for index in next..<(next + burst) { run.gpsd.say(Self.report(index)) }
        guard done < kills, next + burst < Self.fixes else {
          next += burst
          continue
        }
        // At some moment of storing them; what was not stored comes again.
        if Bool.random(using: &seed) { try await run.waitForFixes(next + 1) }
        #expect(await run.end(SIGKILL) == 137)
        next = try run.storedFixes()
        done += 1
        try run.start()
      }
      try await run.waitForFixes(Self.fixes)
      #expect(await run.end() == 0)
      let told = try await run.events()
      #expect(told == expected, "\(seed)")
    }
  }

  @Test func `what it told is what a replay of its recording tells`() async throws {
    let run = try await prepared()
    let recording = run.folder("a.journal")
    try run.start(["--record", recording])
    for index in 0..<60 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(60)
    #expect(await run.end() == 0)
    let first = try await run.events()
    let replay = try await Binary.run(["replay", recording, "--format", "ndjson"])
    // The replay settles the books at its end; a daemon goes on.
    #expect(replay.stdout.split(separator: "\n").prefix(first.count) == first[...])
    #expect(
      replay.stdout.split(separator: "\n").dropFirst(first.count).allSatisfy {
        $0.contains(#""type":"power""#) || $0.contains(#""type":"summary""#)
      })

    // A recording that begins in the middle goes on from a snapshot.
    let second = run.folder("b.journal")
    try run.start(["--record", second])
    for index in 60..<Self.fixes { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(Self.fixes)
    #expect(await run.end() == 0)
    let later = try await run.events().dropFirst(first.count).map(withoutSequence)
    let rest = try await Binary.run(["replay", second, "--format", "ndjson"])
    #expect(later.count >= 2)
    #expect(rest.stdout.split(separator: "\n").prefix(later.count).map(withoutSequence) == later)
  }

  @Test func `a change of a region's terms during a visit changes nothing else, nor does a crash after it`()
    async throws
  {
    let expected = try await undisturbed()
    let run = try await prepared()
    try run.start(["--record", run.folder("a.journal")])
    // The 41st fix is in the middle of the first place.
    for index in 0...40 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(41)
    let named = [
      "regions", "add", "first", "--circle", "48.008,11.5,150", "--name", "The first", "--replace",
    ]
    #expect(try await run.command(named).status == 0)
    #expect(await run.end(SIGKILL) == 137)
    try run.start(["--record", run.folder("b.journal")])
    for index in 41..<Self.fixes { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(Self.fixes)
    #expect(await run.end() == 0)
    #expect(try await run.events() == expected)
    let replay = try await Binary.run(["replay", run.folder("b.journal"), "--format", "ndjson"])
    let exits = expected.filter { $0.contains(#""type":"region.exit""#) }.map(withoutSequence)
    let replayed = replay.stdout.split(separator: "\n").filter { $0.contains(#""type":"region.exit""#) }
    #expect(replayed.map(withoutSequence) == exits)
  }

  /// A record but for its place in the output.
  private func withoutSequence(_ line: Substring) -> Substring {
    line.drop { $0 != "," }.dropFirst().drop { $0 != "," }
  }
}

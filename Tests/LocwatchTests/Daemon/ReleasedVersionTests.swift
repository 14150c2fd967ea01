import Foundation
import GRDB
import TestSupport
import Testing

@testable import LocationCore

/// Files of released versions open with this build: see `Tests/Fixtures/VERSION/README.md`.
@Suite struct ReleasedVersionTests {
  private static let versions = ["0.1.0"]

  private static func fixture(_ version: String, _ name: String) -> String {
    PackageRoot.file("Tests/Fixtures/\(version)/\(name)")
  }

  private static func lines(_ version: String, _ name: String) throws -> [Substring] {
    try String(contentsOfFile: fixture(version, name), encoding: .utf8).split(separator: "\n")
  }

  /// A daemon, not started, on a copy of the state file that a killed daemon of the version left.
  private static func run(of version: String) async throws -> DaemonRun {
    let run = try DaemonRun(.ownWithoutCgroup)
    let unpacked = try await Binary.run(
      ["-dc", fixture(version, "state.db.gz")], executable: "/bin/gzip")
    try #require(unpacked.status == 0)
    try Data(unpacked.stdoutBytes).write(to: URL(fileURLWithPath: run.state))
    return run
  }

  /// What a record decides, without its number in the stream and its id: an engine of a later version may
  /// record more between two of them.
  private static func decided(_ lines: [Substring]) -> [String] {
    lines.filter { line in
      ["region.", "significant", "visit."].contains { line.contains(#""type":"\#($0)"#) }
    }.map { String($0).replacing(/"seq":[0-9]+,"id":[0-9]+,/, with: "") }
  }

  @Test(arguments: versions)
  func `a state file tells its events to the byte, and still has its regions and what waits`(
    version: String
  ) async throws {
    let run = try await Self.run(of: version)
    let expected = try Self.lines(version, "events.ndjson")
    #expect(try await run.events() == expected)
    let regions = try await run.command(["regions", "list"])
    for id in ["home", "office", "square"] { #expect(regions.stdout.contains(id), "\(regions.stderr)") }
    let logger = try await run.command(["subscribers", "show", "logger"])
    #expect(logger.stdout.contains(#""waiting":7,"oldest":3"#), "\(logger.stdout)\(logger.stderr)")
    let status = try await run.command(["status", "--json"])
    #expect(status.stdout.contains(#""inside":["office"]"#), "\(status.stdout)\(status.stderr)")
  }

  /// To the engine of a later version these ids are those of other records.
  @Test(arguments: versions, [42, 44, 57, 158])
  func `explain tells the record that has the id in the state file`(version: String, id: Int) async throws {
    let run = try await Self.run(of: version)
    let line = try #require(try Self.lines(version, "events.ndjson").first { DaemonRun.id(of: $0) == id })
    let record = try #require(line.range(of: #""id":"#).map { line[$0.lowerBound...] }?.prefix(70))
    let told = try await run.command(["explain", "--event", "\(id)", "--json"])
    #expect(told.stdout.contains(#""event":{\#(record)"#), "\(told)")
    let consequence = #","event":\#(id),"#
    let isDecided = try Self.lines(version, "events.ndjson").contains { $0.contains(consequence) }
    #expect(told.stdout.contains(consequence) == isDecided)
  }

  /// The version stored NULL for programs of a simulated run, and properties of regions that had no meaning yet.
  @Test(arguments: versions)
  func `what the version meant otherwise is lost neither for a program nor for a region`(version: String)
    async throws
  {
    let run = try await Self.run(of: version)
    try await DatabaseQueue(path: run.state).write { database in
      try database.execute(sql: "UPDATE subscribers SET applied = NULL")
      try database.execute(
        sql: """
          UPDATE regions SET geojson = json_set(geojson, '$.properties.sensitivity', 'high',
            '$.properties.beacon', 'yes', '$.properties.colour', 'red')
          """)
    }
    try run.start()
    try await run.wait("the daemon") { try await run.command(["status", "--json"]).status == 0 }
    #expect(await run.end() == 0)
    let logger = try await run.command(["subscribers", "show", "logger"])
    #expect(logger.stdout.contains(#""oldest":3"#), "\(logger.stdout)\(logger.stderr)")
    let regions = try await run.command(["regions", "export"])
    #expect(regions.status == 0 && regions.stdout.contains("colour"), "\(regions)")
    #expect(!regions.stdout.contains("sensitivity") && !regions.stdout.contains("beacon"), "\(regions)")
  }

  /// Whoever speaks at its control socket may be a daemon of that version.
  @Test(arguments: versions)
  func `no command brings a state file up to date that an earlier daemon uses`(version: String) async throws {
    let run = try await Self.run(of: version)
    func schema() throws -> Int? {
      try DatabaseQueue(path: run.state).read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }
    let before = try schema()
    do {
      let daemon = try Listener(path: run.state + ".control")
      for command in [
        ["events"], ["regions", "list"], ["regions", "add", "x", "--circle", "48,11,100"],
        ["run", "--gpsd", "localhost:1"],
      ] {
        let result = try await run.command(command)
        #expect(result.status == 75, "\(command): \(result.stderr)")
        #expect(
          result.stderr.contains("a locwatch run of an earlier version uses it"), "\(result.stderr)")
      }
      withExtendedLifetime(daemon) {}
    }
    #expect(try schema() == before)
    let regions = try await run.command(["regions", "list"])
    #expect(regions.status == 0 && !regions.stdout.contains("\"x\""), "\(regions)")
    #expect(try schema() != before)
  }

  @Test(arguments: versions.flatMap { version in ["", "-from-snapshot"].map { (version, $0) } })
  func `a recording decides the same`(version: String, kind: String) async throws {
    let replayed = try await DaemonRun.replay(Self.fixture(version, "recording\(kind).ndjson"))
    let expected = try Self.lines(version, "decided\(kind).ndjson")
    #expect(expected.count >= 2)
    #expect(Self.decided(replayed) == Self.decided(expected))
  }

  /// Fix `index` of the fixtures' drive.
  private static func report(_ index: Int) -> String {
    let second = index * 2
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return #"{"class":"TPV","device":"/dev/ttyFAKE0","mode":3,"#
      + #""time":"2026-05-01T06:\#(two(second / 60)):\#(two(second % 60)).000Z","#
      + #""lat":\#(48 + Double(index) * 30 / 111_200),"lon":11.5,"eph":4.0,"epx":2.8,"epy":2.8,"#
      + #""speed":15.0,"track":0.0}"#
  }

  /// Its engine decided other things about programs.
  @Test(arguments: versions)
  func `an upgrade after a kill tells nothing again, whatever this version would have recorded`(
    version: String
  ) async throws {
    let run = try await Self.run(of: version)
    // As if it had been killed before it stored its second snapshot: everything is replayed.
    let database = try DatabaseQueue(path: run.state)
    try await database.write { try $0.execute(sql: "DELETE FROM snapshots WHERE number > 0") }
    try database.close()
    let waiting = [("logger", #""waiting":7,"oldest":3"#), ("acker", #""waiting":0"#)]
    for (name, expected) in waiting {
      let shown = try await run.command(["subscribers", "show", name])
      #expect(shown.stdout.contains(expected), "\(shown.stdout)\(shown.stderr)")
    }
    for index in 229...230 {
      try run.start()
      run.gpsd.say(Self.report(index))
      try await run.waitForFixes(index + 1)
      #expect(await run.end(SIGKILL) == 137)
    }
    for (name, expected) in waiting {
      let shown = try await run.command(["subscribers", "show", name])
      #expect(shown.stdout.contains(expected), "\(shown.stdout)\(shown.stderr)")
    }
    let events = try await run.events()
    #expect(Array(events.prefix(42)) == (try Self.lines(version, "events.ndjson")))
    #expect(Self.decided(Array(events.dropFirst(42))).isEmpty)
    let ids = events.compactMap { DaemonRun.id(of: $0) }
    #expect(ids == ids.sorted() && Set(ids).count == ids.count)
  }

  @Test(arguments: versions)
  func `an upgrade in the middle of a drive loses nothing and doubles nothing`(version: String)
    async throws
  {
    let run = try await Self.run(of: version)
    // From here on the program acknowledges; before, it never did.
    try await run.add(
      "logger", manifest: "services: [significant-change, regions, visits]\nauthorization: always",
      replacing: true)
    try await run.add(
      "acker", manifest: "services: [significant-change, regions]\nauthorization: always",
      replacing: true)
    try run.start()
    for index in 229..<400 { run.gpsd.say(Self.report(index)) }
    try await run.waitForFixes(400)
    let waited = [3, 42, 57, 135, 158, 181, 257]
    var hour = 0
    try await run.wait("what waited") {
      if run.told.contains(257) { return true }
      // A program that overran its budget waits up to five minutes for its next turn. No time passes while it runs.
      let state = try run.state(of: "logger")
      guard hour < 17, state == .notRunning || state == .suspended else { return false }
      hour += 1
      let time = hour < 4 ? "T0\(6 + hour)" : "T\(6 + hour)"
      run.gpsd.say(Self.report(399).replacing("T06:13:18", with: time + ":13:18"))
      try await run.waitForFixes(400 + hour)
      return false
    }
    #expect(await run.end() == 0, "\(run.process?.stderr ?? "")")
    let told = run.told
    // Both programs write to one log: only `logger` has the old ids, and in their order. A program that did not get round
    // to its acknowledgements in the hours that pass at once is told again.
    var seen: Set<Int> = []
    #expect(told.filter { $0 <= 257 && seen.insert($0).inserted } == waited)
    let events = try await run.events()
    #expect(Array(events.prefix(42)) == (try Self.lines(version, "events.ndjson")))
    // This receiver states its accuracy at another level than that of the fixtures.
    func crossings(_ lines: [Substring]) -> [String] {
      Self.decided(lines).filter { $0.contains(#""type":"region.e"#) }
        .map { $0.replacing(/"acc_m":[0-9.]+,/, with: "") }
    }
    #expect(crossings(events) == crossings(try Self.lines(version, "decided.ndjson")))
    let ids = events.compactMap { DaemonRun.id(of: $0) }
    #expect(ids == ids.sorted() && Set(ids).count == ids.count)
  }
}

import GRDB
import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

/// Snapshots that refer to the regions instead of repeating them.
@Suite struct RegionVersionTests {
  private let folder = TemporaryFolder()

  private func put(_ features: String..., in database: StateDatabase) throws {
    let file = try RegionFile.read(bytes: Array(features.joined(separator: "\n").utf8), name: "f")
    _ = try database.put([file], changing: true)
  }

  private func feature(_ id: String, radius: Int = 100) -> String {
    StateDatabaseTests.feature(id, radius: radius)
  }

  private func reading(_ second: Int) -> ClockReading {
    let utc = UTCTime(microseconds: 1_777_000_000_000_000 + Int64(second) * 1_000_000)
    return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
  }

  private func host(_ database: StateDatabase, journalRows: Double = 100_000) throws -> DaemonHost {
    var retention = Retention()
    retention.journalRows = journalRows
    return try DaemonHost(
      database, configuration: EngineConfiguration(), retention: retention, timing: .clock)
  }

  /// What a snapshot with regions in it contains.
  private static let shape = #""shape":"#

  /// Fixes on the spot of the regions' centre.
  private func stand(_ host: inout DaemonHost, _ seconds: Range<Int>) throws {
    for second in seconds {
      let report = FixReport(
        time: reading(second).utc, latitude: 48.25, longitude: 11.5,
        accuracy: Accuracy(radiusMeters: 5, source: .reported))
      try host.handle(.fix(report), at: reading(second))
      try host.commit(at: reading(second))
    }
  }

  private func snapshots(_ database: StateDatabase) throws -> [(number: Int64, text: String, regions: String)]
  {
    try database.read { database in
      try Row.fetchAll(database, sql: "SELECT number, engine, regions FROM snapshots ORDER BY number").map {
        try (
          $0.decode(forColumn: "number"), $0.decode(forColumn: "engine"), $0.decode(forColumn: "regions")
        )
      }
    }
  }

  @Test func `an engine comes back with its regions, whatever became of them`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    try put(feature("a"), feature("b"), in: database)
    var first = try host(database)
    #expect(first.engine.regionIDs == ["a", "b"])
    try stand(&first, 0..<60)
    #expect(first.engine.regionState("a") == .inside)
    try first.checkpoint(at: reading(60))
    let before = try snapshots(database)
    #expect(before.map(\.regions) == ["versions", "versions"])
    #expect(!before.contains { $0.text.contains(Self.shape) })

    try put(feature("b", radius: 200), feature("c"), in: database)
    _ = try database.remove(.ids(["a"]))
    try first.applyRegions(["a", "b", "c"], of: database, at: reading(61))
    try stand(&first, 62..<90)
    let expected = first.engine.snapshot
    #expect(expected.watchedRegions.map(\.id) == ["b", "c"])

    // From the old snapshot and the journal, then from a new snapshot.
    for _ in 0..<2 {
      var next = try host(database)
      #expect(next.engine.snapshot == expected)
      try next.applyRegions(nil, of: database, at: reading(90))
      #expect(next.engine.snapshot == expected)
      try next.checkpoint(at: reading(90))
    }
    let old = try database.snapshot(number: before[1].number)
    #expect(old.watchedRegions.map(\.id) == ["a", "b"])
    #expect(try database.snapshot()?.engine == expected)
  }

  @Test func `a region that was changed has one version that holds`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    try put(feature("a"), feature("b"), in: database)
    var host = try host(database, journalRows: 1)
    for second in 1...5 {
      try put(feature("b", radius: 100 + second), in: database)
      try host.applyRegions(["b"], of: database, at: reading(second))
      try host.commit(at: reading(second))
    }
    try host.checkpoint(at: reading(6))
    let snapshots = try snapshots(database)
    #expect(snapshots.last?.regions == "versions")
    #expect(try database.snapshot()?.engine == host.engine.snapshot)
    // Those of the snapshots that are kept, and no more.
    for second in 7..<10 {
      try stand(&host, second..<(second + 1))
      try host.checkpoint(at: reading(second))
    }
    let count = try database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM region_versions WHERE id = 'b'")
    }
    #expect(count == 1)
  }

  @Test func `what changed while no daemon ran is told apart without the rest`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    try put(feature("a"), feature("b"), feature("c"), in: database)
    do {
      var first = try host(database)
      try stand(&first, 0..<5)
      try first.checkpoint(at: reading(5))
    }
    try put(feature("b", radius: 300), feature("d"), in: database)
    _ = try database.remove(.ids(["c"]))
    #expect(try database.storedRegions(.unapplied).map(\.region.id) == ["b", "d"])
    #expect(try database.removedRegionIDs() == ["c"])
    var next = try host(database)
    try next.applyRegions(nil, of: database, at: reading(6))
    try next.commit(at: reading(6))
    #expect(next.engine.regionIDs == ["a", "b", "d"])
    #expect(try next.engine.region("b") == database.storedRegions(.ids(["b"])).first?.region)
    #expect(try database.storedRegions(.unapplied).isEmpty)
    #expect(try database.removedRegionIDs().isEmpty)
  }

  @Test func `a snapshot that holds its regions is read, and the next refers to them`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    try put(feature("a"), feature("b"), in: database)
    var first = try host(database)
    try stand(&first, 0..<60)
    // As a version before left it.
    try database.write { try $0.execute(sql: "DELETE FROM region_versions") }
    try first.checkpoint(at: reading(60))
    let whole = try #require(try snapshots(database).last)
    #expect(whole.regions == "here" && whole.text.contains(Self.shape))
    let expected = first.engine.snapshot
    let next = try host(database)
    #expect(next.engine.snapshot == expected)
    #expect(try snapshots(database).last?.regions == "versions")
    #expect(try database.snapshot()?.engine == expected)
  }

  @Test func `a region that the engine refuses stays out of every snapshot`() throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    try put(feature("a"), feature("b"), in: database)
    var configuration = EngineConfiguration()
    configuration.regions.regionLimit = 1
    func host() throws -> DaemonHost {
      try DaemonHost(database, configuration: configuration, retention: Retention(), timing: .clock)
    }
    for second in 0..<3 {
      var next = try host()
      try next.applyRegions(nil, of: database, at: reading(second))
      try next.commit(at: reading(second))
      try next.checkpoint(at: reading(second))
      #expect(next.engine.regionIDs == ["a"])
    }
    #expect(try database.snapshot()?.engine.watchedRegions.map(\.id) == ["a"])
  }
}

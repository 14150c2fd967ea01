import LocationCore
import LocationFormats
import Testing

@testable import LocationFleet

/// Snapshots of devices.
@Suite struct CompactCodingTests {
  private static let settings = EngineSettings()

  private static func report(_ second: Int, _ latitude: Double, _ longitude: Double) -> FixReport {
    FixReport(
      time: UTCTime(microseconds: 1_700_000_000_000_000 + Int64(second) * 1_000_000), latitude: latitude,
      longitude: longitude, accuracy: Accuracy(radiusMeters: 8, source: .reported))
  }

  private static func catalog(_ version: Int, _ ids: [Int], dwellSeconds: Int? = 60) throws -> FleetCatalog {
    let dwell = dwellSeconds.map { #","dwell_s":\#($0)"# } ?? ""
    let features = ids.map { id in
      #"{"type":"Feature","id":"r\#(id)","properties":{"radius_m":150\#(dwell)},"geometry":{"type":"Point","coordinates":[\#(11.5 + Double(id) * 0.004),48.1]}}"#
    }
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let file = try RegionFile.read(bytes: Array(text.utf8), name: "test")
    var entries: [FleetCatalog.Entry] = []
    for index in file.regions.indices {
      entries.append(
        FleetCatalog.Entry(since: version, outlineSince: version, feature: try file.feature(at: index)))
    }
    return try FleetCatalog(version: version, entries: entries)
  }

  /// A drive along the regions and back, with stops.
  private static var drive: [FixReport] {
    (0..<900).map { second in
      let phase = second < 450 ? second : 900 - second
      let position = Double(phase - phase % 90 / 2) * 0.0001
      return report(second, 48.1 + Double(second * 7 % 5) * 2e-5, 11.49 + position)
    }
  }

  @Test func `a snapshot at any fix changes nothing that follows`() throws {
    let catalog = try Self.catalog(1, Array(0..<10))
    let whole = FleetDevice("a.b", settings: Self.settings, catalog: catalog)
    var pieces = FleetDevice("a.b", settings: Self.settings, catalog: catalog)
    var (expected, found): ([Effect], [Effect]) = ([], [])
    var bytes: [UInt8] = []
    for (index, report) in Self.drive.enumerated() {
      whole.take(report, sequence: UInt64(index + 1), catalog: catalog, into: &expected)
      pieces.take(report, sequence: UInt64(index + 1), catalog: catalog, into: &found)
      guard index % 3 == 0 else { continue }
      try pieces.snapshot(into: &bytes)
      pieces = try FleetDevice("a.b", restoring: bytes, settings: Self.settings) { _ in catalog }
      #expect(pieces.sequence == UInt64(index + 1))
    }
    #expect(expected.count > 20)
    #expect(found == expected)
    #expect(bytes.count < 4_000, "\(bytes.count)")
  }

  @Test func `names of members are numbers, and those of older snapshots are still read as text`() throws {
    let device = FleetDevice("a.b", settings: Self.settings, catalog: try Self.catalog(1, [0]))
    var bytes: [UInt8] = []
    try device.snapshot(into: &bytes)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("sequence"))
    #expect(try #require(FleetDevice.place(of: bytes, settings: Self.settings)) == (0, 0))
    let older: [UInt8] = [0xBF, 0x68] + Array("sequence".utf8) + [0x05, 0xFF]
    #expect(try #require(FleetDevice.place(of: older, settings: Self.settings)) == (0, 5))
  }

  @Test func `a snapshot of an earlier era of the stream takes every message that comes`() throws {
    let catalog = try Self.catalog(1, [0])
    func restored(_ bytes: [UInt8]) throws -> FleetDevice {
      try FleetDevice("a.b", restoring: bytes, settings: Self.settings) { _ in catalog }
    }
    let first = FleetDevice("a.b", settings: Self.settings, catalog: catalog)
    var effects: [Effect] = []
    var bytes: [UInt8] = []
    first.take(Self.report(0, 48.1, 11.5), sequence: 122, catalog: catalog, into: &effects)
    try first.snapshot(into: &bytes)
    // As snapshots always were: without an era.
    #expect(!String(decoding: bytes, as: UTF8.self).contains("era"))
    let same = try restored(bytes)
    same.goOn(in: 0, from: 169)
    #expect(same.place == (0, 122))
    let beyond = try restored(bytes)
    beyond.goOn(in: 0, from: 7)
    #expect(beyond.place == (0, 0))
    let next = try restored(bytes)
    next.goOn(in: 1, from: 169)
    #expect(next.place == (1, 0) && !next.isDirty)
    next.take(Self.report(10, 48.1, 11.5), sequence: 8, catalog: catalog, into: &effects)
    #expect(next.isDirty)
    try next.snapshot(into: &bytes)
    #expect(try #require(FleetDevice.place(of: bytes, settings: Self.settings)) == (1, 8))
    let kept = try restored(bytes)
    kept.goOn(in: 1, from: 169)
    #expect(kept.place == (1, 8))
    // Where the checkpoints were lost meanwhile.
    kept.goOn(in: 0, from: 169)
    #expect(kept.place == (1, 8))
  }

  @Test func `the snapshots of a checkpoint are spread over time`() throws {
    let catalog = try Self.catalog(1, [0])
    let devices = (0..<100).map { FleetDevice("a.b\($0)", settings: Self.settings, catalog: catalog) }
    var underway = Partition.Underway(Checkpoint(), eventNumber: 1, queue: devices)
    // One, or none yet where the clock has not moved.
    #expect((0...1).contains(underway.due(in: 1e9)))
    #expect(underway.due(in: 1e-9) == 100)
    underway.queue.removeLast(30)
    underway.waiting = Array(devices.prefix(10))
    #expect((-20 ... -19).contains(underway.due(in: 1e9)))
    #expect(underway.due(in: 1e-9) == 80)
  }

  @Test func `a snapshot ahead of its partition goes on with its own regions`() throws {
    let none = FleetCatalog()
    let catalog = try Self.catalog(1, Array(0..<10))
    let whole = FleetDevice("a.b", settings: Self.settings, catalog: catalog)
    var (expected, found): ([Effect], [Effect]) = ([], [])
    for (index, report) in Self.drive.prefix(300).enumerated() {
      whole.take(report, sequence: UInt64(index + 2), catalog: catalog, into: &expected)
    }
    var bytes: [UInt8] = []
    try whole.snapshot(into: &bytes)
    expected.removeAll()
    // The worker begins again before the regions were there.
    let restored = try FleetDevice("a.b", restoring: bytes, settings: Self.settings) { version in
      version > none.version ? catalog : none
    }
    for (index, report) in Self.drive.enumerated().dropFirst(300) {
      whole.take(report, sequence: UInt64(index + 2), catalog: catalog, into: &expected)
      restored.take(report, sequence: UInt64(index + 2), catalog: catalog, into: &found)
    }
    #expect(expected.count > 10)
    #expect(found == expected)
  }

  @Test func `damaged snapshots are refused`() throws {
    let catalog = try Self.catalog(1, Array(0..<10))
    // The key of a map is a list.
    #expect(throws: (any Error).self) {
      try FleetDevice("a.b", restoring: [0xBF, 0x9F, 0x01, 0xFF, 0x02, 0xFF], settings: Self.settings) { _ in
        catalog
      }
    }
    let device = FleetDevice("a.b", settings: Self.settings, catalog: catalog)
    var effects: [Effect] = []
    for (index, report) in Self.drive.prefix(200).enumerated() {
      device.take(report, sequence: UInt64(index + 1), catalog: catalog, into: &effects)
    }
    var bytes: [UInt8] = []
    try device.snapshot(into: &bytes)
    for count in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: Failure.self) {
        try FleetDevice("a.b", restoring: Array(bytes[..<count]), settings: Self.settings) { _ in catalog }
      }
    }
    // Any byte may be anything: an error or another value, but an end.
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] = UInt8(truncatingIfNeeded: place &* 37 &+ 11)
      _ = try? FleetDevice("a.b", restoring: damaged, settings: Self.settings) { _ in catalog }
    }
  }

  @Test func `another catalog is as regions removed, added and changed`() throws {
    let first = try Self.catalog(1, Array(0..<8))
    let second = try first.next(
      putting: try Self.catalog(2, [8, 9]).entries.map(\.feature)
        + (try Self.catalog(2, [0, 1, 4, 5], dwellSeconds: 30).entries.map(\.feature)),
      removing: ["r2", "r3"])
    #expect(second.differences(from: 1).added == ["r8", "r9"])
    #expect(second.differences(from: 1).changed == ["r0", "r1", "r4", "r5"])
    let device = FleetDevice("a.b", settings: Self.settings, catalog: first)
    var engine = Engine(settings: Self.settings, catalog: first.catalog)
    var (expected, found): ([Effect], [Effect]) = ([], [])
    for (index, report) in Self.drive.enumerated() {
      if index == 300 {
        for id in ["r2", "r3"] {
          engine.handle(Stamped(at: engine.instant, .removeRegion(id: id)), into: &expected)
        }
        for entry in second.entries where entry.since == 2 {
          let event: Event =
            entry.outlineSince == 2 ? .addRegion(entry.feature.region) : .changeRegion(entry.feature.region)
          engine.handle(Stamped(at: engine.instant, event), into: &expected)
        }
      }
      engine.handle(report, at: engine.instant(ofReplayed: report), into: &expected)
      let catalog = index < 300 ? first : second
      device.take(report, sequence: UInt64(index + 1), catalog: catalog, into: &found)
    }
    #expect(expected.count > 10)
    #expect(found == expected)
  }

  /// A worker that had the device when the regions changed has the earlier ones too; the next worker may not.
  @Test(arguments: [(nil, 60), (300, nil), (40, 80), (600, 60)] as [(before: Int?, after: Int?)])
  func `what follows a change of a visit's dwell is the same whoever had the device`(
    before: Int?, after: Int?
  ) throws {
    let first = try Self.catalog(1, [0], dwellSeconds: before)
    let second = try first.next(putting: try Self.catalog(1, [0], dwellSeconds: after).entries.map(\.feature))
    let whole = FleetDevice("a.b", settings: Self.settings, catalog: first)
    var restored = whole
    var (expected, found): ([Effect], [Effect]) = ([], [])
    for index in 0..<40 {
      let report = Self.report(index * 10, 4 <= index && index < 36 ? 48.1 : 48.104, 11.5)
      if index == 12 {
        var bytes: [UInt8] = []
        try whole.snapshot(into: &bytes)
        restored = try FleetDevice("a.b", restoring: bytes, settings: Self.settings) { _ in second }
        found = expected
      }
      let catalog = index < 12 ? first : second
      whole.take(report, sequence: UInt64(index + 1), catalog: catalog, into: &expected)
      if index >= 12 { restored.take(report, sequence: UInt64(index + 1), catalog: catalog, into: &found) }
    }
    let types = expected.compactMap { if case .record(let record) = $0 { record.type } else { nil } }
    #expect(types.count { $0 == "region.dwell" } == (before == 40 || after != nil ? 1 : 0), "\(types)")
    #expect(types.contains("region.exit") && found == expected)
  }

  @Test func `a region put in again is a new one, and one that is the same is not`() throws {
    let first = try Self.catalog(1, Array(0..<4))
    let same = try first.next(putting: first.entries.map(\.feature))
    #expect(
      same.version == 2 && same.differences(from: 1).changed.isEmpty
        && same.differences(from: 1).added.isEmpty)
    let less = try first.next(putting: [], removing: ["r1"])
    let again = try less.next(putting: [first.entries[1].feature])
    #expect(again.differences(from: 1).added == ["r1"] && again.differences(from: 3).added.isEmpty)
    #expect(try first.next(putting: [first.entries[0].feature], replaces: true).entries.count == 1)
  }
}

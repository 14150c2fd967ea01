import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// The parts of a report's page that are not drawn by its script.
@Suite struct ReportPartsTests {
  // MARK: - The picture of the policies

  static let bounds = (left: 56.0, top: 30.0, right: 634.0, bottom: 256.0)

  @Test func `names move aside, dots stay where they are`() {
    let marks = (1...7).map { PictureMarks.Mark(name: "\($0)", x: 600, y: 250) }
    let placed = PictureMarks.place(marks, within: Self.bounds)
    #expect(placed.map(\.mark) == marks)
    for (index, one) in placed.enumerated() {
      for other in placed[(index + 1)...] {
        let (dx, dy) = (one.x - other.x, one.y - other.y)
        #expect((dx * dx + dy * dy).squareRoot() >= PictureMarks.nameRoom - 1e-3, "\(one) \(other)")
      }
      #expect(one.x > Self.bounds.left && one.x < Self.bounds.right && one.y < Self.bounds.bottom)
    }
  }

  @Test func `a mark alone has its name right above it`() throws {
    let mark = PictureMarks.Mark(name: "1", x: 300, y: 200)
    let placed = try #require(PictureMarks.place([mark], within: Self.bounds).first)
    #expect(abs(placed.x - 300) < 1e-6 && placed.y < 200 && placed.y > 180)
  }

  // MARK: - Rows of events

  private static func decision(_ action: Decision.Action, _ name: String, _ second: Double) -> Record {
    let decision = Decision(
      subscriber: name, action: action, rule: .significantChange, before: .suspended, after: .background,
      reason: .suspended)
    return Record(
      id: Int(second), time: UTCTime(microseconds: Int64(second * 1e6)), body: .decision(decision))
  }

  @Test func `the suspension that ends a wake stands in its row`() {
    let rows = FoldedEvents([
      Self.decision(.wake, "a", 1), Self.decision(.wake, "b", 2), Self.decision(.suspend, "a", 3.5),
      Self.decision(.suspend, "a", 9), Self.decision(.suspend, "b", 10),
    ]).rows
    #expect(
      rows == [
        .init(index: 0, suspendedSeconds: 2.5), .init(index: 1, suspendedSeconds: 8),
        // Nothing had started it.
        .init(index: 3, suspendedSeconds: nil),
      ])
  }

  // MARK: - The summary

  private struct Nowhere: RecordSink {
    mutating func receive(_ record: Record) {}
  }

  @Test func `the share of the receiver is of all that is modelled, also after the last fix`() throws {
    var request = ReplayRequest()
    request.reportPath = "report.html"
    request.subscribers = [Subscriber(name: "a")]
    var replay = TrackReplay(request, to: Nowhere())
    // The program that it wakes runs for a moment.
    replay.take(.fix(Drive.report(0, east: 0)))
    let summary = replay.finish(notes: [])
    try #require(summary.receiverOnSeconds > summary.durationSeconds)
    let report = replay.report
    let tables = ReportTables(try #require(report), nil, in: .metric)
    #expect(tables.html.contains(" (100.0 %)</dd>"), "\(tables.html)")
  }

  @Test func `a program that a recording adds once more has one bar`() {
    var report = TrackReport()
    report.add("a", .suspended, at: UTCTime(microseconds: 0))
    report.add("b", .suspended, at: UTCTime(microseconds: 0))
    report.add("a", .suspended, at: UTCTime(microseconds: 1_000_000))
    report.add("a", .notRunning, at: UTCTime(microseconds: 2_000_000))
    #expect(report.lives.map(\.name) == ["a", "b"])
    #expect(report.lives.first?.moves.map(\.state) == [.suspended, .notRunning])
  }

  // MARK: - The map

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
  ])
  func `base64 is that of RFC 4648`(text: String, encoded: String) {
    #expect(Base64.text(Array(text.utf8)) == encoded)
  }

  @Test(arguments: [
    "https://tile.example/{z}/{x}.png", "https://{s}.tile.example/{z}/{x}/{y}.png",
    "https://tile.example/{z}/{x}/{y}.png; script-src *", "https://tile.example/{z}/{x}/{y}\".png",
  ])
  func `an address that is none, or could widen the page's policy, is refused`(address: String) {
    #expect(throws: Failure.self) { try BaseMap(address) }
  }

  @Test func `tiles cover the surroundings coarsely and the track finely`() throws {
    var report = TrackReport()
    for step in 0..<200 {
      report.add(
        FixReport(
          time: UTCTime(microseconds: Int64(step) * 1_000_000), latitude: 48 + 0.001 * Double(step),
          longitude: 11.5, accuracy: Accuracy(radiusMeters: 5, source: .reported)), .believed)
    }
    let tiles = TileChoice(report, zooms: 0...18).tiles
    #expect(!tiles.isEmpty && tiles.count == Set(tiles).count)
    let zooms = Set(tiles.map(\.zoom))
    #expect(zooms.count >= 4, "\(zooms)")
    for step in [0, 100, 199] {
      let place = try #require(Coordinate(latitude: 48 + 0.001 * Double(step), longitude: 11.5))
      for zoom in zooms { #expect(tiles.contains(MapTile(zoom: zoom, holding: place)), "\(zoom)") }
    }
    #expect(TileChoice(TrackReport(), zooms: 0...18).tiles.isEmpty)
  }
}

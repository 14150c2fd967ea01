import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

@Suite struct WatchViewTests {
  static let view: WatchView = {
    var view = WatchView()
    view.address = "localhost:2947"
    view.sourceName = "gpsd 3.22"
    view.fix = Fix(
      time: UTCTime(microseconds: Drive.epoch), instant: Drive.instant(0), coordinate: Drive.origin,
      accuracy: Accuracy(radiusMeters: 12, source: .reported), speedMetersPerSecond: 1.44, courseDegrees: 84.4
    )
    view.fixAgeSeconds = 3.9
    view.elapsedSeconds = 100
    view.receiverOnSeconds = 50
    view.energy = PowerBand(value: 12.5, low: 9, high: 18)
    view.profile = "rpi4-ublox-m8"
    view.regionCount = 3
    view.standings = [
      .init(name: "home", state: .inside, edgeMeters: -1234.5),
      .init(name: "a name with a bell \u{7} in it", state: .outside, edgeMeters: 73_111),
      .init(name: "unknown", state: .unknown, edgeMeters: nil),
    ]
    view.events = (1...30).map { "06:00:\($0 < 10 ? "0" : "")\($0)  moved       512 m" }
    return view
  }()

  @Test func `it shows position, accuracy and its source, age, regions, events and energy`() {
    let lines = Self.view.lines(columns: 80, rows: 20, isPlain: true)
    #expect(
      lines == [
        "locwatch  localhost:2947",
        "  position  48.13710, 11.57540, ±12 m (by the receiver)",
        "  motion    5.2 km/h, towards 84°",
        "  fix       2026-05-01 06:00:00 UTC, 3 s ago",
        "  source    gpsd 3.22",
        "  fixes     0 believed",
        "  receiver  on for 50 s of 1 min 40 s (50 %)",
        "  energy    13 J, 3.5 mWh (90 % interval 9.00 J to 18 J), profile rpi4-ublox-m8",
        "",
        "Regions",
        "  inside    -1,235 m  home",
        "  outside   +73.1 km  a name with a bell ? in it",
        "  unknown             unknown",
        "",
        "Last events",
        "  06:00:27  moved       512 m",
        "  06:00:28  moved       512 m",
        "  06:00:29  moved       512 m",
        "  06:00:30  moved       512 m",
        "q quits",
      ])
  }

  @Test(arguments: [1, 2, 5, 9, 11, 14, 24, 60], [1, 2, 10, 40, 79, 200])
  func `it fits any terminal`(rows: Int, columns: Int) {
    for isPlain in [true, false] {
      let lines = Self.view.lines(columns: columns, rows: rows, isPlain: isPlain)
      #expect(lines.count == rows)
      for line in lines {
        let shown = line.replacing("\u{1B}[1m", with: "").replacing("\u{1B}[0m", with: "")
        #expect(shown.count <= columns, "\(shown)")
        #expect(!shown.unicodeScalars.contains { $0.value < 0x20 })
      }
    }
  }

  @Test func `before the first fix it says so`() {
    var view = WatchView()
    view.elapsedSeconds = 12.7
    let lines = view.lines(columns: 80, rows: 24, isPlain: true)
    #expect(lines[1] == "  position  unknown")
    #expect(lines[3] == "  fix       none yet, after 12 s")
    #expect(lines[4] == "  source    looking for gpsd")
    view.trouble = .noDevice
    #expect(view.lines(columns: 80, rows: 24, isPlain: true)[4] == "  source    no fix: gpsd has no receiver")
  }

  @Test func `of many regions the nearest are shown, and how many there are`() {
    var view = Self.view
    view.regionCount = 1000
    view.standings = (0..<50).map { .init(name: "r\($0)", state: .outside, edgeMeters: Double($0)) }
    let lines = view.lines(columns: 80, rows: 24, isPlain: true)
    #expect(lines.contains { $0.hasPrefix("Regions: the nearest 5 of 1,000") }, "\(lines)")
  }
}

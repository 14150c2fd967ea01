import Foundation
import Testing

@testable import LocationCore

/// Rule D2: calendars, zones and changes of the clocks.
@Suite struct CalendarUnitTests {
  static let berlin = TimeZoneRule(name: "Europe/Berlin", posix: "CET-1CEST,M3.5.0,M10.5.0/3")!
  static let newYork = TimeZoneRule(name: "America/New_York", posix: "EST5EDT,M3.2.0,M11.1.0")!
  static let lordHowe = TimeZoneRule(
    name: "Australia/Lord_Howe", posix: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")!

  @Test(arguments: [
    // 2026-03-29 at 02:00 the clocks go to 03:00; 2026-10-25 at 03:00 back to 02:00.
    ("2026-03-29T01:59", "2026-03-29T00:59:00Z"),
    ("2026-03-29T02:00", "2026-03-29T01:00:00Z"),
    ("2026-03-29T02:30", "2026-03-29T01:00:00Z"),
    ("2026-03-29T02:59:59", "2026-03-29T01:00:00Z"),
    ("2026-03-29T03:00", "2026-03-29T01:00:00Z"),
    ("2026-10-25T01:59", "2026-10-24T23:59:00Z"),
    ("2026-10-25T02:30", "2026-10-25T00:30:00Z"),
    ("2026-10-25T03:00", "2026-10-25T02:00:00Z"),
    ("2026-05-01T07:30", "2026-05-01T05:30:00Z"),
  ])
  func `D2 a skipped time on the wall is the first instant after, one that occurs twice the first`(
    wall: String, expected: String
  ) throws {
    let wall = try #require(WallTime(wall))
    #expect(Self.berlin.time(of: wall) == UTCTime(rfc3339: expected))
  }

  @Test(arguments: [berlin, newYork, lordHowe, TimeZoneRule.utc])
  func `D2 every minute of a year on the wall has a time that shows it, or that follows a change`(
    _ zone: TimeZoneRule
  ) throws {
    let first = try #require(WallTime("2026-01-01T00:00")).seconds
    var last: UTCTime?
    for minute in stride(from: 0, to: 525_600, by: 37) {
      let wall = WallTime(seconds: first + 60 * minute)
      let time = zone.time(of: wall)
      let shown = zone.wall(at: time)
      // Where it is skipped, what is shown is later by what the clocks were put forward, an hour at most.
      #expect(shown.seconds >= wall.seconds && shown.seconds - wall.seconds <= 3600, "\(wall)")
      if shown.seconds == wall.seconds {
        // The first of two: an hour earlier it showed something else.
        let before = zone.wall(at: time.advanced(bySeconds: -3600))
        #expect(before.seconds != wall.seconds)
      }
      if let last { #expect(last <= time) }
      last = time
    }
  }

  @Test(
    arguments: [
      (CalendarUnit.day, "2026-01-31T08:00", ["2026-02-01T08:00", "2026-02-02T08:00"]),
      (.week, "2026-01-31T08:00", ["2026-02-07T08:00", "2026-02-14T08:00"]),
      // A Friday, a Saturday, a Wednesday.
      (.weekday, "2026-05-01T08:00", ["2026-05-04T08:00", "2026-05-05T08:00"]),
      (.weekday, "2026-05-02T08:00", ["2026-05-04T08:00", "2026-05-05T08:00"]),
      (.weekday, "2026-05-06T08:00", ["2026-05-07T08:00", "2026-05-08T08:00", "2026-05-11T08:00"]),
      (.month, "2026-01-31T08:00", ["2026-02-28T08:00", "2026-03-31T08:00", "2026-04-30T08:00"]),
      (.quarter, "2025-11-30T08:00", ["2026-02-28T08:00", "2026-05-30T08:00"]),
      (
        .year, "2024-02-29T08:00",
        ["2025-02-28T08:00", "2026-02-28T08:00", "2027-02-28T08:00", "2028-02-29T08:00"]
      ),
      (.month, "2026-12-15T00:00", ["2027-01-15T00:00"]),
    ] as [(CalendarUnit, String, [String])])
  func `D2 a day that a month lacks is its last day, and the rhythm stays that of the first`(
    unit: CalendarUnit, first: String, later: [String]
  ) throws {
    let first = try #require(WallTime(first))
    for (index, text) in later.enumerated() {
      #expect(unit.wall(index + 1, after: first) == WallTime(text), "\(text)")
    }
  }

  @Test func `D2 days go by the clock on the wall, hours by the clock`() throws {
    let first = try #require(UTCTime(rfc3339: "2026-03-28T06:30:00Z"))
    #expect(
      CalendarUnit.day.time(1, after: first, in: Self.berlin) == UTCTime(rfc3339: "2026-03-29T05:30:00Z"))
    #expect(
      CalendarUnit.hour.time(24, after: first, in: Self.berlin) == UTCTime(rfc3339: "2026-03-29T06:30:00Z"))
  }

  @Test(arguments: ["2026-13-01T00:00", "2026-05-01", "07:30", "2026-05-01T07:30Z", "2026-05-01T25:00", ""])
  func `what is no time on the wall is refused`(_ text: String) { #expect(WallTime(text) == nil) }
}

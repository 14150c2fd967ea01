import Testing

@testable import LocationCore

/// Local time from rules of POSIX: offsets as the IANA database gives them (zdump of tzdata 2024a).
@Suite struct TimeZoneRuleTests {
  private static func time(_ text: String) throws -> UTCTime { try #require(UTCTime(rfc3339: text)) }

  @Test(arguments: [
    ("UTC0", "2026-07-01T12:00:00Z", 0),
    // Berlin: the last Sundays of March and October, at one o'clock UTC.
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T00:59:59Z", 3600),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:00:00Z", 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T00:59:59Z", 7200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:00:00Z", 3600),
    // New York: the second Sunday of March and the first of November, at two o'clock local time.
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -18_000),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -14_400),
    ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -18_000),
    // Sydney: summer passes the turn of the year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01T00:00:00Z", 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01T00:00:00Z", 36_000),
    // Dublin: its winter time is the one that is called daylight saving, and is behind.
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-15T00:00:00Z", 0),
    ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-15T00:00:00Z", 3600),
    // Names of digits, half hours, hours beyond a day and before midnight.
    ("<+0330>-3:30", "2026-07-01T12:00:00Z", 12_600),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -7200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -3600),
    ("EET-2EEST,M4.5.5/0,M10.5.4/24", "2026-10-29T20:59:59Z", 10_800),
    ("EET-2EEST,M4.5.5/0,M10.5.4/24", "2026-10-29T21:00:00Z", 7200),
    // Days of the year, with and without a leap day.
    ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00:00Z", 3600),
    ("AAA0BBB,59/0,300/0", "2024-02-29T00:00:00Z", 3600),
  ])
  func `local time is ahead of UTC by what the rule says`(rule: String, time: String, seconds: Int) throws {
    let zone = try #require(TimeZoneRule(name: "test", posix: rule))
    #expect(zone.secondsAhead(at: try Self.time(time)) == seconds)
  }

  @Test(arguments: [
    "", "UTC", "AB0", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-1x", "CET-1CEST,M3.6.0,M10.5.0",
    "<+03", "CET-999",
  ])
  func `what is no rule is refused`(rule: String) { #expect(TimeZoneRule(name: "test", posix: rule) == nil) }

  @Test func `hours that pass midnight belong to the day on which they begin`() throws {
    var filter = OfferFilter()
    filter.hours = DayHours(from: 22 * 60, to: 6 * 60)
    filter.days = [Weekdays(index: 5)]  // Friday
    filter.zone = try #require(TimeZoneRule(name: "Europe/Berlin", posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
    // 2026-05-01 was a Friday; summer time.
    for (text, isInside) in [
      ("2026-05-01T19:59:59Z", false), ("2026-05-01T20:00:00Z", true), ("2026-05-02T03:59:59Z", true),
      ("2026-05-02T04:00:00Z", false), ("2026-05-02T20:30:00Z", false), ("2026-05-01T03:00:00Z", false),
    ] {
      #expect(filter.isWithinHours(try Self.time(text)) == isInside, "\(text)")
    }
    filter.hours = nil
    #expect(filter.isWithinHours(try Self.time("2026-05-01T21:59:59Z")))
    #expect(!filter.isWithinHours(try Self.time("2026-05-01T22:00:00Z")))
  }
}

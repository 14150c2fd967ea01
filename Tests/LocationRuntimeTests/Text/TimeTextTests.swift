import LocationCore
import Testing

@testable import LocationFormats

/// Times and lines as people write and read them.
@Suite struct TimeTextTests {
  private static let berlin = TimeZoneRule(name: "Europe/Berlin", posix: "CET-1CEST,M3.5.0,M10.5.0/3")

  @Test(arguments: [
    ("now", "2026-05-04T06:40:00.000Z"), ("10m ago", "2026-05-04T06:30:00.000Z"),
    ("1h30m ago", "2026-05-04T05:10:00.000Z"), ("06:40", "2026-05-04T04:40:00.000Z"),
    ("6:40", "2026-05-04T04:40:00.000Z"), ("today", "2026-05-03T22:00:00.000Z"),
    ("yesterday", "2026-05-02T22:00:00.000Z"), ("Yesterday 22:00", "2026-05-03T20:00:00.000Z"),
    ("2026-05-04 06:40", "2026-05-04T04:40:00.000Z"), ("2026-05-04 06:40:12.5", "2026-05-04T04:40:12.500Z"),
    ("2026-01-04", "2026-01-03T23:00:00.000Z"),
    // A zone that is named counts, and what has a T is UTC.
    ("2026-05-04T06:40:00Z", "2026-05-04T06:40:00.000Z"),
    ("2026-05-04 06:40:00Z", "2026-05-04T06:40:00.000Z"),
    ("2026-05-04T06:40:00+02:00", "2026-05-04T04:40:00.000Z"),
    ("2026-05-04T06:40:00", "2026-05-04T06:40:00.000Z"),
    // The hour that the clocks skip, as if they did not, and the one that comes twice.
    ("2026-03-29 02:30", "2026-03-29T01:30:00.000Z"), ("2026-10-25 02:30", "2026-10-25T01:30:00.000Z"),
  ])
  func `a time is read in the zone of people`(text: String, expected: String) throws {
    let zone = try #require(Self.berlin)
    let now = try #require(UTCTime(rfc3339: "2026-05-04T06:40:00Z"))
    #expect(try TimeText.time(text, now: now, zone: zone).rfc3339 == expected)
  }

  @Test(arguments: ["", "soon", "2026-13-04", "25:00", "yesterday noon", "06:40 pm", "tomorrow ago", "1 2 3"])
  func `what is no time names the forms`(text: String) throws {
    do throws(Failure) {
      _ = try TimeText.time(text, now: UTCTime(microseconds: 0), zone: .utc)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.code == .usage && error.remedy?.contains("10m ago") == true)
    }
  }

  @Test(arguments: [
    ("CET-1CEST,M3.5.0,M10.5.0/3", "CET-1CEST,M3.5.0,M10.5.0/3"), (":UTC", "UTC"), (":", "UTC"),
    ("/usr/share/zoneinfo/UTC", "UTC"), (":/usr/share/zoneinfo/UTC", "UTC"),
  ])
  func `TZ is a name, a file or a rule`(text: String, name: String) throws {
    #expect(try TimeZoneFile.zone(ofVariable: text).name == name)
  }

  @Test(arguments: ["Europe/Berlin", "UTC", "CET-1CEST,M3.5.0,M10.5.0/3"])
  func `a replay takes zones from the snapshot, and rules as they are`(name: String) throws {
    let zone = try TimeZoneFile.zone(name, isReplayed: true)
    #expect(zone.name == name)
    #expect(name != "Europe/Berlin" || zone == TimeZoneSnapshot.zone(name))
  }

  @Test(arguments: [
    ("UTC-2", "UTC-2 is ahead of UTC, as POSIX has it; UTC+2 is behind it"), ("GMT+0", nil), ("UTC", nil),
    ("Europe/Berlin", nil), ("UTC0", nil),
  ])
  func `a rule that counts to the west is told as such`(name: String, text: String?) {
    #expect(TimeZoneFile.warning(about: name) == text)
  }

  @Test(arguments: [
    ("24:00-09:00", "00:00-09:00"), ("0-24", "00:00-24:00"), ("22-24", "22:00-24:00"), ("24-0", nil),
    ("24-24", nil),
  ])
  func `hours that begin at 24 begin the next day`(text: String, expected: String?) throws {
    let hours = try? MeasureText.hours(text)
    #expect(hours.map { MeasureText.text($0) } == expected)
    #expect(try expected.map { try MeasureText.hours($0) } == hours)
  }

  @Test(arguments: ["CET-1CEST", "Nowhere/City", "/nope", "../etc/passwd"])
  func `a TZ that can't be read is told as such`(text: String) {
    do throws(Failure) {
      _ = try TimeZoneFile.zone(ofVariable: text)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.code == .usage && error.what.hasPrefix("TZ: \"\(text)\""), "\(error)")
    }
  }

  @Test func `lines break between words, under their last column`() {
    #expect(TextWrap.wrap("short\nshort", width: 40) == "short\nshort")
    #expect(
      TextWrap.wrap("name      one two three four five six seven\n", width: 30)
        == "name      one two three four\n          five six seven\n")
    #expect(
      TextWrap.wrap("locwatch: one two three four five", width: 20) == "locwatch: one two\n  three four five")
    let long = String(repeating: "x", count: 50)
    #expect(TextWrap.wrap(long, width: 30) == long)
  }
}

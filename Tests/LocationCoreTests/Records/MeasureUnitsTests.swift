import Testing

@testable import LocationCore

/// Distances, speeds and energy in words.
@Suite struct MeasureUnitsTests {
  @Test(arguments: [
    (0.0, "0.0 m", "0.0 ft", "0.0 m"), (5.04, "5.0 m", "17 ft", "5.0 m"),
    (120, "120 m", "394 ft", "120 m"), (999, "999 m", "0.62 mi", "999 m"),
    (1852, "1,852 m", "1.15 mi", "1.00 nmi"), (9_999, "9,999 m", "6.21 mi", "5.40 nmi"),
    (12_345, "12.3 km", "7.67 mi", "6.67 nmi"), (5_000_000, "5,000.0 km", "3,106.9 mi", "2,699.8 nmi"),
  ])
  func `a distance has the unit that fits its size`(
    meters: Double, metric: String, imperial: String, nautical: String
  ) {
    #expect(Wording.distance(meters, in: .metric) == metric)
    #expect(Wording.distance(meters, in: .imperial) == imperial)
    #expect(Wording.distance(meters, in: .nautical) == nautical)
  }

  @Test(arguments: [("03", "06:00:00"), ("01", "2026-05-01 06:00:00")])
  func `a visit that began on another day has the date`(day: String, since: String) throws {
    let fix = Fix.sample
    let visit = VisitEvent(
      kind: .depart, visit: 1, instant: fix.instant, coordinate: fix.coordinate, radiusMeters: 1,
      arrived: try #require(UTCTime(rfc3339: "2026-05-\(day)T06:00:00Z")), departed: nil,
      seen: try #require(UTCTime(rfc3339: "2026-05-03T07:00:00Z")), reason: .end)
    let text = TextRecord(.visit(visit), at: visit.seen)
    #expect(text?.detail.contains(", since \(since), last seen there ") == true, "\(text?.detail ?? "")")
  }

  @Test func `speeds are those of speedometers`() {
    #expect(Wording.speed(10, in: .metric) == "36.0 km/h")
    #expect(Wording.speed(10, in: .imperial) == "22.4 mph")
    #expect(Wording.speed(10, in: .nautical) == "19.4 kn")
  }

  @Test func `an assumed accuracy is marked in every unit`() {
    let accuracy = Accuracy(radiusMeters: 30, source: .assumed)
    #expect(Wording.accuracy(accuracy, in: .imperial) == "±98 ft (assumed)")
  }

  @Test(arguments: [
    (0.5, "0.50 J", "0.1 mWh"), (313, "313 J", "87 mWh"), (2378, "2,378 J", "0.66 Wh"),
    (24_700, "24.7 kJ", "6.86 Wh"), (3.6e6, "3,600.0 kJ", "1,000.0 Wh"), (3.6e7, "36.0 MJ", "10,000.0 Wh"),
  ])
  func `energy has separators, and watt hours beside it`(joules: Double, text: String, hours: String) {
    #expect(Wording.energy(joules) == text)
    #expect(Wording.wattHours(joules) == hours)
  }

  @Test func `separators stand between each three digits, behind the sign`() {
    #expect(Wording.count(1_234_567) == "1,234,567")
    #expect(Wording.count(-123) == "-123")
    #expect(Wording.count(-1234) == "-1,234")
    #expect(Wording.figure(-1234.56, 1) == "-1,234.6")
  }

  @Test func `a record is told in the units asked for`() throws {
    let body = Record.Body.fixAccepted(
      Fix(
        time: UTCTime(microseconds: 0), instant: EngineInstant(microseconds: 0),
        coordinate: Coordinate(uncheckedLatitude: 48, longitude: 11),
        accuracy: Accuracy(radiusMeters: 100, source: .reported), speedMetersPerSecond: 10), [])
    let record = Record(id: 1, time: UTCTime(microseconds: 0), body: body)
    #expect(TextRecord(record, in: .nautical)?.detail.contains("19.4 kn") == true)
    #expect(TextRecord(record, in: .imperial)?.detail.contains("±328 ft") == true)
  }
}

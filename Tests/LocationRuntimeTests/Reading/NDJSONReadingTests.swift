import LocationCore
import LocationFormats
import Testing

@Suite("Reading NDJSON")
struct NDJSONReadingTests {
  @Test("the minimal form gives position, time, accuracy, speed and course")
  func minimalForm() throws {
    let reading = try Reading(
      """
      {"time":"2024-05-01T10:00:00Z","lat":48.1,"lon":11.5,"acc_m":7.5,"speed_mps":1.5,"course_deg":90}
      {"ts":1714557601.5,"lat":48.1001,"lng":11.5,"mode":2}
      {"time":"2024-05-01T10:00:02Z","latitude":48.1,"longitude":11.5,"accuracy":7.5}
      {"time":"2024-05-01T10:00:03Z","lat":48.1,"lon":11.5,"acc":7.5}
      """)
    #expect(reading.failure == nil)
    let expected = [
      FixReport(
        time: UTCTime(microseconds: 1_714_557_600_000_000), latitude: 48.1, longitude: 11.5,
        accuracy: Accuracy(radiusMeters: 7.5, source: .reported), speedMetersPerSecond: 1.5, courseDegrees: 90
      ),
      FixReport(
        time: UTCTime(microseconds: 1_714_557_601_500_000), latitude: 48.1001, longitude: 11.5,
        accuracy: .assumed(.twoD), mode: .twoD),
    ]
    #expect(reading.fixes.prefix(2) == expected[...])
    let spelledOut = reading.fixes.dropFirst(2)
    #expect(spelledOut.allSatisfy { $0.latitude == 48.1 && $0.longitude == 11.5 } && spelledOut.count == 2)
    #expect(spelledOut.allSatisfy { $0.accuracy == expected[0].accuracy })
  }

  @Test("a line that is not JSON fails with its number, after the fixes before it")
  func badLine() throws {
    let good = #"{"time":1,"lat":1,"lon":1}"#
    for bad in ["x", "{", #"{"lat":1,"lon":}"#, "\u{0}"] {
      let reading = try Reading("\(good)\n\n\(good)\n\(bad)\n\(good)\n")
      #expect(reading.fixes.count == 2)
      #expect(reading.failure?.line == 4 && reading.failure?.code == .data)
    }
  }

  @Test("a file that is cut off in a line gives the lines before, then the error")
  func cutOff() throws {
    let reading = try Reading("{\"time\":1,\"lat\":1,\"lon\":1}\n{\"time\":2,\"la")
    #expect(reading.fixes.count == 1)
    #expect(reading.failure?.line == 2 && reading.failure?.what == "the JSON object is cut off")
  }

  @Test("a line beyond 64 KiB is refused")
  func longLine() throws {
    let reading = try Reading(
      "{\"time\":1,\"lat\":1,\"lon\":1}\n{\"a\":\"\(String(repeating: "x", count: 70_000))\"}")
    #expect(reading.fixes.count == 1)
    #expect(reading.failure?.what == "the line is longer than 64 KiB" && reading.failure?.line == 2)
  }

  @Test("lines without times need an interval, as tracks do")
  func untimed() throws {
    let lines = "\n{\"lat\":1,\"lon\":1}\n{\"lat\":2,\"lon\":1}\n"
    let reading = try Reading(lines)
    #expect(reading.fixes.count == 2)
    #expect(reading.failure?.what == "no track point has a time like 2026-05-01T06:00:00Z")
    #expect(reading.failure?.line == 2)
    let assigned = try Reading(lines, options: TrackOptions(intervalSeconds: 60))
    #expect(assigned.failure == nil)
    #expect(
      assigned.fixes.map { $0.time?.rfc3339 } == ["2000-01-01T00:00:00.000Z", "2000-01-01T00:01:00.000Z"])
  }

  @Test("objects without a position are counted in a note")
  func otherObjects() throws {
    let reading = try Reading("{\"v\":1}\n{\"time\":1,\"lat\":1,\"lon\":1}\n{\"v\":2}\n")
    #expect(reading.fixes.count == 1)
    #expect(reading.notes == ["2 objects without a position, skipped"])
  }

  @Test("a byte order mark before the first line is passed over")
  func byteOrderMark() throws {
    #expect(try Reading("\u{FEFF}{\"time\":1,\"lat\":1,\"lon\":1}\n").fixes.count == 1)
  }
}

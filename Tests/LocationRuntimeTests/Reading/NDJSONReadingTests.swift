import LocationCore
import LocationRuntime
import Testing

@Suite("Reading NDJSON")
struct NDJSONReadingTests {
  @Test("the minimal form gives position, time, accuracy, speed and course")
  func minimalForm() throws {
    let reading = try Reading(
      """
      {"time":"2024-05-01T10:00:00Z","lat":48.1,"lon":11.5,"acc_m":7.5,"speed_mps":1.5,"course_deg":90}
      {"ts":1714557601.5,"lat":48.1001,"lng":11.5,"mode":2}
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
    #expect(reading.fixes == expected)
  }
}

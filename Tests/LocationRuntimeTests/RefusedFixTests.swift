import Testing

@testable import LocationCore
@testable import LocationRuntime

/// A report without a position is said to have none, in every format.
@Suite struct RefusedFixTests {
  private static let report = FixReport(
    time: UTCTime(rfc3339: "2026-05-01T06:00:00Z"), latitude: .nan, longitude: .nan,
    accuracy: .assumed(.noFix), mode: .noFix)

  @Test(arguments: [
    (RecordFormat.ndjson, #""time":"2026-05-01T06:00:00.000Z","reason":"no_fix"}"#),
    (.csv, "fix.rejected,2026-05-01T06:00:00.000Z,,,,,,,,,,,,no_fix"),
    (.text, "no_fix: no position"),
  ])
  func `no position is not taken for one`(format: RecordFormat, end: String) throws {
    var encoder = RecordEncoder(format: format, track: nil)
    let time = try #require(Self.report.time)
    let record = Record(id: 7, time: time, body: .fixRejected(.noFix, Self.report))
    let line = encoder.encode(record) ?? []
    let text = String(decoding: line, as: UTF8.self)
    #expect(text.hasSuffix(end) || text.hasSuffix(end + "\n"), "\(text)")
  }
}

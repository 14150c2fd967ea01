import LocationCore
import LocationFormats
import TestSupport
import Testing

@Suite("GPX corpus", .enabled(if: Corpus.folder != nil))
struct GPXCorpusTests {
  /// Real files that no strict parser reads, and what is made of them.
  static let notWellFormed: [String: Int?] = [
    "gpx/gpxstudio__gpx.studio/gpx__test-data__with_power_2.gpx": 80,
    "gpx/ThomasDaheim__GPXEditor/src__test__resources__testxmnls.gpx": 2,
    "gpx/peterjamesward__GPXmagicV3/notes__latitudeFlip.gpx": nil,
  ]

  @Test("every real file gives the points the oracle counted, or fails in one line")
  func everyFile() throws {
    let folder = try #require(Corpus.folder)
    let rows = CorpusTable.rows("oracle/point_counts.csv")
    #expect(rows.count == 164)
    for row in rows {
      let reading = Reading(path: folder + "/" + row[0])
      let name = row[0]
      let (trkpt, rtept, wpt) = (Int(row[4]) ?? 0, Int(row[5]) ?? 0, Int(row[6]) ?? 0)
      if row[1] == "0" {
        #expect(reading.fixes.count == (Self.notWellFormed[name] ?? -1) ?? 0, "\(name)")
      } else {
        let expected = trkpt > 0 ? trkpt : rtept > 0 ? rtept : wpt
        #expect(reading.fixes.count == expected, "\(name): \(reading.failure.map { "\($0)" } ?? "")")
        let isUntimed = !reading.fixes.contains { $0.time != nil }
        #expect((reading.failure != nil) == (expected == 0 || isUntimed), "\(name)")
      }
      if let failure = reading.failure {
        #expect(failure.code == .data && failure.line != nil && failure.file != nil, "\(name)")
        #expect(!failure.description.contains("\n"))
      }
    }
  }
}

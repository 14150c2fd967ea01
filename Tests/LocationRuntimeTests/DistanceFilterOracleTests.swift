import LocationCore
import LocationFormats
import TestSupport
import Testing

/// The plain distance rule on real tracks against indices computed with another library.
@Suite struct DistanceFilterOracleTests {
  /// One row of `oracle/distance_filter.csv`.
  struct Row: CustomTestStringConvertible, Sendable {
    var file: String
    var validPoints: Int
    var thresholdMeters: Double
    var events: [Int]
    var testDescription: String { "\(file) at \(thresholdMeters) m" }
  }

  static let rows: [Row] = CorpusTable.rows("oracle/distance_filter.csv").compactMap { fields in
    guard fields.count == 6, let points = Int(fields[1]), let threshold = Double(fields[2]) else {
      return nil
    }
    return Row(
      file: fields[0], validPoints: points, thresholdMeters: threshold,
      events: fields[5].split(separator: " ").compactMap { Int($0) })
  }

  @Test(arguments: rows) func realTracksPassTheSamePoints(_ row: Row) throws {
    let path = try #require(Corpus.path(row.file))
    var reader = try TrackReader(path: path, options: TrackOptions(intervalSeconds: 1))
    var filter = DistanceFilter(thresholdMeters: row.thresholdMeters)
    var batch: [TrackItem] = []
    var index = 0
    var passed: [Int] = []
    var isMore = true
    while isMore {
      batch.removeAll()
      do { isMore = try reader.read(into: &batch) } catch { isMore = false }
      for case .fix(let report) in batch {
        guard let place = Coordinate(latitude: report.latitude, longitude: report.longitude) else { continue }
        if filter.passes(place) { passed.append(index) }
        index += 1
      }
    }
    #expect(index == row.validPoints)
    #expect(passed == row.events)
  }

  @Test func everyRowIsRead() { #expect(Self.rows.count == 236 || !Corpus.isPresent) }
}

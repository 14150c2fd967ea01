import LocationCore
import LocationFormats
import TestSupport
import Testing

/// The plain distance rule on real tracks against indices computed with another library.
@Suite struct DistanceFilterOracleTests {
  /// One row of `oracle/distance_filter.csv`.
  struct Row {
    var file: String
    var validPoints: Int
    var thresholdMeters: Double
    var events: [Int]
  }

  static let rows: [Row] = CorpusTable.rows("oracle/distance_filter.csv").compactMap { fields in
    guard fields.count == 6, let points = Int(fields[1]), let threshold = Double(fields[2]) else {
      return nil
    }
    return Row(
      file: fields[0], validPoints: points, thresholdMeters: threshold,
      events: fields[5].split(separator: " ").compactMap { Int($0) })
  }

  @Test(arguments: Set(rows.map(\.file)).sorted()) func realTracksPassTheSamePoints(_ file: String) throws {
    let path = try #require(Corpus.path(file))
    var reader = try TrackReader(path: path, options: TrackOptions(intervalSeconds: 1))
    var batch: [TrackItem] = []
    var places: [Coordinate] = []
    var isMore = true
    while isMore {
      batch.removeAll()
      do { isMore = try reader.read(into: &batch) } catch { isMore = false }
      for case .fix(let report) in batch {
        guard let place = Coordinate(latitude: report.latitude, longitude: report.longitude) else { continue }
        places.append(place)
      }
    }
    for row in Self.rows where row.file == file {
      var filter = DistanceFilter(thresholdMeters: row.thresholdMeters)
      let passed = places.indices.filter { filter.passes(places[$0]) }
      #expect(places.count == row.validPoints)
      #expect(passed == row.events, "at \(row.thresholdMeters) m")
    }
  }

  @Test func everyRowIsRead() { #expect(Self.rows.count == 236 || !Corpus.isPresent) }
}

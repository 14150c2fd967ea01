import Foundation
import TestSupport
import Testing

/// `locwatch regions import` and `locate` against the corpus' table of which places lie in which countries.
@Suite struct RegionsTruthTests {
  private let folder = TemporaryFolder()

  private struct Answer: Decodable {
    var inside: [String]
    var edgeMeters: Double

    enum CodingKeys: String, CodingKey {
      case inside
      case edgeMeters = "edge_m"
    }
  }

  /// A place is judged where no edge of any region is within a metre.
  @Test(.enabled(if: Corpus.isPresent)) func `imported countries hold the places that they should`()
    async throws
  {
    let state = ["XDG_STATE_HOME": folder("state")]
    let file = try #require(Corpus.path("regions/polygons.geojson"))
    let imported = try await Binary.run(["regions", "import", file], environment: state)
    #expect(
      imported.stdout == #"{"added":50,"changed":0,"unchanged":0,"left_out":0}"# + "\n", "\(imported.stderr)")
    let rows = try Corpus.rows(
      "regions/points_truth.csv", separator: ",", hasHeading: true, every: Corpus.isFull ? 1 : 20)
    let places = rows.map { "\($0[4]),\($0[3])\n" }.joined()
    let located = try await Binary.run(["regions", "locate"], stdin: places, environment: state)
    let lines = located.stdoutBytes.split(separator: UInt8(ascii: "\n"))
    try #require(lines.count == rows.count, "\(located.stderr)")
    var judged = 0
    for (row, line) in zip(rows, lines) {
      let answer = try JSONDecoder().decode(Answer.self, from: Data(line))
      guard abs(answer.edgeMeters) > 1 else { continue }
      judged += 1
      // A cut along the antimeridian is an edge in the table, and none on the Earth.
      let open = row[5].enumerated().filter { $0.element == "B" }.map { "\($0.offset)" }
      let truth = row[5].enumerated().filter { $0.element == "1" }.map { "\($0.offset)" }
      let found = Set(answer.inside).subtracting(open)
      #expect(found == Set(truth), "\(row[3]) \(row[4]) \(String(decoding: line, as: UTF8.self))")
    }
    #expect(judged > rows.count / 2)
  }
}

import LocationCore
import TestSupport
import Testing

/// Against the tables of the corpus; of the distances every 20th row, or all with `LOCWATCH_FULL`.
@Suite(.enabled(if: Corpus.isPresent)) struct GeodesyCorpusTests {
  static let step = Corpus.isFull ? 1 : 20

  @Test("The distances of the geodesic table are met to a tenth of a micrometre")
  func distances() throws {
    let rows = try Corpus.rows("geodesic/geodesic.csv", separator: ",", hasHeading: true, every: Self.step)
    #expect(rows.count >= 100_000 / Self.step)
    for row in rows {
      let n = try row.dropFirst().map { try #require(Double($0)) }
      let meters = Geodesy.distanceMeters(
        Coordinate.at(latitude: n[0], longitude: n[1]), Coordinate.at(latitude: n[2], longitude: n[3]))
      if !(abs(meters - n[4]) < 1e-7) { Issue.record("\(row): \(meters)") }
    }
  }

  @Test("The azimuths of the geodesic table are met where they are determined")
  func azimuths() throws {
    let rows = try Corpus.rows("geodesic/geodesic.csv", separator: ",", hasHeading: true, every: 50)
    for row in rows where row[0] == "random" || row[0] == "city_1_100km" || row[0] == "near_antipodal" {
      let n = try row.dropFirst().map { try #require(Double($0)) }
      let line = Geodesy.inverse(
        from: Coordinate.at(latitude: n[0], longitude: n[1]),
        to: Coordinate.at(latitude: n[2], longitude: n[3]))
      let turns = (line.startAzimuthDegrees - n[5], line.endAzimuthDegrees - n[6])
      let worst = Swift.max(
        abs(turns.0.remainder(dividingBy: 360)), abs(turns.1.remainder(dividingBy: 360)))
      if !(worst < 1e-8) { Issue.record("\(row): \(line)") }
    }
  }

  @Test("Every circle of the table is decided rightly, by distance and by threshold")
  func circles() throws {
    let rows = try Corpus.rows("geodesic/circles.csv", separator: ",", hasHeading: true)
    #expect(rows.count >= 19_000)
    for row in rows {
      let n = try row.map { try #require(Double($0)) }
      let center = Coordinate.at(latitude: n[0], longitude: n[1])
      let other = Coordinate.at(latitude: n[3], longitude: n[4])
      let isInside = row[6] == "1"
      if Geodesy.isWithin(n[2], of: center, other) != isInside
        || Geodesy.isAtLeast(n[2], from: center, to: other) == isInside
      {
        Issue.record("\(row)")
      }
    }
  }

  @Test("GeodTest's lines are met both ways")
  func geodTest() throws {
    let rows = try Corpus.rows("geodesic/GeodTest-100.dat", separator: " ", hasHeading: false)
    #expect(rows.count == 100)
    for row in rows {
      let n = try row.map { try #require(Double($0)) }
      let a = Coordinate.at(latitude: n[0], longitude: n[1])
      let b = Coordinate.at(latitude: n[3], longitude: n[4])
      #expect(abs(Geodesy.distanceMeters(a, b) - n[6]) < 1e-6)
      let arrival = Geodesy.arrival(from: a, azimuthDegrees: n[2], distanceMeters: n[6])
      #expect(Geodesy.distanceMeters(arrival.place, b) < 1e-6)
    }
  }
}

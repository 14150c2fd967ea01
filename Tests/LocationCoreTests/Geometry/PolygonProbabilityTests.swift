import Testing

@testable import LocationCore

@Suite struct PolygonProbabilityTests {
  private func inside(_ shape: ShapeGeometry, _ here: Coordinate, _ sigma: Double) -> Double {
    shape.probabilityInside(
      at: here, edgeMeters: shape.edgeMeters(at: here), sigmaMeters: sigma)
  }

  private func rectangle(_ east: ClosedRange<Double>, _ north: ClosedRange<Double>) -> [Coordinate] {
    [
      (east.lowerBound, north.lowerBound), (east.upperBound, north.lowerBound),
      (east.upperBound, north.upperBound), (east.lowerBound, north.upperBound),
      (east.lowerBound, north.lowerBound),
    ].map { place(east: $0.0, north: $0.1, from: munich) }
  }

  /// Against the product of two normals; either winding, with and without the tree.
  @Test(arguments: [5.0, 20, 80]) func isExactForARectangle(sigma: Double) throws {
    let ring = rectangle(-50...70, -30...20)
    let hole = rectangle(-1_000...1_000, -1_000...1_000)
    for (shell, holes, isHole) in [(ring, [], false), (ring.reversed(), [], false), (hole, [ring], true)] {
      let shape = try ShapeGeometry(.polygon(Region.Polygon(shell: shell, holes: holes)))
      for (east, north) in [(0.0, 0.0), (-50, 0), (70, 20), (75, 25), (-60, -45), (10, 19.99), (60, 0)] {
        let along =
          NormalDistribution.cumulative((70 - east) / sigma)
          - NormalDistribution.cumulative((-50 - east) / sigma)
        let across =
          NormalDistribution.cumulative((20 - north) / sigma)
          - NormalDistribution.cumulative((-30 - north) / sigma)
        let here = place(east: east, north: north, from: munich)
        let expected = isHole ? 1 - along * across : along * across
        #expect(abs(inside(shape, here, sigma) - expected) < 2e-4, "\(east) \(north)")
      }
    }
  }

  /// On an edge and at a corner, however exact the fix claims to be; the first edge leads where such a fix is moved.
  @Test(arguments: [5, 1e-3, 1e-5, 1e-7, 1e-12, .leastNormalMagnitude])
  func hasHalfOfAFixOnAnEdge(sigma: Double) throws {
    let corners = [(0.0, 0.0), (171, 83), (88, 254), (-83, 171), (0, 0)]
    let far = rectangle(-5_000...5_000, -5_000...5_000)
    let ring = corners.map { place(east: $0.0, north: $0.1, from: munich) }
    for (shell, holes) in [(ring, []), (far, [ring])] {
      let shape = try ShapeGeometry(.polygon(Region.Polygon(shell: shell, holes: holes)))
      let middle = Coordinate(
        uncheckedLatitude: 0.5 * (ring[0].latitude + ring[1].latitude),
        longitude: 0.5 * (ring[0].longitude + ring[1].longitude))
      // What rounding makes of being on the edge may be much, in standard deviations of nothing.
      let onEdge = inside(shape, middle, sigma)
      #expect(sigma < 1e-3 ? (0...1).contains(onEdge) : abs(onEdge - 0.5) < 1e-3, "\(onEdge)")
      #expect((0...1).contains(inside(shape, ring[0], sigma)))
    }
  }

  @Test func aPolygonOfManyCornersIsACircle() throws {
    for corners in [30, 300] {
      let ring = (0...corners).map { corner in
        let (sine, cosine) = Trig.sincos(2 * Double.pi * Double(corner % corners) / Double(corners))
        return place(east: 100 * cosine, north: 100 * sine, from: munich)
      }
      let polygon = try ShapeGeometry(.polygon(Region.Polygon(shell: ring)))
      let circle = CircleGeometry(center: munich, radiusMeters: 100)
      for sigma in [10.0, 50, 120] {
        for east in [0.0, 60, 100, 130] {
          let here = place(east: east, from: munich)
          let expected = circle.probabilityInside(edgeMeters: east - 100, sigmaMeters: sigma)
          let limit = corners == 30 ? 0.03 : 5e-4
          #expect(abs(inside(polygon, here, sigma) - expected) < limit, "\(corners) \(sigma) \(east)")
        }
      }
    }
  }

  @Test func aCorridorIsNearlyAStrip() throws {
    let line = [place(east: -2_000, from: munich), place(east: 2_000, from: munich)]
    let shape = try ShapeGeometry(.corridor(line: line, bufferMeters: 20))
    for sigma in [5.0, 15, 40] {
      for north in [0.0, 15, 20, 30] {
        let expected =
          NormalDistribution.cumulative((20 - north) / sigma)
          - NormalDistribution.cumulative((-20 - north) / sigma)
        #expect(abs(inside(shape, place(east: 0, north: north, from: munich), sigma) - expected) < 0.05)
      }
    }
  }
}

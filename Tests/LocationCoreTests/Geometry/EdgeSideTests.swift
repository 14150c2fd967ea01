import Testing

@testable import LocationCore

/// The side of the nearest edge, against crossings and against GEOS.
@Suite struct EdgeSideTests {
  private static let middle = Coordinate(uncheckedLatitude: 52, longitude: 13)

  /// Around, inside and just beside the corners of a star with a hole.
  @Test(arguments: [12, 34, 200, 1_500]) func isThatOfCrossings(corners: Int) throws {
    var noise = SeededNoise(seed: corners)
    let shell = ShapeGeometryTests.star(corners, &noise, at: Self.middle, radius: 900)
    let hole = ShapeGeometryTests.star(40, &noise, at: Self.middle, radius: 100)
    let tree = EdgeTree([
      RingFrame.directed(shell, counterclockwise: true), RingFrame.directed(hole, counterclockwise: false),
    ])
    var told = 0
    var asked = 0
    for corner in shell + hole {
      for reach in [1e-3, 1.0, 50, 900, 9_000] {
        let beside = place(
          east: noise.uniform(-reach...reach), north: noise.uniform(-reach...reach), from: corner)
        var search = EdgeSearch(
          longitude: beside.longitude, latitude: beside.latitude,
          scale: LocalScale(latitude: beside.latitude))
        tree.measure(&search)
        tree.cross(&search)
        asked += 1
        guard let isLeft = tree.isLeftOfNearest(search) else { continue }
        told += 1
        #expect(isLeft == search.isOdd, "\(noise) \(beside)")
      }
    }
    // The first and last vertices of rings do not tell, and are the nearest of few places.
    #expect(Double(told) > 0.8 * Double(asked))
  }

  /// Rings that touch, vertices that are told twice, and a spike a tenth of a micrometre wide.
  @Test func ofRingsThatTouchIsThatOfGEOS() throws {
    // A hole that touches the shell's corner from inside, and a square at the opposite corner.
    let shell = [(0, 40), (0, 0), (40, 0), (40, 0), (40, 40), (0, 40)]
    let hole = [(20, 10), (10, 20), (0, 0), (20, 10)]
    let neighbor = [(40, 40), (60, 40), (60, 60), (40, 60), (40, 40)]
    // So that it is kept in a tree, the neighbour has many vertices.
    let fringe = (0..<40).map { (58 - $0, 60 + $0 % 2) }
    let neighborhood = Array(neighbor[..<3]) + fringe.filter { $0.0 > 40 } + Array(neighbor[3...])
    let spike = [(80, 0), (80, 50), (81, 0), (80, 0)]
    let polygons = [[shell, hole], [neighborhood], [spike]].map { rings in
      rings.map { ring in
        ring.map { x, y in
          Coordinate(
            uncheckedLatitude: 52 + Double(y) * 1e-4,
            longitude: x == 81 ? 13.008 + 1e-12 : 13 + Double(x) * 1e-4)
        }
      }
    }
    let shape = try ShapeGeometry(
      .multiPolygon(polygons.map { Region.Polygon(shell: $0[0], holes: Array($0.dropFirst())) }))
    let prepared = try PreparedPolygon(polygons)
    var noise = SeededNoise(seed: 5)
    for _ in 0..<20_000 {
      let here = Coordinate(
        uncheckedLatitude: 52 + noise.uniform(-1e-3...7e-3), longitude: 13 + noise.uniform(-1e-3...9e-3))
      let edge = shape.edgeMeters(at: here)
      #expect((edge < 0) == prepared.covers(here), "\(noise) \(here) \(edge)")
    }
  }

  /// A hole whose corner lies on an edge of the shell, and places in line with that corner.
  @Test(arguments: [5, 40]) func ofAHoleOnAnEdgeIsThatOfGEOS(corners: Int) throws {
    func ring(_ pairs: [(Int, Int)]) -> [Coordinate] {
      pairs.map { Coordinate(uncheckedLatitude: Double($0.1) / 1_024, longitude: Double($0.0) / 1_024) }
    }
    // Along the north many vertices, so that the shell takes several groups.
    let north = (0...corners).map { (64 - $0 * 64 / corners, 64) }
    let shell = ring([(0, 0), (64, 0)] + north + [(0, 0)])
    let hole = ring([(24, 40), (32, 0), (40, 40), (24, 40)])
    for rings in [[shell, hole], [shell, hole.reversed()]] {
      let shape = try ShapeGeometry(
        .polygon(Region.Polygon(shell: rings[0], holes: [rings[1]])))
      let prepared = try PreparedPolygon([rings])
      for x in 0...64 {
        for y in stride(from: -63, through: 127, by: 2) {
          let here = Coordinate(uncheckedLatitude: Double(y) / 1_024, longitude: Double(x) / 1_024)
          let edge = shape.edgeMeters(at: here)
          if abs(edge) > 1e-6 { #expect((edge < 0) == prepared.covers(here), "\(x) \(y) \(edge)") }
        }
      }
    }
  }
}

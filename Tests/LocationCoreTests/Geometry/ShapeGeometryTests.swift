import TestSupport
import Testing

@testable import LocationCore

/// Inside and outside, and how far, against known answers. `LOCWATCH_FULL` takes every row.
@Suite struct ShapeGeometryTests {
  private static let step = Corpus.isFull ? 1 : 40

  @Test(.enabled(if: Corpus.isPresent)) func agreesWithTheTruthTableOfRealPolygons() throws {
    let shapes = try ShapeCorpus.features("polygons.geojson").map { feature in
      try ShapeGeometry(#require(feature).shape)
    }
    let rows = try ShapeCorpus.rows("points_truth.csv")
    var wrong: [String] = []
    var checked = 0
    for (index, row) in rows.enumerated() where index % Self.step == 0 {
      guard let place = ShapeCorpus.place(longitude: row[3], latitude: row[4]) else { continue }
      for (shape, truth) in zip(shapes, row[5]) {
        let edge = shape.edgeMeters(at: place)
        checked += 1
        switch truth {
        // The edge along the antimeridian is a cut, not a boundary.
        case "B": if abs(edge) > 1e-3, abs(place.longitude) != 180 { wrong.append("\(row) \(edge)") }
        case "1": if edge > 1e-6 { wrong.append("\(row) \(edge)") }
        default: if edge < -1e-6 { wrong.append("\(row) \(edge)") }
        }
      }
    }
    #expect(checked > 10_000)
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
  }

  /// The table has the distance to the boundary's place that is nearest in degrees, which is never the less.
  @Test(.enabled(if: Corpus.isPresent)) func isNeverFartherThanTheTableSays() throws {
    let shapes = try ShapeCorpus.features("polygons.geojson").map { feature in
      try ShapeGeometry(#require(feature).shape)
    }
    var checked = 0
    for (index, row) in try ShapeCorpus.rows("points_truth.csv").enumerated() where index % Self.step == 0 {
      guard let place = ShapeCorpus.place(longitude: row[3], latitude: row[4]), let source = Int(row[2]),
        let meters = Double(row[7]), meters < 5_000, abs(place.latitude) < 75, abs(place.longitude) < 179
      else { continue }
      checked += 1
      let edge = abs(shapes[source].edgeMeters(at: place))
      #expect(edge < 1e-3 + meters * 1.001, "\(row) \(edge)")
    }
    #expect(checked > 20)
  }

  @Test(.enabled(if: Corpus.isPresent)) func ringsAcrossTheAntimeridianNeedNoCut() throws {
    let features = try ShapeCorpus.features("antimeridian_uncut.geojson").map { try #require($0) }
    let shapes = try features.map { try ShapeGeometry($0.shape) }
    let rows = try ShapeCorpus.rows("antimeridian_uncut_truth.csv")
    var checked = 0
    for (index, row) in rows.enumerated() where index % (Corpus.isFull ? 1 : 7) == 0 {
      let place = try #require(ShapeCorpus.place(longitude: row[1], latitude: row[2]))
      for (feature, shape) in zip(features, shapes) where feature.name.hasPrefix("\(row[0]) ") {
        let edge = shape.edgeMeters(at: place)
        checked += 1
        if abs(edge) > 1e-3 { #expect((edge < 0) == (row[3] == "1"), "\(feature.name) \(row) \(edge)") }
      }
    }
    #expect(checked > 500)
  }

  @Test(.enabled(if: Corpus.isPresent)) func invalidShapesAreRefusedWithAReasonOrAnsweredRightly() throws {
    let features = try ShapeCorpus.features("invalid.geojson")
    let rows = try ShapeCorpus.rows("invalid_truth.csv")
    var refused = 0
    for (index, feature) in features.enumerated() {
      guard let feature else { continue }
      let shape: ShapeGeometry
      do {
        shape = try ShapeGeometry(feature.shape)
      } catch {
        guard case .invalidGeometry(let reason, _) = error else {
          Issue.record("\(feature.name): \(error)")
          continue
        }
        #expect(!reason.isEmpty)
        refused += 1
        continue
      }
      for row in rows where row[0] == "\(index)" && row[6] == "1" && row[3] != "B" {
        // The table's plane goes on east of 180 degrees, and its box from 170 to -170 goes the long way.
        guard let x = Double(row[1]), abs(x) <= 180 || feature.name.contains("am-360"),
          !feature.name.contains("am-cross"),
          let place = ShapeCorpus.place(longitude: row[1], latitude: row[2])
        else { continue }
        let edge = shape.edgeMeters(at: place)
        if abs(edge) > 1 { #expect((edge < 0) == (row[3] == "1"), "\(feature.name) \(row) \(edge)") }
      }
    }
    #expect(refused > 30)
  }

  @Test func aFlawIsToldInTheWordsOfGEOS() throws {
    func shape(_ pairs: [(Double, Double)]) throws(RegionError) {
      let ring = pairs.map { Coordinate(uncheckedLatitude: $0.1, longitude: $0.0) }
      _ = try ShapeGeometry(.polygon(Region.Polygon(shell: ring)))
    }
    #expect(
      throws: RegionError.invalidGeometry(
        reason: "Self-intersection", place: Coordinate(latitude: 1, longitude: 1))
    ) { try shape([(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)]) }
    #expect(
      throws: RegionError.invalidGeometry(
        reason: "Points of LinearRing do not form a closed linestring",
        place: Coordinate(latitude: 0, longitude: 0))
    ) { try shape([(0, 0), (2, 2), (2, 0), (0, 2)]) }
    #expect(throws: RegionError.self) { try shape([(0, 0), (2, 2), (0, 0)]) }
    #expect(throws: RegionError.self) { try shape([(0, 0), (1, 1), (2, 2), (0, 0)]) }
    #expect(throws: RegionError.self) { try shape([]) }
    #expect(throws: RegionError.self) { _ = try ShapeGeometry(.multiPolygon([])) }
    #expect(throws: RegionError.self) { _ = try ShapeGeometry(.corridor(line: [munich], bufferMeters: 5)) }
    #expect(throws: RegionError.self) {
      _ = try ShapeGeometry(.corridor(line: [munich, munich], bufferMeters: 5))
    }
    #expect(throws: RegionError.self) {
      _ = try ShapeGeometry(.corridor(line: [munich, place(east: 9, from: munich)], bufferMeters: 0))
    }
  }

  /// A pentagram runs around its middle in one direction too.
  @Test(arguments: [5, 7, 41], [1.0, -1]) func aRingThatGoesRoundTwiceIsRefused(corners: Int, way: Double)
    throws
  {
    func ring(rounds: Int) -> Region.Shape {
      let ring = (0...corners).map { corner in
        let (sine, cosine) = Trig.sincos(
          way * 2 * Double.pi * Double(rounds * (corner % corners)) / Double(corners))
        return place(east: 500 * cosine, north: 500 * sine, from: munich)
      }
      return .polygon(Region.Polygon(shell: ring))
    }
    #expect(throws: Never.self) { _ = try ShapeGeometry(ring(rounds: 1)) }
    #expect(throws: RegionError.self) { _ = try ShapeGeometry(ring(rounds: 2)) }
  }

  /// A ring of so many corners at changing distances from the middle, which has no crossing.
  static func star(_ corners: Int, _ noise: inout SeededNoise, at middle: Coordinate, radius: Double)
    -> [Coordinate]
  {
    let ring = (0..<corners).map { corner in
      let (sine, cosine) = Trig.sincos(2 * Double.pi * Double(corner) / Double(corners))
      let reach = radius * noise.uniform(0.4...1)
      return place(east: reach * cosine, north: reach * sine, from: middle)
    }
    return ring + [ring[0]]
  }

  @Test(arguments: [4, 12, 33, 34, 200, 1_500]) func agreesWithGEOS(corners: Int) throws {
    var noise = SeededNoise(seed: corners)
    let middle = Coordinate(uncheckedLatitude: 52, longitude: 13)
    let shell = Self.star(corners, &noise, at: middle, radius: 900)
    let hole = Self.star(7, &noise, at: middle, radius: 100)
    for holes in [[], [hole]] {
      let polygon = Region.Polygon(shell: shell, holes: holes)
      let shape = try ShapeGeometry(.polygon(polygon))
      let prepared = try PreparedPolygon([[shell] + holes])
      for _ in 0..<300 {
        let here = place(east: noise.uniform(-950...950), north: noise.uniform(-950...950), from: middle)
        let edge = shape.edgeMeters(at: here)
        #expect((edge < 0) == prepared.covers(here))
        #expect(abs(abs(edge) - Self.plainDistance([shell] + holes, here)) < 1e-6)
      }
    }
  }

  /// The distance to the nearest edge, one after the other.
  private static func plainDistance(_ rings: [[Coordinate]], _ here: Coordinate) -> Double {
    let search = EdgeSearch(
      longitude: here.longitude, latitude: here.latitude, scale: LocalScale(latitude: here.latitude))
    return rings.map { search.leastSquare($0, from: 0, to: $0.count - 1) }.min()!.squareRoot()
  }

  @Test func aCorridorIsAsWideAsItsBuffer() throws {
    let line = [munich, place(east: 400, from: munich), place(east: 400, north: 300, from: munich)]
    let shape = try ShapeGeometry(.corridor(line: line, bufferMeters: 25))
    for (east, north, edge) in [
      (200.0, 0.0, -25.0), (200, 25, 0), (200, 60, 35), (-30, 0, 5), (400, 310, -15),
    ] {
      #expect(abs(shape.edgeMeters(at: place(east: east, north: north, from: munich)) - edge) < 0.02)
    }
    let box = shape.box
    #expect(box.latitudeMissDegrees(place(east: 0, north: -24.9, from: munich).latitude) == 0)
    #expect(box.longitudeMissDegrees(place(east: -24.9, from: munich).longitude) == 0)
  }

  /// A line that comes back beside itself, and one that crosses itself: the nearest way out of the strip, against all
  /// places of a grid that are outside.
  @Test(arguments: [
    [(0.0, 0.0), (2_000, 0), (2_000, 100), (0, 100)], [(0, 0), (600, 0), (300, 300), (300, -300)],
    [(0, 0), (400, 0), (400, 150), (100, 150), (100, 60)],
  ])
  func aCorridorThatOverlapsItselfIsAsDeepAsItsUnion(corners: [(Double, Double)]) throws {
    let line = corners.map { place(east: $0.0, north: $0.1, from: munich) }
    let shape = try ShapeGeometry(.corridor(line: line, bufferMeters: 100))
    let step = 10.0
    var outside: [(Double, Double)] = []
    for east in stride(from: -300.0, through: 2_300, by: step) {
      for north in stride(from: -500.0, through: 500, by: step)
      where Self.plainDistance([line], place(east: east, north: north, from: munich)) > 100 {
        outside.append((east, north))
      }
    }
    for (east, north) in [(300.0, 50.0), (250, 20), (390, 75), (300, 0), (200, 100), (310, 140)] {
      let edge = shape.edgeMeters(at: place(east: east, north: north, from: munich))
      let squares = outside.map { ($0.0 - east) * ($0.0 - east) + ($0.1 - north) * ($0.1 - north) }
      let nearest = (squares.min() ?? 0).squareRoot()
      // The nearest place of the grid lies up to a step and a half behind the edge.
      #expect(-edge <= nearest + 0.5 && -edge >= nearest - 1.5 * step, "\(east), \(north)")
    }
    if corners.count == 4, corners[0].0 == 0, corners[1].0 == 2_000 {
      #expect(abs(shape.edgeMeters(at: place(east: 1_000, north: 50, from: munich)) + 150) < 0.2)
    }
  }

  /// The line passes by itself, and leaves a slit of 2 m, whose end looks narrow from here.
  @Test(arguments: [(280.0, 110.0), (280, 120), (290, 70), (290, 80), (290, 120)])
  func theEndOfASlitIsTheNearestWayOutOfACorridor(east: Double, north: Double) throws {
    let corners = [(0.0, 0.0), (300, 0), (300, 202), (0, 202)]
    let line = corners.map { place(east: $0.0, north: $0.1, from: munich) }
    let shape = try ShapeGeometry(.corridor(line: line, bufferMeters: 100))
    let edge = shape.edgeMeters(at: place(east: east, north: north, from: munich))
    let nearest = [100.0, 102].map { Trig.hypot(200 - east, $0 - north) }.min() ?? 0
    #expect(abs(edge + nearest) < 0.5)
  }

  /// Star-shaped polygons, and corridors that overlap themselves, whose depths are exact only where it matters.
  @Test(arguments: 0..<(Corpus.isFull ? 60 : 16)) func theDeepestPlaceAroundIsFound(seed: Int) throws {
    var noise = SeededNoise(seed: seed)
    let shape: ShapeGeometry
    if seed % 2 == 0 {
      let line = (0..<6).map { _ in
        place(east: noise.uniform(-300...300), north: noise.uniform(-300...300), from: munich)
      }
      shape = try ShapeGeometry(.corridor(line: line, bufferMeters: 80))
    } else {
      let corners = 3 + seed % 9
      let ring = (0..<corners).map { corner in
        let (sine, cosine) = Trig.sincos(2 * Double.pi * Double(corner) / Double(corners))
        let radius = noise.uniform(60...300)
        return place(east: radius * cosine, north: radius * sine, from: munich)
      }
      shape = try ShapeGeometry(.polygon(Region.Polygon(shell: ring + [ring[0]])))
    }
    let here = place(east: noise.uniform(-200...200), north: noise.uniform(-200...200), from: munich)
    let edge = shape.edgeMeters(at: here)
    let reach = noise.uniform(5...300)
    let within = reach + max(0, edge)
    var deepest = -edge
    for turn in 0..<180 {
      let (sine, cosine) = Trig.sincos(Double(turn) * .pi / 90)
      for part in 1...60 {
        let meters = within * Double(part) / 60
        let there = LocalScale(latitude: here.latitude)
          .coordinate(east: meters * sine, north: meters * cosine, from: here)
        deepest = max(deepest, -shape.edgeMeters(at: there))
      }
    }
    // The places of this test are so far apart.
    let apart = 0.02 * within
    let depth = shape.attainableDepthMeters(at: here, edgeMeters: edge, reachMeters: reach)
    // Where a strip overlaps itself it is deeper than along its line, but not all of such places are looked at.
    let found = seed % 2 == 0 ? min(deepest, 80) : deepest
    #expect(
      depth <= deepest + apart && depth >= found - DeepestPlace.toleranceShare * within, "seed \(seed)")
    let enough = deepest * noise.uniform(0.2...0.95)
    let bounded = shape.attainableDepthMeters(
      at: here, edgeMeters: edge, reachMeters: reach, enoughMeters: enough)
    #expect(bounded >= min(enough, depth) && bounded <= deepest + apart, "seed \(seed)")
    let least = deepest * noise.uniform(0.5...1.5)
    let judged = shape.attainableDepthMeters(
      at: here, edgeMeters: edge, reachMeters: reach, leastMeters: least)
    #expect(judged >= least ? judged >= depth - apart : depth < least + apart, "seed \(seed)")
  }

  @Test func aRingAroundAPoleHoldsThePole() throws {
    for pole in [1.0, -1] {
      let ring = (0...12).map { step in
        Coordinate(uncheckedLatitude: 80 * pole, longitude: Double(step % 12) * 30 - 170)
      }
      let shape = try ShapeGeometry(.polygon(Region.Polygon(shell: ring)))
      for longitude in stride(from: -180.0, through: 180, by: 20) {
        for (latitude, isInside) in [(90.0, true), (89.999, true), (81, true), (79, false), (-70, false)] {
          let edge = shape.edgeMeters(
            at: Coordinate(uncheckedLatitude: latitude * pole, longitude: longitude))
          #expect((edge < 0) == isInside, "\(latitude * pole) \(longitude) \(edge)")
        }
      }
      // The cut on which the ring was closed is no edge.
      let onCut = Coordinate(uncheckedLatitude: 85 * pole, longitude: -170)
      #expect(shape.edgeMeters(at: onCut) < -400_000)
    }
  }

  /// A box of longitudes that may be beyond 180, beginning at each of its corners.
  private func boxes(_ west: Double, _ east: Double, _ south: Double, _ north: Double) -> [[Coordinate]] {
    let corners = [(west, south), (east, south), (east, north), (west, north)].map {
      Coordinate(uncheckedLatitude: $0.1, longitude: $0.0 > 180 ? $0.0 - 360 : $0.0)
    }
    return corners.indices.map { first in
      let turned = corners[first...] + corners[..<first]
      return Array(turned + turned.prefix(1))
    }
  }

  @Test func ringsAcrossTheAntimeridianAreCheckedTogetherWhereverTheyBegin() throws {
    for shell in boxes(179.95, 180.05, -17.05, -16.95) {
      for inner in boxes(179.99, 180.01, -17.01, -16.99) + boxes(180.01, 180.02, -17.01, -16.99) {
        let lagoon = try ShapeGeometry(.polygon(Region.Polygon(shell: shell, holes: [inner])))
        #expect(lagoon.edgeMeters(at: inner[0]) < 1, "\(shell[0]) \(inner[0])")
      }
      for other in boxes(179.97, 180.03, -17.03, -16.9) + boxes(180.01, 180.03, -17.03, -16.9) {
        #expect(throws: RegionError.self, "\(shell[0]) \(other[0])") {
          try ShapeGeometry(.multiPolygon([Region.Polygon(shell: shell), Region.Polygon(shell: other)]))
        }
      }
      for other in boxes(179.97, 180.03, -16.9, -16.8) {
        _ = try ShapeGeometry(.multiPolygon([Region.Polygon(shell: shell), Region.Polygon(shell: other)]))
      }
    }
    // The halves of a shape that was cut meet along the cut.
    for half in boxes(-180, -179, -10, 10) + boxes(180, 181, -10, 10) {
      let other = boxes(179, 180, -10, 10)[0]
      _ = try ShapeGeometry(.multiPolygon([Region.Polygon(shell: half), Region.Polygon(shell: other)]))
    }
  }

  @Test func aShapeCutAtTheAntimeridianHasNoEdgeThere() throws {
    func box(_ west: Double, _ east: Double) -> Region.Polygon {
      Region.Polygon(
        shell: [(west, -10), (east, -10), (east, 10), (west, 10), (west, -10)].map {
          Coordinate(uncheckedLatitude: $0.1, longitude: $0.0)
        })
    }
    let cut = try ShapeGeometry(.multiPolygon([box(179, 180), box(-180, -179)]))
    let uncut = try ShapeGeometry(.polygon(box(179, -179)))
    let half = try ShapeGeometry(.polygon(box(179, 180)))
    for longitude in [178.5, 179.2, 179.999, 180, -180, -179.999, -179.2, -178.5] {
      let here = Coordinate(uncheckedLatitude: 0.5, longitude: longitude)
      #expect(abs(cut.edgeMeters(at: here) - uncut.edgeMeters(at: here)) < 1e-6, "\(longitude)")
    }
    let seam = Coordinate(uncheckedLatitude: 0, longitude: 180)
    #expect(cut.edgeMeters(at: seam) < -110_000)
    #expect(abs(half.edgeMeters(at: seam)) < 1e-6)
  }
}

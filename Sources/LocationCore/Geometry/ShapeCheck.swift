/// Refuses rings and lines that are not what they should be, with GEOS's reason and place.
enum ShapeCheck {
  static func check(_ polygons: [Region.Polygon]) throws(RegionError) {
    guard !polygons.isEmpty else {
      throw .invalidGeometry(reason: "A multipolygon has no polygons", place: nil)
    }
    for polygon in polygons {
      for ring in [polygon.shell] + polygon.holes { try check(ring) }
    }
    if polygons.count == 1, polygons[0].holes.isEmpty, isPlainlySimple(polygons[0].shell) { return }
    let rings = polygons.map { polygon in ([polygon.shell] + polygon.holes).map(RingFrame.ring) }
    _ = try PreparedPolygon(rings)
  }

  static func check(line: [Coordinate], bufferMeters: Double) throws(RegionError) {
    guard bufferMeters > 0, bufferMeters < ShapeGeometry.halfwayRoundMeters else {
      throw .invalidRadius(bufferMeters)
    }
    guard line.count >= 2 else {
      throw .invalidGeometry(reason: "Invalid number of points in LineString", place: line.first)
    }
    guard line.contains(where: { $0 != line[0] }) else {
      throw .invalidGeometry(reason: "Too few points in geometry component", place: line[0])
    }
  }

  private static func check(_ ring: [Coordinate]) throws(RegionError) {
    guard ring.count >= 4 else {
      throw .invalidGeometry(reason: "Invalid number of points in LinearRing", place: ring.first)
    }
    guard ring.first == ring.last else {
      throw .invalidGeometry(
        reason: "Points of LinearRing do not form a closed linestring", place: ring.first)
    }
  }

  /// Whether a small ring is simple beyond doubt; the answer for doubtful ones is left to GEOS.
  private static func isPlainlySimple(_ shell: [Coordinate]) -> Bool {
    guard shell.count <= RingGeometry.mostVertices else { return false }
    let (ring, around) = RingFrame.unwrap(shell)
    guard around == 0 else { return false }
    let edges = ring.count - 1
    for i in 0..<edges {
      guard ring[i] != ring[i + 1] else { return false }
      for j in (i + 1)..<edges {
        let isNext = j == i + 1 || (i == 0 && j == edges - 1)
        if isNext {
          let corner = j == i + 1 ? (ring[i], ring[j], ring[j + 1]) : (ring[j], ring[0], ring[1])
          guard turn(corner.0, corner.1, corner.2) != 0 else { return false }
        } else if mayMeet(ring[i], ring[i + 1], ring[j], ring[j + 1]) {
          return false
        }
      }
    }
    return true
  }

  /// False only where two edges certainly have no place in common.
  private static func mayMeet(_ a: Coordinate, _ b: Coordinate, _ c: Coordinate, _ d: Coordinate) -> Bool {
    if Swift.max(a.longitude, b.longitude) < Swift.min(c.longitude, d.longitude) { return false }
    if Swift.max(c.longitude, d.longitude) < Swift.min(a.longitude, b.longitude) { return false }
    if Swift.max(a.latitude, b.latitude) < Swift.min(c.latitude, d.latitude) { return false }
    if Swift.max(c.latitude, d.latitude) < Swift.min(a.latitude, b.latitude) { return false }
    if turn(a, b, c) * turn(a, b, d) > 0 { return false }
    return turn(c, d, a) * turn(c, d, b) <= 0
  }

  /// 1 where c is left of the line from a to b, -1 where it is right of it, 0 where rounding may decide.
  private static func turn(_ a: Coordinate, _ b: Coordinate, _ c: Coordinate) -> Int {
    let left = (b.longitude - a.longitude) * (c.latitude - a.latitude)
    let right = (b.latitude - a.latitude) * (c.longitude - a.longitude)
    let doubt = (abs(left) + abs(right)) * 1e-12
    return left - right > doubt ? 1 : left - right < -doubt ? -1 : 0
  }
}

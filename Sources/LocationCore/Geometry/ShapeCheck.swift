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
    try PolygonValidity.check(inOneFrame(polygons))
  }

  /// The rings of polygons where they lie together, wherever each of them begins.
  private static func inOneFrame(_ polygons: [Region.Polygon]) -> [[[Coordinate]]] {
    let parts = polygons.map { polygon in
      let shell = RingFrame.ring(polygon.shell)
      let middle = RingFrame.middle(shell)
      return [shell] + polygon.holes.map { RingFrame.shifted(RingFrame.ring($0), toward: middle) }
    }
    // The halves of what was cut at the antimeridian would meet along the cut, which GEOS takes for a fault.
    let seam = AntimeridianCut()
    let isCut = polygons.contains { zip($0.shell, $0.shell.dropFirst()).contains(where: seam.holds) }
    return isCut ? parts.map(RingFrame.normalized) : RingFrame.align(parts).groups
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

  /// Whether a ring is simple beyond doubt; the answer for doubtful ones is left to GEOS.
  private static func isPlainlySimple(_ shell: [Coordinate]) -> Bool {
    let (ring, around) = RingFrame.unwrap(shell)
    guard around == 0 else { return false }
    if isStarShaped(ring) { return true }
    let edges = ring.count - 1
    for index in 0..<edges {
      guard ring[index] != ring[index + 1] else { return false }
      let after = ring[index + 1 == edges ? 1 : index + 2]
      guard turn(ring[index], ring[index + 1], after) != 0 else { return false }
    }
    return ring.count <= RingGeometry.mostVertices ? isSimpleByPairs(ring) : isSimpleByTree(ring)
  }

  /// Whether a ring goes once around the mean of its vertices, with each edge in the same direction: most rings that
  /// are drawn by hand or stand for a circle do, and have no crossing.
  private static func isStarShaped(_ ring: [Coordinate]) -> Bool {
    let edges = Double(ring.count - 1)
    let sum = ring.dropFirst().reduce((east: 0.0, north: 0.0)) {
      ($0.east + ($1.longitude - ring[0].longitude), $0.north + ($1.latitude - ring[0].latitude))
    }
    let middle = Coordinate(
      uncheckedLatitude: ring[0].latitude + sum.north / edges, longitude: ring[0].longitude + sum.east / edges
    )
    let direction = turn(middle, ring[0], ring[1])
    guard direction != 0 else { return false }
    var rounds = 0
    for (a, b) in zip(ring, ring.dropFirst()) {
      guard turn(middle, a, b) == direction else { return false }
      if a.latitude <= middle.latitude, b.latitude > middle.latitude { rounds += 1 }
    }
    return rounds == 1
  }

  private static func isSimpleByPairs(_ ring: [Coordinate]) -> Bool {
    let edges = ring.count - 1
    for i in 0..<edges {
      for j in (i + 2)..<Swift.max(edges, i + 2) where i > 0 || j < edges - 1 {
        if mayMeet(ring[i], ring[i + 1], ring[j], ring[j + 1]) { return false }
      }
    }
    return true
  }

  private static func isSimpleByTree(_ ring: [Coordinate]) -> Bool {
    let tree = EdgeTree([ring])
    for (a, b) in zip(ring, ring.dropFirst()) {
      var isClear = true
      let south = Swift.min(a.latitude, b.latitude)
      let west = Swift.min(a.longitude, b.longitude)
      let box = GeoBox(
        south: south, north: Swift.max(a.latitude, b.latitude), west: west,
        width: Swift.max(a.longitude, b.longitude) - west)
      tree.edges(in: box) { c, d in
        // The edge itself and its neighbours share an end with it; that was seen to.
        guard c != a, c != b, d != a, d != b else { return }
        if mayMeet(a, b, c, d) { isClear = false }
      }
      guard isClear else { return false }
    }
    // An end that two edges share elsewhere than in a row is a doubt too.
    return Set(ring.dropLast()).count == ring.count - 1
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

/// The straight way from one place to another, straight in longitude and latitude like the edges of shapes.
struct Segment: Sendable {
  let start: Coordinate
  let end: Coordinate
  /// Degrees of longitude from start to end, the short way.
  let eastward: Double

  init(from start: Coordinate, to end: Coordinate) {
    self.start = start
    self.end = end
    eastward = Geodesy.longitudeDifference(from: start.longitude, to: end.longitude)
  }

  /// The place a part of the way along, 0 to 1.
  func place(_ part: Double) -> Coordinate {
    Coordinate(
      uncheckedLatitude: start.latitude + part * (end.latitude - start.latitude),
      longitude: Geodesy.normalizedLongitude(start.longitude + part * eastward))
  }

  /// A box that holds the way.
  var box: GeoBox {
    GeoBox(
      south: Swift.min(start.latitude, end.latitude), north: Swift.max(start.latitude, end.latitude),
      west: eastward < 0 ? end.longitude : start.longitude, width: abs(eastward))
  }
}

extension ShapeGeometry {
  /// The parts of a way at which it first enters and last leaves the shape; nil where it passes by. Both ends
  /// are outside.
  func passage(along way: Segment) -> (entered: Double, left: Double)? {
    switch self {
    case .circle(let circle):
      let deepest = circle.nearestPart(of: way)
      return between(deepest, deepest, way)
    case .ring(let ring):
      return crossings(
        ring.vertices, way, longitude: ring.search(way.start, scale: LocalScale(latitude: 0)).longitude)
    case .area(let area):
      guard area.bufferMeters != nil else { return area.crossings(of: way) }
      let parts = area.insideParts(of: way)
      return between(parts.first, parts.last, way)
    }
  }

  /// The passage from before one part of a way that is inside to after another.
  private func between(_ first: Double, _ last: Double, _ way: Segment) -> (
    entered: Double, left: Double
  )? {
    guard edgeMeters(at: way.place(first)) < 0, edgeMeters(at: way.place(last)) < 0 else { return nil }
    return (edge(way, outside: 0, inside: first), edge(way, outside: 1, inside: last))
  }

  /// The part of a way at which it meets the edge, between one outside and one inside, by halving.
  private func edge(_ way: Segment, outside: Double, inside: Double) -> Double {
    var (outside, inside) = (outside, inside)
    for _ in 0..<40 {
      let middle = 0.5 * (outside + inside)
      if edgeMeters(at: way.place(middle)) > 0 { outside = middle } else { inside = middle }
    }
    return inside
  }

  private func crossings(
    _ ring: [Coordinate], _ way: Segment, longitude: Double
  ) -> (entered: Double, left: Double)? {
    var crossings = SegmentCrossings(way, longitude: longitude)
    for (a, b) in zip(ring, ring.dropFirst()) { crossings.meet(a, b) }
    return crossings.passage
  }
}

extension CircleGeometry {
  /// The part of a way that comes nearest the centre.
  func nearestPart(of way: Segment) -> Double {
    let scale = LocalScale(latitude: center.latitude)
    let start = scale.offset(of: way.start, from: center)
    let east = way.eastward * scale.metersPerDegreeLongitude
    let north = (way.end.latitude - way.start.latitude) * scale.metersPerDegreeLatitude
    let square = east * east + north * north
    guard square > 0 else { return 0 }
    let guess = Swift.max(0, Swift.min(1, -(start.east * east + start.north * north) / square))
    // The plane is not quite true far from the centre: search a little to both sides.
    var low = Swift.max(0, guess - 0.05)
    var high = Swift.min(1, guess + 0.05)
    for _ in 0..<40 {
      let left = low + (high - low) * 0.382
      let right = low + (high - low) * 0.618
      if edgeMeters(at: way.place(left)) < edgeMeters(at: way.place(right)) {
        high = right
      } else {
        low = left
      }
    }
    return 0.5 * (low + high)
  }
}

extension AreaGeometry {
  /// Where a way crosses the edges of polygons.
  func crossings(of way: Segment) -> (entered: Double, left: Double)? {
    let start = longitude(of: way.start)
    // In a frame that goes all round, the way may lie one turn off.
    for turn in [0.0, -360, 360] {
      var crossings = SegmentCrossings(way, longitude: start + turn)
      boundary.edges(in: crossings.box) { crossings.meet($0, $1) }
      if let passage = crossings.passage { return passage }
    }
    return nil
  }

  /// The first and the last of those parts of a way that come nearest to pieces of a corridor's line and are
  /// in the corridor; 0, which is outside, where there are none.
  func insideParts(of way: Segment) -> (first: Double, last: Double) {
    let scale = LocalScale(latitude: way.place(0.5).latitude)
    var first = 1.0
    var last = 0.0
    func consider(_ part: Double) {
      guard part > 0, part < 1, part < first || part > last else { return }
      guard edgeMeters(at: way.place(part)) < 0 else { return }
      first = Swift.min(first, part)
      last = Swift.max(last, part)
    }
    for turn in [0.0, -360, 360] {
      let crossings = SegmentCrossings(way, longitude: longitude(of: way.start) + turn)
      let narrow = crossings.box
      var box = narrow.widened(byMeters: bufferMeters ?? 0)
      // The frame goes on beyond 180 degrees, where a box by itself begins anew.
      box.west = narrow.west - 0.5 * (box.width - narrow.width)
      boundary.edges(in: box) { a, b in
        if let part = crossings.part(a, b) { consider(part) }
        for end in [a, b] { consider(crossings.nearestPart(to: end, scale)) }
      }
    }
    return first <= last ? (first, last) : (0, 0)
  }
}

/// Where a way meets edges, in one frame of longitudes.
struct SegmentCrossings {
  private let way: Segment
  private let longitude: Double
  private var first = Double.infinity
  private var last = -Double.infinity

  /// `longitude` is that of the way's start in the frame of the edges.
  init(_ way: Segment, longitude: Double) {
    self.way = way
    self.longitude = longitude
  }

  /// The way's box in the frame: its western side may lie beyond 180 degrees.
  var box: GeoBox {
    var box = way.box
    box.west = Swift.min(longitude, longitude + way.eastward)
    return box
  }

  mutating func meet(_ a: Coordinate, _ b: Coordinate) {
    guard let part = part(a, b) else { return }
    first = Swift.min(first, part)
    last = Swift.max(last, part)
  }

  /// The part of the way at which it meets an edge.
  func part(_ a: Coordinate, _ b: Coordinate) -> Double? {
    let north = way.end.latitude - way.start.latitude
    let ax = a.longitude - longitude
    let ay = a.latitude - way.start.latitude
    let bx = b.longitude - longitude
    let by = b.latitude - way.start.latitude
    // The sides of the way on which the two ends of the edge lie.
    let sideA = way.eastward * ay - north * ax
    let sideB = way.eastward * by - north * bx
    guard (sideA > 0) != (sideB > 0) else { return nil }
    let share = sideA / (sideA - sideB)
    let x = ax + share * (bx - ax)
    let y = ay + share * (by - ay)
    let part =
      abs(way.eastward) > abs(north) ? x / way.eastward : y / north
    return part >= 0 && part <= 1 ? part : nil
  }

  /// The part of the way that is nearest a place, in an affine plane.
  func nearestPart(to place: Coordinate, _ scale: LocalScale) -> Double {
    let east = way.eastward * scale.metersPerDegreeLongitude
    let north = (way.end.latitude - way.start.latitude) * scale.metersPerDegreeLatitude
    let x = (place.longitude - longitude) * scale.metersPerDegreeLongitude
    let y = (place.latitude - way.start.latitude) * scale.metersPerDegreeLatitude
    let square = east * east + north * north
    return square > 0 ? Swift.max(0, Swift.min(1, (x * east + y * north) / square)) : 0
  }

  /// From the first crossing to the last, if there is a way between.
  var passage: (entered: Double, left: Double)? {
    last > first ? (first, last) : nil
  }
}

/// The outlines of small regions in singles, four edges side by side: how far a place is from an edge, roughly.
///
/// An answer is right to ``errorMeters``. All outlines lie in one array, in the order in which they came.
struct FlatOutlines: Sendable {
  /// Four vertices, each the same number of vertices after the last; degrees from the middle of the region's ring.
  private struct Row: Sendable {
    var east = SIMD4<Float>(repeating: 0)
    var north = SIMD4<Float>(repeating: 0)
  }

  /// One outline: where its rows are, and what they are relative to.
  struct Outline: Sendable {
    fileprivate var first: Int32
    /// Four edges each, one at least.
    fileprivate var steps: Int32
    /// For the strip along a line, metres to either side; negative for a polygon.
    fileprivate var bufferMeters: Float
    fileprivate var middleLongitude: Float
    fileprivate var middleLatitude: Float
  }

  private var rows: [Row] = []
  /// Where rows are free again, by the steps of what they held.
  private var free = [[Int32]](repeating: [], count: mostSteps + 1)

  /// The most, in metres, by which an answer is wrong: ten times what rounding makes of 4 km.
  static let errorMeters = 0.02
  private static let width = 4
  private static let mostSteps = 8
  /// Degrees from the middle within which singles are fine enough.
  private static let reachDegrees: Float = 0.2
  /// Degrees of latitude beyond which a small region may span many longitudes.
  private static let highestLatitude: Float = 80

  /// Takes the outline of a shape; nil where it is not small, and for a circle.
  mutating func insert(_ shape: ShapeGeometry, _ ring: RegionRing) -> Outline? {
    guard !ring.isLarge, abs(ring.latitude) < Self.highestLatitude else { return nil }
    switch shape {
    case .circle: return nil
    case .ring(let polygon): return insert(polygon.vertices, -1, ring)
    case .area(let area):
      return area.bufferMeters.flatMap { insert(area.boundary.vertices, Float($0), ring) }
    }
  }

  private mutating func insert(
    _ vertices: [Coordinate], _ bufferMeters: Float, _ ring: RegionRing
  ) -> Outline? {
    let edges = vertices.count - 1
    let steps = (edges + Self.width - 1) / Self.width
    guard steps > 0, steps <= Self.mostSteps else { return nil }
    let first = free[steps].popLast() ?? Int32(rows.count)
    if Int(first) == rows.count { rows += repeatElement(Row(), count: steps + 1) }
    for step in 0...steps {
      var row = Row()
      for lane in 0..<Self.width {
        // What is left over at the end are edges without length.
        let vertex = vertices[Swift.min(lane * steps + step, edges)]
        let east = (vertex.longitude - Double(ring.longitude)).remainder(dividingBy: 360)
        row.east[lane] = Float(east)
        row.north[lane] = Float(vertex.latitude - Double(ring.latitude))
      }
      rows[Int(first) + step] = row
    }
    return Outline(
      first: first, steps: Int32(steps), bufferMeters: bufferMeters, middleLongitude: ring.longitude,
      middleLatitude: ring.latitude)
  }

  /// Forgets an outline.
  mutating func remove(_ outline: Outline) { free[Int(outline.steps)].append(outline.first) }

  /// Makes room for as many outlines as others hold.
  mutating func reserve(as others: FlatOutlines) { rows.reserveCapacity(others.rows.count) }

  /// Takes an outline over from others, behind those that are here.
  mutating func insert(_ outline: Outline, from others: FlatOutlines) -> Outline {
    var moved = outline
    moved.first = Int32(rows.count)
    rows += others.rows[Int(outline.first)...Int(outline.first + outline.steps)]
    return moved
  }
}

extension FlatOutlines {
  /// Metres from a place to an edge, positive outside, at the scales of the place's latitude; nil where that is not
  /// known, or on which side the place is.
  @inline(__always)
  func edgeMeters(
    _ outline: Outline, at place: Coordinate, perLongitude: Double, perLatitude: Double
  ) -> Double? {
    let east = Float(
      Geodesy.longitudeDifference(from: Double(outline.middleLongitude), to: place.longitude))
    let north = Float(place.latitude - Double(outline.middleLatitude))
    guard abs(east) < Self.reachDegrees, abs(north) < Self.reachDegrees else { return nil }
    let edge = edgeMeters(outline, east, north, Float(perLongitude), Float(perLatitude))
    return abs(edge) > Self.errorMeters ? edge : nil
  }

  private func edgeMeters(
    _ outline: Outline, _ east: Float, _ north: Float, _ perLongitude: Float, _ perLatitude: Float
  ) -> Double {
    let first = Int(outline.first)
    var ax = (rows[first].east - east) * perLongitude
    var ay = (rows[first].north - north) * perLatitude
    let zero = SIMD4<Float>(repeating: 0)
    let one = SIMD4<Float>(repeating: 1)
    var least = SIMD4<Float>(repeating: .infinity)
    var isOdd = SIMDMask<SIMD4<Int32>>(repeating: false)
    for step in 1...Int(outline.steps) {
      let bx = (rows[first + step].east - east) * perLongitude
      let by = (rows[first + step].north - north) * perLatitude
      let dx = bx - ax
      let dy = by - ay
      // As in EdgeSearch; an edge without length gives not a number, of which this makes 0.
      let part = (0 - ax * dx - ay * dy) / (dx * dx + dy * dy)
      let bounded = zero.replacing(with: part, where: part .> zero).lesser(one)
      let x = ax + bounded * dx
      let y = ay + bounded * dy
      least = least.lesser(x * x + y * y)
      let spans = (ay .> zero) .^ (by .> zero)
      let passesEast = (ax * by .> bx * ay) .^ (by .<= ay)
      isOdd .^= spans .& passesEast
      ax = bx
      ay = by
    }
    let distance = Double(least.least.squareRoot())
    guard outline.bufferMeters < 0 else { return distance - Double(outline.bufferMeters) }
    return isOdd.isOddCount ? -distance : distance
  }
}

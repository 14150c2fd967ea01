/// The outlines of small regions in singles, four edges side by side: how far a place is from an edge, roughly.
///
/// An answer is right to ``errorMeters``. All outlines lie in one array, in the order in which they came.
struct FlatOutlines: Sendable {
  /// Four vertices, each the same number of vertices after the last; degrees from the middle of the region's ring.
  private struct Row: Sendable {
    var east = SIMD4<Float>(repeating: 0)
    var north = SIMD4<Float>(repeating: 0)
  }

  /// Where a slot's outline is kept.
  private struct Entry: Sendable {
    var first: Int32 = 0
    /// Four edges each; 0 where there is no outline.
    var steps: Int32 = 0
    /// For the strip along a line, metres to either side; negative for a polygon.
    var bufferMeters: Float = -1
    var middleLongitude: Float = 0
    var middleLatitude: Float = 0
  }

  private var rows: [Row] = []
  private var entries: [Entry] = []
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

  /// Takes the outline of a slot that has none; leaves out what is not small.
  mutating func insert(_ shape: ShapeGeometry, _ ring: RegionRing) {
    while entries.count <= Int(ring.slot) { entries.append(Entry()) }
    entries[Int(ring.slot)] = Entry()
    guard !ring.isLarge, abs(ring.latitude) < Self.highestLatitude else { return }
    switch shape {
    case .circle: return
    case .ring(let polygon): insert(polygon.vertices, -1, ring)
    case .area(let area):
      guard let buffer = area.bufferMeters else { return }
      insert(area.boundary.vertices, Float(buffer), ring)
    }
  }

  private mutating func insert(_ vertices: [Coordinate], _ bufferMeters: Float, _ ring: RegionRing) {
    let edges = vertices.count - 1
    let steps = (edges + Self.width - 1) / Self.width
    guard steps > 0, steps <= Self.mostSteps else { return }
    var entry = Entry(
      first: Int32(rows.count), steps: Int32(steps), bufferMeters: bufferMeters,
      middleLongitude: ring.longitude, middleLatitude: ring.latitude)
    if let first = free[steps].popLast() {
      entry.first = first
    } else {
      rows += Array(repeating: Row(), count: steps + 1)
    }
    for step in 0...steps {
      var row = Row()
      for lane in 0..<Self.width {
        // What is left over at the end are edges without length.
        let vertex = vertices[Swift.min(lane * steps + step, edges)]
        let east = (vertex.longitude - Double(ring.longitude)).remainder(dividingBy: 360)
        row.east[lane] = Float(east)
        row.north[lane] = Float(vertex.latitude - Double(ring.latitude))
      }
      rows[Int(entry.first) + step] = row
    }
    entries[Int(ring.slot)] = entry
  }

  /// Forgets a slot's outline.
  mutating func remove(_ slot: Int32) {
    let entry = entries[Int(slot)]
    guard entry.steps > 0 else { return }
    free[Int(entry.steps)].append(entry.first)
    entries[Int(slot)] = Entry()
  }

  /// Numbers all slots anew: the slot in each place of `order` becomes that place.
  mutating func reorder(_ order: [Int32]) {
    var ordered = FlatOutlines()
    ordered.rows.reserveCapacity(rows.count)
    ordered.entries.reserveCapacity(order.count)
    for slot in order {
      var entry = entries[Int(slot)]
      if entry.steps > 0 {
        let first = Int(entry.first)
        entry.first = Int32(ordered.rows.count)
        ordered.rows += rows[first...(first + Int(entry.steps))]
      }
      ordered.entries.append(entry)
    }
    self = ordered
  }
}

extension FlatOutlines {
  /// Metres from a place to a slot's edge, positive outside, at the scales of the place's latitude; nil where that
  /// is not known, or on which side the place is.
  @inline(__always)
  func edgeMeters(_ slot: Int32, at place: Coordinate, perLongitude: Double, perLatitude: Double) -> Double? {
    let entry = entries[Int(slot)]
    guard entry.steps > 0 else { return nil }
    let east = Float(
      Geodesy.longitudeDifference(from: Double(entry.middleLongitude), to: place.longitude))
    let north = Float(place.latitude - Double(entry.middleLatitude))
    guard abs(east) < Self.reachDegrees, abs(north) < Self.reachDegrees else { return nil }
    let edge = edgeMeters(entry, east, north, Float(perLongitude), Float(perLatitude))
    return abs(edge) > Self.errorMeters ? edge : nil
  }

  private func edgeMeters(
    _ entry: Entry, _ east: Float, _ north: Float, _ perLongitude: Float, _ perLatitude: Float
  ) -> Double {
    let first = Int(entry.first)
    var ax = (rows[first].east - east) * perLongitude
    var ay = (rows[first].north - north) * perLatitude
    let zero = SIMD4<Float>(repeating: 0)
    let one = SIMD4<Float>(repeating: 1)
    var least = SIMD4<Float>(repeating: .infinity)
    var isOdd = SIMDMask<SIMD4<Int32>>(repeating: false)
    for step in 1...Int(entry.steps) {
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
    guard entry.bufferMeters < 0 else { return distance - Double(entry.bufferMeters) }
    return isOdd.isOddCount ? -distance : distance
  }
}

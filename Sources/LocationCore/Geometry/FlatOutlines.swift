/// The outlines of small regions in 16 bits a degree of freedom, four edges side by side: how far a place is from an
/// edge, roughly.
///
/// An answer is right to ``errorMeters``. All outlines lie in one array, in the order in which they came; among a
/// million, most of what one costs is waiting for memory, so it is half as long as in singles.
struct FlatOutlines: Sendable {
  /// Four vertices, each the same number of vertices after the last, in units of the outline from the middle of the
  /// region's annulus: east in the lower half of a lane, north in the upper, both with ``bias`` added.
  private typealias Row = SIMD4<UInt32>

  /// One outline: where its rows are, and what they are relative to.
  struct Outline: Sendable {
    fileprivate var first: Int32
    /// Four edges each, one at least.
    fileprivate var steps: Int32
    /// For the strip along a line, metres to either side; negative for a polygon.
    fileprivate var bufferMeters: Float
    fileprivate var middleLongitude: Float
    fileprivate var middleLatitude: Float
    /// Degrees of a unit.
    fileprivate var eastUnit: Float
    fileprivate var northUnit: Float
  }

  private var rows: [Row] = []

  /// The most, in metres, by which an answer is wrong: half a unit of ``RegionAnnulus/largeMeters`` along both axes makes
  /// 0.044, ten times what the rounding of singles makes of 4 km makes 0.02.
  static let errorMeters = 0.07
  /// The most units from the middle, a few less than ``bias`` for rounding.
  private static let mostUnits = 32_760.0
  private static let bias: UInt32 = 1 << 15
  /// The bits of 2^23, to which a single adds a whole number of 23 bits as it is.
  private static let wholeBits: UInt32 = 0x4B00_0000
  /// What that and ``bias`` make: 2^23 + 2^15.
  private static let wholeBias: Float = 8_421_376
  private static let width = 4
  private static let mostSteps = 8
  /// Degrees from the middle within which singles are fine enough.
  private static let reachDegrees: Float = 0.2
  /// Keeps units from being nothing: a unit of a thousandth of a millimetre.
  private static let leastReachDegrees = 1e-7
  /// Degrees of latitude beyond which a small region may span many longitudes.
  private static let highestLatitude: Float = 80

  /// Takes the outline of a shape; nil where it is not small, and for a circle.
  mutating func insert(_ shape: ShapeGeometry, _ annulus: RegionAnnulus) -> Outline? {
    guard !annulus.isLarge, abs(annulus.latitude) < Self.highestLatitude else { return nil }
    switch shape {
    case .circle: return nil
    case .ring(let polygon): return insert(polygon.vertices, -1, annulus)
    case .area(let area):
      return area.bufferMeters.flatMap { insert(area.boundary.vertices, Float($0), annulus) }
    }
  }

  private mutating func insert(
    _ vertices: [Coordinate], _ bufferMeters: Float, _ annulus: RegionAnnulus
  ) -> Outline? {
    let edges = vertices.count - 1
    let steps = (edges + Self.width - 1) / Self.width
    guard steps > 0, steps <= Self.mostSteps else { return nil }
    var reach = (east: Self.leastReachDegrees, north: Self.leastReachDegrees)
    for vertex in vertices {
      let offset = Self.offset(of: vertex, from: annulus)
      reach = (Swift.max(reach.east, abs(offset.east)), Swift.max(reach.north, abs(offset.north)))
    }
    let outline = Outline(
      first: Int32(rows.count), steps: Int32(steps), bufferMeters: bufferMeters,
      middleLongitude: annulus.longitude, middleLatitude: annulus.latitude,
      eastUnit: Float(reach.east / Self.mostUnits), northUnit: Float(reach.north / Self.mostUnits))
    for step in 0...steps {
      var row = Row()
      for lane in 0..<Self.width {
        // What is left over at the end are edges without length.
        let offset = Self.offset(of: vertices[Swift.min(lane * steps + step, edges)], from: annulus)
        row[lane] =
          Self.biased(offset.east, outline.eastUnit) | Self.biased(offset.north, outline.northUnit) << 16
      }
      rows.append(row)
    }
    return outline
  }

  /// Degrees from the middle of an annulus, the short way round.
  private static func offset(of vertex: Coordinate, from annulus: RegionAnnulus) -> (
    east: Double, north: Double
  ) {
    let east = vertex.longitude - Double(annulus.longitude)
    return (
      abs(east) > 180 ? east.remainder(dividingBy: 360) : east, vertex.latitude - Double(annulus.latitude)
    )
  }

  /// Degrees in whole units, which are ``mostUnits`` and a little at most.
  private static func biased(_ degrees: Double, _ unit: Float) -> UInt32 {
    UInt32(Int32((degrees / Double(unit)).rounded()) + Int32(bias))
  }

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
    let frame = Frame(
      east: east * perLongitude, north: north * perLatitude, perEast: outline.eastUnit * perLongitude,
      perNorth: outline.northUnit * perLatitude)
    var (ax, ay) = frame.offsets(rows[first])
    var aIsSouth = ay.bits
    let one = SIMD4<Float>(repeating: 1)
    var least = SIMD4<Float>(repeating: .infinity)
    var isOdd = SIMD4<UInt32>(repeating: 0)
    // Not a slice, which would be counted as an owner.
    for place in (first + 1)...(first + Int(outline.steps)) {
      let (bx, by) = frame.offsets(rows[place])
      let dx = bx - ax
      let dy = by - ay
      // As in EdgeSearch; the least number makes 0 of an edge without length.
      let part = (0 - ax * dx - ay * dy) / (dx * dx + dy * dy + Float.leastNormalMagnitude)
      let bounded = part.positive.lesser(one)
      let x = ax + bounded * dx
      let y = ay + bounded * dy
      least = least.lesser(x * x + y * y)
      // Signs alone, in the highest bits: the edge spans the place's latitude, and passes east of it where that is to
      // the left of the edge northwards, to the right southwards.
      let bIsSouth = by.bits
      let placeIsLeft = (bx * ay - ax * by).bits
      isOdd ^= (aIsSouth ^ bIsSouth) & ~(placeIsLeft ^ aIsSouth)
      (ax, ay, aIsSouth) = (bx, by, bIsSouth)
    }
    let distance = Double(least.least.squareRoot())
    guard outline.bufferMeters < 0 else { return distance - Double(outline.bufferMeters) }
    return isOdd.hasOddSigns ? -distance : distance
  }

  /// From units of an outline to metres from a place.
  private struct Frame {
    /// The place, metres from the middle of the annulus.
    var east: Float
    var north: Float
    /// Metres of a unit.
    var perEast: Float
    var perNorth: Float

    @inline(__always) func offsets(_ row: Row) -> (x: SIMD4<Float>, y: SIMD4<Float>) {
      let wholes = SIMD4<UInt32>(repeating: wholeBits)
      let x = SIMD4<Float>(bits: (row & 0xFFFF) | wholes) - wholeBias
      let y = SIMD4<Float>(bits: (row &>> 16) | wholes) - wholeBias
      return (x * perEast - east, y * perNorth - north)
    }
  }
}

/// Where a region's edge lies, roughly: in an annulus around the middle of the region's box.
struct RegionAnnulus: Hashable, Sendable {
  /// The middle of the box, degrees, rounded.
  var longitude: Float
  var latitude: Float
  /// Every place nearer the middle than so many metres is inside; minus infinity where that is known of none.
  var innerMeters: Float
  /// Every place farther from the middle than so many metres is outside; minus infinity for a large region,
  /// of which the annulus says nothing.
  var outerMeters: Float
  /// Whether the region is too large for a plane around its middle.
  var isLarge: Bool

  init(box: GeoBox, innerMeters: Double, outerMeters: Double) {
    longitude = Float((box.west + 0.5 * box.width).remainder(dividingBy: 360))
    latitude = Float(0.5 * (box.south + box.north))
    isLarge = !(outerMeters < Self.largeMeters)
    let isSolid = !isLarge && innerMeters > 0
    self.innerMeters = isSolid ? Float(innerMeters) - Self.roundingMeters : -.infinity
    self.outerMeters = isLarge ? -.infinity : Float(outerMeters) + Self.roundingMeters
  }

  /// From this radius a region is large: its edge is measured, not estimated from its annulus.
  static let largeMeters = 2_000.0
  /// How far the middle may be off for the rounding of its degrees.
  private static let roundingMeters: Float = 1
}

extension RegionAnnulus {
  /// Metres that the edge is from a place at least, positive where the place is outside; 0 where the annulus does not tell.
  ///
  /// At the scales of the place's latitude, as exact edges are: at those of the middle between it and the annulus, far north
  /// it would tell more.
  @inline(__always)
  func boundMeters(at place: Coordinate, in plane: LocalPlane) -> Double {
    guard let scales = plane.scales(at: place.latitude) else { return 0 }
    let east =
      Geodesy.longitudeDifference(from: Double(longitude), to: place.longitude) * scales.perLongitude
    let north = (place.latitude - Double(latitude)) * scales.perLatitude
    let meters = (east * east + north * north).squareRoot()
    guard meters < Self.nearMeters else { return 0 }
    let outside = meters * (1 - Self.distortion) - Double(outerMeters)
    if outside > 0 { return isLarge ? 0 : outside }
    return Swift.min(0, meters * (1 + Self.distortion) - Double(innerMeters))
  }

  /// Metres within which distances at the scales of the place are right to ``distortion``, up to 80 degrees of latitude.
  private static let nearMeters = 5_000.0
  /// The distance in Earth radii times the tangent of the latitude makes 0.0045 at most.
  private static let distortion = 0.01
}

/// Sixteen annuli side by side: degrees in the index, metres east and north in the plane of a neighbor list.
///
/// A lane without an annulus has an infinite latitude and no radius, so it is far from everything.
struct AnnulusLeaf: Sendable {
  static let width = 16

  var east = SIMD16<Float>(repeating: 0)
  var north = SIMD16<Float>(repeating: .infinity)
  var inner = SIMD16<Float>(repeating: -.infinity)
  var outer = SIMD16<Float>(repeating: -.infinity)
  /// One bit for each lane that holds a large region.
  var large: UInt16 = 0

  /// Where the annuli lie in a leaf's memory: all but ``large``.
  static let annulusBytes = 0..<256

  init() {}

  init(_ annuli: ArraySlice<RegionAnnulus>) {
    for (lane, annulus) in annuli.enumerated() { set(lane, annulus) }
  }

  mutating func set(_ lane: Int, _ annulus: RegionAnnulus) {
    east[lane] = annulus.longitude
    north[lane] = annulus.latitude
    inner[lane] = annulus.innerMeters
    outer[lane] = annulus.outerMeters
    if annulus.isLarge { large |= 1 << UInt16(lane) }
  }

  /// The leaf in the plane around a place, from degrees.
  ///
  /// The differences are of singles, so they are exact but for the rounding of the degrees themselves. Where it is
  /// a quarter turn or more to the antimeridian, what lies beyond it is far either way round.
  @inline(__always)
  func projected(longitude: Float, latitude: Float, scale: LocalScale) -> Self {
    var leaf = self
    var degrees = east - longitude
    if abs(longitude) > 90 || abs(latitude) > 80 {
      degrees = degrees.replacing(with: degrees - 360, where: degrees .> 180)
      degrees = degrees.replacing(with: degrees + 360, where: degrees .< -180)
    }
    leaf.east = degrees * Float(scale.metersPerDegreeLongitude)
    leaf.north = (north - latitude) * Float(scale.metersPerDegreeLatitude)
    return leaf
  }

  /// The lanes whose outer circles come within some metres of the middle of the plane, a bit each; true distances
  /// are not less than `shrink` times those of the plane.
  ///
  /// Squares are compared: a vector's roots are taken one by one.
  @inline(__always)
  func lanes(withinMeters meters: Float, shrink: Float) -> UInt32 {
    let reach = (outer + meters).positive
    return ((east * east + north * north) * (shrink * shrink) - reach * reach).negativeLanes
  }
}

extension AnnulusLeaf {
  /// One lane of a leaf.
  struct Lane {
    var number: Int
    var east: Float
    var north: Float
    var inner: Float
    var outer: Float
  }

  /// Calls `body` with each lane whose bit is set.
  ///
  /// The lanes are read where they lie: to take one that is not known beforehand out of a vector stores the vector.
  @inline(__always)
  func forEach(in bits: UInt32, _ body: (Lane) -> Void) {
    unsafe withUnsafeBytes(of: self) { bytes in
      let vector = MemoryLayout<SIMD16<Float>>.size
      var rest = bits
      while rest != 0 {
        let lane = rest.trailingZeroBitCount
        let place = lane &* MemoryLayout<Float>.size
        rest &= rest &- 1
        body(
          Lane(
            number: lane,
            east: unsafe bytes.load(fromByteOffset: place, as: Float.self),
            north: unsafe bytes.load(fromByteOffset: vector &+ place, as: Float.self),
            inner: unsafe bytes.load(fromByteOffset: 2 &* vector &+ place, as: Float.self),
            outer: unsafe bytes.load(fromByteOffset: 3 &* vector &+ place, as: Float.self)))
      }
    }
  }
}

extension AnnulusLeaf.Lane {
  /// Whether the outer circle holds a place in the plane.
  @inline(__always)
  func holds(_ place: (east: Float, north: Float), shrink: Float) -> Bool {
    let reach = Swift.max(0, outer)
    let east = self.east - place.east
    let north = self.north - place.north
    return (east * east + north * north) * (shrink * shrink) < reach * reach
  }
}

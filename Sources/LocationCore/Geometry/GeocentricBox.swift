/// A box in the Earth-centred frame, metres: no antimeridian, no pole, and its distance to a place is never more
/// than the way there.
package struct GeocentricBox: Hashable, Sendable {
  /// The corner with the least coordinates.
  package var low: SIMD3<Float>
  /// The corner with the greatest coordinates.
  package var high: SIMD3<Float>

  /// Covers the rounding of coordinates below 2^23 m to single precision, here and in what is asked for.
  static let paddingMeters: Float = 2

  /// Holds the part of the ellipsoid that a box in latitude and longitude covers.
  package init(_ box: GeoBox) {
    let south = Self.meridian(box.south)
    let north = Self.meridian(box.north)
    let reachesEquator = box.south <= 0 && box.north >= 0
    let widest = reachesEquator ? WGS84.equatorialRadiusMeters : max(south.fromAxis, north.fromAxis)
    let narrowest = min(south.fromAxis, north.fromAxis)
    let east = box.west + box.width
    let x = Self.cosines(from: box.west, to: east)
    // The sine is the cosine of what is a quarter less.
    let y = Self.cosines(from: box.west - 90, to: east - 90)
    func span(_ cosines: ClosedRange<Double>) -> ClosedRange<Double> {
      let low = cosines.lowerBound * (cosines.lowerBound < 0 ? widest : narrowest)
      let high = cosines.upperBound * (cosines.upperBound > 0 ? widest : narrowest)
      return low...high
    }
    let (xs, ys) = (span(x), span(y))
    low = SIMD3(Float(xs.lowerBound), Float(ys.lowerBound), Float(south.up)) - Self.paddingMeters
    high = SIMD3(Float(xs.upperBound), Float(ys.upperBound), Float(north.up)) + Self.paddingMeters
  }

  /// A place on the ellipsoid, metres.
  @inline(__always) package static func point(_ place: Coordinate) -> SIMD3<Float> {
    let meridian = meridian(place.latitude)
    let (sine, cosine) = Trig.sincos(place.longitude * Trig.radiansPerDegree)
    return SIMD3(Float(meridian.fromAxis * cosine), Float(meridian.fromAxis * sine), Float(meridian.up))
  }

  /// Metres from the axis and above the equator.
  @inline(__always) private static func meridian(_ latitude: Double) -> (fromAxis: Double, up: Double) {
    let (sine, cosine) = Trig.sincos(latitude * Trig.radiansPerDegree)
    let radius =
      WGS84.equatorialRadiusMeters / (1 - WGS84.eccentricitySquared * sine * sine).squareRoot()
    return (radius * abs(cosine), radius * (1 - WGS84.eccentricitySquared) * sine)
  }

  /// What the cosine takes between two angles, degrees, the first not above the second.
  private static func cosines(from first: Double, to last: Double) -> ClosedRange<Double> {
    guard last - first < 360 else { return -1...1 }
    let a = Trig.sincos(first * Trig.radiansPerDegree).cos
    let b = Trig.sincos(last * Trig.radiansPerDegree).cos
    // Whether a multiple of a whole turn, or a half more, lies between.
    let hasTop = (last / 360).rounded(.down) >= (first / 360).rounded(.up)
    let hasBottom = ((last - 180) / 360).rounded(.down) >= ((first - 180) / 360).rounded(.up)
    return (hasBottom ? -1 : min(a, b))...(hasTop ? 1 : max(a, b))
  }
}

extension Geodesy {
  /// Metres between two near places, and the most by which they may be wrong; infinite error where the
  /// formula says nothing.
  ///
  /// Gauss's mid-latitude formulas to the third order.
  @inline(__always)
  public static func localDistance(_ a: Coordinate, _ b: Coordinate) -> (meters: Double, errorMeters: Double)
  {
    let (sine, cosine) = Trig.sincos((a.latitude + b.latitude) * (0.5 * Trig.radiansPerDegree))
    return gaussMidLatitude(
      sine: sine, cosine: cosine,
      deltaLatitude: (b.latitude - a.latitude) * Trig.radiansPerDegree,
      deltaLongitude: longitudeDifference(from: a.longitude, to: b.longitude) * Trig.radiansPerDegree)
  }

  @inline(__always)
  static func gaussMidLatitude(
    sine: Double, cosine: Double, deltaLatitude p: Double, deltaLongitude l: Double
  ) -> (meters: Double, errorMeters: Double) {
    let s2 = sine * sine
    let c2 = cosine * cosine
    let eta2 = WGS84.secondEccentricitySquared * c2
    let v2 = 1 + eta2
    let p2 = p * p
    let l2 = l * l
    // N = c / V with the polar radius of curvature c; c2 * t2 is s2.
    let n = WGS84.equatorialRadiusMeters / WGS84.axisRatio / v2.squareRoot()
    let iv2 = 1 / v2
    let east =
      cosine * l
      * (1 + (p2 * iv2 * iv2 * (1 + eta2 - 9 * WGS84.secondEccentricitySquared * s2) - l2 * s2) / 24)
    let north =
      p * iv2
      * (1 - l2 * (2 * c2 + 3 * s2 + 2 * eta2 * c2) / 24
        + p2 * iv2 * iv2 * WGS84.secondEccentricitySquared * (s2 - c2 - eta2 * c2 - 4 * eta2 * s2) / 8)
    let meters = n * (east * east + north * north).squareRoot()
    let u = l2 + p2 / c2
    let error = u < 0.01 ? meters * (u * (0.002 + u)) : .infinity
    return (meters, error)
  }
}

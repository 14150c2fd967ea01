extension InverseGeodesic {
  /// A first guess of the azimuth at the start.
  func startingAzimuth() -> Angle {
    let circle = greatCircle(to: lambda12)
    // Near the antipode great circles of every azimuth come near the end, and only the flattening decides.
    let zone = 6 * WGS84.flattening * Double.pi * beta1.cos * beta1.cos
    if circle.cosSigma < 0, circle.sinSigma < zone { return antipodalAzimuth() }
    // On the sphere the longitude is larger, to the first order by f σ sin α0.
    let excess =
      WGS84.flattening * beta1.cos * circle.azimuth.sin * Trig.atan2(circle.sinSigma, circle.cosSigma)
    return greatCircle(to: lambda12 + Angle(radians: excess)).azimuth
  }

  /// The great circle between the reduced latitudes: its azimuth at the start, and the arc.
  private func greatCircle(to omega12: Angle) -> (azimuth: Angle, sinSigma: Double, cosSigma: Double) {
    // The northward part, written so that near places and near antipodes lose no digits.
    let lift = beta2.cos * beta1.sin * omega12.sin * omega12.sin
    let north =
      omega12.cos >= 0
      ? beta2.sin * beta1.cos - beta2.cos * beta1.sin + lift / (1 + omega12.cos)
      : sinSum - lift / (1 - omega12.cos)
    let east = beta2.cos * omega12.sin
    return (
      Angle(y: east, x: north), Trig.hypot(east, north),
      beta1.sin * beta2.sin + beta1.cos * beta2.cos * omega12.cos
    )
  }

  /// sin(β1 + β2): not positive, as the start is the farther from the equator.
  private var sinSum: Double { beta2.sin * beta1.cos + beta2.cos * beta1.sin }

  /// The azimuth where the geodesics that leave the start envelop an astroid around its antipode
  /// (Karney 2013, section 5).
  private func antipodalAzimuth() -> Angle {
    let epsilon = GeodesicSeries.parameter(cosAlpha0: beta1.sin)
    let longitudeUnit = GeodesicSeries.longitudeShiftScale(epsilon) * beta1.cos * Double.pi
    let x = -shortOfHalfTurn / longitudeUnit
    let y = sinSum / (longitudeUnit * beta1.cos)
    if y > -1e-12, x > -1 {
      // On the latitude of the antipode, within the astroid.
      return Angle(sin: -x, cos: -((1 - x) * (1 + x)).squareRoot())
    }
    let k = Self.astroid(x, y)
    let omega = Angle(radians: longitudeUnit * (-x * k / (1 + k)))
    let lift = beta2.cos * beta1.sin * omega.sin * omega.sin
    return Angle(y: beta2.cos * omega.sin, x: sinSum - lift / (1 + omega.cos))
  }

  /// The positive root k of (x / (1 + k))² + (y / k)² = 1 (Karney 2013, equation 55), near enough for a guess.
  ///
  /// The left side falls with k and is convex, so that Newton's steps from below stay below the root.
  private static func astroid(_ x: Double, _ y: Double) -> Double {
    var k = Swift.max(abs(y), abs(x) - 1)
    for _ in 0..<8 {
      let u = x / (1 + k)
      let v = y / k
      k += (u * u + v * v - 1) / (2 * (u * u / (1 + k) + v * v / k))
    }
    return k
  }
}

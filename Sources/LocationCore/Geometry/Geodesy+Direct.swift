extension Geodesy {
  /// The place reached from `start` after `distanceMeters` along the geodesic that leaves at
  /// `azimuthDegrees` from true north; exact to a micrometre for any length up to some turns of the Earth.
  ///
  /// Karney 2013, section 3 (the direct problem).
  public static func direct(
    from start: Coordinate, azimuthDegrees: Double, distanceMeters: Double
  ) -> Coordinate {
    let azimuth = sincosDegrees(azimuthDegrees.remainder(dividingBy: 360))
    let beta = reducedLatitude(start.latitude)
    // The great circle on the auxiliary sphere: its azimuth at the equator, and where on it the start lies.
    let sinAlpha0 = azimuth.sin * beta.cos
    let cosAlpha0 = Trig.hypot(azimuth.cos, azimuth.sin * beta.sin)
    let sigma1 = unit(beta.sin, beta.sin != 0 || azimuth.cos != 0 ? beta.cos * azimuth.cos : 1)
    let omega1 = unit(
      sinAlpha0 * beta.sin, beta.sin != 0 || azimuth.cos != 0 ? beta.cos * azimuth.cos : 1)
    let epsilon = expansionParameter(cosAlpha0)
    let c1 = GeodesicSeries.distance(epsilon)
    let b11 = GeodesicSeries.sineSum(c1, sine: sigma1.sin, cosine: sigma1.cos)
    let tau12 =
      distanceMeters / (WGS84.polarRadiusMeters * GeodesicSeries.distanceScale(epsilon))
    let tau1 = rotate(sigma1, by: Trig.sincos(b11))
    let tau2 = rotate(tau1, by: Trig.sincos(tau12))
    let b12 = GeodesicSeries.sineSum(
      GeodesicSeries.distanceReverted(epsilon), sine: tau2.sin, cosine: tau2.cos)
    let sigma12 = tau12 + b11 + b12
    let sigma2 = rotate(sigma1, by: Trig.sincos(sigma12))
    let sinBeta2 = cosAlpha0 * sigma2.sin
    let cosBeta2 = Trig.hypot(sinAlpha0, cosAlpha0 * sigma2.cos)
    let omega12 = Trig.atan2(
      sinAlpha0 * sigma2.sin * omega1.cos - sigma2.cos * omega1.sin,
      sigma2.cos * omega1.cos + sinAlpha0 * sigma2.sin * omega1.sin)
    let c3 = GeodesicSeries.longitude(epsilon)
    let periodic =
      GeodesicSeries.sineSum(c3, sine: sigma2.sin, cosine: sigma2.cos)
      - GeodesicSeries.sineSum(c3, sine: sigma1.sin, cosine: sigma1.cos)
    let lambda12 =
      omega12 - WGS84.flattening * GeodesicSeries.longitudeScale(epsilon) * sinAlpha0 * (sigma12 + periodic)
    return Coordinate(
      uncheckedLatitude: Trig.atan2(sinBeta2, WGS84.axisRatio * cosBeta2) * Trig.degreesPerRadian,
      longitude: normalizedLongitude(
        start.longitude
          + (lambda12 * Trig.degreesPerRadian).remainder(dividingBy: 360)))
  }

  /// Sine and cosine of one angle.
  typealias SineCosine = (sin: Double, cos: Double)

  /// The sum of two angles, each given by sine and cosine.
  @inline(__always)
  static func rotate(_ a: SineCosine, by b: SineCosine) -> SineCosine {
    (a.sin * b.cos + a.cos * b.sin, a.cos * b.cos - a.sin * b.sin)
  }

  /// The angle of a vector; (0, 1) for none.
  @inline(__always)
  static func unit(_ y: Double, _ x: Double) -> SineCosine {
    let length = (y * y + x * x).squareRoot()
    return length > 0 ? (y / length, x / length) : (0, 1)
  }

  /// Sine and cosine of degrees in -180 to 180, exact at the quarters.
  static func sincosDegrees(_ degrees: Double) -> SineCosine {
    let size = abs(degrees)
    let sign = degrees < 0 ? -1.0 : 1.0
    if size <= 45 {
      let near = Trig.sincos(size * Trig.radiansPerDegree)
      return (sign * near.sin, near.cos)
    }
    if size <= 135 {
      let near = Trig.sincos((90 - size) * Trig.radiansPerDegree)
      return (sign * near.cos, near.sin)
    }
    let near = Trig.sincos((180 - size) * Trig.radiansPerDegree)
    return (sign * near.sin, -near.cos)
  }

  /// Sine and cosine of the reduced latitude of a latitude in degrees.
  static func reducedLatitude(_ degrees: Double) -> SineCosine {
    let phi = sincosDegrees(degrees)
    // A pole keeps a cosine that is nothing on the ground, so that azimuths there stay defined.
    return unit(WGS84.axisRatio * phi.sin, Swift.max(phi.cos, 1e-150))
  }

  /// The small parameter ε of the series (Karney 2013, equation 16).
  static func expansionParameter(_ cosAlpha0: Double) -> Double {
    let k2 = cosAlpha0 * cosAlpha0 * WGS84.secondEccentricitySquared
    return k2 / (2 * (1 + (1 + k2).squareRoot()) + k2)
  }
}

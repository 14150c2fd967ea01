extension Geodesy {
  /// The place reached from `start` along the geodesic that leaves at `azimuthDegrees` from true north, after
  /// `distanceMeters`; both finite, a negative distance goes backwards.
  ///
  /// Exact to 1e-7 m for lengths up to a turn of the Earth. From a pole the azimuth is that of a traveller who
  /// came along the meridian of the start.
  public static func direct(
    from start: Coordinate, azimuthDegrees: Double, distanceMeters: Double
  ) -> Coordinate {
    arrival(from: start, azimuthDegrees: azimuthDegrees, distanceMeters: distanceMeters).place
  }

  /// As ``direct(from:azimuthDegrees:distanceMeters:)``, and the azimuth on arrival, -180 to 180.
  ///
  /// Karney, "Algorithms for geodesics" (2013), section 3.
  public static func arrival(
    from start: Coordinate, azimuthDegrees: Double, distanceMeters: Double
  ) -> (place: Coordinate, azimuthDegrees: Double) {
    precondition(azimuthDegrees.isFinite && distanceMeters.isFinite, "azimuth and distance are finite")
    let azimuth = Angle(degrees: azimuthDegrees.remainder(dividingBy: 360))
    let beta1 = Angle(reducedFromLatitude: start.latitude)
    // The great circle on the auxiliary sphere: its azimuth at the equator, and where on it the start lies.
    let alpha0 = Angle(
      sin: azimuth.sin * beta1.cos, cos: Trig.hypot(azimuth.cos, azimuth.sin * beta1.sin))
    let northward = beta1.sin == 0 && azimuth.cos == 0 ? 1 : azimuth.cos * beta1.cos
    let sigma1 = Angle(y: beta1.sin, x: northward)
    let omega1 = Angle(y: alpha0.sin * beta1.sin, x: northward)

    let epsilon = GeodesicSeries.parameter(cosAlpha0: alpha0.cos)
    let b1 = GeodesicSeries.sum(GeodesicSeries.distance(epsilon), at: sigma1)
    let tau12 = distanceMeters / (WGS84.polarRadiusMeters * GeodesicSeries.distanceScale(epsilon))
    let tau2 = sigma1 + Angle(radians: b1) + Angle(radians: tau12)
    let sigma12 =
      tau12 + b1 + GeodesicSeries.sum(GeodesicSeries.distanceReverted(epsilon), at: tau2)

    let sigma2 = sigma1 + Angle(radians: sigma12)
    let sinBeta2 = alpha0.cos * sigma2.sin
    let cosBeta2 = Trig.hypot(alpha0.sin, alpha0.cos * sigma2.cos)
    let omega2 = Angle(y: alpha0.sin * sigma2.sin, x: sigma2.cos)
    let omega12 = Trig.atan2(
      omega2.sin * omega1.cos - omega2.cos * omega1.sin, omega2.cos * omega1.cos + omega2.sin * omega1.sin)
    let c3 = GeodesicSeries.longitude(epsilon)
    let periodic = GeodesicSeries.sum(c3, at: sigma2) - GeodesicSeries.sum(c3, at: sigma1)
    let lambda12 =
      omega12 - GeodesicSeries.longitudeShiftScale(epsilon) * alpha0.sin * (sigma12 + periodic)
    let place = Coordinate(
      uncheckedLatitude: Trig.atan2(sinBeta2, WGS84.axisRatio * cosBeta2) * Trig.degreesPerRadian,
      longitude: normalizedLongitude(
        start.longitude + (lambda12 * Trig.degreesPerRadian).remainder(dividingBy: 360)))
    let alpha2 = Trig.atan2(alpha0.sin, alpha0.cos * sigma2.cos)
    return (place, alpha2 * Trig.degreesPerRadian)
  }
}

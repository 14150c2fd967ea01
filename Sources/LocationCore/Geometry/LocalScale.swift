/// Metres per degree at one latitude of the WGS 84 ellipsoid: the affine local metric in which small areas
/// may be treated as plane.
///
/// Straight lines in longitude and latitude stay straight in it, so an edge of a GeoJSON polygon is one.
public struct LocalScale: Hashable, Sendable {
  /// Metres in one degree of latitude: the meridian radius of curvature times π/180.
  public let metersPerDegreeLatitude: Double
  /// Metres in one degree of longitude: the radius of the parallel times π/180; zero at a pole.
  public let metersPerDegreeLongitude: Double

  /// The scale at a latitude in degrees, -90 to 90.
  public init(latitude: Double) {
    let (sine, cosine) = Trig.sincos(latitude * Trig.radiansPerDegree)
    let w2 = 1 / (1 - WGS84.eccentricitySquared * (sine * sine))
    let perDegree = WGS84.equatorialRadiusMeters * w2.squareRoot() * Trig.radiansPerDegree
    metersPerDegreeLatitude = perDegree * (w2 * (1 - WGS84.eccentricitySquared))
    metersPerDegreeLongitude = perDegree * cosine
  }

  /// Metres east and north of `origin`, the longitude difference taken the short way round.
  @inline(__always)
  public func offset(of coordinate: Coordinate, from origin: Coordinate) -> (east: Double, north: Double) {
    (
      Geodesy.longitudeDifference(from: origin.longitude, to: coordinate.longitude)
        * metersPerDegreeLongitude,
      (coordinate.latitude - origin.latitude) * metersPerDegreeLatitude
    )
  }

  /// The coordinate that lies `east` and `north` metres from `origin` on this plane, brought into range.
  public func coordinate(east: Double, north: Double, from origin: Coordinate) -> Coordinate {
    let latitude = origin.latitude + north / metersPerDegreeLatitude
    let longitude = origin.longitude + east / Swift.max(metersPerDegreeLongitude, 1e-9)
    return Coordinate(
      uncheckedLatitude: Swift.min(90, Swift.max(-90, latitude)),
      longitude: Geodesy.normalizedLongitude(longitude))
  }
}

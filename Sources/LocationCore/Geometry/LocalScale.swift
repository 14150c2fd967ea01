/// Metres per degree at one latitude of the WGS 84 ellipsoid: the affine local metric in which small areas
/// may be treated as plane.
///
/// A straight line in longitude and latitude stays straight in it, and so does an edge of a GeoJSON polygon.
///
/// Its error grows with the square of the distance from the reference latitude and with the tangent of that
/// latitude: a distance from a place at the reference latitude is wrong by at most (measured) 0.4 mm in
/// 100 m, 36 mm in 1 km and 3.6 m in 10 km at 50° north; twice that at 70°. ``errorMeters(within:)`` bounds it.
public struct LocalScale: Hashable, Sendable {
  /// Metres in one degree of latitude: the meridian radius of curvature times π/180.
  public let metersPerDegreeLatitude: Double
  /// Metres in one degree of longitude: the radius of the parallel times π/180; zero at a pole.
  public let metersPerDegreeLongitude: Double
  private let latitude: Double

  /// The scale at a latitude in degrees, -90 to 90.
  public init(latitude: Double) {
    let phi = Angle(degrees: latitude)
    let w2 = 1 / (1 - WGS84.eccentricitySquared * (phi.sin * phi.sin))
    // N = a / W and M = a (1 - e²) / W³.
    let normal = WGS84.equatorialRadiusMeters * w2.squareRoot()
    metersPerDegreeLatitude = normal * (w2 * (1 - WGS84.eccentricitySquared)) * Trig.radiansPerDegree
    metersPerDegreeLongitude = normal * phi.cos * Trig.radiansPerDegree
    self.latitude = latitude
  }

  /// A scale that is known.
  @inline(__always)
  init(latitude: Double, perLatitude: Double, perLongitude: Double) {
    metersPerDegreeLatitude = perLatitude
    metersPerDegreeLongitude = perLongitude
    self.latitude = latitude
  }

  /// Metres east and north of `origin`, the longitude difference taken the short way round.
  @inline(__always)
  public func offset(of place: Coordinate, from origin: Coordinate) -> (east: Double, north: Double) {
    let degreesEast = Geodesy.longitudeDifference(from: origin.longitude, to: place.longitude)
    return (
      degreesEast * metersPerDegreeLongitude,
      (place.latitude - origin.latitude) * metersPerDegreeLatitude
    )
  }

  /// The place that lies `east` and `north` metres from `origin` on this plane: latitudes stop at the poles,
  /// longitudes go round.
  public func coordinate(east: Double, north: Double, from origin: Coordinate) -> Coordinate {
    let latitude = origin.latitude + north / metersPerDegreeLatitude
    let longitude = origin.longitude + east / Swift.max(metersPerDegreeLongitude, Self.smallestScale)
    return Coordinate(
      uncheckedLatitude: Swift.min(90, Swift.max(-90, latitude)),
      longitude: Geodesy.normalizedLongitude(longitude))
  }

  /// The most by which a distance of up to `meters` from a place at the reference latitude may be wrong,
  /// metres; infinite where nothing is promised: beyond a fifth of a radian, and near the poles sooner.
  ///
  /// With x the distance in Earth radii and t the tangent of the latitude: 0.2 (x (t + 0.03) + x² (1 + t²)) of
  /// the distance. The factor measured is 0.193, over all bearings, for x (1 + t) up to 0.2.
  public func errorMeters(within meters: Double) -> Double {
    let x = meters / WGS84.equatorialRadiusMeters
    let phi = Angle(degrees: latitude)
    // Infinite at a pole.
    let steepness = abs(phi.sin / phi.cos)
    guard x * (1 + steepness) <= 0.2 else { return .infinity }
    return 0.2 * meters * (x * (steepness + 0.03) + x * x * (1 + steepness * steepness))
  }

  /// Metres per degree: keeps a division at a pole finite.
  private static let smallestScale = 1e-9
}

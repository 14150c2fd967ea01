/// The WGS 84 ellipsoid and what follows from it.
///
/// Defining parameters: NIMA TR8350.2, "Department of Defense World Geodetic System 1984", table 3.1.
package enum WGS84 {
  /// Equatorial radius, metres (defined).
  package static let equatorialRadiusMeters = 6_378_137.0
  /// Flattening (1/298.257223563, defined).
  package static let flattening = 1 / 298.257223563
  /// Ratio of the polar to the equatorial radius.
  package static let axisRatio = 1 - flattening
  /// Polar radius, metres.
  package static let polarRadiusMeters = equatorialRadiusMeters * axisRatio
  /// Radius of curvature at the poles, metres.
  package static let polarCurvatureRadiusMeters = equatorialRadiusMeters / axisRatio
  /// First eccentricity squared.
  package static let eccentricitySquared = flattening * (2 - flattening)
  /// Second eccentricity squared.
  package static let secondEccentricitySquared = eccentricitySquared / (axisRatio * axisRatio)
  /// Third flattening.
  package static let thirdFlattening = flattening / (2 - flattening)
}

/// A place on the WGS 84 ellipsoid, latitude first.
public struct Coordinate: Hashable, Sendable, Codable {
  /// Geodetic latitude, degrees north, -90 to 90.
  public let latitude: Double
  /// Longitude, degrees east, -180 to 180.
  public let longitude: Double

  /// Fails when a value is not finite or is outside its range.
  public init?(latitude: Double, longitude: Double) {
    guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// For values that are known to be in range: geometry that has just normalised them.
  package init(uncheckedLatitude latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

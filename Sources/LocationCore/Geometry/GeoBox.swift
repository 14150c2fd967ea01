/// A box in latitude and longitude; its longitudes may run across the antimeridian.
package struct GeoBox: Hashable, Sendable {
  /// Degrees north.
  package var south: Double
  /// Degrees north, not below `south`.
  package var north: Double
  /// Degrees east, -180 to 180.
  package var west: Double
  /// Degrees from `west` to the eastern side, 0 to 360.
  package var width: Double

  package init(south: Double, north: Double, west: Double, width: Double) {
    self.south = south
    self.north = north
    self.west = west
    self.width = width
  }

  /// A box that holds every place within a distance of another, and little more while that is below
  /// 1,000 km.
  package init(around center: Coordinate, radiusMeters: Double) {
    let reach = radiusMeters / Self.leastMetersPerDegreeLatitude
    south = Swift.max(-90, center.latitude - reach)
    north = Swift.min(90, center.latitude + reach)
    let highest = Swift.max(abs(south), abs(north))
    let perDegree = LocalScale(latitude: highest).metersPerDegreeLongitude * Self.sphereSlack
    // The comparison is false for a box that reaches a pole, where the scale is 0.
    if highest < 90, radiusMeters < 180 * perDegree {
      let half = radiusMeters / perDegree
      west = Geodesy.normalizedLongitude(center.longitude - half)
      width = 2 * half
    } else {
      west = -180
      width = 360
    }
  }

  /// The place in the middle.
  var middle: Coordinate {
    Coordinate(
      uncheckedLatitude: 0.5 * (south + north), longitude: Geodesy.normalizedLongitude(west + 0.5 * width))
  }

  /// Metres in a degree of latitude at the equator, where it is shortest.
  static let leastMetersPerDegreeLatitude = 110_574.0
  /// Metres in a degree of latitude at a pole, where it is longest.
  static let mostMetersPerDegreeLatitude = 111_694.0
  /// Covers the difference between the ellipsoid and the formula above.
  private static let sphereSlack = 0.99

  /// Whether two boxes have a place in common.
  package func meets(_ other: GeoBox) -> Bool {
    guard south <= other.north, other.south <= north else { return false }
    var ahead = (other.west - west).truncatingRemainder(dividingBy: 360)
    if ahead < 0 { ahead += 360 }
    return ahead <= width || 360 - ahead <= other.width
  }
}

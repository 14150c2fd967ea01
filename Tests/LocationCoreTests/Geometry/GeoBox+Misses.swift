@testable import LocationCore

extension GeoBox {
  /// Degrees of longitude by which a place misses the box; 0 within its longitudes.
  func longitudeMissDegrees(_ longitude: Double) -> Double {
    var east = longitude - west
    if east < 0 { east += 360 }
    if east <= width { return 0 }
    return Swift.min(east - width, 360 - east)
  }

  /// Degrees of latitude by which a place misses the box; 0 within its latitudes.
  func latitudeMissDegrees(_ latitude: Double) -> Double {
    Swift.max(0, Swift.max(south - latitude, latitude - north))
  }
}

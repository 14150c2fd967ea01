/// The regions around the last look, each with a distance in which its edge is not met.
struct RegionNeighborhood: Sendable {
  private var latitude = 0.0
  private var longitude = 0.0
  private var metersPerLatitude = 0.0
  private var metersPerLongitude = 0.0
  /// Square of the metres within which of the last look no edge is met; negative before the first.
  private var safeSquared = -1.0
  /// Metres within which of the last look no edge but those listed is met.
  var horizonMeters = -1.0
  /// The regions near, and for each a distance from the last look within which its edge is not met.
  var slots: [Int32] = []
  var boundsMeters: [Double] = []

  /// How far around a look neighbours are gathered at most, metres.
  static let widestMeters = 20_000.0

  /// Whether a place is so near the last look that no edge lies between, or on, them.
  @inline(__always) func covers(_ place: Coordinate) -> Bool {
    let north = (place.latitude - latitude) * metersPerLatitude
    let east = (place.longitude - longitude) * metersPerLongitude
    return north * north + east * east < safeSquared
  }

  /// Metres from the last look; at least the true distance within the horizon.
  func travelMeters(to place: Coordinate) -> Double {
    let north = (place.latitude - latitude) * metersPerLatitude
    let east = Geodesy.longitudeDifference(from: longitude, to: place.longitude) * metersPerLongitude
    return (north * north + east * east).squareRoot()
  }

  /// Moves the place of the last look; what is listed keeps its distances less the way travelled.
  mutating func move(to place: Coordinate, travelMeters: Double) {
    latitude = place.latitude
    longitude = place.longitude
    let lowest = Swift.max(0, abs(place.latitude) - 0.2)
    metersPerLatitude = GeoBox.mostMetersPerDegreeLatitude
    metersPerLongitude = LocalScale(latitude: lowest).metersPerDegreeLongitude
    horizonMeters -= travelMeters
    for index in boundsMeters.indices { boundsMeters[index] -= travelMeters }
  }

  /// Sets the safe distance from what is listed.
  mutating func settle() {
    var safe = horizonMeters
    for bound in boundsMeters { safe = Swift.min(safe, bound) }
    safeSquared = safe > 0 ? safe * safe : -1
  }

  /// Nothing is known around the next look.
  mutating func forget() {
    safeSquared = -1
    horizonMeters = -1
    slots.removeAll(keepingCapacity: true)
    boundsMeters.removeAll(keepingCapacity: true)
  }
}

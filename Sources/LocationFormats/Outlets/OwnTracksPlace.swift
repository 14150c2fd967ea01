package import LocationCore

extension OwnTracksOutlet.Place {
  /// The circle that others take for a region: of anything but a circle, one around its bounds.
  package init(_ region: Region) {
    let (center, radius) = Self.circle(around: region.shape)
    self.init(
      id: region.id, name: region.name ?? region.id, latitude: center.latitude, longitude: center.longitude,
      radiusMeters: radius)
  }

  /// Whether it is what others are told of another place, which loses digits.
  func isTold(of other: OwnTracksOutlet.Place) -> Bool {
    abs(latitude - other.latitude) < 1e-6 && abs(longitude - other.longitude) < 1e-6
      && abs(radiusMeters - other.radiusMeters) < 1
  }

  private static func circle(around shape: Region.Shape) -> (Coordinate, radiusMeters: Double) {
    switch shape {
    case .circle(let center, let radius): (center, radius)
    case .polygon(let polygon): circle(around: polygon.shell)
    case .multiPolygon(let polygons): circle(around: polygons.flatMap(\.shell))
    case .beacon: circle(around: [])
    case .corridor(let line, let buffer): circle(around: line, margin: buffer)
    }
  }

  private static func circle(around points: [Coordinate], margin: Double = 0) -> (Coordinate, Double) {
    guard let first = points.first else { return (Coordinate(uncheckedLatitude: 0, longitude: 0), 0) }
    // Longitudes from the first, so that a shape across the antimeridian stays in one piece.
    let easts = points.map { point in
      let east = point.longitude - first.longitude
      return east > 180 ? east - 360 : east < -180 ? east + 360 : east
    }
    let norths = points.map(\.latitude)
    let east = ((easts.min() ?? 0) + (easts.max() ?? 0)) / 2 + first.longitude
    let center = Coordinate(
      uncheckedLatitude: ((norths.min() ?? 0) + (norths.max() ?? 0)) / 2,
      longitude: east >= 180 ? east - 360 : east < -180 ? east + 360 : east)
    let radius = points.map { Geodesy.distanceMeters(center, $0) }.max() ?? 0
    return (center, radius + margin)
  }
}

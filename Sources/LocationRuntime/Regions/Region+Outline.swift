import LocationCore

extension Region.Shape {
  /// Metres from a place to the edge, positive outside.
  func edgeMeters(at place: Coordinate) -> Double {
    switch self {
    case .circle(let center, let radiusMeters): Geodesy.distanceMeters(center, place) - radiusMeters
    }
  }

  /// The middle: of a circle its centre.
  var middle: Coordinate {
    switch self {
    case .circle(let center, _): center
    }
  }

  /// For people: `circle, 120 m around 48.13710, 11.57540`.
  var described: String {
    switch self {
    case .circle(let center, let radius):
      "circle, \(Wording.distance(radius)) around \(Wording.place(center))"
    }
  }
}

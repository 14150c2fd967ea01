import LocationCore

extension Region.Shape {
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

package import LocationCore

extension Region.Shape {
  /// The middle: of a circle its centre, of others that of the box around them. A beacon has none.
  package var middle: Coordinate {
    let first: Coordinate?
    switch self {
    case .circle(let center, _): return center
    case .corridor(let line, _): first = line.first
    case .beacon: first = nil
    case .polygon, .multiPolygon: first = polygons.first?.shell.first
    }
    do {
      let box = try ShapeGeometry(self).box
      return Coordinate(
        uncheckedLatitude: 0.5 * (box.south + box.north),
        longitude: Geodesy.normalizedLongitude(box.west + 0.5 * box.width))
    } catch {
      // An outline that is none has no box.
      return first ?? Coordinate(uncheckedLatitude: 0, longitude: 0)
    }
  }

  /// Its polygons; none of a circle and a corridor.
  package var polygons: [Region.Polygon] {
    switch self {
    case .circle, .corridor, .beacon: []
    case .polygon(let polygon): [polygon]
    case .multiPolygon(let polygons): polygons
    }
  }

  /// What it is called.
  package var word: String {
    switch self {
    case .circle: "circle"
    case .polygon: "polygon"
    case .multiPolygon: "multipolygon"
    case .corridor: "corridor"
    case .beacon: "beacon"
    }
  }

  /// For people: `circle, 120 m around 48.13710, 11.57540`.
  package func described(in units: MeasureUnits) -> String {
    switch self {
    case .circle(let center, let radius):
      return "circle, \(Wording.distance(radius, in: units)) around \(Wording.place(center))"
    case .corridor(let line, let buffer):
      let end = line.last.map { " to \(Wording.place($0))" } ?? ""
      let start = line.first.map { "from \(Wording.place($0))" } ?? ""
      return "corridor, \(Wording.distance(buffer, in: units)) to each side, \(start)\(end)"
    case .beacon(let beacon): return "beacon \(beacon.text)"
    case .polygon, .multiPolygon:
      let polygons = self.polygons
      let corners = polygons.reduce(0) { $0 + $1.shell.count - 1 }
      let holes = polygons.reduce(0) { $0 + $1.holes.count }
      let head = polygons.count == 1 ? "polygon" : Wording.count(polygons.count, "polygon")
      let less = holes == 0 ? "" : " less " + Wording.count(holes, "hole")
      return "\(head), \(Wording.count(corners, "corner"))\(less), around \(Wording.place(middle))"
    }
  }
}

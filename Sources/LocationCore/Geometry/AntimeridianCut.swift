/// The antimeridian and the poles cut rings that in truth go on: edges along them are no boundary.
///
/// RFC 7946, section 3.1.9, has such shapes cut in two; both halves then have an edge on the 180th meridian.
/// A ring around a pole is cut likewise, where it begins.
struct AntimeridianCut {
  /// Longitudes of cuts, -180 to 180.
  private var meridians = [180.0]

  init() {}

  /// Whether an edge of a ring as its owner gave it lies on the seam.
  static func holds(_ a: Coordinate, _ b: Coordinate) -> Bool { AntimeridianCut().holds(a, b) }

  /// Takes the cut through a ring around a pole.
  mutating func cut(along longitude: Double) { meridians.append(longitude.remainder(dividingBy: 360)) }

  /// Whether an edge lies on a cut, or has no length because it is a pole.
  func holds(_ a: Coordinate, _ b: Coordinate) -> Bool {
    if a.latitude == b.latitude { return abs(a.latitude) == 90 }
    guard a.longitude == b.longitude else { return false }
    return meridians.contains { abs(($0 - a.longitude).remainder(dividingBy: 360)) < 1e-12 }
  }

  /// What of some rings is boundary: the rings, cut open where an edge is on the seam, and those parts of the
  /// seam that only one side touches. Nil where no edge is on the seam.
  func boundary(of rings: [[Coordinate]]) -> [[Coordinate]]? {
    var lines: [[Coordinate]] = []
    var onMeridian: [(from: Coordinate, to: Coordinate)] = []
    var isCut = false
    for ring in rings {
      var line: [Coordinate] = []
      for (a, b) in zip(ring, ring.dropFirst()) {
        if line.isEmpty { line.append(a) }
        guard holds(a, b) else {
          line.append(b)
          continue
        }
        isCut = true
        if line.count > 1 { lines.append(line) }
        line = []
        if a.longitude == b.longitude, a.latitude != b.latitude {
          onMeridian.append((a, b))
        }
      }
      if line.count > 1 { lines.append(line) }
    }
    guard isCut else { return nil }
    return lines + Self.oneSided(onMeridian)
  }

  /// The stretches that are covered an odd number of times: land on one side, none on the other.
  private static func oneSided(_ edges: [(from: Coordinate, to: Coordinate)]) -> [[Coordinate]] {
    // Cuts at different longitudes have nothing to do with each other.
    var lines: [[Coordinate]] = []
    var rest = edges
    while let longitude = rest.first?.from.longitude {
      let here = rest.filter { abs(($0.from.longitude - longitude).remainder(dividingBy: 360)) < 1e-9 }
      rest.removeAll { abs(($0.from.longitude - longitude).remainder(dividingBy: 360)) < 1e-9 }
      let steps = here.flatMap { [$0.from.latitude, $0.to.latitude] }.sorted()
      for (south, north) in zip(steps, steps.dropFirst()) where south < north {
        let covering = here.filter { edge in
          Swift.min(edge.from.latitude, edge.to.latitude) <= south
            && north <= Swift.max(edge.from.latitude, edge.to.latitude)
        }
        guard covering.count % 2 == 1, let edge = covering.first else { continue }
        let ends = [south, north].map {
          Coordinate(uncheckedLatitude: $0, longitude: edge.from.longitude)
        }
        lines.append(edge.from.latitude < edge.to.latitude ? ends : ends.reversed())
      }
    }
    return lines
  }
}

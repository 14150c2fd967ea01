/// A polygon of one ring with few vertices, as the region monitor asks about it: no tree, no copy of the ring.
package struct RingGeometry: Sendable {
  /// The ring, in one frame of longitudes.
  let vertices: [Coordinate]
  private let isCounterclockwise: Bool

  /// More vertices than this are better kept in a tree.
  static let mostVertices = 33

  /// Fails where the polygon has holes, many vertices, spans half the earth, or is cut at the antimeridian.
  init?(_ polygon: Region.Polygon) {
    guard polygon.holes.isEmpty, polygon.shell.count <= Self.mostVertices else { return nil }
    let (ring, turn) = RingFrame.unwrap(polygon.shell)
    let span = RingFrame.span(ring)
    guard turn == 0, span.upperBound - span.lowerBound < 90 else { return nil }
    for (a, b) in zip(ring, ring.dropFirst()) where AntimeridianCut.holds(a, b) { return nil }
    vertices = ring
    isCounterclockwise = RingFrame.isCounterclockwise(ring)
  }

  /// The place in the ring's frame, ready to walk the ring.
  @inline(__always) func search(_ place: Coordinate, scale: LocalScale) -> EdgeSearch {
    let first = vertices[0].longitude
    var longitude = place.longitude
    if abs(longitude - first) > 180 {
      longitude =
        first
        + Geodesy.longitudeDifference(
          from: Geodesy.normalizedLongitude(first), to: place.longitude)
    }
    return EdgeSearch(longitude: longitude, latitude: place.latitude, scale: scale)
  }

  /// Metres to the edge, positive outside; see ``EdgeSearch`` for how exact.
  package func edgeMeters(at place: Coordinate) -> Double {
    edgeMeters(at: place, scale: LocalScale(latitude: place.latitude))
  }

  @inline(__always) func edgeMeters(at place: Coordinate, scale: LocalScale) -> Double {
    var search = search(place, scale: scale)
    search.walk(vertices, from: 0, to: vertices.count - 1)
    let distance = search.squaredDistance.squareRoot()
    return search.isOdd ? -distance : distance
  }

  /// The box that holds it.
  package var box: GeoBox { AreaGeometry.box(of: [vertices], RingFrame.span(vertices)) }

  /// A place that is inside most rings.
  var middle: Coordinate {
    let a = vertices[0]
    let b = vertices[vertices.count / 2]
    return Coordinate(
      uncheckedLatitude: 0.5 * (a.latitude + b.latitude),
      longitude: Geodesy.normalizedLongitude(0.5 * (a.longitude + b.longitude)))
  }

  /// Metres from a place within which the ring lies.
  func reachMeters(from place: Coordinate) -> Double {
    let search = search(place, scale: LocalScale(latitude: place.latitude))
    var reach = 0.0
    for vertex in vertices {
      let offset = search.offset(vertex)
      reach = Swift.max(reach, offset.east * offset.east + offset.north * offset.north)
    }
    return reach.squareRoot()
  }

  /// The probability that a true position is inside; see ``AreaGeometry``.
  func probabilityInside(at place: Coordinate, edgeMeters: Double, sigmaMeters: Double) -> Double {
    let sigmaMeters = Swift.max(sigmaMeters, PolygonProbability.leastSigmaMeters)
    guard
      let (place, edgeMeters) = PolygonProbability.offEdge(
        place, edgeMeters: edgeMeters, sigmaMeters: sigmaMeters, { self.edgeMeters(at: $0) })
    else { return 0.5 }
    let search = search(place, scale: LocalScale(latitude: place.latitude))
    let isInside = edgeMeters < 0
    var share = isInside ? 1.0 : 0
    for (start, end) in zip(vertices, vertices.dropFirst()) {
      let a = search.offset(isCounterclockwise ? start : end)
      let b = search.offset(isCounterclockwise ? end : start)
      share -= PolygonProbability.beyond(
        (a.east / sigmaMeters, a.north / sigmaMeters), (b.east / sigmaMeters, b.north / sigmaMeters))
    }
    return Swift.min(1, Swift.max(0, share))
  }
}

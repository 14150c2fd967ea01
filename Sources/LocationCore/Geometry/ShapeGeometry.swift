/// A region's outline, prepared for the questions of the region monitor.
package enum ShapeGeometry: Hashable, Sendable {
  /// A circle.
  case circle(CircleGeometry)

  /// Prepares a shape.
  package init(_ shape: Region.Shape) throws(RegionError) {
    switch shape {
    case .circle(let center, let radiusMeters):
      guard radiusMeters > 0, radiusMeters < Self.halfwayRoundMeters else {
        throw .invalidRadius(radiusMeters)
      }
      self = .circle(CircleGeometry(center: center, radiusMeters: radiusMeters))
    }
  }

  /// Metres from pole to pole along a meridian, the most by which two places can be apart.
  static let halfwayRoundMeters = 20_003_931.0

  /// Metres from a place to the edge, positive outside.
  @inline(__always) package func edgeMeters(at place: Coordinate) -> Double {
    switch self {
    case .circle(let circle): circle.edgeMeters(at: place)
    }
  }

  /// The same, but for centimetres, and quicker; the sign is certain.
  @inline(__always) func edgeMeters(at place: Coordinate, in plane: LocalPlane) -> Double {
    switch self {
    case .circle(let circle): circle.edgeMeters(at: place, in: plane)
    }
  }

  /// The probability that the true position is inside; see ``CircleGeometry``.
  package func probabilityInside(at place: Coordinate, edgeMeters: Double, sigmaMeters: Double) -> Double {
    switch self {
    case .circle(let circle):
      circle.probabilityInside(edgeMeters: edgeMeters, sigmaMeters: sigmaMeters)
    }
  }

  /// The depth of the deepest place within `reachMeters`; see ``CircleGeometry``.
  @inline(__always) package func attainableDepthMeters(
    at place: Coordinate, edgeMeters: Double, reachMeters: Double
  ) -> Double {
    switch self {
    case .circle(let circle):
      circle.attainableDepthMeters(edgeMeters: edgeMeters, reachMeters: reachMeters)
    }
  }

  /// A box that holds the shape.
  package var box: GeoBox {
    switch self {
    case .circle(let circle): circle.box
    }
  }

  /// Radii around the middle of the box: everything within the first is inside, everything beyond the second
  /// outside.
  package var ringMeters: (inner: Double, outer: Double) {
    switch self {
    case .circle(let circle):
      // A box that reaches a pole is not around the centre.
      circle.box.width < 360 ? (circle.radiusMeters, circle.radiusMeters) : (-1, .infinity)
    }
  }
}

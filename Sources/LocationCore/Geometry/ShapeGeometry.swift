/// A region's outline, prepared for the questions of the region monitor.
package enum ShapeGeometry: Sendable {
  /// A circle.
  case circle(CircleGeometry)
  /// A polygon of one ring with few vertices.
  case ring(RingGeometry)
  /// Any other polygons, or the strip along a line.
  case area(AreaGeometry)

  /// Prepares a shape, or says why it is none.
  package init(_ shape: Region.Shape) throws(RegionError) {
    switch shape {
    case .circle(let center, let radiusMeters):
      guard radiusMeters > 0, radiusMeters < Self.halfwayRoundMeters else {
        throw .invalidRadius(radiusMeters)
      }
      self = .circle(CircleGeometry(center: center, radiusMeters: radiusMeters))
    case .polygon(let polygon):
      try ShapeCheck.check([polygon])
      if let ring = RingGeometry(polygon) {
        self = .ring(ring)
      } else {
        self = .area(AreaGeometry(polygons: [polygon]))
      }
    case .multiPolygon(let polygons):
      try ShapeCheck.check(polygons)
      self = .area(AreaGeometry(polygons: polygons))
    case .corridor(let line, let bufferMeters):
      try ShapeCheck.check(line: line, bufferMeters: bufferMeters)
      self = .area(AreaGeometry(line: line, bufferMeters: bufferMeters))
    case .beacon: throw .isOfBeacons
    }
  }

  /// Metres from pole to pole along a meridian, the most by which two places can be apart.
  static let halfwayRoundMeters = 20_003_931.0

  /// Metres from a place to the edge, positive outside.
  @inline(__always) package func edgeMeters(at place: Coordinate) -> Double {
    switch self {
    case .circle(let circle): circle.edgeMeters(at: place)
    case .ring(let ring): ring.edgeMeters(at: place)
    case .area(let area): area.edgeMeters(at: place)
    }
  }

  /// The same, but for centimetres, and quicker; the sign is certain.
  @inline(__always) func edgeMeters(at place: Coordinate, in plane: LocalPlane) -> Double {
    switch self {
    case .circle(let circle): circle.edgeMeters(at: place, in: plane)
    case .ring(let ring): ring.edgeMeters(at: place)
    case .area(let area): area.edgeMeters(at: place)
    }
  }

  /// The probability that the true position is inside, when the fix lies `edgeMeters` from the edge and errs
  /// by a circular normal of `sigmaMeters` along each axis.
  package func probabilityInside(at place: Coordinate, edgeMeters: Double, sigmaMeters: Double) -> Double {
    let z = edgeMeters / sigmaMeters
    if abs(z) > Self.straightSigmas { return NormalDistribution.upperTail(z) }
    return switch self {
    case .circle(let circle):
      circle.probabilityInside(edgeMeters: edgeMeters, sigmaMeters: sigmaMeters)
    case .ring(let ring):
      ring.probabilityInside(at: place, edgeMeters: edgeMeters, sigmaMeters: sigmaMeters)
    case .area(let area):
      area.probabilityInside(at: place, edgeMeters: edgeMeters, sigmaMeters: sigmaMeters)
    }
  }

  /// So far from the nearest edge any edge is as good as straight: what is beyond a circle of this radius
  /// is 1.5e-4.
  private static let straightSigmas = 4.2

  /// The depth, in metres inside the edge, of the deepest place within `reachMeters` of a place that lies
  /// `edgeMeters` from the edge; of one outside, within that reach of the edge. Negative where nothing there
  /// is inside. Where it is at least `enoughMeters`, any such depth will do. Where it is less than `leastMeters`, any depth
  /// below them will do.
  func attainableDepthMeters(
    at place: Coordinate, edgeMeters: Double, reachMeters: Double, leastMeters: Double = -.infinity,
    enoughMeters: Double = .infinity
  ) -> Double {
    if -edgeMeters >= enoughMeters { return -edgeMeters }
    let reach = reachMeters + Swift.max(0, edgeMeters)
    let middle: Coordinate
    var knownMeters = -edgeMeters
    var mostPlaces = DeepestPlace.mostPlaces
    switch self {
    case .circle(let circle):
      return circle.attainableDepthMeters(edgeMeters: edgeMeters, reachMeters: reachMeters)
    case .ring(let ring): middle = ring.middle
    case .area(let area):
      // A strip is deepest on its line, unless it overlaps itself.
      if let depth = area.depthMeters(towardLineFrom: place, withinMeters: reach) {
        if depth >= enoughMeters { return depth }
        knownMeters = depth
        mostPlaces = Self.mostPlacesOfStrip
      }
      middle = area.box.middle
    }
    return DeepestPlace.depthMeters(
      around: place, hereMeters: -edgeMeters, knownMeters: knownMeters, reachMeters: reach, toward: middle,
      leastMeters: leastMeters, enoughMeters: enoughMeters, mostPlaces: mostPlaces
    ) { there, deepest in
      switch self {
      case .circle, .ring: -self.edgeMeters(at: there)
      case .area(let area): -area.edgeMeters(at: there, exactDepthMeters: deepest...enoughMeters)
      }
    }
  }

  /// The most places that are measured in a strip. Each takes long, because the strip may overlap itself.
  private static let mostPlacesOfStrip = 24

  /// A box that holds the shape.
  package var box: GeoBox {
    switch self {
    case .circle(let circle): circle.box
    case .ring(let ring): ring.box
    case .area(let area): area.box
    }
  }

  /// Radii around the middle of the box: everything within the first is inside, everything beyond the second
  /// outside. The first is negative where nothing is known to be inside, the second infinite where the shape
  /// is too large for a plane.
  package var annulusMeters: (inner: Double, outer: Double) {
    // A box that reaches a pole is not around the middle.
    let box = box
    guard box.width < 360, box.north < 90, box.south > -90 else { return (-1, .infinity) }
    let middle = Coordinate(
      uncheckedLatitude: 0.5 * (box.south + box.north),
      longitude: Geodesy.normalizedLongitude(box.west + 0.5 * box.width))
    switch self {
    case .circle(let circle): return (circle.radiusMeters, circle.radiusMeters)
    case .ring(let ring): return (-ring.edgeMeters(at: middle), ring.reachMeters(from: middle))
    case .area(let area): return (-area.edgeMeters(at: middle), area.reachMeters(from: middle))
    }
  }
}

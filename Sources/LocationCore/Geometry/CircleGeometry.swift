/// A circle on the ellipsoid, as the region monitor asks about it.
package struct CircleGeometry: Hashable, Sendable {
  /// The middle.
  package let center: Coordinate
  /// Metres, positive.
  package let radiusMeters: Double

  /// Metres from a place to the circle's edge, positive outside; as exact as ``Geodesy/distanceMeters(_:_:)``.
  @inline(__always) package func edgeMeters(at place: Coordinate) -> Double {
    Geodesy.distanceMeters(center, place) - radiusMeters
  }

  /// The same without trigonometry, where the sign is certain all the same; else exact.
  @inline(__always) func edgeMeters(at place: Coordinate, in plane: LocalPlane) -> Double {
    if let distance = plane.distanceMeters(center, place) {
      let edge = distance - radiusMeters
      if abs(edge) > LocalPlane.errorMeters { return edge }
    }
    return edgeMeters(at: place)
  }

  /// Metres that the edge is from a place at least, positive where the place is outside; 0 where the plane does not tell.
  @inline(__always) func boundMeters(at place: Coordinate, in plane: LocalPlane) -> Double {
    guard let distance = plane.distanceMeters(center, place) else { return 0 }
    let edge = distance - radiusMeters
    return edge > 0
      ? Swift.max(0, edge - LocalPlane.errorMeters) : Swift.min(0, edge + LocalPlane.errorMeters)
  }

  /// The depth, in metres inside the edge, of the deepest place within `reachMeters` of one that lies
  /// `edgeMeters` from the edge; of one outside, within that reach of the edge.
  @inline(__always) package func attainableDepthMeters(edgeMeters: Double, reachMeters: Double) -> Double {
    Swift.min(radiusMeters, reachMeters - Swift.min(0, edgeMeters))
  }

  /// A box that holds the circle.
  package var box: GeoBox { GeoBox(around: center, radiusMeters: radiusMeters) }

  /// The probability that a true position lies inside, when the fix lies `edgeMeters` from the edge and errs
  /// by a circular normal of `sigmaMeters` along each axis.
  ///
  /// This is the cumulative Rice distribution, 1 - Q1(d/σ, R/σ) with Marcum's Q; right to 3e-6 below
  /// ``wideSigmas`` and to 1e-4 above, where the edge is all but straight.
  package func probabilityInside(edgeMeters: Double, sigmaMeters: Double) -> Double {
    let z = edgeMeters / sigmaMeters
    if z > Self.certainSigmas { return 0 }
    if z < -Self.certainSigmas { return 1 }
    let radius = radiusMeters / sigmaMeters
    if radius > Self.wideSigmas {
      return NormalDistribution.upperTail(z + 0.5 / radius)
    }
    return Self.integral(radius: radius, offset: Swift.max(0, radius + z))
  }

  /// Beyond so many standard deviations from the edge the other side has less than 1e-15.
  static let certainSigmas = 8.0

  /// Above this radius in standard deviations, a straight edge with half a curvature's correction serves.
  static let wideSigmas = 30.0

  /// The share of a unit normal centred `offset` from the middle that lies within `radius`.
  ///
  /// Gauss-Legendre over the strips x = radius · sin θ that lie within 7 standard deviations of the fix;
  /// the substitution takes the root out of each strip's height.
  private static func integral(radius: Double, offset: Double) -> Double {
    let low = Trig.asin(Swift.max(-radius, offset - 7) / radius)
    let high = Trig.asin(Swift.min(radius, offset + 7) / radius)
    guard high > low else { return 0 }
    let middle = 0.5 * (low + high)
    let half = 0.5 * (high - low)
    var sum = 0.0
    for (node, weight) in GaussLegendre.nodes {
      sum += weight * (strip(middle - half * node) + strip(middle + half * node))
    }
    func strip(_ theta: Double) -> Double {
      let (sine, cosine) = Trig.sincos(theta)
      let height = radius * cosine
      return height * NormalDistribution.density(radius * sine - offset) * NormalDistribution.within(height)
    }
    return Swift.min(1, Swift.max(0, sum * half))
  }
}

/// The rule of Gauss and Legendre with 24 nodes.
enum GaussLegendre {
  /// The positive half of the nodes in -1...1, each with its weight; the other half mirrors it.
  static let nodes: [(node: Double, weight: Double)] = [
    (0.0640568928626056, 0.1279381953467520), (0.1911188674736163, 0.1258374563468282),
    (0.3150426796961634, 0.1216704729278033), (0.4337935076260451, 0.1155056680537255),
    (0.5454214713888396, 0.1074442701159656), (0.6480936519369755, 0.0976186521041139),
    (0.7401241915785544, 0.0861901615319532), (0.8200019859739029, 0.0733464814110802),
    (0.8864155270044011, 0.0592985849154364), (0.9382745520027328, 0.0442774388174194),
    (0.9747285559713095, 0.0285313886289336), (0.9951872199970213, 0.0123412297999887),
  ]
}

/// The share of a circular normal that lies on one side of an edge, or inside a polygon: exact in the plane.
///
/// In polar coordinates around the fix the share inside a ring is the sum over its edges of the angle that
/// each subtends, times what lies nearer than the edge. The angles add up to one turn, or none; what lies
/// beyond an edge is a difference of two values of Owen's T function. Far edges have nothing beyond them.
/// D. B. Owen, "Tables for Computing Bivariate Normal Probabilities", Ann. Math. Statist. 27 (1956), 1075.
enum PolygonProbability {
  /// Beyond so many standard deviations there is less than 1e-15.
  static let certainSigmas = 8.0
  /// Beyond so many, an edge takes less than 3e-7.
  static let farSigmas = 5.0
  /// Beyond so many, the end of an edge is as good as infinitely far: less than 1e-9.
  private static let endlessSigmas = 6.0

  /// What an edge from `a` to `b`, in standard deviations from the fix, takes from the ring that it is part
  /// of: the share of the normal beyond it. It is positive when the inside, which is left of the edge, holds
  /// the fix. The fix is not on the edge.
  static func beyond(_ a: (east: Double, north: Double), _ b: (east: Double, north: Double)) -> Double {
    let east = b.east - a.east
    let north = b.north - a.north
    let length = (east * east + north * north).squareRoot()
    guard length > 0 else { return 0 }
    // The distance to the line, positive left of it, and how far along it from the foot the two ends are.
    let distance = (a.east * north - a.north * east) / length
    guard abs(distance) < farSigmas else { return 0 }
    let from = (a.east * east + a.north * north) / length
    let height = abs(distance)
    let nearest = Swift.max(height, Swift.max(from, -from - length))
    let share =
      length < 0.5 * nearest
      ? short(height, from: from, length)
      : owen(height, along: from + length) - owen(height, along: from)
    return distance > 0 ? share : -share
  }

  /// Nearer an edge than this, in standard deviations, a place is moved before it is asked about: on an edge
  /// no side is its own, and at a corner no angle.
  static let leastSigmas = 1e-5

  /// Standard deviations below this, in metres, count as this: a place a little beside another is another coordinate
  /// then, and no receiver knows a tenth of a millimetre.
  static let leastSigmaMeters = 1e-4

  /// The place and its distance to the edge, or a place a little beside it that is not on the edge, by which the share
  /// changes by 1e-4 at most; nil where there is none.
  static func offEdge(
    _ place: Coordinate, edgeMeters: Double, sigmaMeters: Double, _ measure: (Coordinate) -> Double
  ) -> (place: Coordinate, edgeMeters: Double)? {
    guard abs(edgeMeters) <= leastSigmas * sigmaMeters else { return (place, edgeMeters) }
    let scale = LocalScale(latitude: place.latitude)
    for way in waysBeside {
      let beside = scale.coordinate(
        east: way.east * sigmaMeters, north: way.north * sigmaMeters, from: place)
      let edge = measure(beside)
      if abs(edge) > leastSigmas * sigmaMeters { return (beside, edge) }
    }
    return nil
  }

  /// Standard deviations east and north. The first may lead along an edge, and at a corner the second along another.
  private static let waysBeside = [
    (east: 1.71e-4, north: 0.83e-4), (east: -0.83e-4, north: 1.71e-4), (east: 1.5e-4, north: -1.2e-4),
  ]

  /// The same for an edge that is short against its distance: Gauss and Legendre with three nodes.
  private static func short(_ h: Double, from: Double, _ length: Double) -> Double {
    func density(_ part: Double) -> Double {
      let t = from + length * part
      let square = h * h + t * t
      return Trig.exp(-0.5 * square) / square
    }
    let sum = 5 * density(0.112_701_665_379_258) + 8 * density(0.5) + 5 * density(0.887_298_334_620_742)
    return sum * h * length / (18 * 2 * Double.pi)
  }

  /// Owen's T(h, t/h) for h not negative: the share of the normal beyond a line at distance `h`, within the
  /// angle from its perpendicular to the place `t` along it.
  static func owen(_ h: Double, along t: Double) -> Double {
    let magnitude = abs(t)
    guard magnitude > 0 else { return 0 }
    let value: Double
    if magnitude <= h {
      value = series(h, magnitude / h)
    } else if magnitude >= endlessSigmas {
      value = 0.5 * NormalDistribution.upperTail(h)
    } else {
      // T(h, a) + T(ah, 1/a) = Q(h)/2 + Q(ah)/2 - Q(h) Q(ah), with Q the upper tail.
      let near = NormalDistribution.upperTail(h)
      let far = NormalDistribution.upperTail(magnitude)
      value = 0.5 * (near + far) - near * far - series(magnitude, h / magnitude)
    }
    return t < 0 ? -value : value
  }

  /// T(h, a) for 0 ≤ a ≤ 1 by Gauss and Legendre over the defining integral.
  private static func series(_ h: Double, _ a: Double) -> Double {
    guard a > 0, h < certainSigmas else { return 0 }
    let half = 0.5 * a
    var sum = 0.0
    for (node, weight) in GaussLegendre.nodes {
      sum += weight * (integrand(h, half * (1 - node)) + integrand(h, half * (1 + node)))
    }
    return sum * half / (2 * Double.pi)
  }

  private static func integrand(_ h: Double, _ x: Double) -> Double {
    let square = 1 + x * x
    return Trig.exp(-0.5 * h * h * square) / square
  }
}

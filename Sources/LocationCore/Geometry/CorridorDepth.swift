/// How deep a place lies in the strip along a line. Where the strip overlaps itself, the nearest way out does not lead
/// away from the nearest part of the line: that would only lead into another part of the strip.
extension AreaGeometry {
  /// Metres to the edge of the strip, from a place inside it whose distance to the line has been found. Where the line
  /// passes by itself: to some centimetres, or a thousandth of its half width. Outside `exactMeters` to less.
  func corridorDepth(
    _ search: EdgeSearch, _ scale: LocalScale, bufferMeters: Double, exactMeters: ClosedRange<Double>
  ) -> Double {
    let away = bufferMeters - search.squaredDistance.squareRoot()
    guard boundary.vertices.count > 2, away < exactMeters.upperBound else { return away }
    let walk = CorridorWalk(self, from: search, scale, bufferMeters: bufferMeters, leastMeters: away)
    if let (one, other) = boundary.waysOut(of: search, bufferMeters: bufferMeters) {
      if walk.isOut(one) || other.map(walk.isOut) == true { return away }
    }
    return walk.depthMeters(orAtMost: exactMeters.lowerBound)
  }

  /// Metres inside the edge, at least, to which some metres from a place straight toward the line lead, or the way to
  /// the line where that is shorter; nil for polygons.
  func depthMeters(towardLineFrom place: Coordinate, withinMeters reach: Double) -> Double? {
    guard let bufferMeters, !isWide else { return nil }
    var search = EdgeSearch(
      longitude: longitude(of: place), latitude: place.latitude, scale: LocalScale(latitude: place.latitude))
    boundary.measure(&search)
    return bufferMeters - Swift.max(0, search.squaredDistance.squareRoot() - reach)
  }
}

/// Walks from a place out of the strip along a line.
private struct CorridorWalk {
  private let area: AreaGeometry
  private let place: EdgeSearch
  private let scale: LocalScale
  private let bufferMeters: Double
  /// The way out is at least so long.
  private let leastMeters: Double
  /// Metres by which a place may be short of the edge and count as out.
  private let toleranceMeters: Double

  /// Directions in which a way out is looked for at first.
  private static let directions = 48
  /// Steps in one direction, each of which leads to the edge if the line ahead is straight.
  private static let mostSteps = 64
  /// How often the best direction is made twice as exact.
  private static let refinements = 12

  init(
    _ area: AreaGeometry, from place: EdgeSearch, _ scale: LocalScale, bufferMeters: Double,
    leastMeters: Double
  ) {
    self.area = area
    self.place = place
    self.scale = scale
    self.bufferMeters = bufferMeters
    self.leastMeters = leastMeters
    toleranceMeters = 0.001 + 0.001 * bufferMeters
  }

  /// Whether a place, metres east and north, is out of the strip.
  func isOut(_ place: (east: Double, north: Double)) -> Bool {
    missing(east: place.east, north: place.north) <= toleranceMeters
  }

  /// Metres of the shortest way out, or of any that is no longer than `enoughMeters`.
  func depthMeters(orAtMost enoughMeters: Double) -> Double {
    let turn = 2 * Double.pi
    var best = (meters: Double.infinity, angle: 0.0)
    for index in 0..<Self.directions where best.meters > enoughMeters {
      consider(turn * Double(index) / Double(Self.directions), &best)
    }
    var step = turn / Double(Self.directions)
    for _ in 0..<Self.refinements where best.meters > enoughMeters {
      step *= 0.5
      let angle = best.angle
      consider(angle - step, &best)
      consider(angle + step, &best)
    }
    return best.meters
  }

  private func consider(_ angle: Double, _ best: inout (meters: Double, angle: Double)) {
    let meters = way(angle, limit: best.meters)
    if meters < best.meters { best = (meters, angle) }
  }

  /// Metres of the way out in a direction, or the limit where it is longer. Nothing that is so far from the line as a
  /// step is long is stepped over.
  private func way(_ angle: Double, limit: Double) -> Double {
    let (sin, cos) = Trig.sincos(angle)
    var meters = leastMeters
    for _ in 0..<Self.mostSteps where meters < limit {
      let missing = missing(east: meters * sin, north: meters * cos)
      if missing <= toleranceMeters { return meters + missing }
      meters += missing
    }
    return meters
  }

  /// Metres by which a place is short of the edge; 0 beyond it, so that what is farther off is not looked at.
  private func missing(east: Double, north: Double) -> Double {
    var search = EdgeSearch(
      longitude: place.longitude + east / place.metersPerLongitude,
      latitude: place.latitude + north / place.metersPerLatitude, scale: scale)
    search.squaredDistance = bufferMeters * bufferMeters
    area.boundary.measure(&search)
    return bufferMeters - search.squaredDistance.squareRoot()
  }
}

extension EdgeTree {
  /// The places, metres east and north of one whose nearest edge has been found, that are as far from that edge as the
  /// strip reaches: straight on, away from it; to both sides from a place on it.
  fileprivate func waysOut(
    of search: EdgeSearch, bufferMeters: Double
  ) -> ((east: Double, north: Double), (east: Double, north: Double)?)? {
    guard let edge = nearestEdge(search) else { return nil }
    let along = (east: edge.b.east - edge.a.east, north: edge.b.north - edge.a.north)
    let foot = (east: edge.a.east + edge.part * along.east, north: edge.a.north + edge.part * along.north)
    let distance = search.squaredDistance.squareRoot()
    if distance > 1e-3 * bufferMeters {
      let beyond = bufferMeters / distance - 1
      return ((-foot.east * beyond, -foot.north * beyond), nil)
    }
    let length = Trig.hypot(along.east, along.north)
    guard length > 0 else { return nil }
    let across = (east: -along.north / length * bufferMeters, north: along.east / length * bufferMeters)
    return (
      (foot.east + across.east, foot.north + across.north),
      (foot.east - across.east, foot.north - across.north)
    )
  }
}

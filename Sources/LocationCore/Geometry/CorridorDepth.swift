/// How deep a place lies in the strip along a line. Where the strip overlaps itself, the nearest way out does not lead
/// away from the nearest part of the line: that would only lead into another part of the strip.
extension AreaGeometry {
  /// Metres to the edge of the strip, from a place inside it whose distance to the line has been found. Where the line
  /// passes by itself: to some centimetres, or a thousandth of its half width; but a hole, or the end of a slit, that looks
  /// narrow from there may be missed where more than 64 edges are nearby. Outside `exactMeters` to less.
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
    return best.meters > enoughMeters ? shortest(under: best.meters) : best.meters
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

extension CorridorWalk {
  /// Of more edges nearby not each is held against each other.
  private static let mostEdges = 64

  /// Metres of the shortest way out, where that is noticeably shorter than one that has been found. A hole, or the end of
  /// a slit, that looks narrow from the place lies between the directions. Its nearest place is one where the outlines of
  /// two edges' strips cross, or the nearest of one outline.
  private func shortest(under meters: Double) -> Double {
    var outlines = StripOutlines(bufferMeters: bufferMeters, reachMeters: meters)
    var count = 0
    area.boundary.edges(around: place, withinMeters: bufferMeters + meters) { start, end in
      count += 1
      if count <= Self.mostEdges { outlines.add(place.offset(start), place.offset(end)) }
    }
    guard count <= Self.mostEdges else { return meters }
    var best = meters
    outlines.forEachCandidate { candidate in
      let away = Trig.hypot(candidate.east, candidate.north)
      if away + toleranceMeters < best, isOut(candidate) { best = away }
    }
    return best
  }
}

/// The outlines of the strips along some edges, as far as they come near a place: lines to both sides of each edge, and
/// circles around its ends. All is in metres east and north of that place.
private struct StripOutlines {
  typealias Place = (east: Double, north: Double)

  let bufferMeters: Double
  let reachMeters: Double
  /// Each by the unit vector across it, and the metres along that at which it passes.
  private var lines: [(across: Place, meters: Double)] = []
  /// Each by its middle.
  private var circles: [Place] = []

  init(bufferMeters: Double, reachMeters: Double) {
    self.bufferMeters = bufferMeters
    self.reachMeters = reachMeters
  }

  mutating func add(_ a: Place, _ b: Place) {
    addCircle(a)
    addCircle(b)
    let along = (east: b.east - a.east, north: b.north - a.north)
    let length = Trig.hypot(along.east, along.north)
    guard length > 0 else { return }
    let across = (east: -along.north / length, north: along.east / length)
    let middle = across.east * a.east + across.north * a.north
    for meters in [middle - bufferMeters, middle + bufferMeters] where abs(meters) < reachMeters {
      lines.append((across, meters))
    }
  }

  private mutating func addCircle(_ middle: Place) {
    // The end of an edge is the beginning of the next.
    if let last = circles.last, last == middle { return }
    guard abs(Trig.hypot(middle.east, middle.north) - bufferMeters) < reachMeters else { return }
    circles.append(middle)
  }

  /// Calls `body` with the nearest place of each outline, and with all places where two cross.
  func forEachCandidate(_ body: (Place) -> Void) {
    for (index, line) in lines.enumerated() {
      body((line.across.east * line.meters, line.across.north * line.meters))
      for other in lines[..<index] {
        let sine = line.across.east * other.across.north - line.across.north * other.across.east
        guard sine != 0 else { continue }
        body(
          (
            (line.meters * other.across.north - other.meters * line.across.north) / sine,
            (line.across.east * other.meters - other.across.east * line.meters) / sine
          ))
      }
      for circle in circles {
        let off = line.meters - line.across.east * circle.east - line.across.north * circle.north
        let square = bufferMeters * bufferMeters - off * off
        guard square >= 0 else { continue }
        let foot = (east: circle.east + off * line.across.east, north: circle.north + off * line.across.north)
        let half = square.squareRoot()
        body((foot.east - half * line.across.north, foot.north + half * line.across.east))
        body((foot.east + half * line.across.north, foot.north - half * line.across.east))
      }
    }
    for (index, circle) in circles.enumerated() {
      let distance = Trig.hypot(circle.east, circle.north)
      if distance > 0 {
        let part = 1 - bufferMeters / distance
        body((circle.east * part, circle.north * part))
      }
      for other in circles[..<index] {
        let chord = (east: other.east - circle.east, north: other.north - circle.north)
        let square = chord.east * chord.east + chord.north * chord.north
        let rest = bufferMeters * bufferMeters / square - 0.25
        guard square > 0, rest >= 0 else { continue }
        let part = rest.squareRoot()
        let middle = (east: 0.5 * (circle.east + other.east), north: 0.5 * (circle.north + other.north))
        body((middle.east - part * chord.north, middle.north + part * chord.east))
        body((middle.east + part * chord.north, middle.north - part * chord.east))
      }
    }
  }
}

extension EdgeTree {
  /// The points at the border of the strip beside the edge nearest to a place, metres east and north of the place.
  ///
  /// From a place off the edge there is one, straight away from it; from a place on the edge there are two, one on each
  /// side.
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

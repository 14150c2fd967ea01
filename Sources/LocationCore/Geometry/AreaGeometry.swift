/// A polygon, several, or the strip along a line, as the region monitor asks about it.
///
/// A class because a monitor keeps a million shapes in one array of an enumeration, of which most are small:
/// the large ones are behind a reference. It never changes.
package final class AreaGeometry: Sendable {
  /// Edges from which distances are taken.
  let boundary: EdgeTree
  /// Edges whose crossings tell the inside, where they are not those of ``boundary``.
  private let rings: EdgeTree?
  /// For the strip along a line, metres to either side; nil for polygons.
  let bufferMeters: Double?
  /// The middle of the frame of longitudes, degrees.
  private let middle: Double
  /// Whether the shape spans so many longitudes that its edges may be nearer the other way round.
  let isWide: Bool
  /// The box that holds it.
  package let box: GeoBox

  /// Polygons, each a shell and its holes; rings are valid.
  init(polygons: [Region.Polygon]) {
    var seam = AntimeridianCut()
    let groups = polygons.map { polygon in
      let shell = RingFrame.directed(RingFrame.ring(polygon.shell, &seam), counterclockwise: true)
      let middle = RingFrame.middle(shell)
      let holes = polygon.holes.map { hole in
        RingFrame.shifted(
          RingFrame.directed(RingFrame.ring(hole, &seam), counterclockwise: false), toward: middle)
      }
      return [shell] + holes
    }
    let (aligned, span) = RingFrame.align(groups)
    let all = aligned.flatMap { $0 }
    let cut = seam.boundary(of: all)
    boundary = EdgeTree(cut ?? all)
    rings = cut == nil ? nil : EdgeTree(all)
    bufferMeters = nil
    middle = 0.5 * (span.lowerBound + span.upperBound)
    isWide = span.upperBound - span.lowerBound > 180
    box = Self.box(of: all, span)
  }

  /// The strip along a line.
  init(line: [Coordinate], bufferMeters: Double) {
    let (line, _) = RingFrame.unwrap(line)
    let span = RingFrame.span(line)
    boundary = EdgeTree([line])
    rings = nil
    self.bufferMeters = bufferMeters
    middle = 0.5 * (span.lowerBound + span.upperBound)
    isWide = span.upperBound - span.lowerBound > 180
    box = Self.box(of: [line], span).widened(byMeters: bufferMeters)
  }

  /// The box around some lines.
  ///
  /// - Parameter span: from the least longitude to the greatest, in one frame.
  static func box(of lines: [[Coordinate]], _ span: ClosedRange<Double>) -> GeoBox {
    var south = 90.0
    var north = -90.0
    for place in lines.joined() {
      south = Swift.min(south, place.latitude)
      north = Swift.max(north, place.latitude)
    }
    let width = span.upperBound - span.lowerBound
    return width < 360
      ? GeoBox(
        south: south, north: north, west: span.lowerBound.remainder(dividingBy: 360), width: width)
      : GeoBox(south: south, north: north, west: -180, width: 360)
  }

  /// A place's longitude in the shape's frame, in which every longitude has one place.
  func longitude(of place: Coordinate) -> Double {
    var longitude = place.longitude
    while longitude < middle - 180 { longitude += 360 }
    while longitude >= middle + 180 { longitude -= 360 }
    return longitude
  }

  /// Metres to the edge, positive outside; see ``EdgeSearch`` for how exact.
  ///
  /// A depth in the range `exactDepthMeters` is exact. For a depth outside it, the result says only on which side of
  /// the range it lies.
  package func edgeMeters(
    at place: Coordinate, exactDepthMeters: ClosedRange<Double> = 0...Double.infinity
  ) -> Double {
    let scale = LocalScale(latitude: place.latitude)
    var search = EdgeSearch(longitude: longitude(of: place), latitude: place.latitude, scale: scale)
    boundary.measure(&search)
    // The whole world has no edge; nothing is farther than half the way round.
    let nearest = (isWide ? around(search, scale) : search.squaredDistance).squareRoot()
    let distance = Swift.min(nearest, ShapeGeometry.halfwayRoundMeters)
    if let bufferMeters {
      guard distance < bufferMeters, !isWide else { return distance - bufferMeters }
      return -corridorDepth(search, scale, bufferMeters: bufferMeters, exactMeters: exactDepthMeters)
    }
    return isInside(&search) ? -distance : distance
  }

  /// Whether a place whose nearest edge has been found is inside polygons.
  private func isInside(_ search: inout EdgeSearch) -> Bool {
    if rings == nil, !isWide, let isInside = boundary.isLeftOfNearest(search) { return isInside }
    (rings ?? boundary).cross(&search)
    return search.isOdd
  }

  /// Square of the metres to the nearest edge, one turn to either side included.
  private func around(_ search: EdgeSearch, _ scale: LocalScale) -> Double {
    var least = search.squaredDistance
    for turn in [-360.0, 360] {
      var other = EdgeSearch(
        longitude: search.longitude + turn, latitude: search.latitude, scale: scale)
      other.squaredDistance = least
      boundary.measure(&other)
      least = Swift.min(least, other.squaredDistance)
    }
    return least
  }

  /// Metres from a place within which all vertices lie, in the plane of its latitude.
  func reachMeters(from place: Coordinate) -> Double {
    let search = EdgeSearch(
      longitude: longitude(of: place), latitude: place.latitude, scale: LocalScale(latitude: place.latitude))
    var reach = 0.0
    for vertex in boundary.vertices {
      let offset = search.offset(vertex)
      reach = Swift.max(reach, offset.east * offset.east + offset.north * offset.north)
    }
    return reach.squareRoot() + (bufferMeters ?? 0)
  }
}

extension AreaGeometry {
  /// The probability that a true position is inside, when the fix is at a place and its error is a circular
  /// normal; exact in the plane for polygons, to 0.05 for the strip along a line and where the error spans
  /// thousands of edges.
  func probabilityInside(at place: Coordinate, edgeMeters: Double, sigmaMeters: Double) -> Double {
    guard bufferMeters == nil else { return SpreadProbability.inside(self, place, sigmaMeters) }
    let sigmaMeters = Swift.max(sigmaMeters, PolygonProbability.leastSigmaMeters)
    guard
      let (place, edgeMeters) = PolygonProbability.offEdge(
        place, edgeMeters: edgeMeters, sigmaMeters: sigmaMeters, { self.edgeMeters(at: $0) })
    else { return 0.5 }
    let scale = LocalScale(latitude: place.latitude)
    let search = EdgeSearch(longitude: longitude(of: place), latitude: place.latitude, scale: scale)
    let isInside = edgeMeters < 0
    var share = isInside ? 1.0 : 0
    var count = 0
    let reach = PolygonProbability.farSigmas * sigmaMeters
    boundary.edges(around: search, withinMeters: reach) { start, end in
      count += 1
      guard count <= Self.mostEdges else { return }
      let a = search.offset(start)
      let b = search.offset(end)
      share -= PolygonProbability.beyond(
        (a.east / sigmaMeters, a.north / sigmaMeters), (b.east / sigmaMeters, b.north / sigmaMeters))
    }
    guard count <= Self.mostEdges else { return SpreadProbability.inside(self, place, sigmaMeters) }
    return Swift.min(1, Swift.max(0, share))
  }

  /// From so many edges near the fix on, a sum over places is quicker than one over edges.
  private static let mostEdges = 2_000
}

extension GeoBox {
  /// The box with a margin all around.
  func widened(byMeters meters: Double) -> GeoBox {
    let reach = meters / Self.leastMetersPerDegreeLatitude
    let highest = Swift.max(abs(south - reach), abs(north + reach))
    let perDegree = highest < 90 ? LocalScale(latitude: highest).metersPerDegreeLongitude * 0.99 : 0
    let wider = width + 2 * (perDegree > 0 ? meters / perDegree : 360)
    return GeoBox(
      south: Swift.max(-90, south - reach), north: Swift.min(90, north + reach),
      west: wider < 360 ? Geodesy.normalizedLongitude(west - 0.5 * (wider - width)) : -180,
      width: Swift.min(wider, 360))
  }
}

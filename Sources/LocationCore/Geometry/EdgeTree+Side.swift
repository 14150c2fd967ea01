extension EdgeTree {
  /// Whether a place, of which the nearest edge has been found, lies to the left of the rings, which is inside where
  /// shells run counterclockwise and holes clockwise; nil where the nearest edge alone does not tell.
  ///
  /// Nothing lies between the place and its nearest edge, so the side of that is the side of all. It takes a few
  /// vertices that have just been read, where counting crossings would read a strip through the whole shape. Where
  /// other edges are as near, as rings are that touch there, it does not tell.
  func isLeftOfNearest(_ search: EdgeSearch) -> Bool? {
    guard !search.isTied, search.squaredDistance < Self.farSquaredMeters else { return nil }
    guard let edge = nearestEdge(search) else { return nil }
    if edge.part == 0 { return isReflex(edge.first, search) }
    if edge.part == 1 { return isReflex(edge.first + 1, search) }
    return Self.isPositive(edge.a.east * edge.b.north, minus: edge.a.north * edge.b.east)
  }

  /// The edge that a search has found.
  struct NearestEdge {
    /// Index of its first vertex.
    let first: Int
    /// Its ends, metres east and north of the place.
    let a: (east: Double, north: Double)
    let b: (east: Double, north: Double)
    /// How far along the edge its nearest point lies: 0 at `a`, 1 at `b`.
    let part: Double
  }

  /// The first edge that is as near as a search has found; nil where the search has found none.
  @inline(__always)
  func nearestEdge(_ search: EdgeSearch) -> NearestEdge? {
    guard search.group >= 0 else { return nil }
    let group = groups[search.group]
    // One edge at a time, in both lanes, by what found the distance: so its own is the same to the bit.
    for index in Int(group.first)..<Int(group.last) {
      let a = search.offsets(vertices[index], vertices[index])
      let b = search.offsets(vertices[index + 1], vertices[index + 1])
      let found = EdgeSearch.nearest(a, b)
      guard found.squares[0] == search.squaredDistance else { continue }
      return NearestEdge(
        first: index, a: (a.east[0], a.north[0]), b: (b.east[0], b.north[0]), part: found.parts[0])
    }
    return nil
  }

  /// Whether the rings turn right at a vertex: what is nearest to such a one lies to their left. Nil at the first
  /// and last of a ring, whose neighbours are elsewhere.
  private func isReflex(_ vertex: Int, _ search: EdgeSearch) -> Bool? {
    let group = groups[search.group]
    let isFirst = vertex == group.first && !follows(search.group, search.group - 1)
    let isLast = vertex == group.last && !follows(search.group + 1, search.group)
    guard !isFirst, !isLast else { return nil }
    let before = search.offset(vertices[vertex - 1])
    let here = search.offset(vertices[vertex])
    let after = search.offset(vertices[vertex + 1])
    return Self.isPositive(
      (here.north - before.north) * (after.east - here.east),
      minus: (here.east - before.east) * (after.north - here.north))
  }

  /// Whether a group goes on where another of the same ring ends.
  func follows(_ group: Int, _ other: Int) -> Bool {
    group == other + 1 && other >= 0 && group < groups.count && groups[group].first == groups[other].last
  }

  /// The sign of a difference; nil where rounding may decide it.
  private static func isPositive(_ a: Double, minus b: Double) -> Bool? {
    abs(a - b) > (abs(a) + abs(b)) * 1e-9 ? a > b : nil
  }

  /// Square of the metres from which two edges, a nanometre from each other, may seem as near: 10 km.
  private static let farSquaredMeters = 1e8
}

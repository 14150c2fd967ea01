/// The edges of rings and lines in groups of eight in a row, with boxes over the groups, and boxes over those.
///
/// Neighbours on a line are neighbours in the tree, so it is built in one pass, without sorting.
struct EdgeTree: Sendable {
  /// Some edges in a row of one ring or line.
  struct Group: Sendable {
    var first: Int32
    var last: Int32
  }

  /// Sixteen boxes side by side: degrees from ``origin``, rounded outwards.
  struct Node: Sendable {
    var west = SIMD16<Float>(repeating: .infinity)
    var east = SIMD16<Float>(repeating: -.infinity)
    var south = SIMD16<Float>(repeating: .infinity)
    var north = SIMD16<Float>(repeating: -.infinity)
  }

  static let width = 16
  private static let groupEdges = 8

  /// The ends of the edges, ring after ring and line after line; longitudes may pass 180.
  private(set) var vertices: [Coordinate] = []
  private(set) var groups: [Group] = []
  private var nodes: [Node] = []
  private var levels: [Int] = []
  private var origin = Coordinate(uncheckedLatitude: 0, longitude: 0)

  /// The edges of some rings, of which each ends where it began, or of lines.
  init(_ chains: [[Coordinate]]) {
    vertices.reserveCapacity(chains.reduce(0) { $0 + $1.count })
    for chain in chains where chain.count > 1 {
      let first = vertices.count
      vertices += chain
      for start in stride(from: first, to: vertices.count - 1, by: Self.groupEdges) {
        groups.append(
          Group(first: Int32(start), last: Int32(Swift.min(start + Self.groupEdges, vertices.count - 1))))
      }
    }
    if let first = vertices.first { origin = first }
    build()
  }

  private mutating func build() {
    var level = groups.map { box(of: $0) }
    while !level.isEmpty {
      levels.append(nodes.count)
      var above: [Box] = []
      for start in stride(from: 0, to: level.count, by: Self.width) {
        var node = Node()
        var whole = Box()
        for (lane, box) in level[start..<Swift.min(start + Self.width, level.count)].enumerated() {
          node.west[lane] = box.west
          node.east[lane] = box.east
          node.south[lane] = box.south
          node.north[lane] = box.north
          whole.extend(to: box)
        }
        nodes.append(node)
        above.append(whole)
      }
      level = above.count > 1 ? above : []
    }
  }

  private struct Box {
    var west = Float.infinity
    var east = -Float.infinity
    var south = Float.infinity
    var north = -Float.infinity

    mutating func extend(to box: Box) {
      west = Swift.min(west, box.west)
      east = Swift.max(east, box.east)
      south = Swift.min(south, box.south)
      north = Swift.max(north, box.north)
    }
  }

  private func box(of group: Group) -> Box {
    var box = Box()
    for index in Int(group.first)...Int(group.last) {
      let east = Float(vertices[index].longitude - origin.longitude)
      let north = Float(vertices[index].latitude - origin.latitude)
      box.extend(to: Box(west: east.nextDown, east: east.nextUp, south: north.nextDown, north: north.nextUp))
    }
    return box
  }
}

extension EdgeTree {
  /// Finds the distance to the nearest edge.
  func measure(_ search: inout EdgeSearch) {
    guard let top = levels.last else { return }
    guard groups.count > 1 else { return measure(&search, group: 0) }
    measure(&search, node: top, level: levels.count - 1)
  }

  private func measure(_ search: inout EdgeSearch, node: Int, level: Int) {
    var misses = squaredMisses(nodes[node], search)
    let first = (node - levels[level]) * Self.width
    while true {
      // The nearest box first: it most likely rules out the others.
      let least = misses.least
      guard Double(least) < search.squaredDistance else { return }
      let lane = (misses .<= least).bits.trailingZeroBitCount
      misses[lane] = .infinity
      if level == 0 {
        measure(&search, group: first + lane)
      } else {
        measure(&search, node: levels[level - 1] + first + lane, level: level - 1)
      }
    }
  }

  @inline(__always) private func measure(_ search: inout EdgeSearch, group: Int) {
    let square = search.leastSquare(
      vertices, from: Int(groups[group].first), to: Int(groups[group].last))
    search.take(square, of: group) { follows($0, group) || follows(group, $0) }
  }

  /// Squares of the metres by which the place misses each box, rounded down.
  @inline(__always)
  private func squaredMisses(_ node: Node, _ search: EdgeSearch) -> SIMD16<Float> {
    let (x, y) = floats(search)
    let east = (node.west - x).greater(x - node.east).positive * Float(search.metersPerLongitude)
    let north = (node.south - y).greater(y - node.north).positive * Float(search.metersPerLatitude)
    // For the rounding of these few steps; the place's own is made up for by the boxes'.
    return (east * east + north * north) * (1 - 1e-5)
  }

  @inline(__always) private func floats(_ search: EdgeSearch) -> (Float, Float) {
    (Float(search.longitude - origin.longitude), Float(search.latitude - origin.latitude))
  }

  /// Finds whether an odd number of edges crosses the ray to the east.
  func cross(_ search: inout EdgeSearch) {
    guard let top = levels.last else { return }
    cross(&search, node: top, level: levels.count - 1)
  }

  private func cross(_ search: inout EdgeSearch, node index: Int, level: Int) {
    let (x, y) = floats(search)
    let node = nodes[index]
    // Boxes are rounded outwards by a step, and the place by half a step at most.
    let meets = (node.south .<= y) .& (node.north .>= y) .& (node.east .>= x)
    let first = (index - levels[level]) * Self.width
    var hits = meets.bits
    while hits != 0 {
      let lane = hits.trailingZeroBitCount
      hits &= hits &- 1
      if level > 0 {
        cross(&search, node: levels[level - 1] + first + lane, level: level - 1)
      } else {
        let group = groups[first + lane]
        search.cross(vertices, from: Int(group.first), to: Int(group.last))
      }
    }
  }

  /// Calls `body` with the edges of all groups whose boxes come within some metres of the place.
  func edges(
    around search: EdgeSearch, withinMeters reach: Double, _ body: (Coordinate, Coordinate) -> Void
  ) {
    let squaredReach = Float(reach * reach)
    edges({ (squaredMisses($0, search) .<= squaredReach).bits }, body)
  }

  /// Calls `body` with the edges of all groups whose boxes meet a box in the frame of the edges.
  func edges(in box: GeoBox, _ body: (Coordinate, Coordinate) -> Void) {
    let west = Float(box.west - origin.longitude).nextDown
    let east = Float(box.west + box.width - origin.longitude).nextUp
    let south = Float(box.south - origin.latitude).nextDown
    let north = Float(box.north - origin.latitude).nextUp
    edges(
      { node in
        ((node.west .<= east) .& (node.east .>= west) .& (node.south .<= north) .& (node.north .>= south))
          .bits
      }, body)
  }

  /// Calls `body` with the edges of all groups whose boxes are hit, as the boxes around them are.
  private func edges(_ hits: (Node) -> UInt32, _ body: (Coordinate, Coordinate) -> Void) {
    guard let top = levels.last else { return }
    edges(top, levels.count - 1, hits, body)
  }

  private func edges(
    _ index: Int, _ level: Int, _ hits: (Node) -> UInt32, _ body: (Coordinate, Coordinate) -> Void
  ) {
    let first = (index - levels[level]) * Self.width
    var hit = hits(nodes[index])
    while hit != 0 {
      let lane = hit.trailingZeroBitCount
      hit &= hit &- 1
      if level > 0 {
        edges(levels[level - 1] + first + lane, level - 1, hits, body)
      } else {
        let group = groups[first + lane]
        for vertex in Int(group.first)..<Int(group.last) { body(vertices[vertex], vertices[vertex + 1]) }
      }
    }
  }
}

/// Regions packed sixteen to a leaf along a space-filling curve, and leaves and nodes sixteen to a node above.
///
/// It never changes; ``RegionCatalog`` adds regions by building further trees. An R-tree packed by Hilbert's curve
/// (Kamel and Faloutsos 1993) whose nodes are laid out for sixteen comparisons at once.
struct PackedBoxTree: Sendable {
  /// The boxes of sixteen leaves or nodes side by side, degrees.
  struct Node: Sendable {
    var longitude = SIMD16<Float>(repeating: 0)
    var halfWidth = SIMD16<Float>(repeating: 0)
    var latitude = SIMD16<Float>(repeating: .infinity)
    var halfHeight = SIMD16<Float>(repeating: 0)
  }

  static let width = 16

  /// The nodes, level by level, the boxes of the leaves first, the root last.
  private(set) var nodes: [Node] = []
  /// The node at which each level begins.
  private(set) var levels: [Int] = []
  /// The annuli of each leaf.
  private(set) var leaves: [AnnulusLeaf] = []
  /// The first leaf that holds a large region; those before hold none.
  private(set) var firstLargeLeaf = 0

  /// A tree of nothing.
  init() {}

  /// Packs regions that are in the ``order(_:_:)`` of their boxes: leaf by leaf, lane by lane.
  init(_ annuli: [RegionAnnulus], boxes: [GeoBox]) {
    var level: [GeoBox] = []
    for start in stride(from: 0, to: annuli.count, by: Self.width) {
      let lanes = start..<Swift.min(start + Self.width, annuli.count)
      leaves.append(AnnulusLeaf(annuli[lanes]))
      level.append(GeoBox(holding: boxes[lanes]).padded)
    }
    firstLargeLeaf = leaves.firstIndex { $0.large != 0 } ?? leaves.count
    while !level.isEmpty {
      levels.append(nodes.count)
      var above: [GeoBox] = []
      for start in stride(from: 0, to: level.count, by: Self.width) {
        let children = level[start..<Swift.min(start + Self.width, level.count)]
        nodes.append(Node(children))
        above.append(GeoBox(holding: children))
      }
      level = above.count > 1 ? above : []
    }
  }

  /// By size class, then along Hilbert's curve; equal keys by entry.
  static func order(_ entries: [Int32], _ boxes: [GeoBox]) -> [Int32] {
    HilbertCurve.order(entries) { entry in
      let box = boxes[Int(entry)]
      let place = HilbertCurve.distance(
        column: HilbertCurve.cell(box.west + 0.5 * box.width, from: -180, to: 360, bits: curveBits),
        row: HilbertCurve.cell(0.5 * (box.south + box.north), from: -90, to: 90, bits: curveBits),
        bits: curveBits)
      return sizeClass(box) << 32 | place
    }
  }

  /// Cells of 0.3 by 0.9 km at the equator: finer ones make no better leaves.
  private static let curveBits = 16

  /// Large boxes are kept apart, so that they do not widen the nodes of small ones.
  private static func sizeClass(_ box: GeoBox) -> UInt64 {
    let extent = Swift.max(box.width, box.north - box.south)
    return extent < 0.02 ? 0 : extent < 0.3 ? 1 : extent < 5 ? 2 : 3
  }
}

// MARK: - Searching

extension PackedBoxTree {
  /// Where is searched, and what a search reuses.
  struct Search {
    var longitude: Float
    var latitude: Float
    var metersPerLongitude: Float
    fileprivate var pending: [Pending] = []

    init(longitude: Float, latitude: Float, metersPerLongitude: Float) {
      self.longitude = longitude
      self.latitude = latitude
      self.metersPerLongitude = metersPerLongitude
    }
  }

  fileprivate struct Pending {
    var node: Int32
    var level: Int32
  }

  /// Calls `body` with each node over leaves whose box comes within a distance of a place, and the square of a distance
  /// that it is not nearer than; with the only node, and 0, where there is but one.
  func forEachGroup(_ search: inout Search, squaredHorizon: Float, _ body: (Int32, Float) -> Void) {
    let top = levels.count - 1
    guard top > 0 else { return body(0, 0) }
    search.pending.append(Pending(node: Int32(levels[top]), level: Int32(top)))
    while let next = search.pending.popLast() {
      let misses = nodes[Int(next.node)].squaredMisses(
        longitude: search.longitude, latitude: search.latitude, metersPerLongitude: search.metersPerLongitude,
        metersPerLatitude: Float(GeoBox.leastMetersPerDegreeLatitude))
      let level = Int(next.level)
      let below = levels[level - 1] + (Int(next.node) - levels[level]) * Self.width
      misses.forEach(in: (misses - squaredHorizon).negativeLanes) { lane, miss in
        let node = Int32(below + lane)
        if level > 1 {
          search.pending.append(Pending(node: node, level: next.level - 1))
        } else {
          body(node, miss)
        }
      }
    }
  }

  /// Calls `body` with each leaf whose box meets a box.
  func find(in box: GeoBox, _ body: (Int) -> Void) {
    guard let top = levels.last else { return }
    find(Node([box.padded]), top, levels.count - 1, body)
  }

  private func find(_ box: Node, _ node: Int, _ level: Int, _ body: (Int) -> Void) {
    let zero = SIMD16<Float>(repeating: 0)
    let misses = nodes[node].squaredMisses(
      longitude: box.longitude[0], latitude: box.latitude[0], metersPerLongitude: 1, metersPerLatitude: 1,
      halfWidth: box.halfWidth[0], halfHeight: box.halfHeight[0])
    var hits = (misses .<= zero).bits
    let first = (node - levels[level]) * Self.width
    while hits != 0 {
      let lane = hits.trailingZeroBitCount
      hits &= hits &- 1
      if level > 0 {
        find(box, levels[level - 1] + first + lane, level - 1, body)
      } else {
        body(first + lane)
      }
    }
  }
}

extension PackedBoxTree.Node {
  init(_ boxes: ArraySlice<GeoBox>) {
    for (lane, box) in boxes.enumerated() {
      longitude[lane] = Float((box.west + 0.5 * box.width).remainder(dividingBy: 360))
      // A little more, since the halves are rounded too.
      halfWidth[lane] = Float(0.5 * box.width) + 8e-6
      latitude[lane] = Float(0.5 * (box.south + box.north))
      halfHeight[lane] = Float(0.5 * (box.north - box.south)) + 8e-6
    }
  }

  /// Squares of the metres by which a place, or a box around it, misses each box, at so many metres a degree.
  @inline(__always)
  func squaredMisses(
    longitude: Float, latitude: Float, metersPerLongitude: Float, metersPerLatitude: Float,
    halfWidth: Float = 0, halfHeight: Float = 0
  ) -> SIMD16<Float> {
    var east = (self.longitude - longitude).magnitude
    east = east.lesser(360 - east) - self.halfWidth - halfWidth
    // At a pole a degree of longitude is nothing, and a lane without a box must stay infinitely far.
    east = east.positive * Swift.max(metersPerLongitude, .leastNormalMagnitude)
    let north =
      ((self.latitude - latitude).magnitude - self.halfHeight - halfHeight).positive * metersPerLatitude
    return east * east + north * north
  }
}

extension GeoBox {
  /// The box, and what makes up for rounding it, and the place that is asked for, to single precision: three
  /// times half a unit in the last place of a single between 128 and 256.
  fileprivate var padded: GeoBox {
    GeoBox(south: south - 2.3e-5, north: north + 2.3e-5, west: west - 2.3e-5, width: width + 4.6e-5)
  }
}

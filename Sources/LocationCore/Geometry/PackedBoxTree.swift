/// Regions packed sixteen to a leaf along a space-filling curve, and leaves and nodes sixteen to a node above.
///
/// It never changes but for regions taken out; ``RegionIndex`` adds by building further trees.
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
  /// The rings of each leaf.
  private(set) var leaves: [AnnulusLeaf] = []
  /// The first leaf that holds a large region; those before hold none.
  private(set) var firstLargeLeaf = 0
  /// The slot in each lane of the leaves; -1 where there is none.
  private(set) var slots: [Int32] = []
  /// Regions that were not taken out.
  private(set) var count = 0

  /// Packs some regions; `rings` and `boxes` are indexed by slot.
  init(_ unordered: [Int32], rings: [RegionAnnulus], boxes: [GeoBox]) {
    count = unordered.count
    slots = Self.order(unordered, boxes)
    var level: [GeoBox] = []
    for start in stride(from: 0, to: slots.count, by: Self.width) {
      let leaf = slots[start..<Swift.min(start + Self.width, slots.count)]
      leaves.append(AnnulusLeaf(ArraySlice(leaf.map { rings[Int($0)] })))
      level.append(GeoBox(holding: ArraySlice(leaf.map { boxes[Int($0)] })).padded)
    }
    firstLargeLeaf = leaves.firstIndex { $0.large != 0 } ?? leaves.count
    slots += Array(repeating: -1, count: (Self.width - count % Self.width) % Self.width)
    repeat {
      levels.append(nodes.count)
      var above: [GeoBox] = []
      for start in stride(from: 0, to: level.count, by: Self.width) {
        let children = level[start..<Swift.min(start + Self.width, level.count)]
        nodes.append(Node(children))
        above.append(GeoBox(holding: children))
      }
      level = above
    } while level.count > 1
  }

  /// Takes out the region in a lane of the leaves.
  mutating func remove(entry: Int) {
    leaves[entry / Self.width].clear(entry % Self.width)
    slots[entry] = -1
    count -= 1
  }

  /// By size class, then along Hilbert's curve; equal keys by slot.
  static func order(_ slots: [Int32], _ boxes: [GeoBox]) -> [Int32] {
    struct Keyed {
      var key: UInt64
      var slot: Int32
    }
    var keyed: [Keyed] = []
    keyed.reserveCapacity(slots.count)
    for slot in slots {
      let box = boxes[Int(slot)]
      let curve = hilbert(
        UInt32(clamped: (box.west + 0.5 * box.width + 180) * (65_535 / 540)),
        UInt32(clamped: (0.5 * (box.south + box.north) + 90) * (65_535 / 180)))
      keyed.append(Keyed(key: sizeClass(box) << 32 | UInt64(curve), slot: slot))
    }
    keyed.sort { $0.key == $1.key ? $0.slot < $1.slot : $0.key < $1.key }
    return keyed.map(\.slot)
  }

  /// Large boxes are kept apart, so that they do not widen the nodes of small ones.
  private static func sizeClass(_ box: GeoBox) -> UInt64 {
    let extent = Swift.max(box.width, box.north - box.south)
    return extent < 0.02 ? 0 : extent < 0.3 ? 1 : extent < 5 ? 2 : 3
  }

  /// The place of a cell of a 65,536 by 65,536 grid along Hilbert's curve.
  private static func hilbert(_ column: UInt32, _ row: UInt32) -> UInt32 {
    var x = column
    var y = row
    var place: UInt32 = 0
    var side: UInt32 = 1 << 15
    while side > 0 {
      let right: UInt32 = x & side > 0 ? 1 : 0
      let upper: UInt32 = y & side > 0 ? 1 : 0
      place = place &* 4 &+ ((3 &* right) ^ upper)
      if upper == 0 {
        if right == 1 {
          x = 65_535 &- x
          y = 65_535 &- y
        }
        swap(&x, &y)
      }
      side >>= 1
    }
    return place
  }
}

extension PackedBoxTree {
  /// Calls `body` with the slots in all leaves whose boxes meet a box.
  func find(in box: GeoBox, _ body: (Int32) -> Void) {
    guard let top = levels.last else { return }
    find(Node(ArraySlice([box.padded])), top, levels.count - 1, body)
  }

  private func find(_ box: Node, _ node: Int, _ level: Int, _ body: (Int32) -> Void) {
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
        let entry = (first + lane) * Self.width
        for slot in slots[entry..<(entry + Self.width)] where slot >= 0 { body(slot) }
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
    east = east.positive * metersPerLongitude
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

extension UInt32 {
  /// The nearest value to a number, 0 for what is not one.
  fileprivate init(clamped value: Double) {
    self = value > 0 ? UInt32(Swift.min(value, 65_535)) : 0
  }
}

/// Boxes packed eight to a node along a space-filling curve: which of a million are near a place anywhere.
///
/// It never changes. For a place that moves little from one question to the next, the region monitor's own
/// index is faster.
package struct GeocentricTree: Sendable {
  /// Eight boxes side by side.
  private struct Node: Sendable {
    var lowX = SIMD8<Float>(repeating: .infinity)
    var lowY = SIMD8<Float>(repeating: .infinity)
    var lowZ = SIMD8<Float>(repeating: .infinity)
    var highX = SIMD8<Float>(repeating: .infinity)
    var highY = SIMD8<Float>(repeating: .infinity)
    var highZ = SIMD8<Float>(repeating: .infinity)

    /// Squares of the metres from a place to each box; infinite where there is none.
    @inline(__always) func squaredMisses(_ place: SIMD3<Float>) -> SIMD8<Float> {
      let zero = SIMD8<Float>(repeating: 0)
      let x = pointwiseMax(zero, pointwiseMax(lowX - place.x, place.x - highX))
      let y = pointwiseMax(zero, pointwiseMax(lowY - place.y, place.y - highY))
      let z = pointwiseMax(zero, pointwiseMax(lowZ - place.z, place.z - highZ))
      return x * x + y * y + z * z
    }

    mutating func set(_ lane: Int, _ box: GeocentricBox) {
      (lowX[lane], lowY[lane], lowZ[lane]) = (box.low.x, box.low.y, box.low.z)
      (highX[lane], highY[lane], highZ[lane]) = (box.high.x, box.high.y, box.high.z)
    }
  }

  /// A node, or one of the boxes, still to be looked at.
  fileprivate struct Pending: Sendable {
    var squaredMiss: Float
    var index: Int32
    var level: Int32
  }

  /// What a search reuses.
  package struct Scratch: Sendable {
    private var stack: [Pending] = []
    /// Nothing to reuse yet.
    package init() {}

    fileprivate mutating func clear() { stack.removeAll(keepingCapacity: true) }
    fileprivate mutating func pop() -> Pending? { stack.popLast() }

    /// Puts what was appended from `base` on in order, the nearest last.
    fileprivate mutating func append(_ pending: Pending, from base: Int) {
      stack.append(pending)
      var place = stack.count - 1
      while place > base, stack[place - 1].squaredMiss < pending.squaredMiss {
        stack[place] = stack[place - 1]
        place -= 1
      }
      stack[place] = pending
    }

    fileprivate var count: Int { stack.count }
  }

  private static let width = 8
  private var nodes: [Node] = []
  /// The node at which each level begins, the leaves' first.
  private var levels: [Int] = []
  /// Which box stands in each lane of the leaves.
  private var order: [Int32] = []

  /// Packs boxes; a search gives their places in the list.
  package init(_ boxes: [GeocentricBox]) {
    guard !boxes.isEmpty else { return }
    order = Self.order(boxes)
    var level = order.map { boxes[Int($0)] }
    repeat {
      levels.append(nodes.count)
      var above: [GeocentricBox] = []
      above.reserveCapacity(level.count / Self.width + 1)
      for start in stride(from: 0, to: level.count, by: Self.width) {
        var node = Node()
        var whole = level[start]
        for index in start..<min(start + Self.width, level.count) {
          node.set(index - start, level[index])
          whole.low = pointwiseMin(whole.low, level[index].low)
          whole.high = pointwiseMax(whole.high, level[index].high)
        }
        nodes.append(node)
        above.append(whole)
      }
      level = above
    } while level.count > 1
  }

  /// Looks at the boxes around a place, nearer ones mostly first.
  ///
  /// - Parameters:
  ///   - look: takes the place of a box in the list; returns the metres beyond which no box matters any more.
  package func search(
    around place: Coordinate, _ scratch: inout Scratch, _ look: (Int) -> Double
  ) {
    guard let root = levels.last else { return }
    let point = GeocentricBox.point(place)
    var squaredLimit = Float.infinity
    scratch.clear()
    scratch.append(Pending(squaredMiss: 0, index: Int32(root), level: Int32(levels.count - 1)), from: 0)
    while let next = scratch.pop() {
      guard next.squaredMiss <= squaredLimit else { continue }
      if next.level < 0 {
        let limit = Float(look(Int(next.index))) + GeocentricBox.paddingMeters
        squaredLimit = min(squaredLimit, limit * limit)
        continue
      }
      let level = Int(next.level)
      let misses = nodes[Int(next.index)].squaredMisses(point)
      let first = (Int(next.index) - levels[level]) * Self.width
      let base = scratch.count
      for lane in 0..<Self.width where misses[lane] <= squaredLimit && misses[lane] < .infinity {
        let child = level == 0 ? order[first + lane] : Int32(levels[level - 1] + first + lane)
        scratch.append(
          Pending(squaredMiss: misses[lane], index: child, level: Int32(level - 1)), from: base)
      }
    }
  }

  /// Along Morton's curve through the middles; equals by their place in the list.
  private static func order(_ boxes: [GeocentricBox]) -> [Int32] {
    struct Keyed {
      var key: UInt64
      var index: Int32
    }
    var keyed: [Keyed] = []
    keyed.reserveCapacity(boxes.count)
    for (index, box) in boxes.enumerated() {
      let middle = (box.low + box.high) * 0.5
      let key = spread(middle.x) | spread(middle.y) << 1 | spread(middle.z) << 2
      keyed.append(Keyed(key: key, index: Int32(index)))
    }
    keyed.sort { $0.key == $1.key ? $0.index < $1.index : $0.key < $1.key }
    return keyed.map(\.index)
  }

  /// The 21 bits of a coordinate within 8,388 km of the centre, in steps of 8 m, each third bit.
  private static func spread(_ meters: Float) -> UInt64 {
    var bits = UInt64(max(0, min(Float(0x1F_FFFF), (meters + 8_388_608) * 0.125)))
    bits = (bits | bits << 32) & 0x1F_0000_0000_FFFF
    bits = (bits | bits << 16) & 0x1F_0000_FF00_00FF
    bits = (bits | bits << 8) & 0x100F_00F0_0F00_F00F
    bits = (bits | bits << 4) & 0x10C3_0C30_C30C_30C3
    bits = (bits | bits << 2) & 0x1249_2492_4924_9249
    return bits
  }
}

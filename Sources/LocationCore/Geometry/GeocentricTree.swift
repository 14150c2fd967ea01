/// Boxes packed eight to a node along a space-filling curve: which of a million are near a place anywhere.
///
/// It never changes. For a place that moves little from one question to the next, the region monitor's own
/// index is faster.
package struct GeocentricTree: Sendable {
  /// Eight boxes side by side: their middles and half their sides, metres.
  private struct Node: Sendable {
    var x = SIMD8<Float>(repeating: .infinity)
    var y = SIMD8<Float>(repeating: 0)
    var z = SIMD8<Float>(repeating: 0)
    var halfX = SIMD8<Float>(repeating: 0)
    var halfY = SIMD8<Float>(repeating: 0)
    var halfZ = SIMD8<Float>(repeating: 0)

    /// Squares of the metres from a place to each box; infinite where there is none.
    @inline(__always) func squaredMisses(_ place: SIMD3<Float>) -> SIMD8<Float> {
      let east = Self.miss(x - place.x, halfX)
      let north = Self.miss(y - place.y, halfY)
      let up = Self.miss(z - place.z, halfZ)
      return east * east + north * north + up * up
    }

    @inline(__always)
    private static func miss(_ distance: SIMD8<Float>, _ half: SIMD8<Float>) -> SIMD8<Float> {
      (distance.magnitude - half).positive
    }

    mutating func set(_ lane: Int, _ box: GeocentricBox) {
      let middle = (box.low + box.high) * 0.5
      // Boxes are padded by more than the rounding of their middles.
      let half = (box.high - box.low) * 0.5
      (x[lane], y[lane], z[lane]) = (middle.x, middle.y, middle.z)
      (halfX[lane], halfY[lane], halfZ[lane]) = (half.x, half.y, half.z)
    }
  }

  /// A node, or one of the boxes, still to be looked at.
  fileprivate struct Pending: Sendable {
    var squaredMiss: Float
    var index: Int32
    var level: Int32
  }

  /// What a search reuses: a heap of what is still to be looked at, the nearest on top.
  package struct Scratch: Sendable {
    private var heap: [Pending] = []
    /// Nothing to reuse yet.
    package init() {}

    fileprivate mutating func clear() { heap.removeAll(keepingCapacity: true) }

    fileprivate mutating func push(_ pending: Pending) {
      heap.append(pending)
      var place = heap.count - 1
      while place > 0 {
        let parent = (place - 1) / 2
        guard pending.squaredMiss < heap[parent].squaredMiss else { break }
        heap[place] = heap[parent]
        place = parent
      }
      heap[place] = pending
    }

    fileprivate mutating func pop() -> Pending? {
      guard let last = heap.popLast() else { return nil }
      guard let top = heap.first else { return last }
      var place = 0
      while true {
        var child = 2 * place + 1
        guard child < heap.count else { break }
        if child + 1 < heap.count, heap[child + 1].squaredMiss < heap[child].squaredMiss { child += 1 }
        guard heap[child].squaredMiss < last.squaredMiss else { break }
        heap[place] = heap[child]
        place = child
      }
      heap[place] = last
      return top
    }
  }

  private static let width = 8
  private var nodes: [Node] = []
  /// The node at which each level begins, the leaves' first.
  private var levels: [Int] = []
  /// Which box stands in each lane of the leaves.
  private var order: [Int32] = []

  /// Packs boxes; a search gives their places in the list.
  package init(_ boxes: [GeoBox]) {
    guard !boxes.isEmpty else { return }
    order = Self.order(boxes)
    var level = order.map { GeocentricBox(boxes[Int($0)]) }
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

  /// Looks at the boxes around a place, the nearest first.
  ///
  /// - Parameters:
  ///   - look: takes the place of a box in the list; returns the metres beyond which no box matters any more.
  @inline(__always)
  package func search(around place: Coordinate, _ scratch: inout Scratch, _ look: (Int) -> Double) {
    guard let root = levels.last else { return }
    let point = GeocentricBox.point(place)
    var squaredLimit = Float.infinity
    scratch.clear()
    scratch.push(Pending(squaredMiss: 0, index: Int32(root), level: Int32(levels.count - 1)))
    while let next = scratch.pop(), next.squaredMiss <= squaredLimit {
      if next.level < 0 {
        let limit = Float(look(Int(next.index))) + GeocentricBox.paddingMeters
        squaredLimit = limit * limit
      } else {
        open(next, around: point, squaredLimit, &scratch)
      }
    }
  }

  private func open(
    _ node: Pending, around point: SIMD3<Float>, _ squaredLimit: Float, _ scratch: inout Scratch
  ) {
    let level = Int(node.level)
    let misses = nodes[Int(node.index)].squaredMisses(point)
    let first = (Int(node.index) - levels[level]) * Self.width
    for lane in 0..<Self.width where misses[lane] <= squaredLimit && misses[lane] < .infinity {
      let child = level == 0 ? order[first + lane] : Int32(levels[level - 1] + first + lane)
      scratch.push(Pending(squaredMiss: misses[lane], index: child, level: Int32(level - 1)))
    }
  }

  /// Along Hilbert's curve over longitude and latitude; equals by their place in the list.
  private static func order(_ boxes: [GeoBox]) -> [Int32] {
    HilbertCurve.order(boxes.indices.map(Int32.init)) { index in
      let box = boxes[Int(index)]
      let longitude = Geodesy.normalizedLongitude(box.west + 0.5 * box.width)
      return HilbertCurve.distance(
        column: HilbertCurve.cell(longitude, from: -180, to: 180, bits: curveBits),
        row: HilbertCurve.cell(0.5 * (box.south + box.north), from: -90, to: 90, bits: curveBits),
        bits: curveBits)
    }
  }

  /// Cells of 40 m at the equator: places in a town are told apart.
  private static let curveBits = 20
}

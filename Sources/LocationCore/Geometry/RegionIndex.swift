/// Finds the regions near a place among a million, and takes and loses regions without starting over.
///
/// New ones wait in a short list; when it is full they become a tree, together with the trees that are not
/// larger, so each is packed a few times at most however they come.
struct RegionIndex: Sendable {
  /// Sixteen leaves of sixteen regions each, of which some are near a place.
  struct Branch: Sendable {
    /// The tree.
    var tree: Int32
    /// The node in it that has the leaves' boxes.
    var node: Int32
    /// Square of a distance in metres that none of them is nearer than; 0 where the place is among them.
    var squaredMiss: Float
  }

  /// Where a slot's ring is kept.
  private struct Home: Sendable {
    /// The tree; -1 for the waiting list.
    var tree: Int32
    var entry: Int32
  }

  private struct Pending: Sendable {
    var node: Int32
    var level: Int32
  }

  private var trees: [PackedBoxTree] = []
  private var waiting: [Int32] = []
  private var homes: [Home] = []
  private var pending: [Pending] = []
  private(set) var rings: [RegionAnnulus] = []
  private(set) var boxes: [GeoBox] = []

  /// Regions that are not in a tree, at most.
  private static let waitingLimit = 32

  /// Takes the ring and the box of a slot that has none.
  mutating func insert(_ ring: RegionAnnulus, _ box: GeoBox) {
    let slot = Int(ring.slot)
    while homes.count <= slot {
      homes.append(Home(tree: -1, entry: -1))
      rings.append(ring)
      boxes.append(box)
    }
    homes[slot] = Home(tree: -1, entry: Int32(waiting.count))
    rings[slot] = ring
    boxes[slot] = box
    waiting.append(ring.slot)
  }

  /// Forgets a slot.
  mutating func remove(_ slot: Int32) {
    let home = homes[Int(slot)]
    if home.tree >= 0 {
      trees[Int(home.tree)].remove(entry: Int(home.entry))
      return
    }
    let last = waiting.removeLast()
    if last != slot {
      waiting[Int(home.entry)] = last
      homes[Int(last)].entry = home.entry
    }
  }

  /// Whether so much waits that it should be packed before the next search.
  var isUnsettled: Bool { waiting.count > Self.waitingLimit }

  /// Whether packing would make one large tree of everything, so that it pays to number the slots anew.
  var isWorthReordering: Bool {
    waiting.count >= Self.reorderingLimit && trees.allSatisfy { $0.count <= waiting.count }
  }

  /// From so many regions on, memory order matters.
  private static let reorderingLimit = 2_048

  /// All slots in an order in which near regions are near each other.
  func spatialOrder() -> [Int32] {
    let slots = trees.flatMap { $0.slots.filter { $0 >= 0 } } + waiting
    return PackedBoxTree.order(slots, boxes)
  }

  /// Numbers all slots anew, of which so many are kept; they all wait to be packed.
  mutating func reorder(_ permutation: Permutation, count: Int) {
    permutation.apply(to: &rings)
    permutation.apply(to: &boxes)
    rings.removeLast(rings.count - count)
    boxes.removeLast(boxes.count - count)
    for place in rings.indices { rings[place].slot = Int32(place) }
    trees = []
    waiting = rings.indices.map { Int32($0) }
    homes = waiting.map { Home(tree: -1, entry: $0) }
  }

  /// Packs what waits, with the trees that are not larger.
  mutating func settle() {
    guard isUnsettled else { return }
    var slots = waiting
    waiting = []
    while let last = trees.last, last.count <= slots.count {
      slots += last.slots.filter { $0 >= 0 }
      trees.removeLast()
    }
    let packed = PackedBoxTree(slots, rings: rings, boxes: boxes)
    for (entry, slot) in packed.slots.enumerated() where slot >= 0 {
      homes[Int(slot)] = Home(tree: Int32(trees.count), entry: Int32(entry))
    }
    trees.append(packed)
  }

  /// Calls `body` with the rings, degrees, of each leaf that comes within some metres of a place, with the square of a
  /// distance that it is not nearer than, and with those of all that waits.
  @inline(__always)
  func forEachBlock(
    of branches: [Branch], longitude: Float, latitude: Float, metersPerLongitude: Float,
    withinMeters reach: Float,
    mayHoldLarge: Bool = false, _ body: (AnnulusLeaf, _ squaredMiss: Float) -> Void
  ) {
    let squaredReach = reach * reach
    for index in branches.indices {
      let branch = branches[index]
      let first = Int(branch.node) * PackedBoxTree.width
      if mayHoldLarge, first + PackedBoxTree.width <= trees[Int(branch.tree)].firstLargeLeaf { continue }
      let misses = trees[Int(branch.tree)].nodes[Int(branch.node)].squaredMisses(
        longitude: longitude, latitude: latitude, metersPerLongitude: metersPerLongitude,
        metersPerLatitude: Float(GeoBox.leastMetersPerDegreeLatitude))
      let near = (misses - squaredReach).negativeLanes
      // Most have to come from memory, and do so at the same time.
      misses.forEach(in: near) { lane, _ in
        trees[Int(branch.tree)].leaves.prefetch(first + lane, AnnulusLeaf.annulusBytes)
      }
      misses.forEach(in: near) { lane, miss in
        body(trees[Int(branch.tree)].leaves[first + lane], miss)
      }
    }
    for entry in stride(from: 0, to: waiting.count, by: AnnulusLeaf.width) {
      body(waitingBlock(from: entry), 0)
    }
  }

  private func waitingBlock(from entry: Int) -> AnnulusLeaf {
    var block = AnnulusLeaf()
    for lane in 0..<Swift.min(AnnulusLeaf.width, waiting.count - entry) {
      block.set(lane, rings[Int(waiting[entry + lane])])
    }
    return block
  }

  /// Lists the branches nearest a place, about `wanted` of them where there are so many within `widestMeters`.
  /// The metres within which every region is in one of them, or waits.
  mutating func gather(
    around place: Coordinate, wanted: Int, hintMeters: Double, widestMeters: Double,
    into found: inout [Branch]
  ) -> Double {
    settle()
    let reach = widestMeters / GeoBox.leastMetersPerDegreeLatitude
    let highest = Swift.min(90, abs(place.latitude) + reach)
    let perLongitude = highest < 90 ? LocalScale(latitude: highest).metersPerDegreeLongitude : 0
    let first = Swift.min(hintMeters, widestMeters)
    var squaredHorizon = Float(first * first)
    let widest = Float(widestMeters * widestMeters)
    while true {
      found.removeAll(keepingCapacity: true)
      for tree in trees.indices where trees[tree].count > 0 {
        let search = Search(
          tree: Int32(tree), longitude: Float(place.longitude), latitude: Float(place.latitude),
          metersPerLongitude: Float(perLongitude), squaredHorizon: squaredHorizon)
        Self.run(search, in: trees[tree], &pending, into: &found)
      }
      if found.count >= wanted / 2 || squaredHorizon >= widest { break }
      squaredHorizon = Swift.min(widest, squaredHorizon * 4)
    }
    if found.count > 2 * wanted {
      found.sort { $0.squaredMiss < $1.squaredMiss }
      // Those that the place is among must all stay.
      if found[wanted].squaredMiss > 0 {
        squaredHorizon = found[wanted].squaredMiss
        found.removeSubrange(wanted...)
      }
    }
    return Double(squaredHorizon).squareRoot()
  }

  /// Lists the slots whose boxes meet a box.
  mutating func find(in box: GeoBox, into slots: inout [Int32]) {
    settle()
    slots.removeAll(keepingCapacity: true)
    for slot in waiting where boxes[Int(slot)].meets(box) { slots.append(slot) }
    for tree in trees where tree.count > 0 {
      tree.find(in: box) { slot in if boxes[Int(slot)].meets(box) { slots.append(slot) } }
    }
  }

  private struct Search {
    var tree: Int32
    var longitude: Float
    var latitude: Float
    var metersPerLongitude: Float
    let metersPerLatitude = Float(GeoBox.leastMetersPerDegreeLatitude)
    var squaredHorizon: Float
  }

  private static func run(
    _ search: Search, in tree: PackedBoxTree, _ pending: inout [Pending], into found: inout [Branch]
  ) {
    let top = tree.levels.count - 1
    guard top > 0 else { return found.append(Branch(tree: search.tree, node: 0, squaredMiss: 0)) }
    pending.removeAll(keepingCapacity: true)
    pending.append(Pending(node: Int32(tree.levels[top]), level: Int32(top)))
    while let next = pending.popLast() {
      let misses = tree.nodes[Int(next.node)].squaredMisses(
        longitude: search.longitude, latitude: search.latitude,
        metersPerLongitude: search.metersPerLongitude, metersPerLatitude: search.metersPerLatitude)
      let level = Int(next.level)
      let below = tree.levels[level - 1] + (Int(next.node) - tree.levels[level]) * PackedBoxTree.width
      misses.forEach(in: (misses - search.squaredHorizon).negativeLanes) { lane, miss in
        let node = Int32(below + lane)
        if level > 1 {
          pending.append(Pending(node: node, level: next.level - 1))
        } else {
          found.append(Branch(tree: search.tree, node: node, squaredMiss: miss))
        }
      }
    }
  }
}

/// The regions that engines watch: shapes, terms and the index over them. Nothing in it is about a device.
///
/// It is a value whose parts are shared: a copy costs a few references, so thousands of engines can have one catalog.
/// Adding or removing a region makes a new version, which shares all packed parts with the old one.
///
/// It is log-structured: new regions wait in a short list. When that is full, it is packed together with those parts
/// that are not larger, so each region is packed a few times at most, however they come. Which regions a search finds
/// does not depend on how they are packed.
public struct RegionCatalog: Sendable {
  /// The first holds what was added since the last packing. The others are packed, the oldest first.
  private(set) var parts = [RegionPart()]
  @Seldom private(set) var totals = Totals()

  /// What is known of all regions together.
  struct Totals: Sendable {
    /// How many regions there are.
    var count = 0
    /// How many of them report passages.
    var crossCount = 0
    /// How many of them report the state in which they are first found.
    var stateCount = 0
    /// The shortest latency that a region states; nil where none does.
    var leastLatencySeconds: Double?
  }

  /// How many regions there are.
  public var count: Int { totals.count }

  /// Regions in the first part, at most, when a search begins.
  private static let recentLimit = 32
  /// The most parts: a search asks each.
  private static let partLimit = 48
  /// The most regions, limited by the bits of a ``RegionSlot``.
  static let mostRegions = 1 << 23

  /// A catalog without regions.
  public init() {}

  /// A packed catalog of some regions, to be shared.
  public init(_ regions: [Region]) throws(RegionError) { try self.init(regions, limit: Self.mostRegions) }

  init(_ regions: [Region], limit: Int) throws(RegionError) {
    for region in regions { try add(region, limit: limit) }
    pack()
  }

  /// Adds a region. It is packed before the next search where many others wait.
  public mutating func add(_ region: Region) throws(RegionError) { try add(region, limit: Self.mostRegions) }

  @discardableResult
  mutating func add(_ region: Region, limit: Int) throws(RegionError) -> RegionSlot {
    guard slot(of: region.id) == nil else { throw .duplicateID(region.id) }
    let most = Swift.min(limit, Self.mostRegions)
    guard count < most, parts[0].entries.count < 2 * Self.mostRegions else { throw .tooMany(limit: most) }
    try region.checkTerms()
    let slot = RegionSlot(part: 0, entry: parts[0].append(region, try ShapeGeometry(region.shape)))
    totals.count += 1
    if region.notify.contains(.cross) { totals.crossCount += 1 }
    if region.initial == .state { totals.stateCount += 1 }
    if let seconds = region.maxLatencySeconds {
      totals.leastLatencySeconds = Swift.min(totals.leastLatencySeconds ?? seconds, seconds)
    }
    return slot
  }

  /// Removes a region; tells whether there was one of that id.
  @discardableResult
  public mutating func remove(id: String) -> Bool {
    guard let slot = slot(of: id) else { return false }
    remove(slot)
    return true
  }

  mutating func remove(_ slot: RegionSlot) {
    let region = parts[slot.part].regions[slot.entry]
    parts[slot.part].removed.insert(Int32(slot.entry))
    totals.count -= 1
    if region.notify.contains(.cross) { totals.crossCount -= 1 }
    if region.initial == .state { totals.stateCount -= 1 }
    guard let seconds = region.maxLatencySeconds, seconds == totals.leastLatencySeconds else { return }
    totals.leastLatencySeconds = parts.lazy.flatMap { $0.live }.compactMap { $0.maxLatencySeconds }.min()
  }

  /// Where a region is; nil where there is none of that id.
  func slot(of id: String) -> RegionSlot? {
    for part in parts.indices {
      guard let entry = parts[part].entryNumbers[id], !parts[part].isRemoved(Int(entry)) else { continue }
      return RegionSlot(part: part, entry: Int(entry))
    }
    return nil
  }

  /// A region as it was added; nil where there is none of that id.
  public func region(_ id: String) -> Region? {
    slot(of: id).map { parts[$0.part].regions[$0.entry] }
  }

  /// The regions, in the order of their ids.
  public var regions: [Region] { parts.flatMap { $0.live }.sorted { $0.id < $1.id } }

  /// What is kept of a region.
  @inline(__always) subscript(slot: RegionSlot) -> RegionEntry {
    _read { yield parts[slot.part].entries[slot.entry] }
  }

  /// The annulus of a region.
  @inline(__always) func annulus(_ slot: RegionSlot) -> RegionAnnulus {
    parts[slot.part].annuli[slot.entry]
  }

  /// Those of the regions from a slot on, a bit each, that were not removed since. Asks for the memory of their entries.
  @inline(__always) func prefetch(_ lanes: UInt32, from first: RegionSlot) -> UInt32 {
    // Once for all of them: an array within another is retained for as long as it is read.
    let entries = parts[first.part].entries
    var live: UInt32 = 0
    var rest = lanes
    while rest != 0 {
      let bit = rest & (0 &- rest)
      rest &= rest &- 1
      let slot = first.advanced(by: bit.trailingZeroBitCount)
      guard !isRemoved(slot) else { continue }
      entries.prefetch(slot.entry, 0..<MemoryLayout<RegionEntry>.size)
      live |= bit
    }
    return live
  }

  /// Every slot that has a region.
  func forEachSlot(_ body: (RegionSlot) -> Void) {
    for part in parts.indices {
      for entry in parts[part].entries.indices where !parts[part].isRemoved(entry) {
        body(RegionSlot(part: part, entry: entry))
      }
    }
  }
}

// MARK: - Packing

/// Where a catalog keeps a region: the number of a part, and of an entry in it. A packing changes it.
struct RegionSlot: Hashable, Sendable {
  var rawValue: Int32

  init(rawValue: Int32) { self.rawValue = rawValue }
  @inline(__always) init(part: Int, entry: Int) {
    rawValue = Int32(truncatingIfNeeded: part &<< Self.entryBits | entry)
  }

  /// No region's slot.
  static let none = RegionSlot(rawValue: -1)
  private static let entryBits = 24

  /// The slot of an entry further on in the same part.
  @inline(__always) func advanced(by entries: Int) -> RegionSlot {
    RegionSlot(rawValue: rawValue &+ Int32(truncatingIfNeeded: entries))
  }

  @inline(__always) var part: Int { Int(rawValue &>> Int32(Self.entryBits)) }
  @inline(__always) var entry: Int { Int(rawValue & ((1 << Int32(Self.entryBits)) - 1)) }
}

/// Where a packing has put the regions whose slots it changed.
struct RegionRenumbering {
  /// For each old part the place in ``entries`` at which its own begin; -1 for a part that was kept.
  fileprivate var bases: [Int]
  /// The entry in the new part; -1 for a region that was removed.
  fileprivate var entries: [Int32]
  fileprivate var part: Int

  /// The new slot of a region.
  func callAsFunction(_ slot: RegionSlot) -> RegionSlot {
    let base = bases[slot.part]
    if base < 0 { return slot }
    let entry = entries[base + slot.entry]
    return entry < 0 ? .none : RegionSlot(part: part, entry: Int(entry))
  }
}

extension RegionCatalog {
  /// Whether so many regions wait that they should be packed before the next search.
  var isUnpacked: Bool { parts[0].entries.count > Self.recentLimit }

  /// Packs what waits, where that is much. Call it before engines share the catalog, or each packs its own copy.
  public mutating func pack() { if isUnpacked { _ = packed() } }

  /// Packs what waits, with the parts that are not larger; where the regions are now.
  mutating func packed() -> RegionRenumbering {
    var kept = parts.count
    var size = parts[0].count
    while kept > 1, parts[kept - 1].count <= size || kept >= Self.partLimit {
      kept -= 1
      size += parts[kept].count
    }
    // Taken out, so that it is changed where it lies.
    var whole = RegionPart()
    swap(&whole, &parts[0])
    var bases = [Int](repeating: -1, count: parts.count)
    bases[0] = 0
    for part in kept..<parts.count {
      bases[part] = whole.entries.count
      whole.append(parts[part])
    }
    parts.removeSubrange(kept...)
    let entries = whole.pack()
    if whole.count > 0 { parts.append(whole) }
    return RegionRenumbering(bases: bases, entries: entries, part: kept)
  }
}

// MARK: - Searching

extension RegionCatalog {
  /// Sixteen leaves of sixteen regions each, of which some are near a place.
  struct LeafGroup: Sendable {
    /// The slot of the first of their regions.
    private var first: RegionSlot
    private static let width = PackedBoxTree.width * AnnulusLeaf.width

    fileprivate init(part: Int, node: Int) { first = RegionSlot(part: part, entry: node &* Self.width) }

    /// The part whose tree has them.
    @inline(__always) fileprivate var part: Int { first.part }
    /// The node of the tree that has the leaves' boxes.
    @inline(__always) fileprivate var node: Int { first.entry / Self.width }
  }

  /// Calls `body` with each leaf, in degrees, that comes within some metres of a place, with the slot of its first
  /// region and the square of a distance that it is not nearer than; then with those of the regions that wait.
  @inline(__always)
  func forEachLeaf(
    of groups: [LeafGroup], longitude: Float, latitude: Float, metersPerLongitude: Float,
    withinMeters reach: Float, mayHoldLarge: Bool = false,
    _ body: (AnnulusLeaf, _ first: RegionSlot, _ squaredMiss: Float) -> Void
  ) {
    let squaredReach = reach * reach
    for index in groups.indices {
      let part = groups[index].part
      let node = groups[index].node
      let first = node * PackedBoxTree.width
      if mayHoldLarge, first + PackedBoxTree.width <= parts[part].tree.firstLargeLeaf { continue }
      let misses = parts[part].tree.nodes[node].squaredMisses(
        longitude: longitude, latitude: latitude, metersPerLongitude: metersPerLongitude,
        metersPerLatitude: Float(GeoBox.leastMetersPerDegreeLatitude))
      let near = (misses - squaredReach).negativeLanes
      // Most have to come from memory, and do so at the same time.
      misses.forEach(in: near) { lane, _ in
        parts[part].tree.leaves.prefetch(first + lane, AnnulusLeaf.annulusBytes)
      }
      misses.forEach(in: near) { lane, miss in
        let leaf = first &+ lane
        body(
          parts[part].tree.leaves[leaf], RegionSlot(part: part, entry: leaf &* AnnulusLeaf.width), miss)
      }
    }
    for entry in stride(from: 0, to: parts[0].entries.count, by: AnnulusLeaf.width) {
      body(parts[0].leaf(from: entry), RegionSlot(part: 0, entry: entry), 0)
    }
  }

  /// Whether a region that a leaf names was removed since.
  @inline(__always) func isRemoved(_ slot: RegionSlot) -> Bool { parts[slot.part].isRemoved(slot.entry) }

  /// Lists the groups of leaves nearest a place, about `wanted` of them where there are so many within `widestMeters`.
  /// The metres within which every region is in one of them, or waits.
  func gather(
    around place: Coordinate, wanted: Int, hintMeters: Double, widestMeters: Double,
    into groups: inout [LeafGroup]
  ) -> Double {
    let reach = widestMeters / GeoBox.leastMetersPerDegreeLatitude
    let highest = Swift.min(90, abs(place.latitude) + reach)
    let perLongitude = highest < 90 ? LocalScale(latitude: highest).metersPerDegreeLongitude : 0
    let first = Swift.min(hintMeters, widestMeters)
    var squaredHorizon = Float(first * first)
    let widest = Float(widestMeters * widestMeters)
    var search = PackedBoxTree.Search(
      longitude: Float(place.longitude), latitude: Float(place.latitude),
      metersPerLongitude: Float(perLongitude))
    // Each with the square of a distance in metres that it is not nearer than; 0 where the place is among its regions.
    var found: [(group: LeafGroup, squaredMiss: Float)] = []
    found.reserveCapacity(2 * wanted)
    while true {
      found.removeAll(keepingCapacity: true)
      for part in parts.indices where parts[part].isPacked {
        parts[part].tree.forEachGroup(&search, squaredHorizon: squaredHorizon) { node, squaredMiss in
          found.append((LeafGroup(part: part, node: Int(node)), squaredMiss))
        }
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
    groups.removeAll(keepingCapacity: groups.capacity >= found.count)
    groups.reserveCapacity(found.count)
    for entry in found { groups.append(entry.group) }
    return Double(squaredHorizon).squareRoot()
  }

  /// Lists the regions whose boxes meet a box, in no particular order.
  func find(in box: GeoBox, into slots: inout [RegionSlot]) {
    slots.removeAll(keepingCapacity: true)
    for part in parts.indices {
      func consider(_ entry: Int) {
        guard parts[part].boxes[entry].meets(box), !parts[part].isRemoved(entry) else { return }
        slots.append(RegionSlot(part: part, entry: entry))
      }
      if parts[part].isPacked {
        parts[part].tree.find(in: box) { leaf in
          let first = leaf * PackedBoxTree.width
          for entry in first..<Swift.min(first + PackedBoxTree.width, parts[part].boxes.count) {
            consider(entry)
          }
        }
      } else {
        parts[part].boxes.indices.forEach(consider)
      }
    }
  }

  /// Metres from a place to a region's edge, positive outside, but for centimetres; the sign is certain.
  @inline(__always)
  func roughEdgeMeters(_ slot: RegionSlot, at place: Coordinate, in plane: LocalPlane) -> Double {
    if let outline = self[slot].outline, let scales = plane.scales(at: place.latitude),
      let edge = parts[slot.part].outlines.edgeMeters(
        outline, at: place, perLongitude: scales.perLongitude, perLatitude: scales.perLatitude)
    {
      return edge
    }
    return self[slot].shape.edgeMeters(at: place, in: plane)
  }

  /// Metres that a region's edge is from a place at least, positive where the place is outside; 0 where only the exact edge
  /// tells.
  @inline(__always)
  func boundMeters(_ slot: RegionSlot, at place: Coordinate, in plane: LocalPlane) -> Double {
    // The monitor has read a circle's entry anyway. Its annulus lies in another cache line.
    if case .circle(let circle) = self[slot].shape { return circle.boundMeters(at: place, in: plane) }
    return annulus(slot).boundMeters(at: place, in: plane)
  }
}

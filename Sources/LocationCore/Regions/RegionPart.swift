/// Some regions of a catalog, in lists of one order: those that wait to be packed in the order in which they came, packed
/// ones in that of their tree, so that near regions are near in memory.
///
/// A packed part never changes, but that regions are marked as removed.
struct RegionPart: Sendable {
  /// As they were added.
  private(set) var regions: [Region] = []
  /// What each event needs of them.
  private(set) var entries: [RegionEntry] = []
  private(set) var annuli: [RegionAnnulus] = []
  private(set) var boxes: [GeoBox] = []
  private(set) var outlines = FlatOutlines()
  /// Entries by id. It keeps ids of removed regions: to change it, other versions' would be copied.
  private(set) var entryNumbers: [String: Int32] = [:]
  /// Sixteen regions a leaf, in order; without any where the part is not packed.
  private(set) var tree = PackedBoxTree()
  /// Entries that do not count any more.
  var removed: Set<Int32> = []

  init() {}

  /// How many regions count.
  var count: Int { entries.count - removed.count }

  var isPacked: Bool { !tree.leaves.isEmpty }

  @inline(__always) func isRemoved(_ entry: Int) -> Bool {
    !removed.isEmpty && removed.contains(Int32(truncatingIfNeeded: entry))
  }

  /// The regions that count.
  var live: [Region] {
    removed.isEmpty ? regions : regions.indices.filter { !isRemoved($0) }.map { regions[$0] }
  }

  /// Takes a region; its entry.
  mutating func append(_ region: Region, _ shape: ShapeGeometry) -> Int {
    let entry = entries.count
    let box = shape.box
    let radii = shape.annulusMeters
    let annulus = RegionAnnulus(box: box, innerMeters: radii.inner, outerMeters: radii.outer)
    let outline = outlines.insert(shape, annulus)
    regions.append(region)
    entries.append(RegionEntry(terms: RegionTerms(region), outline: outline, shape: shape))
    annuli.append(annulus)
    boxes.append(box)
    entryNumbers[region.id] = Int32(entry)
    return entry
  }

  /// Takes all regions of another part, behind its own; the removed ones stay marked.
  mutating func append(_ part: RegionPart) {
    let base = entries.count
    regions += part.regions
    annuli += part.annuli
    boxes += part.boxes
    entries.reserveCapacity(base + part.entries.count)
    for entry in part.entries.indices {
      var moved = part.entries[entry]
      moved.outline = moved.outline.map { outlines.insert($0, from: part.outlines) }
      entries.append(moved)
      if part.isRemoved(entry) {
        removed.insert(Int32(base + entry))
      } else {
        entryNumbers[moved.terms.id] = Int32(base + entry)
      }
    }
  }

  /// Packs the regions that count, and drops the others; for each old entry its new one, or -1.
  mutating func pack() -> [Int32] {
    let live = entries.indices.lazy.map { Int32($0) }.filter { [removed] in !removed.contains($0) }
    let order = PackedBoxTree.order(Array(live), boxes)
    var places = [Int32](repeating: -1, count: entries.count)
    for (place, old) in order.enumerated() { places[Int(old)] = Int32(place) }
    let permutation = Permutation(order + removed.sorted())
    permutation.apply(to: &regions)
    permutation.apply(to: &entries)
    permutation.apply(to: &annuli)
    permutation.apply(to: &boxes)
    regions.removeLast(removed.count)
    entries.removeLast(removed.count)
    annuli.removeLast(removed.count)
    boxes.removeLast(removed.count)
    orderOutlines()
    renumber(places)
    removed = []
    tree = PackedBoxTree(annuli, boxes: boxes)
    return places
  }

  private mutating func renumber(_ places: [Int32]) {
    if !removed.isEmpty { entryNumbers = entryNumbers.filter { places[Int($0.value)] >= 0 } }
    for index in entryNumbers.indices {
      entryNumbers.values[index] = places[Int(entryNumbers.values[index])]
    }
  }

  /// Lays the outlines in the order of the entries.
  private mutating func orderOutlines() {
    var ordered = FlatOutlines()
    ordered.reserve(as: outlines)
    for entry in entries.indices {
      guard let outline = entries[entry].outline else { continue }
      entries[entry].outline = ordered.insert(outline, from: outlines)
    }
    outlines = ordered
  }

  /// A leaf of regions that are not packed.
  func leaf(from first: Int) -> AnnulusLeaf {
    AnnulusLeaf(annuli[first..<Swift.min(first + AnnulusLeaf.width, annuli.count)])
  }
}

/// What an event needs of a region, side by side in memory: among a million regions most of what an event costs is
/// waiting for memory, so all it needs lies in two cache lines in a row.
struct RegionEntry: Sendable {
  /// What its owner asked for.
  var terms: RegionTerms
  /// Its outline in 16 bits, where it has one.
  var outline: FlatOutlines.Outline?
  /// Its outline, exact.
  var shape: ShapeGeometry
}

/// What a region's owner asked for, apart from its shape.
struct RegionTerms: Sendable {
  var maxLatencySeconds: Double?
  var dwellSeconds: Double
  var exitDelaySeconds: Double
  var notify: Region.Notify
  var initial: Region.Initial
  var sensitivity: Region.Sensitivity
  var id: String

  init(_ region: Region) {
    id = region.id
    notify = region.notify
    initial = region.initial
    dwellSeconds = region.dwellSeconds
    exitDelaySeconds = region.exitDelaySeconds
    maxLatencySeconds = region.maxLatencySeconds
    sensitivity = region.sensitivity ?? .balanced
  }
}

/// The regions around the position, so that most fixes need no search: a Verlet list (Verlet 1967, "Computer experiments
/// on classical fluids"), as molecular dynamics keeps for the neighbors of an atom.
///
/// It has two levels. The leaf list has groups of the catalog's leaves, gathered seldom. The neighbor list proper has the
/// annuli of single regions in a plane, eight side by side, and is scanned whenever the safe distance is used up. Both
/// reach farther than is needed now, so that they last while the position moves.
///
/// It decides nothing. It names the regions whose edges may lie between the last probe and a place. The order of calls is
/// kept by types: ``move(to:)`` gives a token, which a scan consumes.
struct NeighborList: Sendable {
  // The last probe, and degrees to metres around it, rounded up.
  private var latitude = 0.0
  private var longitude = 0.0
  private var metersPerLatitude = 0.0
  private var metersPerLongitude = 0.0
  /// Square of the metres within which of the last probe no edge is met; negative before the first.
  private var safeSquared = -1.0

  // The leaf list: the groups of leaves with all regions within the horizon of the place where it was gathered.
  private var groups: [RegionCatalog.LeafGroup] = []
  private var gatheredPlace = Coordinate(uncheckedLatitude: 0, longitude: 0)
  private var gatheredHorizon = -1.0
  private var gatherHint = 2_000.0
  /// Large regions of the leaf list, each with metres within which of the last probe its edge is not met.
  private(set) var large: [(slot: RegionSlot, bound: Double)] = []

  // The neighbor list: all regions, but the large, that hold the place where it was made, or with an edge within
  // the horizon of it.
  private var batches: [AnnulusBatch] = []
  private var neighbors: [Neighbor] = []
  /// The middle of the list's plane, a place that singles hold.
  private var middle = Coordinate(uncheckedLatitude: 0, longitude: 0)
  // Scale, plane and distortion serve near the latitude, in degrees, for which they were made, and up to a reach.
  private var scale = LocalScale(latitude: 0)
  private(set) var plane = LocalPlane(latitude: 0)
  private var scaleLatitude = Double.infinity
  private var scaleReach = -1.0
  private var shrink: Float = 1
  private var stretch: Float = 1
  private var horizon = -1.0
  /// Where the position was when the list was made.
  private var listedPlace = Coordinate(uncheckedLatitude: 0, longitude: 0)
  /// The direction in which the next list is laid ahead of the place; nothing where there is none.
  private var heading: (east: Double, north: Double) = (0, 0)
  private var reachHint = 500.0

  /// Neighbors that need an exact probe; see ``nextDue(_:)``.
  private var due: [Int32] = []
  /// The neighbor that was taken of them last; -1 for none.
  private var probed = -1
  /// The last probe in the list's plane, metres from its middle.
  private var scanned: (east: Float, north: Float) = (0, 0)
  /// Metres around the last probe in which every edge is one of the list's, or a large region's; not positive where
  /// there is no such list.
  private var listedLeft = -1.0

  /// How far around a probe regions are gathered at most, metres.
  static let widestMeters = 100_000.0
  /// How many groups of leaves the leaf list aims at.
  static let groupCount = 6
  /// How many edges the neighbor list aims at.
  static let neighborCount = 26
  /// Takes off what the index's plane may add to a distance.
  private static let slack = 0.98
  private static let leastReachMeters = 20.0
  /// How many batches are scanned at a time: a bit a lane.
  private static let scanWidth = 64 / AnnulusBatch.width
  /// How far ahead of the place a neighbor list is laid, as a share of its reach.
  private static let aheadShare = 0.6
  /// How far around the place regions must be known for that, as a share of the reach: a little more than
  /// that and the reach itself.
  private static let headedShare = 1.7
  /// Degrees of latitude up to which lists are laid ahead: nearer the poles planes are too small.
  private static let headedLatitude = 80.0
  /// Degrees of latitude by which a plane's middle may lie off its scale: at 80 degrees that is 0.1 % of a distance.
  private static let driftDegrees = 0.01

  /// Whether a place is so near the last probe that no edge lies between them.
  @inline(__always) func covers(_ place: Coordinate) -> Bool {
    let north = (place.latitude - latitude) * metersPerLatitude
    let east = (place.longitude - longitude) * metersPerLongitude
    return north * north + east * east < safeSquared
  }

  /// Metres around the last probe in which no edge is met.
  var safeMeters: Double { safeSquared > 0 ? safeSquared.squareRoot() : 0 }

  /// Nothing is known around the next probe.
  mutating func forget() {
    safeSquared = -1
    gatheredHorizon = -1
    horizon = -1
    large.removeAll(keepingCapacity: true)
    forgetNeighbors()
  }

  private mutating func forgetNeighbors() {
    batches.removeAll(keepingCapacity: true)
    neighbors.removeAll(keepingCapacity: true)
    due.removeAll(keepingCapacity: true)
    probed = -1
  }

  /// The list reaches around the place of the last probe: it can be scanned.
  struct Listed: ~Copyable { fileprivate init() {} }
  /// It does not: it has to be made anew.
  struct Unlisted: ~Copyable { fileprivate init() {} }
  /// What is to be done after a move.
  enum Move: ~Copyable {
    case listed(Listed)
    case unlisted(Unlisted)
  }
  /// A scan whose results are being probed.
  struct Scan: ~Copyable { fileprivate init() {} }

  /// Moves the place of the last probe.
  mutating func move(to place: Coordinate) -> Move {
    if !large.isEmpty {
      let travel = meters(from: Coordinate(uncheckedLatitude: latitude, longitude: longitude), to: place)
      for index in large.indices { large[index].bound -= travel }
    }
    latitude = place.latitude
    longitude = place.longitude
    locate()
    return listedLeft > 0 ? .listed(Listed()) : .unlisted(Unlisted())
  }

  /// Finds the last probe's place in the neighbor list's plane.
  @inline(__always) private mutating func locate() {
    let offset = scale.offset(of: place, from: middle)
    scanned = (Float(offset.east), Float(offset.north))
    let meters = (offset.east * offset.east + offset.north * offset.north).squareRoot()
    listedLeft = horizon - meters * Double(stretch)
  }

  /// At least the true distance between places within the widest reach of the last gathering.
  @inline(__always) private func meters(from start: Coordinate, to end: Coordinate) -> Double {
    let north = (end.latitude - start.latitude) * metersPerLatitude
    let east = Geodesy.longitudeDifference(from: start.longitude, to: end.longitude) * metersPerLongitude
    return (north * north + east * east).squareRoot()
  }

  private var place: Coordinate { Coordinate(uncheckedLatitude: latitude, longitude: longitude) }

  private var outsideFactor: Float { shrink * (1 - AnnulusBatch.excess) }

  /// Metres around the last probe in which every region is in the leaf list.
  private var gatheredLeft: Double {
    gatheredHorizon < 0 ? -1 : gatheredHorizon - meters(from: gatheredPlace, to: place)
  }
}

extension NeighborList {
  /// Makes the list anew around the last probe, and counts the regions in it, and large ones, that are recorded as inside.
  mutating func refill(
    _ move: consuming Unlisted, from catalog: RegionCatalog, _ evidence: RegionEvidenceTable,
    insideCount: inout Int
  ) -> Listed {
    gather(from: catalog, evidence)
    let widest = isHeaded ? gatheredLeft / Self.headedShare : gatheredLeft
    var reach = Swift.min(reachHint, widest)
    var inside = list(within: reach, catalog, evidence)
    while neighbors.count < Self.neighborCount / 2 + inside, reach < widest {
      reach = Swift.min(widest, reach * 1.5)
      inside = list(within: reach, catalog, evidence)
    }
    while neighbors.count > Self.neighborCount * 3 + inside, reach > Self.leastReachMeters {
      reach *= 0.6
      inside = list(within: reach, catalog, evidence)
    }
    horizon = reach * Self.slack
    listedPlace = place
    locate()
    reachHint = neighbors.count < Self.neighborCount + inside ? reach * 1.1 : reach
    for entry in large where evidence.state(of: entry.slot) == .inside { inside += 1 }
    insideCount = inside
    return Listed()
  }

  /// Gathers the leaf list around the last probe, if it would cut the neighbor list short.
  private mutating func gather(from catalog: RegionCatalog, _ evidence: RegionEvidenceTable) {
    findHeading()
    guard gatheredLeft < (isHeaded ? Self.headedShare : 1) * 0.5 * reachHint else { return }
    gatheredPlace = place
    metersPerLatitude = GeoBox.mostMetersPerDegreeLatitude
    metersPerLongitude = LocalScale(latitude: Swift.max(0, abs(latitude) - 1)).metersPerDegreeLongitude
    let horizon = catalog.gather(
      around: place, wanted: Self.groupCount, hintMeters: gatherHint, widestMeters: Self.widestMeters,
      into: &groups)
    gatheredHorizon = horizon * Self.slack
    gatherHint = Swift.max(1, horizon)
    large.removeAll(keepingCapacity: true)
    let perLongitude = LocalScale(latitude: Swift.min(90, abs(latitude) + 1)).metersPerDegreeLongitude
    catalog.forEachLeaf(
      of: groups, longitude: Float(longitude), latitude: Float(latitude),
      metersPerLongitude: Float(perLongitude), withinMeters: Float(horizon), mayHoldLarge: true
    ) { leaf, first, squaredMiss in
      let bound = Double(squaredMiss).squareRoot() * Self.slack
      for lane in 0..<AnnulusLeaf.width where leaf.large & (1 << UInt16(lane)) != 0 {
        let slot = first.advanced(by: lane)
        guard !catalog.isRemoved(slot) else { continue }
        // One that may be left behind is measured at once.
        large.append((slot, evidence.state(of: slot) == .inside ? 0 : bound))
      }
    }
  }

  /// Which way the position went since the last list was made, where it went a good way.
  private mutating func findHeading() {
    heading = (0, 0)
    guard horizon > 0, abs(latitude) < Self.headedLatitude else { return }
    let way = scaleHere.offset(of: place, from: listedPlace)
    let meters = (way.east * way.east + way.north * way.north).squareRoot()
    guard meters > 0.25 * horizon, meters < 4 * horizon else { return }
    heading = (way.east / meters, way.north / meters)
  }

  private var isHeaded: Bool { heading.east != 0 || heading.north != 0 }

  /// Lays the plane of the neighbor list: its middle is the place, or ahead of it, so that the list lasts longer.
  private mutating func layPlane(reach: Double) {
    var ahead = place
    if isHeaded {
      let meters = Self.aheadShare * reach
      ahead = scaleHere.coordinate(
        east: heading.east * meters, north: heading.north * meters, from: place)
    }
    middle = Coordinate(
      uncheckedLatitude: Double(Float(ahead.latitude)), longitude: Double(Float(ahead.longitude)))
    if !isScaled(for: middle.latitude) || reach > scaleReach || 4 * reach < scaleReach {
      scaleLatitude = middle.latitude
      scale = LocalScale(latitude: scaleLatitude)
      plane = LocalPlane(latitude: scaleLatitude)
      setDistortion(withinMeters: reach * 1.25)
    }
    locate()
  }

  private func isScaled(for latitude: Double) -> Bool { abs(latitude - scaleLatitude) < Self.driftDegrees }

  /// The scale at the place, or one of a place nearby.
  private var scaleHere: LocalScale {
    isScaled(for: latitude) ? scale : LocalScale(latitude: latitude)
  }

  /// How far distances in the plane may be off within some metres of its middle, and a little beyond for the
  /// regions' own middles: a degree of longitude shortens with latitude.
  private mutating func setDistortion(withinMeters reach: Double) {
    scaleReach = reach
    let extent =
      (reach + 2 * RegionAnnulus.largeMeters) / GeoBox.leastMetersPerDegreeLatitude + Self.driftDegrees
    let latitude = abs(scaleLatitude)
    let here = Swift.max(scale.metersPerDegreeLongitude, 1e-9)
    let narrow = LocalScale(latitude: Swift.min(90, latitude + extent)).metersPerDegreeLongitude / here
    let broad = LocalScale(latitude: Swift.max(0, latitude - extent)).metersPerDegreeLongitude / here
    // The thousandth is for the ellipsoid.
    shrink = Float(Swift.max(0, narrow) * 0.999)
    stretch = Float(Swift.min(broad, 1e9) * 1.001)
  }

  /// Lists the annuli within some metres; the number of those that hold the place and are recorded as inside.
  private mutating func list(
    within reach: Double, _ catalog: RegionCatalog, _ evidence: RegionEvidenceTable
  ) -> Int {
    layPlane(reach: reach)
    forgetNeighbors()
    var inside = 0
    var batch = AnnulusBatch()
    let limit = Float(reach)
    let (east, north) = (Float(middle.longitude), Float(middle.latitude))
    let farthest = Float(reach / Self.slack)
    let perLongitude = Float(scale.metersPerDegreeLongitude) * shrink
    catalog.forEachLeaf(
      of: groups, longitude: east, latitude: north, metersPerLongitude: perLongitude, withinMeters: farthest
    ) { leaf, first, _ in
      let leaf = leaf.projected(longitude: east, latitude: north, scale: scale)
      leaf.forEach(in: leaf.lanes(withinMeters: limit, shrink: shrink)) { annulus in
        let slot = first.advanced(by: annulus.number)
        guard !catalog.isRemoved(slot) else { return }
        catalog.prefetch(slot)
        // A region that does not hold the place but is recorded as inside is not counted: the mismatch triggers the
        // search for exits.
        let isInside =
          !evidence.inside.isEmpty && annulus.holds(scanned, shrink: shrink)
          && evidence.state(of: slot) == .inside
        if isInside { inside += 1 }
        let lane = neighbors.count % AnnulusBatch.width
        batch.place(lane, east: annulus.east, north: annulus.north)
        batch.set(lane, margin(inner: annulus.inner, outer: annulus.outer, isInside: isInside))
        neighbors.append(Neighbor(slot: slot))
        if lane == AnnulusBatch.width - 1 {
          batches.append(batch)
          batch = AnnulusBatch()
        }
      }
    }
    if neighbors.count % AnnulusBatch.width != 0 { batches.append(batch) }
    return inside
  }

  /// Records on which side of its edge a region's state is, if it is in the list.
  mutating func record(_ slot: RegionSlot, isInside: Bool, in catalog: RegionCatalog) {
    let isProbed = probed >= 0 && neighbors[probed].slot == slot
    guard let lane = isProbed ? probed : neighbors.firstIndex(where: { $0.slot == slot }) else { return }
    let annulus = catalog.annulus(slot)
    let margin = margin(inner: annulus.innerMeters, outer: annulus.outerMeters, isInside: isInside)
    neighbors[lane].bound = 0
    batches[lane / AnnulusBatch.width].set(lane % AnnulusBatch.width, margin)
  }

  /// How the margin of a region follows from a place's distance from its middle.
  @inline(__always)
  private func margin(inner: Float, outer: Float, isInside: Bool) -> AnnulusBatch.Margin {
    isInside
      ? AnnulusBatch.Margin(factor: -stretch, constant: -inner)
      : AnnulusBatch.Margin(factor: outsideFactor, constant: outer)
  }

  /// Scans the list from the last probe: sets the safe distance, but for the neighbors that are due.
  mutating func scan(_ listed: consuming Listed) -> Scan {
    var margin = SIMD8<Float>(repeating: Float(listedLeft))
    var bound = Float.infinity
    for first in stride(from: 0, to: batches.count, by: Self.scanWidth) {
      // A bit for each lane whose margin is negative: it is due, or has a bound yet. All are found before any is
      // probed, since which it is can't be foreseen.
      var met: UInt64 = 0
      for place in first..<Swift.min(first &+ Self.scanWidth, batches.count) {
        let margins = batches[place].margins(east: scanned.east, north: scanned.north)
        margin = margin.lesser(margins.replacingNegative(with: .infinity))
        met |= UInt64(margins.negativeLanes) &<< UInt64((place &- first) &* AnnulusBatch.width)
      }
      while met != 0 {
        bound = Swift.min(bound, remaining(first &* AnnulusBatch.width &+ met.trailingZeroBitCount))
        met &= met &- 1
      }
    }
    safe(Double(Swift.min(margin.least, bound)))
    return Scan()
  }

  /// What is left of an exact probe's bound; the neighbor is due where that is nothing.
  private mutating func remaining(_ lane: Int) -> Float {
    let known = neighbors[lane]
    let east = known.east - scanned.east
    let north = known.north - scanned.north
    let left = known.bound - (east * east + north * north).squareRoot() * stretch
    if left > 0 { return left }
    due.append(Int32(lane))
    return .infinity
  }

  /// A region that needs an exact probe, named once after each ``scan(_:)``; nil when there are no more.
  @inline(__always) mutating func nextDue(_ scan: inout Scan) -> RegionSlot? {
    guard let lane = due.popLast() else { return nil }
    probed = Int(lane)
    return neighbors[probed].slot
  }

  /// Takes what an exact probe said of the region of ``nextDue(_:)``; it is remembered where the state is as recorded.
  mutating func note(_ scan: borrowing Scan, boundMeters: Double, isAsRecorded: Bool) {
    let bound = Float(boundMeters * Self.slack)
    neighbors[probed].bound = isAsRecorded ? bound : 0
    neighbors[probed].east = scanned.east
    neighbors[probed].north = scanned.north
    safe(Swift.min(safeMeters, Double(bound)))
  }

  /// Takes what an exact probe said of a large region.
  mutating func note(_ scan: borrowing Scan, large index: Int, boundMeters: Double) {
    large[index].bound = boundMeters * Self.slack
  }

  /// Ends a scan: draws in the safe distance to the large regions' bounds.
  mutating func finish(_ scan: consuming Scan) {
    guard !large.isEmpty else { return }
    var least = safeMeters
    for entry in large { least = Swift.min(least, entry.bound) }
    safe(least)
  }

  private mutating func safe(_ meters: Double) { safeSquared = meters > 0 ? meters * meters : -1 }
}

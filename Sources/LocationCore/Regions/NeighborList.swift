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
  // The last probe, and the metres in a degree of longitude around it, rounded up.
  private var latitude = 0.0
  private var longitude = 0.0
  private var metersPerLongitude = 0.0
  /// Square of the distance around the last probe, in metres, within which there is no edge; negative before the first
  /// probe.
  private var safeSquared = -1.0

  // The leaf list: the groups of leaves with all regions within the horizon of the place where it was gathered.
  private var groups: [RegionCatalog.LeafGroup] = []
  private var gatheredPlace = Coordinate(uncheckedLatitude: 0, longitude: 0)
  /// Metres around that place; negative where there is no leaf list, ``givenBack`` where its memory was given back.
  private var gatheredHorizon: Float = -1
  private var gatherHint: Float = 2_000
  /// Large regions of the leaf list, each with the metres around the last probe within which its edge is not.
  private(set) var large: [(slot: RegionSlot, bound: Double)] = []

  // The neighbor list: all regions, but the large, that hold the place where it was made, or with an edge within
  // the horizon of it.
  private var batches: [AnnulusBatch] = []
  /// By lane, from the first exact probe on whose region is as recorded.
  private var bounds: [ProbedBound] = []
  /// The middle of the list's plane, a place that singles hold.
  private var middle = Coordinate(uncheckedLatitude: 0, longitude: 0)
  // Plane and distortion serve near the latitude, in degrees, for which they were made, and up to a reach.
  private(set) var plane = LocalPlane(latitude: 0)
  private var scaleReach: Float = -1
  private var shrink: Float = 1
  private var stretch: Float = 1
  private var horizon: Float = -1
  /// Where the position was when the list was made, metres from the middle.
  private var listed: (east: Float, north: Float) = (0, 0)
  /// The direction in which the next list is laid ahead of the place; nothing where there is none.
  private var heading: (east: Float, north: Float) = (0, 0)
  private var reachHint: Float = 500

  /// The lane that was probed exactly last; -1 for none.
  private var probed: Int32 = -1
  /// The last probe in the list's plane, metres from its middle.
  private var scanned: (east: Float, north: Float) = (0, 0)
  /// Metres around the last probe in which every edge is one of the list's, or a large region's; not positive where
  /// there is no such list.
  private var listedLeft: Float = -1
  // It takes four bytes that the metres before it leave free.
  private var listedCount: Int32 = 0

  /// How many regions the list has.
  private var count: Int {
    @inline(__always) get { Int(listedCount) }
    @inline(__always) set { listedCount = Int32(truncatingIfNeeded: newValue) }
  }

  /// How far around a probe regions are gathered at most, metres.
  private static let widestMeters: Float = 100_000
  /// How many groups of leaves the leaf list aims at.
  static let groupCount = 6
  /// How many edges the neighbor list aims at.
  static let neighborCount = 16
  /// How many groups and edges lists aim at that will be given back before they are used again.
  private static let briefCount = 2
  private static let givenBack: Float = -2
  /// Takes off what the index's plane may add to a distance.
  private static let slack: Float = 0.98
  private static let leastReachMeters: Float = 20
  /// How many batches are scanned at a time: a bit a lane.
  private static let scanWidth = 64 / AnnulusBatch.width
  /// How far ahead of the place a neighbor list is laid, as a share of its reach.
  private static let aheadShare: Float = 0.6
  /// How far around the place regions must be known for that, as a share of the reach: a little more than
  /// that and the reach itself.
  private static let headedShare: Float = 1.7
  /// What a distance may shrink to at most, at a pole: its square is a number still, by which a lane without a region
  /// stays infinitely far.
  private static let leastShrink: Float = 1e-18
  /// Degrees of latitude up to which lists are laid ahead: nearer the poles planes are too small.
  private static let headedLatitude = 80.0
  /// Degrees of latitude by which a plane's middle may lie off its scale: at 80 degrees that is 0.1 % of a distance.
  private static let driftDegrees = 0.01

  /// Whether a place is so near the last probe that no edge lies between them.
  @inline(__always) func covers(_ place: Coordinate) -> Bool {
    let north = (place.latitude - latitude) * GeoBox.mostMetersPerDegreeLatitude
    let east = (place.longitude - longitude) * metersPerLongitude
    return north * north + east * east < safeSquared
  }

  /// Metres around the last probe within which there is no edge.
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
    count = 0
    if !bounds.isEmpty { bounds = [] }
    probed = -1
  }

  /// Gives back the memory of both lists. The safe distance stays; the next probe beyond it makes them anew.
  mutating func freeMemory() {
    guard !groups.isEmpty || !batches.isEmpty else { return }
    groups = []
    batches = []
    forgetNeighbors()
    gatheredHorizon = Self.givenBack
    horizon = -1
    listedLeft = -1
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
  struct Scan: ~Copyable {
    /// The first of the batches that were scanned last.
    fileprivate var first = 0
    /// Those of their lanes that need an exact probe, a bit each; see ``nextDue(_:)``.
    fileprivate var due: UInt64 = 0
    fileprivate init() {}
  }

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
    let offset = plane.scale.offset(of: place, from: middle)
    scanned = (Float(offset.east), Float(offset.north))
    let meters = (offset.east * offset.east + offset.north * offset.north).squareRoot()
    listedLeft = horizon - Float(meters) * stretch
  }

  /// At least the true distance between places within the widest reach of the last gathering.
  @inline(__always) private func meters(from start: Coordinate, to end: Coordinate) -> Double {
    let north = (end.latitude - start.latitude) * GeoBox.mostMetersPerDegreeLatitude
    let east = Geodesy.longitudeDifference(from: start.longitude, to: end.longitude) * metersPerLongitude
    return (north * north + east * east).squareRoot()
  }

  private var place: Coordinate { Coordinate(uncheckedLatitude: latitude, longitude: longitude) }

  private var outsideFactor: Float { shrink * (1 - AnnulusBatch.excess) }

  /// Metres around the last probe in which every region is in the leaf list.
  private var gatheredLeft: Float {
    @inline(__always) get {
      gatheredHorizon < 0 ? -1 : gatheredHorizon - Float(meters(from: gatheredPlace, to: place))
    }
  }
}

extension NeighborList {
  /// Makes the list anew around the last probe, and counts the regions in it, and large ones, that are recorded as inside.
  mutating func refill(
    _ move: consuming Unlisted, from catalog: RegionCatalog, _ evidence: RegionEvidenceTable,
    insideCount: inout Int
  ) -> Listed {
    let isBrief = gatheredHorizon == Self.givenBack
    let wanted = isBrief ? Self.briefCount : Self.neighborCount
    gather(isBrief ? Self.briefCount : Self.groupCount, from: catalog, evidence)
    let widest = isHeaded ? gatheredLeft / Self.headedShare : gatheredLeft
    var reach = Swift.min(reachHint, widest)
    var inside = list(within: reach, catalog, evidence)
    while count < wanted / 2 + inside, reach < widest {
      reach = Swift.min(widest, reach * 1.5)
      inside = list(within: reach, catalog, evidence)
    }
    while count > wanted * 3 + inside, reach > Self.leastReachMeters {
      reach *= 0.6
      inside = list(within: reach, catalog, evidence)
    }
    horizon = reach * Self.slack
    locate()
    listed = scanned
    reachHint = count < wanted + inside ? reach * 1.1 : reach
    for entry in large where evidence.state(of: entry.slot) == .inside { inside += 1 }
    insideCount = inside
    return Listed()
  }

  /// Gathers a leaf list of so many groups around the last probe, if it would cut the neighbor list short.
  private mutating func gather(
    _ wanted: Int, from catalog: RegionCatalog, _ evidence: RegionEvidenceTable
  ) {
    findHeading()
    guard gatheredLeft < (isHeaded ? Self.headedShare : 1) * 0.5 * reachHint else { return }
    gatheredPlace = place
    metersPerLongitude = LocalScale(latitude: Swift.max(0, abs(latitude) - 1)).metersPerDegreeLongitude
    let horizon = catalog.gather(
      around: place, wanted: wanted, hintMeters: Double(gatherHint),
      widestMeters: Double(Self.widestMeters), into: &groups)
    gatheredHorizon = Float(horizon) * Self.slack
    gatherHint = Swift.max(1, Float(horizon))
    large.removeAll(keepingCapacity: true)
    let perLongitude = LocalScale(latitude: Swift.min(90, abs(latitude) + 1)).metersPerDegreeLongitude
    catalog.forEachLeaf(
      of: groups, longitude: Float(longitude), latitude: Float(latitude),
      metersPerLongitude: Float(perLongitude), withinMeters: Float(horizon), mayHoldLarge: true
    ) { leaf, first, squaredMiss in
      let bound = Double(squaredMiss.squareRoot() * Self.slack)
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
    let way = (east: scanned.east - listed.east, north: scanned.north - listed.north)
    let meters = (way.east * way.east + way.north * way.north).squareRoot()
    guard meters > 0.25 * horizon, meters < 4 * horizon else { return }
    heading = (way.east / meters, way.north / meters)
  }

  private var isHeaded: Bool { heading.east != 0 || heading.north != 0 }

  /// Lays the plane of the neighbor list: its middle is the place, or ahead of it, so that the list lasts longer.
  private mutating func layPlane(reach: Float) {
    var ahead = place
    if isHeaded {
      let meters = Self.aheadShare * reach
      ahead = scaleHere.coordinate(
        east: Double(heading.east * meters), north: Double(heading.north * meters), from: place)
    }
    middle = Coordinate(
      uncheckedLatitude: Double(Float(ahead.latitude)), longitude: Double(Float(ahead.longitude)))
    if !isScaled(for: middle.latitude) || reach > scaleReach || 4 * reach < scaleReach {
      plane = LocalPlane(latitude: middle.latitude)
      setDistortion(withinMeters: reach * 1.25)
    }
    locate()
  }

  private func isScaled(for latitude: Double) -> Bool { abs(latitude - plane.latitude) < Self.driftDegrees }

  /// The scale at the place, or one of a place nearby.
  private var scaleHere: LocalScale {
    isScaled(for: latitude) ? plane.scale : LocalScale(latitude: latitude)
  }

  /// How far distances in the plane may be off within some metres of its middle, and a little beyond for the
  /// regions' own middles: a degree of longitude shortens with latitude.
  private mutating func setDistortion(withinMeters reach: Float) {
    scaleReach = reach
    let extent =
      (Double(reach) + 2 * RegionAnnulus.largeMeters) / GeoBox.leastMetersPerDegreeLatitude
      + Self.driftDegrees
    let latitude = abs(plane.latitude)
    let here = Swift.max(plane.scale.metersPerDegreeLongitude, 1e-9)
    let narrow = LocalScale(latitude: Swift.min(90, latitude + extent)).metersPerDegreeLongitude / here
    let broad = LocalScale(latitude: Swift.max(0, latitude - extent)).metersPerDegreeLongitude / here
    // The thousandth is for the ellipsoid.
    shrink = Swift.max(Self.leastShrink, Float(narrow * 0.999))
    stretch = Float(Swift.min(broad, 1e9) * 1.001)
  }

  /// Lists the annuli within some metres; the number of those that hold the place and are recorded as inside.
  private mutating func list(
    within reach: Float, _ catalog: RegionCatalog, _ evidence: RegionEvidenceTable
  ) -> Int {
    layPlane(reach: reach)
    forgetNeighbors()
    var inside = 0
    var batch = AnnulusBatch()
    let (east, north) = (Float(middle.longitude), Float(middle.latitude))
    let scale = plane.scale
    let perLongitude = Float(scale.metersPerDegreeLongitude) * shrink
    let limits = limits
    catalog.forEachLeaf(
      of: groups, longitude: east, latitude: north, metersPerLongitude: perLongitude,
      withinMeters: reach / Self.slack
    ) { leaf, first, _ in
      let leaf = leaf.projected(longitude: east, latitude: north, scale: scale)
      let near = catalog.prefetch(leaf.lanes(withinMeters: reach, shrink: shrink), from: first)
      leaf.forEach(in: near) { annulus in
        let slot = first.advanced(by: annulus.number)
        // A region that does not hold the place but is recorded as inside is not counted: the mismatch triggers the
        // search for exits.
        let isInside =
          !evidence.records.isEmpty && annulus.holds(scanned, shrink: shrink)
          && evidence.state(of: slot) == .inside
        if isInside { inside += 1 } else { evidence.prefetch(slot) }
        let lane = count % AnnulusBatch.width
        batch.place(
          lane, slot, east: annulus.east, north: annulus.north, inner: annulus.inner * limits.inner,
          outer: annulus.outer * limits.outer)
        batch.record(lane, isInside: isInside)
        count &+= 1
        if lane == AnnulusBatch.width - 1 {
          append(batch)
          batch = AnnulusBatch()
        }
      }
    }
    if count % AnnulusBatch.width != 0 { append(batch) }
    return inside
  }

  @inline(__always) private mutating func append(_ batch: AnnulusBatch) {
    batches.makeRoomForOne()
    batches.append(batch)
  }

  /// Records on which side of its edge a region's state is, if it is in the list.
  mutating func record(_ slot: RegionSlot, isInside: Bool) {
    guard let lane = lane(of: slot) else { return }
    if !bounds.isEmpty { bounds[lane].meters = 0 }
    batches[lane / AnnulusBatch.width].record(lane % AnnulusBatch.width, isInside: isInside)
  }

  private mutating func lane(of slot: RegionSlot) -> Int? {
    if probed >= 0, self.slot(Int(probed)) == slot { return Int(probed) }
    for place in batches.indices {
      if let lane = batches[place].lane(of: slot) { return place * AnnulusBatch.width + lane }
    }
    return nil
  }

  @inline(__always) private mutating func slot(_ lane: Int) -> RegionSlot {
    batches[lane / AnnulusBatch.width].slot(lane % AnnulusBatch.width)
  }

  /// What the radii of an annulus are multiplied by for the limits of a place's distance from its middle in the plane.
  @inline(__always) private var limits: (inner: Float, outer: Float) {
    (1 / stretch, (1 + AnnulusBatch.excess) / outsideFactor)
  }

  /// Scans the list from the last probe: sets the safe distance, but for the regions that are due.
  mutating func scan(_ listed: consuming Listed) -> Scan {
    var scan = Scan()
    scan.due = dueLanes(from: 0, within: Double(listedLeft))
    return scan
  }

  /// Scans some batches: draws in the safe distance from `limit`, but for the lanes that need an exact probe, a bit each.
  private mutating func dueLanes(from first: Int, within limit: Double) -> UInt64 {
    var margin = SIMD8<Float>(repeating: .infinity)
    var bound = Float.infinity
    // A bit for each lane whose margin is negative: it is due, or has a bound yet. All are found before any is
    // probed, since which it is can't be foreseen.
    var met: UInt64 = 0
    for place in first..<Swift.min(first &+ Self.scanWidth, batches.count) {
      let margins = batches[place].margins(east: scanned.east, north: scanned.north)
      margin = margin.lesser(margins.replacingNegative(with: .infinity))
      met |= UInt64(margins.negativeLanes) &<< UInt64((place &- first) &* AnnulusBatch.width)
    }
    var due = met
    if bounds.isEmpty { met = 0 }
    while met != 0 {
      let bit = met & (0 &- met)
      met &= met &- 1
      let left = remaining(first &* AnnulusBatch.width &+ bit.trailingZeroBitCount)
      guard left > 0 else { continue }
      bound = Swift.min(bound, left)
      due &= ~bit
    }
    // What is left in the plane is at least this much of a true distance.
    safe(Swift.min(limit, Double(Swift.min(margin.least * outsideFactor, bound))))
    return due
  }

  /// What is left of an exact probe's bound.
  private func remaining(_ lane: Int) -> Float {
    let known = bounds[lane]
    let east = known.east - scanned.east
    let north = known.north - scanned.north
    return known.meters - (east * east + north * north).squareRoot() * stretch
  }

  /// A region that needs an exact probe, named once after each ``scan(_:)``; nil when there are no more.
  @inline(__always) mutating func nextDue(_ scan: inout Scan) -> RegionSlot? {
    while scan.due == 0 {
      scan.first &+= Self.scanWidth
      guard scan.first < batches.count else { return nil }
      scan.due = dueLanes(from: scan.first, within: safeMeters)
    }
    probed = Int32(truncatingIfNeeded: scan.first &* AnnulusBatch.width &+ scan.due.trailingZeroBitCount)
    scan.due &= scan.due &- 1
    return slot(Int(probed))
  }

  /// Takes what an exact probe said of the region of ``nextDue(_:)``; it is remembered where the state is as recorded.
  mutating func note(_ scan: borrowing Scan, boundMeters: Double, isAsRecorded: Bool) {
    let bound = Float(boundMeters) * Self.slack
    if isAsRecorded || !bounds.isEmpty {
      if bounds.isEmpty { bounds = Array(repeating: ProbedBound(), count: count) }
      bounds[Int(probed)] = ProbedBound(
        meters: isAsRecorded ? bound : 0, east: scanned.east, north: scanned.north)
    }
    safe(Swift.min(safeMeters, Double(bound)))
  }

  /// Takes what an exact probe said of a large region.
  mutating func note(_ scan: borrowing Scan, large index: Int, boundMeters: Double) {
    large[index].bound = boundMeters * Double(Self.slack)
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

/// The regions around the last look, in two lists: a wide one of the index's branches, gathered seldom, and a
/// near one of rings in a plane, scanned whenever the safe distance is used up.
///
/// It decides nothing. It tells which regions' edges may lie between the last look and a place.
struct NeighborList: Sendable {
  // The last look, and degrees to metres around it, rounded up.
  private var latitude = 0.0
  private var longitude = 0.0
  private var metersPerLatitude = 0.0
  private var metersPerLongitude = 0.0
  /// Square of the metres within which of the last look no edge is met; negative before the first.
  private var safeSquared = -1.0

  // The wide list: the branches with all regions within the horizon of the place where it was gathered.
  private var wide: [RegionIndex.Branch] = []
  private var widePlace = Coordinate(uncheckedLatitude: 0, longitude: 0)
  private var wideHorizon = -1.0
  private var wideHint = 2_000.0
  /// Large regions of the wide list, each with metres within which of the last look its edge is not met.
  private(set) var large: [(slot: Int32, bound: Double)] = []

  // The near list: all regions, but the large, that hold the place where it was made, or with an edge within
  // the horizon of it.
  private var near: [AnnulusBatch] = []
  private var lanes: [Neighbor] = []
  /// The middle of the near list's plane, a place that singles hold.
  private var nearPlace = Coordinate(uncheckedLatitude: 0, longitude: 0)
  // Scale, plane and distortion serve near the latitude, in degrees, for which they were made, and up to a reach.
  private var scale = LocalScale(latitude: 0)
  private(set) var plane = LocalPlane(latitude: 0)
  private var scaleLatitude = Double.infinity
  private var scaleReach = -1.0
  private var shrink: Float = 1
  private var stretch: Float = 1
  private var nearHorizon = -1.0
  /// Where the position was when the near list was made.
  private var listedPlace = Coordinate(uncheckedLatitude: 0, longitude: 0)
  /// The direction in which the next near list is laid ahead of the place; nothing where there is none.
  private var heading: (east: Double, north: Double) = (0, 0)
  private var nearReach = 500.0

  /// Lanes whose regions need an exact look; see ``nextDue()``.
  private var due: [Int32] = []
  /// The lane of the last that was taken of them; -1 for none.
  private var looked = -1
  /// The last look in the near list's plane, metres from its middle.
  private var scanned: (east: Float, north: Float) = (0, 0)
  /// Metres around the last look in which every edge is one of the near list's, or a large region's; not
  /// positive where there is no such list.
  private var nearLeft = -1.0

  /// How far around a look regions are gathered at most, metres.
  static let widestMeters = 100_000.0
  /// How many branches of the index the wide list aims at.
  static let wideCount = 6
  /// How many edges the near list aims at.
  static let nearCount = 26
  /// Takes off what the index's plane may add to a distance.
  private static let slack = 0.98
  private static let leastReachMeters = 20.0
  /// How many octets are scanned at a time: a bit a lane.
  private static let scanWidth = 64 / AnnulusBatch.width
  /// How far ahead of the place a near list is laid, as a share of its reach.
  private static let aheadShare = 0.6
  /// How far around the place regions must be known for that, as a share of the reach: a little more than
  /// that and the reach itself.
  private static let headedShare = 1.7
  /// Degrees of latitude up to which lists are laid ahead: nearer the poles planes are too small.
  private static let headedLatitude = 80.0
  /// Degrees of latitude by which a plane's middle may lie off its scale: at 80 degrees that is 0.1 % of a distance.
  private static let driftDegrees = 0.01

  /// Whether a place is so near the last look that no edge lies between them.
  @inline(__always) func covers(_ place: Coordinate) -> Bool {
    let north = (place.latitude - latitude) * metersPerLatitude
    let east = (place.longitude - longitude) * metersPerLongitude
    return north * north + east * east < safeSquared
  }

  /// Metres around the last look in which no edge is met.
  var safeMeters: Double { safeSquared > 0 ? safeSquared.squareRoot() : 0 }

  /// Nothing is known around the next look.
  mutating func forget() {
    safeSquared = -1
    wideHorizon = -1
    nearHorizon = -1
    large.removeAll(keepingCapacity: true)
    near.removeAll(keepingCapacity: true)
    forgetLanes()
  }

  private mutating func forgetLanes() {
    lanes.removeAll(keepingCapacity: true)
    due.removeAll(keepingCapacity: true)
    looked = -1
  }

  /// Moves the place of the last look; tells whether the near list still reaches around it.
  mutating func move(to place: Coordinate) -> Bool {
    if !large.isEmpty {
      let travel = meters(from: Coordinate(uncheckedLatitude: latitude, longitude: longitude), to: place)
      for index in large.indices { large[index].bound -= travel }
    }
    latitude = place.latitude
    longitude = place.longitude
    locate()
    return nearLeft > 0
  }

  /// Finds the last look's place in the near list's plane.
  @inline(__always) private mutating func locate() {
    let offset = scale.offset(of: place, from: nearPlace)
    scanned = (Float(offset.east), Float(offset.north))
    let meters = (offset.east * offset.east + offset.north * offset.north).squareRoot()
    nearLeft = nearHorizon - meters * Double(stretch)
  }

  /// At least the true distance between places within the widest reach of the last gathering.
  @inline(__always) private func meters(from start: Coordinate, to end: Coordinate) -> Double {
    let north = (end.latitude - start.latitude) * metersPerLatitude
    let east = Geodesy.longitudeDifference(from: start.longitude, to: end.longitude) * metersPerLongitude
    return (north * north + east * east).squareRoot()
  }

  private var place: Coordinate { Coordinate(uncheckedLatitude: latitude, longitude: longitude) }

  private var outsideFactor: Float { shrink * (1 - AnnulusBatch.excess) }

  /// Metres around the last look in which every region is in the wide list.
  private var wideLeft: Double { wideHorizon < 0 ? -1 : wideHorizon - meters(from: widePlace, to: place) }
}

extension NeighborList {
  /// Gathers the wide list around the last look, if it would cut the near list short.
  mutating func gather(from index: inout RegionIndex, _ cells: [RegionEntry]) {
    findHeading()
    guard wideLeft < (isHeaded ? Self.headedShare : 1) * 0.5 * nearReach else { return }
    widePlace = place
    metersPerLatitude = GeoBox.mostMetersPerDegreeLatitude
    metersPerLongitude = LocalScale(latitude: Swift.max(0, abs(latitude) - 1)).metersPerDegreeLongitude
    let horizon = index.gather(
      around: place, wanted: Self.wideCount, hintMeters: wideHint, widestMeters: Self.widestMeters,
      into: &wide)
    wideHorizon = horizon * Self.slack
    wideHint = Swift.max(1, horizon)
    large.removeAll(keepingCapacity: true)
    let perLongitude = LocalScale(latitude: Swift.min(90, abs(latitude) + 1)).metersPerDegreeLongitude
    index.forEachBlock(
      of: wide, longitude: Float(longitude), latitude: Float(latitude),
      metersPerLongitude: Float(perLongitude), withinMeters: Float(horizon), mayHoldLarge: true
    ) { block, squaredMiss in
      let bound = Double(squaredMiss).squareRoot() * Self.slack
      for lane in 0..<AnnulusLeaf.width where block.large & (1 << UInt16(lane)) != 0 {
        // One that may be left behind is measured at once.
        let slot = block.slots[lane]
        large.append((slot, cells[Int(slot)].track.state == .inside ? 0 : bound))
      }
    }
  }

  /// Makes the near list around the last look; the number of the regions in it, and of large ones, whose
  /// recorded state is inside.
  mutating func refine(from index: RegionIndex, _ cells: [RegionEntry]) -> Int {
    let widest = isHeaded ? wideLeft / Self.headedShare : wideLeft
    var reach = Swift.min(nearReach, widest)
    var inside = list(within: reach, index, cells)
    while lanes.count < Self.nearCount / 2 + inside, reach < widest {
      reach = Swift.min(widest, reach * 1.5)
      inside = list(within: reach, index, cells)
    }
    while lanes.count > Self.nearCount * 3 + inside, reach > Self.leastReachMeters {
      reach *= 0.6
      inside = list(within: reach, index, cells)
    }
    nearHorizon = reach * Self.slack
    listedPlace = place
    locate()
    nearReach = lanes.count < Self.nearCount + inside ? reach * 1.1 : reach
    for entry in large where cells[Int(entry.slot)].track.state == .inside { inside += 1 }
    return inside
  }

  /// Which way the position went since the last list was made, where it went a good way.
  private mutating func findHeading() {
    heading = (0, 0)
    guard nearHorizon > 0, abs(latitude) < Self.headedLatitude else { return }
    let way = scaleHere.offset(of: place, from: listedPlace)
    let meters = (way.east * way.east + way.north * way.north).squareRoot()
    guard meters > 0.25 * nearHorizon, meters < 4 * nearHorizon else { return }
    heading = (way.east / meters, way.north / meters)
  }

  private var isHeaded: Bool { heading.east != 0 || heading.north != 0 }

  /// Lays the plane of the near list: its middle is the place, or ahead of it, so that the list lasts longer.
  private mutating func layPlane(reach: Double) {
    var middle = place
    if isHeaded {
      let ahead = Self.aheadShare * reach
      middle = scaleHere.coordinate(
        east: heading.east * ahead, north: heading.north * ahead, from: place)
    }
    nearPlace = Coordinate(
      uncheckedLatitude: Double(Float(middle.latitude)), longitude: Double(Float(middle.longitude)))
    if !isScaled(for: nearPlace.latitude) || reach > scaleReach || 4 * reach < scaleReach {
      scaleLatitude = nearPlace.latitude
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

  private mutating func list(
    within reach: Double, _ index: RegionIndex, _ cells: [RegionEntry]
  ) -> Int {
    layPlane(reach: reach)
    forgetLanes()
    let limit = Float(reach)
    let (east, north) = (Float(nearPlace.longitude), Float(nearPlace.latitude))
    let farthest = Float(reach / Self.slack)
    let perLongitude = Float(scale.metersPerDegreeLongitude) * shrink
    index.forEachBlock(
      of: wide, longitude: east, latitude: north, metersPerLongitude: perLongitude, withinMeters: farthest
    ) { block, _ in
      let block = block.projected(longitude: east, latitude: north, scale: scale)
      block.forEach(in: block.lanes(withinMeters: limit, shrink: shrink)) { ring in
        cells.prefetch(Int(ring.slot), RegionEntry.busyBytes)
        lanes.append(Neighbor(ring: ring))
      }
    }
    return layOctets(cells)
  }

  /// Lays the rings of the lanes side by side with the states that are recorded of their regions; the number of
  /// those that hold the place and are recorded to.
  private mutating func layOctets(_ cells: [RegionEntry]) -> Int {
    near.removeAll(keepingCapacity: true)
    var inside = 0
    var octet = AnnulusBatch()
    for lane in lanes.indices {
      let ring = lanes[lane].ring
      // One that does not hold the place, but is recorded to, is not counted, and so will be missed.
      let isInside = ring.holds(scanned, shrink: shrink) && cells[Int(ring.slot)].track.state == .inside
      if isInside { inside += 1 }
      octet.place(lane % AnnulusBatch.width, east: ring.east, north: ring.north)
      octet.set(lane % AnnulusBatch.width, margin(of: ring, isInside: isInside))
      if lane % AnnulusBatch.width == AnnulusBatch.width - 1 {
        near.append(octet)
        octet = AnnulusBatch()
      }
    }
    if lanes.count % AnnulusBatch.width != 0 { near.append(octet) }
    return inside
  }

  /// Records on which side of its edge a region's state is, if it is in the near list.
  mutating func record(_ slot: Int32, isInside: Bool) {
    let isLooked = looked >= 0 && lanes[looked].ring.slot == slot
    guard let lane = isLooked ? looked : lanes.firstIndex(where: { $0.ring.slot == slot }) else { return }
    let margin = margin(of: lanes[lane].ring, isInside: isInside)
    lanes[lane].bound = 0
    near[lane / AnnulusBatch.width].set(lane % AnnulusBatch.width, margin)
  }

  /// How the margin of a region follows from a place's distance from its middle.
  @inline(__always)
  private func margin(of ring: AnnulusLeaf.Lane, isInside: Bool) -> AnnulusBatch.Margin {
    isInside
      ? AnnulusBatch.Margin(factor: -stretch, constant: -ring.inner)
      : AnnulusBatch.Margin(factor: outsideFactor, constant: ring.outer)
  }

  /// Looks at the near list from the last look: sets the safe distance, but for the lanes that are due.
  mutating func scan() {
    var margin = SIMD8<Float>(repeating: Float(nearLeft))
    var bound = Float.infinity
    for first in stride(from: 0, to: near.count, by: Self.scanWidth) {
      // A bit for each lane whose margin is negative: it is due, or has a bound yet. All are found before any is
      // looked at, since which it is can't be foreseen.
      var met: UInt64 = 0
      for place in first..<Swift.min(first &+ Self.scanWidth, near.count) {
        let margins = near[place].margins(east: scanned.east, north: scanned.north)
        margin = margin.lesser(margins.replacingNegative(with: .infinity))
        met |= UInt64(margins.negativeLanes) &<< UInt64((place &- first) &* AnnulusBatch.width)
      }
      while met != 0 {
        bound = Swift.min(bound, remaining(first &* AnnulusBatch.width &+ met.trailingZeroBitCount))
        met &= met &- 1
      }
    }
    safe(Double(Swift.min(margin.least, bound)))
  }

  /// What is left of an exact look's bound; the lane is due where that is nothing.
  private mutating func remaining(_ lane: Int) -> Float {
    let known = lanes[lane]
    let east = known.east - scanned.east
    let north = known.north - scanned.north
    let left = known.bound - (east * east + north * north).squareRoot() * stretch
    if left > 0 { return left }
    due.append(Int32(lane))
    return .infinity
  }

  /// The slot of a region that needs an exact look, told once after each ``scan()``; nil when there are no more.
  @inline(__always) mutating func nextDue() -> Int32? {
    guard let lane = due.popLast() else { return nil }
    looked = Int(lane)
    return lanes[looked].ring.slot
  }

  /// Takes what an exact look told of the region of ``nextDue()``; it is remembered where the state is as recorded.
  mutating func note(boundMeters: Double, isAsRecorded: Bool) {
    let bound = Float(boundMeters * Self.slack)
    lanes[looked].bound = isAsRecorded ? bound : 0
    lanes[looked].east = scanned.east
    lanes[looked].north = scanned.north
    safe(Swift.min(safeMeters, Double(bound)))
  }

  /// Takes what an exact look told of a large region.
  mutating func note(large index: Int, boundMeters: Double) { large[index].bound = boundMeters * Self.slack }

  /// Draws in the safe distance to the large regions' bounds.
  mutating func settleLarge() {
    var least = safeMeters
    for entry in large { least = Swift.min(least, entry.bound) }
    safe(least)
  }

  private mutating func safe(_ meters: Double) { safeSquared = meters > 0 ? meters * meters : -1 }
}

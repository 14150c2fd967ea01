/// When a region may have something to tell at the earliest.
struct RegionHorizon: Hashable, Sendable {
  /// Seconds until a region may have been visited for as long as its owner accepts to miss; nil where none is in reach.
  var enterSeconds: Double?
  /// The same for an absence from a region that has a latency of its own.
  var exitSeconds: Double?
  /// The least latency of those regions, seconds; nil where there is none.
  var exitLatencySeconds: Double?
  /// The same as ``exitSeconds`` for any other region.
  var laxExitSeconds: Double?
  /// The fix is so near an edge that it may as well lie on the other side.
  var isNearEdge = false
}

extension RegionMonitor {
  /// Considers all regions that can be reached within `limitSeconds`.
  ///
  /// The answer follows from the fix and the regions alone, however they are indexed.
  /// - Parameter latencySeconds: for regions that do not state their own.
  mutating func horizon(
    from fix: Fix, metersPerSecond: Double, latencySeconds: Double, limitSeconds: Double
  ) -> RegionHorizon {
    let sigma = fix.accuracy.sigmaMeters * inflation.factor
    let margin = Self.horizonSigmas * sigma
    let near = configuration.heldSigmas * sigma
    func isNear(_ slot: RegionSlot, _ meters: Double) -> Bool {
      meters <= near * RegionConfiguration.depthFactor(catalog[slot].terms.sensitivity)
    }
    func seconds(_ slot: RegionSlot, _ meters: Double) -> Double {
      Swift.max(0, meters - margin) / metersPerSecond
        + (catalog[slot].terms.maxLatencySeconds ?? latencySeconds)
    }
    var horizon = RegionHorizon()
    for slot in evidence.inside {
      let depth = -catalog[slot].shape.edgeMeters(at: fix.coordinate)
      if isNear(slot, depth) { horizon.isNearEdge = true }
      let exit = seconds(slot, depth)
      if let latency = catalog[slot].terms.maxLatencySeconds {
        horizon.exitSeconds = Swift.min(horizon.exitSeconds ?? exit, exit)
        horizon.exitLatencySeconds = Swift.min(horizon.exitLatencySeconds ?? latency, latency)
      } else {
        horizon.laxExitSeconds = Swift.min(horizon.laxExitSeconds ?? exit, exit)
      }
    }
    guard count > evidence.insideCount else { return horizon }
    var reach = Self.horizonReachMeters
    while true {
      var nearest: Double?
      catalog.find(in: GeoBox(around: fix.coordinate, radiusMeters: reach), into: &found)
      for slot in found where evidence.state(of: slot) != .inside {
        let edge = catalog[slot].shape.edgeMeters(at: fix.coordinate)
        if isNear(slot, edge) { horizon.isNearEdge = true }
        let enter = seconds(slot, edge)
        nearest = Swift.min(nearest ?? enter, enter)
      }
      // All others are farther than the box reaches.
      let beyond =
        (reach - margin) / metersPerSecond
        + Swift.min(catalog.totals.leastLatencySeconds ?? latencySeconds, latencySeconds)
      if let nearest, nearest <= beyond {
        horizon.enterSeconds = nearest
        return horizon
      }
      if beyond >= limitSeconds { return horizon }
      reach *= 4
    }
  }

  /// Whether a few more fixes may decide a region's state: some are against it already, or it is unknown.
  var hasPendingEvidence: Bool {
    evidence.records.contains { record in
      guard record.isActive, let against = record.evidence.against else { return record.isActive }
      return against.isPending
    }
  }

  /// Whether a place lies on the other side of an edge than the region's state.
  func isInDoubt(at place: Coordinate) -> Bool {
    evidence.records.contains { record in
      let state = record.evidence.state
      return record.isActive && state != .unknown
        && (catalog[record.slot].shape.edgeMeters(at: place) <= 0) != (state == .inside)
    }
  }

  /// Standard deviations by which a fix may be nearer an edge than it says.
  private static let horizonSigmas = 3.0
  /// Metres around a fix that are searched first.
  private static let horizonReachMeters = 500.0
}

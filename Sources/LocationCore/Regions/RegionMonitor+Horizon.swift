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
  /// Looks from a fix at all regions that can be reached within `limitSeconds`.
  ///
  /// The answer follows from the fix and the regions alone, however they are indexed.
  /// - Parameter latencySeconds: for regions that do not state their own.
  mutating func horizon(
    from fix: Fix, metersPerSecond: Double, latencySeconds: Double, limitSeconds: Double
  ) -> RegionHorizon {
    let sigma = fix.accuracy.sigmaMeters * inflation.factor
    let margin = Self.horizonSigmas * sigma
    let near = configuration.heldSigmas * sigma
    func seconds(_ slot: Int32, _ meters: Double) -> Double {
      Swift.max(0, meters - margin) / metersPerSecond
        + (cells[Int(slot)].terms.maxLatencySeconds ?? latencySeconds)
    }
    var horizon = RegionHorizon()
    for slot in inside {
      let depth = -cells[Int(slot)].shape.edgeMeters(at: fix.coordinate)
      if depth <= near { horizon.isNearEdge = true }
      let exit = seconds(slot, depth)
      if let latency = cells[Int(slot)].terms.maxLatencySeconds {
        horizon.exitSeconds = Swift.min(horizon.exitSeconds ?? exit, exit)
        horizon.exitLatencySeconds = Swift.min(horizon.exitLatencySeconds ?? latency, latency)
      } else {
        horizon.laxExitSeconds = Swift.min(horizon.laxExitSeconds ?? exit, exit)
      }
    }
    guard count > inside.count else { return horizon }
    var reach = Self.horizonReachMeters
    while true {
      var nearest: Double?
      index.find(in: GeoBox(around: fix.coordinate, radiusMeters: reach), into: &found)
      for slot in found where cells[Int(slot)].track.state != .inside {
        let edge = cells[Int(slot)].shape.edgeMeters(at: fix.coordinate)
        if edge <= near { horizon.isNearEdge = true }
        let enter = seconds(slot, edge)
        nearest = Swift.min(nearest ?? enter, enter)
      }
      // All others are farther than the box reaches.
      let beyond =
        (reach - margin) / metersPerSecond + Swift.min(leastLatencySeconds ?? latencySeconds, latencySeconds)
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
    active.contains {
      let track = cells[Int($0)].track
      return track.state == .unknown || track.clearRun > 0 || track.heldRun > 0
    }
  }

  /// Whether a place lies on the other side of an edge than the region's state.
  func isInDoubt(at place: Coordinate) -> Bool {
    active.contains {
      let state = cells[Int($0)].track.state
      return state != .unknown && (cells[Int($0)].shape.edgeMeters(at: place) <= 0) != (state == .inside)
    }
  }

  /// Standard deviations by which a fix may be nearer an edge than it says.
  private static let horizonSigmas = 3.0
  /// Metres around a fix that are searched first.
  private static let horizonReachMeters = 500.0
}

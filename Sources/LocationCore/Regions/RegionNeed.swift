/// What a region's state would take to change, as the last fix leaves it: one of the ways in which it may (rule B4).
public struct RegionNeed: Hashable, Sendable {
  /// Which way: the reason that the change would have.
  public var way: RegionEvent.Reason
  /// Metres beyond the edge, on the other side than the state, from which a fix counts; nil where place is not what
  /// is lacking.
  public var beyondMeters: Double?
  /// Metres by which the last fix falls short of that, 0 where it does not; nil where place is not what is lacking.
  public var lackingMeters: Double?
  /// The largest 68 % radius, metres, with which the last fix would count where it is; nil where none would do.
  public var radiusMeters: Double?
  /// The probability that one fix must give its side of the edge; nil where that is not asked.
  public var probability: Double?
  /// Fixes in a row that count so far, and how many it takes; nil where they are not counted.
  public var fixes: Tally?
  /// Seconds over which they have counted, and over which they must; nil where time does not matter.
  public var seconds: Span?

  /// So many of so many.
  public struct Tally: Hashable, Sendable {
    /// How many there are.
    public var have: Int
    /// How many it takes.
    public var need: Int
  }

  /// So long of so long, seconds.
  public struct Span: Hashable, Sendable {
    /// How long it has been, seconds.
    public var have: Double
    /// How long it takes, seconds.
    public var need: Double
  }
}

extension RegionMonitor {
  /// Each way in which a region's state could change; none before the first fix, or where there is no such region.
  public func needs(of id: String) -> [RegionNeed] {
    guard let slot = catalog.slot(of: id), let fix = lastFix else { return [] }
    let known = evidence.evidence(of: slot, by: configuration)
    if departures.contains(where: { $0.slot == slot }) {
      return clockNeeds(slot, .exit, .delayed, catalog[slot].terms.exitDelaySeconds)
    }
    if case .unknown(let first) = known { return [firstNeed(view(of: slot, fix), first)] }
    let view = view(of: slot, scaled(fix, for: slot))
    if configuration.rule == .plain {
      return [placeNeed(.plain, view, beyondMeters: 0, view.radius(atSigmas: 0))]
    }
    guard let against = known.against else { return [] }
    var needs = [clearNeed(view, against), heldNeed(view, against), settledNeed(view, against)]
    if known.state == .inside {
      needs += clockNeeds(slot, .dwell, .dwelled, catalog[slot].terms.dwellSeconds)
    }
    return needs
  }

  /// A fix as a region of its sensitivity takes it.
  func scaled(_ fix: RegionFix, for slot: RegionSlot) -> RegionFix {
    var scaled = fix
    scaled.sigmaMeters *= RegionConfiguration.depthFactor(catalog[slot].terms.sensitivity)
    return scaled
  }

  /// The last fix as seen from one region.
  struct View {
    var shape: ShapeGeometry
    var fix: RegionFix
    var edgeMeters: Double
    /// Metres beyond the edge, on the other side than the state.
    var beyondMeters: Double
    /// Standard deviations within which a fix may stand for another place.
    var reachSigmas: Double
    /// Metres inside the edge of the deepest place around that the fix may stand for; nil where it does not matter.
    var attainableMeters: Double?

    /// The same within another reach.
    func attainableMeters(within reachMeters: Double) -> Double {
      shape.attainableDepthMeters(at: fix.coordinate, edgeMeters: edgeMeters, reachMeters: reachMeters)
    }

    /// The 68 % radius of the fix with another standard deviation, metres.
    func radius(ofSigma sigmaMeters: Double) -> Double {
      fix.accuracy.radiusMeters * sigmaMeters / fix.sigmaMeters
    }

    /// The largest 68 % radius with which the fix lies so many standard deviations beyond the edge; nil where none.
    func radius(atSigmas sigmas: Double) -> Double? {
      guard beyondMeters > 0 else { return nil }
      return sigmas > 0 ? radius(ofSigma: beyondMeters / sigmas) : fix.accuracy.radiusMeters
    }
  }

  func view(of slot: RegionSlot, _ fix: RegionFix) -> View {
    let shape = catalog[slot].shape
    let edge = shape.edgeMeters(at: fix.coordinate)
    let isInside = evidence.state(of: slot) == .inside
    var view = View(
      shape: shape, fix: fix, edgeMeters: edge, beyondMeters: isInside ? edge : -edge,
      reachSigmas: configuration.attainableReachSigmas)
    if !isInside { view.attainableMeters = view.attainableMeters(within: view.reachSigmas * fix.sigmaMeters) }
    return view
  }

  private func placeNeed(
    _ way: RegionEvent.Reason, _ view: View, beyondMeters: Double, _ radiusMeters: Double?
  ) -> RegionNeed {
    RegionNeed(
      way: way, beyondMeters: beyondMeters, lackingMeters: Swift.max(0, beyondMeters - view.beyondMeters),
      radiusMeters: radiusMeters)
  }

  private func clearNeed(_ view: View, _ against: Counterevidence) -> RegionNeed {
    let sigmas = configuration.clearSigmas * configuration.guardedFactor(against.flapCount)
    var need = placeNeed(
      .clear, view, beyondMeters: sigmas * view.fix.sigmaMeters, view.radius(atSigmas: sigmas))
    need.fixes = RegionNeed.Tally(have: Int(against.clearRun), need: configuration.clearCount)
    need.seconds = RegionNeed.Span(
      have: against.clearRun > 0 ? against.clearSince.seconds(to: view.fix.instant) : 0,
      need: configuration.clearSeconds)
    return need
  }

  func heldNeed(_ view: View, _ against: Counterevidence) -> RegionNeed {
    let sigmas = configuration.heldSigmas * configuration.guardedFactor(against.flapCount)
    var need = placeNeed(
      .held, view, beyondMeters: sigmas * view.fix.sigmaMeters, view.radius(atSigmas: sigmas))
    if against.wasFar {
      need.allow(
        small: view, missSigmas: configuration.smallHeldMissSigmas, leastSigmas: Accuracy.sigmasIn68Percent)
    }
    let isRunning = against.heldRun > 0
    need.fixes = RegionNeed.Tally(have: isRunning ? Int(against.heldRun) : 0, need: 2)
    need.seconds = RegionNeed.Span(
      have: isRunning ? against.heldSince.seconds(to: against.heldLast) : 0, need: configuration.heldSeconds)
    return need
  }

  private func settledNeed(_ view: View, _ against: Counterevidence) -> RegionNeed {
    let sigmas = configuration.settledSigmas * configuration.guardedFactor(against.flapCount)
    var need = placeNeed(
      .settled, view, beyondMeters: sigmas * view.fix.sigmaMeters, view.radius(atSigmas: sigmas))
    need.allow(
      small: view, missSigmas: configuration.smallSettledMissSigmas,
      leastSigmas: configuration.smallSettledLeastSigmas + configuration.smallSettledMissSigmas)
    return need
  }

  /// What would tell the first state by one fix, on the side that is nearer.
  private func firstNeed(_ view: View, _ first: FirstFixes) -> RegionNeed {
    let sigma = view.fix.sigmaMeters
    let wanted = configuration.initialProbability
    func certainty(_ sigmaMeters: Double) -> Double {
      let inside = view.shape.probabilityInside(
        at: view.fix.coordinate, edgeMeters: view.edgeMeters, sigmaMeters: sigmaMeters)
      return view.edgeMeters > 0 ? 1 - inside : inside
    }
    // A straight edge: so many standard deviations from it lies what is that probable.
    let sigmas = Self.bisect(0, 10) { NormalDistribution.cumulative($0) >= wanted }
    let factor =
      certainty(sigma) >= wanted ? 1 : 1 - Self.bisect(0, 1) { certainty(sigma * (1 - $0)) >= wanted }
    let distance = abs(view.edgeMeters)
    return RegionNeed(
      way: .initial, beyondMeters: sigmas * sigma,
      lackingMeters: certainty(sigma) >= wanted ? 0 : Swift.max(0, sigmas * sigma - distance),
      radiusMeters: distance > 0 ? view.radius(ofSigma: sigma * factor) : nil, probability: wanted,
      fixes: RegionNeed.Tally(have: Int(first.count), need: configuration.initialCount),
      seconds: RegionNeed.Span(
        have: first.count > 0 ? first.since.seconds(to: view.fix.instant) : 0,
        need: configuration.initialSeconds))
  }

  private func clockNeeds(
    _ slot: RegionSlot, _ kind: RegionClock.Kind, _ way: RegionEvent.Reason, _ seconds: Double
  ) -> [RegionNeed] {
    guard let due = clocks.due(of: slot, kind), let now = lastFix?.instant else { return [] }
    return [
      RegionNeed(way: way, seconds: RegionNeed.Span(have: seconds - now.seconds(to: due), need: seconds))
    ]
  }

  /// The least value in a range from which on something holds, to a millionth of the range.
  private static func bisect(_ low: Double, _ high: Double, _ holds: (Double) -> Bool) -> Double {
    var (low, high) = (low, high)
    let width = (high - low) * 1e-6
    while high - low > width {
      let middle = 0.5 * (low + high)
      if holds(middle) { high = middle } else { low = middle }
    }
    return high
  }
}

extension RegionNeed {
  /// Allows for a region that is too small for the usual depth: a fix counts that misses its deepest place by so many
  /// standard deviations at most, if that place lies so many inside the edge at least.
  fileprivate mutating func allow(small view: RegionMonitor.View, missSigmas: Double, leastSigmas: Double) {
    guard let attainable = view.attainableMeters, let usual = beyondMeters else { return }
    let sigma = view.fix.sigmaMeters
    let depth = view.beyondMeters
    /// Whether a fix here of a standard deviation counts by this.
    func counts(_ sigma: Double) -> Bool {
      let attainable = view.attainableMeters(within: view.reachSigmas * sigma)
      return depth > 0 && attainable >= leastSigmas * sigma && depth >= attainable - missSigmas * sigma
    }
    // Whatever lies deeper than this is deep enough for the usual depth.
    let deepest = view.attainableMeters(within: abs(view.edgeMeters) + usual + missSigmas * sigma)
    let isCounted = counts(sigma)
    if isCounted || deepest >= leastSigmas * sigma {
      let enough = Swift.min(usual, Swift.max(0, deepest - missSigmas * sigma))
      beyondMeters = isCounted ? Swift.min(enough, depth) : enough
      lackingMeters = Swift.max(0, Swift.min(usual, enough) - depth)
      if isCounted { lackingMeters = 0 }
    }
    // The worst that such a region takes: where the fix counts by this or is too bad for it, or where one begins to that
    // is as bad as the usual depth allows.
    var worst = isCounted || sigma > attainable / leastSigmas ? sigma : depth * sigma / usual
    guard worst > 0, worst == sigma || counts(worst) else { return }
    for _ in 0..<32 where worst > 0 {
      worst = view.attainableMeters(within: view.reachSigmas * worst) / leastSigmas
    }
    // A hair less: at the limit itself rounding decides.
    guard worst > 0, counts(worst * (1 - 1e-9)) else { return }
    radiusMeters = Swift.max(radiusMeters ?? 0, view.radius(ofSigma: worst))
  }
}

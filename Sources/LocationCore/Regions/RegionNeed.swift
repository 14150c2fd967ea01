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

  /// What is allowed for a region that is too small for the usual depth: a fix counts that misses its deepest place by
  /// so many standard deviations at most, if that place lies so many inside the edge at least.
  struct Allowance {
    var missSigmas: Double
    var leastSigmas: Double
  }

  /// The last fix as seen from one region.
  struct View {
    var shape: ShapeGeometry
    var fix: RegionFix
    var edgeMeters: Double
    /// The state of the region.
    var isInside: Bool
    /// Standard deviations within which a fix may stand for another place.
    var reachSigmas: Double

    /// Metres beyond the edge, on the other side than the state.
    var beyondMeters: Double { isInside ? edgeMeters : -edgeMeters }

    /// Metres inside the edge of the deepest place that a fix here of a standard deviation may stand for.
    func attainableMeters(ofSigma sigmaMeters: Double) -> Double {
      attainableMeters(within: reachSigmas * sigmaMeters)
    }

    private func attainableMeters(within reachMeters: Double) -> Double {
      shape.attainableDepthMeters(at: fix.coordinate, edgeMeters: edgeMeters, reachMeters: reachMeters)
    }

    /// Metres beyond the edge from which a fix counts: the usual ones, or what is allowed.
    func enoughMeters(_ usual: Double, _ small: Allowance?) -> Double {
      guard let small, !isInside else { return usual }
      let sigma = fix.sigmaMeters
      // Whatever lies deeper than this is deep enough for the usual depth.
      let deepest = attainableMeters(within: abs(edgeMeters) + usual + small.missSigmas * sigma)
      let isCounted = counts(sigma, small)
      guard isCounted || deepest >= small.leastSigmas * sigma else { return usual }
      let enough = Swift.min(usual, Swift.max(0, deepest - small.missSigmas * sigma))
      return isCounted ? Swift.min(enough, beyondMeters) : enough
    }

    /// Whether a fix here of a standard deviation counts by what is allowed.
    private func counts(_ sigmaMeters: Double, _ small: Allowance) -> Bool {
      let attainable = attainableMeters(ofSigma: sigmaMeters)
      return beyondMeters > 0 && attainable >= small.leastSigmas * sigmaMeters
        && beyondMeters >= attainable - small.missSigmas * sigmaMeters
    }

    /// The 68 % radius of the fix with another standard deviation, metres.
    func radius(ofSigma sigmaMeters: Double) -> Double {
      fix.accuracy.radiusMeters * sigmaMeters / fix.sigmaMeters
    }

    /// The largest 68 % radius with which the fix lies so many standard deviations beyond the edge, or counts by what is
    /// allowed; nil where none.
    func radius(atSigmas sigmas: Double, _ small: Allowance? = nil) -> Double? {
      guard beyondMeters > 0 else { return nil }
      guard sigmas > 0 else { return fix.accuracy.radiusMeters }
      let usual = beyondMeters / sigmas
      let worst = small.flatMap { isInside ? nil : worstSigma(from: usual, $0) } ?? usual
      return radius(ofSigma: Swift.max(usual, worst))
    }

    /// The largest standard deviation that counts by what is allowed: where the fix counts by that or is too bad for it,
    /// or where one begins to that is as bad as the usual depth allows. nil where none.
    private func worstSigma(from usual: Double, _ small: Allowance) -> Double? {
      let sigma = fix.sigmaMeters
      let isNear = counts(sigma, small) || sigma > attainableMeters(ofSigma: sigma) / small.leastSigmas
      guard isNear || counts(usual, small) else { return nil }
      var worst = isNear ? sigma : usual
      for _ in 0..<32 where worst > 0 { worst = attainableMeters(ofSigma: worst) / small.leastSigmas }
      // A hair less: at the limit itself rounding decides.
      return worst > 0 && counts(worst * (1 - 1e-9), small) ? worst : nil
    }
  }

  func view(of slot: RegionSlot, _ fix: RegionFix) -> View {
    let shape = catalog[slot].shape
    return View(
      shape: shape, fix: fix, edgeMeters: shape.edgeMeters(at: fix.coordinate),
      isInside: evidence.state(of: slot) == .inside, reachSigmas: configuration.attainableReachSigmas)
  }

  /// Metres beyond the edge from which a fix is confident evidence against the state.
  func heldMeters(_ view: View, _ against: Counterevidence?) -> Double {
    view.enoughMeters(heldSigmas(against) * view.fix.sigmaMeters, heldAllowance(against))
  }

  private func heldSigmas(_ against: Counterevidence?) -> Double {
    configuration.heldSigmas * configuration.guardedFactor(against?.flapCount ?? 0)
  }

  private func heldAllowance(_ against: Counterevidence?) -> Allowance? {
    guard let against, against.wasFar else { return nil }
    return Allowance(
      missSigmas: configuration.smallHeldMissSigmas, leastSigmas: Accuracy.sigmasIn68Percent)
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

  private func heldNeed(_ view: View, _ against: Counterevidence) -> RegionNeed {
    var need = placeNeed(
      .held, view, beyondMeters: heldMeters(view, against),
      view.radius(atSigmas: heldSigmas(against), heldAllowance(against)))
    let isRunning = against.heldRun > 0
    need.fixes = RegionNeed.Tally(have: isRunning ? Int(against.heldRun) : 0, need: 2)
    need.seconds = RegionNeed.Span(
      have: isRunning ? against.heldSince.seconds(to: against.heldLast) : 0, need: configuration.heldSeconds)
    return need
  }

  private func settledNeed(_ view: View, _ against: Counterevidence) -> RegionNeed {
    let sigmas = configuration.settledSigmas * configuration.guardedFactor(against.flapCount)
    let small = Allowance(
      missSigmas: configuration.smallSettledMissSigmas,
      leastSigmas: configuration.smallSettledLeastSigmas + configuration.smallSettledMissSigmas)
    return placeNeed(
      .settled, view, beyondMeters: view.enoughMeters(sigmas * view.fix.sigmaMeters, small),
      view.radius(atSigmas: sigmas, small))
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

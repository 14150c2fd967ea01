/// What one device knows of one region: where it is held to be, and what speaks against that.
///
/// All that is here follows from the fixes alone, not from when the monitor chose to look.
enum RegionEvidence: Hashable, Sendable {
  /// Too little has been seen to tell.
  case unknown(FirstFixes)
  /// Outside, after so many visits.
  case outside(Counterevidence, visits: Int32)
  /// Inside.
  case inside(Counterevidence, RegionVisit)
  /// Outside again, but the exit is held back: the visit may go on.
  case departed(Counterevidence, RegionVisit)

  /// Where the evidence says the position is. While an exit is held back, a region's owner is still told inside.
  @inline(__always) var state: RegionState {
    switch self {
    case .unknown: .unknown
    case .outside, .departed: .outside
    case .inside: .inside
    }
  }

  /// Visits so far.
  var visits: Int32 {
    switch self {
    case .unknown: 0
    case .outside(_, let visits): visits
    case .inside(_, let visit), .departed(_, let visit): visit.number
    }
  }

  /// What speaks against a known state.
  var against: Counterevidence? {
    switch self {
    case .unknown: nil
    case .outside(let against, _), .inside(let against, _), .departed(let against, _): against
    }
  }

  /// The visit that goes on, or may go on.
  var visit: RegionVisit? {
    get {
      switch self {
      case .unknown, .outside: nil
      case .inside(_, let visit), .departed(_, let visit): visit
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .unknown, .outside: break
      case .inside(let against, _): self = .inside(against, newValue)
      case .departed(let against, _): self = .departed(against, newValue)
      }
    }
  }
}

/// A visit to a region.
struct RegionVisit: Hashable, Sendable, Codable {
  /// Counted from 1 for each region.
  var number: Int32
  /// When it began.
  var enteredAt: EngineInstant
  /// Whether the dwell time ran out while evidence of leaving was pending.
  var dwellIsOverdue = false
  /// Whether the dwell was reported; nil only in a snapshot of an earlier version.
  var dwellIsReported: Bool?
}

/// The fixes seen while a state is unknown.
struct FirstFixes: Hashable, Sendable, Codable {
  /// How many; saturates.
  var count: UInt8 = 0
  /// When the first was.
  var since = EngineInstant.distantPast
  /// The mean of the probabilities that they give for being inside.
  var meanProbability = 0.0
}

/// What speaks against a known state.
struct Counterevidence: Hashable, Sendable, Codable {
  /// Whether the region was left behind since its last transition.
  var wasFar = false
  /// Fixes in a row that lie far on the side of the state.
  var farRun: UInt8 = 0
  /// Transitions since the region was last left behind, the first after that excepted; saturates.
  var flapCount: UInt8 = 0
  /// Clear fixes against the state in a row; saturates.
  var clearRun: UInt8 = 0
  /// Confident fixes against the state in a row; saturates.
  var heldRun: UInt8 = 0
  /// Running mean of the evidence, standard deviations beyond the edge.
  var settledMean: Double
  /// When the clear fixes began.
  var clearSince = EngineInstant.distantPast
  /// When the confident fixes began.
  var heldSince = EngineInstant.distantPast
  /// When the last confident fix was.
  var heldLast = EngineInstant.distantPast
  /// When the evidence was last updated.
  var updatedAt: EngineInstant
  /// Standard deviation of the last confident fix, metres.
  var heldSigmaMeters = 0.0
}

extension Counterevidence {
  /// None, at a fix that found the state or changed it.
  init(at instant: EngineInstant, by rule: RegionConfiguration) {
    self.init(settledMean: -rule.settledSigmas, updatedAt: instant)
  }

  /// That of a region that was left behind; the plain rule leaves none behind.
  static func atRest(since instant: EngineInstant, by rule: RegionConfiguration) -> Counterevidence {
    var against = Counterevidence(at: instant, by: rule)
    against.wasFar = rule.rule != .plain
    return against
  }
}

/// One fix as seen from one region.
struct RegionProbe {
  /// When.
  var instant: EngineInstant
  /// Metres to the edge, positive outside.
  var edgeMeters: Double
  /// Standard deviation of the fix along one axis, metres, corrected for what the receiver understates.
  var sigmaMeters: Double
  /// Metres inside the edge of the deepest place around that the fix may stand for; infinite where it does not
  /// matter.
  var attainableMeters: Double

  /// Standard deviations by which the fix lies beyond the edge, on the other side than a state.
  @inline(__always) func sigmasBeyond(inside isInside: Bool) -> Double {
    (isInside ? edgeMeters : -edgeMeters) / sigmaMeters
  }
}

// MARK: - Updating

extension RegionEvidence {
  /// Whether it matters how deep the region is around a fix.
  @inline(__always)
  func asksAttainable(_ probe: RegionProbe, by rule: RegionConfiguration) -> Bool {
    switch self {
    case .inside: return false
    case .outside, .departed:
      let depth = -probe.edgeMeters / probe.sigmaMeters
      return depth > 0 && depth < Swift.max(rule.heldSigmas, rule.settledSigmas) * rule.guardLimit
    case .unknown(let first):
      // Only where the fixes leave it open, and far enough from the edge they do not.
      return first.count > 0 && abs(probe.edgeMeters) < rule.farSigmas * probe.sigmaMeters
        && first.since.seconds(to: probe.instant) >= rule.initialSeconds
    }
  }

  /// The depth, in metres, from which on it does not matter how deep the region is around a fix.
  ///
  /// Of a wide region the limits of a small one are beyond what this fix is evidence for, or beyond the
  /// usual ones.
  func enoughMeters(_ probe: RegionProbe, by rule: RegionConfiguration) -> Double {
    let certain = Accuracy.sigmasIn68Percent + Self.roundingSigmas
    guard let against, state == .outside else { return certain * probe.sigmaMeters }
    let depth = -probe.edgeMeters / probe.sigmaMeters
    let guarded = rule.guardedFactor(against.flapCount)
    let held = Swift.min(rule.heldSigmas * guarded, depth) + rule.smallHeldMissSigmas
    let mean = Swift.max(against.settledMean, depth)
    let settled = Swift.min(rule.settledSigmas * guarded, mean) + rule.smallSettledMissSigmas
    return (Swift.max(held, settled, certain) + Self.roundingSigmas) * probe.sigmaMeters
  }

  /// More than rounding may add to a number of standard deviations.
  private static let roundingSigmas = 1e-6

  /// Updates the evidence against a known state; the reason for which the state must change, or nil where it stays.
  @inline(__always)
  mutating func update(_ probe: RegionProbe, by rule: RegionConfiguration) -> RegionEvent.Reason? {
    switch self {
    case .unknown: return nil
    case .outside(var against, let visits):
      let reason = against.update(probe, inside: false, by: rule)
      self = .outside(against, visits: visits)
      return reason
    case .inside(var against, let visit):
      let reason = against.update(probe, inside: true, by: rule)
      self = .inside(against, visit)
      return reason
    case .departed(var against, let visit):
      let reason = against.update(probe, inside: false, by: rule)
      self = .departed(against, visit)
      return reason
    }
  }

  /// Whether nothing is pending any more, so that the region needs no probe until the next fix beyond its edge.
  @inline(__always)
  mutating func comesToRest(_ probe: RegionProbe, by rule: RegionConfiguration) -> Bool {
    switch self {
    case .unknown: return false
    case .outside(var against, let visits):
      guard against.comesToRest(probe, inside: false, by: rule) else { return false }
      self = .outside(against, visits: visits)
    case .inside(var against, let visit):
      guard !visit.dwellIsOverdue, against.comesToRest(probe, inside: true, by: rule) else { return false }
      self = .inside(against, visit)
    case .departed(var against, let visit):
      guard !visit.dwellIsOverdue, against.comesToRest(probe, inside: false, by: rule) else { return false }
      self = .departed(against, visit)
    }
    return true
  }

  /// After a gap no run goes on.
  mutating func noteGap() {
    switch self {
    case .unknown(var first):
      first.count = 0
      self = .unknown(first)
    case .outside(var against, let visits):
      against.endRuns()
      self = .outside(against, visits: visits)
    case .inside(var against, let visit):
      against.endRuns()
      self = .inside(against, visit)
    case .departed(var against, let visit):
      against.endRuns()
      self = .departed(against, visit)
    }
  }
}

extension FirstFixes {
  /// Counts a fix; the state once it is known.
  mutating func update(
    _ probe: RegionProbe, probabilityInside: Double, by rule: RegionConfiguration
  ) -> RegionState? {
    if count == 0 {
      since = probe.instant
      meanProbability = 0
    }
    count = Swift.min(count, 200) + 1
    meanProbability += (probabilityInside - meanProbability) / Double(count)
    if probabilityInside >= rule.initialProbability { return .inside }
    if probabilityInside <= 1 - rule.initialProbability { return .outside }
    guard Int(count) >= rule.initialCount, since.seconds(to: probe.instant) >= rule.initialSeconds else {
      return nil
    }
    // Too small a region for such fixes: they can tell that they are far from it, no more.
    if probe.attainableMeters < Accuracy.sigmasIn68Percent * probe.sigmaMeters { return nil }
    return meanProbability > 0.5 ? .inside : .outside
  }
}

extension Counterevidence {
  /// None, at the fix that found the state.
  init(finding probe: RegionProbe, by rule: RegionConfiguration) {
    self.init(at: probe.instant, by: rule)
    if abs(probe.edgeMeters) >= rule.farSigmas * probe.sigmaMeters { leaveBehind() }
  }

  /// Counts a fix; the reason for which the state must change, or nil where it stays.
  @inline(__always)
  mutating func update(
    _ probe: RegionProbe, inside isInside: Bool, by rule: RegionConfiguration
  ) -> RegionEvent.Reason? {
    let beyond = probe.sigmasBeyond(inside: isInside)
    let guarded = rule.guardedFactor(flapCount)
    var held = rule.heldSigmas * guarded
    var settled = rule.settledSigmas * guarded
    if !isInside {
      // A device that was far away enters a small region at the first plausible fixes; one that was always near has
      // to stay.
      if wasFar { held = Swift.min(held, rule.smallHeldSigmas(probe)) }
      settled = Swift.min(settled, rule.smallSettledSigmas(probe))
    }
    noteFar(beyond, far: rule.farSigmas, count: rule.farCount)
    noteClear(beyond >= rule.clearSigmas * guarded, probe)
    noteHeld(beyond >= held, beyond, probe)
    noteMean(beyond, probe, rule)
    updatedAt = probe.instant
    if clearRun >= rule.clearCount, clearSince.seconds(to: probe.instant) >= rule.clearSeconds {
      return .clear
    }
    if isHeld(probe, rule) { return .held }
    if settledMean >= settled, beyond > 0 { return .settled }
    return nil
  }

  /// Whether this fix is confident, and confident fixes have held for long enough.
  ///
  /// At 1 Hz these are 21 fixes; two are enough when fixes come so seldom that the second is past that time.
  private func isHeld(_ probe: RegionProbe, _ rule: RegionConfiguration) -> Bool {
    guard heldRun >= 2, heldLast == probe.instant else { return false }
    return heldSince.seconds(to: probe.instant) >= rule.heldSeconds
  }

  /// Remembers that the position went far to the side of the state.
  private mutating func noteFar(_ beyond: Double, far: Double, count: Int) {
    guard !wasFar || flapCount > 0 else { return }
    farRun = beyond <= -far ? farRun &+ 1 : 0
    if farRun >= count { leaveBehind() }
  }

  /// The next transition starts afresh.
  mutating func leaveBehind() {
    wasFar = true
    flapCount = 0
    farRun = 0
  }

  private mutating func noteClear(_ isClear: Bool, _ probe: RegionProbe) {
    if isClear {
      if clearRun == 0 { clearSince = probe.instant }
      clearRun = Swift.min(clearRun, 200) + 1
    } else {
      clearRun = 0
    }
  }

  private mutating func noteHeld(_ isConfident: Bool, _ beyond: Double, _ probe: RegionProbe) {
    if isConfident {
      if heldRun == 0 { heldSince = probe.instant }
      heldRun = Swift.min(heldRun, 200) + 1
      heldLast = probe.instant
      heldSigmaMeters = probe.sigmaMeters
    } else if heldRun > 0, !isMute(beyond, probe) {
      heldRun = 0
    }
  }

  /// Whether a fix is so much worse than the confident ones, and so little against them, that it says nothing.
  private func isMute(_ beyond: Double, _ probe: RegionProbe) -> Bool {
    probe.sigmaMeters >= 2 * heldSigmaMeters && beyond > -1
  }

  private mutating func noteMean(_ beyond: Double, _ probe: RegionProbe, _ rule: RegionConfiguration) {
    let floor = -rule.settledSigmas
    guard settledMean > floor || beyond > 0 else { return }
    let bounded = Swift.max(floor, Swift.min(RegionConfiguration.mostEvidenceSigmas, beyond))
    // A long silence is no evidence: one fix counts for a minute at most.
    let elapsed = Swift.min(Self.longestSeconds, Swift.max(0, updatedAt.seconds(to: probe.instant)))
    settledMean += (bounded - settledMean) * Swift.min(1, elapsed / rule.settledSeconds)
  }

  /// Seconds after which it does not matter how long ago the evidence was updated.
  static let longestSeconds = 60.0

  @inline(__always)
  mutating func comesToRest(
    _ probe: RegionProbe, inside isInside: Bool, by rule: RegionConfiguration
  ) -> Bool {
    let beyond = probe.sigmasBeyond(inside: isInside)
    guard wasFar, flapCount == 0, clearRun == 0, heldRun == 0, beyond <= 0 else { return false }
    let floor = -rule.settledSigmas
    guard beyond <= -rule.heldSigmas || settledMean < 0.9 * floor else { return false }
    settledMean = floor
    return true
  }

  /// What is left of the evidence once the state has changed.
  mutating func noteTransition(by rule: RegionConfiguration) {
    if !wasFar { flapCount = Swift.min(flapCount, 200) + 1 }
    wasFar = false
    endRuns()
    settledMean = -rule.settledSigmas
  }

  mutating func endRuns() {
    farRun = 0
    clearRun = 0
    heldRun = 0
  }
}

extension RegionConfiguration {
  /// Standard deviations beyond the edge that one fix counts for at most, in the average of them.
  static let mostEvidenceSigmas = 6.0

  /// Standard deviations from the edge beyond which it is all the same how far away a fix is, once the state is known.
  var decidedSigmas: Double {
    let guarded = Swift.max(clearSigmas, heldSigmas, settledSigmas) * Swift.max(1, guardLimit)
    return Swift.max(farSigmas, guarded, Self.mostEvidenceSigmas)
  }

  /// The factor on all thresholds after so many transitions on the spot.
  @inline(__always) func guardedFactor(_ flapCount: UInt8) -> Double {
    switch flapCount {
    case 0: 1
    case 1: Swift.min(guardFactor, guardLimit)
    case 2...: Swift.min(guardFactor * guardFactor, guardLimit)
    default: 1
    }
  }

  /// The depth, in standard deviations, from which a fix is confident evidence for a small region; infinite
  /// where the fix's 68 % radius is larger than the region.
  @inline(__always) func smallHeldSigmas(_ probe: RegionProbe) -> Double {
    let attainable = probe.attainableMeters / probe.sigmaMeters
    return attainable < Accuracy.sigmasIn68Percent
      ? .infinity : Swift.max(0, attainable - smallHeldMissSigmas)
  }

  /// The mean depth, in standard deviations, that settles for a small region; infinite where the region is
  /// too small to tell its middle from its edge.
  @inline(__always) func smallSettledSigmas(_ probe: RegionProbe) -> Double {
    let settled = probe.attainableMeters / probe.sigmaMeters - smallSettledMissSigmas
    return settled < smallSettledLeastSigmas ? .infinity : settled
  }
}

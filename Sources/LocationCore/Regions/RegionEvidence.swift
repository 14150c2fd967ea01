/// What a monitor remembers of one region: its state, and the evidence against it.
///
/// All that is here follows from the fixes alone, not from when the monitor chose to look.
struct RegionEvidence: Hashable, Sendable, Codable {
  /// Where the position is held to be.
  var state = RegionState.unknown
  /// Whether each fix must be weighed: evidence is pending, or the region was not yet left behind.
  var isActive = true
  /// Whether the region was left behind since its last transition.
  var wasFar = false
  /// Fixes in a row that lie far on the side of the state.
  var farRun: UInt8 = 0
  /// Transitions since the region was last left behind, the first after that excepted.
  var restlessness: UInt8 = 0
  /// Clear fixes against the state in a row; saturates.
  var clearRun: UInt8 = 0
  /// Confident fixes against the state in a row; while unknown, fixes seen. Saturates.
  var heldRun: UInt8 = 0
  /// Whether the dwell time ran out while evidence of leaving was pending.
  var dwellIsOverdue = false
  /// Visits so far.
  var visit: Int32 = 0
  /// Running mean of the evidence, standard deviations beyond the edge; while unknown, the mean probability
  /// of being inside.
  var settledMean = 0.0
  /// When the current visit began.
  var enteredAt = EngineInstant.distantPast
  /// When the clear fixes began.
  var clearSince = EngineInstant.distantPast
  /// When the confident fixes began; while unknown, the first fix.
  var heldSince = EngineInstant.distantPast
  /// When the last confident fix was.
  var heldLast = EngineInstant.distantPast
  /// When the last weighed fix was.
  var weighedLast = EngineInstant.distantPast
  /// Standard deviation of the last confident fix, metres.
  var heldSigmaMeters = 0.0
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
}

extension RegionEvidence {
  /// Whether it matters how deep the region is around a fix.
  @inline(__always)
  func asksAttainable(_ look: RegionProbe, by rule: RegionConfiguration) -> Bool {
    switch state {
    case .inside: return false
    case .outside:
      let depth = -look.edgeMeters / look.sigmaMeters
      return depth > 0 && depth < Swift.max(rule.heldSigmas, rule.settledSigmas) * rule.guardLimit
    case .unknown:
      // Only where the fixes leave it open, and far enough from the edge they do not.
      return heldRun > 0 && abs(look.edgeMeters) < rule.farSigmas * look.sigmaMeters
        && heldSince.seconds(to: look.instant) >= rule.initialSeconds
    }
  }

  /// The depth, in metres, from which on it does not matter how deep the region is around a fix.
  ///
  /// Of a wide region the limits of a small one are beyond what this fix is evidence for, or beyond the
  /// usual ones.
  func enoughMeters(_ look: RegionProbe, by rule: RegionConfiguration) -> Double {
    let certain = Accuracy.sigmasIn68Percent + Self.roundingSigmas
    guard state == .outside else { return certain * look.sigmaMeters }
    let depth = -look.edgeMeters / look.sigmaMeters
    let guarded = rule.guardedFactor(restlessness)
    let held = Swift.min(rule.heldSigmas * guarded, depth) + rule.smallHeldMissSigmas
    let mean = Swift.max(settledMean, depth)
    let settled = Swift.min(rule.settledSigmas * guarded, mean) + rule.smallSettledMissSigmas
    return (Swift.max(held, settled, certain) + Self.roundingSigmas) * look.sigmaMeters
  }

  /// More than rounding may add to a number of standard deviations.
  private static let roundingSigmas = 1e-6

  /// Weighs a fix against a known state; tells why the state must change, or nil where it stays.
  @inline(__always)
  mutating func weigh(_ look: RegionProbe, by rule: RegionConfiguration) -> RegionEvent.Reason? {
    let beyond = (state == .inside ? look.edgeMeters : -look.edgeMeters) / look.sigmaMeters
    let guarded = rule.guardedFactor(restlessness)
    var held = rule.heldSigmas * guarded
    var settled = rule.settledSigmas * guarded
    if state == .outside {
      // Who came from afar enters a small region as soon as he can be in it; who was always near, in time.
      if wasFar { held = Swift.min(held, rule.smallHeldSigmas(look)) }
      settled = Swift.min(settled, rule.smallSettledSigmas(look))
    }
    note(beyond, far: rule.farSigmas, count: rule.farCount)
    noteClear(beyond >= rule.clearSigmas * guarded, look)
    noteHeld(beyond >= held, beyond, look)
    noteMean(beyond, look, rule)
    weighedLast = look.instant
    if clearRun >= rule.clearCount, clearSince.seconds(to: look.instant) >= rule.clearSeconds {
      return .clear
    }
    if isHeld(look, rule) { return .held }
    if settledMean >= settled, beyond > 0 { return .settled }
    return nil
  }

  /// Whether this fix is confident, and confident fixes have held for long enough.
  ///
  /// At 1 Hz these are 21 fixes; two are enough when fixes come so seldom that the second is past that time.
  private func isHeld(_ look: RegionProbe, _ rule: RegionConfiguration) -> Bool {
    guard heldRun >= 2, heldLast == look.instant else { return false }
    return heldSince.seconds(to: look.instant) >= rule.heldSeconds
  }

  /// Remembers that the position went far to the side of the state.
  private mutating func note(_ beyond: Double, far: Double, count: Int) {
    guard !wasFar || restlessness > 0 else { return }
    farRun = beyond <= -far ? farRun &+ 1 : 0
    if farRun >= count { leaveBehind() }
  }

  /// The next transition starts afresh.
  mutating func leaveBehind() {
    wasFar = true
    restlessness = 0
    farRun = 0
  }

  private mutating func noteClear(_ isClear: Bool, _ look: RegionProbe) {
    if isClear {
      if clearRun == 0 { clearSince = look.instant }
      clearRun = Swift.min(clearRun, 200) + 1
    } else {
      clearRun = 0
    }
  }

  private mutating func noteHeld(_ isConfident: Bool, _ beyond: Double, _ look: RegionProbe) {
    if isConfident {
      if heldRun == 0 { heldSince = look.instant }
      heldRun = Swift.min(heldRun, 200) + 1
      heldLast = look.instant
      heldSigmaMeters = look.sigmaMeters
    } else if heldRun > 0, !isMute(beyond, look) {
      heldRun = 0
    }
  }

  /// Whether a fix is so much worse than the confident ones, and so little against them, that it says nothing.
  private func isMute(_ beyond: Double, _ look: RegionProbe) -> Bool {
    look.sigmaMeters >= 2 * heldSigmaMeters && beyond > -1
  }

  private mutating func noteMean(_ beyond: Double, _ look: RegionProbe, _ rule: RegionConfiguration) {
    let floor = -rule.settledSigmas
    guard settledMean > floor || beyond > 0 else { return }
    let bounded = Swift.max(floor, Swift.min(RegionConfiguration.mostEvidenceSigmas, beyond))
    // A long silence is no evidence: one fix weighs as a minute at most.
    let elapsed = Swift.min(60, Swift.max(0, weighedLast.seconds(to: look.instant)))
    settledMean += (bounded - settledMean) * Swift.min(1, elapsed / rule.settledSeconds)
  }

  /// Whether nothing is pending any more, so that the region needs no look until the next fix beyond its edge.
  @inline(__always)
  mutating func comesToRest(_ look: RegionProbe, by rule: RegionConfiguration) -> Bool {
    let beyond = (state == .inside ? look.edgeMeters : -look.edgeMeters) / look.sigmaMeters
    guard wasFar, restlessness == 0, clearRun == 0, heldRun == 0, beyond <= 0, !dwellIsOverdue else {
      return false
    }
    let floor = -rule.settledSigmas
    guard beyond <= -rule.heldSigmas || settledMean < 0.9 * floor else { return false }
    settledMean = floor
    return true
  }

  /// Takes the other state.
  mutating func turn(by rule: RegionConfiguration) {
    state = state == .inside ? .outside : .inside
    if !wasFar { restlessness = Swift.min(restlessness, 200) + 1 }
    wasFar = false
    rest(by: rule)
  }

  /// Forgets all pending evidence.
  private mutating func rest(by rule: RegionConfiguration) {
    farRun = 0
    clearRun = 0
    heldRun = 0
    settledMean = -rule.settledSigmas
  }

  /// After a gap no run goes on.
  mutating func noteGap() {
    farRun = 0
    clearRun = 0
    heldRun = 0
  }

  /// Weighs a fix while the state is unknown; tells the state once it is known.
  mutating func weighFirst(
    _ look: RegionProbe, probabilityInside: Double, by rule: RegionConfiguration
  ) -> RegionState? {
    if heldRun == 0 {
      heldSince = look.instant
      settledMean = 0
    }
    heldRun = Swift.min(heldRun, 200) + 1
    settledMean += (probabilityInside - settledMean) / Double(heldRun)
    guard let found = firstState(look, probabilityInside, rule) else { return nil }
    state = found
    rest(by: rule)
    wasFar = false
    weighedLast = look.instant
    if abs(look.edgeMeters) >= rule.farSigmas * look.sigmaMeters { leaveBehind() }
    return found
  }

  private func firstState(
    _ look: RegionProbe, _ probabilityInside: Double, _ rule: RegionConfiguration
  ) -> RegionState? {
    if probabilityInside >= rule.initialProbability { return .inside }
    if probabilityInside <= 1 - rule.initialProbability { return .outside }
    guard heldRun >= rule.initialCount, heldSince.seconds(to: look.instant) >= rule.initialSeconds else {
      return nil
    }
    // Too small a region for such fixes: they can tell that they are far from it, no more.
    if look.attainableMeters < Accuracy.sigmasIn68Percent * look.sigmaMeters { return nil }
    return settledMean > 0.5 ? .inside : .outside
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
  @inline(__always) func guardedFactor(_ restlessness: UInt8) -> Double {
    switch restlessness {
    case 0: 1
    case 1: Swift.min(guardFactor, guardLimit)
    case 2...: Swift.min(guardFactor * guardFactor, guardLimit)
    default: 1
    }
  }

  /// The depth, in standard deviations, from which a fix is confident evidence for a small region; infinite
  /// where the fix's 68 % radius is larger than the region.
  @inline(__always) func smallHeldSigmas(_ look: RegionProbe) -> Double {
    let attainable = look.attainableMeters / look.sigmaMeters
    return attainable < Accuracy.sigmasIn68Percent
      ? .infinity : Swift.max(0, attainable - smallHeldMissSigmas)
  }

  /// The mean depth, in standard deviations, that settles for a small region; infinite where the region is
  /// too small to tell its middle from its edge.
  @inline(__always) func smallSettledSigmas(_ look: RegionProbe) -> Double {
    let settled = look.attainableMeters / look.sigmaMeters - smallSettledMissSigmas
    return settled < smallSettledLeastSigmas ? .infinity : settled
  }
}

/// Asks the receiver for a fix only when something could have changed.
///
/// After each fix it knows the earliest time at which a service could have something to tell, and lets the receiver
/// rest until a little before:
///
/// - *regions outside*: the way to the nearest edge at the highest speed, and then as long as a visit may go unseen;
/// - *regions inside*: the same on the way out; where nobody says how much may be missed, a machine that rests is looked
///   at less and less often;
/// - *significant changes*: the time is closed until five minutes after the last one; then the distance that is left,
///   at half again the present speed; at rest as above;
/// - *pending evidence*: the receiver stays on until a region's state is decided; a fix in doubt is looked at again soon;
/// - *no sky*: a search is given up, and the pauses between two grow.
///
/// **The promise** holds while the machine is no faster than `maxSpeedMetersPerSecond` and the receiver finds a fix in
/// the expected time. A visit to a region is then never missed if it lasts longer than the region's latency and the
/// machine was outside for as long before. The same holds for an absence. Each is told before the latency is over. For
/// absences after a rest a tenth is added to the latency; for absences from a region that has none of its own, the
/// longer of `latencySeconds` and `restSeconds` takes its place.
///
/// In low-power mode a machine is looked at as if it rested, however it moves: no more often than every `restSeconds`,
/// but for regions that may be entered, dwell times and pending evidence. The promise is the same; exits and significant
/// changes are told later.
///
/// Pauses so short that switching off saves nothing are not taken: the receiver stays on, and is booked so.
struct SamplingPlan: Hashable, Sendable, Codable {
  /// What the receiver does.
  private(set) var isOn = true
  /// When the receiver is to be switched on, or the search is given up; nil where neither.
  private(set) var nextDeadline: EngineInstant?
  private(set) var reason = ReceiverOrder.Reason.needed
  private var rest = RestAnchor()
  /// When the receiver was switched on last.
  private var onSince: EngineInstant?
  /// When the last planned pause was over; nil where none was, or before that was kept.
  private var pauseEnd: EngineInstant?
  /// The first fix since then.
  private var firstFix: EngineInstant?
  private var lastFix: EngineInstant?
  /// Seconds from the order to the fix, as last seen; falls slowly.
  private var leadSeconds = 0.0
  /// Seconds between fixes while the receiver is on, as last seen.
  private var intervalSeconds = 1.0
  /// Seconds until the next look at a machine at rest.
  private var restPauseSeconds = 0.0
  /// Searches in a row without a fix.
  private var failures = 0
  /// Seconds until the next look while fixes are in doubt.
  private var doubtPauseSeconds = 0.0

  /// Seconds after which pending evidence no longer keeps the receiver on: three times what it takes to hold.
  private static let evidenceLimitSeconds = 60.0
  /// Seconds until the next look at a fix in doubt, doubled with each further one.
  private static let doubtSeconds = 15.0
  /// The share of its latency by which a region's exit may be told later by a machine that was at rest: enough that a
  /// rest costs less than a clock of that period would.
  private static let restAllowance = 0.1
  /// By how much the pause of a machine at rest grows.
  private static let restGrowth = 1.5
  /// How much faster than at present the machine may become before the next fix, where nothing is promised.
  private static let speedReserve = 1.5
  /// Metres a second that a machine is never taken to be slower than: a brisk walk.
  private static let leastSpeed = 2.0
  /// A significant change may be told so many seconds late.
  private static let movedSlackSeconds = 30.0
  /// How much of the longest lead seen is kept with each further one.
  private static let leadMemory = 0.8
}

// MARK: - What happens

extension SamplingPlan {
  /// Takes a fix; returns what the receiver is to do now, where that changes.
  mutating func take(_ fix: Fix, _ view: SamplingView, by configuration: SamplingConfiguration)
    -> ReceiverOrder?
  {
    note(fix, configuration)
    failures = 0
    guard isOn else { return nil }
    // A machine at rest near an edge would otherwise be checked forever.
    let isInDoubt = view.hasDoubt || view.isNearEdge && !rest.isResting && !view.isLowPower
    doubtPauseSeconds = isInDoubt ? Swift.max(Self.doubtSeconds, 2 * doubtPauseSeconds) : 0
    nextDeadline = fix.instant.advanced(bySeconds: configuration.searchSeconds)
    if holdsOn(fix, view, configuration) { return nil }
    return pause(after: fix.instant, at: fix.instant, view, configuration)
  }

  /// Takes note that what the services need may have changed; the view is that of the last fix.
  mutating func revise(
    _ view: SamplingView, lastFix: EngineInstant?, at instant: EngineInstant,
    by configuration: SamplingConfiguration
  ) -> ReceiverOrder? {
    guard !isOn else {
      return view.needsNone ? pause(after: lastFix ?? instant, at: instant, view, configuration) : nil
    }
    if view.needsEach { return switchOn(at: instant, .needed) }
    guard failures == 0, let lastFix else {
      return view.needsNone || nextDeadline != nil ? nil : switchOn(at: instant, .longest)
    }
    let (seconds, reason) = wait(view, configuration)
    let due = seconds.map { lastFix.advanced(bySeconds: $0) }
    guard due != nextDeadline || reason != self.reason else { return nil }
    if let due, due <= instant { return switchOn(at: Swift.min(instant, nextDeadline ?? instant), reason) }
    nextDeadline = due
    self.reason = reason
    return .off(seconds: due.map { instant.seconds(to: $0) }, reason)
  }

  /// Takes note that the receiver was switched on: a search begins. Until that is told, none is given up.
  mutating func open(
    at instant: EngineInstant, timeToFixSeconds: Double, by configuration: SamplingConfiguration
  ) {
    isOn = true
    onSince = instant
    firstFix = nil
    // Where the sky was missing before, a search is given up sooner, but never before a fix could have come.
    let search = failures > 0 ? configuration.searchSeconds / 3 : configuration.searchSeconds
    let end = instant.advanced(bySeconds: Swift.max(search, 2 * timeToFixSeconds))
    nextDeadline = configuration.isDutyCycled ? end : nil
  }

  /// Takes note that nobody asks the receiver for a fix, as ordered or not: a search under way is over, not in vain.
  mutating func release() { if isOn { nextDeadline = nil } }

  /// Does what is due at an instant.
  mutating func fire(at instant: EngineInstant, by configuration: SamplingConfiguration) -> ReceiverOrder? {
    guard let due = nextDeadline, due <= instant else { return nil }
    guard isOn else { return switchOn(at: due, reason) }
    // This search belongs to earlier settings.
    guard configuration.isDutyCycled else {
      nextDeadline = nil
      return nil
    }
    failures += 1
    var seconds = configuration.retrySeconds
    for _ in 1..<Swift.min(failures, 16) { seconds *= 2 }
    seconds = Swift.min(seconds, configuration.retryLimitSeconds)
    return switchOff(at: due, until: due.advanced(bySeconds: seconds), .noSky)
  }

  private mutating func switchOn(at instant: EngineInstant, _ reason: ReceiverOrder.Reason) -> ReceiverOrder {
    isOn = true
    self.reason = reason
    onSince = instant
    pauseEnd = instant
    firstFix = nil
    nextDeadline = nil
    return .on(reason)
  }

  private mutating func switchOff(
    at instant: EngineInstant, until due: EngineInstant?, _ reason: ReceiverOrder.Reason
  ) -> ReceiverOrder {
    isOn = false
    self.reason = reason
    nextDeadline = due
    return .off(seconds: due.map { instant.seconds(to: $0) }, reason)
  }
}

// MARK: - What a fix tells

extension SamplingPlan {
  /// Seconds since an earlier fix in which the receiver was switched off on purpose. Time in which nobody was there to
  /// switch it on again is none of these.
  func pausedSeconds(since last: EngineInstant) -> Double {
    guard failures == 0, let pauseEnd, pauseEnd > last else { return 0 }
    return last.seconds(to: pauseEnd)
  }

  private mutating func note(_ fix: Fix, _ configuration: SamplingConfiguration) {
    guard isOn else { return }
    let isFirst = firstFix == nil
    if isFirst {
      firstFix = fix.instant
      if let onSince {
        leadSeconds = Swift.max(onSince.seconds(to: fix.instant), Self.leadMemory * leadSeconds)
      }
    } else if let lastFix {
      intervalSeconds = lastFix.seconds(to: fix.instant)
    }
    lastFix = fix.instant
    rest.note(fix)
    if !rest.isResting {
      restPauseSeconds = 0
    } else if isFirst {
      let next = Swift.max(configuration.latencySeconds, restPauseSeconds * Self.restGrowth)
      restPauseSeconds = Swift.min(configuration.restSeconds, next)
    }
  }

  /// Whether the receiver stays on after a fix.
  private func holdsOn(_ fix: Fix, _ view: SamplingView, _ configuration: SamplingConfiguration) -> Bool {
    if view.needsEach { return true }
    guard configuration.mode == .adaptive, view.hasEvidence, let firstFix else { return false }
    return firstFix.seconds(to: fix.instant) < Self.evidenceLimitSeconds
  }

  private mutating func pause(
    after fix: EngineInstant, at instant: EngineInstant, _ view: SamplingView,
    _ configuration: SamplingConfiguration
  ) -> ReceiverOrder? {
    let (seconds, reason) = wait(view, configuration)
    guard let seconds else { return switchOff(at: instant, until: nil, reason) }
    let due = fix.advanced(bySeconds: seconds)
    guard instant.seconds(to: due) > view.leastPauseSeconds else { return nil }
    return switchOff(at: instant, until: due, reason)
  }

  /// Seconds from a fix until the receiver is to be switched on for the next one, and why; nil seconds for never.
  private func wait(
    _ view: SamplingView, _ configuration: SamplingConfiguration
  ) -> (seconds: Double?, reason: ReceiverOrder.Reason) {
    if view.needsNone { return (nil, .unneeded) }
    if case .fixed(let period) = configuration.mode {
      return (period - Swift.min(leadSeconds, 0.5 * period), .period)
    }
    let evidence = Swift.max(view.evidenceSeconds, 2 * intervalSeconds)
    var least = (seconds: configuration.longestSeconds, reason: ReceiverOrder.Reason.longest)
    let restPause = view.isLowPower ? configuration.restSeconds : rest.isResting ? restPauseSeconds : 0
    let atRest: ReceiverOrder.Reason = view.isLowPower ? .lowPower : .rest
    /// - Parameter pause: what is looked at may wait for so long; nil where it may not wait.
    func consider(_ seconds: Double?, _ reason: ReceiverOrder.Reason, orAfter pause: Double? = nil) {
      guard let seconds else { return }
      if let pause, seconds < pause {
        if pause < least.seconds { least = (pause, atRest) }
      } else if seconds < least.seconds {
        least = (seconds, reason)
      }
    }
    consider(view.enterSeconds.map { $0 - evidence }, .enter)
    consider(view.dwellSeconds, .dwell)
    let later = rest.isResting ? Self.restAllowance * view.exitLatencySeconds : 0
    // A region's own latency holds at rest too; not so in low-power mode.
    consider(
      view.exitSeconds.map { $0 - evidence + later }, .exit, orAfter: view.isLowPower ? restPause : nil)
    consider(view.laxExitSeconds.map { $0 - evidence }, .exit, orAfter: restPause)
    if view.needsMoves {
      let speed = Swift.min(
        configuration.maxSpeedMetersPerSecond,
        Swift.max(Self.leastSpeed, Self.speedReserve * rest.speedMetersPerSecond))
      func seconds(_ move: SamplingView.Move) -> Double {
        Swift.max(move.closedSeconds, move.remainingMeters / speed)
      }
      let moved = view.ownMoves.reduce(seconds(view.move)) { Swift.min($0, seconds($1)) }
      consider(Swift.max(moved, Self.movedSlackSeconds), .moved, orAfter: restPause)
    }
    if view.hasEvidence { consider(Self.evidenceLimitSeconds, .enter) }
    if doubtPauseSeconds > 0 { consider(doubtPauseSeconds, .doubt) }
    var seconds = least.seconds - Swift.max(leadSeconds, view.timeToFixSeconds)
    if seconds > view.hotSeconds {
      seconds = Swift.max(view.hotSeconds, least.seconds - Swift.max(leadSeconds, view.laterTimeToFixSeconds))
    }
    return (Swift.max(0, seconds), least.reason)
  }
}

/// Rule B5: tells when the position arrives at a place and when it leaves it.
///
/// A fix belongs to the place where the position is when it lies within ``VisitConfiguration/radiusMeters`` of the
/// middle of the fixes there, or within so many of its own standard deviations. A stay becomes provisional after
/// three minutes and a visit after five; the visit is told once and dated back to the first fix. Several fixes in a row
/// outside end it; a lone one, whatever it claims, opens and closes nothing. Where the fixes at a place have drifted, as
/// on a walk there, only the younger half of them counts from then on.
///
/// **Silence.** Receivers that save energy are quiet where nothing moves. So silence confirms a provisional visit if
/// the fixes before it rested. After a silence the first fix decides:
///
/// - *at the place*: the visit goes on.
/// - *near*: a walk from the place, or a drive from 500 m on, takes less than half of the silence. The rest of the
///   silence was spent at the place. That dates the departure, and makes a visit of a stay whose silence is long
///   enough. If the fixes afterwards go on faster, the way is taken to be as fast.
/// - *further*, after more than half an hour: the visit is closed, and its departure is unknown.
///
/// No timer closes a visit: nobody knows yet whether it is over. Fixes that rest within 100 m of the place do not end a
/// visit, and after a silence no fixes within 100 m do.
///
/// **Coming back** within five minutes goes on with the visit before, under its number and with its arrival.
///
/// Each fix costs the same, whatever the configuration: the fixes of a place are kept as sums.
public struct VisitMonitor: Hashable, Sendable, Codable {
  /// What is known of the present place.
  public enum Stage: String, Hashable, Sendable, Codable {
    /// Not at a place for long enough to tell.
    case moving
    /// At a place, for a while.
    case provisional
    /// On a visit that has been told.
    case visiting
  }

  /// A visit that has been told.
  private struct Visit: Hashable, Sendable, Codable, HasNone {
    /// Counted from 1.
    var number: Int
    var arrived: UTCTime

    static var none: Visit { Visit(number: 0, arrived: UTCTime(microseconds: 0)) }
    var isNone: Bool { number == 0 }

    mutating func moveClock(bySeconds seconds: Double) { arrived = arrived.advanced(bySeconds: seconds) }
  }

  /// The visit before.
  private struct Closed: Hashable, Sendable, Codable {
    var visit: Visit
    var place: Coordinate
    var left: EngineInstant
  }

  /// When it decides.
  @Shared public var configuration: VisitConfiguration
  /// What is known of the present place.
  public private(set) var stage = Stage.moving
  /// When silence confirms a provisional visit; nil while there is none to confirm.
  @Maybe public private(set) var nextDeadline: EngineInstant?
  // It is not optional: to ask an optional one of so many bytes is to copy it.
  /// The present place.
  private var stay = StayPoint.nowhere
  /// The fixes outside it, where ``awayCount`` is not zero.
  @Rare private var absence: VisitAbsence?
  /// Fixes in a row outside the place.
  private var awayCount = 0
  @Maybe private var visit: Visit?
  @Rare private var closed: Closed?
  private var count = 0
  @Maybe private var latest: EngineInstant?
  /// What the last fix at the place said of its speed, or the way to a lone one, metres a second; nil where nothing did.
  @Maybe private var lastSpeed: Double?
  /// The younger fixes of the present place, while it is no visit: what is left of it where the older ones drifted.
  @Rare private var recent: StayPoint?

  /// A monitor that has seen nothing.
  public init(configuration: VisitConfiguration = VisitConfiguration()) {
    self.init(Shared(wrappedValue: configuration))
  }

  init(_ configuration: Shared<VisitConfiguration>) { _configuration = configuration }

  /// Decides by a configuration, to which others refer, from now on.
  mutating func share(_ configuration: Shared<VisitConfiguration>) { _configuration = configuration }

  /// Takes a fix into account and appends what follows from it. Deadlines up to the fix are fired first. A fix that
  /// is not later than the last one is left out.
  @inline(__always)
  public mutating func observe(_ fix: Fix, into events: inout [VisitEvent]) {
    if let nextDeadline, nextDeadline <= fix.instant { advance(to: fix.instant, into: &events) }
    var silence = 0.0
    if let latest {
      guard fix.instant > latest else { return }
      silence = latest.seconds(to: fix.instant)
    }
    latest = fix.instant
    take(fix, after: silence, into: &events)
  }

  /// Confirms a provisional visit by silence when that is due by `instant`.
  public mutating func advance(to instant: EngineInstant, into events: inout [VisitEvent]) {
    guard let due = nextDeadline, due <= instant else { return }
    guard !isUnderWay else {
      nextDeadline = nil
      return
    }
    arrive(at: due, reason: .silence, into: &events)
  }

  /// The stream is over at `instant`: closes the visit under way. Nobody has seen it end, so its departure stays
  /// unknown.
  public mutating func finish(at instant: EngineInstant, into events: inout [VisitEvent]) {
    if visit != nil { append(.depart, at: instant, reason: .end, into: &events) }
    self = VisitMonitor(_configuration, count: count)
  }

  /// Nobody is there to take or to give fixes: a silence in which nobody listened confirms nothing. The next fix tells.
  mutating func noteAbsence() { nextDeadline = nil }

  /// The source's clock was moved before a fix: what came before is dated by it as it is now. On the engine's axis,
  /// nothing moves.
  mutating func noteClockMove(before fix: Fix) {
    guard !stay.isNowhere else { return }
    let last = stay.last
    let seconds = last.time.seconds(to: fix.time) - last.instant.seconds(to: fix.instant)
    stay.moveClock(bySeconds: seconds)
    _recent.change { $0.moveClock(bySeconds: seconds) }
    _absence.change { $0.moveClock(bySeconds: seconds) }
    visit?.moveClock(bySeconds: seconds)
    _closed.change { $0.visit.moveClock(bySeconds: seconds) }
  }

  /// Seconds for which the first fix speaks, and any at least.
  private static let leastWeightSeconds = 1.0
}

extension VisitMonitor {
  /// How far the position is from a visit.
  public struct Standing: Hashable, Sendable {
    /// What is known of the present place.
    public var stage: Stage
    /// Seconds between the first fix and the last at the place.
    public var staySeconds: Double
    /// Seconds that make a visit.
    public var requiredSeconds: Double
    /// Metres over which the position has drifted meanwhile.
    public var driftMeters: Double
    /// Metres of drift from which on it is no stay.
    public var driftLimitMeters: Double
  }

  /// How far the position is from a visit; nil before the first fix.
  public var standing: Standing? {
    guard !stay.isNowhere else { return nil }
    return Standing(
      stage: stage, staySeconds: stay.spanSeconds, requiredSeconds: configuration.confirmedSeconds,
      driftMeters: max(0, stay.squareDrift).squareRoot(), driftLimitMeters: configuration.driftMeters)
  }
}

// MARK: - Staying and leaving

extension VisitMonitor {
  private init(_ configuration: Shared<VisitConfiguration>, count: Int) {
    self.init(configuration)
    self.count = count
  }

  /// Takes a fix that comes `silence` seconds after the one before.
  private mutating func take(_ fix: Fix, after silence: Double, into events: inout [VisitEvent]) {
    let sigma = fix.accuracy.sigmaMeters
    let believed = max(sigma, configuration.leastSigmaMeters)
    let spoken = min(max(silence, Self.leastWeightSeconds), configuration.longestWeightSeconds)
    let weight = spoken / (believed * believed)
    let radius = configuration.radius(for: fix.accuracy)
    guard !stay.isNowhere else {
      stay = StayPoint(fix, weight: weight)
      lastSpeed = fix.speedMetersPerSecond
      return
    }
    let (point, square, isWithin) = stay.admit(fix, weight: weight, radiusMeters: radius)
    if isWithin {
      lastSpeed = fix.speedMetersPerSecond
      if stage == .moving { stay.noteWayIn(at: point, reachMeters: configuration.radiusSigmas * sigma) }
      endAbsence()
      if visit == nil {
        let span = stay.spanSeconds
        if span >= Self.restingSeconds { _absence.freeMemory() }
        if span >= Self.recentSeconds { keepRecent(fix, weight: weight, at: point, sigma: sigma) }
        weigh(at: fix.instant, into: &events)
      }
      return
    }
    if awayCount > 0, silence >= configuration.confirmedSeconds {
      confirmBySilence(at: fix.instant, into: &events)
      if visit == nil || !isHeld(by: fix) {
        // Two fixes in a row, and far apart in time: it was elsewhere already before the silence.
        leave(at: fix.instant, into: &events)
        return take(fix, after: silence, into: &events)
      }
    }
    let clear = radius + configuration.clearSigmas * sigma
    nextDeadline = nil
    let isClear = square > clear * clear
    awayCount += 1
    guard awayCount > 1 else {
      absence = VisitAbsence(
        fix, weight: weight, from: stay, at: point, metersAway: square.squareRoot(), isClear: isClear,
        configuration)
      return
    }
    if let silent = _absence.change({ $0.silenceSeconds }), silent >= configuration.silenceSeconds {
      // A reference of its own, because both lie in this monitor; it costs too much where there was no silence.
      let configuration = _configuration
      _absence.change { $0.notePace(of: fix, configuration.wrappedValue) }
    }
    let signs = configuration.leaving
    let verdict = _absence.change {
      $0.add(
        fix, weight: weight, squareAway: square, radiusMeters: radius, isClear: isClear, signs)
    }
    switch verdict {
    case .left: decide(by: fix, into: &events)
    case .refuted:
      awayCount = 1
      absence = VisitAbsence(
        fix, weight: weight, from: stay, at: point, metersAway: square.squareRoot(), isClear: isClear,
        configuration)
    case .open, nil: break
    }
  }

  /// The fixes outside, up to this one, say that the position is elsewhere.
  private mutating func decide(by fix: Fix, into events: inout [VisitEvent]) {
    if _absence.change({ $0.departure != nil }) == true, hasBeenSilentNext(until: fix) {
      _absence.change { $0.spendSilenceAtNext() }
    } else {
      confirmBySilence(at: fix.instant, into: &events)
      if visit != nil, isHeld(by: fix) { return }
    }
    leave(at: fix.instant, into: &events)
  }

  /// The position is at the place, or at another one.
  @inline(__always)
  private mutating func endAbsence() {
    guard awayCount > 0 else { return }
    awayCount = 0
    absence = nil
  }

  /// Whether a fix outside does not end the visit under way: it rests nearby, or it lies nearby after a silence.
  @inline(never)
  private func isHeld(by fix: Fix) -> Bool {
    (absence?.departure != nil || absence?.rests(with: fix) == true)
      && Geodesy.isWithin(Self.nearbyMeters, of: stay.middle, fix.coordinate)
  }

  /// Adds a fix at the place to the younger ones.
  @inline(never)
  private mutating func keepRecent(_ fix: Fix, weight: Double, at point: TangentPlane.Point, sigma: Double) {
    let reach = configuration.radiusSigmas * sigma
    let isKept: Void? = _recent.change {
      $0.add(fix, at: point, weight: weight)
      $0.noteWayIn(at: point, reachMeters: reach)
    }
    if isKept == nil { recent = StayPoint(fix, weight: weight, on: stay.plane, at: point) }
  }

  /// Seconds at a place from which on the next absence may be long in coming: on a drive it begins sooner, in the memory
  /// of the one before.
  private static let restingSeconds = 10.0

  /// Seconds at a place from which on the younger fixes are kept: half of what makes a provisional visit.
  private static let recentSeconds = 90.0

  /// Looks whether the fixes at the place make a visit.
  @inline(__always)
  private mutating func weigh(at instant: EngineInstant, into events: inout [VisitEvent]) {
    if stay.spanSeconds >= configuration.provisionalSeconds { weighStay(at: instant, into: &events) }
  }

  @inline(never)
  private mutating func weighStay(at instant: EngineInstant, into events: inout [VisitEvent]) {
    guard isSteady(stay), stay.count >= leastCount(stay.longestSilenceSeconds) else {
      nextDeadline = nil
      if let recent, !isSteady(stay) {
        stay = recent
        self.recent = nil
        stage = .moving
      }
      return
    }
    if stage == .moving {
      stage = .provisional
      append(.provisional, at: instant, reason: .stayed, into: &events)
    }
    if stay.spanSeconds >= configuration.confirmedSeconds {
      return arrive(at: instant, reason: .stayed, into: &events)
    }
    nextDeadline = max(
      stay.first.instant.advanced(bySeconds: configuration.confirmedSeconds),
      stay.last.instant.advanced(bySeconds: configuration.silenceSeconds))
  }

  /// Whether the fixes before a silence were under way, by the speed of the last or by how they drift.
  private var isUnderWay: Bool {
    if let lastSpeed, lastSpeed >= Self.underWayMetersPerSecond { return true }
    let drift = max(0, stay.squareDrift).squareRoot()
    return stay.spanSeconds > 0 && drift >= Self.leastDriftMeters
      && drift >= Self.underWayMetersPerSecond * stay.spanSeconds
  }

  /// Metres a second from which on a fix does not rest: faster than a walk.
  private static var underWayMetersPerSecond: Double { 3 }
  /// Metres from a place within which fixes that rest, and any after a silence, do not say that it was left.
  private static var nearbyMeters: Double { 100 }
  /// Metres of drift that are no noise.
  private static var leastDriftMeters: Double { 10 }

  /// Whether the silence before the fixes outside was spent where they are, a walk from the place: those before it
  /// moved, or were too few to tell, and these have rested.
  @inline(never)
  private func hasBeenSilentNext(until fix: Fix) -> Bool {
    guard visit == nil, stage == .moving, let absence,
      absence.isNear(configuration), absence.isAtOnePlace, absence.hasRested(until: fix)
    else { return false }
    let noise = max(Self.leastDriftMeters, stay.wayIn.reachMeters)
    let reach = max(noise, VisitAbsence.restingMetersPerSecond * stay.spanSeconds)
    let isTooShortToTell = stay.spanSeconds * configuration.walkingMetersPerSecond < Self.leastDriftMeters
    return isTooShortToTell || stay.squareDrift > reach * reach
  }

  /// Tells of a visit that a silence confirms, where the first fix after it dates the departure. A device that was under
  /// way may have gone on.
  private mutating func confirmBySilence(at instant: EngineInstant, into events: inout [VisitEvent]) {
    guard visit == nil, _absence.change({ $0.departure != nil }) == true else { return }
    if let absence, let departure = absence.departure,
      stay.first.instant.seconds(to: departure.instant) >= configuration.confirmedSeconds, isSteady(stay),
      stay.count + 1 >= leastCount(absence.silenceSeconds, isNear: absence.isNear(configuration)),
      !isUnderWay
    {
      arrive(at: instant, reason: .near, into: &events)
    }
  }

  /// The position is elsewhere: ends what was, and begins at the place where it has been since.
  private mutating func leave(at instant: EngineInstant, into events: inout [VisitEvent]) {
    guard let absence = _absence.take() else { return }
    awayCount = 0
    if let visit {
      let departure = absence.departure ?? stay.last
      let isUnknown = absence.departure == nil && absence.silenceSeconds > configuration.gapSeconds
      append(
        .depart, at: instant, departed: isUnknown ? nil : departure.time,
        reason: absence.departure != nil ? .near : isUnknown ? .gap : .left, into: &events)
      closed = Closed(visit: visit, place: stay.middle, left: departure.instant)
    }
    visit = nil
    stage = .moving
    nextDeadline = nil
    stay = absence.stay
    lastSpeed = absence.lastSpeed
    recent = nil
    weigh(at: instant, into: &events)
  }

  /// Whether the position has come back to the visit before, from which it was away for a moment only.
  private var isBack: Bool {
    guard let closed else { return false }
    return closed.left.seconds(to: stay.first.instant) <= configuration.mergeSeconds
      && Geodesy.isWithin(configuration.mergeMeters, of: closed.place, stay.middle)
  }

  /// Tells of a visit: a new one, or the one before when the position was away from it for a moment only.
  private mutating func arrive(
    at instant: EngineInstant, reason: VisitEvent.Reason, into events: inout [VisitEvent]
  ) {
    nextDeadline = nil
    recent = nil
    stage = .visiting
    if isBack, let closed {
      visit = closed.visit
      append(.arrive, at: instant, reason: .returned, into: &events)
    } else {
      count += 1
      visit = Visit(number: count, arrived: arrival(at: stay))
      append(.arrive, at: instant, reason: reason, into: &events)
    }
    closed = nil
    // When it arrived is known.
    stay.forgetWayIn()
  }

  private mutating func append(
    _ kind: VisitEvent.Kind, at instant: EngineInstant, departed: UTCTime? = nil, reason: VisitEvent.Reason,
    into events: inout [VisitEvent]
  ) {
    events.append(
      VisitEvent(
        kind: kind, visit: visit?.number ?? count + 1, instant: instant, coordinate: stay.middle,
        radiusMeters: 2 * stay.spreadMeters, arrived: visit?.arrived ?? arrival(at: stay), departed: departed,
        seen: stay.last.time, reason: reason))
  }

  /// When the position was there, once the way in is left out.
  private func arrival(at stay: StayPoint) -> UTCTime {
    let least = configuration.arrivalMeters
    let seconds = stay.wayIn.seconds(
      to: stay.middlePoint, within: max(least, stay.wayIn.reachMeters), configuration)
    return min(stay.first.time.advanced(bySeconds: seconds), stay.last.time)
  }

  /// Whether the fixes stay where they are, rather than go on slowly.
  private func isSteady(_ stay: StayPoint) -> Bool {
    stay.squareDrift <= configuration.driftMeters * configuration.driftMeters
  }

  /// How many fixes make a visit after a silence this long. A device at most a walk away afterwards has hardly been
  /// elsewhere, unless the silence was long enough for a trip and back.
  private func leastCount(_ silenceSeconds: Double, isNear: Bool = true) -> Int {
    let gap = isNear ? max(Self.nearGapSeconds, configuration.gapSeconds) : configuration.gapSeconds
    return silenceSeconds > gap ? configuration.gapCount : 2
  }

  /// Seconds of silence from which on a position that is near after it may have been elsewhere: half of a day out.
  private static var nearGapSeconds: Double { 4 * 3600 }
}

extension VisitConfiguration {
  /// Metres from the middle of a place within which a fix of this accuracy belongs to it.
  @inline(__always)
  func radius(for accuracy: Accuracy) -> Double { max(radiusMeters, radiusSigmas * accuracy.sigmaMeters) }

  /// The numbers that decide how many fixes outside end a visit.
  struct Leaving {
    var heldSeconds: Double
    var clearCount: Int
    var clearSeconds: Double
  }

  @inline(__always) var leaving: Leaving {
    Leaving(heldSeconds: heldSeconds, clearCount: clearCount, clearSeconds: clearSeconds)
  }
}

extension StayPoint.Moment {
  /// The moment that many seconds later.
  func advanced(bySeconds seconds: Double) -> StayPoint.Moment {
    var moment = self
    moment.time = time.advanced(bySeconds: seconds)
    moment.instant = instant.advanced(bySeconds: seconds)
    return moment
  }
}

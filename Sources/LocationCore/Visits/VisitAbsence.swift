/// The fixes in a row that lie outside the place where the position was, and what they say of having left it.
struct VisitAbsence: Hashable, Sendable, Codable {
  /// Where they lie: the next place, if the position stays there.
  private(set) var stay: StayPoint
  /// Seconds from the last fix at the place to the first outside.
  private(set) var silenceSeconds = 0.0
  /// When the place was left, as the first fix after a silence tells; nil where it tells nothing.
  private(set) var departure: StayPoint.Moment?
  private var began = EngineInstant(microseconds: 0)
  private var clearSince: EngineInstant?
  private var clearCount = 0

  /// Of no fixes.
  static let none = VisitAbsence()

  private init() { stay = .nowhere }

  /// Begins with the first fix outside, `metersAway` from the middle of `place`.
  init(
    _ fix: Fix, weight: Double, from place: StayPoint, at point: TangentPlane.Point, metersAway: Double,
    isClear: Bool, _ configuration: VisitConfiguration
  ) {
    stay = StayPoint(fix, weight: weight, near: place.plane, at: point)
    began = fix.instant
    silenceSeconds = place.last.instant.seconds(to: fix.instant)
    let stayedSeconds = silenceSeconds - metersAway / configuration.walkingMetersPerSecond
    let isNear =
      metersAway <= configuration.nearMeters && stayedSeconds > 0
      && silenceSeconds >= configuration.confirmedSeconds
    departure = isNear ? place.last.advanced(bySeconds: stayedSeconds) : nil
    noteClear(isClear, at: fix.instant)
  }

  /// Takes the next fix outside.
  ///
  /// - Returns: whether the place has been left, by the fixes up to this one. A lone fix never says so.
  @inline(__always)
  mutating func add(
    _ fix: Fix, weight: Double, radiusMeters: Double, isClear: Bool, _ configuration: VisitConfiguration
  ) -> Bool {
    noteClear(isClear, at: fix.instant)
    let (point, _, isWithin) = stay.admit(fix, weight: weight, radiusMeters: radiusMeters)
    if !isWithin { stay = StayPoint(fix, weight: weight, near: stay.plane, at: point) }
    return isCertain(at: fix.instant, configuration)
  }

  @inline(__always)
  private func isCertain(at instant: EngineInstant, _ configuration: VisitConfiguration) -> Bool {
    if began.seconds(to: instant) >= configuration.heldSeconds { return true }
    guard clearCount >= configuration.clearCount, let clearSince else { return false }
    return clearSince.seconds(to: instant) >= configuration.clearSeconds
  }

  private mutating func noteClear(_ isClear: Bool, at instant: EngineInstant) {
    clearCount = isClear ? clearCount + 1 : 0
    clearSince = isClear ? clearSince ?? instant : nil
  }
}

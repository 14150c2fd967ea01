/// The fixes in a row that lie outside the place where the position was, and what they say of having left it.
struct VisitAbsence: Hashable, Sendable, Codable {
  /// Where they lie: the next place, if the position stays there.
  private(set) var stay: StayPoint
  /// Seconds from the last fix at the place to the first outside.
  private(set) var silenceSeconds = 0.0
  /// When the place was left, as the first fix after a silence tells; nil where it tells nothing.
  @Maybe private(set) var departure: StayPoint.Moment?
  /// How the first of them shows the way; version 0.1.0 did not keep it.
  @Maybe private var way: Way?
  private var began = EngineInstant(microseconds: 0)
  @Maybe private var clearSince: EngineInstant?
  private var clearCount = 0
  /// Metres a second, as the last of them says, or as the way to it shows where it lies alone; nil where nothing does.
  @Maybe private(set) var lastSpeed: Double?

  /// What the fixes outside say.
  enum Verdict {
    /// Nothing yet.
    case open
    /// The place has been left.
    case left
    /// Those before the last are wrong: it lies nearer the place, and no drive leads to it from them.
    case refuted
  }

  /// The way from the place to the first fix outside.
  private struct Way: Hashable, Sendable, Codable, HasNone {
    /// The last fix at the place.
    var last: StayPoint.Moment
    /// The first fix outside, its standard deviation, and its distance from the middle of the place.
    var coordinate: Coordinate
    var sigmaMeters: Double
    var meters: Double

    static var none: Way {
      Way(last: .none, coordinate: .none, sigmaMeters: .none, meters: .none)
    }
    var isNone: Bool { meters.isNone }
  }

  /// Begins with the first fix outside, `metersAway` from the middle of `place`.
  init(
    _ fix: Fix, weight: Double, from place: StayPoint, at point: TangentPlane.Point, metersAway: Double,
    isClear: Bool, _ configuration: VisitConfiguration
  ) {
    stay = StayPoint(fix, weight: weight, near: place.plane, at: point)
    began = fix.instant
    silenceSeconds = place.last.instant.seconds(to: fix.instant)
    way = Way(
      last: place.last, coordinate: fix.coordinate, sigmaMeters: fix.accuracy.sigmaMeters, meters: metersAway)
    lastSpeed = Self.speed(of: fix, afterMeters: metersAway, seconds: silenceSeconds)
    let walked = min(metersAway, configuration.nearMeters)
    let waySeconds =
      walked / configuration.walkingMetersPerSecond + (metersAway - walked) / Self.drivingMetersPerSecond
    if silenceSeconds >= configuration.confirmedSeconds { noteWay(ofSeconds: waySeconds, configuration) }
    noteClear(isClear, at: fix.instant)
  }

  /// Metres a second on the way beyond `nearMeters`, all pauses included: a drive in a town.
  private static let drivingMetersPerSecond = 10.0
  /// The part of a silence that was spent at a place from which such a way leads, at least.
  private static let leastShareStayed = 0.5
  /// The fastest way, metres a second: what the fixes after it show of its speed is no pause included.
  private static let fastestMetersPerSecond = 20.0
  /// Seconds after the first fix outside in which the fixes show the speed of the way before it.
  private static let paceSeconds = 180.0
  /// Standard deviations of the way between two fixes that are no speed.
  private static let paceSigmas = 2.0
  /// Metres a second above which two fixes can't both be true.
  private static let refutingMetersPerSecond = 100.0

  /// The speed of a fix that lies alone: what it states, or what the way to it shows, where that is more.
  private static func speed(of fix: Fix, afterMeters meters: Double, seconds: Double) -> Double? {
    guard seconds > 0 else { return fix.speedMetersPerSecond }
    let explained = paceSigmas * 2.0.squareRoot() * fix.accuracy.sigmaMeters
    return max(fix.speedMetersPerSecond ?? 0, (meters - explained) / seconds)
  }

  /// Dates the departure by the silence and the seconds that the way took, where the rest of the silence is long enough
  /// to have been spent at the place.
  private mutating func noteWay(ofSeconds waySeconds: Double, _ configuration: VisitConfiguration) {
    guard let way else { return }
    let stayedSeconds = silenceSeconds - waySeconds
    let leastSeconds = way.meters > configuration.nearMeters ? Self.leastShareStayed * silenceSeconds : 0
    guard stayedSeconds > leastSeconds else { return }
    let dated = way.last.advanced(bySeconds: stayedSeconds)
    departure = departure.map { $0.instant < dated.instant ? dated : $0 } ?? dated
  }

  /// Dates the departure by the speed at which the fixes outside go on, where that is faster than the usual way. Where
  /// the usual way fits into the silence, only a speed counts that the errors of the fixes do not explain.
  @inline(never)
  mutating func notePace(of fix: Fix, _ configuration: VisitConfiguration) {
    let seconds = began.seconds(to: fix.instant)
    guard let way, seconds > 0, seconds <= Self.paceSeconds else { return }
    let sigma = fix.accuracy.sigmaMeters
    let isNeeded = departure == nil && silenceSeconds >= configuration.confirmedSeconds
    let explained =
      isNeeded ? 0 : Self.paceSigmas * (way.sigmaMeters * way.sigmaMeters + sigma * sigma).squareRoot()
    let speed = (Geodesy.distanceMeters(way.coordinate, fix.coordinate) - explained) / seconds
    guard speed > configuration.walkingMetersPerSecond else { return }
    noteWay(ofSeconds: way.meters / min(speed, Self.fastestMetersPerSecond), configuration)
  }

  /// Takes the next fix outside; `squareAway` is the square of its distance from the middle of the place.
  ///
  /// - Returns: what the fixes up to this one say. A lone fix never says anything.
  @inline(__always)
  mutating func add(
    _ fix: Fix, weight: Double, squareAway: Double, radiusMeters: Double, isClear: Bool,
    _ leaving: VisitConfiguration.Leaving
  ) -> Verdict {
    noteClear(isClear, at: fix.instant)
    let seconds = stay.last.instant.seconds(to: fix.instant)
    let (point, square, isWithin) = stay.admit(fix, weight: weight, radiusMeters: radiusMeters)
    if isWithin {
      lastSpeed = fix.speedMetersPerSecond
    } else {
      let reach = Self.refutingMetersPerSecond * seconds
      if square > reach * reach, squareAway < square { return .refuted }
      lastSpeed = Self.speed(of: fix, afterMeters: square.squareRoot(), seconds: seconds)
      stay = StayPoint(fix, weight: weight, near: stay.plane, at: point)
    }
    return isCertain(at: fix.instant, leaving) ? .left : .open
  }

  /// Whether the position rests where it is now: by the speed that the last fix states, else by the way since the first
  /// fix outside.
  func rests(with fix: Fix) -> Bool {
    if let speed = fix.speedMetersPerSecond { return speed < Self.restingMetersPerSecond }
    return hasRested(until: fix)
  }

  /// Whether the position has rested since the first fix outside, by the way since then.
  func hasRested(until fix: Fix) -> Bool {
    guard let way else { return false }
    let reach = Self.restingMetersPerSecond * began.seconds(to: fix.instant)
    return Geodesy.isWithin(reach, of: way.coordinate, fix.coordinate)
  }

  /// Metres a second below which a position rests: half of a walk.
  static let restingMetersPerSecond = 0.7

  /// Whether the first fix outside lies a walk from the place.
  func isNear(_ configuration: VisitConfiguration) -> Bool {
    way.map { $0.meters <= configuration.nearMeters } ?? false
  }

  /// Whether all fixes outside lie at one place.
  var isAtOnePlace: Bool { stay.first.instant == began }

  /// Gives the next place what the way leaves of the silence.
  mutating func spendSilenceAtNext() {
    guard let way, let departure else { return }
    stay.begin(earlierBySeconds: way.last.instant.seconds(to: departure.instant))
  }

  /// Dates its fixes by a clock that was moved.
  mutating func moveClock(bySeconds seconds: Double) {
    stay.moveClock(bySeconds: seconds)
    departure?.moveClock(bySeconds: seconds)
    way?.last.moveClock(bySeconds: seconds)
  }

  @inline(__always)
  private func isCertain(at instant: EngineInstant, _ leaving: VisitConfiguration.Leaving) -> Bool {
    if began.seconds(to: instant) >= leaving.heldSeconds { return true }
    guard clearCount >= leaving.clearCount, let clearSince else { return false }
    return clearSince.seconds(to: instant) >= leaving.clearSeconds
  }

  private mutating func noteClear(_ isClear: Bool, at instant: EngineInstant) {
    clearCount = isClear ? clearCount + 1 : 0
    clearSince = isClear ? clearSince ?? instant : nil
  }
}

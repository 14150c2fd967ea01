/// One subscriber's standard updates: what it was told last, whether it rests, what is kept back, what it asked for.
struct StandardService: Hashable, Sendable, Codable {
  /// The update it was told last.
  struct Told: Hashable, Sendable, Codable {
    var coordinate: Coordinate
    var radiusMeters: Double
    var instant: EngineInstant
  }

  /// Updates kept back in the background (rule B7).
  struct Batch: Hashable, Sendable, Codable {
    /// Since when.
    let since: EngineInstant
    /// Metres of way since then, from update to update.
    var meters = 0.0
    var last: Coordinate
  }

  /// A request for one fix.
  struct Request: Hashable, Sendable, Codable {
    /// When it is answered with what there is.
    var end: EngineInstant
    var best: Fix?
  }

  private(set) var told: Told?
  var rest: Rest?
  /// Whether updates are paused (rule B6).
  var isPaused = false
  /// Whether the process that was told of the pause is gone.
  var isPauseOver = false
  /// Whether it moved on while its program, which was told of the pause, could not be told that; nil where not.
  var isResumeOwed: Bool?
  var batch: Batch?
  var request: Request?

  /// Whether a fix passes the distance filter and the desired accuracy; if so, the next is measured from it.
  mutating func passes(_ fix: Fix, _ subscriber: Subscriber) -> Bool {
    let radius = fix.accuracy.radiusMeters
    if let told {
      let isPoor = radius > subscriber.standard.desiredAccuracy.radiusMeters
      if isPoor, told.instant.seconds(to: fix.instant) < Self.longestWaitSeconds { return false }
      let filter = subscriber.distanceFilterMeters
      let hasImproved = radius <= Self.improvedShare * told.radiusMeters
      if filter > 0, !hasImproved, !Geodesy.isAtLeast(filter, from: told.coordinate, to: fix.coordinate) {
        return false
      }
    }
    told = Told(coordinate: fix.coordinate, radiusMeters: radius, instant: fix.instant)
    return true
  }

  /// Updates that its program was never handed are dropped: the next fix passes.
  mutating func forgetTold() { told = nil }

  /// Follows whether the position rests. Returns true where that changes ``isPaused``, which is then set.
  ///
  /// - Parameter mayPause: Whether its program can be told of a pause.
  mutating func follows(_ fix: Fix, _ activity: StandardTerms.Activity, mayPause: Bool) -> Bool {
    guard var rest else {
      self.rest = Rest(fix)
      return false
    }
    let hasMoved = rest.take(fix, activity, isPaused: isPaused)
    let isLong = rest.since.seconds(to: fix.instant) >= activity.restSeconds
    self.rest = hasMoved ? Rest(fix) : rest
    guard isPaused ? hasMoved : mayPause && isLong && !hasMoved && rest.outside == 0 else { return false }
    isPaused.toggle()
    return true
  }

  /// Forgets what ends with a process.
  mutating func endProcess() {
    let wasPaused = isPaused || isResumeOwed == true
    self = StandardService()
    isPaused = wasPaused
    isPauseOver = wasPaused
  }

  /// Forgets what ends with the service; a request for one fix goes on.
  mutating func stop() {
    let open = request
    endProcess()
    request = open
  }

  /// Updates that are not exact enough are left out for so long at most, so that nobody waits in silence: the time
  /// Android gives a request for the current location.
  static let longestWaitSeconds = 30.0
  /// A fix at least so much more exact than the one told before passes the distance filter: Core Location's "unless
  /// the accuracy has improved", with a number.
  static let improvedShare = 0.5
}

/// Where a position rests, and since when (rule B6).
struct Rest: Hashable, Sendable, Codable {
  let since: EngineInstant
  private let anchor: Coordinate
  private let sigmaMeters: Double
  /// Fixes in a row that lie outside.
  private(set) var outside = 0

  init(_ fix: Fix) {
    since = fix.instant
    anchor = fix.coordinate
    sigmaMeters = fix.accuracy.sigmaMeters
  }

  /// Whether the position has moved on with this fix. One fix outside ends a pause; a rest that has yet to become one
  /// takes two, because one in a hundred lies beyond three standard deviations.
  mutating func take(_ fix: Fix, _ activity: StandardTerms.Activity, isPaused: Bool) -> Bool {
    let sigma = fix.accuracy.sigmaMeters
    let noise = Self.sigmas * (sigma * sigma + sigmaMeters * sigmaMeters).squareRoot()
    let least = isPaused ? max(Self.resumeMeters, activity.restMeters) : activity.restMeters
    guard Geodesy.isAtLeast(max(noise, least), from: anchor, to: fix.coordinate) else {
      outside = 0
      return false
    }
    outside += 1
    return isPaused || outside >= 2
  }

  /// Standard deviations of the difference of two fixes that are no movement.
  static let sigmas = 3.0
  /// Metres from where it rested at which updates resume.
  static let resumeMeters = 50.0
}

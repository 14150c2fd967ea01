/// Fixes that lie together: their mean, spread and drift, kept as running sums. A fix weighs as much as the time it
/// speaks for and the inverse of its variance.
struct StayPoint: Hashable, Sendable, Codable {
  /// A fix's two times.
  struct Moment: Hashable, Sendable, Codable {
    var time: UTCTime
    var instant: EngineInstant
  }

  let plane: TangentPlane
  private(set) var first: Moment
  private(set) var last: Moment
  private(set) var count = 1
  /// Where it was in the first minute and a half.
  private(set) var wayIn: ArrivalPath
  /// The longest silence between two of its fixes, seconds.
  private(set) var longestSilenceSeconds = 0.0

  // Weighted sums (West 1979, "Updating mean and variance estimates"): means, and products of what differs from them.
  private var weight: Double
  private var east: Double
  private var north: Double
  private var seconds = 0.0
  private var squares = 0.0
  private var secondsSquares = 0.0
  private var secondsEast = 0.0
  private var secondsNorth = 0.0

  /// Begins with a fix, on a plane of its own.
  init(_ fix: Fix, weight: Double) {
    self.init(
      fix, weight: weight, on: TangentPlane(at: fix.coordinate), at: TangentPlane.Point(east: 0, north: 0))
  }

  /// Of no fixes.
  static let nowhere = StayPoint()

  private init() {
    plane = TangentPlane(at: Coordinate(uncheckedLatitude: 0, longitude: 0))
    first = Moment(time: UTCTime(microseconds: 0), instant: EngineInstant(microseconds: 0))
    last = first
    count = 0
    wayIn = ArrivalPath(TangentPlane.Point(east: 0, north: 0))
    weight = 0
    east = 0
    north = 0
  }

  /// Whether it is of no fixes.
  @inline(__always) var isNowhere: Bool { count == 0 }

  /// Begins with a fix that lies at a point of a plane.
  init(_ fix: Fix, weight: Double, on plane: TangentPlane, at point: TangentPlane.Point) {
    self.plane = plane
    self.weight = weight
    first = Moment(fix)
    last = first
    wayIn = ArrivalPath(point)
    east = point.east
    north = point.north
  }

  /// Begins with a fix that lies at a point of a plane, which is kept where it reaches so far.
  @inline(__always)
  init(_ fix: Fix, weight: Double, near plane: TangentPlane, at point: TangentPlane.Point) {
    if TangentPlane.reaches(point) {
      self.init(fix, weight: weight, on: plane, at: point)
    } else {
      self.init(fix, weight: weight)
    }
  }

  /// Adds a fix that lies at a point of the plane.
  @inline(__always)
  mutating func add(_ fix: Fix, at point: TangentPlane.Point, weight added: Double) {
    let silence = last.instant.seconds(to: fix.instant)
    if silence > longestSilenceSeconds { longestSilenceSeconds = silence }
    last = Moment(fix)
    count += 1
    weight += added
    let share = added / weight
    let byEast = point.east - east
    let byNorth = point.north - north
    let bySeconds = first.instant.seconds(to: fix.instant) - seconds
    east += byEast * share
    north += byNorth * share
    seconds += bySeconds * share
    let rest = added * (1 - share)
    squares += rest * (byEast * byEast + byNorth * byNorth)
    secondsSquares += rest * bySeconds * bySeconds
    secondsEast += rest * bySeconds * byEast
    secondsNorth += rest * bySeconds * byNorth
  }

  /// Where a fix lies with respect to the stay, which it is added to when that is within `radiusMeters` of the middle;
  /// `squareMeters` is the square of the distance.
  @inline(__always)
  mutating func admit(
    _ fix: Fix, weight: Double, radiusMeters: Double
  ) -> (point: TangentPlane.Point, squareMeters: Double, isWithin: Bool) {
    let point = plane.point(of: fix.coordinate)
    let square = squareDistance(to: point)
    let isWithin = square <= radiusMeters * radiusMeters
    if isWithin { add(fix, at: point, weight: weight) }
    return (point, square, isWithin)
  }

  /// Square of the metres from the middle to a point of the plane.
  @inline(__always)
  func squareDistance(to point: TangentPlane.Point) -> Double {
    let byEast = point.east - east
    let byNorth = point.north - north
    return byEast * byEast + byNorth * byNorth
  }

  /// Keeps the point of the latest fix while the stay is young.
  @inline(__always)
  mutating func noteWayIn(at point: TangentPlane.Point, reachMeters: Double) {
    wayIn.add(point, seconds: spanSeconds, reachMeters: reachMeters)
  }

  /// Seconds from its first fix to its last.
  var spanSeconds: Double { first.instant.seconds(to: last.instant) }

  /// Begins so many seconds earlier, in a silence before its first fix.
  mutating func begin(earlierBySeconds silence: Double) {
    first = first.advanced(bySeconds: -silence)
    seconds += silence
    longestSilenceSeconds = max(longestSilenceSeconds, silence)
  }

  /// Dates its fixes by a clock that was moved.
  mutating func moveClock(bySeconds seconds: Double) {
    first.moveClock(bySeconds: seconds)
    last.moveClock(bySeconds: seconds)
  }

  /// Forgets the points of its first minutes.
  mutating func forgetWayIn() { wayIn.forget() }

  /// Where its middle is, on the plane.
  var middlePoint: TangentPlane.Point { TangentPlane.Point(east: east, north: north) }

  /// Where its middle is.
  var middle: Coordinate { plane.coordinate(of: middlePoint) }

  /// Root mean square of the fixes' distances from the middle, metres.
  var spreadMeters: Double { (squares / weight).squareRoot() }

  /// Square of the metres over which the straight line of best fit goes in the time of the stay: the slope times
  /// the length of a uniform distribution of the same variance, √12 standard deviations.
  var squareDrift: Double {
    guard secondsSquares > 0 else { return 0 }
    return 12 * (secondsEast * secondsEast + secondsNorth * secondsNorth) / (secondsSquares * weight)
  }
}

extension StayPoint.Moment: HasNone {
  static var none: Self { Self(time: UTCTime(microseconds: 0), instant: .none) }
  var isNone: Bool { @inline(__always) get { instant.isNone } }

  init(_ fix: Fix) { self.init(time: fix.time, instant: fix.instant) }

  /// Dates it by a clock that was moved.
  mutating func moveClock(bySeconds seconds: Double) { time = time.advanced(bySeconds: seconds) }
}

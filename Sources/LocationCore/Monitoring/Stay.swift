/// Fixes that lie together: their mean, spread and drift, kept as running sums. A fix weighs as much as the time it
/// speaks for and the inverse of its variance.
struct Stay: Hashable, Sendable, Codable {
  /// A fix's two times.
  struct Moment: Hashable, Sendable, Codable {
    var time: UTCTime
    var instant: EngineInstant

    init(_ fix: Fix) {
      time = fix.time
      instant = fix.instant
    }
  }

  let plane: LocalPlane
  let first: Moment
  private(set) var last: Moment
  private(set) var count = 0
  /// The longest silence between two of its fixes, seconds.
  private(set) var longestSilenceSeconds = 0.0

  // Weighted sums (West 1979, "Updating mean and variance estimates"): means, and products of what differs from them.
  private var weight = 0.0
  private var east = 0.0
  private var north = 0.0
  private var seconds = 0.0
  private var squares = 0.0
  private var secondsSquares = 0.0
  private var secondsEast = 0.0
  private var secondsNorth = 0.0

  /// Begins with a fix.
  init(_ fix: Fix, weight: Double) {
    plane = LocalPlane(at: fix.coordinate)
    first = Moment(fix)
    last = first
    add(fix, at: LocalPlane.Point(east: 0, north: 0), weight: weight)
  }

  /// Adds a fix that lies at a point of the plane.
  @inline(__always)
  mutating func add(_ fix: Fix, at point: LocalPlane.Point, weight added: Double) {
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

  /// Square of the metres from the middle to a point of the plane.
  @inline(__always)
  func squareDistance(to point: LocalPlane.Point) -> Double {
    let byEast = point.east - east
    let byNorth = point.north - north
    return byEast * byEast + byNorth * byNorth
  }

  /// Seconds from its first fix to its last.
  var spanSeconds: Double { first.instant.seconds(to: last.instant) }

  /// Where its middle is.
  var middle: Coordinate { plane.coordinate(of: LocalPlane.Point(east: east, north: north)) }

  /// Root mean square of the fixes' distances from the middle, metres.
  var spreadMeters: Double { (squares / weight).squareRoot() }

  /// Square of the metres over which the straight line of best fit goes in the time of the stay: the slope times
  /// the length of a uniform distribution of the same variance, √12 standard deviations.
  var squareDrift: Double {
    guard secondsSquares > 0 else { return 0 }
    return 12 * (secondsEast * secondsEast + secondsNorth * secondsNorth) / (secondsSquares * weight)
  }
}

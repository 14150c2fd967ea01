/// Where the first fixes of a stay lie, one in twelve seconds for a minute and a half: how the position came in.
struct ArrivalPath: Hashable, Sendable, Codable {
  private static let stepSeconds = 12.0
  private static let capacity = 8

  private var count = 1
  private var seconds = SIMD8<Float>()
  private var east = SIMD8<Float>()
  private var north = SIMD8<Float>()
  /// The largest distance, metres, by which one of the fixes may err.
  private(set) var reachMeters = 0.0

  /// Begins at a point.
  init(_ point: TangentPlane.Point) {
    east[0] = Float(point.east)
    north[0] = Float(point.north)
  }

  /// Keeps a point where the stay was after so many seconds, unless it has one of about then.
  @inline(__always)
  mutating func add(_ point: TangentPlane.Point, seconds after: Double, reachMeters reach: Double) {
    guard count < Self.capacity, after >= Double(count) * Self.stepSeconds else { return }
    seconds[count] = Float(after)
    east[count] = Float(point.east)
    north[count] = Float(point.north)
    count += 1
    reachMeters = max(reachMeters, reach)
  }

  /// Seconds from the first fix to the first that lies within so many metres of a point; none where all lie outside.
  func seconds(to point: TangentPlane.Point, within meters: Double) -> Double {
    for index in 0..<count {
      let byEast = Double(east[index]) - point.east
      let byNorth = Double(north[index]) - point.north
      if byEast * byEast + byNorth * byNorth <= meters * meters { return Double(seconds[index]) }
    }
    return 0
  }
}

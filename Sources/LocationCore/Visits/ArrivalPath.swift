/// Where the first fixes of a stay lie, one in twelve seconds for a minute and a half: how the position came in.
struct ArrivalPath: Hashable, Sendable {
  private static let stepSeconds = 12.0
  private static let capacity = 8

  private struct Step: Hashable, Sendable {
    var seconds: Float = 0
    var east: Float = 0
    var north: Float = 0
  }

  private var first: Step
  /// The others: most positions in motion stay nowhere for so long.
  private var later: [Step] = []
  /// The largest distance, metres, by which one of the fixes may err.
  private(set) var reachMeters = 0.0

  /// Begins at a point.
  init(_ point: TangentPlane.Point) { first = Step(east: Float(point.east), north: Float(point.north)) }

  /// Keeps a point where the stay was after so many seconds, unless it has one of about then.
  @inline(__always)
  mutating func add(_ point: TangentPlane.Point, seconds after: Double, reachMeters reach: Double) {
    let count = later.count + 1
    guard count < Self.capacity, after >= Double(count) * Self.stepSeconds else { return }
    later.append(Step(seconds: Float(after), east: Float(point.east), north: Float(point.north)))
    reachMeters = max(reachMeters, reach)
  }

  /// Keeps the first point only.
  mutating func forget() { later = [] }

  /// Seconds from the first fix to the first that lies within so many metres of a point; none where all lie outside.
  func seconds(to point: TangentPlane.Point, within meters: Double) -> Double {
    func isWithin(_ step: Step) -> Bool {
      let byEast = Double(step.east) - point.east
      let byNorth = Double(step.north) - point.north
      return byEast * byEast + byNorth * byNorth <= meters * meters
    }
    return isWithin(first) ? 0 : later.first(where: isWithin).map { Double($0.seconds) } ?? 0
  }
}

/// It is coded as columns of eight numbers, as it once was kept.
extension ArrivalPath: Codable {
  private struct Columns: Codable {
    var count: Int
    var seconds = SIMD8<Float>()
    var east = SIMD8<Float>()
    var north = SIMD8<Float>()
    var reachMeters: Double
  }

  init(from decoder: any Decoder) throws {
    let columns = try Columns(from: decoder)
    first = Step(east: columns.east[0], north: columns.north[0])
    for index in 1..<max(1, min(columns.count, Self.capacity)) {
      later.append(
        Step(seconds: columns.seconds[index], east: columns.east[index], north: columns.north[index]))
    }
    reachMeters = columns.reachMeters
  }

  func encode(to encoder: any Encoder) throws {
    var columns = Columns(count: later.count + 1, reachMeters: reachMeters)
    for (index, step) in ([first] + later).enumerated() {
      columns.seconds[index] = step.seconds
      columns.east[index] = step.east
      columns.north[index] = step.north
    }
    try columns.encode(to: encoder)
  }
}

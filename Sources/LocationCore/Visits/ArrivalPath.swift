/// Where the first fixes of a stay lie, one in twelve seconds for a minute and a half: how the position came in.
struct ArrivalPath: Hashable, Sendable {
  private static let stepSeconds = 12.0
  private static let capacity = 8

  private struct Place: Hashable, Sendable {
    var east: Float
    var north: Float

    init(_ point: TangentPlane.Point) { (east, north) = (Float(point.east), Float(point.north)) }

    func isWithin(_ meters: Double, of point: TangentPlane.Point) -> Bool {
      squareMeters(to: point) <= meters * meters
    }

    func squareMeters(to point: TangentPlane.Point) -> Double {
      let byEast = Double(east) - point.east
      let byNorth = Double(north) - point.north
      return byEast * byEast + byNorth * byNorth
    }

    var point: TangentPlane.Point { TangentPlane.Point(east: Double(east), north: Double(north)) }
  }

  private struct Step: Hashable, Sendable {
    var seconds: Float
    var place: Place
  }

  private var first: Place
  /// The others: most positions in motion stay nowhere for so long.
  private var later: [Step] = []
  /// The largest distance, metres, by which one of the fixes may err.
  private(set) var reachMeters = 0.0

  /// Begins at a point.
  init(_ point: TangentPlane.Point) { first = Place(point) }

  /// Keeps a point where the stay was after so many seconds, unless it has one of about then.
  @inline(__always)
  mutating func add(_ point: TangentPlane.Point, seconds after: Double, reachMeters reach: Double) {
    let count = later.count + 1
    guard count < Self.capacity, after >= Double(count) * Self.stepSeconds else { return }
    later.append(Step(seconds: Float(after), place: Place(point)))
    reachMeters = max(reachMeters, reach)
  }

  /// Keeps the first point only.
  mutating func forget() { later = [] }

  /// Seconds from the first fix to the first that lies within so many metres of a point; none where all lie outside. A
  /// silence on the way counts as long as a walk takes: the rest of it was spent where the walk led.
  func seconds(
    to point: TangentPlane.Point, within meters: Double, _ configuration: VisitConfiguration
  ) -> Double {
    if first.isWithin(meters, of: point) { return 0 }
    var before = Step(seconds: 0, place: first)
    var spent = 0.0
    for step in later {
      let seconds = Double(step.seconds - before.seconds)
      if seconds >= configuration.silenceSeconds {
        let way = step.place.squareMeters(to: before.place.point).squareRoot()
        spent += max(0, seconds - way / configuration.walkingMetersPerSecond)
      }
      if step.place.isWithin(meters, of: point) { return Double(step.seconds) - spent }
      before = step
    }
    return 0
  }
}

/// Coded as three columns of eight numbers, the layout of earlier versions.
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
    func place(_ index: Int) -> Place {
      Place(TangentPlane.Point(east: Double(columns.east[index]), north: Double(columns.north[index])))
    }
    first = place(0)
    for index in 1..<max(1, min(columns.count, Self.capacity)) {
      later.append(Step(seconds: columns.seconds[index], place: place(index)))
    }
    reachMeters = columns.reachMeters
  }

  func encode(to encoder: any Encoder) throws {
    var columns = Columns(count: later.count + 1, reachMeters: reachMeters)
    for (index, step) in ([Step(seconds: 0, place: first)] + later).enumerated() {
      columns.seconds[index] = step.seconds
      columns.east[index] = step.place.east
      columns.north[index] = step.place.north
    }
    try columns.encode(to: encoder)
  }
}

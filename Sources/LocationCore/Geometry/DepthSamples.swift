/// Places around one, in eight directions and at three distances, at which the depth of a shape is measured.
///
/// They come with the direction nearest to that of some other place first, the far ones before the near ones:
/// toward the middle of a shape it is deep.
struct DepthSamples {
  static let count = directions.count * parts.count

  private let place: Coordinate
  private let reachMeters: Double
  private let scale: LocalScale
  private let first: Int

  init(around place: Coordinate, reachMeters: Double, toward middle: Coordinate) {
    self.place = place
    self.reachMeters = reachMeters
    scale = LocalScale(latitude: place.latitude)
    let way = scale.offset(of: middle, from: place)
    var nearest = (index: 0, share: -Double.infinity)
    for (index, direction) in Self.directions.enumerated() {
      let share = way.east * direction.east + way.north * direction.north
      if share > nearest.share { nearest = (index, share) }
    }
    first = nearest.index
  }

  subscript(index: Int) -> Coordinate {
    // First 0, then one to either side, two, and so on.
    let turn = index / Self.parts.count
    let side = turn % 2 == 0 ? turn / 2 : -(turn + 1) / 2
    let direction = Self.directions[(first + side + Self.directions.count) % Self.directions.count]
    let radius = reachMeters * Self.parts[index % Self.parts.count]
    return scale.coordinate(east: radius * direction.east, north: radius * direction.north, from: place)
  }

  private static let directions = (0..<8).map { step in
    let (sine, cosine) = Trig.sincos(Double(step) * (Double.pi / 4))
    return (east: cosine, north: sine)
  }

  private static let parts = [1, 2 / 3.0, 1 / 3.0]
}

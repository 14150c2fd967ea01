/// The search for the deepest place of a shape within reach of a place.
///
/// A depth changes by at most a metre in a metre. So no place in a square is deeper than its middle and half its
/// diagonal together. The square in which that is most is quartered, again and again, until no place can be deeper by
/// more than ``toleranceShare`` of the reach. That is how a pole of inaccessibility is found
/// (https://github.com/mapbox/polylabel), here among the places within reach.
enum DeepestPlace {
  /// How far what is found may fall short of the deepest place, as a share of the reach.
  static let toleranceShare = 0.01
  /// The most places that are measured. What is found then is a depth, but maybe not the deepest: where all of a long
  /// line is equally deep, it takes many squares.
  static let mostPlaces = 160

  /// Metres around the place.
  private struct Square {
    var east: Double
    var north: Double
    var halfMeters: Double
    /// The depth that no place in it exceeds, metres.
    var mostMeters: Double
  }

  /// Metres inside the edge of the deepest place within reach; of one that is `enoughMeters` deep, where there is one.
  /// Where no place is `leastMeters` deep, the depth of any place will do.
  ///
  /// - Parameters:
  ///   - hereMeters: the depth of the place itself.
  ///   - knownMeters: a depth that is known to be within reach.
  ///   - middle: the middle of the shape, toward which it is looked first.
  ///   - depth: metres inside the edge of a place, negative outside. Where they are below the deepest so far, any upper
  ///     bound of them that is also below it will do.
  static func depthMeters(
    around place: Coordinate, hereMeters: Double, knownMeters: Double, reachMeters: Double,
    toward middle: Coordinate, leastMeters: Double, enoughMeters: Double, mostPlaces: Int,
    _ depth: (_ there: Coordinate, _ deepestMeters: Double) -> Double
  ) -> Double {
    let scale = LocalScale(latitude: place.latitude)
    var deepest = Swift.max(hereMeters, knownMeters)
    var measured = 0
    /// The depth of the place within reach that is nearest to one.
    func measure(_ east: Double, _ north: Double, away: Double) -> Double {
      let part = away > reachMeters ? reachMeters / away : 1
      let meters = depth(scale.coordinate(east: part * east, north: part * north, from: place), deepest)
      deepest = Swift.max(deepest, meters)
      measured += 1
      return meters
    }
    let way = scale.offset(of: middle, from: place)
    _ = measure(way.east, way.north, away: Trig.hypot(way.east, way.north))
    let tolerance = toleranceShare * reachMeters
    var squares = [
      Square(east: 0, north: 0, halfMeters: reachMeters, mostMeters: hereMeters + reachMeters)
    ]
    while deepest < enoughMeters, measured < mostPlaces,
      let index = squares.indices.max(by: { squares[$0].mostMeters < squares[$1].mostMeters }),
      squares[index].mostMeters > Swift.max(deepest + tolerance, leastMeters)
    {
      let square = squares[index]
      squares.swapAt(index, squares.count - 1)
      squares.removeLast()
      let half = 0.5 * square.halfMeters
      let radius = half * 2.0.squareRoot()
      for (east, north) in [(-half, -half), (half, -half), (-half, half), (half, half)] {
        let center = (east: square.east + east, north: square.north + north)
        let away = Trig.hypot(center.east, center.north)
        guard away - radius < reachMeters, deepest < enoughMeters else { continue }
        // Where the center is beyond reach, no place of the square within reach is farther from the place that is
        // measured than from the center.
        let meters = measure(center.east, center.north, away: away)
        squares.append(
          Square(
            east: center.east, north: center.north, halfMeters: half, mostMeters: meters + radius))
      }
    }
    return deepest
  }
}

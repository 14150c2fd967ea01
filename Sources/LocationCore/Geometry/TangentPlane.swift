/// A plane that touches the ellipsoid near one place: metres east and north of it, for what lies within kilometres.
///
/// Away from the poles it is that of ``LocalScale``. Within ``polarDegrees`` of a pole, where meridians meet, it is
/// the plane on which the pole is the middle of all of them; there "east" and "north" are its two axes and no more.
struct TangentPlane: Hashable, Sendable, Codable {
  /// Where both axes are zero.
  let origin: Coordinate
  private let metersPerDegreeLatitude: Double
  private let metersPerDegreeLongitude: Double

  /// Metres along the two axes.
  struct Point: Hashable, Sendable, Codable {
    var east: Double
    var north: Double
  }

  /// Degrees from a pole: farther off, the plane of a latitude errs by less than 2 % within ``reachMeters``.
  private static let polarDegrees = 1.0
  /// Metres from the origin up to which the plane is good: its error is a thousandth of a distance at most below 70°.
  static let reachMeters = 2000.0

  /// Whether a point is so near the origin that the plane is good for it.
  @inline(__always)
  static func reaches(_ point: Point) -> Bool {
    abs(point.east) < reachMeters && abs(point.north) < reachMeters
  }

  private init(origin: Coordinate, metersPerDegreeLatitude: Double, metersPerDegreeLongitude: Double) {
    self.origin = origin
    self.metersPerDegreeLatitude = metersPerDegreeLatitude
    self.metersPerDegreeLongitude = metersPerDegreeLongitude
  }

  /// The plane at a place.
  init(at origin: Coordinate) {
    self.origin = origin
    let scale = LocalScale(latitude: origin.latitude)
    metersPerDegreeLatitude = scale.metersPerDegreeLatitude
    metersPerDegreeLongitude = scale.metersPerDegreeLongitude
  }

  /// Where the origin lies on the polar plane; nil away from the poles.
  @inline(__always) private var polarOrigin: Point? {
    let isPolar = 90 - abs(origin.latitude) < Self.polarDegrees
    return isPolar ? Self.polar(origin, metersPerDegreeLatitude) : nil
  }

  /// Metres from the origin to a place.
  @inline(__always)
  func point(of place: Coordinate) -> Point {
    if let polarOrigin {
      let point = Self.polar(place, metersPerDegreeLatitude)
      return Point(east: point.east - polarOrigin.east, north: point.north - polarOrigin.north)
    }
    let degreesEast = Geodesy.longitudeDifference(from: origin.longitude, to: place.longitude)
    return Point(
      east: degreesEast * metersPerDegreeLongitude,
      north: (place.latitude - origin.latitude) * metersPerDegreeLatitude)
  }

  /// The place at a point of the plane.
  func coordinate(of point: Point) -> Coordinate {
    guard let polarOrigin else {
      return LocalScale(latitude: origin.latitude).coordinate(
        east: point.east, north: point.north, from: origin)
    }
    let east = point.east + polarOrigin.east
    let north = point.north + polarOrigin.north
    let degrees = Swift.min(90, Trig.hypot(east, north) / metersPerDegreeLatitude)
    let longitude = Trig.atan2(east, north) * Trig.degreesPerRadian
    return Coordinate(
      uncheckedLatitude: origin.latitude < 0 ? degrees - 90 : 90 - degrees,
      longitude: Swift.min(180, Swift.max(-180, longitude)))
  }

  private static func polar(_ place: Coordinate, _ metersPerDegree: Double) -> Point {
    let radius = (90 - abs(place.latitude)) * metersPerDegree
    let (sin, cos) = Trig.sincos(place.longitude * Trig.radiansPerDegree)
    return Point(east: radius * sin, north: radius * cos)
  }
}

extension TangentPlane: HasNone {
  static var none: TangentPlane {
    TangentPlane(origin: .none, metersPerDegreeLatitude: 0, metersPerDegreeLongitude: 0)
  }
  var isNone: Bool { @inline(__always) get { origin.isNone } }
}

extension TangentPlane.Point: HasNone {
  static var none: Self { Self(east: .none, north: 0) }
  var isNone: Bool { @inline(__always) get { east.isNone } }
}

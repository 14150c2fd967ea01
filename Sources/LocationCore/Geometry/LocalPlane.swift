/// Distances around one latitude without trigonometry: the scales of ``LocalScale`` as they change north and
/// south of it, to the second order.
struct LocalPlane: Sendable {
  let latitude: Double
  private let perLongitude: (Double, Double, Double)
  private let perLatitude: (Double, Double)

  /// The plane around a latitude in degrees.
  init(latitude: Double) {
    let (sine, cosine) = Trig.sincos(latitude * Trig.radiansPerDegree)
    let w2 = 1 / (1 - WGS84.eccentricitySquared * sine * sine)
    let degree = Trig.radiansPerDegree
    let parallel = WGS84.equatorialRadiusMeters * w2.squareRoot() * cosine
    let meridian =
      WGS84.equatorialRadiusMeters * w2.squareRoot() * w2 * (1 - WGS84.eccentricitySquared)
    let steepening = 3 * meridian * WGS84.eccentricitySquared * sine * cosine * w2
    self.latitude = latitude
    // The radius of a parallel changes by minus the meridian radius of curvature times the sine.
    perLongitude = (
      parallel * degree, -meridian * sine * degree * degree,
      -0.5 * (meridian * cosine + steepening * sine) * degree * degree * degree
    )
    perLatitude = (meridian * degree, steepening * degree * degree)
  }

  /// The scale at its latitude.
  var scale: LocalScale {
    LocalScale(latitude: latitude, perLatitude: perLatitude.0, perLongitude: perLongitude.0)
  }

  /// Degrees of latitude around the plane's within which it answers.
  private static let reachDegrees = 0.05
  /// The most, in metres, by which an answer of up to ``longestMeters`` is wrong: ten times what is left out.
  static let errorMeters = 0.01
  /// The longest answer, metres.
  private static let longestMeters = 6_000.0

  /// Metres in a degree of longitude and of latitude at a latitude; nil where this plane does not reach.
  @inline(__always)
  func scales(at latitude: Double) -> (perLongitude: Double, perLatitude: Double)? {
    let x = latitude - self.latitude
    guard abs(x) < Self.reachDegrees, abs(self.latitude) < 80 else { return nil }
    return (
      perLongitude.0 + x * (perLongitude.1 + x * perLongitude.2), perLatitude.0 + x * perLatitude.1
    )
  }

  /// Metres between two places; nil where this plane does not reach.
  @inline(__always)
  func distanceMeters(_ a: Coordinate, _ b: Coordinate) -> Double? {
    let x = a.latitude - latitude
    let y = b.latitude - latitude
    guard abs(x) < Self.reachDegrees, abs(y) < Self.reachDegrees else { return nil }
    let middle = 0.5 * (x + y)
    let scale = perLongitude.0 + middle * (perLongitude.1 + middle * perLongitude.2)
    let east = Geodesy.longitudeDifference(from: a.longitude, to: b.longitude) * scale
    let north = (y - x) * (perLatitude.0 + middle * perLatitude.1)
    let meters = (east * east + north * north).squareRoot()
    return meters < Self.longestMeters && abs(latitude) < 80 ? meters : nil
  }
}

package import LocationCore

/// A straight piece of the way: the geodesic from one place to another.
package struct GeodesicLeg: Hashable, Sendable {
  /// Where it begins.
  package let start: Coordinate
  /// The direction in which it leaves, degrees from true north.
  package let azimuthDegrees: Double
  /// How long it is, metres.
  package let lengthMeters: Double

  /// The longest leg for which the direction is found, metres.
  package static let longestMeters = 10_000_000.0

  /// The geodesic between two places at most ``longestMeters`` apart.
  package init(from start: Coordinate, to end: Coordinate) {
    self.start = start
    lengthMeters = Geodesy.distanceMeters(start, end)
    azimuthDegrees = Self.azimuth(from: start, to: end, lengthMeters: lengthMeters)
  }

  /// The place that many metres along.
  package func coordinate(at meters: Double) -> Coordinate {
    Geodesy.direct(from: start, azimuthDegrees: azimuthDegrees, distanceMeters: meters)
  }

  /// The direction of travel that many metres along, degrees from true north, -180 to 180.
  package func courseDegrees(at meters: Double) -> Double {
    Self.course(from: start, azimuthDegrees: azimuthDegrees, at: meters)
  }

  /// Shoots along the great circle's direction and corrects it by what it missed the end by.
  ///
  /// The ellipsoid's geodesic differs from the great circle by less than half a degree, and each shot gains
  /// at least two digits.
  private static func azimuth(from start: Coordinate, to end: Coordinate, lengthMeters: Double) -> Double {
    guard lengthMeters > 0 else { return 0 }
    var azimuth = greatCircleAzimuth(from: start, to: end)
    let scale = LocalScale(latitude: end.latitude)
    // The reduced length: by how much the far end moves sideways for each radian turned at the start.
    let reduced = meanRadiusMeters * Trig.sin(lengthMeters / meanRadiusMeters)
    for _ in 0..<shots {
      let hit = Geodesy.direct(from: start, azimuthDegrees: azimuth, distanceMeters: lengthMeters)
      let miss = scale.offset(of: end, from: hit)
      let course = course(from: start, azimuthDegrees: azimuth, at: lengthMeters) * Trig.radiansPerDegree
      let aside = miss.east * Trig.cos(course) - miss.north * Trig.sin(course)
      if abs(aside) < closeEnoughMeters { break }
      azimuth += aside / reduced * Trig.degreesPerRadian
    }
    return azimuth
  }

  private static func greatCircleAzimuth(from start: Coordinate, to end: Coordinate) -> Double {
    let from = Trig.sincos(start.latitude * Trig.radiansPerDegree)
    let to = Trig.sincos(end.latitude * Trig.radiansPerDegree)
    let difference = Geodesy.longitudeDifference(from: start.longitude, to: end.longitude)
    let turn = Trig.sincos(difference * Trig.radiansPerDegree)
    // cos a · sin b - sin a · cos b · cos l, written so that near places do not cancel it away.
    let rise = Trig.sin((end.latitude - start.latitude) * Trig.radiansPerDegree)
    let half = Trig.sin(difference * Trig.radiansPerDegree / 2)
    let north = rise + 2 * from.sin * to.cos * half * half
    return Trig.atan2(turn.sin * to.cos, north) * Trig.degreesPerRadian
  }

  /// The direction between two places half a metre before and behind.
  private static func course(from start: Coordinate, azimuthDegrees: Double, at meters: Double) -> Double {
    let before = Geodesy.direct(from: start, azimuthDegrees: azimuthDegrees, distanceMeters: meters - 0.5)
    let behind = Geodesy.direct(from: start, azimuthDegrees: azimuthDegrees, distanceMeters: meters + 0.5)
    let step = LocalScale(latitude: before.latitude).offset(of: behind, from: before)
    return Trig.atan2(step.east, step.north) * Trig.degreesPerRadian
  }

  private static let shots = 20
  private static let closeEnoughMeters = 1e-6
  /// The mean of the semi-axes of WGS 84, metres.
  private static let meanRadiusMeters = 6_371_008.8
}

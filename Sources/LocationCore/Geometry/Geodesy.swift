/// Distances on the WGS 84 ellipsoid.
public enum Geodesy {
  /// Metres along the shortest path between two places; never NaN.
  public static func distanceMeters(_ a: Coordinate, _ b: Coordinate) -> Double {
    let local = localDistance(a, b)
    return local.errorMeters <= localIsExactBelowMeters ? local.meters : inverseDistance(a, b)
  }

  /// Whether `b` is `thresholdMeters` or more from `a`, as exact as ``distanceMeters(_:_:)`` would tell.
  ///
  /// The local formula answers where its error cannot change the answer.
  public static func isAtLeast(_ thresholdMeters: Double, from a: Coordinate, to b: Coordinate) -> Bool {
    let local = localDistance(a, b)
    if abs(local.meters - thresholdMeters) > local.errorMeters { return local.meters > thresholdMeters }
    return distanceMeters(a, b) >= thresholdMeters
  }

  /// Degrees of longitude from one meridian to another the short way round, -180 to 180; positive east.
  ///
  /// Exact where it matters: across the antimeridian the two distances to it are added.
  @inline(__always)
  public static func longitudeDifference(from a: Double, to b: Double) -> Double {
    let difference = b - a
    if difference > 180 { return (b - 180) - (a + 180) }
    if difference < -180 { return (b + 180) - (a - 180) }
    return difference
  }

  /// A longitude brought into -180 to 180; -180 and 180 stay as they are.
  public static func normalizedLongitude(_ degrees: Double) -> Double {
    abs(degrees) <= 180 ? degrees : degrees.remainder(dividingBy: 360)
  }

  /// Below this error the local formula is taken for exact, metres.
  static let localIsExactBelowMeters = 1e-7
}

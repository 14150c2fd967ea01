/// The shortest path between two places on the WGS 84 ellipsoid.
public struct Geodesic: Hashable, Sendable {
  /// Metres.
  public let lengthMeters: Double
  /// Degrees from true north on leaving the start, -180 to 180; 0 between identical places.
  public let startAzimuthDegrees: Double
  /// Degrees from true north on arriving at the end, in the direction of travel, -180 to 180.
  public let endAzimuthDegrees: Double
}

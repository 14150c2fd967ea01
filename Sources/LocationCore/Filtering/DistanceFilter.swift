/// The plain distance rule: lets a position through when it is at least a threshold away from the last one
/// let through, on the WGS 84 ellipsoid. The first always passes.
public struct DistanceFilter: Hashable, Sendable, Codable {
  /// Metres.
  public let thresholdMeters: Double
  /// The last position let through.
  public private(set) var last: Coordinate?

  public init(thresholdMeters: Double) { self.thresholdMeters = thresholdMeters }

  /// Whether the position passes; if it does, it is the new reference.
  public mutating func passes(_ position: Coordinate) -> Bool {
    if let last, !Geodesy.isAtLeast(thresholdMeters, from: last, to: position) { return false }
    last = position
    return true
  }
}

/// Whether the machine rests: the fixes stay around one place.
struct RestAnchor: Hashable, Sendable, Codable {
  private var anchor: Fix?
  /// The last fix that was asked for, at rest or not.
  private var last: Fix?
  /// Metres a second between the last two fixes, or as the receiver has it where that is more.
  private(set) var speedMetersPerSecond = 0.0

  /// Metres around the place that still are the place: a flat, a yard.
  private static let placeMeters = 50.0
  /// Standard deviations of the difference of two fixes that are no movement.
  private static let noiseSigmas = 4.0
  /// Seconds in one place that are a rest.
  private static let settledSeconds = 120.0

  /// Takes a fix into account.
  mutating func note(_ fix: Fix) {
    if let last {
      let seconds = last.instant.seconds(to: fix.instant)
      let meters = Self.movedMeters(from: last, to: fix)
      speedMetersPerSecond = Swift.max(fix.speedMetersPerSecond ?? 0, seconds > 0 ? meters / seconds : 0)
    }
    last = fix
    guard let anchor, Self.movedMeters(from: anchor, to: fix) <= Self.placeMeters else {
      anchor = fix
      return
    }
  }

  /// Whether the machine has rested for a while, at the last fix.
  var isResting: Bool {
    guard let anchor, let last else { return false }
    return anchor.instant.seconds(to: last.instant) >= Self.settledSeconds
  }

  /// Metres between two fixes beyond what their errors explain.
  private static func movedMeters(from a: Fix, to b: Fix) -> Double {
    let sigmaA = a.accuracy.sigmaMeters
    let sigmaB = b.accuracy.sigmaMeters
    let noise = noiseSigmas * (sigmaA * sigmaA + sigmaB * sigmaB).squareRoot()
    return Swift.max(0, Geodesy.distanceMeters(a.coordinate, b.coordinate) - noise)
  }
}

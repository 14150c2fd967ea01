import LocationCore

/// How long to wait before the next attempt to connect: 1, 2, 4, ... 30 s, each up to a quarter longer, so that many
/// clients of a gpsd that was restarted do not come at once.
package struct ReconnectDelay: Sendable {
  /// Seconds before the first attempt.
  package static let firstSeconds = 1.0
  /// Seconds before all but the first few.
  package static let longestSeconds = 30.0
  /// The share of the delay by which it may be longer.
  package static let jitter = 0.25

  private var generator: SplitMix64
  private var nextSeconds = Self.firstSeconds

  /// - Parameter seed: the same seed gives the same delays.
  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// Seconds until the next attempt.
  package mutating func next() -> Double {
    defer { nextSeconds = min(nextSeconds * 2, Self.longestSeconds) }
    return nextSeconds * (1 + Self.jitter * generator.unit())
  }

  /// An attempt has succeeded.
  package mutating func reset() { nextSeconds = Self.firstSeconds }
}

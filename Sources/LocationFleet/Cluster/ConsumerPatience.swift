import LocationCore

/// How long the answer to the request for a consumer may take before one of another name is asked for.
///
/// A server that is there counts what waits for the consumer, which takes seconds where it is busy, and one that is asked
/// again and again gets nowhere. So the first attempt waits three times as long as the last consumer took, within bounds,
/// and each further one twice as long as the one before.
package struct ConsumerPatience {
  private var first = bounds.least

  private static let bounds = (least: 1.5, first: 12.0, most: 60.0)
  private static let times = 3.0

  package init() {}

  /// - Parameter attempts: how many were in vain.
  package func seconds(after attempts: Int) -> Double {
    first.doubled(attempts, atMost: Self.bounds.most)
  }

  /// Notes how long one took, seconds.
  package mutating func note(_ seconds: Double) {
    first = min(Self.bounds.first, max(Self.bounds.least, seconds * Self.times))
  }
}

/// How long it takes from the moment at which the cluster took a fix until it has confirmed the event, as a histogram.
package struct LatencyCounts: Hashable, Sendable {
  /// Upper bounds, milliseconds; what is longer is counted last.
  package static let boundsMilliseconds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000]
  /// How many fall within each bound and above the one before.
  package private(set) var counts = [Int](repeating: 0, count: boundsMilliseconds.count + 1)
  /// The sum of all, seconds.
  package private(set) var sumSeconds = 0.0

  package init() {}

  mutating func count(_ seconds: Double) {
    let milliseconds = seconds * 1_000
    let index =
      Self.boundsMilliseconds.firstIndex { milliseconds <= Double($0) } ?? Self.boundsMilliseconds.count
    counts[index] += 1
    sumSeconds += max(0, seconds)
  }
}

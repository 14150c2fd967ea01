/// How long something that failed waits before it is tried again: twice as long each time, until it works.
package struct RetryWait: Hashable, Sendable {
  private let least: Double
  private let most: Double
  /// How long now.
  package private(set) var seconds: Double

  /// By default as programs that fail (rule K5).
  ///
  /// - Parameters:
  ///   - least: seconds at first.
  ///   - most: seconds at most, however often it fails.
  package init(least: Double = 1, most: Double = 300) {
    self.least = least
    self.most = most
    seconds = least
  }

  /// It was tried again.
  package mutating func double() { seconds = min(most, seconds * 2) }

  /// It works.
  package mutating func reset() { seconds = least }
}

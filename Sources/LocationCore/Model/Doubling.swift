extension Double {
  /// A wait in seconds, doubled so many times, as after failures in a row.
  package func doubled(_ times: Int, atMost limit: Double) -> Double {
    min(self * Double(1 << min(max(0, times), Self.mostDoublings)), limit)
  }

  /// More make no difference to any limit.
  private static let mostDoublings = 32
}

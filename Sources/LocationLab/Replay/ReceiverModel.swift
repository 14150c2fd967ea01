import LocationCore

/// The receiver of a replay: it obeys the engine's orders, takes its time to a fix, and lets through only those fixes
/// of the track that it was on for.
struct ReceiverModel {
  /// From when on it has fixes; nil while it is off. It begins on, with the track's first fix.
  private var readyAt: EngineInstant? = .distantPast
  private var searchSeconds = 0.0
  /// The last point of the track, seen or not.
  private var lastPoint: EngineInstant?
  private var hasFix = true

  /// A track without a point for so long says that there was no sky.
  private static let skySeconds = 60.0

  /// Carries out an order that was given at `instant`.
  ///
  /// - Parameter searchSeconds: how long a search takes that begins then, under open sky.
  mutating func perform(
    _ order: ReceiverOrder, at instant: EngineInstant, searchSeconds: @autoclosure () -> Double
  ) {
    switch order {
    case .on:
      self.searchSeconds = searchSeconds()
      readyAt = instant.advanced(bySeconds: self.searchSeconds)
      hasFix = false
    case .off: readyAt = nil
    }
  }

  /// Whether the receiver has the fix of the track at an instant.
  mutating func sees(_ instant: EngineInstant) -> Bool {
    defer { lastPoint = Swift.max(instant, lastPoint ?? instant) }
    guard let ready = readyAt else { return false }
    if !hasFix, let lastPoint, lastPoint.seconds(to: instant) > Self.skySeconds {
      // A search finds nothing where there is no sky: it begins with the first point after that.
      readyAt = Swift.max(ready, instant.advanced(bySeconds: searchSeconds))
    }
    guard instant >= readyAt ?? ready else { return false }
    hasFix = true
    return true
  }
}

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
  /// Seconds after which the engine gives a search up.
  private let patienceSeconds: Double
  /// Steps between points of the track, and those that last at least as long as a search.
  private var steps = (all: 0, long: 0)

  /// A track without a point for so long says that there was no sky.
  private static let skySeconds = 60.0

  init(_ sampling: SamplingConfiguration) { patienceSeconds = sampling.searchSeconds }

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
    noteStep(to: instant)
    guard let ready = readyAt else { return false }
    if !hasFix, let lastPoint, lastPoint.seconds(to: instant) > Self.skySeconds {
      // A search finds nothing where there is no sky: it begins with the first point after that.
      readyAt = Swift.max(ready, instant.advanced(bySeconds: searchSeconds))
    }
    guard instant >= readyAt ?? ready else { return false }
    hasFix = true
    return true
  }

  private mutating func noteStep(to instant: EngineInstant) {
    guard let lastPoint, instant > lastPoint else { return }
    steps.all += 1
    if lastPoint.seconds(to: instant) >= patienceSeconds { steps.long += 1 }
  }

  /// Why little is found on a track whose points stand for the sky: most searches end before the next point. Nil where
  /// they do not.
  var lack: String? {
    guard 2 * steps.long > steps.all else { return nil }
    let seconds = Wording.figure(patienceSeconds, 0)
    return
      "most fixes of the track are \(seconds) s or more apart, and a search of the receiver is given up after "
      + "\(seconds) s: it gets almost none"
  }
}

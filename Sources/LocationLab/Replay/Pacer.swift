import LocationCore

/// Keeps a replay at a multiple of the speed of time. It changes when something is printed, never what.
///
/// Time is the engine's: a source's clock that is set passes none.
struct Pacer {
  private let speed: Double
  private var start: (instant: EngineInstant, at: ContinuousClock.Instant)?

  init(speed: Double) { self.speed = speed }

  /// The instant at which the replay may tell of a fix of `instant`; nil when that is past.
  mutating func pause(at instant: EngineInstant?) -> ContinuousClock.Instant? {
    guard let instant else { return nil }
    let now = ContinuousClock.now
    guard let start else {
      self.start = (instant, now)
      return nil
    }
    let due = start.at + .seconds(start.instant.seconds(to: instant) / speed)
    return due > now ? due : nil
  }
}

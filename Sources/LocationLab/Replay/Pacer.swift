import LocationCore

/// Keeps a replay at a multiple of the speed of time. It changes when something is printed, never what.
struct Pacer {
  private let speed: Double
  private var start: (time: UTCTime, at: ContinuousClock.Instant)?

  init(speed: Double) { self.speed = speed }

  /// The instant at which the replay may go on after a fix of `time`; nil when that is past.
  mutating func pause(at time: UTCTime?) -> ContinuousClock.Instant? {
    guard let time else { return nil }
    let now = ContinuousClock.now
    guard let start else {
      self.start = (time, now)
      return nil
    }
    let due = start.at + .seconds(start.time.seconds(to: time) / speed)
    return due > now ? due : nil
  }
}

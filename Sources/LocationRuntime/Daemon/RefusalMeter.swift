import LocationCore

/// Which subscribers and outlets ask on and on for what they are refused.
///
/// Each refusal is a record or a line in the log, so who repeats a request could fill these. Beyond
/// ``SupervisorLimits/refusalsPerMinute`` a request that would be refused does not reach the engine, beyond
/// ``SupervisorLimits/triesPerMinute`` none does but for those that give something back, and nothing is said of an outlet's,
/// until the minute is over.
struct RefusalMeter {
  private struct Minute {
    var ends: EngineInstant
    var refusals: Int
  }

  private var minutes: [String: Minute] = [:]
  private static let seconds = 60.0

  /// What a program is told while none of its requests reaches the engine.
  static let reason = "too_many_refusals"

  /// Counts a refusal, or a request that was tried without a record.
  mutating func note(_ subscriber: String, at now: EngineInstant) {
    var minute = minutes[subscriber] ?? Minute(ends: .distantPast, refusals: 0)
    if minute.ends <= now { minute = Minute(ends: now.advanced(bySeconds: Self.seconds), refusals: 0) }
    minute.refusals += 1
    minutes[subscriber] = minute
  }

  /// Whether a subscriber has been refused as often in this minute as it may be.
  func isOver(
    _ subscriber: String, at now: EngineInstant, limit: Int = SupervisorLimits.refusalsPerMinute
  ) -> Bool {
    guard let minute = minutes[subscriber], minute.ends > now else { return false }
    return minute.refusals >= limit
  }

  /// Forgets a subscriber that is gone.
  mutating func forget(_ subscriber: String) { minutes[subscriber] = nil }
}

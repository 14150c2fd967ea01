import Glibc
import LocationCore
import LocationFormats

/// Tells when the system clock is set: by the user, or by the network after a start with a wrong date. It is a timer
/// that is never due, and that Linux cancels then.
struct ClockWatch {
  private let timer = KernelTimer(of: CLOCK_REALTIME)
  /// Whether it was set since this watch began.
  private(set) var wasSet = false

  init() { arm() }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) { polled.watch(timer?.readable ?? -1) }

  /// Whether the clock was set, once.
  mutating func take(_ polled: PollSet) -> Bool {
    guard let timer, polled.has(timer.readable) else { return false }
    timer.drain()
    arm()
    wasSet = true
    return true
  }

  /// What the engine is to be told of UTC, microseconds ahead of its axis; nil where it knows that as well or better.
  ///
  /// A fix since the machine booted counts more: the boot-time clock has gone on from it. A clock that nobody has set
  /// may have begun at any date, so without that it only counts where it is ahead of what the engine takes for UTC.
  ///
  /// - Parameters:
  ///   - reading: both clocks, now.
  ///   - boot: when the machine booted, on the engine's axis.
  ///   - lastFix: when the engine's last fix was; nil before the first.
  ///   - known: what the engine was told.
  func news(
    of reading: ClockReading, boot: EngineInstant, lastFix: EngineInstant?, known: Int64?
  ) -> Int64? {
    guard let utc = reading.utc, lastFix.map({ $0 < boot }) ?? true else { return nil }
    let ahead = utc.microseconds.saturatingSubtract(reading.instant.microseconds)
    let step = ahead.saturatingSubtract(known ?? 0)
    guard step.magnitude > Self.leastStepMicroseconds, wasSet || step > 0 else { return nil }
    return ahead
  }

  /// A step that is more than how late a notification may be without being called so (rule D3).
  private static let leastStepMicroseconds: UInt64 = 1_000_000

  private func arm() { timer?.set(to: .max, tellsOfSetting: true) }
}

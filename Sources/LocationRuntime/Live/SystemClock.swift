import Glibc
package import LocationCore
import LocationFormats

/// The engine's axis on this machine: the boot-time clock, which counts through suspension and which nobody sets,
/// moved so that it agreed with the system clock when the axis was made.
package struct SystemClock: Sendable {
  /// From the boot-time clock to the axis, microseconds. Within one boot it makes the same axis again.
  package let offsetMicroseconds: Int64

  /// 2024-01-01T00:00:00Z. A system clock before it has not been set: this program is younger.
  package static let leastBelievable = UTCTime(microseconds: 1_704_067_200_000_000)

  /// An axis that begins at the system clock's time.
  package init() {
    offsetMicroseconds = SystemCall.microseconds(of: CLOCK_REALTIME)
      .saturatingSubtract(SystemCall.microseconds(of: CLOCK_BOOTTIME))
  }

  /// The axis of an engine of before, in another boot: it goes on after the last that the engine was told.
  ///
  /// - Parameter utc: what the date was then, by the last fix.
  package init(after last: EngineInstant, at utc: UTCTime) {
    let now = UTCTime(microseconds: SystemCall.microseconds(of: CLOCK_REALTIME))
    let passed = Self.passedMicroseconds(now: now, after: last, at: utc)
    offsetMicroseconds = last.microseconds.saturatingAdd(passed)
      .saturatingSubtract(SystemCall.microseconds(of: CLOCK_BOOTTIME))
  }

  /// How long the machine was off: the system clock's time beside the axis, which began at the system clock of then, and
  /// beside the date of then. Either may have been wrong by hours, on a board without a battery or with an old receiver.
  /// So the shorter counts that is no step back, and nothing where both are.
  static func passedMicroseconds(now: UTCTime, after last: EngineInstant, at utc: UTCTime) -> Int64 {
    [last.microseconds, utc.microseconds].map { now.microseconds.saturatingSubtract($0) }.filter { $0 >= 0 }
      .min() ?? 0
  }

  /// The axis of a clock before, in the same boot.
  package init(offsetMicroseconds: Int64) { self.offsetMicroseconds = offsetMicroseconds }

  /// Both clocks, now.
  package func read() -> ClockReading {
    let utc = UTCTime(microseconds: SystemCall.microseconds(of: CLOCK_REALTIME))
    return ClockReading(instant: instant, utc: utc < Self.leastBelievable ? nil : utc)
  }

  /// Now, on the engine's axis.
  package var instant: EngineInstant {
    EngineInstant(microseconds: SystemCall.microseconds(of: CLOCK_BOOTTIME).saturatingAdd(offsetMicroseconds))
  }

  /// Seconds that the machine has slept since it booted.
  package var sleptSeconds: Double {
    Double(
      SystemCall.microseconds(of: CLOCK_BOOTTIME).saturatingSubtract(
        SystemCall.microseconds(of: CLOCK_MONOTONIC)))
      / 1_000_000
  }

  /// How long `poll` has to wait for an instant: rounded up, so that the instant has come then; -1 for ever.
  package func milliseconds(until instant: EngineInstant?) -> Int32 {
    guard let instant else { return -1 }
    let microseconds = instant.microseconds.saturatingSubtract(self.instant.microseconds)
    return Int32(clamping: microseconds <= 0 ? 0 : (microseconds - 1) / 1000 + 1)
  }
}

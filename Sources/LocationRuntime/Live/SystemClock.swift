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

  /// An axis that begins at the system clock's time, or continues that of an engine which ran in an earlier boot.
  ///
  /// - Parameters:
  ///   - last: the engine's last event.
  ///   - ahead: microseconds by which UTC was ahead of the axis then.
  package init(after last: EngineInstant = .distantPast, utcAheadMicroseconds ahead: Int64 = 0) {
    let now = EngineInstant(microseconds: SystemCall.microseconds(of: CLOCK_REALTIME))
    offsetMicroseconds = Self.beginning(now: now, after: last, utcAheadMicroseconds: ahead).microseconds
      .saturatingSubtract(SystemCall.microseconds(of: CLOCK_BOOTTIME))
  }

  /// Where an axis begins. The old axis began at the system clock of its time; the last fix says how far off UTC it was.
  /// Either clock may have been wrong by hours: that of a board without a battery, or that of an old receiver. So the
  /// axis takes the earlier of the two beginnings that are not before the last event, or else that event.
  static func beginning(
    now: EngineInstant, after last: EngineInstant, utcAheadMicroseconds ahead: Int64
  ) -> EngineInstant {
    let byReceiver = EngineInstant(microseconds: now.microseconds.saturatingSubtract(ahead))
    return [now, byReceiver].filter { $0 >= last }.min() ?? last
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

import Glibc
import LocationFormats

/// The clocks of a worker. No decision about a device reads them.
package enum FleetClock {
  /// Seconds since the machine started, with the time that it slept.
  package static var seconds: Double { read(CLOCK_BOOTTIME) }

  /// Seconds since 1970.
  package static var wall: Double { read(CLOCK_REALTIME) }

  /// Waits.
  package static func pause(milliseconds: UInt32) {
    PollSet.pause(milliseconds: Int32(clamping: milliseconds))
  }

  private static func read(_ clock: clockid_t) -> Double {
    Double(SystemCall.microseconds(of: clock)) * 1e-6
  }
}

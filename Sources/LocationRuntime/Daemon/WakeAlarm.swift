import CTimer
import Glibc
import LocationCore
import LocationFormats

/// Wakes the daemon when something is due that may not wait for the machine to wake by itself (rules D3 and E2): a timer
/// of the clock that goes on while the machine sleeps, which `poll` does not count.
///
/// `CLOCK_BOOTTIME_ALARM` wakes the machine, too. It takes the capability `CAP_WAKE_ALARM` and a real-time clock. Where
/// it is not to be had, the timer fires as soon as something else has woken the machine.
struct WakeAlarm {
  private let timer: Descriptor?
  /// Whether it wakes the machine.
  let wakesMachine: Bool
  private var due: EngineInstant?

  init() {
    let flags = Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC)
    let alarm = Self.hasClock ? timerfd_create(Self.bootTimeAlarm, flags) : -1
    wakesMachine = alarm >= 0
    let number = alarm >= 0 ? alarm : timerfd_create(CLOCK_BOOTTIME, flags)
    timer = number >= 0 ? Descriptor(number) : nil
  }

  /// Sets it; nil for never.
  mutating func set(_ instant: EngineInstant?, by clock: SystemClock) {
    guard instant != due, let timer else { return }
    due = instant
    var setting = itimerspec()
    if let instant {
      let microseconds = max(1, instant.microseconds.saturatingSubtract(clock.offsetMicroseconds))
      setting.it_value = timespec(
        tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000 * 1_000))
    }
    _ = unsafe timerfd_settime(timer.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  /// Adds what is waited for. What is due is seen by the clock.
  func watch(_ polled: inout PollSet) { polled.watch(timer?.number ?? -1) }

  /// Takes note that it has fired, where it has.
  mutating func take(_ polled: PollSet) {
    guard let timer, polled.has(timer.number) else { return }
    var count: UInt64 = 0
    _ = unsafe withUnsafeMutableBytes(of: &count) { unsafe SystemCall.readBytes(timer.number, $0) }
    due = nil
  }

  /// Linux has the number (clock_gettime(2)); not every C library shows it.
  private static let bootTimeAlarm: Int32 = 9

  /// A machine without a real-time clock takes the timer and never wakes.
  private static var hasClock: Bool { unsafe access("/sys/class/rtc/rtc0", F_OK) == 0 }
}

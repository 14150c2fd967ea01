import Glibc
import LocationCore
import LocationFormats

/// Wakes the daemon when something is due that may not wait for the machine to wake by itself (rules D3 and E2): a timer
/// of the clock that goes on while the machine sleeps, which `poll` does not count.
///
/// `CLOCK_BOOTTIME_ALARM` wakes the machine, too. It takes the capability `CAP_WAKE_ALARM` and a real-time clock. Where
/// it is not to be had, the timer fires as soon as something else has woken the machine.
struct WakeAlarm {
  private let timer: KernelTimer?
  /// Whether it wakes the machine.
  let wakesMachine: Bool
  private var due: EngineInstant?

  init() {
    let alarm = Self.hasClock ? KernelTimer(of: Self.bootTimeAlarm) : nil
    wakesMachine = alarm != nil
    timer = alarm ?? KernelTimer(of: CLOCK_BOOTTIME)
  }

  /// Sets it; nil for never.
  mutating func set(_ instant: EngineInstant?, by clock: SystemClock) {
    guard instant != due, let timer else { return }
    due = instant
    timer.set(to: instant.map { max(1, $0.microseconds.saturatingSubtract(clock.offsetMicroseconds)) })
  }

  /// Adds what is waited for. What is due is seen by the clock.
  func watch(_ polled: inout PollSet) { polled.watch(timer?.readable ?? -1) }

  /// Takes note that it has fired, where it has.
  mutating func take(_ polled: PollSet) {
    guard let timer, polled.has(timer.readable) else { return }
    timer.drain()
    due = nil
  }

  /// Linux has the number (clock_gettime(2)); not every C library shows it.
  private static let bootTimeAlarm: Int32 = 9

  /// A machine without a real-time clock takes the timer and never wakes.
  private static var hasClock: Bool { unsafe access("/sys/class/rtc/rtc0", F_OK) == 0 }
}

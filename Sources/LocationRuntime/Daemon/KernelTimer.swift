import CTimer
import Glibc
import LocationFormats

/// A timer of the kernel, for which `poll` waits (timerfd_create(2)).
struct KernelTimer {
  let descriptor: Descriptor

  /// Nil where there is none of that clock for this process.
  init?(of clock: clockid_t) {
    let number = timerfd_create(clock, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    guard number >= 0 else { return nil }
    descriptor = Descriptor(number)
  }

  /// What `poll` waits for.
  var readable: Int32 { descriptor.number }

  /// Sets it to a time of its clock, in microseconds; nil for never.
  ///
  /// - Parameter tellsOfSetting: whether it also fires when its clock is set.
  func set(to microseconds: Int64?, tellsOfSetting: Bool = false) {
    var setting = itimerspec()
    if let microseconds {
      setting.it_value = timespec(
        tv_sec: Int(microseconds / 1_000_000), tv_nsec: Int(microseconds % 1_000_000 * 1_000))
    }
    let flags = Int32(TFD_TIMER_ABSTIME) | (tellsOfSetting ? Int32(TFD_TIMER_CANCEL_ON_SET) : 0)
    _ = unsafe timerfd_settime(descriptor.number, flags, &setting, nil)
  }

  /// Takes note that it has fired.
  func drain() { descriptor.drain() }
}

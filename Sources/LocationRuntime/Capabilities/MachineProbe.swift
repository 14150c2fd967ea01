import Glibc
import LocationFormats

/// What the machine offers beside suspension of programs: memory pressure, sleep, the time, the screen's lock.
enum MachineProbe {
  static func look(_ bus: BusNames) -> [Capability] { [clock, memoryPressure, sleep, screenLock(bus)] }

  private static var clock: Capability {
    guard SystemClock().read().utc == nil else {
      return Capability("clock", .yes, "set: old and future fixes are refused")
    }
    return Capability(
      "clock", .partly, "not set: fixes of any date are believed", remedy: "set it, as by NTP or from gpsd")
  }

  /// Pressure stall information (`Documentation/accounting/psi.rst` of Linux).
  private static var memoryPressure: Capability {
    let path = "/proc/pressure/memory"
    guard unsafe access(path, R_OK) == 0 else {
      let reason = SystemReason.text(errno)
      return Capability(
        "memory-pressure", .no, "\(path): \(reason)",
        remedy: "a kernel with CONFIG_PSI, started with psi=1")
    }
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      return Capability(
        "memory-pressure", .partly, "can be read, not waited for: \(SystemReason.text(errno))")
    }
    defer { close(descriptor) }
    // 150 ms of stall in 2 s, the example of psi.rst; it is gone when the descriptor is closed.
    let trigger = Array("some 150000 2000000\u{0}".utf8)
    let written = unsafe trigger.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard written == trigger.count else {
      return Capability(
        "memory-pressure", .partly, "can be read, not waited for: \(SystemReason.text(errno))")
    }
    return Capability("memory-pressure", .yes, "\(path) can be waited for")
  }

  private static var sleep: Capability {
    let states = KernelFile.words(in: "/sys/power/state")
    guard states.contains("mem") || states.contains("freeze") else {
      return Capability("sleep", .no, "this machine can't sleep, or a container hides it")
    }
    guard unsafe access("/sys/class/rtc/rtc0/wakealarm", W_OK) == 0 else {
      return Capability("sleep", .partly, "it can sleep, and no clock that we may set wakes it")
    }
    return Capability("sleep", .yes, "it can sleep, and its clock can wake it")
  }

  /// The lock of the screen is reported, not noticed: logind tells it on D-Bus, which the daemon does not speak.
  private static func screenLock(_ bus: BusNames) -> Capability {
    guard bus.has("org.freedesktop.login1") else {
      return Capability(
        "screen-lock", .partly, "reported by locwatch lock and unlock; there is no logind to ask",
        remedy: "have the screen's locker run both (Docs/Subscribers.md)")
    }
    return Capability(
      "screen-lock", .yes, "reported by locwatch-session, which listens to logind",
      remedy: "start it in the user's session: systemctl --user enable --now locwatch-session")
  }
}

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

  /// Whether the daemon can wait for the kernel's signs of memory pressure.
  private static var memoryPressure: Capability {
    let path = MemoryPressureWatch.machine
    do throws(Failure) {
      _ = try MemoryPressureWatch()
      return Capability("memory-pressure", .yes, "\(path) can be waited for")
    } catch {
      let canRead = unsafe access(path, R_OK) == 0
      return Capability(
        "memory-pressure", canRead ? .partly : .no, "\(path): \(error.what)", remedy: error.remedy)
    }
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

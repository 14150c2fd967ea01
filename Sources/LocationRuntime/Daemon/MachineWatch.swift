import Glibc
import LocationCore
import LocationFormats

/// What the daemon watches of the machine itself: whether memory is short (rule A4), and the first unlock after a boot
/// (rule A8). What can't be watched is not, and why is in ``troubles``.
struct MachineWatch: ~Copyable {
  /// Why something is not watched, for the log.
  private(set) var troubles: [String] = []
  private var memory: MemoryPressureWatch?
  /// Nil once it was told: nothing is watched any more.
  private var unlock: FirstUnlock?

  /// - Parameter unlockFile: see ``FirstUnlock``.
  init(unlockFile: String) {
    do throws(Failure) { memory = try MemoryPressureWatch() } catch {
      memory = nil
      troubles.append(error.what)
    }
    do throws(Failure) { unlock = try FirstUnlock(path: unlockFile) } catch {
      unlock = nil
      troubles.append("the first unlock can't be seen: \(error)")
    }
  }

  /// Goes on with the pressure that an earlier daemon has told of: its end is seen here.
  mutating func resume(_ pressure: MemoryPressure) {
    memory?.resume(pressure, at: MonotonicTime.milliseconds)
  }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    polled.watch(unlock?.readable ?? -1)
    switch memory {
    case .some(let memory): memory.watch(&polled)
    case nil: break
    }
  }

  /// What has happened, once.
  mutating func take(_ polled: PollSet) -> [MachineEvent] {
    var events: [MachineEvent] = []
    if polled.has(unlock?.readable ?? -1), isUnlocked() { events.append(.unlock) }
    if let level = memory?.take(polled, at: MonotonicTime.milliseconds) {
      events.append(.memoryPressure(level))
    }
    return events
  }

  /// Whether the machine has been unlocked in this boot and that was not told before.
  mutating func isUnlocked() -> Bool {
    guard unlock?.isTold() == true else { return false }
    unlock = nil
    return true
  }

  /// How long may be waited at most, in milliseconds; -1 for ever.
  func wait(atMost milliseconds: Int32) -> Int32 {
    let deadline: Int64? =
      switch memory {
      case .some(let memory): memory.nextDeadline
      case nil: nil
      }
    guard let deadline else { return milliseconds }
    let left = Int32(clamping: max(0, deadline - MonotonicTime.milliseconds))
    return milliseconds < 0 ? left : min(milliseconds, left)
  }
}

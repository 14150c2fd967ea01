import Glibc
package import LocationCore
package import LocationFormats

/// Tells when the machine is short of memory (rule A4), by the kernel's own measure of the time that programs lose
/// waiting for it (PSI, Documentation/accounting/psi.rst). It never wakes while there is enough.
///
/// ```swift
/// var watch = try MemoryPressureWatch()
/// watch.watch(&polled)  // poll until watch.nextDeadline
/// if let level = watch.take(polled, at: now) { ... .machine(.memoryPressure(level)) ... }
/// ```
package struct MemoryPressureWatch: ~Copyable {
  /// Milliseconds over which the lost time is counted: the least that is open to all users, and what systemd takes
  /// (`MemoryPressureThresholdSec=` in systemd.resource-control(5)).
  package static let windowMilliseconds = 2_000
  /// A warning: some program lost this many milliseconds of a window. systemd's default.
  package static let warningMilliseconds = 200
  /// Critical: all programs at once lost this many milliseconds of a window: 7 %, as Android's lmkd has it
  /// (`psi_thresholds` in lmkd.cpp: 70 of 1,000 ms).
  package static let criticalMilliseconds = 140

  /// Where the whole machine's is.
  package static let machine = "/proc/pressure/memory"

  private var triggers: [Trigger]
  private var level = MemoryPressureLevel()

  /// One thing that the kernel gives signs of.
  private struct Trigger {
    let file: Descriptor
    let sign: MemoryPressure
    var count: PressureCount
  }

  /// - Parameter path: the machine's, or a cgroup's `memory.pressure`.
  /// - Throws: ``Failure`` of code 69 that says why the kernel does not tell.
  package init(path: String = Self.machine) throws(Failure) {
    let warning = try Self.trigger(path, "some", Self.warningMilliseconds, .warning)
    let critical = try Self.trigger(path, "full", Self.criticalMilliseconds, .critical)
    triggers = [warning, critical]
  }

  /// Goes on with a level that somebody else has told of, in milliseconds of ``MonotonicTime``.
  package mutating func resume(_ level: MemoryPressure, at now: Int64) { self.level.resume(level, at: now) }

  /// Adds what is waited for.
  package func watch(_ polled: inout PollSet) {
    for trigger in triggers { polled.watch(trigger.file.number, for: POLLPRI) }
  }

  /// Until when may be waited, in milliseconds of ``MonotonicTime``; nil for ever.
  package var nextDeadline: Int64? { level.nextDeadline }

  /// What has come, and what time has changed; the level where it is another than before.
  package mutating func take(_ polled: PollSet, at now: Int64) -> MemoryPressure? {
    for place in triggers.indices {
      let trigger = triggers[place]
      let events = polled.events(of: trigger.file.number)
      guard events & POLLPRI != 0, events & POLLERR == 0 else { continue }
      if triggers[place].count.confirms(KernelFile.read(trigger.file)) { level.note(trigger.sign, at: now) }
    }
    return level.change(at: now)
  }

  private static func trigger(
    _ path: String, _ kind: String, _ milliseconds: Int, _ sign: MemoryPressure
  ) throws(Failure) -> Trigger {
    guard let file = Descriptor.open(path, O_RDWR | O_NONBLOCK) else {
      let code = errno
      throw Failure(
        .unavailable, file: path,
        what: "the kernel does not tell of memory pressure: \(SystemReason.text(code))",
        remedy: code == ENOENT ? "a kernel with CONFIG_PSI, started with psi=1" : nil)
    }
    let code = KernelFile.write(file, "\(kind) \(milliseconds * 1_000) \(windowMilliseconds * 1_000)\0")
    guard code == 0 else {
      throw Failure(
        .unavailable, file: path,
        what: "the kernel does not tell of memory pressure: \(SystemReason.text(code))",
        remedy: code == EPERM ? "CAP_SYS_RESOURCE, or Linux 6.1" : nil)
    }
    var count = PressureCount(kind: kind, leastMicroseconds: UInt64(milliseconds) * 1_000)
    _ = count.confirms(KernelFile.read(file))
    return Trigger(file: file, sign: sign, count: count)
  }
}

/// Whether the kernel's count of lost time agrees with its sign. Linux 6.18 gives one at the first microsecond that is
/// lost after a quiet time. The count may be as old as a window: then the next sign is believed, a window later.
struct PressureCount {
  /// The line of the file: `some` or `full`.
  let kind: String
  /// Of which the kernel is to give a sign.
  let leastMicroseconds: UInt64
  private var lastMicroseconds: UInt64?

  init(kind: String, leastMicroseconds: UInt64) {
    self.kind = kind
    self.leastMicroseconds = leastMicroseconds
  }

  /// Whether so much was lost since the last look. A file that can't be read or has no count contradicts nothing.
  ///
  /// - Parameter text: what stands in the file: `some avg10=0.00 avg60=0.00 avg300=0.00 total=11036110`.
  mutating func confirms(_ text: String?) -> Bool {
    let line = text?.split(separator: "\n").first { $0.hasPrefix(kind) }
    guard let total = line?.split(separator: "=").last.flatMap({ UInt64($0) }) else { return true }
    defer { lastMicroseconds = total }
    return lastMicroseconds.map { total >= $0 + leastMicroseconds } ?? true
  }
}

import Glibc

/// What /proc says of a process.
struct ProcessStatus: Hashable, Sendable {
  /// One letter: R runs, S sleeps, T is stopped, Z has ended (proc_pid_stat(5), field 3).
  var state: Character
  /// Its parent process (field 4).
  var parent: pid_t
  /// Its process group (field 5).
  var group: pid_t
  /// Clock ticks of processor time, its own and of the children it waited for (fields 14 to 17).
  var ticks: Int
  /// Bytes it has resident (field 24).
  var residentBytes: Int
  /// When it started, in clock ticks since boot (field 22): with the number, that is one process and no other.
  var start: UInt64

  /// Nil where there is no such process.
  init?(of pid: pid_t) {
    guard let text = KernelFile.read("/proc/\(pid)/stat") else { return nil }
    self.init(stat: text)
  }

  /// Reads a line of `/proc/PID/stat`; the name in it may hold anything, brackets and spaces too.
  init?(stat text: String) {
    guard let bracket = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: bracket)...].split(whereSeparator: { $0 == " " || $0 == "\n" })
    guard fields.count > 21, let state = fields[0].first, let parent = pid_t(fields[1]),
      let group = pid_t(fields[2]),
      let start = UInt64(fields[19])
    else { return nil }
    self.state = state
    self.parent = parent
    self.group = group
    self.start = start
    residentBytes = (Int(fields[21]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    ticks = fields[11...14].reduce(0) { $0 + (Int($1) ?? 0) }
  }

  /// Seconds of processor time, its own and of the children it waited for.
  var coreSeconds: Double { Double(ticks) / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))) }

  /// The processes of a group, by number.
  static func members(ofGroup group: pid_t) -> [(pid: pid_t, status: ProcessStatus)] {
    KernelFile.names(in: "/proc", areDirectories: true).compactMap { name in
      guard let pid = pid_t(name), let status = ProcessStatus(of: pid), status.group == group else {
        return nil
      }
      return (pid, status)
    }
  }

  /// The boot that numbers and start times belong to.
  static let boot: String =
    KernelFile.read("/proc/sys/kernel/random/boot_id")?.filter { !$0.isWhitespace } ?? "unknown"
}

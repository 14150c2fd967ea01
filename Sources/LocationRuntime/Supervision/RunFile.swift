import Glibc
import LocationFormats

/// What is noted of a running program, so that a supervisor that starts after one was killed finds it: its number
/// and start, the boot, and its cgroup if it has one.
struct RunFile: Hashable {
  var pid: pid_t
  var start: UInt64
  var boot: String
  /// Nil where the program is not in a cgroup of its own.
  var cgroup: String?

  /// The end of a run file's name.
  static let ending = ".run"
  /// The same of a command that belongs to no subscriber.
  static let hookEnding = ".hook"
  /// No run file is longer: a path has up to 4,096.
  static let mostBytes = 8_192

  init(pid: pid_t, start: UInt64, boot: String, cgroup: String?) {
    self.pid = pid
    self.start = start
    self.boot = boot
    self.cgroup = cgroup
  }

  /// Of a process that runs; nil where none of that number does.
  init?(pid: pid_t, cgroup: String?) {
    guard let status = ProcessStatus(of: pid) else { return nil }
    self.init(pid: pid, start: status.start, boot: ProcessStatus.boot, cgroup: cgroup)
  }

  /// Nil where the text is not a whole run file: it was cut off by a crash.
  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 3)
    guard words.count == 4, text.hasSuffix("\n"), let pid = pid_t(words[0]), pid > 1,
      let start = UInt64(words[1])
    else { return nil }
    self.pid = pid
    self.start = start
    boot = String(words[2])
    let last = words[3].dropLast()
    cgroup = last == "-" ? nil : String(last)
  }

  var text: String { "\(pid) \(start) \(boot) \(cgroup ?? "-")\n" }

  /// Ends what is left of the program, if this is still the same boot.
  ///
  /// What has no cgroup, or has left it, is looked for in the process group. The kernel gives a group's number to no new
  /// process while a member lives (pid_namespaces(7), alloc_pid). So the group is the program's own if its leader is the
  /// process noted, or if it has no leader and no member is older than the program.
  func endSurvivors() {
    guard boot == ProcessStatus.boot, !isWatched else { return }
    if let cgroup, unsafe access(cgroup + "/cgroup.freeze", F_OK) == 0,
      let group = try? Cgroup(path: cgroup, thaws: false)
    {
      group.end()
    }
    let members = ProcessStatus.members(ofGroup: pid)
    let leader = members.first { $0.pid == pid }
    let isOurs = leader.map { $0.status.start == start } ?? members.allSatisfy { $0.status.start >= start }
    if isOurs, !members.isEmpty { kill(-pid, SIGKILL) }
  }
}

extension RunFile {
  /// Whether the daemon that started it lives, as where this is a copy of its folder. No daemon lives that has this one:
  /// the state file is locked.
  private var isWatched: Bool {
    guard let status = ProcessStatus(of: pid), status.start == start else { return false }
    return KernelFile.read("/proc/\(status.parent)/comm") == "locwatch\n"
  }
}

extension Cgroup {
  /// Kills what is in it, waits until that is gone and removes it.
  func end() {
    kill()
    let deadline = MonotonicTime.milliseconds + SupervisorLimits.reclaimMilliseconds
    while isPopulated {
      let left = deadline - MonotonicTime.milliseconds
      guard left > 0 else { break }
      _ = PollSet.wait(for: POLLPRI, on: events.number, atMost: Int32(left))
    }
    remove()
  }
}

import Glibc

/// A running program and everything it has started, as one thing to suspend, resume and end.
enum ProcessTree {
  /// All of it is in a cgroup of its own.
  case cgroup(Cgroup)
  /// What has not left the process group.
  case group(pid_t)

  /// Asks for suspension; false where the kernel refuses. ``isSuspended`` tells when it has come about.
  func suspend() -> Bool {
    switch self {
    case .cgroup(let cgroup): cgroup.freeze()
    case .group(let group): kill(-group, SIGSTOP) == 0
    }
  }

  /// Says whether it comes before others where processor and disk are short; a group has no such weight.
  func setPrecedence(isForeground: Bool) {
    if case .cgroup(let cgroup) = self { cgroup.setPrecedence(isForeground: isForeground) }
  }

  /// Lets it run again.
  func resume() {
    switch self {
    case .cgroup(let cgroup): cgroup.thaw()
    case .group(let group): _ = kill(-group, SIGCONT)
    }
  }

  /// Whether none of it runs. In a stopped group each process stops on its way out of the kernel.
  var isSuspended: Bool {
    switch self {
    case .cgroup(let cgroup): cgroup.isFrozen
    case .group(let group):
      ProcessStatus.members(ofGroup: group).allSatisfy { Self.restingStates.contains($0.status.state) }
    }
  }

  /// Ends all of it, at once and for certain.
  func end() {
    switch self {
    case .cgroup(let cgroup): cgroup.kill()
    case .group(let group): _ = kill(-group, SIGKILL)
    }
  }

  /// Processor seconds it has taken so far; in a group, those of its processes and of the children they waited for.
  func coreSeconds() -> Double? {
    switch self {
    case .cgroup(let cgroup): cgroup.coreSeconds
    case .group(let group):
      ProcessStatus.members(ofGroup: group).reduce(0) { $0 + $1.status.coreSeconds }
    }
  }

  /// Stopped, traced, or ended (proc_pid_stat(5), field 3).
  private static let restingStates: Set<Character> = ["T", "t", "Z", "X"]
}

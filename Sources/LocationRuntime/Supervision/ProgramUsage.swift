import Glibc

/// What a program and everything it has started take.
package struct ProgramUsage: Hashable, Sendable {
  /// Processor seconds since it was started.
  package var coreSeconds: Double
  /// Bytes of memory: what the kernel charges to its cgroup, or else what its processes have resident, in which pages
  /// that they share count more than once.
  package var memoryBytes: Int
  /// How many processes there are.
  package var processes: Int
}

extension ProcessTree {
  /// The processes in it by number, and what /proc says of them; without those that have ended.
  var members: [(pid: pid_t, status: ProcessStatus)] {
    let all =
      switch self {
      case .cgroup(let cgroup): cgroup.pids.compactMap { pid in ProcessStatus(of: pid).map { (pid, $0) } }
      case .group(let group): ProcessStatus.members(ofGroup: group)
      }
    return all.filter { $0.1.state != "Z" && $0.1.state != "X" }
  }

  /// Name and number of each process in it but one.
  func names(except first: pid_t) -> [String] {
    members.filter { $0.pid != first }.map { member in
      let name = KernelFile.read("/proc/\(member.pid)/comm")?.filter { !$0.isNewline } ?? "?"
      return "\(name) (\(member.pid))"
    }
  }

  /// What it takes now; nil where nothing is left of it.
  var usage: ProgramUsage? {
    let members = members
    guard !members.isEmpty, let coreSeconds = coreSeconds() else { return nil }
    var bytes = members.reduce(0) { $0 + $1.status.residentBytes }
    if case .cgroup(let cgroup) = self, let charged = cgroup.memoryBytes { bytes = charged }
    return ProgramUsage(coreSeconds: coreSeconds, memoryBytes: bytes, processes: members.count)
  }
}

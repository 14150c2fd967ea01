import Glibc

/// A descriptor that a process has open.
struct OpenDescriptor {
  var pid: pid_t
  var number: Int32
  /// What it leads to: a path, or such as `socket:[12345]` (proc_pid_fd(5)).
  var target: String

  /// Those of some processes, in the order of processes and numbers.
  ///
  /// - Parameter limit: how many at most.
  /// - Returns: the first ones, and whether they are all.
  static func list(of pids: [pid_t], atMost limit: Int) -> (found: [OpenDescriptor], areAll: Bool) {
    var found: [OpenDescriptor] = []
    for pid in pids {
      let left = limit - found.count
      // The kernel lists them by number (proc_readfd_common).
      let names = KernelFile.names(in: "/proc/\(pid)/fd", areDirectories: false, atMost: left + 1)
      let numbers = names.compactMap { Int32($0) }.sorted()
      for number in numbers.prefix(left) {
        guard let target = KernelFile.target("/proc/\(pid)/fd/\(number)") else { continue }
        found.append(OpenDescriptor(pid: pid, number: number, target: target))
      }
      if numbers.count > left { return (found, false) }
    }
    return (found, true)
  }
}

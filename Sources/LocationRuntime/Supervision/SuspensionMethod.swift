/// How programs are suspended on this machine (rules A3 and A6).
package enum SuspensionMethod: Hashable, Sendable {
  /// The whole process tree is frozen, by cgroup v2 below this directory.
  case freezer(path: String)
  /// The process group is stopped by SIGSTOP, because no cgroup can be used for this reason. A process that left
  /// the group runs on.
  case stopSignal(reason: String)

  /// The name in output.
  package var name: String {
    switch self {
    case .freezer: "freezer"
    case .stopSignal: "stop signal"
    }
  }
}

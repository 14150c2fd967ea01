import Glibc

/// Notes which commands of the settings run, so that a daemon that starts after one was killed ends them: what they do
/// or say can reach nobody (``SupervisorSite/reclaim()``).
struct HookNotes {
  /// Where run files lie.
  let runDirectory: String

  /// Where it can't be noted, as on a full disk, the command runs all the same: it ends by itself, and the user waits
  /// for what it shows.
  func note(_ pid: pid_t) {
    guard let run = RunFile(pid: pid, cgroup: nil) else { return }
    _ = KernelFile.write(path(pid), run.text, create: true)
  }

  func forget(_ pid: pid_t) { unsafe unlink(path(pid)) }

  private func path(_ pid: pid_t) -> String { "\(runDirectory)/\(pid)\(RunFile.hookEnding)" }
}

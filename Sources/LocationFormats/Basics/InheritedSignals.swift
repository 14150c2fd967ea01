import Glibc

/// How a program treats signals from its first line on. What its starter ignored or blocked would stay so
/// (signal(7), execve(2)).
package enum InheritedSignals {
  /// Has the kernel keep how our children end. Where SIGCHLD is ignored, it forgets that at once (waitpid(2)).
  package static func tellOfChildren() { _ = signal(SIGCHLD, SIG_DFL) }

  /// Has a write beyond a limit of file sizes fail, which is told, where the kernel would end the program (setrlimit(2)).
  package static func failWritesBeyondLimits() { _ = signal(SIGXFSZ, SIG_IGN) }

  /// Lets signals come to this thread.
  package static func unblock(_ signals: [Int32]) {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for number in signals { _ = unsafe sigaddset(&set, number) }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

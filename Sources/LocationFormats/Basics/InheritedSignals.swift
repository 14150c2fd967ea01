import Glibc

/// What a program must not inherit of how its starter treats signals (signal(7): what is ignored, and what is blocked,
/// stays so over execve).
package enum InheritedSignals {
  /// Has the kernel keep how our children end. Where SIGCHLD is ignored, it forgets that at once (waitpid(2)).
  package static func tellOfChildren() { _ = signal(SIGCHLD, SIG_DFL) }

  /// Lets signals come to this thread.
  package static func unblock(_ signals: [Int32]) {
    var set = sigset_t()
    _ = unsafe sigemptyset(&set)
    for number in signals { _ = unsafe sigaddset(&set, number) }
    _ = unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}

import Glibc

/// The programs that are installed beside this one.
package enum SiblingProgram {
  /// The full path of a program of that name; nil where nobody knows where this program is. It need not be there.
  package static func path(_ name: String) -> String? {
    let own = unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer -> String? in
      guard let start = unsafe buffer.bindMemory(to: CChar.self).baseAddress else { return nil }
      let count = unsafe readlink("/proc/self/exe", start, buffer.count)
      return count > 0 ? unsafe String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
    guard let own, let slash = own.lastIndex(of: "/") else { return nil }
    return own[...slash] + name
  }

  /// The same; nil where there is no such program.
  package static func executable(_ name: String) -> String? {
    path(name).flatMap { unsafe access($0, X_OK) == 0 ? $0 : nil }
  }

  /// Runs a program with the standard streams of this one, and waits for its end. Meanwhile Ctrl-C and Ctrl-\ are for that
  /// program alone, as system(3) has it.
  ///
  /// - Parameter isSilent: whether nobody is to see what it prints.
  /// - Returns: its exit status as a shell has it; 127 where it can't be started.
  package static func run(_ path: String, _ arguments: [String], isSilent: Bool = false) -> Int32 {
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { while let word = unsafe words.popLast() { unsafe free(word) } }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    let before = [SIGINT, SIGQUIT].map { number in
      unsafe sigaddset(&defaults, number)
      return (number, signal(number, SIG_IGN))
    }
    defer { for (number, handler) in before { _ = signal(number, handler) } }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    // Threads of Swift's runtime block nearly all signals.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var files = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&files)
    defer { unsafe posix_spawn_file_actions_destroy(&files) }
    for stream in isSilent ? [STDOUT_FILENO, STDERR_FILENO] : [] {
      unsafe posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0)
    }
    var pid: pid_t = 0
    guard unsafe posix_spawnp(&pid, path, &files, &attributes, &words, environ) == 0 else { return 127 }
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 { if errno != EINTR { return 127 } }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  /// Goes on as another program; returns only where it can't be started.
  package static func become(_ path: String, _ arguments: [String]) {
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    unsafe execvp(path, &words)
    while let word = unsafe words.popLast() { unsafe free(word) }
  }
}

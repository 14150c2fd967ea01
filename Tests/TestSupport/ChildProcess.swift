import FoundationEssentials
import Glibc
import Synchronization

/// A started process with pipes on its three standard streams, leader of a process group of its own.
struct ChildProcess: ~Copyable {
  /// Its number, which is its group's too.
  let pid: pid_t
  private var stdin: Int32
  private var stdout: Int32
  private var stderr: Int32

  /// How long one look at the pipes waits for something to happen, milliseconds.
  private static let lookMilliseconds: Int32 = 20

  /// Held from the birth of a pipe until its child has started: Swift sees no `pipe2`, and a run that
  /// starts between a `pipe` and its close-on-exec would inherit the other run's ends.
  private static let spawning = Mutex(())

  /// Starts it, by way of `env -C`, because Swift sees no `posix_spawn_file_actions_addchdir_np`.
  init(executable: String, arguments: [String], environment: [String], directory: String) throws(Binary
    .Failure)
  {
    guard FileManager.default.isExecutableFile(atPath: executable) else {
      throw Binary.Failure(
        description: "\(executable) can't be run: `swift build` makes it, LOCWATCH_BINARY names another")
    }
    // A child that closes its standard input must not end the tests.
    _ = signal(SIGPIPE, SIG_IGN)
    let command = ["env", "-C", directory, executable] + arguments
    self = try Self.spawning.withLock { _ throws(Binary.Failure) in
      try ChildProcess(command: command, environment: environment)
    }
  }

  private init(command: [String], environment: [String]) throws(Binary.Failure) {
    let input = try Self.pipe()
    let output = try Self.pipe()
    let error = try Self.pipe()

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, error.write, 2)
    // What Foundation opens has no close-on-exec: a daemon would keep the pipe of another test from its end, and had
    // fewer descriptors than a test allows it.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      guard let descriptor = Int32(name), descriptor > 2 else { continue }
      unsafe posix_spawn_file_actions_addclose(&actions, descriptor)
    }

    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // Signals as a fresh login shell has them, whatever the tests' own thread blocks or ignores.
    var every = sigset_t()
    var none = sigset_t()
    unsafe sigfillset(&every)
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &every)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    var argv = unsafe command.map { unsafe strdup($0) } + [nil]
    var envp = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe argv.indices { unsafe free(argv[index]) }
      for index in unsafe envp.indices { unsafe free(envp[index]) }
    }
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, "/usr/bin/env", &actions, &attributes, &argv, &envp)

    for descriptor in [input.read, output.write, error.write] { close(descriptor) }
    let ours = [input.write, output.read, error.read]
    guard code == 0 else {
      for descriptor in ours { close(descriptor) }
      throw Binary.Failure(description: "posix_spawn: \(unsafe String(cString: strerror(code)))")
    }
    for descriptor in ours { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    self.pid = pid
    stdin = input.write
    stdout = output.read
    stderr = error.read
  }

  /// Feeds it, reads it to its end and reaps it.
  ///
  /// - Parameter progress: told of what it has written so far, whenever that may have grown.
  mutating func finish(
    stdin input: [UInt8], timeout: Duration, progress: (borrowing Binary.Result) -> Void = { _ in }
  ) -> Binary.Result {
    var result = Binary.Result(
      status: 0, stdoutBytes: [], stderrBytes: [], peakResidentBytes: 0, timedOut: false)
    let deadline = ContinuousClock.now + timeout
    var unsent = input[...]
    if unsent.isEmpty { Self.closeOnce(&stdin) }

    var waitStatus: Int32?
    while waitStatus == nil {
      look(&unsent, &result)
      progress(result)
      if unsafe waitpid(pid, &result.status, WNOHANG) == pid {
        waitStatus = result.status
      } else if !result.timedOut, ContinuousClock.now >= deadline {
        result.timedOut = true
        kill(-pid, SIGKILL)
      }
    }
    // What it had written is in the pipes; what a process it left behind may still write is not waited for.
    Self.drain(&stdout, &result.stdoutBytes)
    Self.drain(&stderr, &result.stderrBytes)
    for descriptor in [stdin, stdout, stderr] where descriptor >= 0 { close(descriptor) }
    progress(result)
    let signal = result.status & 0x7f
    result.status = signal == 0 ? (result.status >> 8) & 0xff : 128 + signal
    return result
  }

  /// Waits a moment for a pipe to be ready, then moves what can be moved.
  private mutating func look(_ unsent: inout ArraySlice<UInt8>, _ result: inout Binary.Result) {
    // poll(2) passes over negative descriptors.
    var entries = [
      pollfd(fd: stdin, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: stdout, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stderr, events: Int16(POLLIN), revents: 0),
    ]
    // With every pipe closed only the end is still to come: look for it often.
    let isDone = stdin < 0 && stdout < 0 && stderr < 0
    unsafe poll(&entries, nfds_t(entries.count), isDone ? 1 : Self.lookMilliseconds)
    result.peakResidentBytes = max(result.peakResidentBytes, Self.peakResidentBytes(of: pid))
    if entries[0].revents != 0 { Self.send(&stdin, &unsent) }
    if entries[1].revents != 0 { Self.drain(&stdout, &result.stdoutBytes) }
    if entries[2].revents != 0 { Self.drain(&stderr, &result.stderrBytes) }
  }

  private static func pipe() throws(Binary.Failure) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else {
      throw Binary.Failure(description: "pipe: \(unsafe String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func closeOnce(_ descriptor: inout Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  /// Writes until the pipe is full, and closes it after the last byte or when nobody reads it.
  private static func send(_ descriptor: inout Int32, _ unsent: inout ArraySlice<UInt8>) {
    while !unsent.isEmpty {
      let count = unsafe unsent.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      if count < 0 { break }
      unsent = unsent.dropFirst(count)
    }
    unsent = []
    closeOnce(&descriptor)
  }

  /// Reads until the pipe is empty, and closes it at its end.
  private static func drain(_ descriptor: inout Int32, _ bytes: inout [UInt8]) {
    guard descriptor >= 0 else { return }
    while true {
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
        let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { unsafe bytes.append(contentsOf: buffer[..<count]) }
        return count
      }
      if count > 0 { continue }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      closeOnce(&descriptor)
      return
    }
  }

  /// `VmHWM` of the process, in bytes; 0 where it can't be read. (`ru_maxrss` would not do: it starts at
  /// the size of the process that called posix_spawn.)
  private static func peakResidentBytes(of pid: pid_t) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
    else { return 0 }
    return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) * 1_024
  }
}

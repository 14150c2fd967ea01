import Glibc
package import LocationFormats

/// Runs a program once, in the foreground of a command, and waits for it.
package enum ProgramTrial {
  /// Runs a program with a text on its standard input; its output goes where standard error goes.
  ///
  /// - Parameters:
  ///   - variables: `NAME=VALUE`, added to the environment.
  ///   - seconds: after which it is ended; nil for never.
  /// - Returns: its exit status, 128 and the signal's number where one ended it; and whether its time was over.
  /// - Throws: code 69 where it can't be started.
  package static func run(
    _ command: [String], variables: [String] = [], input: [UInt8] = [], seconds: Double? = nil
  ) throws(Failure) -> (status: Int32, isOverdue: Bool) {
    _ = signal(SIGPIPE, SIG_IGN)
    // It has a process group of its own, and hears nothing of Ctrl-C.
    let bell = try SignalBell.install(signals)
    defer { SignalBell.uninstall(signals) }
    let (pid, pidfd, talk) = try start(command, variables)
    _ = talk.tell(input)
    talk.closeInputWhenSent()
    let end = seconds.map { MonotonicTime.milliseconds + Int64($0 * 1000) }
    var isOverdue = false
    while true {
      if let result = ProgramStart.reap(pidfd) {
        kill(-pid, SIGKILL)
        return (result.status, isOverdue)
      }
      let left = end.map { max(0, $0 - MonotonicTime.milliseconds) }
      if left == 0, !isOverdue {
        isOverdue = true
        kill(-pid, SIGKILL)
      }
      var polled = PollSet()
      polled.watch(pidfd.number)
      polled.watch(bell)
      if let input = talk.input { polled.watch(input.number, for: POLLOUT) }
      polled.wait(atMost: isOverdue ? -1 : Int32(clamping: left ?? -1))
      if let number = SignalBell.take().first {
        kill(-pid, SIGKILL)
        SignalBell.uninstall(signals)
        raise(number)
      }
      _ = talk.send()
      talk.closeInputWhenSent()
    }
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Starts the program. Of its descriptors only these live on, so that its input ends when the last owner lets it go.
  private static func start(
    _ command: [String], _ variables: [String]
  ) throws(Failure) -> (pid_t, Descriptor, Conversation) {
    do throws(ProgramStart.Refusal) {
      let program = try ProgramStart(
        command: command, environment: ProgramStart.inheritedEnvironment() + variables, hasOutput: false,
        executedWithin: -1)
      return (program.pid, program.pidfd, Conversation(input: program.input, output: nil))
    } catch {
      throw Failure(.unavailable, what: "\(command.first ?? "no program") can't be started: \(error.text)")
    }
  }
}

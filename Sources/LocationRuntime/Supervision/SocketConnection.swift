import Glibc

/// A program that has connected to the subscribers' socket: what is told to it and heard of it, and which process it is.
final class SocketConnection {
  let descriptor: Descriptor
  let talk: Conversation
  /// The sockets that it has passed to be watched (rule E4).
  let sockets: HeldSockets
  /// The process that connected; nil where the kernel does not say.
  let pid: pid_t?
  /// When that process started: with the number, that is one process and no other.
  private let start: UInt64?
  /// When it is closed for not having registered.
  let registerBy: Int64
  /// Sent when there is something for it, as it asked for.
  var signal: Int32?
  /// Whether it is closed once everything is written.
  var isLeaving = false

  init(_ descriptor: Descriptor, at now: Int64) {
    self.descriptor = descriptor
    descriptor.stopWaiting()
    let sockets = HeldSockets(channel: nil)
    self.sockets = sockets
    talk = Conversation(input: descriptor, output: descriptor) { sockets.arrive($0) }
    pid = Self.peer(of: descriptor)
    start = pid.flatMap { ProcessStatus(of: $0)?.start }
    registerBy = now + SupervisorLimits.registerMilliseconds
  }

  /// Whether nothing more can be heard of it.
  var isOver: Bool { talk.output == nil || talk.queue.isBroken || isLeaving && talk.queue.isEmpty }

  /// Sends the signal that it asked for, unless the process is gone and its number is another's.
  func ring() {
    guard let signal, let pid, ProcessStatus(of: pid)?.start == start else { return }
    kill(pid, signal)
  }

  /// `SO_PEERCRED` (unix(7)): the first of three numbers.
  private static func peer(of descriptor: Descriptor) -> pid_t? {
    var credentials: (pid_t, uid_t, gid_t) = (0, 0, 0)
    var length = socklen_t(MemoryLayout<(pid_t, uid_t, gid_t)>.size)
    let code = unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &length)
    return code == 0 && credentials.0 > 0 ? credentials.0 : nil
  }
}

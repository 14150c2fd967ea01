import Glibc
import LocationFormats
import Synchronization

/// Our standard error, written without waiting: whoever does not read it must not stop the daemon.
enum ErrorStream {
  /// A pipe that can be written takes so many bytes at once (POSIX, PIPE_BUF on Linux).
  private static let pieceBytes = 4_096
  /// Of a terminal a description of our own, which does not wait: it may have room for a part of a piece only, and what
  /// the starter gave us goes on waiting for others who use it.
  private static let descriptor: Int32 = {
    guard isatty(STDERR_FILENO) == 1 else { return STDERR_FILENO }
    let own = SystemCall.openFile("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return own >= 0 ? own : STDERR_FILENO
  }()
  /// Held from the look whether there is room until the room is used.
  private static let turn = Mutex(())

  /// Writes what goes at once. The rest is lost.
  static func offer(_ bytes: ArraySlice<UInt8>) {
    turn.withLock { _ in
      var rest = bytes
      while !rest.isEmpty {
        guard PollSet.wait(for: POLLOUT, on: descriptor, atMost: 0) & POLLOUT != 0 else { return }
        let next = rest.prefix(pieceBytes)
        let count = unsafe next.withUnsafeBytes { unsafe SystemCall.writeBytes(descriptor, $0) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}

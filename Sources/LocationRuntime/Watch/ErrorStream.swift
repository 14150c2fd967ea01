import Glibc
import LocationFormats
import Synchronization

/// Our standard error, written without waiting: whoever does not read it must not stop the daemon.
enum ErrorStream {
  /// A pipe that can be written takes so many bytes at once (POSIX, PIPE_BUF on Linux).
  private static let pieceBytes = 4_096
  /// Held from the look whether there is room until the room is used.
  private static let turn = Mutex(())

  /// Writes what goes at once. The rest is lost.
  static func offer(_ bytes: ArraySlice<UInt8>) {
    turn.withLock { _ in
      var rest = bytes
      while !rest.isEmpty {
        guard PollSet.wait(for: POLLOUT, on: STDERR_FILENO, atMost: 0) & POLLOUT != 0 else { return }
        let next = rest.prefix(pieceBytes)
        let count = unsafe next.withUnsafeBytes { unsafe SystemCall.writeBytes(STDERR_FILENO, $0) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }
}

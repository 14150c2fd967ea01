import Glibc

/// Standard input and output of a program that the daemon starts.
package enum DaemonPipes {
  /// Reads what is there, and waits where nothing is; empty where a signal came first, nil where the daemon is gone.
  package static func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe piece.withUnsafeMutableBytes { unsafe SystemCall.readBytes(STDIN_FILENO, $0) }
    if count < 0, errno == EAGAIN || errno == EINTR { return [] }
    return count > 0 ? Array(piece[..<count]) : nil
  }

  /// Writes to the daemon. Ends the program where the daemon is gone.
  package static func write(_ line: [UInt8]) {
    do throws(Failure) {
      try OutputFile(path: "-").write(line)
    } catch {
      exit(0)
    }
  }
}

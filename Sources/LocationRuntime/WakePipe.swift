import Glibc
package import LocationFormats

/// A bell between threads that can be waited for together with sockets.
///
/// A pair of sockets rather than a pipe, because those are closed in children from their birth.
package final class WakePipe: Sendable {
  /// Becomes readable when the bell rings; for `poll`.
  package let readEnd: Int32
  private let writeEnd: Int32

  /// - Throws: ``Failure`` of code 75 where the machine has no descriptors left.
  package init() throws(Failure) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(.tryAgain, what: "can't make a pipe: \(SystemReason.text(errno))")
    }
    readEnd = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Rings; twice is as good as once. May be called from a signal's handler.
  package func ring() {
    var byte: UInt8 = 1
    _ = unsafe send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Makes it silent again.
  package func silence() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while unsafe recv(readEnd, buffer.baseAddress, buffer.count, 0) > 0 {}
    }
  }
}

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Wakes a thread out of `poll`: a pair of sockets, because those can be closed in children from their birth.
package final class Bell: Sendable {
  /// Becomes readable when it rings.
  package let readable: Int32
  private let writeEnd: Int32

  /// - Throws: ``Failure`` where the machine has no descriptors left.
  package init() throws(Failure) {
    var ends: [Int32] = [-1, -1]
    #if canImport(Musl)
      let kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK
    #else
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    #endif
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw Failure(.tryAgain, what: "no descriptors left: \(SystemReason.text(errno))")
    }
    readable = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(readable)
    close(writeEnd)
  }

  /// Rings; twice before it is heard is as good as once.
  func ring() {
    var byte: UInt8 = 1
    _ = unsafe send(writeEnd, &byte, 1, Int32(MSG_NOSIGNAL))
  }

  /// Makes it silent again.
  func silence() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while unsafe recv(readable, buffer.baseAddress, buffer.count, 0) > 0 {}
    }
  }
}

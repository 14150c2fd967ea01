import Glibc

/// A client of a Unix socket that says what a test wants, and may stay silent.
package final class StreamSocket: Sendable {
  private let descriptor: Int32

  /// Connects without waiting.
  ///
  /// - Throws: where it can't, as when the queue of the listener is full.
  package init(path: String) throws {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    descriptor = socket(AF_UNIX, kind, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      let reason = errno
      close(descriptor)
      throw Listener.Failure(description: unsafe "connect: \(String(cString: strerror(reason)))")
    }
  }

  deinit { close(descriptor) }

  /// Sends as much as is taken without waiting; how many bytes.
  @discardableResult
  package func send(_ bytes: some Sequence<UInt8>) -> Int {
    let bytes = Array(bytes)
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          descriptor, buffer.baseAddress.map { unsafe $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    return sent
  }

  /// Reads what is there, after at most so many seconds without anything; nil at the end.
  package func receive(seconds: Double = 0) -> [UInt8]? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}

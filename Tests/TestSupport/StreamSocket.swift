import Glibc

/// A client of a Unix socket that says what a test wants, and may stay silent.
package final class StreamSocket: Sendable {
  private let descriptor: Int32

  /// Connects without waiting.
  ///
  /// - Throws: where it can't, as when the queue of the listener is full.
  package init(path: String) throws {
    descriptor = try unsafe UnixSocket.open(SOCK_STREAM, path, isBlocking: false, by: connect)
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
    guard let bytes = UnixSocket.receive(descriptor, seconds: seconds) else { return [] }
    return bytes.isEmpty ? nil : bytes
  }
}

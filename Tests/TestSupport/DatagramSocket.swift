import Glibc

/// A Unix socket that takes datagrams, as systemd has one for its services.
package final class DatagramSocket: Sendable {
  private let descriptor: Int32

  package init(path: String) throws {
    descriptor = try unsafe UnixSocket.open(SOCK_DGRAM, path, by: bind)
  }

  deinit { close(descriptor) }

  /// The next datagram; nil where none comes in time.
  package func receive(seconds: Double = TestPatience.seconds) -> String? {
    UnixSocket.receive(descriptor, seconds: seconds).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Waits for a datagram that begins so; false where none comes in time.
  package func wait(for beginning: String, seconds: Double = TestPatience.seconds) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      guard let text = receive(seconds: seconds) else { return false }
      if text.hasPrefix(beginning) { return true }
    }
    return false
  }
}

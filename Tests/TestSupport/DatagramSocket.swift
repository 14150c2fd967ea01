import Glibc

/// A Unix socket that takes datagrams, as systemd has one for its services.
package final class DatagramSocket: Sendable {
  private let descriptor: Int32

  package init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      throw Listener.Failure(description: unsafe "bind: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// The next datagram; nil where none comes in time.
  package func receive(seconds: Double = TestPatience.seconds) -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return count >= 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
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

import Glibc
import Synchronization

/// A socket that others connect to, for servers that tests play: a gpsd, or the receiver behind a real one.
package final class Listener: Sendable {
  private let descriptor: Int32
  /// The port, where it listens on 127.0.0.1; 0 for a Unix socket.
  package let port: Int

  /// Why it could not listen.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  /// Listens on a free port of 127.0.0.1, or on this one.
  package init(port: Int = 0) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var one: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    self.port = Int(UInt16(bigEndian: address.sin_port))
    guard code else { throw Failure(description: unsafe "listen: \(String(cString: strerror(errno)))") }
  }

  /// Listens on a Unix socket.
  package init(path: String) throws {
    descriptor = try unsafe UnixSocket.open(SOCK_STREAM, path, by: bind)
    port = 0
    guard listen(descriptor, 8) == 0 else {
      throw Failure(description: unsafe "listen: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// A port of 127.0.0.1 that was free a moment ago, and that no test was given before.
  ///
  /// It lies below those that the kernel gives to whoever asks for any (ip(7), `ip_local_port_range`): else a
  /// connection of another test, which gets its port of the kernel, might have it before the server that it is for.
  package static func freePort() throws -> Int {
    var failure: (any Error)?
    for _ in 0..<1_000 {
      let port = Int.random(in: 10_000..<32_768)
      guard given.withLock({ $0.insert(port).inserted }) else { continue }
      do {
        _ = try Listener(port: port)
        return port
      } catch { failure = error }
    }
    throw failure ?? Failure(description: "no port is free")
  }

  private static let given = Mutex<Set<Int>>([])

  /// Waits for somebody to connect; nil where nobody does in time.
  package func accept(seconds: Double = TestPatience.seconds) -> Connection? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return nil }
    let accepted = Glibc.accept(descriptor, nil, nil)
    return accepted < 0 ? nil : Connection(descriptor: accepted)
  }
}

/// One side of a connection; closed when it goes out of scope.
package final class Connection: Sendable {
  private let descriptor: Int32

  init(descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  /// Connects to a Unix socket.
  package convenience init(path: String) throws {
    self.init(descriptor: try unsafe UnixSocket.open(SOCK_STREAM, path, by: connect))
  }

  deinit { close(descriptor) }

  /// Sends all of it; false where the other side is gone.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sends all of it; false where the other side is gone.
  @discardableResult
  package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// What the other side has sent, once it has sent something; nil when it is gone or says nothing in time.
  package func receive(seconds: Double = TestPatience.seconds) -> String? {
    guard let bytes = UnixSocket.receive(descriptor, seconds: seconds), !bytes.isEmpty else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the other side is gone and has left nothing to be read.
  package var isOver: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  /// Waits for the other side to end it; false where it does not in time.
  package func waitForEnd(seconds: Double = TestPatience.seconds) -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    repeat {
      if UnixSocket.receive(descriptor, seconds: seconds > 0 ? 0.1 : 0)?.isEmpty == true { return true }
    } while ContinuousClock.now < end
    return false
  }

  /// Sends no more; the other side sees the end.
  package func finish() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

import Glibc

/// What the sockets of tests have in common.
enum UnixSocket {
  /// A new socket that is bound or connected to a path, by `bind` or `connect`.
  static func open(
    _ kind: __socket_type, _ path: String, isBlocking: Bool = true,
    by place: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let flag = isBlocking ? 0 : SOCK_NONBLOCK.rawValue
    let descriptor = socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue | flag), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe place(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      let reason = errno
      close(descriptor)
      throw Listener.Failure(description: unsafe "\(path): \(String(cString: strerror(reason)))")
    }
    return descriptor
  }

  /// What has come, once something has; nil where nothing does in time, empty where the other side is gone.
  static func receive(_ descriptor: Int32, seconds: Double) -> [UInt8]? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
    return Array(bytes.prefix(max(0, count)))
  }
}

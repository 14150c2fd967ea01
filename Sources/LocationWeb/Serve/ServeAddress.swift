import Glibc
import LocationCore
package import LocationFormats
import LocationRuntime

/// Where the page is served: a port of this machine, or a Unix socket.
package enum ServeAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric address and a port; 0 is any.
  case tcp(host: String, port: UInt16)
  /// The path of a socket, for a proxy in front.
  case unix(path: String)

  /// The port where nobody names one.
  package static let usualPort: UInt16 = 8_310

  /// Reads `PORT`, `HOST:PORT`, `[HOST]:PORT` or `unix:PATH`.
  ///
  /// - Throws: code 64 with the forms.
  package init(_ text: String) throws(Failure) {
    let refusal = Failure(
      .usage, what: "\"\(text)\" is no place to listen at",
      remedy: "write 127.0.0.1:8310, [::1]:8310, a port, or unix:/run/locwatch/web.sock")
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty, path.utf8.count <= 107 else { throw refusal }
      self = .unix(path: path)
      return
    }
    if let port = UInt16(text) {
      self = .tcp(host: "127.0.0.1", port: port)
      return
    }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      throw refusal
    }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if host == "localhost" { host = "127.0.0.1" }
    guard !host.isEmpty else { throw refusal }
    self = .tcp(host: host, port: port)
  }

  /// Whether only this machine reaches it.
  package var isLocal: Bool {
    switch self {
    case .tcp(let host, _): OutletAddress.isLoopback(host)
    case .unix: true
    }
  }

  package var description: String {
    switch self {
    case .tcp(let host, let port): (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Listens there; the socket, the address with the port that it got, and what is to be removed at the end.
  ///
  /// - Throws: code 73 where it can't.
  func open() throws(Failure) -> (Descriptor, ServeAddress, UnixListener?) {
    func failure() -> Failure {
      Failure(
        .cantCreate, what: "can't listen at \(self): \(SystemReason.text(errno))",
        remedy: "name another address with --listen")
    }
    switch self {
    case .unix(let path):
      let listener = try UnixListener(path: path, waiting: Self.backlog)
      return (listener.descriptor, self, listener)
    case .tcp(let host, let port):
      if host.contains(":") {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        guard unsafe inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { throw Self.noHost(host) }
        return try unsafe open(AF_INET6, &address, MemoryLayout<sockaddr_in6>.size, failure)
      }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Self.noHost(host) }
      return try unsafe open(AF_INET, &address, MemoryLayout<sockaddr_in>.size, failure)
    }
  }

  private static let backlog: Int32 = 64

  private static func noHost(_ host: String) -> Failure {
    Failure(.usage, what: "\"\(host)\" is no numeric address", remedy: "write 127.0.0.1 or ::1")
  }

  private static func newSocket(_ family: Int32) -> Descriptor? {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = socket(family, kind, 0)
    return number < 0 ? nil : Descriptor(number)
  }

  private static func name(_ socket: Descriptor, _ address: UnsafeMutableRawPointer, _ size: Int) -> Int32 {
    unsafe bind(socket.number, address.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
  }

  private func open(
    _ family: Int32, _ address: UnsafeMutableRawPointer, _ size: Int, _ failure: () -> Failure
  ) throws(Failure) -> (Descriptor, ServeAddress, UnixListener?) {
    guard let socket = Self.newSocket(family) else { throw failure() }
    var yes: Int32 = 1
    _ = unsafe setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard unsafe Self.name(socket, address, size) == 0, listen(socket.number, Self.backlog) == 0 else {
      throw failure()
    }
    var length = socklen_t(size)
    _ = unsafe getsockname(socket.number, address.assumingMemoryBound(to: sockaddr.self), &length)
    // Both families have the port in the same place.
    let port = unsafe address.load(fromByteOffset: 2, as: UInt16.self).bigEndian
    guard case .tcp(let host, _) = self else { throw failure() }
    return (socket, .tcp(host: host, port: port), nil)
  }
}

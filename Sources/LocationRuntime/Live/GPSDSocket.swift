import Glibc
import LocationFormats

/// One address that a name stands for, as the kernel wants it.
struct SocketTarget: Sendable {
  var family: Int32
  var bytes: [UInt8]
}

extension SourceAddress.Endpoint {
  /// The addresses to try, in this order. It asks the resolver, which may take seconds.
  func targets() throws(GPSDTrouble) -> [SocketTarget] {
    switch self {
    case .tcp(let host, let port): try Self.resolve(host, port)
    case .unix(let path): [Self.target(path)]
    case .nmea(.tcp(let host, let port)): try Self.resolve(host, port)
    case .nmea, .sibling: []
    }
  }

  /// Whether `/etc/services` has a port of this name.
  static func isService(_ name: String) -> Bool { unsafe getservbyname(name, "tcp") != nil }

  private static func resolve(_ host: String, _ port: String) throws(GPSDTrouble) -> [SocketTarget] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, port, &hints, &list)
    guard code == 0 else {
      let reason = code == EAI_SYSTEM ? SystemReason.text(errno) : unsafe String(cString: gai_strerror(code))
      throw GPSDTrouble.unresolved(reason)
    }
    defer { unsafe freeaddrinfo(list) }
    var targets: [SocketTarget] = []
    var next = unsafe list
    while let entry = unsafe next {
      let length = unsafe Int(entry.pointee.ai_addrlen)
      if let address = unsafe entry.pointee.ai_addr {
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: UnsafeRawPointer(address), count: length))
        targets.append(SocketTarget(family: unsafe entry.pointee.ai_family, bytes: bytes))
      }
      unsafe next = entry.pointee.ai_next
    }
    return targets
  }

  private static func target(_ path: String) -> SocketTarget {
    var address = sockaddr_un(path: path.utf8)
    return SocketTarget(family: AF_UNIX, bytes: unsafe withUnsafeBytes(of: &address) { unsafe Array($0) })
  }
}

/// A connection that never blocks, and is closed when it goes out of scope.
struct GPSDSocket: ~Copyable {
  let descriptor: Int32

  /// What came of an attempt.
  enum Outcome: Hashable {
    case done
    /// It will be; wait until the descriptor is writable or readable.
    case pending
    case failed(Int32)
  }

  /// Takes over a descriptor.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// A socket for an address; nil with `errno` set where there can be none.
  init?(family: Int32) {
    let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    descriptor = socket(family, Int32(kind), 0)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Gives the descriptor away, open.
  consuming func release() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  /// Begins to connect.
  func connect(to target: SocketTarget) -> Outcome {
    let code = unsafe target.bytes.withUnsafeBytes { bytes -> Int32 in
      guard let address = unsafe bytes.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
      return unsafe SystemCall.connectSocket(descriptor, address, socklen_t(bytes.count))
    }
    if code == 0 { return .done }
    return errno == EINPROGRESS || errno == EINTR ? .pending : .failed(errno)
  }

  /// How connecting ended, once the descriptor has become writable.
  func outcomeOfConnecting() -> Outcome {
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 else {
      return .failed(errno)
    }
    return error == 0 ? .done : .failed(error)
  }

  /// Sends a request, which always fits into an empty buffer; a peer that is gone raises no signal.
  func send(_ bytes: [UInt8]) -> Outcome {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe SystemCall.sendBytes(descriptor, $0)
    }
    if count == bytes.count { return .done }
    return .failed(count < 0 ? errno : EAGAIN)
  }

  /// Appends what has come, up to `limit` bytes.
  ///
  /// - Returns: `pending` when more may come, `done` when the peer has ended it.
  func receive(into bytes: inout [UInt8], limit: Int) -> Outcome {
    while bytes.count < limit {
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 16) { buffer in
        let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { unsafe bytes.append(contentsOf: buffer[..<count]) }
        return count
      }
      if count == 0 { return .done }
      if count > 0 || errno == EINTR { continue }
      return errno == EAGAIN ? .pending : .failed(errno)
    }
    return .pending
  }
}

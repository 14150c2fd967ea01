import Glibc
import LocationFormats

/// Where sentences of NMEA 0183 come from without a gpsd: a serial line, a TCP server, or whoever sends UDP here.
public enum NMEASource: Hashable, Sendable, CustomStringConvertible {
  /// A device, and the speed of its line; nil leaves that as it is.
  case serial(path: String, baud: Int?)
  /// A server that sends sentences, such as a boat's multiplexer.
  case tcp(host: String, port: String)
  /// Datagrams to a port of this machine; the host is the address to listen at, empty for all.
  case udp(host: String, port: String)

  /// As it is written on a command line.
  public var description: String {
    switch self {
    case .serial(let path, let baud): "nmea:\(path)" + (baud.map { ":\($0)" } ?? "")
    case .tcp(let host, let port): "tcp:\(host):\(port)"
    case .udp(let host, let port): "udp:\(host):\(port)"
    }
  }

  /// The speeds that a line of NMEA 0183 has in practice; 4,800 is the standard's, 38,400 that of AIS.
  private static let speeds: [Int: speed_t] = [
    4_800: speed_t(B4800), 9_600: speed_t(B9600), 19_200: speed_t(B19200), 38_400: speed_t(B38400),
    57_600: speed_t(B57600), 115_200: speed_t(B115200), 230_400: speed_t(B230400),
  ]

  /// Reads `nmea:DEVICE[:BAUD]`, `tcp:HOST:PORT` or `udp:[HOST]:PORT`; nil where the text begins otherwise.
  ///
  /// - Throws: code 64 where what follows makes no sense.
  init?(_ text: String) throws(Failure) {
    func refuse(_ what: String) -> Failure {
      Failure(
        .usage, what: "\"\(text)\" is no source: \(what)",
        remedy: "write nmea:/dev/ttyACM0:9600, udp::10110, tcp:HOST:PORT, or an address of gpsd")
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, ["nmea", "tcp", "udp"].contains(parts[0]) else { return nil }
    if parts[0] == "nmea" {
      let rest = parts[1].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard rest.count <= 2, let path = rest.first, path.hasPrefix("/") else {
        throw refuse("it names no device by its full path, such as /dev/ttyACM0")
      }
      guard rest.count == 2 else {
        self = .serial(path: path, baud: nil)
        return
      }
      guard let baud = Int(rest[1]), Self.speeds[baud] != nil else {
        throw refuse("speeds are \(Self.speeds.keys.sorted().map(String.init).joined(separator: ", "))")
      }
      self = .serial(path: path, baud: baud)
      return
    }
    guard let colon = parts[1].lastIndex(of: ":") else { throw refuse("it names no port") }
    var host = String(parts[1][..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let port = String(parts[1][parts[1].index(after: colon)...])
    guard let number = Int(port), (1...65_535).contains(number) else { throw refuse("a port is 1 to 65535") }
    if parts[0] == "tcp" {
      guard !host.isEmpty else { throw refuse("it names no host") }
      self = .tcp(host: host, port: port)
    } else {
      self = .udp(host: host, port: port)
    }
  }

  /// Opens a serial line or a port; nil for a server, to which a connection is made first.
  ///
  /// - Throws: why it can't be, in the system's words.
  func open() throws(GPSDTrouble) -> Int32? {
    switch self {
    case .tcp: return nil
    case .serial(let path, let baud):
      let line = SystemCall.openFile(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      guard line >= 0 else { throw GPSDTrouble(opening: errno) }
      guard Self.isStream(line) else {
        close(line)
        throw GPSDTrouble.unreachable("it is no serial line")
      }
      SerialLine.setRaw(line, speed: baud.flatMap { Self.speeds[$0] })
      return line
    case .udp(let host, let port): return try Self.listen(host, port)
    }
  }

  /// Whether bytes come from it as they are sent: it is a terminal, or a pipe.
  private static func isStream(_ line: Int32) -> Bool {
    if isatty(line) == 1 { return true }
    var status = stat()
    return unsafe fstat(line, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
}

// MARK: - Datagrams

extension NMEASource {
  /// Whom a datagram to an address reaches.
  private enum Reach {
    /// One program: of several the kernel gives it to the one that came last.
    case one
    /// Every program that listens to a broadcast.
    case many
    /// Every program that has joined a multicast group.
    case group
    /// One or many: the address at which one listens stands for all of the machine.
    case any
  }

  /// Whether a host is the address of a multicast group. An interface that is removed forgets the groups it has joined.
  static func isGroup(_ host: String) -> Bool {
    if host.contains(":") { return host.lowercased().hasPrefix("ff") }
    return host.split(separator: ".").first.flatMap { UInt8($0) }.map { 224...239 ~= $0 } ?? false
  }

  private static func listen(_ host: String, _ port: String) throws(GPSDTrouble) -> Int32 {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE
    // Without a host IPv4: what boats send goes to its broadcast address.
    unsafe hints.ai_family = host.isEmpty ? AF_INET : AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host.isEmpty ? nil : host, port, &hints, &list)
    guard code == 0, let first = unsafe list, let address = unsafe first.pointee.ai_addr else {
      throw GPSDTrouble.unresolved(unsafe String(cString: gai_strerror(code)))
    }
    defer { unsafe freeaddrinfo(first) }
    let length = unsafe first.pointee.ai_addrlen
    let reach = unsafe reach(of: address)
    // The first attempt shares nothing, and so tells whether another program is there.
    var bound = try unsafe socket(boundTo: address, length, sharing: false)
    if bound == nil {
      switch reach {
      case .one: break
      case .many, .group: bound = try unsafe socket(boundTo: address, length, sharing: true)
      case .any: bound = unsafe socketBeside(address)
      }
    }
    guard let bound else {
      throw GPSDTrouble.unreachable(
        "another program reads it already; end that one, or have the sender use a multicast group")
    }
    if reach == .group, unsafe !join(bound, address) {
      let failure = GPSDTrouble(opening: errno)
      close(bound)
      throw failure
    }
    return bound
  }

  /// A socket at an address, at which others may be too if they ask for that; nil where another program is there.
  ///
  /// - Parameter sharing: whether it asks for that itself.
  private static func socket(
    boundTo address: UnsafePointer<sockaddr>, _ length: socklen_t, sharing: Bool
  ) throws(GPSDTrouble) -> Int32? {
    let family = unsafe Int32(address.pointee.sa_family)
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let socket = SystemCall.openSocket(family, kind, 0)
    guard socket >= 0 else { throw GPSDTrouble(opening: errno) }
    if sharing { setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1) }
    if family == AF_INET6 { setOption(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
    guard unsafe bind(socket, address, length) == 0 else {
      let (isTaken, failure) = (errno == EADDRINUSE, GPSDTrouble(opening: errno))
      close(socket)
      if isTaken { return nil }
      throw failure
    }
    setOption(socket, SOL_SOCKET, SO_REUSEADDR, 1)
    return socket
  }

  /// A socket beside one that has the port for all addresses; nil where that lets nobody share it, or there is no IPv6.
  ///
  /// It gets what is sent to many. What is sent to this machine alone stays with the program that was there first: the
  /// kernel prefers its IPv4 socket to this IPv6 socket. A second IPv4 socket would take it away.
  private static func socketBeside(_ address: UnsafePointer<sockaddr>) -> Int32? {
    var all = sockaddr_in6()
    all.sin6_family = sa_family_t(AF_INET6)
    all.sin6_port = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      unsafe $0.pointee.sin_port
    }
    return unsafe withUnsafePointer(to: &all) { all in
      unsafe all.withMemoryRebound(to: sockaddr.self, capacity: 1) { all in
        let length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return (try? unsafe socket(boundTo: all, length, sharing: true)) ?? nil
      }
    }
  }

  private static func setOption(_ socket: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = unsafe setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Has what is sent to a group come in by the network that leads there; false with `errno` where there is none.
  private static func join(_ socket: Int32, _ address: UnsafePointer<sockaddr>) -> Bool {
    if unsafe Int32(address.pointee.sa_family) == AF_INET6 {
      var wish = ipv6_mreq()
      unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        wish.ipv6mr_multiaddr = unsafe $0.pointee.sin6_addr
        wish.ipv6mr_interface = unsafe $0.pointee.sin6_scope_id
      }
      let size = socklen_t(MemoryLayout<ipv6_mreq>.size)
      return unsafe setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, &wish, size) == 0
    }
    var wish = ip_mreq()
    unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      wish.imr_multiaddr = unsafe $0.pointee.sin_addr
    }
    let size = socklen_t(MemoryLayout<ip_mreq>.size)
    return unsafe setsockopt(socket, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &wish, size) == 0
  }

  private static func reach(of address: UnsafePointer<sockaddr>) -> Reach {
    guard unsafe Int32(address.pointee.sa_family) == AF_INET else {
      let first = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        unsafe withUnsafeBytes(of: $0.pointee.sin6_addr) { unsafe $0[0] }
      }
      return first == 0xFF ? .group : .one
    }
    let number = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      unsafe UInt32(bigEndian: $0.pointee.sin_addr.s_addr)
    }
    if number == 0 { return .any }
    if number >> 28 == 0xE { return .group }
    return number & 0xFF == 0xFF ? .many : .one
  }
}

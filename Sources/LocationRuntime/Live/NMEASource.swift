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
        throw refuse("it names no device")
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
  func open() throws(GPSDAddress.Endpoint.Unreachable) -> Int32? {
    switch self {
    case .tcp: return nil
    case .serial(let path, let baud):
      let line = SystemCall.openFile(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      guard line >= 0 else { throw Self.unreachable() }
      Self.setRaw(line, speed: baud.flatMap { Self.speeds[$0] })
      return line
    case .udp(let host, let port): return try Self.listen(host, port)
    }
  }

  private static func unreachable() -> GPSDAddress.Endpoint.Unreachable {
    GPSDAddress.Endpoint.Unreachable(trouble: .unreachable(SystemReason.text(errno)))
  }

  /// Bytes as they come, without echo, signals and line discipline. What is no terminal, such as a pipe, stays as it is.
  private static func setRaw(_ line: Int32, speed: speed_t?) {
    var settings = termios()
    guard unsafe tcgetattr(line, &settings) == 0 else { return }
    unsafe cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    if let speed { _ = unsafe cfsetspeed(&settings, speed) }
    _ = unsafe tcsetattr(line, TCSANOW, &settings)
  }

  private static func listen(_ host: String, _ port: String) throws(GPSDAddress.Endpoint.Unreachable) -> Int32
  {
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE
    // Without a host IPv4: what boats send goes to its broadcast address.
    unsafe hints.ai_family = host.isEmpty ? AF_INET : AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host.isEmpty ? nil : host, port, &hints, &list)
    guard code == 0, let first = unsafe list else {
      throw GPSDAddress.Endpoint.Unreachable(trouble: .unresolved(unsafe String(cString: gai_strerror(code))))
    }
    defer { unsafe freeaddrinfo(first) }
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let socket = unsafe socket(first.pointee.ai_family, kind, 0)
    guard socket >= 0 else { throw unreachable() }
    var isBound = unsafe bind(socket, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0
    // Of what is sent to one machine, the kernel gives each datagram to the program that came last.
    if !isBound, errno == EADDRINUSE, !host.isEmpty, let address = unsafe first.pointee.ai_addr,
      unsafe !isForMany(address)
    {
      close(socket)
      throw GPSDAddress.Endpoint.Unreachable(trouble: .unreachable("another program reads it already"))
    }
    var yes: Int32 = 1
    // Several programs of one machine may listen to the boat.
    _ = unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    if !isBound { isBound = unsafe bind(socket, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 }
    guard isBound else {
      let failure = unreachable()
      close(socket)
      throw failure
    }
    return socket
  }

  /// Whether what is sent to an address reaches many: a broadcast, or a multicast group.
  private static func isForMany(_ address: UnsafeMutablePointer<sockaddr>) -> Bool {
    unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
      guard unsafe address.pointee.sin_family == sa_family_t(AF_INET) else { return true }
      let number = unsafe UInt32(bigEndian: address.pointee.sin_addr.s_addr)
      return number & 0xFF == 0xFF || number >> 28 == 0xE
    }
  }
}

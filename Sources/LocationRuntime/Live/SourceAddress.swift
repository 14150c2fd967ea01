public import LocationFormats

/// Where fixes come from: where a gpsd is and which of its devices is wanted, or a source of NMEA 0183.
///
/// The spelling of gpsd's own clients, `[server[:port[:device]]]`, with IPv6 addresses in brackets (gpsd 3.22,
/// `gps_utils.c`, `gpsd_source_spec`): `localhost`, `pi:2948`, `[::1]:2947`, `::/dev/ttyACM0`. As there, a path alone
/// below `/dev` is a device of the local gpsd. Any other path is the socket of a gpsd, perhaps followed by `:device`.
public struct SourceAddress: Hashable, Sendable, CustomStringConvertible {
  /// How the source is reached; its ``traits`` say what comes from there.
  public enum Endpoint: Hashable, Sendable {
    /// A gpsd by TCP; the port is a number or a name from `/etc/services`.
    case tcp(host: String, port: String)
    /// A gpsd by a Unix socket.
    case unix(path: String)
    /// No gpsd, but sentences of NMEA 0183.
    case nmea(NMEASource)
    /// No gpsd, but a program beside this one that speaks as one.
    case sibling(SiblingSource)
  }

  /// How the source is reached.
  public var endpoint: Endpoint
  /// The path of the wanted device as gpsd has it; nil for all.
  public var device: String?

  /// gpsd's registered port.
  public static let defaultPort = "2947"
  /// The longest device path gpsd takes, bytes (`GPS_PATH_MAX` 128, with a zero at the end).
  public static let maximumDeviceBytes = 127
  /// The longest path of a Unix socket, bytes (`sun_path`, with a zero at the end).
  public static let maximumSocketBytes = 107

  /// The gpsd of this machine.
  public static let local = SourceAddress(endpoint: .tcp(host: "localhost", port: defaultPort))

  public init(endpoint: Endpoint, device: String? = nil) {
    self.endpoint = endpoint
    self.device = device
  }

  /// The source that `--source` names: one of NMEA 0183, an MQTT topic, GeoClue, or a gpsd, with or without `gpsd:` before its address.
  ///
  /// - Throws: ``Failure`` of code 64 that says what is wrong with it.
  public init(source text: String) throws(Failure) {
    if let source = try NMEASource(text) {
      self.init(endpoint: .nmea(source))
    } else if let source = try SiblingSource(text) {
      self.init(endpoint: .sibling(source))
    } else {
      try self.init(text.hasPrefix("gpsd:") ? String(text.dropFirst(5)) : text)
    }
  }

  /// - Throws: ``Failure`` of code 64 that says what is wrong with it.
  public init(_ text: String) throws(Failure) {
    func refuse(_ what: String, _ remedy: String = Self.forms) -> Failure {
      Failure(.usage, what: "\"\(text)\" is not an address of gpsd: \(what)", remedy: remedy)
    }
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) { throw refuse("white space in it") }
    if text.hasPrefix("/") {
      self = Self.path(text)
    } else {
      self = try Self.tcp(text, refuse: { refuse($0) })
    }
    switch endpoint {
    case .tcp(let host, let port):
      guard !host.isEmpty else { throw refuse("no server in it") }
      if let number = Int(port), !(1...65_535).contains(number) {
        throw refuse("port \(port) is not in 1...65535")
      }
      // Where /etc/services is missing, gpsd's own name is still one.
      guard Int(port) != nil || port == "gpsd" || Endpoint.isService(port) else {
        throw refuse("port \(port) is no number", "write a port from 1 to 65535")
      }
    case .unix(let path):
      guard path.utf8.count <= Self.maximumSocketBytes else {
        throw refuse("a socket's path has at most \(Self.maximumSocketBytes) bytes")
      }
    case .nmea, .sibling: break
    }
    if let device {
      guard device.utf8.count <= Self.maximumDeviceBytes, !device.contains("\""), !device.contains("\\")
      else {
        throw refuse("gpsd can't have such a device")
      }
    }
  }

  private static let forms = "write SERVER:PORT:DEVICE, each part optional, or the path of a socket"

  private static func path(_ text: String) -> SourceAddress {
    if text.hasPrefix("/dev/"), !text.hasSuffix(".sock") {
      return SourceAddress(endpoint: Self.local.endpoint, device: text)
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let device = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
    return SourceAddress(endpoint: .unix(path: String(parts[0])), device: device)
  }

  private static func tcp(_ text: String, refuse: (String) -> Failure) throws(Failure) -> SourceAddress {
    var host = "localhost"
    var rest = text[...]
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { throw refuse("a bracket is not closed") }
      host = String(text[text.index(after: text.startIndex)..<end])
      rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw refuse("something follows the bracket") }
    } else if let colon = text.firstIndex(of: ":") {
      if colon > text.startIndex { host = String(text[..<colon]) }
      rest = text[colon...]
    } else {
      if !text.isEmpty { host = text }
      rest = ""
    }
    let parts = rest.dropFirst().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let port = parts.first.flatMap { $0.isEmpty ? nil : String($0) } ?? defaultPort
    let device = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
    return SourceAddress(endpoint: .tcp(host: host, port: port), device: device)
  }

  /// The same source with the file of user and password that a broker asks for.
  ///
  /// - Throws: ``Failure`` of code 64 where it is no broker.
  public func with(secrets: String) throws(Failure) -> SourceAddress {
    guard case .sibling(.mqtt(let broker, let topic, _)) = endpoint else {
      throw Failure(.usage, what: "--source-secrets is for --source mqtt:TOPIC", remedy: "leave it out")
    }
    return SourceAddress(endpoint: .sibling(.mqtt(broker: broker, topic: topic, secrets: secrets)))
  }

  public var description: String {
    let suffix = device.map { ":\($0)" } ?? ""
    switch endpoint {
    case .tcp(let host, let port): return (host.contains(":") ? "[\(host)]" : host) + ":\(port)\(suffix)"
    case .unix(let path): return path + suffix
    case .nmea(let source): return source.description
    case .sibling(let source): return source.description
    }
  }
}

package import LocationFormats

/// What can go wrong between us and gpsd.
package enum GPSDTrouble: Error, Hashable, Sendable {
  /// The server's name means nothing; in the resolver's words.
  case unresolved(String)
  /// Connecting failed; in the system's words.
  case unreachable(String)
  /// Connecting took too long.
  case timeout
  /// gpsd has ended the connection.
  case closed
  /// What answers is not gpsd.
  case notGPSD
  /// gpsd does not have the wanted device.
  case noSuchDevice
  /// Nothing comes any more.
  case silent
  /// gpsd's own words.
  case complaint(String)

  /// As an error for a person.
  package func failure(at address: SourceAddress) -> Failure {
    guard address.isGPSD else { return receiverFailure(at: address) }
    switch self {
    case .unresolved(let reason):
      return Failure(
        .unavailable, what: "\(address): no such server: \(reason)", remedy: "check the name and the network")
    case .unreachable(let reason):
      return Failure(
        .unavailable, what: "\(address): gpsd is not there: \(reason)",
        remedy: "start it (systemctl start gpsd, or gpsd -n DEVICE) or name another address")
    case .timeout:
      return Failure(
        .unavailable,
        what: "\(address): gpsd does not answer within \(Int(GPSDLimits.connectSeconds)) s",
        remedy: "check the address and the firewall")
    case .closed: return Failure(.unavailable, what: "\(address): gpsd has ended the connection")
    case .notGPSD:
      return Failure(
        .unavailable, what: "\(address): what answers there is not gpsd", remedy: "check server and port")
    case .noSuchDevice:
      return Failure(
        .unavailable, what: "\(address): gpsd has no such device",
        remedy: "locwatch capabilities lists the devices it has")
    case .silent: return Failure(.unavailable, what: "\(address): nothing comes any more")
    case .complaint(let message): return Failure(.unavailable, what: "\(address): gpsd says: \(message)")
    }
  }

  /// The same of a source of NMEA 0183.
  private func receiverFailure(at address: SourceAddress) -> Failure {
    let remedy: String? =
      if case .nmea(.serial(let path, _)) = address.endpoint {
        "check the device with ls -l \(path): its group, often dialout, has to be yours"
      } else if address.isSibling {
        nil
      } else {
        "check the address, and whether it sends"
      }
    switch self {
    case .unresolved(let reason), .unreachable(let reason), .complaint(let reason):
      return Failure(.unavailable, what: "\(address): \(reason)", remedy: remedy)
    case .timeout: return Failure(.unavailable, what: "\(address): no answer", remedy: remedy)
    case .closed, .notGPSD, .noSuchDevice:
      return Failure(.unavailable, what: "\(address): it has ended the connection", remedy: remedy)
    case .silent: return Failure(.unavailable, what: "\(address): nothing comes any more", remedy: remedy)
    }
  }
}

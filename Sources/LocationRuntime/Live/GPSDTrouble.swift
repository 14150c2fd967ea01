package import LocationFormats

/// What can go wrong between us and gpsd.
package enum GPSDTrouble: Hashable, Sendable {
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
  package func failure(at address: GPSDAddress) -> Failure {
    switch self {
    case .unresolved(let reason):
      Failure(
        .unavailable, what: "\(address): no such server: \(reason)", remedy: "check the name and the network")
    case .unreachable(let reason):
      Failure(
        .unavailable, what: "\(address): gpsd is not there: \(reason)",
        remedy: "start it (systemctl start gpsd, or gpsd -n DEVICE) or name another address")
    case .timeout:
      Failure(
        .unavailable,
        what: "\(address): gpsd does not answer within \(Int(GPSDLimits.connectSeconds)) s",
        remedy: "check the address and the firewall")
    case .closed: Failure(.unavailable, what: "\(address): gpsd has ended the connection")
    case .notGPSD:
      Failure(
        .unavailable, what: "\(address): what answers there is not gpsd", remedy: "check server and port")
    case .noSuchDevice:
      Failure(
        .unavailable, what: "\(address): gpsd has no such device",
        remedy: "locwatch capabilities lists the devices it has")
    case .silent: Failure(.unavailable, what: "\(address): nothing comes any more")
    case .complaint(let message): Failure(.unavailable, what: "\(address): gpsd says: \(message)")
    }
  }
}

import Glibc
package import LocationFormats

/// What can go wrong between us and gpsd.
package enum GPSDTrouble: Error, Hashable, Sendable {
  /// The server's name means nothing; in the resolver's words.
  case unresolved(String)
  /// Connecting failed; in the system's words.
  case unreachable(String)
  /// Our user may not connect.
  case forbidden
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

  /// The trouble behind a call that failed to open or to connect.
  ///
  /// - Parameter code: of `errno`.
  package init(opening code: Int32) {
    self = code == EACCES || code == EPERM ? .forbidden : .unreachable(SystemReason.text(code))
  }

  /// As an error for a person.
  package func failure(at address: SourceAddress) -> Failure {
    let (what, remedy) = words(at: address)
    return Failure(
      self == .forbidden ? .noPermission : .unavailable, what: "\(address): \(what)", remedy: remedy)
  }

  /// What is wrong, and what can be done about it.
  package func words(at address: SourceAddress) -> (what: String, remedy: String?) {
    let traits = address.traits
    return traits.isGPSD ? ofGPSD(isNear: address.isNear) : ofAnother(traits)
  }

  /// - Parameter isNear: whether it is to be on this machine.
  private func ofGPSD(isNear: Bool) -> (what: String, remedy: String?) {
    switch self {
    case .unresolved(let reason): ("no such server: \(reason)", "check the name and the network")
    case .unreachable(let reason):
      (
        "gpsd is not there: \(reason)",
        isNear
          ? "start it (systemctl start gpsd, or gpsd -n DEVICE) or name another address"
          : "start it there, have it listen to others (gpsd -G), or name another address"
      )
    case .forbidden:
      (
        "gpsd may not be asked: \(SystemReason.text(EACCES))",
        "ask as a user who may, or name another address"
      )
    case .timeout:
      (
        "gpsd does not answer within \(Int(GPSDLimits.connectSeconds)) s",
        "check the address and the firewall, and whether gpsd hangs"
      )
    case .closed: ("gpsd has ended the connection", nil)
    case .notGPSD: ("what answers there is not gpsd", "check server and port")
    case .noSuchDevice: ("gpsd has no such device", "locwatch capabilities lists the devices it has")
    case .silent: ("nothing comes any more", nil)
    case .complaint(let message): ("gpsd says: \(message)", nil)
    }
  }

  private func ofAnother(_ traits: SourceTraits) -> (what: String, remedy: String?) {
    switch self {
    case .unresolved(let reason), .unreachable(let reason), .complaint(let reason): (reason, traits.remedy)
    case .forbidden: (SystemReason.text(EACCES), traits.remedy)
    case .timeout: (traits.needsBridge ? "nothing comes" : "no answer", traits.silenceRemedy)
    case .notGPSD: ("what comes has no sentence of a receiver", traits.silenceRemedy)
    case .closed, .noSuchDevice: ("it has ended the connection", nil)
    case .silent: ("nothing comes any more", traits.silenceRemedy)
    }
  }
}

extension SourceAddress {
  /// Whether it is on this machine.
  fileprivate var isNear: Bool {
    switch endpoint {
    case .tcp(let host, _): OutletAddress.isLoopback(host)
    case .unix, .nmea, .sibling: true
    }
  }
}

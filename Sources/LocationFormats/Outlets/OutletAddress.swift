/// The address of a webhook or a broker, checked.
package struct OutletAddress: Hashable, Sendable {
  /// In small letters: `https`, `mqtts`.
  package let scheme: String
  /// The outlets that speak it.
  package let kind: OutletSettings.Kind
  /// Host, and port where one is named.
  package let authority: String
  /// The host alone, without brackets.
  package let host: String
  /// The port; nil for the usual one.
  package let port: Int?
  /// What stands behind the authority: the path, and what follows it; perhaps empty.
  package let path: String

  /// - Throws: `.usage` where it is no URL of ours, or has a password in it.
  package init(_ text: String) throws(Failure) {
    func refuse(_ what: String, _ remedy: String) -> Failure {
      Failure(.usage, what: what, remedy: remedy)
    }
    let bytes = text.utf8
    guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw refuse("an address has only printable ASCII", "write other characters as %41 and the like")
    }
    guard let mark = text.firstIndex(of: ":"), text[mark...].hasPrefix("://") else {
      throw refuse("\"\(text)\" is no address", "write it as https://example.net/path")
    }
    let scheme = text[..<mark].lowercased()
    let kinds = OutletSettings.Kind.allCases
    guard let kind = kinds.first(where: { [$0.scheme, $0.scheme + "s"].contains(scheme) }) else {
      throw refuse(
        "locwatch does not speak \(scheme)", "use " + kinds.map { $0.scheme + "s" }.joined(separator: " or "))
    }
    (self.scheme, self.kind) = (scheme, kind)
    let rest = text[text.index(mark, offsetBy: 3)...]
    authority = String(rest.prefix { !"/?#".contains($0) })
    path = String(rest.dropFirst(authority.count))
    guard !authority.contains("@") else {
      throw refuse("an address may not hold a password", "put user and password into its file of secrets")
    }
    let (host, port) = Self.split(authority)
    self.host = host
    self.port = port.flatMap { Int($0) }
    let isPort = port == nil || self.port.map { (1...65_535).contains($0) } ?? false
    guard !host.isEmpty, isPort else {
      throw refuse("\"\(authority)\" is no host", "write HOST or HOST:PORT")
    }
  }

  private static func split(_ authority: String) -> (host: String, port: Substring?) {
    let isBracketed = authority.hasPrefix("[")
    let end = isBracketed ? authority.firstIndex(of: "]") : authority.firstIndex(of: ":")
    guard let end else { return (isBracketed ? "" : authority, nil) }
    guard isBracketed else { return (String(authority[..<end]), authority[end...].dropFirst()) }
    let rest = authority[authority.index(after: end)...]
    let host = String(authority[..<end].dropFirst())
    return rest.isEmpty ? (host, nil) : (rest.hasPrefix(":") ? host : "", rest.dropFirst())
  }

  /// The whole address.
  package var text: String { "\(scheme)://\(authority)\(path)" }

  /// Whether what is sent there is encrypted.
  package var isEncrypted: Bool { scheme != kind.scheme }

  /// Checks that an outlet may speak to it.
  ///
  /// - Throws: with this code, where it is of another kind, or another machine and without TLS.
  package func require(
    _ kind: OutletSettings.Kind, allowsPlain: Bool, code: Failure.Code
  ) throws(Failure) {
    let scheme = kind.scheme
    guard self.kind == kind else { throw Failure(code, what: "the address begins with \(scheme)s://") }
    guard isEncrypted || isLoopback || allowsPlain else {
      throw Failure(
        code, what: "\(scheme) sends positions in the clear", remedy: "use \(scheme)s, or add --allow-plain")
    }
  }

  /// Whether it is this machine.
  package var isLoopback: Bool { Self.isLoopback(host) }

  /// Whether a host is this machine, by its name or address alone.
  package static func isLoopback(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    // A name such as 127.example.net is anybody's.
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

package import LocationFormats

/// The addresses of nats-servers, as messages may show them.
package struct ServerAddresses {
  /// Without users and passwords.
  package let shown: String
  /// Whether one of them asks for TLS (`tls://`): then none is spoken to without.
  package let isEncrypted: Bool

  /// - Parameter text: as `nats://127.0.0.1:4222`, with commas between them.
  /// - Throws: `.usage` where they can't be read. The message quotes nothing: where a password has a comma, any part may be
  ///   of it.
  package init(_ text: String) throws(Failure) {
    // As the library is given them.
    let addresses = text.split { $0 == "," || $0 == " " }
    let areReadable = addresses.allSatisfy { Self.isReadable($0, isAlone: addresses.count == 1) }
    guard areReadable, !addresses.isEmpty else {
      throw Failure(
        .usage, what: "the addresses of the nats-servers (--server or NATS_URL) can't be read",
        remedy:
          "say nats://HOST:PORT or tls://HOST:PORT, with commas between several; a password in them has no comma and no blank"
      )
    }
    shown = addresses.map(Self.withoutSecrets).joined(separator: ",")
    isEncrypted = addresses.contains { Self.scheme($0) == "tls" }
  }

  /// Where the name of the scheme ends, before `://`.
  private static func schemeEnd(_ address: Substring) -> Substring.Index? {
    guard let end = address.firstRange(of: "://")?.lowerBound, address[..<end].allSatisfy(\.isLetter) else {
      return nil
    }
    return end
  }

  /// In small letters; nil where there is none.
  private static func scheme(_ address: Substring) -> String? {
    let place = Substring(withoutSecrets(address))
    return schemeEnd(place).map { place[..<$0].lowercased() }
  }

  private static func withoutSecrets(_ address: Substring) -> String {
    guard let at = address.lastIndex(of: "@") else { return String(address) }
    let host = address[address.index(after: at)...]
    return schemeEnd(address).map { address[..<$0] + "://" + host } ?? String(host)
  }

  /// Among several, what has a user and no scheme may be the rest of a password.
  private static func isReadable(_ address: Substring, isAlone: Bool) -> Bool {
    guard isAlone || !address.contains("@") || schemeEnd(address) != nil else { return false }
    guard ["nats", "tls", nil].contains(scheme(address)) else { return false }
    let place = Substring(withoutSecrets(address))
    var host = schemeEnd(place).map { place[$0...].dropFirst("://".count) } ?? place
    host = host.prefix { $0 != "/" }
    // Colons of IPv6 stand in brackets.
    let rest = host.lastIndex(of: "]").map { host[$0...] } ?? host
    guard let colon = rest.lastIndex(of: ":") else { return !host.isEmpty }
    return colon > host.startIndex && UInt16(rest[rest.index(after: colon)...]) != nil
  }
}

import Glibc

/// What an outlet keeps to itself: a YAML file that only its owner may read.
///
/// It is read by the process that speaks to the other side, each time it starts, and by nothing else.
package struct OutletSecrets: Hashable, Sendable {
  /// The address, where that is a secret itself, as with a bot's.
  package var url: String?
  /// Keys for signatures, 24 to 64 bytes each (Standard Webhooks 1.0.0); the newest first.
  package var signing: [[UInt8]] = []
  /// A token for the header `Authorization`.
  package var bearer: String?
  /// A user's name.
  package var user: String?
  /// That user's password.
  package var password: String?
  /// The path of a PEM file with the certificate authorities to trust; nil for the system's.
  package var authority: String?
  /// The path of a PEM file with the client certificate; nil for none.
  package var certificate: String?
  /// The path of a PEM file with its key; nil where the certificate's file has it.
  package var key: String?

  private enum Key: String, CaseIterable {
    case url, secret
    case oldSecret = "old_secret"
    case bearer, user, password, authority, certificate, key
  }

  /// None.
  package init() {}

  /// Reads a file.
  ///
  /// - Throws: `.noPermission` where others may read it too; `.config` where something in it is wrong. No message
  ///   has a value of the file.
  package init(path: String) throws(Failure) {
    try Self.requirePrivate(path)
    let map = try StrictYAML(path: path, code: .config, isSecret: true).map(Key.self)
    url = try map.optional(.url)?.string()
    bearer = try map.optional(.bearer)?.string()
    user = try map.optional(.user)?.string()
    password = try map.optional(.password)?.string()
    authority = try map.optional(.authority)?.string()
    certificate = try map.optional(.certificate)?.string()
    key = try map.optional(.key)?.string()
    for key in [Key.secret, .oldSecret] {
      if let node = map.optional(key) { signing.append(try Self.signingKey(node)) }
    }
    for value in [url, bearer, user, password, authority, certificate, key].compactMap({ $0 }) {
      guard !OwnersText.hasControlCharacter(value) else {
        throw Failure(
          .config, file: path, what: "a value has a control character or is more than one line",
          remedy: "write each in one line")
      }
    }
    if let url, (try? OutletAddress(url)) == nil {
      throw Failure(
        .config, file: path, what: "url is no address",
        remedy: "write it as https://example.net/path, without user and password")
    }
  }

  /// `whsec_` and base64, or base64 alone.
  private static func signingKey(_ node: StrictYAML) throws(Failure) -> [UInt8] {
    let written = try node.string()
    let text = written.hasPrefix("whsec_") ? String(written.dropFirst(6)) : written
    let key = Base64.bytes(text)
    guard (24...64).contains(key.count), Base64.text(key) == text else {
      throw node.failure(
        "not whsec_ and the base64 of 24 to 64 bytes",
        remedy: "make one: echo whsec_$(openssl rand -base64 32)")
    }
    return key
  }

  /// The address of an outlet: that of these secrets if they have one, else that of its settings.
  ///
  /// - Throws: `.config` where there is none, it is no address of that kind of outlet, or it may not be spoken to.
  package func address(of outlet: OutletSettings) throws(Failure) -> OutletAddress {
    guard let url = url ?? outlet.url else {
      throw Failure(
        .config, what: "neither settings nor secrets have a url", remedy: "write url: to one of them")
    }
    let address = try OutletAddress(url)
    try address.require(outlet.kind, allowsPlain: outlet.allowsPlain, code: .config)
    return address
  }

  /// Why the process that reads an outlet's file will refuse it; nil where nothing is known to be wrong.
  package static func complaint(about path: String, of outlet: OutletSettings) -> Failure? {
    do throws(Failure) {
      _ = try OutletSecrets(path: path).address(of: outlet)
      return nil
    } catch {
      // Root may name the file of a daemon that runs as another user.
      var status = stat()
      let isDaemons =
        unsafe geteuid() == 0 && stat(path, &status) == 0 && status.st_uid != 0
        && status.st_mode & 0o077 == 0
      return isDaemons && error.code == .noPermission ? nil : error
    }
  }

  /// Looks whether a file is there, and is its owner's alone, without reading it.
  ///
  /// - Throws: `.noInput`, `.noPermission`.
  package static func requirePrivate(_ path: String) throws(Failure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw Failure(.noInput, file: path, what: SystemReason.text(errno), remedy: "check the path")
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw Failure(.noInput, file: path, what: "is a directory", remedy: "name a file in it")
    }
    let isOurs = status.st_uid == geteuid() || status.st_uid == 0
    guard isOurs, status.st_mode & 0o077 == 0 else {
      throw Failure(
        .noPermission, file: path, what: "other users may read or write it",
        remedy: "chown it to the daemon's user and chmod 600 it")
    }
  }
}

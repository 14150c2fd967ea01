package import LocationFormats
import LocationLab
import LocationRuntime

/// What `locwatch serve` is to do.
package struct ServeRequest: Sendable {
  /// The state file.
  package var state: String
  /// Where it listens.
  package var address = ServeAddress.tcp(host: "127.0.0.1", port: ServeAddress.usualPort)
  /// A file with the token; nil for one that is drawn at each start.
  package var token: String?
  /// Names beside this machine's own under which browsers ask.
  package var hosts: [String] = []
  /// The address of map tiles with {z}, {x} and {y}; nil for a plain background.
  package var tiles: String?
  /// Whose tiles they are, shown on the map.
  package var attribution: String?
  /// The folder of Leaflet.
  package var leaflet = Leaflet.usualFolder
  /// Whether regions may not be changed.
  package var isReadOnly = false
  /// Whether other machines may be served without TLS.
  package var allowsPlain = false

  package init(state: String) { self.state = state }
}

/// `locwatch serve`: the page.
package enum Serve {
  /// Serves until a signal ends it.
  ///
  /// - Parameter isReady: gets the address to open, and whether a token is in it.
  /// - Throws: code 73 where it can't listen, 64 where that would be unsafe.
  package static func run(_ request: ServeRequest, isReady: (String) throws(Failure) -> Void) throws(Failure)
  {
    guard request.address.isLocal || request.allowsPlain else {
      throw Failure(
        .usage, what: "\(request.address) is open to other machines, and this server has no TLS",
        remedy: "listen on this machine behind a proxy that has (Docs/Serve.md), or add --allow-plain")
    }
    let isUnix = if case .unix = request.address { true } else { false }
    // Whoever may open the socket's file may ask; a port of this machine is open to all its users.
    let token =
      try request.token.map { (path) throws(Failure) in try ServeToken.read(path: path) }
      ?? (isUnix ? nil : RandomToken.hex())
    let (listener, address, entry) = try request.address.open()
    let access = WebAccess(
      token: token, hosts: hosts(address, request.hosts), isReadOnly: request.isReadOnly)
    var loop = ServeLoop(listener, ServeRoutes(request, access), try NewsFeed(state: request.state))
    let place = place(address, token: request.token == nil ? token : nil)
    try loop.run { () throws(Failure) in try isReady(place) }
    entry?.remove()
  }

  /// The names under which browsers may ask.
  ///
  /// - Parameter more: those beside this machine's own.
  static func hosts(_ address: ServeAddress, _ more: [String]) -> Set<String> {
    var hosts = Set(more.map { $0.lowercased() })
    switch address {
    case .unix: hosts.formUnion(["localhost"])
    case .tcp(_, let port):
      let own = ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "\(address)"]
      hosts.formUnion(own)
      // Browsers leave out the port of http.
      if port == 80 { hosts.formUnion(own.map { String($0.dropLast(":80".count)) }) }
    }
    return hosts
  }

  private static func place(_ address: ServeAddress, token: String?) -> String {
    if case .unix = address { return "\(address)" }
    return "http://\(address)/" + (token.map { "#\($0)" } ?? "")
  }
}

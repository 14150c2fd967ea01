/// Who may ask for what: the checks that come before any answer.
///
/// The token travels in a header that no other site can set, and never in a cookie: cookies of a host are sent to every
/// port of it, so also to a server of another user of this machine. What stays to check is that a name of another
/// site was not bound to our address (DNS rebinding): by `Host`, and by `Origin` where a browser sends one.
struct WebAccess: Sendable {
  /// What has to come as `Authorization: Bearer`; nil where the socket's file says who may connect.
  var token: String?
  /// Names under which a browser may ask, as `HOST` or `HOST:PORT`, in small letters.
  var hosts: Set<String>
  /// Whether regions may be changed.
  var isReadOnly = false

  /// Why a request is refused; nil where it is not.
  ///
  /// - Parameters:
  ///   - isPublic: whether it asks for the page itself, which holds nothing of anybody.
  ///   - methods: those that its path takes; none where there is nothing at that path.
  func refusal(of request: HTTPRequest, isPublic: Bool, methods: [String]) -> HTTPResponse? {
    guard let host = request.headers["host"]?.lowercased(), hosts.contains(host) else {
      return .refusal(.misdirected, "this server is not known by that name; add it with --host NAME")
    }
    if let origin = request.headers["origin"]?.lowercased(), origin != "http://\(host)",
      origin != "https://\(host)"
    {
      return .refusal(.forbidden, "another site may not ask")
    }
    if let site = request.headers["sec-fetch-site"], site != "same-origin", site != "none" {
      // A link from elsewhere may lead to the page.
      let isVisit = isPublic && request.headers["sec-fetch-mode"] == "navigate"
      guard isVisit else { return .refusal(.forbidden, "another site may not ask") }
    }
    guard !methods.isEmpty else { return .refusal(.notFound, "there is nothing at that path") }
    guard methods.contains(request.method) else {
      let list = methods.joined(separator: ", ")
      var refusal = HTTPResponse.refusal(.methodNotAllowed, "this path takes \(list)")
      refusal.headers = [("Allow", list)]
      return refusal
    }
    if isPublic { return nil }
    if let token {
      let given = request.headers["authorization"] ?? ""
      // The scheme's case does not matter (RFC 9110, section 11.1).
      guard given.prefix(7).lowercased() == "bearer ",
        Self.areEqual(Array(given.utf8.dropFirst(7)), Array(token.utf8))
      else {
        return .refusal(
          .unauthorized,
          "the token is missing or wrong; it follows the # of the page's address, or Bearer in the header Authorization"
        )
      }
    }
    guard request.method != "GET", request.method != "HEAD" else { return nil }
    if isReadOnly { return .refusal(.forbidden, "this page may look, not change (--read-only)") }
    guard request.method == "DELETE" || Self.isJSON(request.headers["content-type"] ?? "") else {
      return .refusal(.badRequest, "a change is sent as application/json")
    }
    return nil
  }

  /// Whether a type of content is JSON, whatever its parameters, such as `charset=utf-8`.
  private static func isJSON(_ type: String) -> Bool {
    let name = type.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    return name.lowercased() == "application/json"
  }

  /// Compares in a time that does not tell where the first difference is.
  private static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

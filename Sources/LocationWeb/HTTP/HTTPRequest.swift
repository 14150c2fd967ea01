import LocationCore

/// One request of HTTP/1.1 (RFC 9112), read from bytes that anybody may have sent.
struct HTTPRequest: Hashable, Sendable {
  /// In capitals, such as `GET`.
  var method: String
  /// Before the question mark, as it was sent: nothing in it is decoded.
  var path: String
  /// After the question mark, decoded.
  var query: [String: String]
  /// By names in small letters. A name that comes twice is refused.
  var headers: [String: String]
  var body: [UInt8] = []

  /// What is read of a request at most.
  enum Limits {
    /// The request line and all headers, bytes.
    static let headBytes = 16_384
    /// The body, bytes: a region's outline is far smaller.
    static let bodyBytes = 65_536
  }

  /// What came so far.
  enum Progress: Hashable {
    /// There is more to come.
    case partial
    case whole(HTTPRequest)
    /// It is refused with this status.
    case bad(HTTPStatus)
  }

  /// Reads a request.
  static func read(_ bytes: [UInt8]) -> Progress {
    guard let end = Self.end(ofHead: bytes) else {
      guard bytes.count <= Limits.headBytes else { return .bad(.headTooLarge) }
      return canBegin(bytes) ? .partial : .bad(.badRequest)
    }
    guard end.head <= Limits.headBytes else { return .bad(.headTooLarge) }
    guard let text = String(validating: bytes[..<end.head], as: UTF8.self),
      var request = HTTPRequest(head: text)
    else { return .bad(.badRequest) }
    // What is sent in pieces of unknown number could go on for ever.
    guard request.headers["transfer-encoding"] == nil else { return .bad(.lengthRequired) }
    var length = 0
    if let text = request.headers["content-length"] {
      guard text.utf8.count <= 10, text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int(text)
      else { return .bad(.badRequest) }
      length = number
    }
    guard length <= Limits.bodyBytes else { return .bad(.bodyTooLarge) }
    guard bytes.count >= end.body + length else { return .partial }
    request.body = Array(bytes[end.body..<(end.body + length)])
    return .whole(request)
  }

  /// Where the head ends and the body begins; nil where the empty line has not come.
  private static func end(ofHead bytes: [UInt8]) -> (head: Int, body: Int)? {
    let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    var index = 0
    while index + 3 < bytes.count {
      if bytes[index] == cr, bytes[index + 1] == lf, bytes[index + 2] == cr, bytes[index + 3] == lf {
        return (index, index + 4)
      }
      index += 1
    }
    return nil
  }

  /// Whether a head may begin so. TLS, and lines without their carriage returns, are answered at once.
  private static func canBegin(_ bytes: [UInt8]) -> Bool {
    bytes.indices.allSatisfy { index in
      switch bytes[index] {
      case UInt8(ascii: "\n"): index > 0 && bytes[index - 1] == UInt8(ascii: "\r")
      case UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
      case let byte: byte >= 0x20 && byte != 0x7F
      }
    }
  }

  private init?(head: String) {
    // A line feed without its carriage return is refused: others may see two requests in it.
    var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
    guard !lines.isEmpty else { return nil }
    let first = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard first.count == 3, first[2] == "HTTP/1.1" || first[2] == "HTTP/1.0",
      Self.isToken(first[0]), first[1].hasPrefix("/"),
      first[1].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    method = String(first[0])
    let target = first[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(target[0])
    query = [:]
    for pair in target.dropFirst().first?.split(separator: "&") ?? [] {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = Self.decoded(parts[0]), let value = parts.count > 1 ? Self.decoded(parts[1]) : ""
      else { return nil }
      query[key] = value
    }
    headers = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = line[..<colon]
      let value = line[line.index(after: colon)...].utf8
      guard Self.isToken(name), value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        return nil
      }
      let key = name.lowercased()
      guard headers[key] == nil else { return nil }
      headers[key] = Self.trimmed(line[line.index(after: colon)...])
    }
  }

  /// Whether it is a token (RFC 9110, section 5.6.2), as names of methods and headers are.
  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text.drop { $0 == " " || $0 == "\t" })
  }

  /// What `%41` and `+` stand for; nil where that is no UTF-8.
  static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(0x20)
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(\.hexadecimalDigit),
          let low = rest.next().flatMap(\.hexadecimalDigit)
        else {
          return nil
        }
        bytes.append(high << 4 | low)
      case _: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

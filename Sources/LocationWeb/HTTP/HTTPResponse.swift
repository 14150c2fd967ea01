import LocationFormats

/// The statuses that the page's server answers with (RFC 9110, section 15; RFC 6585).
enum HTTPStatus: Int, Hashable, Sendable {
  case ok = 200
  case badRequest = 400
  case unauthorized = 401
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case conflict = 409
  case lengthRequired = 411
  case bodyTooLarge = 413
  case misdirected = 421
  case headTooLarge = 431
  case failed = 500
  case unavailable = 503

  /// For people who read along.
  var phrase: String {
    switch self {
    case .ok: "OK"
    case .badRequest: "Bad Request"
    case .unauthorized: "Unauthorized"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .bodyTooLarge: "Content Too Large"
    case .misdirected: "Misdirected Request"
    case .headTooLarge: "Request Header Fields Too Large"
    case .failed: "Internal Server Error"
    case .unavailable: "Service Unavailable"
    }
  }
}

/// What is answered. A connection is closed after it, unless it goes on as a stream of events.
struct HTTPResponse: Sendable {
  var status = HTTPStatus.ok
  var type: String
  var body: [UInt8]
  /// Further headers.
  var headers: [(name: String, value: String)] = []
  /// Whether it answers HEAD: the body's length is told, and the body is not sent.
  var isHead = false
  /// Whether server-sent events follow.
  var isStream = false
  /// Of such a stream, the id of the last record that the client has; nil where it has asked for none.
  var lastID: Int?

  init(_ status: HTTPStatus = .ok, type: String, body: [UInt8]) {
    self.status = status
    self.type = type
    self.body = body
  }

  /// Text of JSON.
  static func json(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
    HTTPResponse(status, type: "application/json", body: Array(text.utf8))
  }

  /// What went wrong, as the control socket says it.
  static func failure(_ failure: Failure, _ status: HTTPStatus) -> HTTPResponse {
    json(ControlError.text(failure), status)
  }

  /// One line of text.
  static func refusal(_ status: HTTPStatus, _ what: String) -> HTTPResponse {
    json(ControlError.text(Failure(.usage, what: what)), status)
  }

  /// All of it, as it is sent.
  var bytes: [UInt8] {
    var head = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\nContent-Type: \(type)\r\n"
    if !isStream { head += "Content-Length: \(body.count)\r\n" }
    for header in Self.always + headers { head += "\(header.name): \(header.value)\r\n" }
    return Array((head + "Connection: close\r\n\r\n").utf8) + (isHead ? [] : body)
  }

  /// What keeps other sites and the browser's guesses out.
  private static let always: [(name: String, value: String)] = [
    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
  ]
}

/// A failure as JSON: `{"error":{"what":…,"remedy":…}}`.
enum ControlError {
  static func text(_ failure: Failure) -> String {
    let error = JSONTree.object([
      "what": .string(failure.what), "remedy": failure.remedy.map { .string($0) },
    ])
    return JSONTree.object(["error": error]).text
  }
}

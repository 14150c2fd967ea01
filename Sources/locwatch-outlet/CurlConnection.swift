import CCurl
import Glibc
import LocationFormats

/// A connection to one host, kept from one request to the next: the one file that speaks to CCurl.
@safe final class CurlConnection {
  private let handle: UnsafeMutableRawPointer

  /// What both sides have to prove, as paths of PEM files.
  struct Trust {
    var authority: String?
    var certificate: String?
    var key: String?

    init(_ settings: OutletSettings, _ secrets: OutletSecrets) {
      authority = secrets.authority ?? settings.authority
      certificate = secrets.certificate ?? settings.certificate
      key = secrets.key ?? settings.key
    }
  }

  /// The answer to a request.
  struct Answer {
    /// Of HTTP.
    var status: Int
    /// What `Retry-After` says, seconds; 0 where there is none.
    var retryAfterSeconds: Int
  }

  init() throws(SendFailure) {
    guard let handle = unsafe curl_easy_init() else { throw SendFailure("curl can't be used") }
    unsafe self.handle = handle
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  /// Sends a request and waits for its answer, whatever that says.
  func post(
    _ url: String, headers: [(name: String, value: String)], body: [UInt8], user: String?, password: String?,
    trust: Trust, seconds: Int
  ) throws(SendFailure) -> Answer {
    let lines = headers.map { "\($0.name): \(Self.onOneLine($0.value))" }.joined(separator: "\n")
    let answer = unsafe locwatch_curl_post(
      handle, url, lines, body, body.count, user, password, trust.authority, trust.certificate, trust.key,
      seconds)
    guard answer.code == 0 else { throw Self.failure(answer) }
    return Answer(status: answer.status, retryAfterSeconds: answer.retry_after)
  }

  /// Connects, through TLS where the address is https, for ``send(_:)`` and ``receive()``; the socket, for `poll`.
  func open(_ url: String, trust: Trust, seconds: Int) throws(SendFailure) -> Int32 {
    var socket: Int32 = -1
    let answer = unsafe locwatch_curl_connect(
      handle, url, trust.authority, trust.certificate, trust.key, seconds, &socket)
    guard answer.code == 0, socket >= 0 else { throw Self.failure(answer) }
    return socket
  }

  /// Sends bytes; how many were taken: 0 where none are for now.
  func send(_ bytes: [UInt8]) throws(SendFailure) -> Int {
    var count = 0
    let code = unsafe bytes.withUnsafeBytes {
      unsafe curl_easy_send(handle, $0.baseAddress, $0.count, &count)
    }
    if code == CURLE_AGAIN { return 0 }
    guard code == CURLE_OK else { throw SendFailure(ending: "the connection broke") }
    return count
  }

  /// What was received; empty where nothing is there for now.
  func receive() throws(SendFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    var count = 0
    let code = unsafe bytes.withUnsafeMutableBytes {
      unsafe curl_easy_recv(handle, $0.baseAddress, $0.count, &count)
    }
    if code == CURLE_AGAIN { return [] }
    guard code == CURLE_OK, count > 0 else {
      throw SendFailure(ending: "the other side closed the connection")
    }
    return Array(bytes[..<count])
  }

  /// A header can't begin another one.
  private static func onOneLine(_ value: String) -> String {
    String(String.UnicodeScalarView(value.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }

  /// What went wrong. Curl's own words may name the address, so they are not used where that is a secret.
  private static func failure(_ answer: locwatch_answer) -> SendFailure {
    let code = CURLcode(UInt32(answer.code))
    let words = unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) }
    var reason = words ?? "curl failed with \(answer.code)"
    if code == CURLE_PEER_FAILED_VERIFICATION {
      reason = "its certificate is of another name, or nobody we trust has signed it (--authority)"
    }
    if code == CURLE_SSL_CACERT_BADFILE {
      reason = "no certificate of an authority can be read: apt-get install ca-certificates, or --authority"
    }
    if code == CURLE_COULDNT_CONNECT, answer.os_error != 0 {
      reason += ": \(SystemReason.text(Int32(answer.os_error)))"
    }
    var failure = SendFailure(reason)
    let unreachable = [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(Int32(answer.os_error))
    failure.isOffline =
      code == CURLE_COULDNT_RESOLVE_HOST && !DefaultRoute.isThere()
      || code == CURLE_COULDNT_CONNECT && unreachable
    return failure
  }
}

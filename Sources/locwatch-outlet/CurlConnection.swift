import CCurl
import Glibc
import LocationFormats

/// A connection to one host, kept from one request to the next: the one file that speaks to CCurl.
@safe final class CurlConnection {
  private let handle: UnsafeMutableRawPointer
  /// What curl's log says of the last request or connection.
  private let heard: UnsafeMutablePointer<locwatch_heard>
  /// What both sides have to prove in the last request or connection; nil before the first.
  private var trust: Trust?

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
    unsafe heard = .allocate(capacity: 1)
    unsafe heard.initialize(to: locwatch_heard())
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe heard.deallocate()
  }

  /// Sends a request and waits for its answer, whatever that says.
  ///
  /// - Parameter isNear: whether it goes to this machine, so that a proxy is not for it.
  func post(
    _ url: String, isNear: Bool, headers: [(name: String, value: String)], body: [UInt8], user: String?,
    password: String?, trust: Trust, seconds: Int
  ) throws(SendFailure) -> Answer {
    self.trust = trust
    let lines = headers.map { "\($0.name): \(Self.onOneLine($0.value))" }.joined(separator: "\n")
    let answer = unsafe locwatch_curl_post(
      handle, url, isNear ? 1 : 0, lines, body, body.count, user, password, trust.authority,
      trust.certificate, trust.key, seconds, heard)
    // A final status is the answer, whatever becomes of its body: to send an accepted event again would repeat it.
    guard answer.code == 0 || answer.status >= 200 else { throw failure(answer) }
    return Answer(status: answer.status, retryAfterSeconds: answer.retry_after)
  }

  /// Connects, through TLS where the address is https and never through a proxy, for ``send(_:)`` and ``receive()``; the
  /// socket, for `poll`.
  func open(_ url: String, trust: Trust, seconds: Int) throws(SendFailure) -> Int32 {
    var socket: Int32 = -1
    self.trust = trust
    let answer = unsafe locwatch_curl_connect(
      handle, url, trust.authority, trust.certificate, trust.key, seconds, &socket, heard)
    guard answer.code == 0, socket >= 0 else { throw failure(answer) }
    return socket
  }

  /// Sends bytes; how many were taken: 0 where none are for now.
  func send(_ bytes: [UInt8]) throws(SendFailure) -> Int {
    var count = 0
    let code = unsafe bytes.withUnsafeBytes {
      unsafe curl_easy_send(handle, $0.baseAddress, $0.count, &count)
    }
    if code == CURLE_AGAIN { return 0 }
    guard code == CURLE_OK else {
      // An alert that it sent before it closed waits to be read.
      _ = read()
      throw ending("the connection broke")
    }
    return count
  }

  /// What was received; empty where nothing is there for now.
  func receive() throws(SendFailure) -> [UInt8] {
    let (code, bytes) = read()
    if code == CURLE_AGAIN { return [] }
    guard code == CURLE_OK, !bytes.isEmpty else { throw ending("the other side closed the connection") }
    return bytes
  }

  private func read() -> (CURLcode, [UInt8]) {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    var count = 0
    let code = unsafe bytes.withUnsafeMutableBytes {
      unsafe curl_easy_recv(handle, $0.baseAddress, $0.count, &count)
    }
    return (code, Array(bytes[..<count]))
  }

  // MARK: - What went wrong

  private func ending(_ reason: String) -> SendFailure {
    objection.map { SendFailure($0) } ?? SendFailure(ending: reason)
  }

  /// Why the other side's TLS refuses ours; nil where it does not say that it does.
  ///
  /// With TLS 1.3 a certificate is refused after we have connected (RFC 8446, section 4.4.2.4), so this may be known only
  /// when something is sent or received.
  private var objection: String? {
    let number = unsafe heard.pointee.alert
    guard let word = Self.alerts[number] else { return nil }
    if number == Self.handshakeFailure {
      // Before TLS 1.3 this stands also for a certificate that is missing.
      let hint = hasCertificate ? "" : "; does it want a certificate of ours (--certificate and --key)?"
      return "it refuses our TLS: \(word)\(hint)"
    }
    return hasCertificate
      ? "it refuses our certificate: \(word) (--certificate)"
      : "it wants a certificate of ours (--certificate and --key)"
  }

  /// Whether we have shown a certificate.
  private var hasCertificate: Bool { trust?.certificate != nil }

  private static let handshakeFailure: Int32 = 40

  /// The alerts that may be about a certificate of ours (RFC 8446, section 6.2).
  private static let alerts: [Int32: String] = [
    handshakeFailure: "handshake failure", 42: "bad certificate", 43: "unsupported certificate",
    44: "certificate revoked", 45: "certificate expired", 46: "certificate unknown", 48: "unknown authority",
    49: "access denied", 116: "certificate required",
  ]

  /// A header can't begin another one.
  private static func onOneLine(_ value: String) -> String {
    String(String.UnicodeScalarView(value.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }

  /// Through which proxy the last request went, in words that follow others; empty for none.
  var route: String {
    let variable = unsafe String(cString: locwatch_curl_proxy(heard))
    return variable.isEmpty ? "" : ", through the proxy that \(variable) names"
  }

  /// Why a certificate does not hold, by OpenSSL's verdict. Where that is good, curl has found the name to be another, and
  /// says 1.
  private static let verdicts = [
    1: "its certificate is of another name",
    9: "its certificate is not valid yet: is this machine's clock right?",
    10: "its certificate has expired, or this machine's clock is ahead",
  ]

  /// What went wrong. Curl's own words may name the address, so they are not used where that is a secret.
  private func failure(_ answer: locwatch_answer) -> SendFailure {
    if let objection { return SendFailure(objection) }
    let code = CURLcode(UInt32(answer.code))
    var failure = SendFailure(words(code, answer) + route)
    if code == CURLE_COULDNT_CONNECT, answer.os_error == Int(ECONNREFUSED), route.isEmpty {
      failure.reason += "; start the server, or correct its address"
    }
    let unreachable = [ENETUNREACH, EHOSTUNREACH, ENETDOWN].contains(Int32(answer.os_error))
    failure.isAttempt =
      switch code {
      // A file of ours is not right.
      case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM: false
      case CURLE_COULDNT_RESOLVE_HOST: DefaultRoute.isThere()
      case CURLE_COULDNT_CONNECT: !unreachable
      default: true
      }
    failure.isBreak = code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR
    return failure
  }

  private func words(_ code: CURLcode, _ answer: locwatch_answer) -> String {
    let own = unsafe curl_easy_strerror(code).map { unsafe String(cString: $0) }
    let words = own ?? "curl failed with \(answer.code)"
    return switch code {
    case CURLE_PEER_FAILED_VERIFICATION:
      Self.verdicts[answer.verdict]
        ?? "no authority that we trust has signed its certificate (authority: in the file of secrets, or --authority)"
    case CURLE_SSL_CACERT_BADFILE:
      trust?.authority != nil
        ? "the file of its authority holds no certificate, or can't be read"
        : "no certificate of an authority can be read: apt-get install ca-certificates, or name one (authority: in the file of secrets)"
    case CURLE_SSL_CONNECT_ERROR: "no TLS could be agreed on: does its port speak TLS 1.2 or later?"
    case CURLE_SSL_CERTPROBLEM:
      "our certificate or its key can't be read, the key has a pass phrase, or is not that of the certificate"
    // Curl says "Unsupported protocol". The address was checked before, so it means the answer.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      "what answers there speaks no HTTP: is that its port?"
    case CURLE_OPERATION_TIMEDOUT: "it has not answered in time: is it overloaded, or behind a firewall?"
    case CURLE_COULDNT_RESOLVE_HOST: "\(words): correct its address, or check the network"
    case CURLE_COULDNT_CONNECT where answer.os_error != 0:
      "\(words): \(SystemReason.text(Int32(answer.os_error)))"
    case _ where answer.proxy_status >= 300: "no connection: HTTP \(answer.proxy_status)"
    default: words
    }
  }
}

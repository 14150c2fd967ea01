import Glibc
import LocationCore
import LocationFormats

/// One HTTP endpoint that is sent each event in a POST of its own, in order.
struct Webhook {
  private let settings: OutletSettings
  private let secrets: OutletSecrets
  private let url: String
  private let isNear: Bool
  private let isEncrypted: Bool
  private let keys: [WebhookSignature]
  private var connection: CurlConnection

  /// The longest that one request takes, seconds (Standard Webhooks 1.0.0 asks for 15 to 30).
  private static let requestSeconds = 20
  /// The longest that a receiver may have us wait, seconds: a day.
  private static let longestWaitSeconds = 86_400

  init(_ settings: OutletSettings, _ secrets: OutletSecrets) throws(SendFailure) {
    self.settings = settings
    self.secrets = secrets
    let address = try SendFailure.unasked { () throws(Failure) in try secrets.address(of: settings) }
    url = address.text
    isNear = address.isLoopback
    isEncrypted = address.isEncrypted
    keys = secrets.signing.map { WebhookSignature(key: $0) }
    connection = try CurlConnection()
  }

  /// Sends one event; returns when it was accepted.
  mutating func send(_ line: JSONTree) throws(SendFailure) {
    let event = CloudEvent(line, of: settings)
    let (own, body) = content(event, line)
    var headers = own
    headers.append(("User-Agent", "locwatch"))
    if let bearer = secrets.bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
    if !keys.isEmpty {
      let now = Int(SystemCall.microseconds(of: CLOCK_REALTIME) / 1_000_000)
      let signatures = keys.map { $0.sign(id: event.webhookID, timestamp: now, body: body) }
      headers.append(("webhook-id", event.webhookID))
      headers.append(("webhook-timestamp", "\(now)"))
      headers.append(("webhook-signature", signatures.joined(separator: " ")))
    }
    do throws(SendFailure) {
      try judge(
        connection.post(
          url, isNear: isNear, headers: headers, body: body, user: secrets.user, password: secrets.password,
          trust: CurlConnection.Trust(settings, secrets), seconds: Self.requestSeconds))
    } catch {
      var failure = error
      // Only for who tries it out: the server of one in use may have been restarted in the middle.
      if failure.isBreak, !isEncrypted, line["type"]?.string == "test" {
        failure.reason += "; does its port want TLS (https)?"
      }
      throw failure
    }
  }

  private func content(_ event: CloudEvent, _ line: JSONTree) -> ([(name: String, value: String)], [UInt8]) {
    switch settings.format {
    case .cloudevents: ([("Content-Type", CloudEvent.contentType)], event.structured)
    case .binary: (event.headers + [("Content-Type", "application/json")], Array(event.data.utf8))
    case .ntfy:
      (
        [("Content-Type", "text/plain; charset=utf-8"), ("Title", "locwatch"), ("Tags", "round_pushpin")],
        Array(EventWords.text(line).utf8)
      )
    case .gotify: ([("Content-Type", "application/json")], BodyTemplate.gotify.filled(with: line))
    case .template:
      (
        [("Content-Type", "application/json")],
        BodyTemplate(settings.template ?? "{record}").filled(with: line)
      )
    }
  }

  /// What a status says that the user can do something about (RFC 9110, section 15); nil for the others.
  private static func meaning(of status: Int) -> String? {
    switch status {
    case 300..<400: "redirections are not followed; give the address that it leads to"
    case 401, 403: "check the user, password or token in the file of --secrets"
    case 404: "check the path of the address"
    case 405: "the address takes no POST"
    case 407: "check the user and password of the proxy"
    default: nil
    }
  }

  private func judge(_ answer: CurlConnection.Answer) throws(SendFailure) {
    if (200..<300).contains(answer.status) { return }
    let meaning = Self.meaning(of: answer.status).map { ": \($0)" } ?? ""
    var failure = SendFailure("the answer was HTTP \(answer.status)\(connection.route)\(meaning)")
    failure.isFinal = answer.status == 410
    if [429, 502, 503, 504].contains(answer.status), answer.retryAfterSeconds > 0 {
      failure.waitSeconds = min(answer.retryAfterSeconds, Self.longestWaitSeconds)
    }
    throw failure
  }
}

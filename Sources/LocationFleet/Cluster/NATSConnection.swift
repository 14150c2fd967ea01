import CNATS
import LocationCore
package import LocationFormats

/// A connection to a cluster of nats-servers: the one file that speaks to CNATS.
///
/// Only the connection itself is the library's business. JetStream and its key-value stores are requests and headers over
/// it (``JetStream``), because the library's own calls for them wait for one answer at a time, and a worker has
/// hundreds on their way.
@safe package final class NATSConnection {
  private let handle: OpaquePointer
  /// The servers, for messages (``ServerAddresses``).
  package let servers: String
  /// The log for what happens while a call waits: a lost connection, a refusal.
  package var log: (String) -> Void = { _ in }
  /// What was told lately, and when.
  private var told: [String: Double] = [:]
  private var wasConnected = true

  /// Where to connect to, and as whom.
  package struct Options: Sendable {
    /// Addresses as `nats://127.0.0.1:4222`, with commas between them.
    package var servers: String
    /// A file of credentials as nsc makes them; nil for none.
    package var credentials: String?
    /// What the servers show of this client.
    package var name: String
    /// A PEM file with the certificate authorities to trust; nil for the system's.
    package var authority: String?
    /// A PEM file with our certificate; nil for none.
    package var certificate: String?
    /// A PEM file with its key; nil where the certificate's file has it.
    package var key: String?

    package init(servers: String, credentials: String?, name: String) {
      self.servers = servers
      self.credentials = credentials
      self.name = name
    }
  }

  /// Connects; with TLS where an address begins with `tls://` or a file of TLS is named, and never without then.
  ///
  /// - Throws: `.unavailable` where no server answers, `.noPermission` where it refuses, `.usage` for no address,
  ///   `.noInput` where a file is not there.
  package init(_ options: Options) throws(Failure) {
    let addresses = try ServerAddresses(options.servers)
    servers = addresses.shown
    let files = [options.authority, options.certificate, options.key].compactMap { $0 }
    for file in files { _ = try FileBytes.read(path: file) }
    guard options.key == nil || options.certificate != nil else {
      throw Failure(.usage, what: "--key needs --certificate", remedy: "give both")
    }
    if let file = options.credentials {
      let text = String(decoding: try FileBytes.read(path: file), as: UTF8.self)
      guard text.contains("BEGIN NATS USER JWT"), text.contains("BEGIN USER NKEY SEED") else {
        throw Failure(.data, file: file, what: "no credentials", remedy: "give the file that nsc made")
      }
    }
    let isEncrypted = addresses.isEncrypted || !files.isEmpty
    var handle: OpaquePointer?
    let status = unsafe locwatch_nats_connect(
      &handle, options.servers, options.name, options.credentials,
      isEncrypted ? 1 : 0, options.authority, options.certificate, options.key)
    guard status == NATS_OK, let handle = unsafe handle else {
      throw Failure(
        Self.code(of: status),
        what: "no connection to nats-server at \(servers): \(Self.lastError ?? Self.text(status))",
        remedy: Self.remedy(for: status, isAnonymous: isEncrypted && options.certificate == nil))
    }
    unsafe self.handle = handle
  }

  private static func code(of status: natsStatus) -> Failure.Code {
    status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED ? .noPermission : .unavailable
  }

  private static func remedy(for status: natsStatus, isAnonymous: Bool) -> String {
    switch status {
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: "check --creds and the accounts of the server"
    case NATS_SSL_ERROR: "check --authority, --certificate and --key, and the name of the host"
    case NATS_SECURE_CONNECTION_WANTED: "give the server TLS; nats:// speaks to it in the clear"
    case NATS_SECURE_CONNECTION_REQUIRED: "say tls:// in --server"
    // A server that wants a certificate only ends the connection.
    case _ where isAnonymous:
      "check --server, that it runs, and whether it wants a certificate (--certificate)"
    default: "check --server, and that it runs"
    }
  }

  deinit { unsafe natsConnection_Destroy(handle) }

  /// What a message has beside its subject and its payload.
  package struct Headers {
    /// `Nats-Msg-Id`: a stream keeps one of those with the same.
    package var id: String?
    /// `Nats-Expected-Last-Subject-Sequence`: the stream takes it only on top of this.
    package var expected: UInt64?
    /// `Locwatch-Reason`: why it can't be used.
    package var reason: String?
    /// `Locwatch-Bytes`: how many bytes the payload had before it was cut.
    package var bytes: Int?
  }

  /// Publishes a message; the library sends it as soon as it can.
  ///
  /// One that is lost with its server, or finds no room while another server is looked for, is no failure: a caller that
  /// must be sure waits for a confirmation, and sends it again where none comes.
  ///
  /// - Throws: `.tryAgain` where the library takes nothing any more, `.config` where a message is larger than the servers
  ///   permit.
  package func publish(
    _ subject: String, _ payload: [UInt8], headers: Headers = Headers(), reply: String? = nil
  ) throws(Failure) {
    let expected = headers.expected.map { "\($0)" }
    let bytes = headers.bytes.map { "\($0)" }
    let status = unsafe locwatch_nats_publish(
      handle, subject, reply, headers.id, expected, headers.reason, bytes, payload, payload.count)
    guard status != NATS_MAX_PAYLOAD else {
      throw Failure(
        .config,
        what:
          "\(payload.count) bytes at \(subject) are more than the servers take with a message, \(mostBytes)",
        remedy: "raise max_payload in their configuration")
    }
    guard status == NATS_OK || status == NATS_IO_ERROR || status == NATS_INSUFFICIENT_BUFFER else {
      throw Failure(.tryAgain, what: "nats-server at \(servers) takes nothing: \(Self.text(status))")
    }
  }

  /// Waits until the server has had all that was published; false where it did not in time.
  @discardableResult
  package func flush(milliseconds: Int) -> Bool {
    unsafe natsConnection_FlushTimeout(handle, Int64(milliseconds)) == NATS_OK
  }

  /// A subject that only this connection uses, to be answered at.
  package func inbox() throws(Failure) -> String {
    var inbox: UnsafeMutablePointer<CChar>?
    guard unsafe natsInbox_Create(&inbox) == NATS_OK, let text = unsafe inbox else {
      throw Failure(.tryAgain, what: "no memory for a subject")
    }
    defer { unsafe natsInbox_Destroy(text) }
    return unsafe String(cString: text)
  }

  /// Subscribes to a subject, which may have wildcards.
  package func subscribe(_ subject: String) throws(Failure) -> NATSSubscription {
    var subscription: OpaquePointer?
    let status = unsafe natsConnection_SubscribeSync(&subscription, handle, subject)
    guard status == NATS_OK, let subscription = unsafe subscription else {
      throw Failure(.unavailable, what: "can't subscribe to \(subject): \(Self.text(status))")
    }
    unsafe natsSubscription_SetPendingLimits(subscription, -1, -1)
    return unsafe NATSSubscription(subscription, connection: self)
  }

  /// The most bytes that the servers take of a message with its headers: 1 MiB, unless their configuration says otherwise.
  package var mostBytes: Int { unsafe Int(natsConnection_GetMaxPayload(handle)) }

  /// How often the connection was made again. What the server had sent before may be lost then.
  package var reconnects: UInt64 {
    var statistics: OpaquePointer?
    guard unsafe natsStatistics_Create(&statistics) == NATS_OK else { return 0 }
    defer { unsafe natsStatistics_Destroy(statistics) }
    var counts = (messagesIn: UInt64(0), bytesIn: UInt64(0), messagesOut: UInt64(0), bytesOut: UInt64(0))
    var reconnects: UInt64 = 0
    guard unsafe natsConnection_GetStats(handle, statistics) == NATS_OK,
      unsafe natsStatistics_GetCounts(
        statistics, &counts.messagesIn, &counts.bytesIn, &counts.messagesOut, &counts.bytesOut, &reconnects)
        == NATS_OK
    else { return 0 }
    return reconnects
  }

  /// Whether the library has given it up: it does not connect again, and nothing comes over it any more.
  package var isClosed: Bool { unsafe natsConnection_Status(handle) == NATS_CONN_STATUS_CLOSED }

  /// Whether a server is connected now.
  var isConnected: Bool { unsafe natsConnection_Status(handle) == NATS_CONN_STATUS_CONNECTED }

  /// The failure of a connection that is closed, with the reason that the servers gave.
  package var closure: Failure {
    let (status, reason) = serverError
    return Failure(
      Self.code(of: status),
      what: "the connection to nats-server at \(servers) is closed: \(reason ?? Self.text(status))",
      remedy: Self.remedy(for: status, isAnonymous: false))
  }

  /// Tells what goes on, the same once a minute.
  func tell(_ text: String) {
    let now = FleetClock.seconds
    told = told.filter { now - $0.value < Self.silenceSeconds }
    guard told[text] == nil else { return }
    told[text] = now
    log(text)
  }

  private static let silenceSeconds = 60.0

  /// Tells where the connection was lost, or is there again.
  fileprivate func noteState() {
    let isConnected = isConnected
    guard isConnected != wasConnected, !isClosed else { return }
    wasConnected = isConnected
    let what = isConnected ? "there again" : "lost; it is tried again"
    log("the connection to nats-server at \(servers) is \(what)")
  }

  /// The last error of the connection, and what the servers said of it.
  private var serverError: (status: natsStatus, reason: String?) {
    var text: UnsafePointer<CChar>?
    let status = unsafe natsConnection_GetLastError(handle, &text)
    return (status, unsafe text.map { unsafe String(cString: $0) })
  }

  /// Why the servers last refused what names a subject; nil where they did not.
  package func refusal(of subject: String) -> String? {
    let (status, reason) = serverError
    guard status != NATS_OK, let reason else { return nil }
    return reason.hasPrefix("Permissions Violation") && reason.contains(subject) ? reason : nil
  }

  /// What the library says of the call before, in this thread, without the line of its source that stands before.
  private static var lastError: String? {
    guard let text = unsafe nats_GetLastError(nil).map({ unsafe String(cString: $0) }), !text.isEmpty else {
      return nil
    }
    return text.hasPrefix("(") ? String(text.drop { $0 != " " }.dropFirst()) : text
  }

  private static func text(_ status: natsStatus) -> String {
    unsafe natsStatus_GetText(status).map { unsafe String(cString: $0) } ?? "error \(status.rawValue)"
  }
}

/// What came for a subject, in order.
@safe package final class NATSSubscription {
  private let handle: OpaquePointer
  /// Keeps the connection while something comes over it.
  private let connection: NATSConnection
  /// Whether the servers last said that nobody is there to answer what was asked.
  private(set) var isUnheard = false

  fileprivate init(_ handle: OpaquePointer, connection: NATSConnection) {
    unsafe self.handle = handle
    self.connection = connection
  }

  deinit { unsafe natsSubscription_Destroy(handle) }

  /// The next message; nil where none comes in time.
  ///
  /// - Parameter milliseconds: how long to wait for it; 0 for not at all.
  /// - Throws: `.unavailable` where the connection is closed for good, `.noPermission` where the servers did so.
  package func next(milliseconds: Int) throws(Failure) -> NATSMessage? {
    var raw = unsafe locwatch_nats_message()
    var left = milliseconds
    while true {
      let wait = min(left, Self.longestWaitMilliseconds)
      switch unsafe locwatch_nats_next(handle, wait, &raw) {
      case NATS_OK:
        isUnheard = false
        return unsafe NATSMessage(raw)
      case NATS_NO_RESPONDERS:
        isUnheard = true
        return nil
      case NATS_CONNECTION_CLOSED, NATS_INVALID_SUBSCRIPTION: throw connection.closure
      default: connection.noteState()
      }
      left -= wait
      guard left > 0 else { return nil }
    }
  }

  /// The longest wait between two looks at the connection.
  private static let longestWaitMilliseconds = 1_000
}

/// A message as it lies in the library's memory.
@safe package struct NATSMessage: ~Copyable {
  private let raw: locwatch_nats_message

  fileprivate init(_ raw: locwatch_nats_message) { unsafe self.raw = raw }

  deinit { unsafe natsMsg_Destroy(raw.owner) }

  /// What the server says of a request, as 408; 0 where it is a message proper.
  package var status: Int { unsafe Int(raw.status) }

  /// Its subject.
  package var subject: String { withSubject { String(decoding: $0.array, as: UTF8.self) } }

  /// Its payload.
  package var payload: [UInt8] { withPayload { $0.array } }

  /// The id under which a stream has it; nil without one.
  package var id: String? {
    unsafe locwatch_nats_header(raw.owner, "Nats-Msg-Id").map { unsafe String(cString: $0) }
  }

  /// Lends its subject.
  package func withSubject<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe body(UnsafeBufferPointer(start: raw.subject, count: raw.subject_size).span)
  }

  /// Lends the subject of its reply, in which a stream says where the message stands in it.
  package func withReply<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe body(UnsafeBufferPointer(start: raw.reply, count: raw.reply_size).span)
  }

  /// Lends its payload.
  package func withPayload<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    unsafe body(UnsafeBufferPointer(start: raw.data, count: raw.size).span)
  }
}

import Glibc
import LocationCore
import LocationFormats

/// A connection to an MQTT broker: carries out what an ``MQTTSession`` says.
struct BrokerLink {
  private let connection: CurlConnection
  private let socket: Int32
  private(set) var session = MQTTSession()
  /// When the broker is asked for a sign of life, or must have given one; seconds of the monotonic clock.
  private var dueAt: Double
  /// Whether an answer of the broker's is due by then.
  private var isAnswerDue = true
  /// When something was last sent: the broker ends a session in which only it speaks (MQTT 3.1.1, 3.1.2.10).
  private var sentAt: Double
  /// What came with the word that the session has begun: messages that the broker had kept.
  private var early: [MQTTSession.Event] = []
  /// Bytes that the socket did not take yet.
  private var unsent: ArraySlice<UInt8> = []

  /// The longest that a connection or an answer may take, seconds.
  private static let patienceSeconds = 20
  /// Seconds between signs of life: each wakes a radio.
  private static let keepAliveSeconds = 300

  /// Connects; the session has begun when this returns.
  init(_ settings: OutletSettings, _ secrets: OutletSecrets, _ options: MQTTSession.Options)
    throws(SendFailure)
  {
    connection = try CurlConnection()
    let url = try Self.url(settings, secrets)
    socket = try connection.open(
      url, trust: CurlConnection.Trust(settings, secrets), seconds: Self.patienceSeconds)
    sentAt = Self.now
    dueAt = sentAt + Double(Self.patienceSeconds)
    var options = options
    options.user = secrets.user
    options.password = secrets.password
    options.keepAliveSeconds = Self.keepAliveSeconds
    session.connect(options)
    var came: [MQTTSession.Event] = []
    do throws(SendFailure) {
      while !came.contains(.connected) { came += try wait(withDaemon: false).events }
    } catch {
      throw Self.hinted(error, url, CurlConnection.Trust(settings, secrets))
    }
    early = came.filter { $0 != .connected }
  }

  private static func url(_ settings: OutletSettings, _ secrets: OutletSecrets) throws(SendFailure) -> String
  {
    let address = try SendFailure.unasked { () throws(Failure) in try secrets.address(of: settings) }
    // Curl knows the transport by these names.
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    let port = address.port ?? (address.isEncrypted ? 8_883 : 1_883)
    return "\(address.isEncrypted ? "https" : "http")://\(host):\(port)"
  }

  /// Why no session has begun, with what a broker that only ends the connection may want.
  private static func hinted(
    _ failure: SendFailure, _ url: String, _ trust: CurlConnection.Trust
  ) -> SendFailure {
    guard failure.isBreak else { return failure }
    var failure = failure
    if url.hasPrefix("http:") {
      failure.reason += "; does its port want TLS (mqtts)?"
    } else if trust.certificate == nil {
      failure.reason += "; does it want a certificate of ours (--certificate and --key)?"
    } else {
      failure.reason += "; does it refuse our certificate (--certificate)?"
    }
    return failure
  }

  /// Sends a message; the number under which it is acknowledged.
  mutating func publish(_ message: MQTTSession.Message) -> UInt16? {
    expectAnswer()
    return session.publish(message)
  }

  /// Asks for the messages of topics.
  mutating func subscribe(_ topics: [String], isKept: Bool = true, isNeeded: Bool = true) {
    expectAnswer()
    session.subscribe(topics, isKept: isKept, isNeeded: isNeeded)
  }

  /// Tells the broker that a message was dealt with.
  mutating func acknowledge(_ number: UInt16) { session.acknowledge(number) }

  private mutating func expectAnswer() {
    guard !isAnswerDue else { return }
    isAnswerDue = true
    dueAt = Self.now + Double(Self.patienceSeconds)
  }

  // MARK: - Waiting

  private static var now: Double { Double(SystemCall.microseconds(of: CLOCK_MONOTONIC)) * 1e-6 }

  /// Waits for the broker and, where it is to be read, for the daemon.
  ///
  /// - Returns: what the broker said, and whether the daemon has said something or is gone.
  mutating func wait(withDaemon isRead: Bool) throws(SendFailure) -> (
    events: [MQTTSession.Event], hasNews: Bool
  ) {
    try flush()
    if !early.isEmpty {
      defer { early = [] }
      return (early, false)
    }
    var polled = PollSet()
    polled.watch(socket, for: POLLIN | (unsent.isEmpty ? 0 : POLLOUT))
    if isRead { polled.watch(STDIN_FILENO) }
    let pingAt = sentAt + Double(Self.keepAliveSeconds)
    let milliseconds = max(0, min(dueAt, pingAt) - Self.now) * 1_000
    let count = polled.wait(atMost: Int32(milliseconds.rounded(.up)))
    if count < 0, errno != EINTR { throw SendFailure(SystemReason.text(errno)) }
    let hasNews = polled.has(STDIN_FILENO)
    if polled.has(socket, POLLIN | POLLOUT) { try receive() }
    let events = session.takeEvents()
    var isPingDue = Self.now >= pingAt
    if !events.isEmpty {
      isAnswerDue = session.unacknowledgedCount > 0
      dueAt = Self.now + Double(isAnswerDue ? Self.patienceSeconds : Self.keepAliveSeconds)
    } else if session.isSkipping, count > 0 {
      // It is busy with something large.
      dueAt = Self.now + Double(Self.patienceSeconds)
    } else if Self.now >= dueAt {
      guard !isAnswerDue else {
        throw SendFailure("the broker has not answered for \(Self.patienceSeconds) s")
      }
      isPingDue = true
    }
    if isPingDue {
      session.ping()
      expectAnswer()
    }
    try flush()
    return (events, hasNews)
  }

  private mutating func receive() throws(SendFailure) {
    while true {
      let bytes = try connection.receive()
      guard !bytes.isEmpty else { return }
      do throws(Failure) { try session.receive(bytes) } catch { throw SendFailure("\(error)") }
    }
  }

  /// Sends what the socket takes.
  mutating func flush() throws(SendFailure) {
    let output = session.takeOutput()
    if !output.isEmpty { sentAt = Self.now }
    unsent += output
    while !unsent.isEmpty {
      let count = try connection.send(Array(unsent))
      guard count > 0 else { return }
      unsent = unsent.dropFirst(count)
    }
  }
}

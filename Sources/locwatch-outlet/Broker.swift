import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// One connection to an MQTT broker that stays up while the daemon runs.
struct Broker {
  private let outlet: OwnTracksOutlet
  private let isReduced: Bool
  private let connection: CurlConnection
  private let socket: Int32
  private var session = MQTTSession()
  /// Events on their way, in order, and which of their messages the broker has not acknowledged.
  private var sending: [(id: Int, waiting: Set<UInt16>)] = []
  private var isConnected = false
  /// When the broker must have said something, or is asked to; seconds of the monotonic clock.
  private var nextPing: Double
  private var isPinged = false
  /// Bytes that the socket did not take yet.
  private var unsent: ArraySlice<UInt8> = []

  /// The longest that a connection or an answer may take, seconds.
  private static let patienceSeconds = 20
  /// Seconds between signs of life: each wakes a radio.
  private static let keepAliveSeconds = 300
  /// Messages that may be on their way at once; Mosquitto takes 20 by default (`max_inflight_messages`).
  private static let window = 20

  /// Connects; the session has begun when this returns.
  ///
  /// - Parameter places: the regions that others are told of.
  init(_ settings: OutletSettings, _ secrets: OutletSecrets, places: [OwnTracksOutlet.Place])
    throws(SendFailure)
  {
    outlet = OwnTracksOutlet(settings, places: places)
    isReduced = settings.isReduced
    connection = try CurlConnection()
    let url = try Self.url(settings, secrets)
    socket = try connection.open(url, trust: CurlConnection.Trust(settings), seconds: Self.patienceSeconds)
    nextPing = Self.now + Double(Self.patienceSeconds)
    var options = MQTTSession.Options(client: "locwatch-\(settings.instance)-\(settings.name)")
    options.user = secrets.user
    options.password = secrets.password
    options.keepAliveSeconds = Self.keepAliveSeconds
    var clock = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &clock)
    options.will = outlet.will(now: clock.tv_sec)
    session.connect(options)
    while !isConnected { _ = try wait(withDaemon: false) }
    for message in outlet.greeting() { session.publish(message) }
    if let topic = outlet.birthTopic { session.subscribe([topic]) }
    try flush()
  }

  private static func url(_ settings: OutletSettings, _ secrets: OutletSecrets) throws(SendFailure) -> String
  {
    guard let url = secrets.url ?? settings.url, let address = try? OutletAddress(url),
      address.scheme.hasPrefix("mqtt")
    else { throw SendFailure("its url is no address of a broker") }
    guard address.isEncrypted || address.isLoopback || settings.allowsPlain else {
      throw SendFailure("mqtt to another machine without TLS is not permitted (--allow-plain permits it)")
    }
    // Curl knows the transport by these names.
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    let port = address.port ?? (address.isEncrypted ? 8_883 : 1_883)
    return "\(address.isEncrypted ? "https" : "http")://\(host):\(port)"
  }

  /// Hands on events until the daemon says no more.
  mutating func serve(_ input: inout EventInput) throws(SendFailure) {
    while true {
      while session.unacknowledgedCount < Self.window, let line = try input.pending() { try send(line) }
      // What it still wanted is the next one's to send.
      if input.isAbandoned || input.isAtEnd { return }
      let hasRoom = session.unacknowledgedCount < Self.window
      if try wait(withDaemon: hasRoom && !input.isAtEnd) { input.read() }
    }
  }

  private mutating func send(_ line: JSONTree) throws(SendFailure) {
    guard let id = line["id"]?.integer else { return }
    let messages = outlet.messages(for: isReduced ? ReducedLine.of(line) : line)
    sending.append((id, Set(messages.compactMap { session.publish($0) })))
    settle()
    // An answer is due now, not only when the next sign of life is.
    if !sending.isEmpty { nextPing = min(nextPing, Self.now + Double(Self.patienceSeconds)) }
    try flush()
  }

  /// Says which events the broker has, in their order.
  private mutating func settle() {
    var last: Int?
    while let first = sending.first, first.waiting.isEmpty { last = sending.removeFirst().id }
    if let last { Answer.accepted(last).say() }
  }

  // MARK: - Waiting

  private static var now: Double {
    var clock = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &clock)
    return Double(clock.tv_sec) + Double(clock.tv_nsec) * 1e-9
  }

  /// Waits for the broker and, where it is to be read, for the daemon; whether that has said something.
  private mutating func wait(withDaemon isRead: Bool) throws(SendFailure) -> Bool {
    try flush()
    let events = Int16(POLLIN) | (unsent.isEmpty ? 0 : Int16(POLLOUT))
    var entries = [
      pollfd(fd: socket, events: events, revents: 0),
      pollfd(fd: isRead ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
    ]
    let seconds = max(0, nextPing - Self.now)
    let count = unsafe poll(&entries, 2, Int32((seconds * 1_000).rounded(.up)))
    if count < 0, errno != EINTR { throw SendFailure(SystemReason.text(errno)) }
    let hasNews = count > 0 && entries[1].revents != 0
    if count > 0, entries[0].revents != 0 { try receive() }
    guard Self.now >= nextPing else { return hasNews }
    guard isConnected, !isPinged, sending.isEmpty else {
      throw SendFailure("the broker has not answered for \(Self.patienceSeconds) s")
    }
    isPinged = true
    session.ping()
    try flush()
    nextPing = Self.now + Double(Self.patienceSeconds)
    return hasNews
  }

  private mutating func receive() throws(SendFailure) {
    while true {
      let bytes = try connection.receive()
      guard !bytes.isEmpty else { break }
      do throws(Failure) { try session.receive(bytes) } catch { throw SendFailure(error.what) }
    }
    for event in session.takeEvents() {
      switch event {
      case .connected: isConnected = true
      case .alive: break
      case .published(let number):
        for index in sending.indices { sending[index].waiting.remove(number) }
      case .message(let message, let number):
        if let number { session.acknowledge(number) }
        if message.topic == outlet.birthTopic, message.payload == Array("online".utf8) {
          for message in outlet.greeting() { session.publish(message) }
        }
      }
    }
    settle()
    isPinged = false
    nextPing = Self.now + Double(sending.isEmpty ? Self.keepAliveSeconds : Self.patienceSeconds)
    try flush()
  }

  private mutating func flush() throws(SendFailure) {
    unsent += session.takeOutput()
    while !unsent.isEmpty {
      let count = try connection.send(Array(unsent))
      guard count > 0 else { return }
      unsent = unsent.dropFirst(count)
    }
  }
}

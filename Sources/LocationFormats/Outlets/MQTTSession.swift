import LocationCore

/// A client's side of MQTT 3.1.1 (OASIS, 2014), without a socket and without a clock: bytes in, bytes and events out.
///
/// It knows QoS 0 and 1. What it is sent with QoS 1 is acknowledged when its user says so, which may be after a commit:
/// libmosquitto acknowledges before it hands a message over.
package struct MQTTSession {
  /// The longest topic of a device. MQTT allows 65,535 bytes (1.5.3); what is published below it is longer.
  package static let mostTopicBytes = 65_000

  /// A message.
  package struct Message: Hashable, Sendable {
    /// Where it is published.
    package var topic: String
    /// What it says.
    package var payload: [UInt8]
    /// Whether the broker keeps it for those who come later.
    package var isRetained: Bool
    /// Whether it is acknowledged: QoS 1, else 0.
    package var isAcknowledged: Bool

    /// A message of text.
    package init(_ topic: String, _ payload: String, isRetained: Bool = false, isAcknowledged: Bool = true) {
      self.topic = topic
      self.payload = Array(payload.utf8)
      self.isRetained = isRetained
      self.isAcknowledged = isAcknowledged
    }
  }

  /// Who connects, and how.
  package struct Options: Hashable, Sendable {
    /// Names the session at the broker.
    package var client: String
    /// A user's name; nil for none.
    package var user: String?
    /// That user's password; nil for none.
    package var password: String?
    /// Seconds between signs of life; the broker gives up after 1.5 times that.
    package var keepAliveSeconds = 300
    /// What the broker publishes when the connection breaks.
    package var will: Message?
    /// Whether the broker keeps what comes while the client is away.
    package var isPersistent = false

    /// A client with the usual options.
    package init(client: String) { self.client = client }
  }

  /// What the broker said.
  package enum Event: Hashable, Sendable {
    /// The session begins.
    case connected
    /// A message of ours has reached it; the number that ``publish(_:)`` returned.
    case published(UInt16)
    /// A message for us. Its number is to be given to ``acknowledge(_:)``; nil where nobody waits for that.
    case message(Message, number: UInt16?)
    /// A message for us that is larger than ``packetBytes``: what it says was left out. It is acknowledged all the same:
    /// a broker that keeps it would send it at each connection.
    case tooLarge(topic: String, bytes: Int, number: UInt16?)
    /// It is there, or has taken a subscription.
    case alive
  }

  /// The largest packet that is accepted, bytes: far above a location, far below trouble.
  package static let packetBytes = 1 << 18

  /// Bytes for the broker that ``takeOutput()`` has not given out yet.
  private var output: [UInt8] = []
  private var input: [UInt8] = []
  /// Bytes to come of a message that is left out.
  private var skipped = 0
  private var events: [Event] = []
  private var lastNumber: UInt16 = 0
  /// Whether the broker was told a user.
  private var hasUser = false
  private var unacknowledged: Set<UInt16> = []
  /// Subscriptions that the broker may refuse.
  private var wishes: Set<UInt16> = []

  /// A session that has not begun.
  package init() {}

  /// Messages that the broker has not acknowledged.
  package var unacknowledgedCount: Int { unacknowledged.count }

  /// Bytes to send, once.
  package mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  /// What the broker said, once.
  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  // MARK: - To the broker

  /// Begins a session (3.1).
  package mutating func connect(_ options: Options) {
    var flags: UInt8 = options.isPersistent ? 0 : 0x02
    var body: [UInt8] = []
    Self.append("MQTT", to: &body)
    body.append(4)
    if let will = options.will {
      flags |= 0x04 | (will.isAcknowledged ? 0x08 : 0) | (will.isRetained ? 0x20 : 0)
    }
    hasUser = options.user != nil
    if hasUser { flags |= 0x80 }
    if options.user != nil, options.password != nil { flags |= 0x40 }
    body.append(flags)
    Self.append(UInt16(clamping: options.keepAliveSeconds), to: &body)
    Self.append(options.client, to: &body)
    if let will = options.will {
      Self.append(will.topic, to: &body)
      Self.append(UInt16(clamping: will.payload.count), to: &body)
      body += will.payload
    }
    if let user = options.user {
      Self.append(user, to: &body)
      if let password = options.password { Self.append(password, to: &body) }
    }
    send(0x10, body)
  }

  /// Publishes a message (3.3).
  ///
  /// - Returns: the number under which it is acknowledged; nil where it is not.
  @discardableResult
  package mutating func publish(_ message: Message) -> UInt16? {
    var body: [UInt8] = []
    Self.append(message.topic, to: &body)
    var number: UInt16?
    if message.isAcknowledged {
      let next = nextNumber()
      unacknowledged.insert(next)
      Self.append(next, to: &body)
      number = next
    }
    body += message.payload
    send(0x30 | (message.isAcknowledged ? 0x02 : 0) | (message.isRetained ? 0x01 : 0), body)
    return number
  }

  /// Asks for the messages of topics (3.8).
  ///
  /// - Parameters:
  ///   - isKept: whether a broker that keeps the session keeps what comes meanwhile: QoS 1, else 0.
  ///   - isNeeded: whether the session is of no use without them.
  package mutating func subscribe(_ topics: [String], isKept: Bool = true, isNeeded: Bool = true) {
    var body: [UInt8] = []
    let number = nextNumber()
    if !isNeeded { wishes.insert(number) }
    Self.append(number, to: &body)
    for topic in topics {
      Self.append(topic, to: &body)
      body.append(isKept ? 1 : 0)
    }
    send(0x82, body)
  }

  /// Tells the broker that a message was dealt with (3.4).
  package mutating func acknowledge(_ number: UInt16) {
    var body: [UInt8] = []
    Self.append(number, to: &body)
    send(0x40, body)
  }

  /// Asks for a sign of life (3.12).
  package mutating func ping() { send(0xC0, []) }

  private mutating func nextNumber() -> UInt16 {
    repeat { lastNumber = lastNumber == .max ? 1 : lastNumber + 1 } while unacknowledged.contains(lastNumber)
    return lastNumber
  }

  private mutating func send(_ head: UInt8, _ body: [UInt8]) {
    output.append(head)
    var rest = body.count
    repeat {
      output.append(UInt8(rest % 128) | (rest >= 128 ? 0x80 : 0))
      rest /= 128
    } while rest > 0
    output += body
  }

  private static func append(_ number: UInt16, to bytes: inout [UInt8]) {
    bytes.append(UInt8(number >> 8))
    bytes.append(UInt8(number & 0xFF))
  }

  /// A string has at most 65,535 bytes; what is longer is cut.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = Array(text.utf8.prefix(Int(UInt16.max)))
    append(UInt16(utf8.count), to: &bytes)
    bytes += utf8
  }

  // MARK: - From the broker

  /// Takes what the broker has sent.
  ///
  /// - Throws: why the connection is of no use any more.
  package mutating func receive(_ bytes: [UInt8]) throws(Failure) {
    let left = min(skipped, bytes.count)
    skipped -= left
    input += bytes[left...]
    var at = 0
    while let packet = try nextPacket(&at) { try take(packet.head, input[packet.body]) }
    input.removeFirst(at)
  }

  /// Whether a message is coming that is left out.
  package var isSkipping: Bool { skipped > 0 }

  /// The next whole packet; nil where there is none yet. Messages that are too large are left out.
  private mutating func nextPacket(_ at: inout Int) throws(Failure) -> (head: UInt8, body: Range<Int>)? {
    var length = 0
    var index = at + 1
    for shift in [0, 7, 14, 21] {
      guard index < input.count else { return nil }
      let byte = input[index]
      index += 1
      length |= Int(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else {
        guard length <= Self.packetBytes else {
          guard input[at] >> 4 == 3 else { throw Self.broken("it sends a packet of \(length) bytes") }
          guard let start = try Self.start(input[at], input[index...]) else { return nil }
          events.append(.tooLarge(topic: start.topic, bytes: length, number: start.number))
          let end = index + length
          skipped = max(0, end - input.count)
          at = min(end, input.count)
          return try nextPacket(&at)
        }
        guard index + length <= input.count else { return nil }
        defer { at = index + length }
        return (input[at], index..<(index + length))
      }
    }
    throw Self.broken("it sends a packet without a length")
  }

  private mutating func take(_ head: UInt8, _ body: ArraySlice<UInt8>) throws(Failure) {
    let first = body.startIndex
    switch head >> 4 {
    case 2:
      guard body.count == 2 else { throw Self.broken("its CONNACK has \(body.count) bytes") }
      try judge(body[first + 1])
      events.append(.connected)
    case 3: try takeMessage(head, body)
    case 4:
      guard body.count == 2 else { throw Self.broken("its PUBACK has \(body.count) bytes") }
      let number = UInt16(body[first]) << 8 | UInt16(body[first + 1])
      if unacknowledged.remove(number) != nil { events.append(.published(number)) }
    case 9:
      guard body.count > 2 else { throw Self.broken("its SUBACK has \(body.count) bytes") }
      let isWish = wishes.remove(UInt16(body[first]) << 8 | UInt16(body[first + 1])) != nil
      guard isWish || !body.dropFirst(2).contains(0x80) else {
        throw Failure(
          .noPermission, what: "the broker refuses a subscription",
          remedy: "let this user read the topic, in the broker's configuration")
      }
      events.append(.alive)
    case 13: events.append(.alive)
    case let type: throw Self.broken("it sends a packet of type \(type)")
    }
  }

  private mutating func takeMessage(_ head: UInt8, _ body: ArraySlice<UInt8>) throws(Failure) {
    guard let start = try Self.start(head, body) else { throw Self.broken("it sends half a message") }
    var message = Message(
      start.topic, "", isRetained: head & 0x01 != 0, isAcknowledged: start.number != nil)
    message.payload = Array(body[start.payload...])
    events.append(.message(message, number: start.number))
  }

  /// What stands before a message's payload, and where that begins; nil where it is not all there.
  private static func start(_ head: UInt8, _ body: ArraySlice<UInt8>) throws(Failure) -> (
    topic: String, number: UInt16?, payload: Int
  )? {
    guard head & 0x06 != 0x06, head & 0x04 == 0 else {
      throw broken("it sends a message with a QoS that nobody asked for")
    }
    let first = body.startIndex
    let hasNumber = head & 0x06 != 0
    guard body.count >= 2 else { return nil }
    let length = Int(body[first]) << 8 | Int(body[first + 1])
    let next = first + 2 + length
    guard body.count >= 2 + length + (hasNumber ? 2 : 0) else { return nil }
    guard let topic = String(validating: body[(first + 2)..<next], as: UTF8.self) else {
      throw broken("it sends a topic that is not UTF-8")
    }
    guard hasNumber else { return (topic, nil, next) }
    return (topic, UInt16(body[next]) << 8 | UInt16(body[next + 1]), next + 2)
  }

  private func judge(_ code: UInt8) throws(Failure) {
    switch code {
    case 0: return
    case 2:
      throw Failure(
        .unavailable, what: "the broker refuses the client's name",
        remedy: "let it connect under this client id, in the broker's configuration")
    case 3:
      throw Failure(
        .unavailable, what: "the broker is not ready", remedy: "try again, or look into the broker's log")
    case 4, 5:
      throw Failure(
        .noPermission,
        what: hasUser
          ? "the broker refuses user and password" : "the broker wants a user and password",
        remedy: hasUser ? "check them in the file of secrets" : "write them to the file of secrets")
    default:
      throw Failure(
        .unavailable, what: "the broker refuses the connection (\(code))",
        remedy: "look into the broker's log")
    }
  }

  private static func broken(_ what: String) -> Failure {
    Failure(
      .data, what: "the other side does not speak MQTT 3.1.1: \(what)", remedy: "check host, port and TLS")
  }
}

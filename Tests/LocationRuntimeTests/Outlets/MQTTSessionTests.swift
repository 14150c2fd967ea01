import TestSupport
import Testing

@testable import LocationFormats

/// MQTT 3.1.1 byte by byte; the figures in brackets are sections of the standard.
@Suite struct MQTTSessionTests {
  /// The bytes of texts and of lists of numbers.
  private func bytes(_ parts: Any...) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      if let text = part as? String { bytes += text.utf8 }
      if let numbers = part as? [Int] { bytes += numbers.map { UInt8($0) } }
    }
    return bytes
  }

  @Test func `a session begins with CONNECT, and its will and user are in it`() {
    var session = MQTTSession()
    var options = MQTTSession.Options(client: "c")
    options.user = "u"
    options.password = "p"
    options.keepAliveSeconds = 258
    options.will = .init("w", "off", isRetained: true)
    session.connect(options)
    let body = bytes(
      [0, 4], "MQTT", [4, 0xEE, 1, 2, 0, 1], "c", [0, 1], "w", [0, 3], "off", [0, 1], "u", [0, 1], "p")
    #expect(session.takeOutput() == bytes([0x10, body.count]) + body)
    #expect(session.takeOutput().isEmpty)
  }

  @Test func `a message of QoS 1 is published once the broker says so`() throws {
    var session = MQTTSession()
    let published = session.publish(.init("a/b", "x", isRetained: true))
    let number = try #require(published)
    let sent = bytes([0x33, 8, 0, 3], "a/b", [0, Int(number)], "x")
    #expect(session.takeOutput() == sent)
    #expect(session.unacknowledgedCount == 1)
    // In pieces of one byte.
    for byte in [0x40, 2, 0, UInt8(number)] as [UInt8] { try session.receive([byte]) }
    #expect(session.takeEvents() == [.published(number)])
    #expect(session.unacknowledgedCount == 0)
    try session.receive([0x40, 2, 0, UInt8(number)])
    #expect(session.takeEvents().isEmpty)
    #expect(session.publish(.init("a", "", isAcknowledged: false)) == nil)
  }

  @Test func `a long message has a length of several bytes`() {
    var session = MQTTSession()
    session.publish(.init("t", String(repeating: "x", count: 200_000), isAcknowledged: false))
    #expect(session.takeOutput().prefix(4) == [0x30, 0xC3, 0x9A, 0x0C])
  }

  @Test func `numbers go round and leave out those on their way`() throws {
    var session = MQTTSession()
    let initial = session.publish(.init("t", ""))
    let first = try #require(initial)
    for _ in 0..<70_000 {
      let published = session.publish(.init("t", ""))
      let number = try #require(published)
      #expect(number != first && number != 0)
      try session.receive([0x40, 2, UInt8(number >> 8), UInt8(number & 0xFF)])
    }
    #expect(session.unacknowledgedCount == 1)
  }

  @Test func `messages are taken, several at once, and acknowledged when the user says so`() throws {
    var session = MQTTSession()
    session.subscribe(["a/#"])
    let asked = bytes([0x82, 8, 0, 1, 0, 3], "a/#", [1])
    #expect(session.takeOutput() == asked)
    try session.receive(
      bytes(
        [0x20, 2, 0, 0, 0x90, 3, 0, 1, 1, 0x33, 7, 0, 1], "a", [0x12, 0x34], "hi", [0x30, 4, 0, 1], "b!",
        [0xD0, 0]))
    var first = MQTTSession.Message("a", "hi", isRetained: true)
    first.isAcknowledged = true
    let second = MQTTSession.Message("b", "!", isAcknowledged: false)
    #expect(
      session.takeEvents() == [
        .connected, .alive, .message(first, number: 0x1234), .message(second, number: nil), .alive,
      ])
    #expect(session.takeOutput().isEmpty)
    session.acknowledge(0x1234)
    #expect(session.takeOutput() == [0x40, 2, 0x12, 0x34])
  }

  @Test(
    arguments: [
      [0x20, 2, 0, 5], [0x20, 1, 0], [0x40, 1, 0], [0x90, 3, 0, 1, 0x80], [0x34, 3, 0, 1, 0x41],
      [0x36, 3, 0, 1, 0x41], [0x30, 3, 0, 9, 0x41], [0x30, 3, 0, 1, 0xFF], [0x32, 3, 0, 1, 0x41], [0x10, 0],
      [0x00, 0], [0xF0, 0], [0x40, 0xFF, 0xFF, 0xFF, 0x7F], [0x30, 0xFF, 0xFF, 0xFF, 0xFF, 1],
    ] as [[UInt8]])
  func `what is no MQTT ends the session`(bytes: [UInt8]) {
    var session = MQTTSession()
    #expect(throws: Failure.self) { try session.receive(bytes) }
  }

  @Test func `a subscription that is only wished for may be refused`() throws {
    var session = MQTTSession()
    session.subscribe(["a"], isNeeded: false)
    session.subscribe(["b"])
    try session.receive([0x90, 3, 0, 1, 0x80])
    #expect(session.takeEvents() == [.alive])
    #expect(throws: Failure.self) { try session.receive([0x90, 3, 0, 2, 0x80]) }
  }

  @Test(arguments: [1, 7, 100_000, 1_000_000])
  func `a message that is too large is left out, and what follows is taken`(pieces: Int) throws {
    var session = MQTTSession()
    let length = 300_000
    // A message of QoS 1 at "a", a sign of life, and a small message.
    let all =
      bytes([0x32, length % 128 | 128, length / 128 % 128 | 128, length / 16_384, 0, 1], "a", [0x12, 0x34])
      + [UInt8](repeating: 0x30, count: length - 5) + bytes([0xD0, 0, 0x30, 4, 0, 1], "b!")
    var events: [MQTTSession.Event] = []
    var rest = all[...]
    while !rest.isEmpty {
      try session.receive(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
      events += session.takeEvents()
    }
    #expect(
      events == [
        .tooLarge(topic: "a", bytes: length, number: 0x1234), .alive,
        .message(.init("b", "!", isAcknowledged: false), number: nil),
      ])
  }

  @Test func `no bytes make it trap, nor keep more than a packet`() {
    var random = SeededRandom(31)
    for _ in 0..<2_000 {
      var session = MQTTSession()
      do {
        for _ in 0..<20 {
          try session.receive(
            (0..<Int.random(in: 0..<40, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        }
      } catch {}
      _ = session.takeEvents()
    }
  }
}

import Testing

@testable import LocationFleet

struct DeadLetterTests {
  @Test(arguments: [
    (300, 1 << 20, 300), (65_536, 1 << 20, 65_536), (65_537, 1 << 20, 65_536), (1 << 20, 1 << 20, 65_536),
    (8_192, 8_192, 7_168), (7_168, 8_192, 7_168), (300, 100, 0),
  ])
  func `is cut to what the servers take with its headers`(bytes: Int, most: Int, kept: Int) {
    let letter = DeadLetter(Array(repeating: 65, count: bytes), "why", atMost: most)
    #expect(letter.payload.count == kept && letter.reason == "why")
    #expect(letter.cutBytes == (kept < bytes ? bytes : nil))
  }

  /// A reason quotes what a device says, which must not begin a header of its own.
  @Test func `a reason is one short line`() {
    let type = "a\r\nNats-Msg-Id: b\u{0}" + String(repeating: "👩‍🚒", count: 10_000)
    let reason = DeadLetter([], "_type \"\(type)\" is not a position", atMost: 1 << 20).reason
    #expect(reason.hasPrefix("_type \"a  Nats-Msg-Id: b "))
    #expect(reason.utf8.count <= 800)
  }
}

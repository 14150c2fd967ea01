import Testing

@testable import LocationFleet

struct RequestPipeTests {
  @Test(
    arguments: [
      ("_INBOX.a.1", 1), ("_INBOX.a.120", 120), ("_INBOX.b.1", nil), ("_INBOX.a.", nil), ("_INBOX.a.x", nil),
      ("_INBOX.a.99999999999999999999", nil), ("y", nil), ("", nil),
    ] as [(String, Int?)])
  func `only what its own subject and a number make is an answer`(subject: String, number: Int?) {
    #expect(RequestPipe.number(in: Array(subject.utf8).span, after: "_INBOX.a.") == number)
  }
}

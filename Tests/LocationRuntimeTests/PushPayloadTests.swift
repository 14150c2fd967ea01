import Testing

@testable import LocationCore
@testable import LocationFormats

/// What a push says, and what is wrong with one, of which nothing is quoted.
@Suite struct PushPayloadTests {
  @Test(arguments: [
    (#"{"alert":"Mail"}"#, "Mail||-", false),
    (#"{"alert":{"title":"Mail","body":"three"}}"#, "Mail|three|-", false),
    (#"{"alert":{"body":"three"}}"#, "three||-", false),
    (#"{"alert":"Mail","content-available":1,"id":17}"#, "Mail||17", true),
    (#"{"content-available":1}"#, "-", true),
    (#"{"aps":{"alert":"Mail","content-available":1,"sound":"default"},"id":"x"}"#, "Mail||x", true),
    (#"{"alert":"Mail","content-available":2}"#, "Mail||-", false),
  ])
  func `a payload is read`(text: String, expected: String, isForProgram: Bool) throws {
    let push = try PushPayload.push(Array(text.utf8))
    #expect(push.isContentAvailable == isForProgram)
    #expect(push.alert.map { "\($0.title)|\($0.body)|\(push.id ?? "-")" } ?? "-" == expected)
    #expect(push.payload == text)
  }

  @Test func `white space goes, and data comes back to who opens it`() throws {
    let push = try PushPayload.push(Array("{\n \"alert\": \"Mail\",\t\"data\": {\"n\": 1} }\n".utf8))
    #expect(push.payload == #"{"alert":"Mail","data":{"n":1}}"#)
    #expect(push.alert?.data == #"{"n":1}"#)
  }

  @Test(arguments: [
    "", "{", "[]", "7", #"{"secret":1}"#, #"{"alert":7}"#, #"{"alert":""}"#, #"{"alert":{}}"#,
    #"{"alert":"secret","id":""}"#, #"{"alert":"secret","id":[]}"#, #"{"content-available":true}"#,
    #"{"alert":"secret"} x"#, "{\"alert\":\"\(String(repeating: "secret", count: 700))\"}",
  ])
  func `what is none is refused, and not quoted`(text: String) {
    let error = #expect(throws: Failure.self) { try PushPayload.push(Array(text.utf8)) }
    #expect(error?.code == .data)
    #expect(error.map { "\($0)" }?.contains("secret") == false)
  }
}

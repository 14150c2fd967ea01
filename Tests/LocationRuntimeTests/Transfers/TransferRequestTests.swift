import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// What a program may ask for.
@Suite struct TransferRequestTests {
  private static func isTaken(
    header name: String = "accept", value: String = "x", file: String = "f", flag: String = "discretionary"
  ) throws -> Bool {
    let request = JSONTree.object([
      flag: .boolean(true),
      "session": .string("s"), "file": .string(file), "url": .string("https://example.net/f"),
      "headers": .object([name: .string(value)]),
    ])
    var reader = JSONReader(Array(request.text.utf8))
    return try TransferRequest.read(from: &reader) != nil
  }

  @Test(arguments: ["Authorization", "X-Api_Key.2", "accept"])
  func `a header of its own is taken`(name: String) throws { #expect(try Self.isTaken(header: name)) }

  @Test(arguments: [
    "Range", "range", "If-Range", "Content-Length", "TRANSFER-ENCODING", "Host", "", "Range ", " Range",
    "Ra\nnge",
    "X: y\r\nRange", "Range:", "Ränge",
  ])
  func `one by which requests are carried is refused, and so is what is no name`(name: String) throws {
    #expect(try !Self.isTaken(header: name))
  }

  @Test func `the value of a header is one line`() throws {
    #expect(try Self.isTaken(value: "a, b;\tc=é"))
    for value in ["b\r\nX-Evil: 1", "b\nc", "b\u{7F}", "b\0"] { #expect(try !Self.isTaken(value: value)) }
  }

  @Test func `a key that is unknown is refused`() throws {
    #expect(try Self.isTaken(flag: "metered"))
    #expect(try !Self.isTaken(flag: "discretionery"))
  }

  @Test func `the name of a file holds no NUL, at which it would end`() throws {
    #expect(try Self.isTaken(file: "a/b c"))
    #expect(try !Self.isTaken(file: "a\0b"))
  }
}

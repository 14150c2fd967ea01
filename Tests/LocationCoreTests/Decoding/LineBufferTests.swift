import LocationCore
import TestSupport
import Testing

@Suite("Lines out of pieces")
struct LineBufferTests {
  /// The lines of a text that comes in pieces of those sizes, and what is left.
  static func lines(_ bytes: [UInt8], pieces: [Int], limit: Int = 1000) -> [String] {
    var buffer = LineBuffer(limit: limit)
    var lines: [String] = []
    func take(_ range: Range<Int>) { lines.append(String(decoding: buffer.bytes[range], as: UTF8.self)) }
    var rest = bytes[...]
    for size in pieces + [bytes.count] {
      let piece = Array(rest.prefix(size))
      rest = rest.dropFirst(size)
      buffer.append(piece.span)
      scanning: while true {
        switch buffer.next() {
        case .line(let range): take(range)
        case .tooLong:
          lines.append("<too long>")
          return lines
        case .none: break scanning
        }
      }
    }
    if let range = buffer.last() { take(range) }
    #expect(buffer.number == lines.count)
    return lines
  }

  @Test(
    "a line ends with a line feed, before which a carriage return is left out",
    arguments: [
      ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("\n\n", ["", ""]),
      ("a\r\nb\r\n", ["a", "b"]), ("a\rb\n", ["a\rb"]), ("\r\n", [""]), ("a\n\r", ["a", "\r"]),
      ("12345678\n12345678\n", ["12345678", "12345678"]),
    ])
  func splitting(text: String, expected: [String]) {
    #expect(Self.lines(Array(text.utf8), pieces: []) == expected)
  }

  @Test("the same bytes give the same lines in whatever pieces they come")
  func pieces() {
    var random = SeededRandom(21)
    let alphabet = [UInt8](arrayLiteral: 0x0A, 0x0D, 0x0B, 0x8A, 0x78)
    for _ in 0..<300 {
      let count = Int.random(in: 0...80, using: &random)
      let bytes = (0..<count).map { _ in alphabet[Int.random(in: 0..<5, using: &random)] }
      let sizes = (0..<12).map { _ in Int.random(in: 0...15, using: &random) }
      #expect(
        Self.lines(bytes, pieces: sizes) == Self.lines(bytes, pieces: []), "\(bytes) \(sizes) \(random)")
    }
  }

  @Test("a line beyond the limit is refused, with its end or without")
  func limit() {
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 11)
    #expect(Self.lines(line, pieces: [], limit: 10) == ["<too long>"])
    #expect(Self.lines(line + [0x0A], pieces: [], limit: 10) == ["<too long>"])
    #expect(Self.lines(line + [0x0A], pieces: [], limit: 11) == [String(repeating: "x", count: 11)])
  }
}

extension JSONReader {
  /// Whether a string is that ASCII literal.
  package func equals(_ text: Text, _ literal: StaticString) -> Bool {
    if text.hasEscapes { return decoded(text) == literal.description }
    return bytes.span.extracting(text.range).equals(literal)
  }

  /// Whether a string without escapes is those bytes.
  package func equals(_ text: Text, _ other: [UInt8]) -> Bool {
    !text.hasEscapes && bytes.span.extracting(text.range).equals(other)
  }

  /// A string with its escapes resolved.
  package func decoded(_ text: Text) -> String {
    guard text.hasEscapes else { return String(decoding: bytes[text.range], as: UTF8.self) }
    var units: [UInt8] = []
    units.reserveCapacity(text.range.count)
    var index = text.range.lowerBound
    while index < text.range.upperBound {
      let byte = bytes[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      let letter = bytes[index]
      index += 1
      if letter == UInt8(ascii: "u") {
        units.append(contentsOf: String(Character(scalar(at: &index))).utf8)
      } else {
        units.append(Self.meaning(ofEscape: letter))
      }
    }
    return String(decoding: units, as: UTF8.self)
  }

  /// A number as it is written, once it was read.
  package func written(from first: Int) -> String {
    String(decoding: bytes[first..<offset], as: UTF8.self)
  }

  /// For a message: the byte at an offset, or that there is none.
  func shown(_ offset: Int) -> String {
    guard offset < bytes.count else { return "the end" }
    let byte = bytes[offset]
    return byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "a byte \(byte)"
  }

  /// For a message: a piece of the text.
  func shown(_ range: Range<Int>) -> String { "'\(bytes.span.extracting(range).text())'" }

  /// The scalar of one escape or of a pair, whose form was checked when the string was read.
  private func scalar(at index: inout Int) -> Unicode.Scalar {
    let unit = hexadecimal(at: index)
    index += 4
    guard unit & 0xFC00 == 0xD800 else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
    let low = hexadecimal(at: index + 2)
    index += 6
    return Unicode.Scalar(0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF) ?? "\u{FFFD}"
  }

  private func hexadecimal(at first: Int) -> UInt32 {
    UInt32(String(decoding: bytes[first..<(first + 4)], as: UTF8.self), radix: 16) ?? 0xFFFD
  }

  private static func meaning(ofEscape letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }
}

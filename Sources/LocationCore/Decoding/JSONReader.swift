/// Reads JSON text (RFC 8259) value by value, in the order of the file, without building a tree.
///
/// Whatever is read or skipped is checked in full: the grammar, the escapes and the UTF-8 of strings.
/// A byte order mark before the text is passed over. It is a value: a copy remembers a place to return to.
///
/// ```swift
/// var reader = JSONReader(bytes)
/// try reader.openObject()
/// while let key = try reader.nextKey() {
///   if reader.equals(key, "radius_m") { radius = try reader.number() } else { try reader.skip() }
/// }
/// try reader.end()
/// ```
package struct JSONReader: Sendable {
  /// What the next value is.
  package enum Kind: String, Sendable {
    case object, array, string, number
    case boolean
    case null
  }

  /// A string, as a place in the text.
  package struct Text: Sendable {
    /// What stands between the quotes, escapes as written.
    package let range: Range<Int>
    /// Whether it has any, so that the text is not what it means.
    package let hasEscapes: Bool
  }

  /// Objects and arrays nested deeper than this are refused, so that no input can exhaust the stack.
  package static let maximumDepth = 64

  /// The whole text.
  package let bytes: [UInt8]
  /// The byte to be looked at next.
  package private(set) var offset: Int
  private let limit: Int
  private var depth = 0
  /// A bit for each level: whether nothing of that object or array was read yet.
  private var atFirst: UInt64 = 0

  /// - Parameter range: where the text stands; all of `bytes` by default.
  package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    offset = range?.lowerBound ?? 0
    limit = range?.upperBound ?? bytes.count
    if offset == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  // MARK: What comes next

  /// The kind of the next value, which is not yet read.
  package mutating func peek() throws(JSONError) -> Kind {
    skipSpace()
    guard offset < limit else { throw .syntax(at: offset, "the text ends where a value is expected") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw .syntax(at: offset, "\(shown(offset)) where a value is expected")
    }
  }

  /// Whether nothing but white space is left.
  package mutating func isAtEnd() -> Bool {
    skipSpace()
    return offset == limit
  }

  /// - Throws: where anything but white space is left.
  package mutating func end() throws(JSONError) {
    guard isAtEnd() else { throw .syntax(at: offset, "\(shown(offset)) after the end of the JSON text") }
  }

  /// Passes over white space, then over `byte` if it is next.
  package mutating func skip(byte: UInt8) -> Bool {
    skipSpace()
    guard offset < limit, bytes[offset] == byte else { return false }
    offset += 1
    return true
  }

  // MARK: Objects and arrays

  /// Enters an object; ``nextKey()`` then gives its keys, and after the last nil.
  package mutating func openObject() throws(JSONError) { try open(.object, UInt8(ascii: "{")) }

  /// Enters an array; ``nextElement()`` then tells whether there is a further value to read.
  package mutating func openArray() throws(JSONError) { try open(.array, UInt8(ascii: "[")) }

  /// The next key of the object, after which its value is to be read; nil after the last.
  package mutating func nextKey() throws(JSONError) -> Text? {
    guard try hasNext(closing: UInt8(ascii: "}")) else { return nil }
    guard offset < limit, bytes[offset] == UInt8(ascii: "\"") else {
      throw .syntax(at: offset, "\(shown(offset)) where a key in quotes is expected")
    }
    let key = try text()
    guard skip(byte: UInt8(ascii: ":")) else {
      throw .syntax(at: offset, "\(shown(offset)) where a colon is expected")
    }
    return key
  }

  /// Whether the array has a further value, which is to be read next.
  package mutating func nextElement() throws(JSONError) -> Bool { try hasNext(closing: UInt8(ascii: "]")) }

  private mutating func open(_ kind: Kind, _ bracket: UInt8) throws(JSONError) {
    try expect(kind)
    guard depth < Self.maximumDepth else {
      throw .syntax(at: offset, "nested deeper than \(Self.maximumDepth) levels")
    }
    offset += 1
    atFirst |= 1 << UInt64(depth)
    depth += 1
  }

  private mutating func hasNext(closing bracket: UInt8) throws(JSONError) -> Bool {
    skipSpace()
    guard offset < limit else { throw .syntax(at: offset, "the text ends within an object or array") }
    let level: UInt64 = 1 << UInt64(depth - 1)
    let isFirst = atFirst & level != 0
    if bytes[offset] == bracket {
      offset += 1
      depth -= 1
      return false
    }
    if isFirst {
      atFirst &= ~level
      return true
    }
    guard bytes[offset] == UInt8(ascii: ",") else {
      throw .syntax(at: offset, "\(shown(offset)) where a comma or the end is expected")
    }
    offset += 1
    skipSpace()
    guard offset < limit, bytes[offset] != bracket else { throw .syntax(at: offset, "nothing after a comma") }
    return true
  }

  // MARK: Values

  /// Reads a number: the double nearest to what is written.
  ///
  /// - Throws: also where it is beyond the range of a double.
  package mutating func number() throws(JSONError) -> Double {
    let (value, range) = try anyNumber()
    guard value.isFinite else {
      throw .content(at: range.lowerBound, "\(shown(range)) is too large a number")
    }
    return value
  }

  /// A number that may be too large for a double, and where it stands.
  private mutating func anyNumber() throws(JSONError) -> (Double, Range<Int>) {
    try expect(.number)
    let first = offset
    while offset < limit, Self.isOfNumber(bytes[offset]) { offset += 1 }
    let range = first..<offset
    guard let value = Double(jsonNumber: bytes.span.extracting(range)) else {
      throw .syntax(at: first, "\(shown(range)) is no JSON number")
    }
    return (value, range)
  }

  /// Reads a string.
  package mutating func text() throws(JSONError) -> Text {
    try expect(.string)
    let opening = offset
    offset += 1
    let first = offset
    var hasEscapes = false
    while offset < limit {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") {
        offset += 1
        return Text(range: first..<(offset - 1), hasEscapes: hasEscapes)
      }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try skipEscape()
      } else if byte >= 0x80 {
        try skipUTF8Sequence()
      } else if byte >= 0x20 {
        offset += 1
      } else {
        throw .syntax(at: offset, "a control character in a string")
      }
    }
    throw .syntax(at: opening, "a string without an end")
  }

  /// Reads a string, its escapes resolved.
  package mutating func string() throws(JSONError) -> String { decoded(try text()) }

  /// Reads a string, or a number as it is written; nil for any other value, which is skipped.
  package mutating func stringOrNumber() throws(JSONError) -> String? {
    switch try peek() {
    case .string: return try string()
    case .number:
      let first = offset
      _ = try number()
      return written(from: first)
    case .object, .array, .boolean, .null:
      try skip()
      return nil
    }
  }

  /// Reads `true` or `false`.
  package mutating func boolean() throws(JSONError) -> Bool {
    try expect(.boolean)
    if bytes[offset] == UInt8(ascii: "t") {
      try word("true")
      return true
    }
    try word("false")
    return false
  }

  /// Reads `null`, if it is next.
  package mutating func skipNull() throws(JSONError) -> Bool {
    guard try peek() == .null else { return false }
    try word("null")
    return true
  }

  /// Passes over a value of any kind, checking it.
  package mutating func skip() throws(JSONError) {
    switch try peek() {
    case .object:
      try openObject()
      while try nextKey() != nil { try skip() }
    case .array:
      try openArray()
      while try nextElement() { try skip() }
    case .string: _ = try text()
    case .number: _ = try anyNumber()
    case .boolean: _ = try boolean()
    case .null: _ = try skipNull()
    }
  }

  private mutating func expect(_ kind: Kind) throws(JSONError) {
    let found = try peek()
    guard found == kind else { throw .content(at: offset, "\(found.words) where \(kind.words) is expected") }
  }

  private mutating func word(_ literal: StaticString) throws(JSONError) {
    guard bytes.span.extracting(offset..<limit).starts(with: literal) else {
      throw .syntax(at: offset, "\(shown(offset)) where a value is expected")
    }
    offset += literal.utf8CodeUnitCount
  }

  @inline(__always)
  private mutating func skipSpace() {
    while offset < limit, bytes[offset].isXMLSpace { offset += 1 }
  }

  @inline(__always)
  private static func isOfNumber(_ byte: UInt8) -> Bool {
    byte.decimalDigit != nil || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") || byte == UInt8(ascii: "+")
  }
}

extension JSONReader {
  // MARK: Escapes and UTF-8

  private mutating func skipEscape() throws(JSONError) {
    let first = offset
    guard offset + 1 < limit else { throw .syntax(at: first, "a string without an end") }
    let letter = bytes[offset + 1]
    offset += 2
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(escape: first)
      if unit & 0xFC00 == 0xD800 {
        guard offset + 1 < limit, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else { throw .syntax(at: first, "half of a surrogate pair") }
        offset += 2
        guard try hexadecimal(escape: first) & 0xFC00 == 0xDC00 else {
          throw .syntax(at: first, "half of a surrogate pair")
        }
      } else if unit & 0xFC00 == 0xDC00 {
        throw .syntax(at: first, "half of a surrogate pair")
      }
    default:
      throw .syntax(at: first, "an escape that JSON does not have")
    }
  }

  private mutating func hexadecimal(escape: Int) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard offset < limit, let digit = bytes[offset].hexadecimalDigit else {
        throw .syntax(at: escape, "an escape without its four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  /// Passes over a well-formed sequence of two to four bytes (RFC 3629, section 4).
  private mutating func skipUTF8Sequence() throws(JSONError) {
    let lead = bytes[offset]
    let (length, second): (Int, ClosedRange<UInt8>)
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw .syntax(at: offset, "bytes that are not UTF-8")
    }
    guard offset + length <= limit, second.contains(bytes[offset + 1]) else {
      throw .syntax(at: offset, "bytes that are not UTF-8")
    }
    for index in 2..<max(2, length) where bytes[offset + index] & 0xC0 != 0x80 {
      throw .syntax(at: offset, "bytes that are not UTF-8")
    }
    offset += length
  }
}

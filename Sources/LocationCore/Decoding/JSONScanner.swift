/// Walks over JSON text (RFC 8259) without building a tree: places in the text are handed out instead.
///
/// It is for the lines of a track, of which there may be millions a second; ``JSONReader`` is for files that are
/// read once and explained in detail when they are wrong.
///
/// Every value is checked in full, so what is walked over is well formed. The bytes are not checked to be
/// UTF-8, because nothing but numbers and ASCII names is taken from them.
package struct JSONScanner {
  /// What a value is, and where.
  package enum Value {
    /// The range is what stands between the quotes, escapes as written.
    case string(Range<Int>)
    case number(Range<Int>)
    /// An object, an array, `true`, `false` or `null`, walked over.
    case other
  }

  /// The next byte to look at.
  package private(set) var index: Int

  /// Values nested deeper than this are refused, so that no input can exhaust the stack.
  package static let maximumDepth = 64
  /// Whether one was.
  package private(set) var isTooDeep = false

  package init(at index: Int = 0) { self.index = index }

  /// Moves over white space, then over `byte` if it is next.
  @inline(__always)
  package mutating func take(_ byte: UInt8, in text: Span<UInt8>) -> Bool {
    skipSpace(in: text)
    guard index < text.count, text[index] == byte else { return false }
    index += 1
    return true
  }

  /// Whether nothing but white space is left.
  package mutating func isAtEnd(of text: Span<UInt8>) -> Bool {
    skipSpace(in: text)
    return index == text.count
  }

  /// Moves over a string; nil where there is no whole one.
  package mutating func string(in text: Span<UInt8>) -> Range<Int>? {
    guard take(UInt8(ascii: "\""), in: text) else { return nil }
    let first = index
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") {
        index += 1
        return first..<(index - 1)
      }
      guard byte >= 0x20 else { return nil }
      index += 1
      if byte == UInt8(ascii: "\\") {
        guard takeEscape(in: text) else { return nil }
      }
    }
    return nil
  }

  /// Moves over a value; nil where there is no whole one.
  package mutating func value(in text: Span<UInt8>, depth: Int = 0) -> Value? {
    skipSpace(in: text)
    guard index < text.count else { return nil }
    guard depth < Self.maximumDepth else {
      isTooDeep = true
      return nil
    }
    switch text[index] {
    case UInt8(ascii: "\""):
      return string(in: text).map { .string($0) }
    case UInt8(ascii: "{"):
      return skipObject(in: text, depth: depth) ? .other : nil
    case UInt8(ascii: "["):
      return skipArray(in: text, depth: depth) ? .other : nil
    case UInt8(ascii: "t"):
      return takeWord("true", in: text) ? .other : nil
    case UInt8(ascii: "f"):
      return takeWord("false", in: text) ? .other : nil
    case UInt8(ascii: "n"):
      return takeWord("null", in: text) ? .other : nil
    default:
      return number(in: text)
    }
  }

  /// The extent of a number; its grammar is checked by whoever wants its value, and here for the rest.
  private mutating func number(in text: Span<UInt8>) -> Value? {
    let first = index
    if text[index] == UInt8(ascii: "-") { index += 1 }
    while index < text.count {
      let byte = text[index]
      guard
        byte.decimalDigit != nil || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e")
          || byte == UInt8(ascii: "E") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      else { break }
      index += 1
    }
    return index > first ? .number(first..<index) : nil
  }

  private mutating func skipObject(in text: Span<UInt8>, depth: Int) -> Bool {
    index += 1
    if take(UInt8(ascii: "}"), in: text) { return true }
    repeat {
      guard string(in: text) != nil, take(UInt8(ascii: ":"), in: text), checked(in: text, depth: depth + 1)
      else { return false }
    } while take(UInt8(ascii: ","), in: text)
    return take(UInt8(ascii: "}"), in: text)
  }

  private mutating func skipArray(in text: Span<UInt8>, depth: Int) -> Bool {
    index += 1
    if take(UInt8(ascii: "]"), in: text) { return true }
    repeat {
      guard checked(in: text, depth: depth + 1) else { return false }
    } while take(UInt8(ascii: ","), in: text)
    return take(UInt8(ascii: "]"), in: text)
  }

  /// A value that nobody wants, checked all the same.
  private mutating func checked(in text: Span<UInt8>, depth: Int) -> Bool {
    switch value(in: text, depth: depth) {
    case nil: false
    case .number(let range): Double(jsonNumber: text.extracting(range)) != nil
    case .string, .other: true
    }
  }

  private mutating func takeEscape(in text: Span<UInt8>) -> Bool {
    guard index < text.count else { return false }
    let letter = text[index]
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard index < text.count else { return false }
        let digit = text[index].asciiLowercased
        guard digit.decimalDigit != nil || (digit >= UInt8(ascii: "a") && digit <= UInt8(ascii: "f")) else {
          return false
        }
        index += 1
      }
      return true
    default:
      return false
    }
  }

  private mutating func takeWord(_ word: StaticString, in text: Span<UInt8>) -> Bool {
    guard text.extracting(index...).starts(with: word) else { return false }
    index += word.utf8CodeUnitCount
    return true
  }

  @inline(__always)
  private mutating func skipSpace(in text: Span<UInt8>) {
    while index < text.count, text[index].isXMLSpace { index += 1 }
  }
}

extension UInt8 {
  /// The value of an ASCII digit.
  @inlinable package var decimalDigit: Int? {
    let value = self &- UInt8(ascii: "0")
    return value <= 9 ? Int(value) : nil
  }

  /// XML's four kinds of white space, which are JSON's too: space, tab, carriage return, line feed.
  @inlinable package var isXMLSpace: Bool {
    self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A
  }

  /// The small letter of an ASCII capital; anything else as it is.
  @inlinable package var asciiLowercased: UInt8 {
    self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }
}

extension Span<UInt8> {
  /// What is left when white space at both ends is set aside.
  package var rangeWithinXMLSpace: Range<Int> {
    var start = 0
    var end = count
    while start < end, self[start].isXMLSpace { start += 1 }
    while start < end, self[end - 1].isXMLSpace { end -= 1 }
    return start..<end
  }

  /// Whether the bytes begin with the byte order mark that some programs put before UTF-8.
  package var startsWithByteOrderMark: Bool {
    count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF
  }

  /// Whether the bytes are those of an ASCII literal.
  @inlinable package func equals(_ literal: StaticString) -> Bool {
    let length = literal.utf8CodeUnitCount
    guard count == length else { return false }
    let wanted = unsafe literal.utf8Start
    for index in 0..<length where unsafe self[index] != wanted[index] { return false }
    return true
  }

  /// Whether the bytes begin with those of an ASCII literal.
  @inlinable package func starts(with literal: StaticString) -> Bool {
    let length = literal.utf8CodeUnitCount
    guard count >= length else { return false }
    let wanted = unsafe literal.utf8Start
    for index in 0..<length where unsafe self[index] != wanted[index] { return false }
    return true
  }

  /// Whether the bytes are those of an array.
  package func equals(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// The place of a byte, if it is there.
  package func firstIndex(of byte: UInt8) -> Int? {
    for index in 0..<count where self[index] == byte { return index }
    return nil
  }

  /// A copy of the bytes.
  package var array: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for index in 0..<count { bytes.append(self[index]) }
    return bytes
  }

  /// For a message: at most `limit` bytes as text, with control characters shown as `?`.
  package func text(limit: Int = 40) -> String {
    var bytes: [UInt8] = []
    for index in 0..<Swift.min(count, limit) {
      let byte = self[index]
      bytes.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: "?") : byte)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return count > limit ? text + "..." : text
  }
}

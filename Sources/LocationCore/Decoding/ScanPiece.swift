/// A piece of a file for the fast scanners: text, and room behind it.
///
/// The text is followed by zero bytes, so that a scanner may look a few bytes beyond its end and stops there:
/// no format that is read here has a zero byte in it.
package struct ScanPiece: Sendable {
  /// Zero bytes behind the text.
  package static let paddingBytes = 64

  /// The memory: the text at its start, then zero bytes, then anything.
  package private(set) var bytes: [UInt8]
  /// How much of it is text.
  package private(set) var count = 0
  /// How much text there is room for.
  package let capacity: Int

  /// An empty piece with room for so much text.
  package init(capacity: Int) {
    self.capacity = max(1, capacity)
    bytes = [UInt8](repeating: 0, count: self.capacity + Self.paddingBytes)
  }

  /// Forgets the text.
  package mutating func removeAll() { count = 0 }

  /// Adds what `body` writes into the range that it is handed; it returns how many bytes that were.
  @discardableResult
  package mutating func fill<E>(
    _ body: (_ bytes: inout [UInt8], _ range: Range<Int>) throws(E) -> Int
  ) throws(E) -> Int {
    let added = try body(&bytes, count..<capacity)
    count = min(capacity, count + max(0, added))
    for index in count..<(count + Self.paddingBytes) { bytes[index] = 0 }
    return added
  }
}

extension ScanPiece {
  /// Whether the text begins like XML in an encoding that writes ASCII as ASCII: with a byte order mark of
  /// UTF-8, or with two characters of ASCII (XML 1.0, appendix F.1).
  package var beginsWithASCII: Bool {
    if bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { return true }
    return (0x01...0x7F).contains(bytes[0]) && (0x01...0x7F).contains(bytes[1])
  }

  /// Where the next start tag of a `trkpt` without a prefix may begin after a place; the end if nowhere.
  package func nextTrackPoint(after offset: Int) -> Int {
    let raw = unsafe bytes.span.bytes
    var index = offset + 1
    while index < count {
      // The padding is longer than a word, and has no angle bracket.
      let stored = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let word = UInt64(littleEndian: stored)
      if word & 0x0000_FFFF_FFFF_FFFF == Self.startOfTrackPoint { return index }
      let brackets = (word ^ 0x3C3C_3C3C_3C3C_3C3C)
      let zeros = (brackets &- 0x0101_0101_0101_0101) & ~brackets & 0x8080_8080_8080_8080
      // To the first bracket after this place, or over the whole word.
      let others = zeros & ~0xFF
      index += others.trailingZeroBitCount / 8
    }
    return count
  }

  /// `<trkpt`, the first byte lowest.
  private static let startOfTrackPoint: UInt64 = 0x7470_6B72_743C
}

extension ScanPiece {
  /// Where the next line feed stands, from a place on; nil where there is none.
  ///
  /// Looks eight bytes at a time: a byte is zero in `word ^ pattern` where it is a line feed (Hacker's
  /// Delight, section 6-1, "find leftmost 0-byte").
  package func lineFeed(from offset: Int) -> Int? {
    let raw = unsafe bytes.span.bytes
    var index = offset
    while index < count {
      // The padding is longer than a word, and has no line feed.
      let stored = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let difference = UInt64(littleEndian: stored) ^ 0x0A0A_0A0A_0A0A_0A0A
      let zeros = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    return nil
  }
}

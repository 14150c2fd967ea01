/// The small part of XML that ``GPXScanner`` knows.
extension ScanCursor {
  /// The place of a delimiter after text from here on; nil where that is not plain.
  ///
  /// Plain is ASCII without control characters, references, tags and `]]>`, which XML forbids in text
  /// (XML 1.0, section 2.4).
  func endOfText(before delimiter: UInt8) -> ScanCursor? {
    var end = self
    while true {
      switch end.byte {
      case delimiter:
        return end
      case UInt8(ascii: "&"), UInt8(ascii: "<"):
        return nil
      case UInt8(ascii: "]"):
        guard !end.has("]]>") else { return nil }
        end.skip(1)
      case 0x21...0x7F:
        end.skip(1)
      case 0x09, 0x0A, 0x0D, 0x20:
        guard end.skipSpace() else { return nil }
      default:
        return nil
      }
    }
  }

  /// How many bytes stand before the next `>`; nil where that is none, or more than
  /// ``GPXTag/maximumBytes``.
  @inline(__always)
  var lengthOfTag: Int? {
    var offset = 0
    while offset < GPXTag.maximumBytes {
      let brackets = word(at: offset) ^ 0x3E3E_3E3E_3E3E_3E3E
      let zeros = (brackets &- 0x0101_0101_0101_0101) & ~brackets & 0x8080_8080_8080_8080
      if zeros != 0 {
        let count = offset + zeros.trailingZeroBitCount / 8
        return count > 0 ? count : nil
      }
      offset += 8
    }
    return nil
  }

  /// Moves over the end tag of an element, if it is next.
  @inline(__always)
  mutating func takeEndTag(of tag: GPXTag) -> Bool {
    guard has("</") else { return false }
    var name = self
    name.skip(2)
    guard GPXTag.Text(name, count: tag.nameCount) == tag.name else { return false }
    name.skip(tag.nameCount)
    guard name.byte == UInt8(ascii: ">") else { return false }
    name.skip(1)
    self = name
    return true
  }
}

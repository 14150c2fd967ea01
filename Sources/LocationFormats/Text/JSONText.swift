import LocationCore

/// JSON text that means exactly what it was made of.
package enum JSONText {
  /// A string, escaped where it must be.
  package static func string(_ value: String) -> String {
    var bytes: [UInt8] = []
    JSONString.append(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The shortest decimal that reads back as the same number, which is finite.
  package static func number(_ value: Double) -> String {
    // Whole numbers below 2^53 in full: 120, not 120.0.
    if value == value.rounded(), abs(value) < 0x1p53, !(value == 0 && value.sign == .minus) {
      return String(Int64(value))
    }
    return value.description
  }

  /// A list of strings.
  package static func strings(_ values: [String]) -> String {
    "[" + values.map(string).joined(separator: ",") + "]"
  }

  /// Appends JSON text without the white space between its tokens, so that it fits on one line.
  static func appendCompact(_ text: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    bytes.reserveCapacity(bytes.count + text.count)
    var isInString = false
    var isEscaped = false
    for byte in text {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte.isXMLSpace {
        continue
      }
      bytes.append(byte)
    }
  }
}

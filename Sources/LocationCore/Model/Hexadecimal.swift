extension UInt8 {
  /// The value of a hexadecimal digit, small or large; nil where it is none.
  var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    case _: nil
    }
  }
}

extension [UInt8] {
  /// The bytes of a text of two hexadecimal digits each; nil where it is none.
  init?(hexadecimal digits: [UInt8]) {
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[place].hexadecimalDigit, let low = digits[place + 1].hexadecimalDigit else {
        return nil
      }
      append(high << 4 | low)
    }
  }

  /// Appends a byte as two small hexadecimal digits.
  mutating func append(hexadecimal byte: UInt8) {
    for digit in [byte >> 4, byte & 15] {
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}

extension String {
  /// Bytes as two small hexadecimal digits each.
  init(hexadecimal bytes: some Sequence<UInt8>) {
    var digits: [UInt8] = []
    for byte in bytes { digits.append(hexadecimal: byte) }
    self.init(decoding: digits, as: UTF8.self)
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit, small or large; nil where it is none.
  package var hexadecimalDigit: UInt8? {
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
  package init?(hexadecimal digits: [UInt8]) {
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

extension String {
  /// Bytes as a text of ASCII: each that is not plain as the escape and two hexadecimal digits.
  ///
  /// - Parameter isPlain: whether a byte stands for itself; no byte above 0x7F may.
  package init(
    escaping bytes: some Sequence<UInt8>, with escape: String = "%", isUppercase: Bool = true,
    isPlain: (UInt8) -> Bool
  ) {
    self = ""
    for byte in bytes {
      if isPlain(byte) {
        unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        self += escape + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: isUppercase)
      }
    }
  }
}

extension UInt8 {
  /// Whether it is a letter or a digit of ASCII.
  package var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    case _: false
    }
  }
}

extension Double {
  /// From the text of an `xsd:decimal`: an optional sign, digits and at most one point.
  ///
  /// Surrounding white space is allowed; exponents, hexadecimal, `NaN` and `INF` are not decimals and give
  /// nil. The result is the double nearest to the decimal, ties to even; infinite beyond its range.
  package init?(xsdDecimal text: Span<UInt8>) {
    let body = text.rangeWithinXMLSpace
    var index = body.lowerBound
    let isNegative = index < body.upperBound && text[index] == UInt8(ascii: "-")
    if isNegative || (index < body.upperBound && text[index] == UInt8(ascii: "+")) { index += 1 }
    var digits = DecimalDigits()
    let whole = digits.takeWhole(of: text, from: &index, to: body.upperBound)
    var fraction = 0
    if index < body.upperBound, text[index] == UInt8(ascii: ".") {
      index += 1
      fraction = digits.takeFraction(of: text, from: &index, to: body.upperBound)
    }
    guard whole + fraction > 0, index == body.upperBound else { return nil }
    self = digits.value(isNegative: isNegative, text: text.extracting(body))
  }

  /// From the text of a JSON number (RFC 8259, section 6); nil where it is none.
  ///
  /// The result is the double nearest to the number, ties to even; infinite beyond its range.
  package init?(jsonNumber text: Span<UInt8>) {
    var index = 0
    let end = text.count
    let isNegative = index < end && text[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let first = index
    var digits = DecimalDigits()
    let whole = digits.takeWhole(of: text, from: &index, to: end)
    // No leading zero but the single one.
    guard whole > 0, whole == 1 || text[first] != UInt8(ascii: "0") else { return nil }
    if index < end, text[index] == UInt8(ascii: ".") {
      index += 1
      guard digits.takeFraction(of: text, from: &index, to: end) > 0 else { return nil }
    }
    if index < end, text[index] == UInt8(ascii: "e") || text[index] == UInt8(ascii: "E") {
      index += 1
      guard digits.takeExponent(of: text, from: &index, to: end) else { return nil }
    }
    guard index == end else { return nil }
    self = digits.value(isNegative: isNegative, text: text)
  }
}

/// Digits read so far: `mantissa` x 10^`exponent`, and whether digits other than zero were left out.
private struct DecimalDigits {
  var mantissa: UInt64 = 0
  var exponent = 0
  var isExact = true

  /// Any 19 digits fit in 64 bits; `mantissa` below this has room for one more.
  private static let roomForOneMore: UInt64 = 1_000_000_000_000_000_000

  /// How many digits there were before the point.
  mutating func takeWhole(of text: Span<UInt8>, from index: inout Int, to end: Int) -> Int {
    let first = index
    while index < end, let digit = text[index].decimalDigit {
      if mantissa < Self.roomForOneMore {
        mantissa = mantissa &* 10 &+ UInt64(digit)
      } else {
        exponent += 1
        if digit != 0 { isExact = false }
      }
      index += 1
    }
    return index - first
  }

  /// How many digits there were after the point.
  mutating func takeFraction(of text: Span<UInt8>, from index: inout Int, to end: Int) -> Int {
    let first = index
    while index < end, let digit = text[index].decimalDigit {
      if mantissa < Self.roomForOneMore {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        exponent -= 1
      } else if digit != 0 {
        isExact = false
      }
      index += 1
    }
    return index - first
  }

  /// What follows the `e`; whether it has a digit.
  mutating func takeExponent(of text: Span<UInt8>, from index: inout Int, to end: Int) -> Bool {
    let isNegative = index < end && text[index] == UInt8(ascii: "-")
    if isNegative || (index < end && text[index] == UInt8(ascii: "+")) { index += 1 }
    let first = index
    var written = 0
    while index < end, let digit = text[index].decimalDigit {
      // Far beyond what a double holds, and far from overflow.
      if written < 100_000 { written = written * 10 + digit }
      index += 1
    }
    exponent += isNegative ? -written : written
    return index > first
  }

  /// The nearest double.
  ///
  /// Three ways, each correctly rounded: two exact doubles and one operation (Clinger, "How to read
  /// floating point numbers accurately", 1990); one exact 128 by 64 bit division; and the standard
  /// library's parser for what is left, which is rare in tracks: more than 19 digits, or large exponents.
  func value(isNegative: Bool, text: Span<UInt8>) -> Double {
    let magnitude: Double
    if isExact, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      let whole = Double(mantissa)
      magnitude =
        exponent < 0 ? whole / Self.exactPowersOfTen[-exponent] : whole * Self.exactPowersOfTen[exponent]
    } else if isExact, mantissa > 0, exponent >= -19, exponent <= 0 {
      magnitude = quotient()
    } else {
      return Double(String(decoding: text.array, as: UTF8.self)) ?? .nan
    }
    return isNegative ? -magnitude : magnitude
  }

  /// `mantissa` / 10^-`exponent`, from the quotient's first 64 bits and whether a remainder is left.
  private func quotient() -> Double {
    let divisor = Self.wholePowersOfTen[-exponent]
    let numeratorShift = mantissa.leadingZeroBitCount
    let divisorShift = divisor.leadingZeroBitCount
    let numerator = mantissa << UInt64(numeratorShift)
    let denominator = divisor << UInt64(divisorShift)
    // Both have their top bit set, so the ratio is in 1/2..<2; one bit decides where the quotient starts.
    let isAtLeastOne = numerator >= denominator
    let (quotient, remainder) =
      isAtLeastOne
      ? denominator.dividingFullWidth((numerator >> 1, numerator << 63))
      : denominator.dividingFullWidth((numerator, 0))
    // The lowest bit is far below the last kept one: it only says "a little more than this".
    let sticky = quotient | (remainder == 0 ? 0 : 1)
    let scale = (isAtLeastOne ? -63 : -64) + divisorShift - numeratorShift
    return Double(sign: .plus, exponent: scale, significand: Double(sticky))
  }

  /// 10^0 to 10^22 are exact doubles.
  private static let exactPowersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
  ]

  /// 10^0 to 10^19 fit in 64 bits.
  private static let wholePowersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}

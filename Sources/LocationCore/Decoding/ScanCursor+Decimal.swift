extension ScanCursor {
  /// A plain number at a place.
  struct Decimal {
    var value: Double
    /// Its length, bytes; 0 where there is no plain number.
    var count: Int
  }

  /// The number that begins here: a minus or none, digits, and perhaps a point with digits.
  ///
  /// None where that is not what stands here, or where it can't be told exactly with two doubles and a
  /// division. The result is the double nearest to the decimal (Clinger 1990, "How to read floating point
  /// numbers accurately": both doubles are exact, so the one operation is the only rounding). Leading zeros
  /// are allowed.
  @inline(never)
  func decimal() -> Decimal {
    let none = Decimal(value: 0, count: 0)
    var end = self
    let isNegative = byte == UInt8(ascii: "-")
    if isNegative { end.skip(1) }
    let first = end
    var mantissa: UInt64 = 0
    // One by one: there are few, and most often equally many.
    while let digit = end.byte.decimalDigit {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      end.skip(1)
    }
    var digits = end.distance(from: first)
    guard digits > 0 else { return none }
    var scale = 1.0
    if end.byte == UInt8(ascii: ".") {
      end.skip(1)
      let point = end
      while end.takeDigits(&mantissa) == 8 {}
      let fraction = end.distance(from: point)
      digits &+= fraction
      guard fraction > 0, fraction <= Self.maximumDigits else { return none }
      scale = Self.powersOfTen[fraction]
    }
    guard digits <= Self.maximumDigits, mantissa <= 1 << 53 else { return none }
    let magnitude = Double(mantissa) / scale
    return Decimal(value: isNegative ? -magnitude : magnitude, count: end.distance(from: self))
  }

  /// Any so many digits fit in 64 bits; 2^53 has 16.
  private static let maximumDigits = 18

  /// Moves over up to eight digits and joins them to the mantissa; how many.
  @inline(__always)
  private mutating func takeDigits(_ mantissa: inout UInt64) -> Int {
    let word = word
    let count = Self.leadingDigits(word)
    guard count > 0 else { return 0 }
    let value = Self.value(of: word << UInt64(64 &- 8 &* count))
    mantissa = mantissa &* Self.wholePowersOfTen[count] &+ value
    skip(count)
    return count
  }

  /// How many of the eight bytes are digits before the first that is none.
  ///
  /// Digits are 0x30 to 0x39: their high half is 3, and still is when 6 is added. A carry out of a byte can
  /// only touch the bytes after one that is no digit.
  @inline(__always)
  static func leadingDigits(_ word: UInt64) -> Int {
    let highs: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    let threes: UInt64 = 0x3030_3030_3030_3030
    let others = ((word & highs) ^ threes) | (((word &+ 0x0606_0606_0606_0606) & highs) ^ threes)
    return others.trailingZeroBitCount >> 3
  }

  /// The number that eight digits make, the first in the lowest byte; zero bytes count as zeros.
  ///
  /// Neighbours are joined to pairs, pairs to fours, fours to eight, each time with one multiplication.
  @inline(__always)
  private static func value(of digits: UInt64) -> UInt64 {
    let units = digits & 0x0F0F_0F0F_0F0F_0F0F
    let pairs = ((units &* 2561) >> 8) & 0x00FF_00FF_00FF_00FF
    let fours = ((pairs &* 6_553_601) >> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* 42_949_672_960_001) >> 32
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]
  private static let wholePowersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000,
  ]
}

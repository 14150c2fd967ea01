/// The one way numbers are printed: a fixed number of decimals, a point, no exponent, no minus on zero.
public enum FixedPoint {
  /// Decimals of degrees: a centimetre.
  public static let degrees = 7
  /// Decimals of metres.
  public static let meters = 2
  /// Decimals of seconds, joules, probabilities.
  public static let thousandths = 3

  /// Appends a number with so many decimals (0 to 9), rounded half away from zero; not finite is `0`.
  public static func append(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
    let scale = scales[decimals]
    let scaled = (value * scale).rounded(.toNearestOrAwayFromZero)
    guard scaled.isFinite, abs(scaled) < 9e18 else {
      return append(scaled > 0 ? .max : scaled < 0 ? -.max : 0, decimals: decimals, to: &bytes)
    }
    append(Int64(scaled), decimals: decimals, to: &bytes)
  }

  /// Appends `value / 10^decimals`, with leading zeros up to so many digits before the point.
  package static func append(
    _ value: Int64, decimals: Int, minimumWholeDigits: Int = 1, to bytes: inout [UInt8]
  ) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let digits = value.magnitude
    let unit = UInt64(scales[decimals])
    append(digits / unit, minimumDigits: minimumWholeDigits, to: &bytes)
    guard decimals > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    append(digits % unit, minimumDigits: decimals, to: &bytes)
  }

  /// Appends a whole number.
  public static func append(_ value: Int, to bytes: inout [UInt8]) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    append(UInt64(value.magnitude), minimumDigits: 1, to: &bytes)
  }

  /// Appends a whole number with leading zeros up to so many digits.
  static func append(_ value: UInt64, minimumDigits: Int, to bytes: inout [UInt8]) {
    var digits = 1
    var power: UInt64 = 10
    while digits < 20, value >= power {
      digits += 1
      power &*= 10
    }
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(digits, minimumDigits)))
    var rest = value
    var place = bytes.count
    while rest > 0 {
      place -= 1
      bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  private static let scales: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
}

extension [UInt8] {
  /// Appends text as it is.
  mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// Appends a number with a fixed count of decimals, rounded to the nearest, halves away from zero; never
  /// `-0`, never an exponent.
  ///
  /// - Parameter value: Finite, and below 9e18 when multiplied by 10 to the `decimals`.
  mutating func append(_ value: Double, decimals: Int) {
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    append(scaled: Int64((value * Double(scale)).rounded()), decimals: decimals)
  }

  /// Appends a number given in units of its last decimal.
  mutating func append(scaled value: Int64, decimals: Int, minimumWholeDigits: Int = 1) {
    if value < 0 { append(UInt8(ascii: "-")) }
    let first = count
    var rest = value.magnitude
    var digits = 0
    // From the last digit to the first, then turned round.
    while digits < decimals + minimumWholeDigits || rest > 0 {
      if digits == decimals, decimals > 0 { append(UInt8(ascii: ".")) }
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      digits += 1
    }
    self[first...].reverse()
  }
}

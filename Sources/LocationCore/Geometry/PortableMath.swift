/// The exponential, the logarithm and the normal distribution by operations that IEEE 754 rounds correctly, so that
/// an uncertainty band has the same bits with any C library and processor.
enum PortableMath {
  /// 2 logarithmically halved: ln 2 in two parts, the first of 33 bits, so that its multiples are exact.
  private static let ln2High = 0x1.62e42feep-1
  private static let ln2Low = 0x1.a39ef35793c76p-33

  /// e to the power `x`; 0 below -700, infinite above 700.
  ///
  /// Taylor to the 13th power on ±ln 2 / 2; the next term is below 5e-18.
  static func exp(_ x: Double) -> Double {
    guard x < 700 else { return x.isNaN ? .nan : .infinity }
    guard x > -700 else { return 0 }
    let halvings = (x / (ln2High + ln2Low)).rounded()
    let r = (x - halvings * ln2High) - halvings * ln2Low
    var sum = 1.0
    for power in stride(from: 13.0, through: 1, by: -1) { sum = 1 + r / power * sum }
    return sum * Double(sign: .plus, exponent: Int(halvings), significand: 1)
  }

  /// Natural logarithm; NaN unless `x` is positive and finite.
  ///
  /// `ln(m) = 2 artanh((m - 1) / (m + 1))` on √½ to √2, by 12 terms; the next is below 1e-19.
  static func log(_ x: Double) -> Double {
    guard x > 0, x.isFinite else { return .nan }
    var exponent = Double(x.exponent)
    var significand = x.significand
    if significand > 1.414_213_562_373_095 {
      significand /= 2
      exponent += 1
    }
    let t = (significand - 1) / (significand + 1)
    let square = t * t
    var sum = 0.0
    for odd in stride(from: 23.0, through: 1, by: -2) { sum = 1 / odd + square * sum }
    return exponent * ln2High + (2 * t * sum + exponent * ln2Low)
  }

  /// The value that a standard normal falls below with probability `p`, for 1e-6 < `p` < 1 - 1e-6.
  ///
  /// Newton's method on the series of G. Marsaglia, "Evaluating the normal distribution", Journal of Statistical
  /// Software 11 (4), 2004.
  static func normalQuantile(_ p: Double) -> Double {
    var z = 0.0
    for _ in 0..<60 {
      let density = exp(-0.5 * z * z) * 0.398_942_280_401_432_68
      var term = z
      var sum = z
      var odd = 1.0
      while sum + term != sum, odd < 200 {
        odd += 2
        term *= z * z / odd
        sum += term
      }
      let step = (0.5 + density * sum - p) / density
      // The density is flat far out: no step leaves the range that is asked for.
      z -= min(max(step, -1), 1)
      if abs(step) < 1e-14 { break }
    }
    return z
  }
}

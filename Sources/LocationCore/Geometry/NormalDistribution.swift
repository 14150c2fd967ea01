/// The standard normal distribution.
package enum NormalDistribution {
  /// The probability of a value above `z` standard deviations; accurate in the far tail.
  @inline(__always) package static func upperTail(_ z: Double) -> Double {
    0.5 * Trig.erfc(z * 0.5.squareRoot())
  }

  /// The probability of a value below `z` standard deviations; accurate in the far tail.
  @inline(__always) package static func cumulative(_ z: Double) -> Double { upperTail(-z) }

  /// The probability of a value within `z` standard deviations of the mean; `z` is not negative.
  @inline(__always) package static func within(_ z: Double) -> Double {
    Trig.erf(z * 0.5.squareRoot())
  }

  /// The probability density at `z` standard deviations, in units of one over the standard deviation.
  @inline(__always) package static func density(_ z: Double) -> Double {
    0.398_942_280_401_432_68 * Trig.exp(-0.5 * z * z)
  }
}

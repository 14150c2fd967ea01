/// A small seeded generator: the same numbers from the same seed on any machine.
///
/// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014, with the constants of
/// its reference version.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64
  private var spareNormal: Double?

  /// - Parameters:
  ///   - seed: What makes this run differ from another.
  ///   - stream: Which of several independent sequences of one seed, so that taking more numbers from one
  ///     leaves the others alone.
  package init(seed: UInt64, stream: UInt64 = 0) {
    state = seed
    guard stream > 0 else { return }
    state = next() ^ (stream &* Self.oddConstant)
  }

  /// The golden ratio in 64 bits.
  private static let oddConstant: UInt64 = 0x9E37_79B9_7F4A_7C15

  package mutating func next() -> UInt64 {
    state &+= Self.oddConstant
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Uniform in 0 ..< 1, a multiple of 2⁻⁵³.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Uniform in `range`.
  package mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + (range.upperBound - range.lowerBound) * unit()
  }

  /// Normal with mean 0 and standard deviation 1 (Marsaglia's polar method: no sine, no cosine).
  package mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    while true {
      let u = 2 * unit() - 1
      let v = 2 * unit() - 1
      let s = u * u + v * v
      guard s > 0, s < 1 else { continue }
      let scale = (-2 * Trig.log(s) / s).squareRoot()
      spareNormal = v * scale
      return u * scale
    }
  }
}

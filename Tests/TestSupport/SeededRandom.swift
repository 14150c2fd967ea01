import FoundationEssentials
import Glibc

/// A generator whose whole run follows from one printed number (SplitMix64: Steele, Lea and Flood 2014,
/// "Fast splittable pseudorandom number generators", figure 17).
///
/// ```swift
/// var random = SeededRandom(7)
/// for _ in 0..<200 { #expect(holds(random.uniform(in: 0...360)), "\(random)") }
/// ```
///
/// `LOCWATCH_SEED=123` replaces the seed of every generator of the run, `LOCWATCH_SEED=random` draws
/// one; either prints the seed it used.
package struct SeededRandom: RandomNumberGenerator, CustomStringConvertible, Sendable {
  /// What repeats this generator's run from the start.
  package let seed: UInt64
  private var state: UInt64

  /// A generator from `LOCWATCH_SEED` where that is set, else from `defaultSeed`.
  package init(_ defaultSeed: UInt64, environment: String? = Self.environmentSeed) {
    switch environment {
    case nil, "": seed = defaultSeed
    case "random": seed = UInt64.random(in: 0...UInt64(UInt32.max))
    case let text?: seed = UInt64(text) ?? defaultSeed
    }
    state = seed
    if environment?.isEmpty == false { print(self) }
  }

  /// The value of `LOCWATCH_SEED`; nil where it is not set.
  package static let environmentSeed: String? = ProcessInfo.processInfo.environment["LOCWATCH_SEED"]

  /// `LOCWATCH_SEED=` and the number: what to set to see the same run again.
  package var description: String { "LOCWATCH_SEED=\(seed)" }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Uniform in 0 ..< 1, with 53 bits.
  package mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Uniform over the range.
  package mutating func uniform(in range: ClosedRange<Double>) -> Double {
    range.lowerBound + unit() * (range.upperBound - range.lowerBound)
  }

  /// Normal with that mean and standard deviation (Box and Muller 1958; one of the pair is dropped).
  package mutating func normal(mean: Double = 0, sigma: Double = 1) -> Double {
    let radius = (-2 * log(1 - unit())).squareRoot()
    return mean + sigma * radius * cos(2 * .pi * unit())
  }

  /// True with that probability, 0 to 1.
  package mutating func chance(_ probability: Double) -> Bool {
    unit() < probability
  }
}

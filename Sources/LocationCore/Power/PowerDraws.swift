/// The draws of the Monte Carlo: for each parameter a row of standard normal numbers, the same rows in every
/// process and for every policy, so that what two policies share does not blur their comparison.
///
/// Each row is a Latin hypercube: the centres of equally likely strata, in an order that the parameter's own seed
/// decides. So one parameter alone gives its percentiles exactly, and a further parameter leaves the rows of the
/// others as they are.
enum PowerDraws {
  /// Draws. The 5th and 95th percentile of a sum of a few parameters are then steady within 2 % of the band.
  static let count = 2048

  /// The row of a parameter.
  static func row(of parameter: PowerParameter) -> [Double] { rows[parameter.index] }

  private static let rows: [[Double]] = {
    let half = (0..<count / 2).map {
      PortableMath.normalQuantile((Double($0) + 0.5) / Double(count))
    }
    let strata = half + half.reversed().map { -$0 }
    return PowerParameter.allCases.map { permuted(strata, seed: seed(of: $0.rawValue)) }
  }()

  /// Fisher and Yates' shuffle with numbers of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
  private static func permuted(_ values: [Double], seed: UInt64) -> [Double] {
    var values = values
    var state = seed
    for last in stride(from: values.count - 1, to: 0, by: -1) {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      z ^= z >> 31
      values.swapAt(last, Int(z.multipliedFullWidth(by: UInt64(last) + 1).high))
    }
    return values
  }

  /// FNV-1a of the parameter's key: its seed does not depend on its place among the others.
  private static func seed(of key: String) -> UInt64 {
    key.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
  }
}

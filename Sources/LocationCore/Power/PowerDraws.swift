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
    return PowerParameter.allCases.map { permuted(strata, by: $0) }
  }()

  /// Fisher and Yates' shuffle. The seed is of the parameter's key, not of its place among the others.
  private static func permuted(_ values: [Double], by parameter: PowerParameter) -> [Double] {
    var values = values
    var random = SplitMix64(seed: FNV1a.hash(parameter.rawValue.utf8.span))
    for last in stride(from: values.count - 1, to: 0, by: -1) {
      values.swapAt(last, Int(random.next().multipliedFullWidth(by: UInt64(last) + 1).high))
    }
    return values
  }
}

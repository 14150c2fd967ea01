import LocationCore

/// Medians, ranks and shares.
enum PowerStatistics {
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  static func quantile(_ share: Double, _ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }

  /// The factor that holds 90 % of the predictions.
  static func factor90(_ pairs: [(predicted: Double, measured: Double)]) -> Double {
    Trig.exp(quantile(0.9, pairs.map { abs(Trig.log($0.predicted / $0.measured)) }))
  }

  /// Spearman's rank correlation, without ties.
  static func spearman(_ a: [Double], _ b: [Double]) -> Double {
    func ranks(_ values: [Double]) -> [Double] { values.map { value in Double(values.count { $0 < value }) } }
    let count = Double(a.count)
    guard count > 1 else { return 1 }
    let squares = zip(ranks(a), ranks(b)).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return 1 - 6 * squares / (count * (count * count - 1))
  }
}

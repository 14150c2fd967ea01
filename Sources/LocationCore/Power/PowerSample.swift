/// The energies of a use under every draw of a profile's parameters.
struct PowerSample {
  /// Joules of the services, by draw.
  let policy: [Double]

  /// - Parameters:
  ///   - isObserved: whether all quantities were observed, so that only the prices have an error.
  ///   - table: draws that were made before; they are made where it has none.
  init(
    of use: PowerUse, under profile: PowerProfile, isObserved: Bool = false, _ table: PowerDrawTable? = nil
  ) {
    var sums = [Double](repeating: 0, count: PowerDraws.count)
    var factors: [PowerParameter: [Double]] = [:]
    func factor(_ parameter: PowerParameter) -> [Double] {
      if let known = factors[parameter] { return known }
      let row = table?.row(of: parameter, profile) ?? Self.factors(of: parameter, profile)
      factors[parameter] = row
      return row
    }
    for term in PowerTerm.allCases where use[term] > 0 {
      for (parameter, weight) in term.price {
        let joules = use[term] * weight * profile[parameter].value
        guard joules > 0 else { continue }
        let price = factor(parameter)
        if !isObserved, let scale = term.scale {
          let quantity = factor(scale)
          for draw in sums.indices { sums[draw] += joules * price[draw] * quantity[draw] }
        } else {
          for draw in sums.indices { sums[draw] += joules * price[draw] }
        }
      }
    }
    policy = sums
  }

  /// Adds to every draw an energy that goes with one parameter.
  static func add(
    _ parameter: PowerParameter, joules: Double, _ profile: PowerProfile, to draws: inout [Double]
  ) {
    let row = factors(of: parameter, profile)
    for draw in draws.indices { draws[draw] += joules * row[draw] }
  }

  /// What multiplies a parameter's value in each draw.
  static func factors(of parameter: PowerParameter, _ profile: PowerProfile) -> [Double] {
    let sigma = logSigma(profile[parameter].spread)
    guard sigma > 0 else { return [Double](repeating: 1, count: PowerDraws.count) }
    return PowerDraws.row(of: parameter.errorSource).map { PortableMath.exp(sigma * $0) }
  }

  /// The value below which a share of the sorted draws lies, between neighbours in proportion.
  static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    guard let last = sorted.last else { return 0 }
    let place = share * Double(sorted.count) - 0.5
    guard place > 0 else { return sorted[0] }
    let below = Int(place)
    guard below + 1 < sorted.count else { return last }
    return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
  }

  /// Standard deviation of the logarithm: a spread holds 90 %, which is 1.645 of them either way.
  static func logSigma(_ spread: Double) -> Double {
    spread > 1 ? PortableMath.log(spread) / 1.644_853_626_951_472_7 : 0
  }
}

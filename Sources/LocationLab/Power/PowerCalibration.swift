package import LocationCore
package import LocationFormats

/// Fits a profile to what a meter read while it was known what the device did.
///
/// The energy of a window is linear in the prices: `E = Σ seconds x watts + Σ counts x joules`. Solved by least squares
/// for factors that are not negative, with a ridge toward the profile one begins with: a factor costs
/// `((factor - 1) / (spread - 1))²`, so one at the end of its spread costs 1. (For a small spread that is its logarithm,
/// and it is convex for a large one too.) What the windows can't tell apart keeps the spread it had.
package struct PowerCalibration: Sendable {
  /// A time in which it is known what the device did, and what it used.
  package struct Window: Sendable {
    /// What was used, beyond the base.
    package var use: PowerUse
    /// How long, seconds.
    package var seconds: Double
    /// What the meter says, joules.
    package var joules: Double
    /// The smallest difference the meter shows, joules.
    package var stepJoules: Double
  }

  /// What became of one parameter.
  package struct Finding: Sendable, Hashable {
    /// Which one.
    package var parameter: PowerParameter
    /// The fitted value over the one before.
    package var factor: Double
    /// 90 % of fits to other windows of the kind would lie within this factor.
    package var spread: Double
    /// Whether the windows tell it apart from the others, and better than it was known before.
    package var isIdentified: Bool
    /// The one it can't be told apart from: only their sum is known.
    package var partner: PowerParameter?
  }

  /// The profile one begins with.
  package let before: PowerProfile
  /// What the fit was made of.
  package let windows: [Window]
  /// The parameters that the windows have to do with, in the order of all.
  package private(set) var findings: [Finding] = []
  /// Of the equations, without the ridge; infinite where two columns are the same.
  package private(set) var conditionNumber = 1.0
  /// 90 % of the windows lie within this factor of the fit.
  package private(set) var residualSpread = 1.0

  /// A parameter is told apart where the windows leave less than half of what was unknown about it.
  private static let identifiedShare = 0.5
  /// The first guess of how much of a window's energy is not explained.
  private static let firstNoise = 0.05
  /// No window is believed better than this.
  private static let leastNoise = 0.01
  /// A ridge so low that it only decides what the windows leave open.
  private static let freeRidge = 0.01
  /// Repetitions of the bootstrap: its 90 % spread is then right within some 5 %.
  private static let repetitions = 400

  /// Fits a profile.
  ///
  /// - Throws: ``Failure`` where the windows tell nothing.
  package init(_ before: PowerProfile, windows: [Window]) throws(Failure) {
    self.before = before
    self.windows = windows.filter { $0.seconds > 0 && $0.joules > 0 }
    guard !self.windows.isEmpty else {
      throw Failure(.data, what: "no block of it is covered by the log", remedy: "compare their times")
    }
    var groups = Self.groups(before, self.windows)
    var kept: [PowerParameter] = []
    var (rows, fit, noise) = try Self.fit(before, self.windows, groups)
    conditionNumber = fit.conditionNumber
    let (open, partners) = Self.open(groups, before, fit)
    // What the blocks would make 0 is kept, and the others are fitted beside it: nothing that is done costs nothing.
    while let index = fit.solution.firstIndex(where: { $0 <= 0 }) {
      kept += groups.remove(at: index)
      (rows, fit, noise) = try Self.fit(before, self.windows, groups)
    }
    let residuals = zip(rows.measured, rows.joules(fit.solution)).map { Trig.log($0 / max($1, 1e-9)) }
    residualSpread = Trig.exp(Self.percentile90(residuals.map(abs)))
    let spreads = Self.bootstrap(rows, fit, residuals, noise: noise)
    let fitted = groups.enumerated().flatMap { index, group in
      let source = group[0].errorSource
      return Self.findings(
        group, isApart: !open.contains(source), from: partners[source], before, fit.solution[index],
        spread: spreads[index])
    }
    let others = kept.map {
      Finding(parameter: $0, factor: 1, spread: before[$0].spread, isIdentified: false, partner: nil)
    }
    findings = PowerParameter.allCases.compactMap { parameter in
      (fitted + others).first { $0.parameter == parameter }
    }
  }

  /// Fits the factors of groups of parameters.
  ///
  /// - Throws: ``Failure`` where there is nothing to fit.
  private static func fit(
    _ before: PowerProfile, _ windows: [Window], _ groups: [[PowerParameter]]
  ) throws(Failure) -> (rows: Rows, fit: RidgeFit, noise: Double) {
    guard !groups.isEmpty else {
      throw Failure(
        .data, what: "the profile says 0 for all that was done, or the log has less than any of it takes",
        remedy: "state a first guess in a profile of your own, and check the unit of the log")
    }
    let rows = Rows(before, windows, groups)
    // Estimate the noise from a nearly unregularized fit. With the usual one, a profile that is far off would make
    // good windows look noisy, and would hardly be corrected.
    var noise = firstNoise
    for _ in 0..<2 {
      let free = RidgeFit.factors(rows.equations(noise: noise, ridgeShare: freeRidge))
      noise = max(leastNoise, rows.unexplained(by: free))
    }
    return (rows, RidgeFit(rows.equations(noise: noise)), noise)
  }

  /// The fitted profile, with where it is from.
  package func profile(
    name: String, about: String, note: PowerCalibrationNote, meterSpread: Double
  ) -> PowerProfile {
    var profile = before
    profile.name = name
    profile.about = about
    profile.calibration = note
    for finding in findings {
      let old = before[finding.parameter]
      let value = Self.rounded(old.value * finding.factor)
      if finding.isIdentified {
        profile[finding.parameter] = PowerProfile.Parameter(
          value, spread: value > 0 ? Self.rounded(max(finding.spread, meterSpread)) : 1, .calibrated,
          "fitted to \(note.meter)")
      } else if abs(finding.factor - 1) > 1e-3, let partner = finding.partner {
        profile[finding.parameter] = PowerProfile.Parameter(
          value, spread: value > 0 ? old.spread : 1, .calibrated,
          "only its sum with \(partner.rawValue) is fitted to \(note.meter); the split is that of \(before.name)"
        )
      }
    }
    return profile
  }

  /// Five significant digits: more than any meter has.
  private static func rounded(_ value: Double) -> Double {
    guard value > 0 else { return 0 }
    var scale = 1.0
    while value * scale < 1e4 { scale *= 10 }
    return (value * scale).rounded() / scale
  }
}

// MARK: - The equations

extension PowerCalibration {
  /// Parameters that share an error and so are fitted by one factor; those whose value or error is 0 are none.
  private static func groups(
    _ profile: PowerProfile, _ windows: [Window]
  ) -> [[PowerParameter]] {
    var groups: [PowerParameter: [PowerParameter]] = [:]
    for parameter in PowerParameter.allCases {
      let isThere = windows.contains { coefficient(of: parameter, in: $0) > 0 }
      guard isThere, profile[parameter].value > 0, profile[parameter].spread > 1 else { continue }
      groups[parameter.errorSource, default: []].append(parameter)
    }
    return PowerParameter.allCases.compactMap { groups[$0] }
  }

  /// What one unit of a parameter adds to a window, joules.
  private static func coefficient(of parameter: PowerParameter, in window: Window) -> Double {
    if parameter == .base { return window.seconds * 1e-3 }
    return PowerTerm.allCases.reduce(0) { sum, term in
      sum + term.price.reduce(0) { $1.parameter == parameter ? $0 + window.use[term] * $1.weight : $0 }
    }
  }

  /// The windows as equations for the groups' factors.
  private struct Rows {
    /// What a factor of 1 adds to each window, by window and group, joules.
    let columns: [[Double]]
    /// What no factor stands before, by window, joules.
    let known: [Double]
    /// What the meter says, by window, joules.
    let measured: [Double]
    let steps: [Double]
    let ridge: [Double]

    init(_ profile: PowerProfile, _ windows: [Window], _ groups: [[PowerParameter]]) {
      let columns = windows.map { window in
        groups.map { group in
          group.reduce(0) { $0 + coefficient(of: $1, in: window) * profile[$1].value }
        }
      }
      self.columns = columns
      known = zip(windows, columns).map { window, row in
        window.use.deviceJoules(overSeconds: window.seconds, under: profile) - row.reduce(0, +)
      }
      measured = windows.map(\.joules)
      steps = windows.map(\.stepJoules)
      ridge = groups.map { group in 1 / ((group.map { profile[$0].spread }.max() ?? 1) - 1) }
    }

    /// Each window's energy under the factors, joules.
    func joules(_ factors: [Double]) -> [Double] {
      zip(known, columns).map { known, row in zip(row, factors).reduce(known) { $0 + $1.0 * $1.1 } }
    }

    /// One row a window and one a factor; each divided by what it may be off.
    ///
    /// - Parameters:
    ///   - ridgeShare: how much of the ridge stays.
    ///   - dealt: other energies than those the meter says.
    func equations(noise: Double, ridgeShare: Double = 1, dealt: [Double]? = nil) -> RidgeFit.Equations {
      var equations = RidgeFit.Equations(ridge: ridge.map { $0 * ridgeShare })
      for index in columns.indices {
        let sigma = Trig.hypot(steps[index], noise * measured[index])
        let value = (dealt ?? measured)[index] - known[index]
        equations.add(row: columns[index].map { $0 / sigma }, value: value / sigma)
      }
      return equations
    }

    /// The share of the windows' energy that the factors leave open, as a standard deviation.
    func unexplained(by factors: [Double]) -> Double {
      let squares = zip(joules(factors), measured).reduce(0) {
        $0 + ($1.0 / $1.1 - 1) * ($1.0 / $1.1 - 1)
      }
      let freedom = max(1, Double(measured.count - min(ridge.count, measured.count - 1)))
      return (squares / freedom).squareRoot()
    }
  }

  private static func percentile90(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * 9 / 10)]
  }
}

// MARK: - How sure

extension PowerCalibration {
  /// The 90 % spread of each factor when the windows' residuals are dealt out anew (residual bootstrap), joined with
  /// what the equations themselves leave open.
  private static func bootstrap(
    _ rows: Rows, _ fit: RidgeFit, _ residuals: [Double], noise: Double
  ) -> [Double] {
    let predicted = rows.joules(fit.solution)
    var random = SplitMix64(seed: 1)
    let count = Double(residuals.count)
    let mean = residuals.reduce(0, +) / count
    // A fit is nearer to its own windows than to others.
    let widening = (count / max(1, count - Double(rows.ridge.count))).squareRoot()
    var squares = [Double](repeating: 0, count: rows.ridge.count)
    for _ in 0..<repetitions {
      let dealt = predicted.map { joules in
        let pick = residuals[Int(random.next() % UInt64(residuals.count))]
        return joules * Trig.exp((pick - mean) * widening)
      }
      let again = RidgeFit.factors(rows.equations(noise: noise, dealt: dealt))
      for index in squares.indices where fit.solution[index] > 0 {
        let off = again[index] / fit.solution[index] - 1
        squares[index] += off * off / Double(repetitions)
      }
    }
    return squares.indices.map { index in
      let open = fit.solution[index] > 0 ? fit.deviation(index) / fit.solution[index] : 0
      return Trig.exp(1.644_853_626_951_472_7 * max(squares[index].squareRoot(), open))
    }
  }

  /// The groups that the windows don't tell apart from others, and with which they go together most, by error source.
  private static func open(
    _ groups: [[PowerParameter]], _ profile: PowerProfile, _ fit: RidgeFit
  ) -> (open: Set<PowerParameter>, partners: [PowerParameter: PowerParameter]) {
    var open: Set<PowerParameter> = []
    var partners: [PowerParameter: PowerParameter] = [:]
    for (index, group) in groups.enumerated() {
      let before = group.map { profile[$0].spread }.max() ?? 1
      guard fit.deviation(index) >= identifiedShare * (before - 1) else { continue }
      let source = group[0].errorSource
      open.insert(source)
      partners[source] = fit.partner(of: index).map { groups[$0][0].errorSource }
    }
    return (open, partners)
  }

  private static func findings(
    _ group: [PowerParameter], isApart: Bool, from partner: PowerParameter?, _ profile: PowerProfile,
    _ factor: Double, spread: Double
  ) -> [Finding] {
    let before = group.map { profile[$0].spread }.max() ?? 1
    // Near 0 a factor is off by many times itself: then what was known before says more.
    let isIdentified = isApart && spread <= before
    return group.map {
      Finding(
        parameter: $0, factor: factor, spread: isIdentified ? spread : profile[$0].spread,
        isIdentified: isIdentified, partner: partner)
    }
  }
}

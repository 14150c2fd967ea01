import LocationCore
import TestSupport

/// The validation as tables of Markdown.
struct ValidationTables {
  private let validation: PowerValidation

  init(_ validation: PowerValidation) { self.validation = validation }

  // MARK: V1

  /// Median absolute error of the calibrated profiles, as a share.
  func error(_ system: MobilityNet.System, leastPoints: Double = 0, trips: Bool = false) -> Double {
    let rows = validation.usable(system) { !trips || !$0.isStill }.filter { $0.measured >= leastPoints }
    return PowerStatistics.median(rows.map { abs($0.calibrated.value / $0.measured - 1) })
  }

  var errors: [String] {
    var lines = [
      "| phones, runs | n | built-in profile | fitted to all settings | and to the same setting | mean rate |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
    for system in MobilityNet.System.allCases {
      let all = validation.usable(system)
      for (name, rows) in [
        ("all", all), ("10 points or more", all.filter { $0.measured >= 10 }),
        ("trip days", all.filter { !$0.run.regime.isStill }),
        ("lying still", all.filter { $0.run.regime.isStill }),
      ] {
        lines.append("| \(Self.word(system)), \(name) | \(rows.count) | " + Self.errors(rows) + " |")
      }
    }
    return lines
  }

  var regimes: [String] {
    var lines = [
      "| phones | setting | n | measured %/h | predicted %/h | built-in | all settings | same setting | mean rate |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for system in MobilityNet.System.allCases {
      for regime in MobilityNet.Regime.allCases {
        let rows = validation.usable(system) { $0 == regime }
        guard !rows.isEmpty else { continue }
        let measured = PowerStatistics.median(rows.map { $0.rate($0.measured) })
        let predicted = PowerStatistics.median(rows.map { $0.rate($0.calibrated.value) })
        lines.append(
          "| \(Self.word(system)) | \(regime.rawValue) | \(rows.count) | \(Wording.number(measured, 2)) | "
            + "\(Wording.number(predicted, 2)) | " + Self.errors(rows) + " |")
      }
    }
    return lines
  }

  private static func errors(_ rows: [PowerValidation.Row]) -> String {
    let predictions: [(PowerValidation.Row) -> Double] = [
      { $0.uncalibrated.value }, { $0.fitted.value }, { $0.calibrated.value }, { $0.baseline ?? 0 },
    ]
    return predictions.map { predict in
      let error = PowerStatistics.median(rows.map { abs(predict($0) / $0.measured - 1) })
      let factor = PowerStatistics.factor90(rows.map { (predict($0), $0.measured) })
      return "\(Wording.number(100 * error, 0)) % (\(Wording.number(factor, 2)))"
    }.joined(separator: " | ")
  }

  /// How well what can't be had in advance predicts: other phones beside it, and the same trips on other days.
  var floor: [String] {
    var lines = [
      "| phones, runs | told by | n | its error | fitted to the same setting | mean rate |",
      "| --- | --- | --- | --- | --- | --- |",
    ]
    for system in MobilityNet.System.allCases {
      let all = validation.usable(system)
      for (runs, rows) in [
        ("trip days", all.filter { !$0.run.regime.isStill }),
        ("lying still", all.filter { $0.run.regime.isStill }),
      ] {
        for (teller, told) in [
          ("phones beside it", \PowerValidation.Row.twins), ("the same trips on other days", \.sameTrips),
        ] {
          let known = rows.filter { $0[keyPath: told] != nil }
          guard known.count >= 5 else { continue }
          let errors: [(PowerValidation.Row) -> Double] = [
            { $0[keyPath: told] ?? 0 }, { $0.calibrated.value }, { $0.baseline ?? 0 },
          ]
          lines.append(
            "| \(Self.word(system)), \(runs) | \(teller) | \(known.count) | "
              + errors.map { predict in
                let error = PowerStatistics.median(known.map { abs(predict($0) / $0.measured - 1) })
                return "\(Wording.number(100 * error, 0)) %"
              }.joined(separator: " | ") + " |")
        }
      }
    }
    return lines
  }

  // MARK: V2

  var order: [String] {
    var lines = [
      "| phones | days | settings, most drain first, as measured | as predicted | Spearman |",
      "| --- | --- | --- | --- | --- |",
    ]
    for system in MobilityNet.System.allCases {
      for dayType in Set(validation.rows.map(\.run.dayType)).sorted() {
        let rows = validation.rows.filter {
          $0.run.system == system && $0.run.dayType == dayType && $0.baseline != nil
        }
        let regimes = MobilityNet.Regime.allCases.filter { regime in rows.contains { $0.run.regime == regime }
        }
        guard regimes.count >= 3 else { continue }
        func rates(_ value: (PowerValidation.Row) -> Double) -> [Double] {
          regimes.map { regime in
            PowerStatistics.median(rows.filter { $0.run.regime == regime }.map { $0.rate(value($0)) })
          }
        }
        func names(_ rates: [Double]) -> String {
          zip(regimes, rates).sorted { ($1.1, $0.0.rawValue) < ($0.1, $1.0.rawValue) }.map(\.0.rawValue)
            .joined(separator: ", ")
        }
        let measured = rates(\.measured)
        let predicted = rates(\.calibrated.value)
        lines.append(
          "| \(Self.word(system)) | \(dayType) | \(names(measured)) | \(names(predicted)) | "
            + "\(Wording.number(PowerStatistics.spearman(measured, predicted), 2)) |")
      }
    }
    return lines
  }

  // MARK: V3

  /// The share of runs that the calibrated bands hold.
  func coverage(_ system: MobilityNet.System) -> Double {
    Self.coverage(validation.usable(system), \.calibrated)
  }

  var bands: [String] {
    var lines = [
      "| phones, runs | n | built-in profile, form 2.5 | fitted to all settings, form 2.5 | and to the same |",
      "| --- | --- | --- | --- | --- |",
    ]
    for system in MobilityNet.System.allCases {
      let all = validation.usable(system)
      for (name, rows) in [
        ("all", all), ("trip days", all.filter { !$0.run.regime.isStill }),
        ("lying still", all.filter { $0.run.regime.isStill }),
      ] {
        let shares = [
          Self.coverage(rows, \.uncalibrated), Self.coverage(rows, \.fitted),
          Self.coverage(rows, \.calibrated),
        ]
        lines.append(
          "| \(Self.word(system)), \(name) | \(rows.count) | "
            + shares.map { "\(Wording.number(100 * $0, 0)) %" }.joined(separator: " | ") + " |")
      }
    }
    return lines
  }

  private static func coverage(
    _ rows: [PowerValidation.Row], _ band: (PowerValidation.Row) -> PowerBand
  ) -> Double {
    Double(rows.count { PowerValidation.holds(band($0), $0.measured) }) / Double(max(1, rows.count))
  }

  // MARK: V5

  static func tradeOff(_ results: [(TrackTradeOff.Sampling, TrackTradeOff.Result)]) -> [String] {
    var lines = [
      "| a fix | error of the place last known, m: median / p90 | visits of a minute or more told | of 120 s or more | delay s: median / p90 | significant changes; error held | receiver on | J a day, services | with the whole device |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (sampling, result) in results {
      let perDay = 86_400 / result.seconds
      let profile = PowerProfile.iphoneClass
      let band = result.use.band(under: profile)
      let device = result.use.band(under: profile, deviceSeconds: result.seconds)
      func joules(_ band: PowerBand) -> String {
        "\(Wording.energy(band.value * perDay)) (\(Wording.energy(band.low * perDay)) to \(Wording.energy(band.high * perDay)))"
      }
      func pair(_ values: [Double]) -> String {
        "\(Wording.number(PowerStatistics.median(values), 0)) / \(Wording.number(PowerStatistics.quantile(0.9, values), 0))"
      }
      lines.append(
        "| \(sampling.name) | \(pair(result.fixErrors)) | \(result.visits - result.missed) of \(result.visits) | \(result.longVisits - result.longMissed) of \(result.longVisits) | "
          + "\(pair(result.delays)) | \(result.changes); \(pair(result.changeErrors)) | "
          + "\(Wording.number(100 * result.use.receiverOnSeconds / result.seconds, 1)) % | \(joules(band)) | \(joules(device)) |"
      )
    }
    return lines
  }

  private static func word(_ system: MobilityNet.System) -> String {
    switch system {
    case .android: "Nexus 6"
    case .ios: "iPhone 6"
    }
  }
}

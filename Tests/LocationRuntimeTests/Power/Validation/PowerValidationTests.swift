import LocationCore
import TestSupport
import Testing

/// The model against measured phone batteries; `Docs/PowerValidation.md` has what came of it.
@Suite(.enabled(if: Corpus.isPresent && Corpus.isFull)) struct PowerValidationTests {
  @Test func explore() throws {
    let data = try MobilityNet()
    let validation = try PowerValidation(data)
    for system in MobilityNet.System.allCases {
      func say(_ name: String, _ rows: [PowerValidation.Row]) {
        guard !rows.isEmpty else { return }
        func error(_ predict: (PowerValidation.Row) -> Double) -> String {
          let m = PowerStatistics.median(rows.map { abs(predict($0) / $0.measured - 1) })
          let f = PowerStatistics.factor90(rows.map { (predict($0), $0.measured) })
          return "\((m * 1000).rounded() / 10) (x\((f * 100).rounded() / 100))"
        }
        func cover(_ band: (PowerValidation.Row) -> PowerBand) -> Int {
          Int(
            (100 * Double(rows.count { band($0).low <= $0.measured && $0.measured <= band($0).high })
              / Double(rows.count)).rounded())
        }
        print(
          system, name, rows.count, "uncal", error { $0.uncalibrated.value }, "fit",
          error { $0.fitted.value }, "cal", error { $0.calibrated.value }, "base", error { $0.baseline ?? 0 },
          "cover", cover { $0.uncalibrated }, cover { $0.fitted }, cover { $0.calibrated })
      }
      say("ALL", validation.usable(system))
      say("ALL10", validation.usable(system).filter { $0.measured >= 10 })
      say("TRIPS", validation.usable(system) { !$0.isStill })
      for regime in MobilityNet.Regime.allCases {
        say(regime.rawValue, validation.usable(system) { $0 == regime })
      }
    }
  }
}

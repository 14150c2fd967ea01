package import LocationCore
import LocationFormats

extension Comparison {
  /// A table for people, and what it comes to.
  ///
  /// - Parameter width: of the terminal, characters; nil for any.
  package func text(in units: MeasureUnits = .metric, fitting width: Int? = nil) -> String {
    let header = [
      "POLICY", "REGION EVENTS", "EXTRA", "LATER BY", "MOVES", "VISITS", "ERROR", "WAKES", "RECEIVER ON",
      "ENERGY",
      "OF CONTINUOUS", "OF THE DEVICE",
    ]
    let table = TextTable(header: header, rows: results.map { row($0, units) }, rightAligned: [2, 7])
    let verdict = PolicyVerdict(self).map { "\n\($0.text)\n" } ?? ""
    return table.text(fitting: width) + verdict + "\n" + Self.legend(profile)
  }

  private func row(_ result: PolicyResult, _ units: MeasureUnits) -> [String] {
    let band = result.use.band(under: profile)
    let left = comparison(of: result)
    return [
      result.policy.title,
      Self.share(result.found, result.missed, isAsked: result.policy.asks(for: .regions)),
      result.extra == 0 ? "" : "\(result.extra)",
      Self.pair(result.delays) { Wording.duration(max(0, $0)) },
      Self.share(
        result.movesFound, result.movesMissed, isAsked: result.policy.asks(for: .significantChange)),
      Self.share(result.visitsFound, result.visitsMissed, isAsked: result.policy.asks(for: .visits)),
      Self.pair(result.errors.map(Double.init)) { Wording.distance($0, in: units) },
      Wording.count(result.wakes),
      "\(Wording.duration(result.receiverOnSeconds)) (\(result.receiverShare.map { Wording.percent($0) } ?? "-"))",
      "\(Wording.energy(band.value)) (\(Wording.energy(band.low)) to \(Wording.energy(band.high)))",
      left.map { Self.percent($0.services) } ?? "", left.map { Self.percent($0.device) } ?? "",
    ]
  }

  /// What a policy leaves of the reference's energy; nil for the reference itself.
  func comparison(of result: PolicyResult) -> PowerComparison? {
    guard let reference = results.first, result.policy != reference.policy else { return nil }
    return PowerComparison(of: result.use, against: reference.use, seconds: reference.seconds, under: profile)
  }

  /// `3 of 4`, in brackets where a policy does not ask for it; empty where there is none.
  static func share(_ found: Int, _ missed: Int, isAsked: Bool) -> String {
    guard found + missed > 0 else { return "" }
    let text = "\(found) of \(found + missed)"
    return isAsked ? text : "(\(text))"
  }

  private static func pair(_ values: [Double], _ word: (Double) -> String) -> String {
    guard let half = PolicyResult.quantile(0.5, values), let most = PolicyResult.quantile(0.95, values) else {
      return ""
    }
    return "\(word(half)), \(word(most))"
  }

  private static func percent(_ band: PowerBand) -> String {
    "\(Wording.percent(band.value)) (\(Wording.percent(band.low)) to \(Wording.percent(band.high)))"
  }

  private static func legend(_ profile: PowerProfile) -> String {
    let model =
      profile.calibration.map { "calibrated against \($0.meter) on \($0.device)" } ?? "modelled, not measured"
    return """
      Profile \(profile.name), \(model); in brackets what holds with 90 %.
      Region events, moves, begins and ends of visits: told of those that continuous told; in brackets where they are not asked for.
      Later by, error: half of the cases, 95 % of them. Error: from the last fix to where the track is.

      """
  }
}

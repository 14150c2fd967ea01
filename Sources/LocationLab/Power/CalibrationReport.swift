package import LocationCore
import LocationFormats

/// What a calibration came to, for people.
package enum CalibrationReport {
  /// A table of the parameters, and what to beware of.
  package static func text(_ calibration: PowerCalibration, _ profile: PowerProfile, notes: [String])
    -> String
  {
    var lines = ["parameter                  before     now  90 % within  "]
    for finding in calibration.findings {
      let name = finding.parameter.rawValue
      let entry = profile[finding.parameter]
      lines.append(
        left(name, 24) + right(JSONText.number(calibration.before[finding.parameter].value), 9)
          + right(JSONText.number(entry.value), 8) + "  x/÷ " + left(spread(entry.spread), 7)
          + word(finding))
    }
    let factor = Wording.number(calibration.residualSpread, 2)
    let condition =
      calibration.conditionNumber.isFinite ? Wording.number(calibration.conditionNumber, 1) : "infinite"
    lines.append("")
    lines.append(
      "\(Wording.count(calibration.windows.count, "window")), 90 % within x/÷ \(factor) of the fit; condition number "
        + condition)
    return (lines + notes.map { "note: \($0)" }).joined(separator: "\n") + "\n"
  }

  /// The same as lines of JSON: one for each parameter, and one for the fit.
  package static func json(
    _ calibration: PowerCalibration, _ profile: PowerProfile, notes: [String]
  ) -> String {
    var lines = calibration.findings.map { finding in
      line("power.calibration") { line in
        let entry = profile[finding.parameter]
        line.member("parameter", finding.parameter.rawValue)
        line.member("before", calibration.before[finding.parameter].value, decimals: FixedPoint.thousandths)
        line.member("value", entry.value, decimals: FixedPoint.thousandths)
        line.member("spread", entry.spread, decimals: FixedPoint.thousandths)
        line.member("fitted", finding.isIdentified)
        if !finding.isIdentified { line.member("only_sum_with", finding.partner?.rawValue) }
      }
    }
    lines.append(
      line("power.calibration") { line in
        line.member("windows", calibration.windows.count)
        line.member("spread", calibration.residualSpread, decimals: FixedPoint.thousandths)
        let condition = calibration.conditionNumber
        line.member("condition", condition.isFinite ? condition : nil, decimals: FixedPoint.thousandths)
        if !notes.isEmpty { line.member("notes", notes) }
      })
    return lines.joined()
  }

  /// A line of JSON with a type.
  static func line(_ type: String, _ members: (inout JSONLine) -> Void) -> String {
    String(
      decoding: JSONLine.line { line in
        line.member("v", 1)
        line.member("type", type)
        members(&line)
      }, as: UTF8.self)
  }

  private static func word(_ finding: PowerCalibration.Finding) -> String {
    if finding.isIdentified { return "fitted" }
    guard let partner = finding.partner else { return "not told by these blocks: kept" }
    return "only its sum with \(partner.rawValue) is told"
  }

  private static func spread(_ value: Double) -> String { Wording.number(value, 2) }

  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}

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
        left(name, 24) + right(PowerProfileText.number(calibration.before[finding.parameter].value), 9)
          + right(PowerProfileText.number(entry.value), 8) + "  x/÷ " + left(spread(entry.spread), 7)
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

  /// How long a block has to be for each state, so that one step of the meter is the error allowed.
  ///
  /// `T = q / (ε P)` with the step `q` in joules, the error `ε` as a share and the power `P` of the state.
  package static func plan(_ profile: PowerProfile, stepJoules: Double, error: Double) -> String {
    let states: [(String, [PowerParameter])] = [
      ("base alone", [.base]), ("searching", [.receiverAcquire]), ("tracking", [.receiverTrackStrong]),
      ("power saving", [.receiverPowerSave]), ("awake", [.awake]), ("network location", [.networkLocation]),
      ("motion sensor", [.motion]), ("radio connected", [.radioTail]), ("one busy core", [.core]),
    ]
    var lines = [
      "Blocks in the order A B B A for each state, so that drift cancels: base, state, state, base.", "",
      "state                  mW  at least",
    ]
    for (name, parameters) in states {
      let milliwatts = parameters.reduce(0) { $0 + profile[$1].value }
      guard milliwatts > 0 else { continue }
      // The state is the difference of two blocks, and each is off by a step.
      let seconds = 2 * stepJoules / (error * milliwatts * 1e-3)
      lines.append(
        left(name, 17) + right(PowerProfileText.number(milliwatts), 8) + "  "
          + Wording.duration(max(60, seconds)))
    }
    let impulses: [(String, PowerParameter)] = [
      ("wakes", .wake), ("relaunches", .relaunch), ("Wi-Fi scans", .wifiScan),
      ("radio promotions", .radioPromotion),
    ]
    lines += ["", "impulse                 J  at least"]
    for (name, parameter) in impulses where profile[parameter].value > 0 {
      let count = (2 * stepJoules / (error * profile[parameter].value)).rounded(.up)
      lines.append(
        left(name, 17) + right(PowerProfileText.number(profile[parameter].value), 8) + "  "
          + Wording.count(Int(max(10, min(count, 1e9)))))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func word(_ finding: PowerCalibration.Finding) -> String {
    if finding.isIdentified { return "fitted" }
    guard let partner = finding.partner else { return "not told by these blocks: kept" }
    return "only its sum with \(partner.rawValue) is told"
  }

  private static func spread(_ value: Double) -> String { Wording.number(value, 2) }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}

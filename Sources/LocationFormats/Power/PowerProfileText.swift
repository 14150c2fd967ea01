package import LocationCore

/// A power profile as text: the YAML that ``PowerProfileFile`` reads, a table for people, JSON for programs.
package enum PowerProfileText {
  /// The profile's file. Reading it gives the profile again; equal profiles give equal bytes.
  package static func yaml(_ profile: PowerProfile) -> String {
    var lines = [
      "name: \(quoted(profile.name))",
      "about: \(quoted(profile.about))",
    ]
    if let note = profile.calibration { lines += calibration(note) }
    lines.append("parameters:")
    for parameter in PowerParameter.allCases {
      let entry = profile[parameter]
      lines.append(
        "  \(parameter.rawValue): {value: \(JSONText.number(entry.value)), spread: \(JSONText.number(entry.spread)), "
          + "mark: \(entry.evidence.rawValue), source: \(quoted(entry.source))}")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A table for people.
  package static func table(_ profile: PowerProfile) -> String {
    let rows = PowerParameter.allCases.map { parameter in
      let entry = profile[parameter]
      let spread = entry.spread > 1 ? "x/÷ \(JSONText.number(entry.spread))" : "-"
      return [
        parameter.rawValue, JSONText.number(entry.value), spread, entry.evidence.rawValue, entry.source,
      ]
    }
    let table = TextTable(
      header: ["parameter", "value", "90 % within", "mark", "source"], rows: rows, rightAligned: [1])
    return (["\(profile.name): \(profile.about)"] + calibrationLines(profile)).joined(separator: "\n")
      + "\n\n"
      + table.text
      + "\nmark: V read in the source, D derived from such numbers, M recalled, A assumed, C calibrated\n"
  }

  /// The profiles, one a line.
  package static func list(_ profiles: [PowerProfile]) -> String {
    let rows = profiles.map { profile in
      [
        profile.name, JSONText.number(profile[.base].value),
        JSONText.number(profile[.receiverTrackStrong].value),
        JSONText.number(profile[.awake].value), profile.about,
      ]
    }
    return TextTable(
      header: ["name", "base mW", "tracking mW", "awake mW", "about"], rows: rows, rightAligned: [1, 2, 3]
    ).text
  }

  /// One JSON object on one line.
  package static func json(_ profile: PowerProfile, withParameters: Bool) -> String {
    var line = JSONLine()
    line.open()
    line.member("v", 1)
    line.member("name", profile.name)
    line.member("about", profile.about)
    if let note = profile.calibration {
      line.open("calibration")
      line.member("device", note.device)
      line.member("meter", note.meter)
      line.member("date", note.date)
      line.member("kernel", note.kernel)
      line.member("serial", note.serial)
      line.member("temperature_c", note.temperatureCelsius, decimals: decimals)
      line.member("battery_health", note.batteryHealth, decimals: decimals)
      line.member("log", note.log)
      line.member("windows", note.windows)
      line.member("condition_number", note.conditionNumber, decimals: decimals)
      line.member("residual_spread", note.residualSpread, decimals: decimals)
      line.close()
    }
    if withParameters {
      line.open("parameters")
      for parameter in PowerParameter.allCases {
        line.open(named: parameter.rawValue)
        line.member("value", profile[parameter].value, decimals: decimals)
        line.member("spread", profile[parameter].spread, decimals: decimals)
        line.member("mark", profile[parameter].evidence.rawValue)
        line.member("source", profile[parameter].source)
        line.close()
      }
      line.close()
    }
    line.close()
    return String(decoding: line.bytes, as: UTF8.self) + "\n"
  }

  /// Decimals of a parameter in JSON.
  private static let decimals = 4

  private static func calibrationLines(_ profile: PowerProfile) -> [String] {
    guard let note = profile.calibration else { return [] }
    return [
      "calibrated on \(note.device) against \(note.meter)"
        + (note.date.map { ", \($0)" } ?? "") + ": \(note.windows) windows of \(note.log), "
        + "90 % within x/÷ \(Wording.number(note.residualSpread, 2)) of the fit"
    ]
  }

  private static func calibration(_ note: PowerCalibrationNote) -> [String] {
    var lines = ["calibration:", "  device: \(quoted(note.device))", "  meter: \(quoted(note.meter))"]
    if let date = note.date { lines.append("  date: \(quoted(date))") }
    if let kernel = note.kernel { lines.append("  kernel: \(quoted(kernel))") }
    if let serial = note.serial { lines.append("  serial: \(quoted(serial))") }
    if let value = note.temperatureCelsius { lines.append("  temperature_c: \(JSONText.number(value))") }
    if let value = note.batteryHealth { lines.append("  battery_health: \(JSONText.number(value))") }
    return lines + [
      "  log: \(quoted(note.log))", "  windows: \(note.windows)",
      "  condition_number: \(JSONText.number(note.conditionNumber))",
      "  residual_spread: \(JSONText.number(note.residualSpread))",
    ]
  }

  /// A YAML scalar in double quotes.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default: quoted.unicodeScalars.append(scalar.value < 0x20 ? " " : scalar)
      }
    }
    return quoted + "\""
  }
}

import LocationCore

/// The summary in words.
enum SummaryText {
  static func describe(_ summary: Summary, title: String, quietlyOutside: Int) -> String {
    let tally = summary.tally
    var lines = [""]
    lines.append(title)
    lines.append("  fixes       " + fixes(summary))
    lines.append("  events      " + (events(tally) + modes(summary.modes)).joined(separator: ", "))
    if quietlyOutside > 0 {
      lines.append("  at first    outside \(Wording.count(quietlyOutside, "region"))")
    }
    lines.append(
      "  programs    \(Wording.count(tally.wakes, "wake")), \(Wording.count(tally.relaunches, "relaunch", plural: "relaunches"))"
    )
    lines.append(
      "  receiver    on for \(Wording.duration(summary.receiverOnSeconds))\(share(summary))"
    )
    lines.append("  energy      " + energy(summary))
    for note in summary.notes { lines.append("  note        \(note)") }
    return lines.joined(separator: "\n")
  }

  /// Live, the receiver is on before the first fix and after the last.
  private static func share(_ summary: Summary) -> String {
    guard summary.receiverOnSeconds <= summary.modelledSeconds else { return "" }
    return " of \(Wording.duration(summary.modelledSeconds))"
  }

  private static func fixes(_ summary: Summary) -> String {
    let tally = summary.tally
    guard tally.fixes > 0 else { return "none" }
    var text = Wording.count(tally.fixes)
    guard tally.accepted < tally.fixes else { return text + ", all believed" }
    let reasons = summary.rejected.map { "\(Wording.count($0.count)) \($0.reason.rawValue)" }
    text += ", \(Wording.count(tally.fixes - tally.accepted)) refused (\(reasons.joined(separator: ", ")))"
    return text
  }

  private static func events(_ tally: Tally) -> [String] {
    var parts = [Wording.count(tally.significant, "significant change")]
    let enters = tally.regions["enter"] ?? 0
    let exits = tally.regions["exit"] ?? 0
    if enters + exits > 0 {
      parts.append("\(Wording.count(enters, "enter")), \(Wording.count(exits, "exit"))")
    }
    if let dwells = tally.regions["dwell"] { parts.append(Wording.count(dwells, "dwell")) }
    if let crosses = tally.regions["cross"] {
      parts.append(Wording.count(crosses, "cross", plural: "crosses"))
    }
    if tally.arrivals > 0 {
      parts.append(Wording.count(tally.arrivals, "arrival"))
      parts.append(Wording.count(tally.departures, "departure"))
    }
    if tally.locations > 0 { parts.append(Wording.count(tally.locations, "standard update")) }
    if tally.gaps > 0 { parts.append(Wording.count(tally.gaps, "gap")) }
    return parts
  }

  private static func modes(_ modes: ModeTally) -> [String] {
    let words = [
      ("notification", "notification", "notifications"), ("push", "push", "pushes"),
      ("call", "call", "calls"), ("fetch", "fetch", "fetches"),
      ("transfer", "report of a transfer", "reports of transfers"),
      ("accessory", "report of an accessory", "reports of accessories"),
    ]
    return words.compactMap { type, one, many in
      modes[type] == 0 ? nil : Wording.count(modes[type], one, plural: many)
    }
  }

  private static func energy(_ summary: Summary) -> String {
    let estimate = summary.energy
    let battery = summary.batteryJoules.map {
      ", \(Wording.figure(100 * summary.deviceJoules / $0, 1)) % of the battery"
    }
    return "about \(Wording.energy(estimate.value)), \(Wording.wattHours(estimate.value)) "
      + "(\(Wording.interval(estimate.low, estimate.high))); the whole device "
      + "\(Wording.energy(summary.deviceJoules)), \(Wording.wattHours(summary.deviceJoules))\(battery ?? ""); "
      + "profile \(summary.profile), "
      + (summary.calibration.map { "calibrated against \($0)" } ?? "modelled")
  }
}

import LocationCore
import LocationFormats
import LocationRuntime

/// The parts of a page that need no script: what it came to, in tables.
struct ReportTables {
  /// HTML; every name in it is escaped.
  private(set) var html = ""
  /// The rows of the table of events.
  private(set) var eventRows = ""
  /// What is said above it; empty where it is complete.
  private(set) var eventNote = ""
  private let report: TrackReport
  private let units: MeasureUnits

  /// More rows than this make a page slow and help nobody; the rest is on the timeline.
  static let mostEvents = 1000

  init(_ report: TrackReport, _ comparison: Comparison?, in units: MeasureUnits) {
    self.report = report
    self.units = units
    guard let (summary, ledger) = report.outcome else { return }
    appendSummary(summary)
    appendComponents(ledger, summary)
    appendPayers(ledger)
    if let comparison { html += ReportPicture.html(of: comparison, in: units) }
    appendEvents()
  }

  /// A table that scrolls by itself where it is wider than the page. Cells are HTML; `#` before a title aligns
  /// its column to the right.
  static func table(
    _ caption: String, _ titles: [String], _ rows: [[String]], isWide: Bool = false
  ) -> String {
    var html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(caption)\">"
    html += "<table\(isWide ? " class=\"wide\"" : "")><caption>\(caption)</caption><thead><tr>"
    let isRight = titles.map { $0.hasPrefix("#") }
    for title in titles {
      html +=
        "<th scope=\"col\"\(title.hasPrefix("#") ? " class=\"n\"" : "")>\(title.drop { $0 == "#" })</th>"
    }
    html += "</tr></thead><tbody>\n"
    for row in rows {
      html += "<tr>"
      for (index, cell) in row.enumerated() {
        let style = isRight[index] ? " class=\"n\"" : ""
        html += index == 0 ? "<th scope=\"row\">\(cell)</th>" : "<td\(style)>\(cell)</td>"
      }
      html += "</tr>\n"
    }
    return html + "</tbody></table></div>\n"
  }

  /// `12 J (8 J to 20 J)`
  static func energy(_ value: Double, _ low: Double, _ high: Double) -> String {
    "\(Wording.energy(value)) <small>(\(Wording.energy(low)) to \(Wording.energy(high)))</small>"
  }

  private mutating func appendSummary(_ summary: Summary) {
    func share(_ seconds: Double) -> String {
      guard summary.modelledSeconds > 0 else { return "" }
      return " (\(Wording.number(100 * min(1, seconds / summary.modelledSeconds), 1)) %)"
    }
    var facts = [
      ("Time", Wording.duration(summary.durationSeconds)),
      ("Points of the track", Wording.count(report.points.count)),
      ("Fixes taken", Wording.count(summary.tally.accepted)),
    ]
    for (reason, count) in summary.rejected {
      facts.append(("Refused: \(reason.rawValue)", Wording.count(count)))
    }
    if report.leftOut > 0 { facts.append(("Points without time or place", Wording.count(report.leftOut))) }
    facts += [
      ("Receiver on", Wording.duration(summary.receiverOnSeconds) + share(summary.receiverOnSeconds)),
      ("Programs woken", Wording.count(summary.tally.wakes)),
      ("Programs relaunched", Wording.count(summary.tally.relaunches)),
      (
        "Energy of the services",
        Self.energy(summary.energy.value, summary.energy.low, summary.energy.high)
      ),
      ("Energy of the whole device", deviceEnergy(summary)),
      ("Power profile", Markup.escaped(summary.profile)),
      ("Calibrated", Markup.escaped(summary.calibration ?? "no: modelled, not measured")),
    ]
    html += "<section aria-labelledby=\"h-sum\"><h2 id=\"h-sum\">Summary</h2>\n<dl class=\"facts\">"
    for (name, value) in facts { html += "<div><dt>\(name)</dt><dd>\(value)</dd></div>\n" }
    for note in summary.notes { html += "<div><dt>Note</dt><dd>\(Markup.escaped(note))</dd></div>\n" }
    html += "</dl></section>\n"
  }

  private func deviceEnergy(_ summary: Summary) -> String {
    let text = "\(Wording.energy(summary.deviceJoules)), \(Wording.wattHours(summary.deviceJoules))"
    guard let full = summary.batteryJoules else { return text }
    return "\(text), \(Wording.figure(100 * summary.deviceJoules / full, 1)) % of the battery"
  }

  private mutating func appendComponents(_ ledger: PowerLedger, _ summary: Summary) {
    let use = ledger.use
    let form = use.form(under: ledger.profile)
    var parts: [(component: PowerLedger.Component, seconds: Double, band: PowerBand)] = []
    for component in PowerLedger.Component.allCases {
      var part = PowerUse()
      var seconds = 0.0
      for term in PowerTerm.allCases where term.component == component {
        part[term] = use[term]
        if term.isTime { seconds += use[term] }
      }
      let band = part.band(under: ledger.profile, form: form)
      if band.value > 0 || seconds > 0 { parts.append((component, seconds, band)) }
    }
    let largest = parts.map(\.band.high).max() ?? 0
    var rows = parts.map { part in
      [
        Self.words(part.component.rawValue), part.seconds > 0 ? Wording.duration(part.seconds) : "",
        Self.energy(part.band.value, part.band.low, part.band.high), Self.bar(part.band, of: largest),
      ]
    }
    let energy = summary.energy
    rows.append(["all", "", Self.energy(energy.value, energy.low, energy.high), ""])
    html += "<section aria-labelledby=\"h-energy\"><h2 id=\"h-energy\">Energy</h2>\n"
    html += Self.table(
      "By component; in brackets what holds with 90 %", ["Component", "#Time", "#Energy", ""], rows)
  }

  private mutating func appendPayers(_ ledger: PowerLedger) {
    let rows = ledger.entries.filter { $0.joules > 0 || $0.seconds > 0 }.map { entry in
      [
        Markup.escaped(entry.subscriber), entry.rule.rawValue, Self.words(entry.component.rawValue),
        entry.seconds > 0 ? Wording.duration(entry.seconds) : "", Wording.energy(entry.joules),
      ]
    }
    html += Self.table(
      "By who pays, and under which rule", ["Subscriber", "Rule", "Component", "#Time", "#Energy"], rows)
    html += "</section>\n"
  }

  private mutating func appendEvents() {
    let folded = FoldedEvents(report.events)
    let shown = folded.rows.prefix(Self.mostEvents)
    for row in shown {
      let event = report.events[row.index]
      let text = TextRecord(event, in: units, tellsNotifications: report.tellsNotifications)
      let suspended = row.suspendedSeconds.map { "; suspended after \(Wording.duration($0))" } ?? ""
      eventRows += """
        <tr><th scope="row"><button type="button" class="at" data-event="\(event.id)">\(Self.clock(event.time))</button></th>\
        <td><code>\(event.type)</code></td><td>\(Markup.escaped(text?.what ?? event.type))</td>\
        <td>\(Markup.escaped((text?.detail ?? "") + suspended))</td></tr>

        """
    }
    if shown.count < folded.rows.count {
      eventNote =
        "<p>The first \(Wording.count(shown.count)) of \(Wording.count(folded.rows.count)); all of them are on the timeline.</p>"
    }
  }

  /// `2026-05-04 06:30:00`
  private static func clock(_ time: UTCTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
  }

  /// A bar with the interval as a line across its end.
  static func bar(_ band: PowerBand, of largest: Double) -> String {
    func percent(_ value: Double) -> String { Wording.number(largest > 0 ? 100 * value / largest : 0, 2) }
    return """
      <span class="span" aria-hidden="true"><i style="width:\(percent(band.value))%"></i>\
      <b style="left:\(percent(band.low))%;width:\(percent(band.high - band.low))%"></b></span>
      """
  }

  /// `receiver tracking`
  static func words(_ name: String) -> String { String(name.map { $0 == "_" ? " " : $0 }) }
}

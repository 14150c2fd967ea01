package import LocationCore
import LocationFormats

/// Booked energy, for people and programs.
package struct EnergyAccount {
  private var rows: [StateDatabase.EnergyRow]
  private let books: EnergyBooks?
  private let byDay: Bool

  /// What was used, by component, as another profile prices it: that of `books`. Payers and rules were booked under the
  /// daemon's profile only.
  package init(priced books: EnergyBooks) {
    self.books = books
    byDay = false
    rows = PowerComponent.allCases.compactMap { component in
      let terms = PowerTerm.allCases.filter { $0.component == component && books.use[$0] > 0 }
      guard !terms.isEmpty else { return nil }
      return StateDatabase.EnergyRow(
        day: "", component: component.rawValue, subscriber: "", rule: "",
        joules: terms.reduce(0) { $0 + books.use.joules($1, under: books.profile) },
        seconds: terms.reduce(0) { $1.isTime ? $0 + books.use[$1] : $0 })
    }
  }

  /// - Parameters:
  ///   - books: what gives the sum its interval.
  ///   - byDay: whether days stay apart.
  package init(_ booked: [StateDatabase.EnergyRow], _ books: EnergyBooks?, byDay: Bool) {
    self.books = books
    self.byDay = byDay
    guard !byDay else {
      rows = booked
      return
    }
    rows = []
    for row in booked {
      let index = rows.firstIndex {
        $0.component == row.component && $0.subscriber == row.subscriber && $0.rule == row.rule
      }
      if let index {
        rows[index].joules += row.joules
        rows[index].seconds += row.seconds
      } else {
        rows.append(row)
      }
    }
    rows.sort { ($0.component, $0.subscriber, $0.rule) < ($1.component, $1.subscriber, $1.rule) }
  }

  /// Whether nothing was booked.
  package var isEmpty: Bool { rows.isEmpty }

  /// A table with its sum, and what that is worth.
  package var text: String {
    func fixed(_ value: Double) -> String { Wording.figure(value, FixedPoint.thousandths) }
    var cells = rows.map { row in
      (byDay ? [row.day] : []) + [
        row.component, row.subscriber, row.rule, fixed(row.joules), fixed(row.seconds),
      ]
    }
    let sum = rows.reduce(0) { $0 + $1.joules }
    cells.append((byDay ? [""] : []) + ["all", "", "", fixed(sum), ""])
    let header = (byDay ? ["DAY"] : []) + ["COMPONENT", "SUBSCRIBER", "RULE", "JOULES", "SECONDS"]
    let right: Set<Int> = byDay ? [4, 5] : [3, 4]
    let advice = (books?.advice ?? []).compactMap { advice in
      TextRecord(Record.Body.advice(advice)).map { "\($0.what): \($0.detail)\n" }
    }
    return TextTable(header: header, rows: cells, rightAligned: right).text + advice.joined()
      + (books?.text ?? "")
  }

  /// One JSON object a line: a `power` record for each row, an `advice` record for each who could have had as much for
  /// less, and a `summary` with the interval.
  ///
  /// - Parameter time: when it is told.
  package func json(at time: UTCTime?) -> String {
    guard !rows.isEmpty else { return "" }
    var lines = rowLines(at: time)
    guard let books else { return lines.joined() }
    for advice in books.advice ?? [] {
      let line = JSONLine.line { line in
        Self.begin(&line, "advice", number: lines.count + 1, at: time)
        line.member("subscriber", advice.subscriber)
        line.member("rule", advice.rule.rawValue)
        line.member("cheaper", advice.cheaper.rawValue)
        line.member("updates", advice.updates)
        line.member("joules", advice.joules, decimals: FixedPoint.thousandths)
      }
      lines.append(String(decoding: line, as: UTF8.self))
    }
    let band = books.use.band(under: books.profile)
    let summary = JSONLine.line { line in
      Self.begin(&line, "summary", number: lines.count + 1, at: time)
      line.member("energy_j", band.value, decimals: FixedPoint.thousandths)
      line.member("energy_low_j", band.low, decimals: FixedPoint.thousandths)
      line.member("energy_high_j", band.high, decimals: FixedPoint.thousandths)
      line.member("profile", books.profile.name)
      line.member("calibration", books.calibration)
      line.member("receiver_on_s", books.use.receiverOnSeconds, decimals: FixedPoint.thousandths)
    }
    return lines.joined() + String(decoding: summary, as: UTF8.self)
  }

  /// The lines of the rows alone.
  ///
  /// - Parameter time: when it is told.
  package func rowLines(at time: UTCTime?) -> [String] {
    zip(1..., rows).map { number, row in
      let line = JSONLine.line { line in
        Self.begin(&line, "power", number: number, at: time)
        if byDay { line.member("day", row.day) }
        line.member("component", row.component)
        if !row.subscriber.isEmpty { line.member("subscriber", row.subscriber) }
        line.member("joules", row.joules, decimals: FixedPoint.thousandths)
        line.member("seconds", row.seconds, decimals: FixedPoint.thousandths)
        if !row.rule.isEmpty { line.member("rule", row.rule) }
        line.member("profile", books?.profile.name)
      }
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// The members that every record begins with.
  private static func begin(_ line: inout JSONLine, _ type: String, number: Int, at time: UTCTime?) {
    line.member("v", 1)
    line.member("seq", number)
    line.member("type", type)
    line.member("time", time)
  }
}

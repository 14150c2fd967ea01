import LocationCore
import LocationFormats

/// Booked energy, for people and programs.
package struct EnergyAccount {
  private var rows: [StateDatabase.EnergyRow]
  private let byDay: Bool

  /// - Parameter byDay: whether days stay apart.
  package init(_ booked: [StateDatabase.EnergyRow], byDay: Bool) {
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

  /// A table with its sum.
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
    return TextTable(header: header, rows: cells, rightAligned: right).text
  }

  /// One JSON object a line.
  package var json: String {
    var text = ""
    for row in rows {
      let line = JSONLine.line { line in
        line.member("v", 1)
        if byDay { line.member("day", row.day) }
        line.member("component", row.component)
        line.member("subscriber", row.subscriber)
        line.member("joules", row.joules, decimals: FixedPoint.thousandths)
        line.member("seconds", row.seconds, decimals: FixedPoint.thousandths)
        line.member("rule", row.rule)
      }
      text += String(decoding: line, as: UTF8.self)
    }
    return text
  }
}

/// Columns for a terminal.
package struct TextTable {
  private let rows: [[String]]
  private let indent: String
  private let rightAligned: Set<Int>

  /// - Parameters:
  ///   - header: first row; empty for none.
  ///   - rightAligned: columns of numbers, from 0.
  package init(
    header: [String] = [], rows: [[String]], indent: String = "", rightAligned: Set<Int> = []
  ) {
    self.rows = ((header.isEmpty ? [] : [header]) + rows).map { $0.map(Self.cell) }
    self.indent = indent
    self.rightAligned = rightAligned
  }

  /// The lines; a column that is empty in all rows but the first is left out.
  package var text: String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
    }
    let shown = (0..<columns).filter { column in
      rows.count < 2 || rows.dropFirst().contains { $0.count > column && !$0[column].isEmpty }
    }
    var text = ""
    for row in rows {
      var line = indent
      for column in shown where column < row.count {
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        let cell = rightAligned.contains(column) ? space + row[column] : row[column] + space
        line += (column == shown.first ? "" : "  ") + cell
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }

  /// The lines; where they would be wider than `width`, each row is a block instead, a line for each cell that is not
  /// empty, with the title of its column before it.
  ///
  /// - Parameter width: characters; nil for any.
  package func text(fitting width: Int?) -> String {
    let table = text
    guard let width, rows.count > 1, table.split(separator: "\n").contains(where: { $0.count > width }) else {
      return table
    }
    let titles = rows[0].map { $0.lowercased() }
    return rows.dropFirst().map { row in
      let facts = zip(titles, row).dropFirst().filter { !$0.1.isEmpty }.map { [$0.0, $0.1] }
      return indent + (row.first ?? "") + "\n" + TextTable(rows: facts, indent: indent + "  ").text
    }.joined()
  }

  /// What an owner wrote, without the characters with which a terminal does something else than to show them: controls,
  /// what ends a line, and what turns the direction of the text around it.
  package static func cell(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0.value) ? "?" : $0 }))
  }

  private static func isControl(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
    case _: false
    }
  }
}

import LocationFormats

/// A meter's log as a table: lines of values under a line of names, and remarks `# name=value`.
struct MeterTable {
  /// Where it is from, for errors.
  let file: String
  /// The names of the columns.
  let columns: [String]
  /// The values by row, and the line of each; a value that is not there is nil.
  private(set) var rows: [(line: Int, values: [Double?])] = []
  /// What the remarks state, by name.
  private(set) var remarks: [String: String] = [:]

  /// Reads a table whose columns are all known.
  /// - Throws: ``Failure`` of code 65 with file, line and what is wrong.
  init(_ text: String, file: String, known: [String]) throws(Failure) {
    self.file = file
    var names: [String]?
    var line = 0
    for row in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      line += 1
      let row = Self.trimmed(row)
      if row.isEmpty { continue }
      if row.hasPrefix("#") {
        Self.remark(row.dropFirst(), into: &remarks)
      } else if let names {
        rows.append((line, try Self.values(row, count: names.count, file: file, line: line)))
      } else {
        names = try Self.names(row, file: file, line: line, known: known)
      }
    }
    guard let names else {
      throw Failure(
        .data, file: file, what: "no line with the names of the columns",
        remedy: "write the names above the values, as `seconds,power_w`")
    }
    columns = names
    try Self.refuseOtherClocks(remarks, file: file)
  }

  /// The values of a column, nil where the table does not have it.
  func column(_ name: String) -> Int? { columns.firstIndex(of: name) }

  /// A remark that is a number; nil where there is none.
  /// - Throws: where it is there and is none.
  func number(_ remark: String) throws(Failure) -> Double? {
    guard let text = remarks[remark] else { return nil }
    guard let value = Double(text), value.isFinite, value > 0 else {
      throw Failure(
        .data, file: file, what: "# \(remark)=\(text) is not a number above 0",
        remedy: "write a number, or take the remark out")
    }
    return value
  }

  /// The index of the column with the time; there must be one, and it must rise.
  func timeColumn() throws(Failure) -> Int {
    guard let time = column("seconds") else {
      throw Failure(
        .data, file: file, line: 1, what: "no column `seconds`",
        remedy: "write the first number of /proc/uptime before each reading")
    }
    var last = -Double.infinity
    for (line, values) in rows {
      guard let seconds = values[time] else {
        throw Failure(
          .data, file: file, line: line, what: "a reading without its time",
          remedy: "write the first number of /proc/uptime before the reading, or take the line out")
      }
      guard seconds > last else {
        throw Failure(
          .data, file: file, line: line, what: "the time does not rise",
          remedy: "a log ends with the boot it began in: cut it there")
      }
      last = seconds
    }
    return time
  }

  private static func names(
    _ row: Substring, file: String, line: Int, known: [String]
  ) throws(Failure) -> [String] {
    var names: [String] = []
    for cell in row.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(trimmed(cell))
      guard known.contains(name) else {
        throw Failure(
          .data, file: file, line: line, what: "unknown column \"\(name)\"",
          remedy: StrictYAML.suggestion(for: name, among: known, of: "columns"))
      }
      guard !names.contains(name) else {
        throw Failure(
          .data, file: file, line: line, what: "column \"\(name)\" is there twice",
          remedy: "take one of them out")
      }
      names.append(name)
    }
    return names
  }

  private static func values(
    _ row: Substring, count: Int, file: String, line: Int
  ) throws(Failure) -> [Double?] {
    let cells = row.split(separator: ",", omittingEmptySubsequences: false).map(trimmed)
    guard cells.count == count else {
      throw Failure(
        .data, file: file, line: line, what: "\(cells.count) values under \(count) names",
        remedy: LineTrack.lineRemedy)
    }
    var values: [Double?] = []
    for cell in cells {
      if cell.isEmpty {
        values.append(nil)
      } else if let value = Double(String(cell)), value.isFinite {
        values.append(value)
      } else {
        throw Failure(
          .data, file: file, line: line, what: "\"\(cell)\" is not a number",
          remedy: LineTrack.lineRemedy)
      }
    }
    return values
  }

  private static func remark(_ text: Substring, into remarks: inout [String: String]) {
    guard let equals = text.firstIndex(of: "=") else { return }
    remarks[String(trimmed(text[..<equals]))] = String(trimmed(text[text.index(after: equals)...]))
  }

  /// A clock that stops in suspension makes a night's sleep cost nothing.
  private static func refuseOtherClocks(_ remarks: [String: String], file: String) throws(Failure) {
    guard let clock = remarks["clock"], clock != "boottime" else { return }
    throw Failure(
      .data, file: file, what: "its times are of the clock \"\(clock)\"",
      remedy: "take them from /proc/uptime, which goes on in suspension")
  }

  static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}

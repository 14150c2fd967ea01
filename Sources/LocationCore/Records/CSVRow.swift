/// A record as a row of comma-separated values, one column set for all types.
package struct CSVRow: RecordVisitor {
  /// The first line.
  package static let header =
    "seq,id,type,time,track," + CSVColumn.allCases.map(\.rawValue).joined(separator: ",") + "\n"

  private var cells = [String](repeating: "", count: CSVColumn.allCases.count)

  /// The row after its number.
  package static func encode(_ record: Record, track: String?) -> [UInt8] {
    var row = CSVRow()
    record.body.describe(to: &row)
    let cells = ["\(record.id)", record.type, record.time.rfc3339, track ?? ""] + row.cells
    return Array(("," + cells.map(quoted).joined(separator: ",")).utf8)
  }

  /// A second value of a column follows the first after a colon.
  private mutating func set(_ column: CSVColumn, _ value: String) {
    let cell = cells[column.index]
    cells[column.index] = cell.isEmpty ? value : "\(cell): \(value)"
  }

  package mutating func text(
    _ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?
  ) {
    if let value, let column = column ?? CSVColumn(rawValue: key.description) { set(column, value) }
  }

  package mutating func count(_ key: StaticString, _ value: Int?, _ meaning: StaticString) {
    if let value, let column = CSVColumn(rawValue: key.description) { set(column, "\(value)") }
  }

  package mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString, column: CSVColumn?
  ) {
    if let value, let column = column ?? CSVColumn(rawValue: key.description) {
      set(column, Wording.number(value, unit.decimals))
    }
  }

  package mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString) {
    if latitude.isFinite { set(.latitude, Wording.number(latitude, FixedPoint.degrees)) }
    if longitude.isFinite { set(.longitude, Wording.number(longitude, FixedPoint.degrees)) }
  }

  package mutating func accuracy(_ accuracy: Accuracy, _ meaning: StaticString) {
    set(.accuracy, Wording.number(accuracy.radiusMeters, FixedPoint.meters))
  }

  package mutating func unlistedPlace(_ coordinate: Coordinate, _ accuracy: Accuracy) {
    position(coordinate, "")
    self.accuracy(accuracy, "")
  }

  /// RFC 4180: quoted where it holds a comma, a quote or a line end.
  private static func quoted(_ field: String) -> String {
    // Fast path: most fields are plain ASCII and need no check character by character.
    if field.utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }) {
      return field
    }
    guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
    var text = "\""
    for character in field { text += character == "\"" ? "\"\"" : String(character) }
    return text + "\""
  }
}

/// The fields of one record by their keys: of a record that has just been made, or of a line that was kept.
package struct RecordFields: RecordVisitor {
  /// The value of a field.
  package enum Value: Sendable {
    case text(String)
    case number(Double)
    case time(UTCTime)
  }

  /// The record's type.
  package let type: String
  /// Where; nil where the record has no place.
  private(set) var coordinate: (latitude: Double, longitude: Double)?
  /// How well the place is known.
  private(set) var accuracy: Accuracy?
  private var values: [(key: String, value: Value)] = []
  /// The record's own time; nil where it is not known.
  package var recordTime: UTCTime?
  /// The units of its text.
  package var units = MeasureUnits.metric
  /// Whether its text tells what a notification says, which is for the user alone.
  package var tellsNotifications = false

  /// A record without fields yet.
  package init(type: String) { self.type = type }

  /// The fields of a record.
  init<Family: RecordFamily>(of family: Family) {
    type = family.type
    values.reserveCapacity(8)
    family.describe(to: &self)
  }

  // MARK: Reading

  subscript(key: String) -> Value? { values.first { $0.key == key }?.value }

  /// A word or a code; `?` where there is none.
  func text(_ key: String) -> String { if case .text(let text) = self[key] { text } else { "?" } }

  /// A code as its enumeration has it; nil where there is none, or one that this version does not know.
  func code<Code: RawRepresentable<String>>(_ key: String, _: Code.Type = Code.self) -> Code? {
    if case .text(let text) = self[key] { Code(rawValue: text) } else { nil }
  }

  /// A number; nil where there is none.
  func number(_ key: String) -> Double? { if case .number(let number) = self[key] { number } else { nil } }

  /// A time; nil where there is none.
  func time(_ key: String) -> UTCTime? {
    switch self[key] {
    case .time(let time): time
    case .text(let text): UTCTime(rfc3339: text)
    case .number, nil: nil
    }
  }

  /// The time of day of a moment, with the date where that is not the record's own.
  func clock(_ moment: UTCTime) -> String {
    let day = moment.rfc3339.prefix(10)
    let isSameDay = recordTime.map { $0.rfc3339.hasPrefix(day) } ?? true
    return "\(isSameDay ? "" : day + " ")\(Wording.clock(moment))"
  }

  /// The place in words, without its error; nil where there is none.
  var point: String? {
    coordinate.map { "\(Wording.number($0.latitude, 5)), \(Wording.number($0.longitude, 5))" }
  }

  /// The place in words, with its error; nil where either is missing.
  var place: String? {
    guard let point, let accuracy else { return nil }
    return "\(point) \(Wording.accuracy(accuracy, in: units))"
  }

  // MARK: Writing

  /// Adds a field as a kept line has it.
  package mutating func add(_ key: String, _ value: Value) { values.append((key, value)) }

  package mutating func text(
    _ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?
  ) {
    if let value { add(key.description, .text(value)) }
  }

  package mutating func count(_ key: StaticString, _ value: Int?, _ meaning: StaticString) {
    if let value { add(key.description, .number(Double(value))) }
  }

  package mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString, column: CSVColumn?
  ) {
    if let value { add(key.description, .number(value)) }
  }

  package mutating func time(_ key: StaticString, _ value: UTCTime?, _ meaning: StaticString) {
    if let value { add(key.description, .time(value)) }
  }

  package mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString) {
    if latitude.isFinite, longitude.isFinite { coordinate = (latitude, longitude) }
  }

  package mutating func accuracy(_ accuracy: Accuracy, _ meaning: StaticString) { self.accuracy = accuracy }
}

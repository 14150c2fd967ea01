/// Receives the fields of a record, one call for each, in the order in which they are printed.
///
/// Every format of records is a visitor: NDJSON, CSV, GeoJSON, the text for people, and the tables of `Docs/Wire.md`.
/// A family calls the visitor with everything that the formats need: the key, the value, the unit, and the meaning in
/// words. A visitor implements the calls that it needs.
package protocol RecordVisitor {
  /// Visits a whole record. The default visits its fields.
  mutating func visit<Family: RecordFamily>(_ family: Family)
  /// A word or a code; nil where it is not known.
  ///
  /// - Parameter column: the column of CSV; nil for the one that has the key's name, if any.
  mutating func text(_ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?)
  /// A count or a number of order; nil where it is not known.
  mutating func count(_ key: StaticString, _ value: Int?, _ meaning: StaticString)
  /// A measurement; nil where it is not known.
  ///
  /// - Parameter column: the column of CSV; nil for the one that has the key's name, if any.
  mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString, column: CSVColumn?)
  /// A time; nil where it is not known.
  mutating func time(_ key: StaticString, _ value: UTCTime?, _ meaning: StaticString)
  /// The place of the record, keys `lat` and `lon`, in degrees; not finite where it is not known.
  mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString)
  /// How well the place is known, key `acc_m`.
  mutating func accuracy(_ accuracy: Accuracy, _ meaning: StaticString)
  /// A place that CSV and GeoJSON have and NDJSON leaves out.
  mutating func unlistedPlace(_ coordinate: Coordinate, _ accuracy: Accuracy)
  /// An object of one verdict for each region; no member where there is none.
  mutating func verdicts(_ key: StaticString, _ verdicts: [RegionVerdict], _ meaning: StaticString)
  /// Whether something is so; nil where it was not looked at.
  mutating func flag(_ key: StaticString, _ value: Bool?, _ meaning: StaticString)
  /// An object of what a decision depended on; no member where nothing was looked at.
  mutating func inputs(_ key: StaticString, _ inputs: Decision.Inputs?, _ meaning: StaticString)
}

/// A call that a visitor does not implement does nothing.
extension RecordVisitor {
  package mutating func visit<Family: RecordFamily>(_ family: Family) { family.describe(to: &self) }

  package mutating func text(
    _ key: StaticString, _ value: String?, _ meaning: StaticString, column: CSVColumn?
  ) {}

  package mutating func count(_ key: StaticString, _ value: Int?, _ meaning: StaticString) {}

  package mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString, column: CSVColumn?
  ) {}

  package mutating func time(_ key: StaticString, _ value: UTCTime?, _ meaning: StaticString) {}

  package mutating func position(latitude: Double, longitude: Double, _ meaning: StaticString) {}

  package mutating func accuracy(_ accuracy: Accuracy, _ meaning: StaticString) {}

  package mutating func unlistedPlace(_ coordinate: Coordinate, _ accuracy: Accuracy) {}

  package mutating func verdicts(
    _ key: StaticString, _ verdicts: [RegionVerdict], _ meaning: StaticString
  ) {}

  package mutating func flag(_ key: StaticString, _ value: Bool?, _ meaning: StaticString) {}

  package mutating func inputs(
    _ key: StaticString, _ inputs: Decision.Inputs?, _ meaning: StaticString
  ) {}

  /// A word or a code, in the column of CSV that has the key's name.
  mutating func text(_ key: StaticString, _ value: String?, _ meaning: StaticString) {
    text(key, value, meaning, column: nil)
  }

  /// A measurement, in the column of CSV that has the key's name.
  mutating func number(
    _ key: StaticString, _ value: Double?, _ unit: RecordUnit, _ meaning: StaticString
  ) {
    number(key, value, unit, meaning, column: nil)
  }

  /// The place of the record.
  mutating func position(_ coordinate: Coordinate, _ meaning: StaticString) {
    position(latitude: coordinate.latitude, longitude: coordinate.longitude, meaning)
  }
}

/// The unit of a measurement, and with it the decimals that are printed.
package enum RecordUnit: Sendable {
  /// Degrees of latitude or longitude.
  case degrees
  /// Degrees from true north.
  case course
  case meters
  case metersPerSecond
  case seconds
  case joules
  case probability
  /// A factor.
  case ratio

  /// Decimals that are printed.
  package var decimals: Int {
    switch self {
    case .degrees: FixedPoint.degrees
    case .course, .meters, .metersPerSecond: FixedPoint.meters
    case .seconds, .joules, .probability, .ratio: FixedPoint.thousandths
    }
  }
}

/// The columns of CSV that not every type of record has, in their order; the raw values are their names.
package enum CSVColumn: String, Sendable, CaseIterable {
  case latitude = "lat"
  case longitude = "lon"
  case accuracy = "acc_m"
  case region, subscriber, action, rule
  case stateBefore = "state_before"
  case stateAfter = "state_after"
  case event, reason

  /// Its place in a row.
  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A family of records: the type that the engine makes, with everything that output and documents need to know of it.
///
/// A further family is a file in this folder, a case of ``Record/Body``, an entry of ``Record/families``, and a section
/// of `Docs/Wire.md`.
package protocol RecordFamily: Sendable {
  /// Every value that ``type`` can have.
  static var types: [String] { get }
  /// The `type` key of this record.
  var type: String { get }
  /// Calls the visitor with each field.
  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor)
  /// The record in English, made of the fields that ``describe(to:)`` gives; nil for a record that people get from the
  /// summary.
  static func text(_ fields: RecordFields) -> TextRecord?
  /// Records that together have every type and every field; `Docs/Wire.md` and its tests are made of them.
  static var samples: [Record.Body] { get }
}

/// A family of records that all have one type.
package protocol SingleTypeRecord: RecordFamily {
  /// The `type` key of each.
  static var name: String { get }
}

extension SingleTypeRecord {
  package static var types: [String] { [name] }
  package var type: String { Self.name }
}

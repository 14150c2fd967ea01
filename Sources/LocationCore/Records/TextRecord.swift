/// A record in words: what happened, and the detail behind it.
package struct TextRecord: Hashable, Sendable {
  /// What happened, or to whom.
  package var what: String
  /// The detail.
  package var detail: String
  /// Whether it is about a subscriber, and so stands under the event that caused it.
  package var isConsequence: Bool

  package init(_ what: String, _ detail: String, isConsequence: Bool = false) {
    self.what = what
    self.detail = detail
    self.isConsequence = isConsequence
  }

  /// Nil for records that people get from the summary.
  package init?(_ record: Record, in units: MeasureUnits = .metric, tellsNotifications: Bool = false) {
    self.init(record.body, at: record.time, in: units, tellsNotifications: tellsNotifications)
  }

  /// Nil for records that people get from the summary.
  ///
  /// - Parameter time: when it was made; nil where that is not known.
  package init?(
    _ body: Record.Body, at time: UTCTime? = nil, in units: MeasureUnits = .metric,
    tellsNotifications: Bool = false
  ) {
    var writer = TextWriter(time: time, units: units, tellsNotifications: tellsNotifications)
    body.describe(to: &writer)
    guard let text = writer.text else { return nil }
    self = text
  }

  /// A record of the fields of its line; nil for a record that people get from the summary.
  ///
  /// - Parameter other: the detail of a record of a type that this version does not know.
  package init?(_ fields: RecordFields, other: @autoclosure () -> String) {
    guard let family = Record.families.first(where: { $0.types.contains(fields.type) }) else {
      self.init(fields.type, other())
      return
    }
    guard let text = family.text(fields) else { return nil }
    self = text
  }
}

/// Puts a record in words.
private struct TextWriter: RecordVisitor {
  let time: UTCTime?
  let units: MeasureUnits
  let tellsNotifications: Bool
  var text: TextRecord?

  mutating func visit<Family: RecordFamily>(_ family: Family) {
    var fields = RecordFields(of: family)
    fields.recordTime = time
    fields.units = units
    fields.tellsNotifications = tellsNotifications
    text = Family.text(fields)
  }
}

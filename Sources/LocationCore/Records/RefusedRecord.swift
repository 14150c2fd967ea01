/// Something the engine was asked to take and could not: the family of ``Record/Body/refused(what:reason:)``.
struct RefusedRecord: SingleTypeRecord {
  var what: String
  var reason: String

  static let name = "refused"

  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("what", what, "what", column: .reason)
    visitor.text("reason", reason, "in words")
  }

  static func text(_ fields: RecordFields) -> TextRecord? {
    TextRecord("refused", "\(fields.text("what")): \(fields.text("reason"))")
  }

  static var samples: [Record.Body] { [.refused(what: "a", reason: "b")] }
}

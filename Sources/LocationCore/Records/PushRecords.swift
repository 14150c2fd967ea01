/// A push has come (rule H1). What it says is for the user and the program alone, so the record does not have it.
public struct PushRecord: Hashable, Sendable, Codable {
  /// Whom it is for.
  public var subscriber: String
  /// What its sender calls it; nil where it has no name.
  public var push: String?
  /// Whether it has something for the user.
  public var hasAlert: Bool
  /// Whether its program is handed it, woken or relaunched where that takes it.
  public var isForProgram: Bool
}

extension PushRecord: SingleTypeRecord {
  package static let name = "push"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whom it is for")
    visitor.text("push", push, "what its sender calls it; absent if it has no name")
    visitor.flag("alert", hasAlert, "whether it has something for the user")
    visitor.flag("silent", !hasAlert, "whether it has not")
    visitor.flag("content", isForProgram, "whether it wakes or relaunches its program")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let name = fields["push"] == nil ? "" : " \(fields.text("push"))"
    return TextRecord(fields.text("subscriber"), "push\(name)")
  }

  package static var samples: [Record.Body] {
    [.push(PushRecord(subscriber: "a", push: "mail-17", hasAlert: true, isForProgram: true))]
  }
}

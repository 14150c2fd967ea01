/// How a process of a subscriber ended that nobody had ordered to end.
public struct ProgramEnd: Hashable, Sendable, Codable {
  /// The event it was started for; nil for a process of many events.
  public var event: Int?
  /// Its exit status, or 128 plus the number of the signal that ended it; 126 or 127 where it could not be started.
  public var status: Int32
  /// Seconds that it ran.
  public var seconds: Double
  /// The last line that it wrote to standard error; nil where it wrote none.
  public var lastLine: String?
  /// Whether the next process follows at once: that of a oneshot which has more to do. Nil is no, as in what earlier
  /// versions wrote.
  public var isFollowed: Bool?

  public init(event: Int?, status: Int32, seconds: Double, lastLine: String?) {
    self.event = event
    self.status = status
    self.seconds = seconds
    self.lastLine = lastLine
  }
}

/// The record of such an end.
struct ProgramRecord: SingleTypeRecord {
  var subscriber: String
  var end: ProgramEnd

  static let name = "program.end"

  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whose process it was")
    visitor.count("event", end.event, "the event it was started for; absent if it handles many")
    visitor.count(
      "status", Int(end.status),
      "its exit status, or 128 plus the number of the signal that ended it; 126 or 127 if it could not be started"
    )
    visitor.number("seconds", end.seconds, .seconds, "how long it ran")
    visitor.text("stderr", end.lastLine, "the last line that it wrote to standard error; absent if none")
  }

  static func text(_ fields: RecordFields) -> TextRecord? {
    let status = Int(fields.number("status") ?? 0)
    let seconds = fields.number("seconds").map { " after \(Wording.duration($0))" } ?? ""
    var detail = "ended with status \(status)\(seconds)"
    if case .text(let line) = fields["stderr"] { detail += ": \(line)" }
    return TextRecord(fields.text("subscriber"), detail, isConsequence: true)
  }

  static var samples: [Record.Body] {
    [.program(subscriber: "a", ProgramEnd(event: 1, status: 3, seconds: 1, lastLine: "no such host"))]
  }
}

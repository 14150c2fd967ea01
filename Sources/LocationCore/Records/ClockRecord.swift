/// The clock of the source was moved: the family of ``Record/Body/clock(seconds:)``.
struct ClockRecord: SingleTypeRecord {
  /// Positive ahead.
  var seconds: Double

  static let name = "clock"

  /// Why a clock moves.
  enum Reason: String, CaseIterable {
    /// By so many weeks as a receiver's week number holds.
    case weekRollover = "week_rollover"
    /// By any other time.
    case corrected
  }

  var reason: Reason { WeekRollover.whole(in: seconds) != 0 ? .weekRollover : .corrected }

  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.number("seconds", seconds, .seconds, "by which the source's clock moved; negative back")
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-clock-record)")
  }

  static func text(_ fields: RecordFields) -> TextRecord? {
    let seconds = fields.number("seconds") ?? 0
    var detail =
      "the source's clock moved \(seconds < 0 ? "back" : "ahead") by \(Wording.duration(abs(seconds)))"
    if fields.code("reason") == Reason.weekRollover { detail += " (a rollover of its week number)" }
    return TextRecord("clock", detail)
  }

  static var samples: [Record.Body] { [.clock(seconds: -86_400), .clock(seconds: WeekRollover.seconds)] }
}

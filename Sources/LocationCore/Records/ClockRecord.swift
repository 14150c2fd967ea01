/// The clock of the source was moved: the family of ``Record/Body/clock(seconds:)``.
struct ClockRecord: SingleTypeRecord {
  /// Positive ahead.
  var seconds: Double

  /// The name in the `type` key.
  static let name = "clock"

  /// Why a clock moves.
  enum Reason: String, CaseIterable {
    /// By so many weeks as a receiver's week number holds.
    case weekRollover = "week_rollover"
    /// By any other time.
    case corrected
  }

  var reason: Reason { Self.rollovers(in: seconds) != 0 ? .weekRollover : .corrected }

  /// The whole rollovers of a week number that a difference of two clocks consists of, in seconds; 0 where it is
  /// another difference.
  static func rollovers(in seconds: Double) -> Double {
    let whole = (seconds / rolloverSeconds).rounded() * rolloverSeconds
    return abs(seconds - whole) <= rolloverToleranceSeconds ? whole : 0
  }

  /// 1024 weeks: GPS transmits ten bits of the week number.
  static let rolloverSeconds = 1024.0 * 7 * 86_400
  /// Seconds by which a step of so many weeks may differ from them: a day, because silence may come on top.
  private static let rolloverToleranceSeconds = 86_400.0

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

  static var samples: [Record.Body] { [.clock(seconds: -86_400), .clock(seconds: rolloverSeconds)] }
}

import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Lines of records on a terminal.
@Suite struct TextStyleTests {
  private func line(_ style: TextStyle, _ record: TextRecord) -> String {
    var encoder = RecordEncoder(format: .text, track: nil)
    encoder.style = style
    let bytes = encoder.text(record, at: "2026-05-04T06:45:42.000Z", suffix: "  [7]")
    return String(decoding: bytes, as: UTF8.self)
  }

  private let entered = TextRecord("entered", "work, 37 m inside the edge, certain")

  @Test func `what others said moves no cursor and forges no line`() {
    let hostile = TextRecord("ended", "by itself: \u{1B}[2J\u{9B}31m\nlocwatch: all is well\r")
    #expect(
      line(TextStyle(), hostile)
        == "2026-05-04 (UTC)\n  06:45:42  ended       by itself: ?[2J?31m?locwatch: all is well?  [7]")
  }

  @Test func `a line that is too long goes on under its last column`() {
    let indent = String(repeating: " ", count: 24)
    #expect(
      line(TextStyle(columns: 50), entered)
        == "2026-05-04 (UTC)\n  06:45:42  entered     work, 37 m inside the\n\(indent)edge, certain  [7]")
    #expect(
      line(TextStyle(), entered)
        == "2026-05-04 (UTC)\n  06:45:42  entered     work, 37 m inside the edge, certain  [7]")
  }

  private func decision(_ action: Decision.Action, of event: Int? = nil) -> Record.Body {
    .decision(
      Decision(
        subscriber: "nav", action: action, rule: .standard, before: .suspended, after: .background,
        event: event, reason: .suspended))
  }

  @Test func `a wake for a standard update and its end are both left out, or neither`() {
    let opened = Record.Body.subscriberState(
      StateMove(subscriber: "nav", before: .background, after: .active, cause: .user))
    let steps: [(body: Record.Body, isShown: Bool)] = [
      (.location(LocationUpdate(.sample, .update)), false), (decision(.wake, of: 1), false),
      (decision(.suspend), false),
      // Nothing was left out before this one.
      (decision(.suspend), true),
      // Opened by the user, who then leaves it.
      (.location(LocationUpdate(.sample, .update)), false), (decision(.wake, of: 5), false), (opened, true),
      (decision(.suspend), true),
    ]
    var encoder = RecordEncoder(format: .text, track: nil)
    for (index, step) in steps.enumerated() {
      let time = UTCTime(microseconds: Int64(index) * 10_000_000)
      let isShown = encoder.encode(Record(id: index + 1, time: time, body: step.body)) != nil
      #expect(isShown == step.isShown, "\(index)")
    }
  }

  @Test func `a colour changes nothing of what is read`() {
    let plain = line(TextStyle(columns: 50), entered)
    let colored = line(TextStyle(columns: 50, isColored: true), entered)
    #expect(colored.contains("\u{1B}[32mentered\u{1B}[0m"))
    let bare = colored.split(separator: "\u{1B}[32m").joined().split(separator: "\u{1B}[0m").joined()
    #expect(bare == plain)
    // What nobody has to see at once has none.
    #expect(!line(TextStyle(isColored: true), TextRecord("outside", "home")).contains("\u{1B}"))
  }
}

/// What can happen to the source of live fixes.
public enum SourceEvent: Hashable, Sendable, Codable {
  /// It is there and speaks; the name is for people.
  case found(name: String)
  /// What is known of the position grows old: so many seconds have passed since the last fix, or since the
  /// search for one began.
  case stale(Staleness, seconds: Double)
  /// The fixes that follow come from another receiver and do not continue what came before.
  case switched(to: String)
  /// Reports over so many seconds came faster than they were taken; all but the newest were left out.
  case dropped(reports: Int, seconds: Double)

  /// Why there are no fixes; in words: ``phrase``. The raw values are stable: they stand in records and docs.
  public enum Staleness: String, Hashable, Sendable, Codable, CaseIterable {
    case silent
    case noFix = "no_fix"
    case noDevice = "no_device"
    case lost
  }
}

/// There were no fixes for a while: the family of ``Record/Body/gap(seconds:_:)``.
struct GapRecord: SingleTypeRecord {
  var seconds: Double
  var reason: Record.Gap

  static let name = "gap"

  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.number("seconds", seconds, .seconds, Self.secondsMeaning)
    visitor.text("reason", reason.rawValue, Self.reasonMeaning)
  }

  fileprivate static let secondsMeaning: StaticString =
    "from the previous fix to this one; for `dropped`, the time that the dropped reports span"
  fileprivate static let reasonMeaning: StaticString =
    "see [below](#reasons-of-a-gap); live also `dropped`: reports came faster than the engine could handle them"

  static func text(_ fields: RecordFields) -> TextRecord? {
    // A reduced record does not have the duration.
    var detail = fields.number("seconds").map { "for \(Wording.duration($0))" } ?? "for a while"
    if let reports = fields.number("fixes") {
      detail += ": \(Wording.count(Int(reports), "report")) left out to catch up"
    } else if fields.code("reason") == Record.Gap.segment {
      detail += " (a new segment begins)"
    }
    return TextRecord("no fixes", detail)
  }

  static var samples: [Record.Body] { [.gap(seconds: 1, .silence)] }
}

extension SourceEvent: RecordFamily {
  package static let types = ["source", "stale", "gap"]

  package var type: String {
    switch self {
    case .found, .switched: "source"
    case .stale: "stale"
    case .dropped: "gap"
    }
  }

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    switch self {
    case .found(let name): describe("found", name, to: &visitor)
    case .switched(let name): describe("switched", name, to: &visitor)
    case .stale(let reason, let seconds):
      visitor.number(
        "seconds", seconds, .seconds, "since the last fix, or since the search for one began")
      visitor.text("reason", reason.rawValue, "see [below](#why-there-are-no-live-fixes)")
    case .dropped(let reports, let seconds):
      visitor.number("seconds", seconds, .seconds, GapRecord.secondsMeaning)
      visitor.text("reason", "dropped", GapRecord.reasonMeaning)
      visitor.count("fixes", reports, "for `dropped`: the number of dropped reports")
    }
  }

  private func describe<Visitor: RecordVisitor>(
    _ state: String, _ name: String, to visitor: inout Visitor
  ) {
    visitor.text("state", state, "`found`, `switched`")
    visitor.text("name", name, "the receiver, for people", column: .reason)
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    switch fields.type {
    case "source":
      let name = fields.text("name")
      return TextRecord(
        "source", fields.text("state") == "switched" ? "fixes come from \(name) now" : "\(name) is there")
    case "stale":
      let reason = fields.code("reason", Staleness.self)?.phrase ?? fields.text("reason")
      return TextRecord(
        "stale", "no fix for \(Wording.duration(fields.number("seconds") ?? 0)): \(reason)")
    default: return GapRecord.text(fields)
    }
  }

  package static var samples: [Record.Body] {
    [
      .source(.found(name: "a")), .source(.switched(to: "a")), .source(.stale(.lost, seconds: 1)),
      .source(.dropped(reports: 1, seconds: 1)),
    ]
  }
}

extension SourceEvent.Staleness {
  /// In words, after what has happened.
  package var phrase: String {
    switch self {
    case .silent: "fixes stopped a moment ago"
    case .noFix: "the receiver has none"
    case .noDevice: "gpsd has no receiver"
    case .lost: "the source is not there"
    }
  }
}

/// The engine calls a program for a background mode: what it is handed when its keep-alive is due, a kept socket has
/// something to read, a good moment to fetch has come, and so on.
///
/// It is the event of the decisions that follow: kept, handed over again and acknowledged by its id (rule K5).
public struct ModeCall: Hashable, Sendable, Codable {
  /// What it is called for; stable, as it stands in what a program is told.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Rule E2.
    case keepAlive = "keep_alive"
    /// Rule E4.
    case traffic
    /// Rule E5: the machine has booted.
    case boot
    /// Rule E5: it ended and failed.
    case restart
    /// Rule F5.
    case audio
    /// Rule G1.
    case fetch
    /// Rule I5.
    case issue
  }

  /// Whom it calls.
  public var subscriber: String
  /// What for.
  public var kind: Kind
  /// Why now.
  public var reason: Decision.Reason
  /// The tag of the socket (rule E4); nil for the other kinds.
  public var tag: String?
  /// Datagrams that the kernel had no room for since the socket was passed; nil where none were lost (rule E4).
  public var lost: Int?
  /// What the user commands (rule F5); nil for the other kinds.
  public var command: String?
  /// The issue that is there to be fetched (rule I5); nil for the other kinds.
  public var issue: String?
  /// Seconds by which a machine that could not wake itself was late; nil where it was not (rule E2).
  public var lateSeconds: Double?
}

extension ModeCall: SingleTypeRecord {
  package static let name = "call"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whom it calls")
    visitor.text("kind", kind.rawValue, "what for: see [below](#kinds-of-a-call)")
    visitor.text("reason", reason.rawValue, "why now: see [below](#reasons-of-a-decision)")
    visitor.text("tag", tag, "the socket's tag; only for `traffic`")
    visitor.count(
      "lost", lost, "datagrams lost for want of room since the socket was tagged; only for `traffic`")
    visitor.text("command", command, "what the user commands; only for `audio`")
    visitor.text("issue", issue, "the issue's name, for the session of its transfers; only for `issue`")
    visitor.number("late_s", lateSeconds, .seconds, "by which it is late; absent if it is not")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let kind = fields.code("kind", Kind.self)?.phrase ?? fields.text("kind")
    return TextRecord(fields.text("subscriber"), "called: \(kind)")
  }

  package static var samples: [Record.Body] {
    Kind.allCases.map { kind in
      var call = ModeCall(subscriber: "a", kind: kind, reason: .goodMoment)
      if kind == .traffic {
        call.tag = "sip"
        call.lost = 1
      }
      if kind == .audio { call.command = "pause" }
      if kind == .issue { call.issue = "issue-1" }
      if kind == .keepAlive { call.lateSeconds = 1 }
      return .call(call)
    }
  }
}

extension ModeCall.Kind {
  /// In words.
  package var phrase: String {
    switch self {
    case .keepAlive: "its keep-alive"
    case .traffic: "traffic on a kept socket"
    case .boot: "the machine has booted"
    case .restart: "it ended and failed"
    case .audio: "remote control of its audio"
    case .fetch: "a good moment to fetch"
    case .issue: "an issue is there to be fetched"
    }
  }
}

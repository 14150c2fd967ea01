/// What the receiver is to do. An order is given once, when it changes.
public enum ReceiverOrder: Hashable, Sendable, Codable {
  /// What decides when the next fix is asked for. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// A region may be entered by then.
    case enter
    /// The region may be left by then.
    case exit
    /// The last fix was near an edge, or beyond it without being sure.
    case doubt
    /// A region's dwell time or exit delay is over then.
    case dwell
    /// The position may have moved significantly by then.
    case moved
    /// The machine rests; a look whether it still does.
    case rest
    /// In low-power mode the machine is looked at no more often than one that rests.
    case lowPower = "low_power"
    /// Nothing else asks for one before.
    case longest
    /// There was no fix: a pause before the next search.
    case noSky = "no_sky"
    /// Nobody needs to know the position.
    case unneeded
    /// Somebody needs each fix.
    case needed
    /// The clock says so.
    case period
  }

  /// Give fixes.
  case on(Reason)
  /// Rest for so many seconds; nil until something happens that asks for a fix.
  case off(seconds: Double?, Reason)

  /// Whether the receiver is to be on.
  public var isOn: Bool {
    switch self {
    case .on: true
    case .off: false
    }
  }

  /// How long it may rest, seconds; nil where it is on, or where nobody knows.
  public var pauseSeconds: Double? {
    switch self {
    case .on: nil
    case .off(let seconds, _): seconds
    }
  }

  /// What decided.
  public var reason: Reason {
    switch self {
    case .on(let reason), .off(_, let reason): reason
    }
  }
}

extension ReceiverOrder: SingleTypeRecord {
  package static let name = "receiver"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("state", isOn ? "on" : "off", "`on` or `off`")
    visitor.number(
      "seconds", pauseSeconds, .seconds,
      "off: for how long; absent if that depends on what happens")
    visitor.text(
      "reason", reason.rawValue,
      "what decides when the next fix is asked for, see [below](#reasons-of-the-receiver)")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let pause = fields.number("seconds").map { " for \(Wording.duration($0))" } ?? ""
    return TextRecord("receiver", "\(fields.text("state"))\(pause) (\(fields.text("reason")))")
  }

  package static var samples: [Record.Body] { [.receiver(.off(seconds: 60, .rest))] }
}

/// A local notification is due (rule D3). Whether the user sees it, its program is handed it, or both, is told by the
/// decisions that follow.
public struct NotificationRecord: Hashable, Sendable, Codable {
  /// Why it is due. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its time has come.
    case due
    /// Its time came while nothing could be shown (rule D5).
    case overdue
    /// Its region was entered (rule D7).
    case regionEntered = "region_entered"
    /// Its region was left (rule D7).
    case regionLeft = "region_left"
    /// It was asked for at once.
    case now
  }

  /// What its program calls it.
  public var notification: String
  /// Whose it is.
  public var subscriber: String
  /// Its first line.
  public var title: String
  /// Why it is due.
  public var reason: Reason
  /// Seconds after its time; nil where it is not late.
  public var lateSeconds: Double?
}

extension NotificationRecord: SingleTypeRecord {
  package static let name = "notification"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("notification", notification, "what its program calls it")
    visitor.text("subscriber", subscriber, "whose it is")
    visitor.text("title", title, "its first line")
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-notification)")
    visitor.number("late_s", lateSeconds, .seconds, "after its time; absent if it is not late")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let reason = fields.code("reason", Reason.self)?.decision.phrase ?? fields.text("reason")
    let late = fields.number("late_s").map { ", \(Wording.duration($0)) late" } ?? ""
    let title = fields.tellsNotifications ? ", \"\(fields.text("title"))\"" : ""
    return TextRecord(
      fields.text("subscriber"), "notification \(fields.text("notification")): \(reason)\(late)\(title)")
  }

  package static var samples: [Record.Body] {
    [
      .notification(
        NotificationRecord(
          notification: "tea", subscriber: "a", title: "Tea is ready", reason: .overdue, lateSeconds: 60))
    ]
  }
}

extension NotificationRecord.Reason {
  /// The same as the reason of a decision.
  var decision: Decision.Reason {
    switch self {
    case .due: .due
    case .overdue: .overdue
    case .regionEntered: .regionEntered
    case .regionLeft: .regionLeft
    case .now: .now
    }
  }
}

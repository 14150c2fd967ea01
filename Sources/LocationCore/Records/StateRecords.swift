/// A change of state that was not the policy's own decision: the user's, the subscriber's, the machine's.
public struct StateMove: Hashable, Sendable, Codable {
  /// Who or what moved it.
  public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    case added, user, exit, restart, reboot
    /// Another manifest took the place of its own.
    case replaced
    /// The screen was locked or unlocked (rule A2).
    case screen
    /// Something that comes before it took the foreground, or gave it back (rule A1).
    case interrupt
    /// The user opened one of its notifications (rule D6).
    case notification
  }

  /// Whom it is about.
  public var subscriber: String
  /// Its state before.
  public var before: SubscriberState
  /// Its state after.
  public var after: SubscriberState
  /// Who or what moved it.
  public var cause: Cause
}

extension StateMove: SingleTypeRecord {
  package static let name = "subscriber.state"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whom it is about")
    visitor.text("state_before", before.rawValue, "its [state](#states-of-a-subscriber) before")
    visitor.text("state_after", after.rawValue, "its state after")
    visitor.text("reason", cause.rawValue, "see [below](#reasons-of-a-change-of-state)")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    guard let cause: Cause = fields.code("reason"), let after: SubscriberState = fields.code("state_after"),
      let phrase = phrase(cause, to: after)
    else { return nil }
    return TextRecord(fields.text("subscriber"), phrase, isConsequence: true)
  }

  package static var samples: [Record.Body] {
    [.subscriberState(StateMove(subscriber: "a", before: .active, after: .notRunning, cause: .exit))]
  }

  /// Nil for the steps between.
  private static func phrase(_ cause: Cause, to after: SubscriberState) -> String? {
    switch (cause, after) {
    case (.user, .active): "launched by the user"
    case (.notification, .active): "launched by the user from a notification"
    case (.notification, _): nil
    case (.user, .background): "put in the background by the user"
    case (.user, .inactive), (.user, .suspended), (.user, .notRunning): nil
    case (.screen, .active): "in the foreground again: the screen is unlocked"
    case (.screen, .background): "in the background: the screen is locked"
    case (.screen, _): nil
    case (.interrupt, .inactive): "interrupted"
    case (.interrupt, _): "no longer interrupted"
    case (.exit, _): "ended by itself"
    case (.restart, _): "ended by a restart"
    case (.reboot, _): "ended by a reboot"
    case (.replaced, _): "ended for a new manifest"
    case (.added, _): "added, \(after.rawValue)"
    }
  }
}

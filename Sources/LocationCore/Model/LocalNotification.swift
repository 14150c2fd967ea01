/// A notification that a program has the engine show to the user (rule D1).
public struct LocalNotification: Hashable, Sendable, Codable {
  /// When it is due.
  public enum When: Hashable, Sendable, Codable {
    /// At a time, which never moves.
    case at(UTCTime)
    /// At a time of the clock on the wall.
    case wall(WallTime)
    /// So many seconds after it is scheduled, whatever the clocks are set to meanwhile.
    case after(seconds: Double)
    /// At once.
    case now
    /// When a region is entered or left (rule D7).
    case region(id: String, isLeft: Bool)
  }

  /// How the user will see it.
  public struct Content: Hashable, Sendable, Codable {
    /// The first line.
    public var title: String
    /// What follows it; empty for nothing.
    public var body = ""
    /// `default`, or the name of a file in the program's folder; nil for silence.
    public var sound: String?
    /// The number on the program's icon; nil to leave it.
    public var badge: Int?
    /// What the button says that opens the program; nil for none.
    public var action: String?
    /// JSON that is handed back when the user opens it, at most ``Limits/notificationDataBytes``.
    public var data: String?

    public init(title: String) { self.title = title }
  }

  /// What its program calls it; nil for a name of the engine's. A second one of the same name takes its place.
  public var id: String?
  /// How the user will see it.
  public var content: Content
  /// When it is due.
  public var when: When
  /// The zone of ``When/wall(_:)`` and of the calendar by which it repeats; nil for the machine's.
  public var zone: TimeZoneRule?
  /// How it repeats; nil where it does not (rule D2).
  public var repeats: CalendarUnit?
  /// Of a region: whether it is due once only.
  public var isOnce = true
  /// Seconds by which it may be late, to join another wake of the machine (rule D3).
  public var toleranceSeconds = 0.0

  /// When it was asked for, where nobody was there to schedule it; nil: when it is scheduled.
  public var asked: UTCTime?

  /// A notification that does not repeat.
  public init(id: String? = nil, title: String, when: When) {
    self.id = id
    content = Content(title: title)
    self.when = when
  }
}

extension Limits {
  /// Notifications that one subscriber has scheduled (rule D4, fixed).
  public static let notifications = 128
  /// Notifications of one subscriber that were shown and can be opened.
  public static let shownNotifications = 128
  /// Bytes that a notification carries for its program (rule D1).
  public static let notificationDataBytes = 4096
  /// Seconds by which a notification may be late at most (rule D3).
  public static let notificationToleranceSeconds = 3600.0
}

/// A push that has come for a program (rule H1).
public struct Push: Hashable, Sendable, Codable {
  /// What its sender calls it; nil where it has no name. Of one name only the first is taken (rule H4).
  public var id: String?
  /// What the user sees; nil for a silent one.
  public var alert: LocalNotification.Content?
  /// Whether there is something for the program to get: `content-available` is 1.
  public var isContentAvailable: Bool
  /// The issue of a periodical that is there to be fetched (rule I5); nil where it names none.
  public var issue: String?
  /// All of it as it came, JSON: what the program is handed. No record has it.
  public var payload: String

  public init(
    id: String? = nil, alert: LocalNotification.Content? = nil, isContentAvailable: Bool,
    issue: String? = nil, payload: String
  ) {
    self.id = id
    self.alert = alert
    self.isContentAvailable = isContentAvailable
    self.issue = issue
    self.payload = payload
  }
}

extension Limits {
  /// Bytes of a push (rule H1).
  public static let pushBytes = 4096
  /// Names of pushes that are remembered of one subscriber (rule H4).
  public static let pushNames = 1024
}

/// What a manifest says of the issues that its program fetches (rule I5).
public struct IssueTerms: Hashable, Sendable, Codable {
  /// Where they are, for a transfer that does not say.
  public var url: String
  /// Seconds from one to the next, as the program wishes.
  public var intervalSeconds: Double

  public init(url: String, intervalSeconds: Double) {
    self.url = url
    self.intervalSeconds = intervalSeconds
  }
}

/// How long a subscriber may still run in the background: the third of the three ideas every background mode
/// rests on. It is only ever extended by a further grant, and its end is a deadline of the engine.
public struct Budget: Hashable, Sendable, Codable {
  /// What granted it.
  public var rule: Rule
  /// When it is over.
  public var end: EngineInstant
  /// When the subscriber is warned; nil when it was, or when it is not.
  public var warning: EngineInstant?

  /// The later of two ends, under the rule that granted it.
  mutating func extend(to other: Budget) {
    if other.end > end { self = other }
  }
}

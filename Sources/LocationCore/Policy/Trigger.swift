/// Something that may wake a subscriber: the first of the three ideas every background mode rests on.
///
/// A trigger is only a row of facts. Each stands with its ``BackgroundMode``.
public struct Trigger: Hashable, Sendable, Codable {
  /// The rule that grants it.
  public var rule: Rule
  /// What the subscriber must have asked for.
  public var service: Subscriber.Services
  /// Whether it resumes a suspended subscriber.
  public var wakes: Bool
  /// Whether it starts a subscriber that is not running.
  public var relaunches: Bool
  /// Whether it does so even after the user force-quit the subscriber (rule A7).
  public var outlivesForceQuit: Bool
  /// Seconds a subscriber may run for it (rule K1).
  public var budgetSeconds: Double
  /// Whether an event waits for a subscriber that can't take it now, and holds off suspension until it is
  /// acknowledged.
  public var isKept = true
}

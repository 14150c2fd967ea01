/// Something that may wake a subscriber: the first of the three ideas every background mode rests on.
///
/// A trigger is only a row of facts. A further mode is a further row, and whoever raises it.
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

  /// Rule B1.
  public static let significantChange = Trigger(
    rule: .significantChange, service: .significantChange, wakes: true, relaunches: true,
    outlivesForceQuit: true, budgetSeconds: 10)

  /// Rule B4.
  public static let region = Trigger(
    rule: .regions, service: .regions, wakes: true, relaunches: true, outlivesForceQuit: true,
    budgetSeconds: 10)

  /// Rule B2.
  public static let standard = Trigger(
    rule: .standard, service: .standard, wakes: false, relaunches: false, outlivesForceQuit: false,
    budgetSeconds: 0, isKept: false)

  /// Rule B3.
  public static let backgroundLocation = Trigger(
    rule: .backgroundLocation, service: .standard, wakes: true, relaunches: false, outlivesForceQuit: false,
    budgetSeconds: 10)

  /// Rule B5.
  public static let visit = Trigger(
    rule: .visits, service: .visits, wakes: true, relaunches: true, outlivesForceQuit: true,
    budgetSeconds: 10)
}

/// What the shell is to do for a subscriber. What came of it returns as an ``Event``.
public enum Order: Hashable, Sendable, Codable {
  /// Thaw it.
  case wake(subscriber: String, launch: Launch)
  /// Start it in the background.
  case relaunch(subscriber: String, launch: Launch)
  /// Hand it the event with this id.
  case deliver(subscriber: String, event: Int)
  /// Freeze it.
  case suspend(subscriber: String)
  /// Tell it to finish: in so many seconds it will be ended.
  case warn(subscriber: String, seconds: Double)
  /// End it.
  case terminate(subscriber: String)

  /// What a subscriber is told first after a start or a wake.
  public struct Launch: Hashable, Sendable, Codable {
    /// The rule that caused it.
    public var cause: Rule
    /// The event that caused it.
    public var event: Int
    /// Seconds it may run.
    public var budgetSeconds: Double
    /// Seconds it was suspended; nil for a start.
    public var sleptSeconds: Double?
    /// Seconds from one wake to the next, at least, after it overran its time again and again; nil where it has not
    /// (rule K2).
    public var throttleSeconds: Double?
  }
}

/// One thing that follows from the policy, in the order in which it is to happen.
enum PolicyStep: Hashable {
  case decided(Decision)
  case moved(StateMove)
  case ordered(Order)
  /// A request for one fix is answered with the best there was (rule B2).
  case answered(subscriber: String, Fix)
  /// A coarse position is due (rule B8): where the position is now, or a visit.
  case reduced(subscriber: String, Session.Owed)
}

/// One subscriber as an engine knows it, for those who look. What it says of a mode is in the mode's file.
public struct SubscriberView: Hashable, Sendable {
  /// An event that is not acknowledged.
  public struct Waiting: Hashable, Sendable {
    /// Its id.
    public var event: Int
    /// Whether the running process has been handed it.
    public var isHanded: Bool

    public init(event: Int, isHanded: Bool) {
      self.event = event
      self.isHanded = isHanded
    }
  }

  let session: Session
  let configuration: Policy.Configuration

  init(_ session: Session, _ configuration: Policy.Configuration) {
    self.session = session
    self.configuration = configuration
  }

  /// As it was added, with what it has asked for since.
  public var subscriber: Subscriber { session.subscriber }
  /// Where it stands.
  public var state: SubscriberState { session.state }
  /// Whether nothing can reach it: it starts itself, does not run and is not connected.
  public var isAway: Bool { session.isAway }
  /// Whether the user force-quit it (rule A7).
  public var wasForceQuit: Bool { session.wasForceQuit }
  /// Whether it was in the foreground when the screen was locked, and returns there with the unlock (rule A2).
  public var returnsAtUnlock: Bool { session.returnsAtUnlock }
  /// Since when it is suspended; nil where it is not.
  public var suspendedAt: EngineInstant? { session.suspendedAt }
  /// What its next process is told that the one before asked to be kept (rule A11); nil where there is nothing.
  public var preserved: String? { session.preserved }
  /// Events that are not acknowledged, oldest first.
  public var waiting: [Waiting] { session.outbox.map { Waiting(event: $0.event, isHanded: $0.isHanded) } }
  /// Those of them that it has to acknowledge, their ids: not the standard updates that nobody keeps (rule B2).
  public var owed: [Int] { session.outbox.filter(\.isOwed).map(\.event) }
  /// Names of its open finite tasks, oldest first.
  public var tasks: [String] { session.assertions.filter { $0.reason == .task }.map { $0.name ?? "" } }
  /// The token of the task it opened last; 0 before the first.
  public var lastToken: Int { session.nextTask - 1 }
  /// When its time in the background is over; nil where it has no limit.
  public var budgetEnd: EngineInstant? {
    [session.wakeClock?.end, taskEnd].compactMap(\.self).min()
  }
  /// When its time for tasks is over, which no delivery sets anew (rule C2); nil where it has no limit.
  public var taskEnd: EngineInstant? {
    // While audio sounds, the end of the time for tasks ends only a program that has one open.
    let limitsTasks = session.holdsTask || !session.isSounding
    let tasks = session.taskClock.flatMap { $0.isOver || !limitsTasks ? nil : $0.end }
    return [tasks, session.exitAt, session.purgeAt].compactMap(\.self).min()
  }
  /// Until when no event wakes or starts it, and why: it overran its time again and again (rule K2), or its process ended
  /// too soon (rule K5); nil where neither holds at `instant`.
  public func held(at instant: EngineInstant) -> (until: EngineInstant, reason: Decision.Reason)? {
    var starts = session.state == .notRunning ? session.relaunchAt : nil
    // It may be started anew before (rule E5).
    if let next = session.modes.restart?.dueAt { starts = starts.map { min($0, next) } }
    let ends = [(session.throttledUntil, Decision.Reason.throttled), (starts, .backOff)]
    return ends.compactMap { end, reason in end.flatMap { $0 > instant ? ($0, reason) : nil } }
      .max { $0.0 < $1.0 }
  }
  /// How its last process ended by itself; nil before.
  public var lastEnd: ProgramEnd? { session.lastEnd }
}

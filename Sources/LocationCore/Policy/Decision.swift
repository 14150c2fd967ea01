/// What the policy decided for one subscriber, under which rule, and why (rule A9).
public struct Decision: Hashable, Sendable, Codable {
  /// What was decided.
  public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
    /// Handed to a subscriber that runs.
    case deliver
    /// Resumed from suspension to be handed an event.
    case wake
    /// Started in the background to be handed an event.
    case relaunch
    /// Kept for later.
    case `defer`
    /// Kept, and merged with others.
    case coalesce
    /// Not kept.
    case drop
    /// Stopped from running, kept in memory.
    case suspend
    /// Ended.
    case terminate
    /// Ended to free memory.
    case purge
    /// Not allowed.
    case refuse
    /// Told that its time or its memory runs out.
    case warn
    /// Left alone for a while, or no longer.
    case throttle
  }

  /// Why. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// It runs in the foreground.
    case foreground
    /// It runs in the background already.
    case running
    /// It was suspended.
    case suspended
    /// It was not running.
    case notRunning = "not_running"
    /// The user had force-quit it; location services relaunch it all the same.
    case forceQuitLocation = "force_quit_location"
    /// The user force-quit it, and nothing may start it before the user does.
    case forceQuit = "force_quit"
    /// Nothing is started before the first unlock after a boot.
    case locked
    /// The first unlock after a boot.
    case firstUnlock = "first_unlock"
    /// Its authorization is `denied`.
    case denied
    /// Waking and relaunching need the authorization `always`.
    case needsAlways = "needs_always"
    /// It opted out of background execution.
    case exitsOnSuspend = "exits_on_suspend"
    /// Nothing holds off suspension any more.
    case idle
    /// It was still running when its time was over.
    case budgetOver = "budget_over"
    /// A finite task was still open when its time was over.
    case taskOpen = "task_open"
    /// The move is not one of those rule A1 allows.
    case illegalMove = "illegal_move"
    /// No such task is open.
    case unknownTask = "unknown_task"
    /// As many events wait for it as may.
    case outboxFull = "outbox_full"
    /// It had been handed the event before and did not acknowledge it.
    case unacknowledged
    /// It had been kept for it.
    case kept
    /// It ended too soon after being started; the next start waits.
    case backOff = "back_off"
    /// The machine is short of memory.
    case memoryPressure = "memory_pressure"
    /// The machine is no longer critically short of memory.
    case pressureOver = "pressure_over"
    /// As many events are handed over at once as may be, or the wake has lasted as long as it may; the rest waits.
    case backlog
    /// A warning: the machine is short of memory.
    case memory
    /// A warning: the time of its open tasks is nearly over.
    case task
    /// A warning: it is ended because it left the foreground.
    case exit
    /// Kept back with others, to be delivered together.
    case batched
    /// As far as updates are kept back, or as many as may be.
    case batchFull = "batch_full"
    /// As long as updates are kept back.
    case batchDue = "batch_due"
    /// It stopped the service for which updates were kept back.
    case stopped
    /// It may know no more than a coarse position.
    case reduced
    /// It was told its coarse position less than 15 minutes ago.
    case reducedWindow = "reduced_window"
    /// The user lets nothing wake or relaunch it.
    case backgroundDeliveryOff = "background_delivery_off"
    /// The user lets things wake and relaunch it again.
    case backgroundDeliveryOn = "background_delivery_on"
    /// It overran its time again and again.
    case throttled
    /// The time for which it was throttled is over.
    case throttleOver = "throttle_over"
    /// It held a lock that others may wait for.
    case sharedLock = "shared_lock"
    /// As many tasks are open as may be.
    case tooManyTasks = "too_many_tasks"
    /// It took more of the processor than a program in the background may.
    case processor
    /// There is no source of fixes.
    case noSource = "no_source"
    /// No fix came in the time it gave.
    case noFix = "no_fix"
  }

  /// Whom it is about.
  public var subscriber: String
  /// What was decided.
  public var action: Action
  /// Under which rule.
  public var rule: Rule
  /// Its state before.
  public var before: SubscriberState
  /// Its state after.
  public var after: SubscriberState
  /// The event it is about; nil where it is about none.
  public var event: Int?
  /// Why.
  public var reason: Reason
  /// The token of the task it is about; nil where it is about none.
  public var task: Int?
  /// What was looked at; nil where nothing but the state was.
  public var inputs: Inputs?
}

extension Decision {
  /// What a decision depended on; nil for what was not looked at.
  public struct Inputs: Hashable, Sendable, Codable {
    /// When the subscriber may be told (rule B8).
    public var authorization: Subscriber.Authorization?
    /// How exactly the subscriber may be told (rule B8).
    public var accuracy: Subscriber.AccuracyAuthorization?
    /// Whether the user force-quit it (rule A7).
    public var forceQuit: Bool?
    /// Whether the machine has not been unlocked since it booted (rule A8).
    public var isLocked: Bool?
    /// Whether anything but the user may wake it.
    public var backgroundDelivery: Bool?
    /// Whether the machine saves energy.
    public var lowPower: Bool?
    /// How short of memory the machine is (rule A4).
    public var pressure: MemoryPressure?
    /// Seconds it may run, or was given.
    public var budgetSeconds: Double?
    /// Seconds for which it is left alone (rule K2).
    public var throttledSeconds: Double?

    /// Nothing was looked at.
    public init() {}
  }
}

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
  /// Tell it that its time or its memory runs out.
  case warn(subscriber: String, Warning)
  /// Tell it that it moves to another state (rule A2).
  case announce(subscriber: String, StateNotice)
  /// End it.
  case terminate(subscriber: String)

  /// What a subscriber is warned of.
  public struct Warning: Hashable, Sendable, Codable {
    /// Why. The raw values are stable: they stand in what a program is told.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
      /// The machine is short of memory (rule A4).
      case memory
      /// A task is open, and the time for it is nearly over (rule C3).
      case task
      /// It left the foreground and opted out of the background (rule A5).
      case exit
    }

    /// Why.
    public var reason: Reason
    /// Seconds after which it is ended; nil where it is not.
    public var seconds: Double?
    /// The token of the task it is about.
    public var task: Int?
    /// How short of memory the machine is; nil where it is not about memory.
    public var level: MemoryPressure?

    public init(
      reason: Reason, seconds: Double? = nil, task: Int? = nil, level: MemoryPressure? = nil
    ) {
      self.reason = reason
      self.seconds = seconds
      self.task = task
      self.level = level
    }
  }

  /// A state that a subscriber moves to, told before it does.
  public struct StateNotice: Hashable, Sendable, Codable {
    /// Why. The raw values are stable: they stand in what a program is told.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
      /// The user turned to something else.
      case user
      /// Nothing holds off suspension.
      case idle
      /// Its wake has lasted as long as it may.
      case budgetOver = "budget_over"
    }

    /// `background`, or `suspended` just before it.
    public var state: SubscriberState
    /// Why.
    public var reason: Reason
    /// Seconds for its own clean-up; nil where there are none.
    public var graceSeconds: Double?
  }

  /// What a subscriber is told first after a start or a wake.
  public struct Launch: Hashable, Sendable, Codable {
    /// The rule that caused it.
    public var cause: Rule
    /// What it is for; stable, as it stands in what a program is told: the kind of a ``BackgroundMode``, or
    /// `redelivery`.
    public var kind = "redelivery"
    /// The event that caused it.
    public var event: Int
    /// The kind of that event, where the cause is a rule that no mode has.
    public var eventKind: String?
    /// Whether the machine has not been unlocked since it booted (rule A8).
    public var isLocked = false
    /// What the process before asked to be kept; nil for a wake, and where there is nothing (rule A11).
    public var restored: String?
    /// Seconds it may run.
    public var budgetSeconds: Double
    /// Seconds it was suspended; nil for a start.
    public var sleptSeconds: Double?
    /// Seconds from one wake to the next, at least, after it overran its time again and again; nil where it has not
    /// (rule K2).
    public var throttleSeconds: Double?
  }
}

/// A change of state that was not the policy's own decision: the user's, the subscriber's, the machine's.
public struct StateMove: Hashable, Sendable, Codable {
  /// Who or what moved it.
  public enum Cause: String, Hashable, Sendable, Codable, CaseIterable {
    case added, user, exit, restart, reboot
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

/// One thing that follows from the policy, in the order in which it is to happen.
enum PolicyStep: Hashable {
  case decided(Decision)
  case moved(StateMove)
  case ordered(Order)
  /// A request for one fix is answered with the best there was (rule B2).
  case answered(subscriber: String, Fix)
  /// A coarse position is due (rule B8): where the position is now, or a visit.
  case reduced(subscriber: String, Session.Owed)
  /// A significant change as one subscriber measures it (rule B1).
  case changed(subscriber: String, SignificantChange.Change)
}

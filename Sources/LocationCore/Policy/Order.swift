/// What the shell is to do for a subscriber. What came of it returns as an ``Event``. Large cases are `indirect`, because
/// an order is copied several times on its way.
public enum Order: Hashable, Sendable, Codable {
  /// Thaw it.
  indirect case wake(subscriber: String, launch: Launch)
  /// Start it in the background.
  indirect case relaunch(subscriber: String, launch: Launch)
  /// Hand it the event with this id. One that is started for that event alone is told the cause.
  case deliver(subscriber: String, event: Int, Cause)
  /// Freeze it.
  case suspend(subscriber: String)
  /// Tell it that its time or its memory runs out.
  indirect case warn(subscriber: String, Warning)
  /// Tell it that it moves to another state (rule A2).
  indirect case announce(subscriber: String, StateNotice)
  /// Tell it that something is refused that it did not ask for just now: a service of its manifest.
  indirect case refuse(subscriber: String, what: String, reason: Decision.Reason)
  /// End it.
  case terminate(subscriber: String)
  /// Show the user a notification of it, whose record has this id (rule D3).
  indirect case notify(subscriber: String, event: Int, notification: String, LocalNotification.Content)
  /// Watch the socket that it passed under this tag, from its next suspension on (rule E4).
  case keep(subscriber: String, tag: String)
  /// Do that with the transfer of this number (section I).
  case transfer(subscriber: String, number: Int, TransferOrder)
  /// Do that with the accessory of this session (section J).
  case accessory(subscriber: String, session: String, AccessoryOrder)
  /// Publish these services of it, in place of those before (rule K6).
  case advertise(subscriber: String, [AdvertisedService])
  /// Start it, or bring it to the foreground, for the user (rule D6).
  indirect case open(subscriber: String, launch: Launch)

  /// Tell it what has become of an audio session of it (section F).
  indirect case audio(subscriber: String, AudioNotice)

  /// Why a subscriber is handed an event.
  public struct Cause: Hashable, Sendable, Codable {
    /// The rule.
    public var rule: Rule
    /// As ``Launch/kind``.
    public var kind: String
  }

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
      /// The screen was locked.
      case screen
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
    /// The notification that the user opened (rule D6); nil for any other cause.
    public var notification: String?
    /// What that carries for the program, JSON.
    public var data: String?
    /// The tag of the socket that has something to read (rule E4); nil for any other cause.
    public var tag: String?
    /// The session of the transfers that have ended or need an answer (rule I2), or of the accessory (rule J1); nil for
    /// any other cause.
    public var session: String?
  }
}

/// One turn of the policy: when it is, and what follows from it.
struct PolicyTurn {
  /// When it is.
  var instant: EngineInstant
  /// What follows, in the order in which it is to happen.
  var steps: [PolicyStep] = []

  mutating func order(_ order: Order) { steps.append(.ordered(order)) }
}

/// One thing that follows from the policy. Large and rare cases are `indirect`, as in ``Event``.
enum PolicyStep: Hashable {
  case decided(Decision)
  case moved(StateMove)
  case ordered(Order)
  /// A request for one fix is answered with the best there was (rule B2).
  indirect case answered(subscriber: String, Fix)
  /// A coarse position is due (rule B8): where the position is now, or a visit. The last one was told `before`.
  indirect case reduced(subscriber: String, Session.Owed, before: EngineInstant?)
  /// The window of one subscriber is over: it is told where it is now if it has moved far enough (rule B1).
  case changed(subscriber: String)
  /// A subscriber starts that could not be told where the position is: it is told now (rule L1).
  case briefed(subscriber: String)
  /// A program is called for a background mode. It is recorded, and offered by its trigger.
  indirect case called(ModeCall)
  /// A notification is due. It is recorded, and then shown, handed over, or both.
  indirect case notified(DueNotification)
  /// What a subscriber has not acknowledged is handed to it, after all calls that come before this step.
  case redelivered(subscriber: String, rule: Rule)
  /// A push has come. It is recorded, and then shown, handed over, or both.
  indirect case pushed(DuePush)
  /// Something has become of a transfer. It is recorded, and offered to its program.
  indirect case reported(DueTransfer)
  /// Something has become of an accessory. It is recorded, and offered to its program.
  indirect case attached(AccessoryRecord)
  /// Something of a mode that is told and asks for nothing.
  indirect case noted(Record.Body)
  /// A mode used the radio: so many kilobytes in so many seconds, booked to the subscriber under the mode's rule
  /// (rule M6).
  case transferred(subscriber: String, rule: Rule, kilobytes: Double, seconds: Double)
}

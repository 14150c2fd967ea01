/// Something that may wake a subscriber: the first of the three ideas every background mode rests on.
///
/// A trigger is one row of facts (rule M2): the engine decides by it, `Docs/Policy.md` prints it, and tests run every
/// row against every state. Each stands with its ``BackgroundMode``.
public struct Trigger: Hashable, Sendable {
  /// What becomes of it while something bears on it. The raw values stand in the documents.
  public enum Treatment: String, Hashable, Sendable {
    /// It goes on.
    case goesOn = "yes"
    /// It does not happen.
    case never = "no"
    /// It waits, and is handed over when the obstacle ends.
    case deferred
    /// It is not kept.
    case dropped
    /// It goes on, but for one without an alert (rule H2).
    case silentDeferred = "yes; silent: deferred"
    /// It waits where it is not there yet, and goes on where it is (rule I5).
    case wantedDeferred = "wanted: deferred"
    /// It waits where it is: the bytes stay in the kernel.
    case deferredInPlace = "deferred, bytes stay"
    /// Nobody asks for it.
    case notAsked = "not asked"
    /// Its subscriber does not run then, and nothing starts it.
    case notRunning = "not running"
    /// The user sees it all the same.
    case shown
    /// The user sees it once, when the obstacle ends.
    case shownLater = "held, shown once"
    /// It is the user's own doing.
    case userLaunch = "user launch"
    /// It is refused (rule A8).
    case refused = "refused, A8"
    /// What raises it has been removed.
    case removed
    /// What raises it has been cancelled.
    case cancelled = "cancelled, I3"
    /// What raises it has been closed.
    case closed
    /// Its session has been closed.
    case sessionClosed = "session closed"
    /// It may come earlier, so that it can be merged with more.
    case widerWindow = "wider window"
  }

  /// How its events wait for a subscriber that can't take them now.
  public enum Waiting: Hashable, Sendable {
    /// None waits, and none holds off suspension.
    case none
    /// None waits. One that was handed over holds off suspension, and ends with the process.
    case neverKept
    /// So many wait. Of updates the oldest makes room (rule B3).
    case upTo(Int)
    /// One waits, and later ones are merged into it.
    case mergesLater
    /// One waits: the latest.
    case latest
    /// One waits of each issue.
    case onceEach
  }

  /// How long a subscriber may run for one of its events: the configuration has the numbers.
  public enum Budget: Hashable, Sendable {
    /// It has no time of its own.
    case none
    /// As long as it takes to note what happened.
    case short
    /// As long as it takes to exchange something over a network.
    case long
  }

  /// The rule that grants it.
  public var rule: Rule
  /// The rule that its row stands for; ``rule`` but for a pause of updates (rule B6).
  public let row: Rule
  /// The location services that the subscriber must have asked for; none where it is about no location. Only those
  /// need the rights of rule B8.
  public var service: Subscriber.Services
  /// Whether it resumes a suspended subscriber.
  public var wakes: Bool
  /// Whether it starts a subscriber that is not running.
  public var relaunches: Bool
  /// After the user force-quit the subscriber (rule A7).
  public var afterForceQuit: Treatment
  /// Between a boot and the first unlock (rule A8).
  public var beforeUnlock: Treatment
  /// While the user lets nothing wake the subscriber: `background_delivery: false`.
  public var withoutDelivery: Treatment
  /// While the machine saves energy.
  public var inLowPower: Treatment
  /// How long a subscriber may run for it (rule K1).
  public var budget: Budget
  /// How its events wait.
  public var waiting: Waiting
  /// Whether it is about one process: with that ends what waits of it (sections E and J).
  public var isOfProcess: Bool
  /// What happened, where that is one of the kinds that a subscriber can choose.
  public var kind: EventKind?
  /// Whether it is a push without an alert, of which few wake (rule H2).
  var isSilent = false
  /// Whether it is an issue that is there to be fetched, which waits while the machine saves energy (rule I5).
  var isWanted = false

  init(
    rule: Rule, service: Subscriber.Services = [], wakes: Bool, relaunches: Bool, afterForceQuit: Treatment,
    beforeUnlock: Treatment = .deferred, withoutDelivery: Treatment = .deferred,
    inLowPower: Treatment = .goesOn, budget: Budget, waiting: Waiting, isOfProcess: Bool = false
  ) {
    self.rule = rule
    row = rule
    self.service = service
    self.wakes = wakes
    self.relaunches = relaunches
    self.afterForceQuit = afterForceQuit
    self.beforeUnlock = beforeUnlock
    self.withoutDelivery = withoutDelivery
    self.inLowPower = inLowPower
    self.budget = budget
    self.waiting = waiting
    self.isOfProcess = isOfProcess
  }

  /// The same for an event of a kind.
  public func of(_ kind: EventKind) -> Trigger {
    var trigger = self
    trigger.kind = kind
    return trigger
  }

  /// Whether it is about where the machine is, and so needs the rights of rule B8.
  public var isLocation: Bool { !service.isEmpty }

  /// Whether it wakes or relaunches even after the user force-quit the subscriber (rule A7).
  public var outlivesForceQuit: Bool { afterForceQuit == .goesOn }

  /// Whether an event waits for a subscriber that can't take it now, and outlives its process.
  public var isKept: Bool {
    switch waiting {
    case .none, .neverKept: false
    case .upTo, .mergesLater, .latest, .onceEach: true
    }
  }

  /// Whether an event that was handed over holds off suspension until it is acknowledged.
  public var holdsOff: Bool { waiting != .none }
}

extension Trigger: Codable {
  private enum Key: String, CodingKey { case rule, row, wakes, kind, silent, wanted }

  /// Decodes the row of a rule. Version 0.1.0 wrote the facts of the row out.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let rule = try values.decode(Rule.self, forKey: .rule)
    var row = try values.decodeIfPresent(Rule.self, forKey: .row) ?? rule
    if row == .automaticPause {
      row = try values.decode(Bool.self, forKey: .wakes) ? .backgroundLocation : .standard
    }
    guard let mode = BackgroundMode.all.first(where: { $0.trigger.row == row }) else {
      throw DecodingError.dataCorruptedError(
        forKey: .row, in: values, debugDescription: "\(row.rawValue) is no trigger's rule")
    }
    self = mode.trigger
    self.rule = rule
    kind = try values.decodeIfPresent(EventKind.self, forKey: .kind)
    isSilent = try values.decodeIfPresent(Bool.self, forKey: .silent) ?? false
    isWanted = try values.decodeIfPresent(Bool.self, forKey: .wanted) ?? false
    if try values.decodeIfPresent(Bool.self, forKey: .wakes) == false {
      wakes = false
      relaunches = false
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(rule, forKey: .rule)
    if row != rule { try values.encode(row, forKey: .row) }
    try values.encodeIfPresent(kind, forKey: .kind)
    if isSilent { try values.encode(true, forKey: .silent) }
    if isWanted { try values.encode(true, forKey: .wanted) }
    // Of a row that wakes, an event that does not (rule J3a).
    if row == .bluetooth, !wakes { try values.encode(wakes, forKey: .wakes) }
  }
}

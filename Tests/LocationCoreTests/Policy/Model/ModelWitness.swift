@testable import LocationCore

/// What an observer beside the policy knows, and the rules as it holds the policy to them.
///
/// It is told what is done to the subscriber and what the policy decides and orders. It never asks the policy what
/// should have been done; ``standing(_:_:at:)`` alone compares both. But when the wake of a program that sounds began,
/// and when a pause ends, the policy says.
struct ModelWitness: Hashable {
  /// Events that were accepted and are neither acknowledged nor dropped, oldest first.
  var kept: [Int] = []
  /// Of these, those that the present process has.
  private(set) var held: Set<Int> = []
  /// Of these, those that any process was handed.
  private var wasHanded: Set<Int> = []
  /// Events that the policy kept from the present process when it started or woke it.
  private var withheld: Set<Int> = []
  /// What each of these is.
  private var facts: [Int: Facts] = [:]
  private var lastEvent = 0

  /// What the rules say of one event.
  private struct Facts: Hashable {
    /// It tells where the machine is, and exactly.
    var isLocation: Bool
    var isExact: Bool
    /// Somebody has to acknowledge it: all but updates of rule B2.
    var isOwed: Bool
    /// It outlives the process that was handed it.
    var isKept: Bool
    var outlivesForceQuit: Bool
    /// It is the start of a program that has to run (rule E5).
    var isRestart: Bool
    /// It is an issue to be fetched, which waits while the machine saves energy.
    var isWanted: Bool
    var budgetSeconds: Double
  }

  private(set) var state: SubscriberState
  private var isMarked = false
  var isLocked = false
  private var isThrottled = false

  var authorization: Subscriber.Authorization
  var isReduced: Bool
  var backgroundDelivery = true
  private var savesEnergy = false
  private let exitsOnSuspend: Bool

  private var criticalSince: EngineInstant?
  private var backgroundSince: EngineInstant?
  /// When the clock of tasks began in this stay in the background.
  private var tasksSince: EngineInstant?
  var openTasks: Set<Int> = []
  private var warnedTasks: Set<Int> = []
  /// Since when it holds something and has acknowledged nothing.
  private var silentSince: EngineInstant?
  /// Seconds for which it may be silent: the longest of what it was handed since it last owed nothing.
  private var silentSeconds = 0.0
  /// When it left the foreground with `exitsOnSuspend`.
  private var exitSince: EngineInstant?
  /// When what it had not acknowledged is tried again.
  private var retryBy: EngineInstant?
  /// Ends in a row before anything was acknowledged.
  private var ends = 0
  /// Whether it waits for one fix.
  var asksForFix = false
  /// Whether its manifest has the mode by which it has to run (rule E5).
  private let hasToRun: Bool
  private let isOneshot: Bool
  /// Whether its last process failed, and nothing has been done to it since that ends the matter.
  private var hasFailed = false
  /// How many of its services are published.
  private var published = 0

  init(_ subscriber: Subscriber, _ configuration: Policy.Configuration) {
    authorization = subscriber.authorization
    isReduced = subscriber.accuracy == .reduced
    exitsOnSuspend = subscriber.exitsOnSuspend
    hasToRun = subscriber.modes.contains(.voip)
    isOneshot = subscriber.style == .oneshot
    state = exitsOnSuspend ? .active : .suspended
    numbers = Numbers(configuration)
  }

  /// The numbers of the rules that the invariants name.
  private struct Numbers: Hashable {
    var wakes: Policy.Configuration.Wakes
    var exitSeconds: Double
    var taskSeconds: Double
    var wakeSeconds: Double
    var handed: Int
    var backOffLimitSeconds: Double

    init(_ configuration: Policy.Configuration) {
      exitSeconds = configuration.exitSeconds
      taskSeconds = configuration.taskBudgetSeconds
      wakes = configuration.wakes
      wakeSeconds = max(configuration.wakeLimitSeconds, wakes.longSeconds)
      handed = configuration.handedLimit
      backOffLimitSeconds = configuration.backOffLimitSeconds
    }
  }

  private let numbers: Numbers

  /// Whether the present process was handed something that it has to acknowledge.
  private var owesAnswer: Bool { held.contains(where: isOwed) }

  private func isOwed(_ event: Int) -> Bool { facts[event]?.isOwed ?? true }
  private func isLasting(_ event: Int) -> Bool { facts[event]?.isKept ?? true }

  /// Whether a process in the background that is started now may not be handed an event that waits (rule M4).
  private func mayNotHave(_ event: Int) -> Bool {
    guard let facts = facts[event] else { return false }
    return isMarked && !facts.isLocation && !facts.outlivesForceQuit || savesEnergy && facts.isWanted
  }
}

// MARK: - What is done to the subscriber

extension ModelWitness {
  /// An event happens; its id.
  mutating func nextEvent(_ trigger: Trigger, isExact: Bool) -> Int {
    lastEvent += 1
    facts[lastEvent] = Facts(
      isLocation: trigger.isLocation, isExact: isExact && trigger.isLocation, isOwed: trigger.holdsOff,
      isKept: trigger.isKept && !trigger.isOfProcess, outlivesForceQuit: trigger.outlivesForceQuit,
      isRestart: trigger.row == .restart, isWanted: trigger.isWanted,
      budgetSeconds: numbers.wakes.seconds(of: trigger.budget))
    return lastEvent
  }

  /// The user turns to something else, or the screen locks.
  mutating func turnsAway(at now: EngineInstant) {
    if state.isForeground, exitsOnSuspend, exitSince == nil { exitSince = now }
  }

  /// The user ended it. Its events are not tried again: they wait for the user, and those of a location service also for
  /// the next event of one.
  mutating func isForceQuit() {
    isMarked = true
    hasFailed = false
    retryBy = nil
  }

  /// Its process ends by itself, with status 0.
  mutating func endsWell() { hasFailed = false }

  /// Its process ends by itself, with another status.
  mutating func crashes() { hasFailed = state != .notRunning || hasFailed }

  mutating func acknowledges(_ event: Int, at now: EngineInstant) {
    held.remove(event)
    kept.removeAll { $0 == event }
    silentSince = owesAnswer ? now : nil
    if !owesAnswer { silentSeconds = 0 }
    ends = 0
  }

  /// A user acknowledges an event by hand.
  ///
  /// - Parameter goesOn: whether a process that runs for it goes on.
  mutating func dismisses(_ event: Int, goesOn: Bool, at now: EngineInstant) {
    if held.contains(event), !goesOn { return acknowledges(event, at: now) }
    kept.removeAll { $0 == event }
    // Who acknowledges a start that waits does without it.
    if facts[event]?.isRestart == true { hasFailed = false }
  }

  mutating func begins(task: Int, at now: EngineInstant) {
    openTasks.insert(task)
    if state == .background, tasksSince == nil { tasksSince = now }
  }

  /// It sounds. Its wake may meet the total meanwhile and end; what comes next has a time of its own.
  ///
  /// - Parameter wakeSince: Since when its present wake lasts; nil where it has none.
  mutating func sounds(at now: EngineInstant, wakeSince: EngineInstant?) {
    guard state == .background else { return }
    backgroundSince = now
    silentSince = wakeSince.flatMap { since in silentSince.map { max($0, since) } }
  }

  /// Its wake has lasted as long as it may. If the process runs on for something else, a new wake for what it has begins
  /// after the pause.
  mutating func pauses(until end: EngineInstant) {
    if state == .background, owesAnswer { silentSince = max(silentSince ?? end, end) }
  }

  mutating func sees(_ level: MemoryPressure, at now: EngineInstant) {
    criticalSince = level == .critical ? criticalSince ?? now : nil
  }

  /// The machine saves energy, or no longer. What its process has not been handed waits for the end of that, too.
  mutating func sees(lowPower isOn: Bool) {
    savesEnergy = isOn
    guard isOn, state == .background else { return }
    withheld.formUnion(kept.filter { !held.contains($0) && mayNotHave($0) })
  }

  mutating func reboots() {
    isLocked = true
    isMarked = false
    // It is to be started at boot.
    hasFailed = true
    criticalSince = nil
  }
}

// MARK: - Invariants of a step

extension ModelWitness {
  /// Follows what the policy says; the invariant that it breaks, if it does.
  ///
  /// - Parameter before: the steps before this one that the same action or instant caused.
  mutating func follow(
    _ step: PolicyStep, after before: ArraySlice<PolicyStep>, at now: EngineInstant, cause: ModelAction?
  ) -> String? {
    switch step {
    case .moved(let move):
      if move.before != state { return "A1: a state that was not held" }
      if move.after == .suspended { return "A1: suspended without a decision" }
      if !move.before.mayBecome(move.after) { return "A1: a move that is not allowed" }
      if let rule = enter(move.after, at: now) { return rule }
      if move.after == .notRunning, move.cause == .exit { owe(at: now) }
      return nil
    case .decided(let decision):
      if decision.before != state { return "A1: a decision in a state that was not held" }
      return follow(decision, at: now, cause: cause)
    case .ordered(let order):
      if order.isRecorded, !before.contains(where: { order.isExplained(by: $0) }) {
        return "A9: an order without a record"
      }
      return follow(order, at: now)
    case .answered:
      asksForFix = false
      if authorization == .denied || isReduced { return "B8: answered where it may not know" }
      return nil
    case .reduced:
      asksForFix = false
      return nil
    case .changed, .briefed, .called, .redelivered, .notified, .pushed, .reported, .attached, .noted,
      .transferred:
      return nil
    }
  }

  private mutating func follow(_ decision: Decision, at now: EngineInstant, cause: ModelAction?) -> String? {
    switch decision.action {
    case .drop:
      if let event = decision.event {
        kept.removeAll { $0 == event }
        held.remove(event)
        if !owesAnswer {
          silentSince = nil
          silentSeconds = 0
        }
      }
    case .wake, .relaunch:
      guard let event = decision.event, let cause = facts[event] else { return "A9: started without a cause" }
      if cause.isLocation, authorization != .always { return "B8: started without the right" }
      if !backgroundDelivery { return "B8: started against the user" }
      if isThrottled { return "K2: started while throttled" }
      if isMarked, !cause.outlivesForceQuit {
        return "A7: started under the mark by what does not outlive it"
      }
      withheld = Set(kept.filter(mayNotHave))
      guard decision.action == .relaunch else { break }
      if exitsOnSuspend { return "A5: relaunched though it opted out" }
      if isLocked { return "A8: relaunched before the first unlock" }
      if criticalSince != nil { return "A4: relaunched under critical pressure" }
      retryBy = nil
    case .deliver:
      if let event = decision.event, !wasHanded.contains(event), decision.reason == .unacknowledged {
        return "A9: a never-handed event is called unacknowledged"
      }
      if let event = decision.event, wasHanded.contains(event), decision.reason == .kept {
        return "A9: an event handed again is called kept"
      }
    case .terminate, .purge:
      if let rule = judge(end: decision, at: now) { return rule }
    case .warn:
      guard let token = decision.task else { break }
      if !openTasks.contains(token) { return "C3: warned of a task that is not open" }
      if state == .background, !warnedTasks.insert(token).inserted { return "C3: warned twice" }
    case .throttle: isThrottled = decision.reason == .throttled
    case .refuse:
      if cause == .launch, decision.reason == .locked, !isLocked { return "A8: refused though unlocked" }
      if [.standard, .authorization, .availability].contains(decision.rule), decision.event == nil {
        asksForFix = false
      }
    case .defer:
      // It waits behind one of its kind that is withheld.
      if let event = decision.event, state == .background, decision.reason != .backlog, mayNotHave(event) {
        withheld.insert(event)
      }
    case .coalesce, .suspend, .notify, .hold: break
    }
    guard decision.after != decision.before else { return nil }
    if decision.after == .notRunning, decision.rule != .forceQuit, decision.rule != .exitsOnSuspend {
      owe(at: now)
      hasFailed = true
    }
    return enter(decision.after, at: now)
  }

  /// Whether it may be ended now.
  private func judge(end decision: Decision, at now: EngineInstant) -> String? {
    switch decision.rule {
    case .overrun where decision.reason == .budgetOver:
      guard let since = silentSince else { return "K1: ended though it owes nothing" }
      if since.seconds(to: now) < numbers.wakes.seconds { return "K1: ended while it answers" }
    case .taskExpiration:
      if openTasks.isEmpty { return "C3: ended without an open task" }
      if !openTasks.isSubset(of: warnedTasks) { return "C3: ended without a warning" }
      if tasksSince?.seconds(to: now) != numbers.taskSeconds { return "C2: the time of tasks moved" }
    case .memoryPressure:
      if criticalSince == nil { return "A4: ended after relief" }
      if state.isForeground { return "A4: ended in the foreground" }
    case .exitsOnSuspend:
      guard let since = exitSince else { return "A5: ended without having left the foreground" }
      if since.seconds(to: now) != numbers.exitSeconds { return "A5: the end moved" }
    case _: break
    }
    return nil
  }

  private mutating func follow(_ order: Order, at now: EngineInstant) -> String? {
    if case .advertise(_, let services) = order { published = services.count }
    guard case .deliver(_, let event, _) = order else { return nil }
    if !state.isRunning { return "A3: handed to one that runs no code" }
    if !kept.contains(event) { return "K5: handed what is acknowledged or dropped" }
    let isLocation = facts[event]?.isLocation == true
    if isLocation, authorization == .denied { return "B8: a denied subscriber is handed an event" }
    if isReduced, facts[event]?.isExact == true { return "B8: reduced accuracy is handed an exact event" }
    if state == .background, withheld.contains(event), mayNotHave(event) {
      return isMarked ? "M4: handed under the mark" : "M4: an issue is handed while the machine saves energy"
    }
    if held.contains(event) { return "K5: handed twice to one process" }
    // What is withheld has an order of its own.
    let isWithheld = withheld.contains(event)
    if held.contains(where: { $0 > event && withheld.contains($0) == isWithheld }) {
      return "K5: out of order"
    }
    held.insert(event)
    wasHanded.insert(event)
    if held.filter(isOwed).count > numbers.handed { return "K5: more at once than may be" }
    let seconds = facts[event]?.budgetSeconds ?? 0
    // What may take longer has its time from when it was handed over.
    if owesAnswer, silentSince == nil || seconds > silentSeconds { silentSince = now }
    silentSeconds = max(silentSeconds, seconds)
    return nil
  }

  /// It was ended by something that is no wish of the user: what it had not acknowledged is tried again.
  private mutating func owe(at now: EngineInstant) {
    guard kept.contains(where: isLasting) else { return }
    // 2^9 s are beyond the longest wait; more ends make no new state.
    ends = min(ends + 1, 10)
    let wait = min(Double(1 << (ends - 1)), numbers.backOffLimitSeconds)
    retryBy = now.advanced(bySeconds: wait)
  }

  /// What it has is handed over anew. Of a oneshot the oldest alone has had a process.
  private mutating func takeBack() {
    if isOneshot, let oldest = held.min() { wasHanded.subtract(held.subtracting([oldest])) }
    held = []
  }

  private mutating func enter(_ after: SubscriberState, at now: EngineInstant) -> String? {
    let before = state
    state = after
    if after.isRunning {
      hasFailed = false
    } else {
      withheld = []
    }
    if exitsOnSuspend, after == .background || after == .suspended {
      return "A5: in the background though it opted out"
    }
    switch after {
    case .notRunning:
      takeBack()
      openTasks = []
      asksForFix = false
    case .active, .inactive:
      if before == .notRunning, isLocked { return "A8: launched before the first unlock" }
      isMarked = isMarked && after == .inactive
      retryBy = nil
    case .suspended:
      if !openTasks.isEmpty { return "A2: suspended with an open task" }
      takeBack()
    case .background: break
    }
    if after != .background || before != .background {
      backgroundSince = after == .background ? now : nil
      tasksSince = after == .background && before.isForeground ? now : nil
      warnedTasks = []
      silentSince = owesAnswer ? now : nil
      silentSeconds = held.compactMap { facts[$0]?.budgetSeconds }.max() ?? 0
    }
    if after == .active || after == .notRunning || after == .background { exitSince = nil }
    return nil
  }
}

extension Order {
  /// Whether a record goes before the order. What a program is told of a move is told beside the move.
  fileprivate var isRecorded: Bool {
    switch self {
    case .announce, .open, .keep, .audio, .transfer, .accessory: false
    case .wake, .relaunch, .deliver, .suspend, .warn, .refuse, .terminate, .notify, .advertise: true
    }
  }

  /// Whether this is a record of the order (rule A9).
  fileprivate func isExplained(by step: PolicyStep) -> Bool {
    if case .advertise = self, case .noted(.service) = step { return true }
    guard case .decided(let decision) = step else { return false }
    switch self {
    case .wake: return decision.action == .wake
    case .relaunch: return decision.action == .relaunch
    case .deliver(_, let event, _):
      return decision.event == event && [.deliver, .wake, .relaunch].contains(decision.action)
    case .suspend: return decision.action == .suspend
    case .warn(_, let warning): return decision.action == .warn && decision.task == warning.task
    case .refuse: return decision.action == .refuse
    case .terminate: return [.terminate, .purge].contains(decision.action)
    case .notify(_, let event, _, _): return decision.event == event && decision.action == .notify
    case .announce, .open, .keep, .audio, .transfer, .accessory, .advertise: return false
    }
  }
}

// MARK: - Invariants of a state

extension ModelWitness {
  /// What holds of every state once all that is due has been done; the invariant that is broken, if one is.
  func standing(_ session: Session, _ configuration: Policy.Configuration, at now: EngineInstant) -> String? {
    if session.state != state { return "A1: the state is not the one that was told" }
    if (session.throttledUntil != nil) != isThrottled { return "A9: throttled without a record" }
    let waiting = Set(session.outbox.map(\.event))
    if !waiting.isSubset(of: kept) { return "K5: an event is made up" }
    // A standard update and a good moment end with the process.
    if !kept.filter(isLasting).allSatisfy(waiting.contains) { return "K5: an event is lost without a record" }
    if published != (state.isRunning ? session.modes.advertised?.services.count ?? 0 : 0) {
      return "K6: published or withdrawn without its program"
    }
    if asksForFix, session.standard.request == nil { return "B9: a request ends in silence" }
    if let keepAlive = session.modes.keepAlive, !keepAlive.isCalled, !state.isForeground,
      isOver(keepAlive.from, keepAlive.seconds, now)
    {
      return "E2: called later than it may be"
    }
    switch state {
    case .background: return standingInBackground(session, at: now)
    case .suspended:
      if !session.assertions.isEmpty { return "A3: suspended with an assertion" }
      if asksForFix { return "B9: a request waits in suspension" }
      if session.modes.audio?.sessions.contains(where: \.isSounding) == true {
        return "F1: suspended while it sounds"
      }
      if isOver(criticalSince, 1, now), isOver(session.suspendedAt, 1, now) {
        return "A4: suspended under critical pressure for more than 1 s"
      }
    case .inactive, .active:
      if isOver(exitSince, numbers.exitSeconds, now) { return "A5: the end moved" }
    case .notRunning:
      if session.modes.keepAlive != nil || !session.modes.sockets.isEmpty {
        return "E4a: something is kept for no process"
      }
      if hasToRun, hasFailed, mayStart, !isMarked, session.modes.restart?.dueAt == nil,
        !session.outbox.contains(where: { $0.trigger.row == .restart }), session.relaunchAt == nil
      {
        return "E5: not started again"
      }
      if isOver(retryBy, 0, now), mayStart, session.outbox.contains(where: { mayWake(for: $0) }) {
        return "K5: not tried again"
      }
    }
    // A silent push waits for an hour at most (rule H2).
    let isHeld = session.modes.pushes?.heldUntil != nil
    if !state.isRunning, mayStart, !isMarked, session.deadline(Policy.Configuration()) == nil,
      session.outbox.contains(where: { mayWake(for: $0) && !($0.trigger.isSilent && isHeld) })
    {
      return "K5: an event waits for nothing"
    }
    return nil
  }

  private func standingInBackground(_ session: Session, at now: EngineInstant) -> String? {
    if session.assertions.isEmpty { return "A2: runs in the background without an assertion" }
    if session.isSounding { return nil }
    if session.deadline(Policy.Configuration()) == nil { return "K1: runs in the background without an end" }
    if let clock = session.taskClock, let since = tasksSince, !clock.isOver,
      since.seconds(to: clock.end) > numbers.taskSeconds
    {
      return "C2: the time of tasks moved"
    }
    // Where its audio was interrupted, it may have met the total of its wake while it sounded: then it is not ended,
    // and what comes next has a time of its own.
    if !session.assertions.contains(where: { $0.reason == .audio }) {
      if isOver(silentSince, silentSeconds, now) { return "K1: silent for longer than it may be" }
      if let clock = session.wakeClock, let silentSince, silentSince.seconds(to: clock.end) > clock.seconds {
        return "K1: a delivery renews the time of a wake"
      }
    }
    if isOver(backgroundSince, numbers.taskSeconds + numbers.wakeSeconds + numbers.wakes.seconds, now) {
      return "K1: no end of its time in the background"
    }
    return nil
  }

  /// Whether nothing but time keeps it from being started in the background.
  private var mayStart: Bool {
    backgroundDelivery && !isThrottled && !exitsOnSuspend
      && (state == .suspended || !isLocked && criticalSince == nil)
  }

  /// Whether an event that waits is one to start the subscriber for.
  private func mayWake(for pending: Session.Pending) -> Bool {
    let starts = state == .suspended ? pending.trigger.wakes : pending.trigger.relaunches
    let isAllowed = !pending.trigger.isLocation || authorization == .always
    let waits = savesEnergy && (pending.trigger.isWanted || pending.trigger.isSilent)
    return starts && isAllowed && !waits && (!isMarked || pending.trigger.outlivesForceQuit)
  }

  private func isOver(_ since: EngineInstant?, _ seconds: Double, _ now: EngineInstant) -> Bool {
    since.map { $0.seconds(to: now) > seconds } ?? false
  }
}

// MARK: - Normal form

extension ModelWitness {
  /// Forgets events that ended with their process.
  mutating func forgetEnded(except waiting: Set<Int>) {
    kept.removeAll { facts[$0]?.isKept == false && !waiting.contains($0) }
  }

  /// Numbers events and tasks anew and moves instants; see ``ModelState/normalize(_:)``.
  mutating func normalize(
    _ events: [Int: Int], _ tokens: [Int: Int], _ move: (inout EngineInstant?, Double) -> Void
  ) {
    func renumber(_ old: Set<Int>) -> Set<Int> { Set(old.compactMap { events[$0] }) }
    kept = kept.compactMap { events[$0] }
    held = renumber(held)
    wasHanded = renumber(wasHanded)
    withheld = renumber(withheld)
    facts = Dictionary(
      uniqueKeysWithValues: facts.compactMap { old in events[old.key].map { ($0, old.value) } })
    lastEvent = events.count
    openTasks = Set(openTasks.compactMap { tokens[$0] })
    warnedTasks = Set(warnedTasks.compactMap { tokens[$0] })
    // Each instant is compared with one span; a moment more, and it is just over.
    move(&criticalSince, 2)
    move(&backgroundSince, numbers.taskSeconds + numbers.wakeSeconds + numbers.wakes.seconds + 1)
    move(&tasksSince, numbers.taskSeconds + 1)
    if state != .background {
      silentSince = nil
      silentSeconds = 0
    }
    move(&silentSince, numbers.wakes.longSeconds + 1)
    move(&exitSince, numbers.exitSeconds + 1)
    move(&retryBy, 1)
  }
}

import TestSupport

@testable import LocationCore

/// Breadth-first search over every short sequence of what can happen to a subscriber, with the rules as invariants.
///
/// A state is the policy as it is, and what a witness beside it knows that the policy does not say: what was raised,
/// handed over, acknowledged and dropped, and since when the program has been silent. The witness is told of steps
/// alone, and never reads the policy to decide what the policy should have done. Two sequences that lead to one state
/// are searched once.
struct ModelChecker {
  /// One thing that can happen.
  enum Action: Hashable, CaseIterable {
    case launch, background, quit, exit, done
    case region, visit, update
    case acknowledgeOldest, acknowledgeAll
    case beginTask, endTask, locate
    case warning, critical, relief
    case deny, whenInUse, always, reduced, full
    case backgroundDeliveryOff, backgroundDeliveryOn
    case reboot, unlock, hold
    case lockScreen, interrupt, resume
    case second, fiveSeconds, tenSeconds, minute
  }

  /// What the invariants need to know beside the policy.
  struct Witness: Hashable {
    /// Events that were raised and accepted, and are neither acknowledged nor dropped, oldest first.
    var kept: [Int] = []
    /// Of these, those that the present process has.
    var held: Set<Int> = []
    /// Of these, those that any process was handed.
    var wasHanded: Set<Int> = []
    /// Events that nobody has to acknowledge: updates of rule B2.
    var passing: Set<Int> = []
    /// Events that say exactly where the machine is.
    var exact: Set<Int> = []
    var lastID = 0
    var state = SubscriberState.suspended
    var authorization = Subscriber.Authorization.always
    var isReduced = false
    var isMarked = false
    var isLocked = false
    var isCritical = false
    var backgroundDelivery = true
    /// Since when it has been in the background.
    var backgroundSince: EngineInstant?
    /// When the clock of tasks began in this stay in the background.
    var tasksSince: EngineInstant?
    var openTasks: Set<Int> = []
    var nextTask = 1
    var warnedTasks: Set<Int> = []
    /// Since when it holds something and has acknowledged nothing.
    var silentSince: EngineInstant?
    var exitSince: EngineInstant?
    /// When a program that ended owes another try.
    var retryBy: EngineInstant?
    var ends = 0
    var criticalSince: EngineInstant?
  }

  struct State: Hashable {
    var policy: Policy
    var witness: Witness
    var now: EngineInstant
  }

  /// A sequence that breaks a rule.
  struct Violation: CustomStringConvertible {
    var rule: String
    var path: [Action]
    var description: String { "\(rule): \(path.map { "\($0)" }.joined(separator: ", "))" }
  }

  var configuration = Policy.Configuration()
  var subscriber: Subscriber
  var actions: [Action]
  /// Hands the policy out and takes it back at every step; nil where snapshots are not tried.
  var restore: ((Policy) throws -> Policy)?

  private(set) var visited = 0
  private(set) var violation: Violation?

  init(subscriber: Subscriber, actions: [Action] = Action.allCases) {
    self.subscriber = subscriber
    self.actions = actions
    configuration.protectUntilFirstUnlock = true
  }

  /// Searches every sequence of `depth` actions, or until so many states were seen.
  mutating func search(depth: Int, limit: Int) throws {
    var policy = Policy(configuration: configuration)
    var steps: [PolicyStep] = []
    let start = Drive.instant(0)
    _ = policy.add(subscriber, state: .suspended, at: start, into: &steps)
    var level = [(State(policy: policy, witness: Witness(), now: start), [Action]())]
    var seen: Set<State> = [level[0].0]
    visited = 1
    for _ in 0..<depth {
      var next: [(State, [Action])] = []
      for (state, path) in level {
        for action in actions {
          var after = state
          if let rule = try take(action, &after) {
            violation = Violation(rule: rule, path: path + [action])
            return
          }
          guard seen.insert(after).inserted else { continue }
          visited += 1
          next.append((after, path + [action]))
          if visited >= limit { return }
        }
      }
      level = next
    }
  }

  // MARK: One step

  /// Does an action; the rule that it breaks, if it does.
  private func take(_ action: Action, _ state: inout State) throws -> String? {
    var steps: [PolicyStep] = []
    if let seconds = action.seconds {
      let end = state.now.advanced(bySeconds: seconds)
      var guardCount = 0
      while let due = state.policy.nextDeadline, due <= end {
        guardCount += 1
        if guardCount > 200 { return "clause 3: deadlines do not end" }
        state.now = max(state.now, due)
        steps = []
        state.policy.fire(at: state.now, into: &steps)
        if let rule = try check(steps, &state, cause: nil) { return rule }
      }
      state.now = end
      return Self.standing(state, configuration)
    }
    perform(action, &state, into: &steps)
    if let rule = try check(steps, &state, cause: action) { return rule }
    return Self.standing(state, configuration)
  }

  private func perform(_ action: Action, _ state: inout State, into steps: inout [PolicyStep]) {
    let now = state.now
    var made: [PolicyStep] = []
    var witness = state.witness
    func say(_ body: (inout Policy, Int) -> Void) { _ = state.policy.withSession("a", body) }
    switch action {
    case .launch: say { $0.bringToForeground($1, at: now, into: &made) }
    case .background:
      if witness.state.isForeground, subscriber.exitsOnSuspend, witness.exitSince == nil {
        witness.exitSince = now
      }
      say { $0.sendToBackground($1, at: now, into: &made) }
    case .quit:
      say { $0.forceQuit($1, at: now, into: &made) }
      witness.isMarked = true
      // What the user ended is not tried again: it waits for the next event of a location service, or the user.
      witness.retryBy = nil
    case .exit: say { $0.exited($1, at: now, into: &made) }
    case .done: say { $0.endGrace($1, at: now, into: &made) }
    case .region: raise(.region, "r", &witness, &state, into: &made)
    case .visit: raise(.visit, nil, &witness, &state, into: &made)
    case .update:
      // As the engine does it: only who takes updates is offered one.
      if state.policy.sessions[0].takesUpdates, witness.isReduced == false {
        raise(state.policy.sessions[0].updateTrigger, nil, &witness, &state, into: &made)
      }
    case .acknowledgeOldest:
      if let event = witness.held.min(), witness.state.isRunning {
        acknowledge([event], &witness, &state, into: &made)
      }
    case .acknowledgeAll:
      if witness.state.isRunning { acknowledge(witness.held.sorted(), &witness, &state, into: &made) }
    case .beginTask:
      let token = state.policy.sessions[0].nextTask
      say { $0.beginTask("t", $1, at: now, into: &made) }
      if !made.contains(where: \.isRefusal) {
        witness.openTasks.insert(token)
        if witness.state == .background, witness.tasksSince == nil { witness.tasksSince = now }
      }
    case .endTask:
      if let token = witness.openTasks.min() {
        say { $0.endTask(token, $1, at: now, into: &made) }
        witness.openTasks.remove(token)
      }
    case .locate: say { $0.locate($1, seconds: 30, at: now, into: &made) }
    case .warning, .critical, .relief:
      let level: MachineEvent.MemoryPressure =
        action == .warning ? .warning : action == .critical ? .critical : .none
      let wasCritical = witness.isCritical
      witness.isCritical = level == .critical
      if !wasCritical || !witness.isCritical { witness.criticalSince = witness.isCritical ? now : nil }
      state.policy.setPressure(level, at: now, into: &made)
    case .deny, .whenInUse, .always:
      let right: Subscriber.Authorization =
        action == .deny ? .denied : action == .always ? .always : .whenInUse
      witness.authorization = right
      say { $0.authorize(right, $1, at: now, into: &made) }
    case .reduced, .full:
      witness.isReduced = action == .reduced
      say { $0.limit(action == .reduced ? .reduced : .full, $1, at: now, into: &made) }
    case .backgroundDeliveryOff, .backgroundDeliveryOn:
      witness.backgroundDelivery = action == .backgroundDeliveryOn
      say { $0.setBackgroundDelivery(action == .backgroundDeliveryOn, $1, at: now, into: &made) }
    case .reboot:
      witness.isLocked = true
      witness.isMarked = false
      witness.isCritical = false
      witness.criticalSince = nil
      state.policy.reboot(at: now, into: &made)
    case .unlock:
      witness.isLocked = false
      state.policy.unlock(at: now, into: &made)
    case .lockScreen: state.policy.lockScreen(at: now, into: &made)
    case .interrupt, .resume: say { $0.interrupt($1, begins: action == .interrupt, at: now, into: &made) }
    case .hold: say { $0.noteLock(true, $1, at: now, into: &made) }
    case .second, .fiveSeconds, .tenSeconds, .minute: break
    }
    state.witness = witness
    steps = made
  }

  private func raise(
    _ trigger: Trigger, _ region: String?, _ witness: inout Witness, _ state: inout State,
    into steps: inout [PolicyStep]
  ) {
    witness.lastID += 1
    witness.exact.insert(witness.lastID)
    if !trigger.isKept { witness.passing.insert(witness.lastID) }
    let before = steps.count
    state.policy.offer(event: witness.lastID, trigger: trigger, region: region, at: state.now, into: &steps)
    state.policy.refreshDeadline()
    let isTaken = steps[before...].contains { step in
      if case .decided(let decision) = step, decision.event == witness.lastID {
        [.deliver, .wake, .relaunch, .defer].contains(decision.action)
      } else {
        false
      }
    }
    if isTaken { witness.kept.append(witness.lastID) }
  }

  private func acknowledge(
    _ events: [Int], _ witness: inout Witness, _ state: inout State, into steps: inout [PolicyStep]
  ) {
    let now = state.now
    for event in events where witness.held.contains(event) {
      witness.held.remove(event)
      witness.kept.removeAll { $0 == event }
      witness.silentSince = witness.owesAnswer ? now : nil
      witness.ends = 0
      _ = state.policy.withSession("a") { $0.acknowledge(event, $1, at: now, into: &steps) }
      // What follows of it is judged as it comes.
    }
  }

  // MARK: Invariants of a step

  /// Follows what was decided and ordered; the rule that is broken, if one is.
  private func check(_ steps: [PolicyStep], _ state: inout State, cause: Action?) throws -> String? {
    var witness = state.witness
    let now = state.now
    for step in steps {
      switch step {
      case .moved(let move):
        if move.before != witness.state { return "A1: a state that was not held" }
        if move.after == .suspended { return "A1: suspended without a decision" }
        if !move.before.mayBecome(move.after) { return "A1: \(move.before) to \(move.after)" }
        if let rule = enter(move.after, at: now, &witness) { return rule }
        if move.after == .notRunning, move.cause == .exit { owe(&witness, at: now) }
      case .decided(let decision):
        if decision.before != witness.state { return "A1: a decision in a state that was not held" }
        if let rule = follow(decision, at: now, &witness, cause: cause) { return rule }
      case .ordered(let order):
        if let rule = follow(order, at: now, &witness) { return rule }
      case .answered, .reduced, .changed, .called, .transferred: break
      }
    }
    state.witness = witness
    guard let restore else { return nil }
    return try restore(state.policy) == state.policy ? nil : "clause 8: a snapshot changes something"
  }

  private func follow(
    _ decision: Decision, at now: EngineInstant, _ witness: inout Witness, cause: Action?
  ) -> String? {
    switch decision.action {
    case .drop:
      if let event = decision.event {
        witness.kept.removeAll { $0 == event }
        witness.held.remove(event)
        if !witness.owesAnswer { witness.silentSince = nil }
      }
    case .wake, .relaunch:
      if witness.authorization != .always { return "B8: started without the right" }
      if !witness.backgroundDelivery { return "B8: started against the user" }
      if decision.action == .relaunch {
        if witness.isLocked { return "A8: relaunched before the first unlock" }
        if witness.isCritical { return "A4: relaunched under critical pressure" }
        witness.retryBy = nil
      }
      let isOfUpdate = decision.rule == .backgroundLocation
      if witness.isMarked, isOfUpdate { return "A7: background location wakes under the mark" }
    case .deliver:
      if !witness.state.isRunning { return "A3: handed to one that runs no code" }
      if decision.reason == .unacknowledged, let event = decision.event, !witness.wasHanded.contains(event) {
        return "A9: a never-handed event is called unacknowledged"
      }
      if decision.reason == .kept, let event = decision.event, witness.wasHanded.contains(event) {
        return "A9: an event handed again is called kept"
      }
    case .terminate where decision.rule == .overrun:
      // Never ended while it answers.
      guard decision.reason == .budgetOver else { break }
      if let since = witness.silentSince, since.seconds(to: now) < 10 { return "K1: ended while it answers" }
    case .terminate where decision.rule == .memoryPressure, .purge:
      if !witness.isCritical { return "A4: ended after relief" }
    case .warn:
      if let token = decision.task {
        if !witness.openTasks.contains(token) { return "C3: warned of a task that is not open" }
        if witness.state == .background, !witness.warnedTasks.insert(token).inserted {
          return "C3: warned twice"
        }
      }
    case .defer, .coalesce, .suspend, .terminate, .refuse, .throttle: break
    }
    if cause == .launch, decision.action == .refuse, decision.reason == .locked, !witness.isLocked {
      return "A8: refused though unlocked"
    }
    guard decision.after != decision.before else { return nil }
    if decision.after == .notRunning, decision.rule != .forceQuit, decision.rule != .exitsOnSuspend {
      owe(&witness, at: now)
    }
    return enter(decision.after, at: now, &witness)
  }

  private func follow(_ order: Order, at now: EngineInstant, _ witness: inout Witness) -> String? {
    guard case .deliver(_, let event) = order else { return nil }
    if !witness.state.isRunning { return "A3: handed to one that runs no code" }
    if witness.authorization == .denied { return "B8: a denied subscriber is handed an event" }
    if witness.isReduced, witness.exact.contains(event) {
      return "B8: reduced accuracy is handed an exact event"
    }
    if witness.held.contains(event) { return "K5: handed twice to one process" }
    if let last = witness.held.max(), last > event { return "K5: out of order" }
    witness.held.insert(event)
    witness.wasHanded.insert(event)
    if witness.held.count > 100 { return "K5: more than 100 at once" }
    if witness.silentSince == nil, witness.owesAnswer { witness.silentSince = now }
    return nil
  }

  /// A program ended by something that is no wish of the user: what it had not acknowledged is tried again.
  private func owe(_ witness: inout Witness, at now: EngineInstant) {
    guard witness.kept.contains(where: { !witness.passing.contains($0) }) else { return }
    witness.ends += 1
    let wait = min(Double(1 << min(witness.ends - 1, 8)), 300)
    witness.retryBy = now.advanced(bySeconds: wait)
  }

  private func enter(
    _ after: SubscriberState, at now: EngineInstant, _ witness: inout Witness
  ) -> String? {
    let before = witness.state
    witness.state = after
    switch after {
    case .notRunning:
      witness.held = []
      witness.openTasks = []
    case .active, .inactive:
      if before == .notRunning, witness.isLocked { return "A8: launched before the first unlock" }
      witness.isMarked = witness.isMarked && after == .inactive
      witness.retryBy = nil
    case .suspended:
      if !witness.openTasks.isEmpty { return "A2: suspended with an open task" }
      // What it holds is handed over anew when it is woken.
      witness.held = []
    case .background: break
    }
    if after != .background || before != .background {
      witness.backgroundSince = after == .background ? now : nil
      witness.tasksSince = after == .background && before.isForeground ? now : nil
      witness.warnedTasks = []
      witness.silentSince = witness.owesAnswer ? now : nil
    }
    if after == .active || after == .notRunning || after == .background { witness.exitSince = nil }
    return nil
  }

  // MARK: Invariants of a state

  /// What holds of every state when all that is due has been done; the rule that is broken, if one is.
  private static func standing(_ state: State, _ configuration: Policy.Configuration) -> String? {
    let session = state.policy.sessions[0]
    let witness = state.witness
    let now = state.now
    if session.state != witness.state { return "A1: the state is not the one that was told" }
    let waiting = Set(session.outbox.filter(\.trigger.isKept).map(\.event))
    let exact = waiting.isSubset(of: Set(witness.kept))
    if !exact { return "K5: an event is made up" }
    for event in witness.kept where !session.outbox.contains(where: { $0.event == event }) {
      // A standard update of rule B2 ends with the process; all else is kept.
      if witness.isOfB2(event, session) { continue }
      return "K5: event \(event) is lost without a record"
    }
    if witness.state == .background {
      if session.assertions.isEmpty { return "A2: runs in the background without an assertion" }
      if session.deadline == nil { return "K1: runs in the background without an end" }
      if let since = witness.tasksSince, !witness.openTasks.isEmpty,
        since.seconds(to: now) > configuration.taskBudgetSeconds
      {
        return "C2: a task outlives its time"
      }
      if let since = witness.silentSince, since.seconds(to: now) > 10 {
        return "K1: silent for more than 10 s"
      }
    }
    if witness.state == .suspended, session.standard.request != nil {
      return "B9: a request waits in suspension"
    }
    if witness.state == .suspended, !session.assertions.isEmpty { return "A3: suspended with an assertion" }
    if witness.state.isForeground, let since = witness.exitSince, session.subscriber.exitsOnSuspend,
      session.exitAt != nil, since.seconds(to: now) > 5
    {
      return "A5: the end moved"
    }
    if let since = witness.criticalSince, witness.state == .suspended, since.seconds(to: now) > 1,
      session.suspendedAt.map({ $0.seconds(to: now) > 1 }) ?? true
    {
      return "A4: suspended under critical pressure for more than 1 s"
    }
    if let by = witness.retryBy, by < now, witness.state == .notRunning, witness.authorization == .always,
      !witness.isLocked, !witness.isCritical, witness.backgroundDelivery, session.throttledUntil == nil,
      !session.subscriber.exitsOnSuspend, session.outbox.contains(where: \.trigger.relaunches)
    {
      return "K5: not tried again"
    }
    return nil
  }
}

extension ModelChecker.Witness {
  /// Whether the present process was handed something that it has to acknowledge.
  fileprivate var owesAnswer: Bool { !held.isSubset(of: passing) }

  /// Whether an event is one that is not kept: it was handed over while the program ran.
  fileprivate func isOfB2(_ event: Int, _ session: Session) -> Bool {
    wasHanded.contains(event) && session.subscriber.services.contains(.standard)
  }
}

extension ModelChecker.Action {
  /// Seconds that pass; nil where something happens at once.
  fileprivate var seconds: Double? {
    switch self {
    case .second: 1
    case .fiveSeconds: 5
    case .tenSeconds: 10
    case .minute: 60
    case _: nil
    }
  }
}

extension PolicyStep {
  fileprivate var isRefusal: Bool {
    if case .decided(let decision) = self { decision.action == .refuse } else { false }
  }
}

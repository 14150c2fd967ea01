import TestSupport

@testable import LocationCore

/// Breadth-first search over every short sequence of what can happen to a subscriber, with the rules as invariants.
///
/// A state is the policy and a ``ModelWitness`` beside it. Two sequences that lead to the same state are continued
/// once. States that differ only in what no rule depends on are the same: see ``ModelState/normalize(_:)``.
struct ModelChecker {
  /// A sequence that breaks a rule.
  struct Violation: CustomStringConvertible {
    /// The invariant: the id of its rule, and what is wrong.
    var rule: String
    var path: [ModelAction]
    var description: String { "\(rule): \(path.map { "\($0)" }.joined(separator: ", "))" }
  }

  /// The numbers of the rules.
  var configuration: Policy.Configuration
  var subscriber: Subscriber
  var actions: [ModelAction]
  /// Encodes and decodes the policy after every action; nil where snapshots are not tested.
  var restore: ((Policy) throws -> Policy)?

  /// Distinct states that were reached.
  private(set) var visited = 0
  /// Actions that were tried.
  private(set) var transitions = 0
  /// Actions in the longest sequences of which all were searched.
  private(set) var completeDepth = 0
  private(set) var violation: Violation?

  init(
    subscriber: Subscriber, actions: [ModelAction] = ModelAction.allCases,
    configuration: Policy.Configuration = Self.defaults
  ) {
    self.subscriber = subscriber
    self.actions = actions
    self.configuration = configuration
  }

  /// The numbers of the rules, with protection until the first unlock.
  static var defaults: Policy.Configuration {
    var configuration = Policy.Configuration()
    configuration.protectUntilFirstUnlock = true
    return configuration
  }

  /// The same rules with smaller numbers: short sequences meet the limits too.
  static var small: Policy.Configuration {
    var configuration = defaults
    configuration.handedLimit = 2
    configuration.throttleOverruns = 2
    configuration.wakeLimitSeconds = 20
    configuration.backOffLimitSeconds = 4
    return configuration
  }

  /// Searches every sequence of up to `depth` actions, or stops at a number of states.
  ///
  /// States are remembered as hashes of 64 bits. The states of the last two levels are not kept: they are made anew
  /// from those before. So memory holds 8 bytes for nearly every state.
  mutating func search(depth: Int, limit: Int) throws {
    var first = ModelState(subscriber, configuration)
    first.normalize(first.now)
    var level = [(state: first, path: [ModelAction]())]
    var seen: Set<Int> = [first.hashValue]
    visited = 1
    completeDepth = 0
    for _ in 0..<max(0, depth - 1) {
      let isLast = completeDepth == depth - 2
      var leaves: Set<Int> = []
      var next: [(state: ModelState, path: [ModelAction])] = []
      for (state, path) in level {
        try expand(state, path, isLast ? depth - completeDepth : 1, &seen, &leaves) {
          if !isLast { next.append(($0, $1)) }
        }
        visited = seen.count + leaves.count
        if violation != nil || visited >= limit { return }
      }
      completeDepth += 1
      level = next
    }
    completeDepth = depth
  }

  /// Does every action in a state and hands on each state that is new; where more than one action is to be searched,
  /// those after it too. New states of the last level are `leaves`: they may be reached sooner yet.
  private mutating func expand(
    _ state: ModelState, _ path: [ModelAction], _ depth: Int, _ seen: inout Set<Int>,
    _ leaves: inout Set<Int>, _ found: (ModelState, [ModelAction]) -> Void
  ) throws {
    for action in actions {
      var after = state
      transitions += 1
      if let rule = try after.take(action, restore) {
        violation = Violation(rule: rule, path: path + [action])
        return
      }
      after.normalize(Drive.instant(0))
      let hash = after.hashValue
      guard seen.insert(hash).inserted else { continue }
      leaves.remove(hash)
      found(after, path + [action])
      guard depth > 1 else { continue }
      try expandLeaves(after, path + [action], seen, &leaves)
      if violation != nil { return }
    }
  }

  private mutating func expandLeaves(
    _ state: ModelState, _ path: [ModelAction], _ seen: Set<Int>, _ leaves: inout Set<Int>
  ) throws {
    for action in actions {
      var after = state
      transitions += 1
      if let rule = try after.take(action, restore) {
        violation = Violation(rule: rule, path: path + [action])
        return
      }
      after.normalize(Drive.instant(0))
      let hash = after.hashValue
      if !seen.contains(hash) { leaves.insert(hash) }
    }
  }
}

/// One state of the search.
struct ModelState: Hashable {
  var policy: Policy
  var witness: ModelWitness
  var now: EngineInstant

  /// The subscriber is added, and nothing else has happened.
  init(_ subscriber: Subscriber, _ configuration: Policy.Configuration) {
    policy = Policy(configuration: configuration)
    witness = ModelWitness(subscriber, configuration)
    now = Drive.instant(0)
    var turn = PolicyTurn(instant: now)
    _ = policy.add(subscriber, state: witness.state, in: &turn)
  }

  /// Does an action; the invariant that it breaks, if it does.
  mutating func take(_ action: ModelAction, _ restore: ((Policy) throws -> Policy)?) throws -> String? {
    var rule: String?
    if let seconds = action.seconds {
      rule = pass(seconds)
    } else {
      var turn = PolicyTurn(instant: now)
      perform(action, in: &turn)
      rule = check(&turn, cause: action)
    }
    if let rule = rule ?? witness.standing(policy.sessions[0], policy.configuration, at: now) { return rule }
    guard let restore else { return nil }
    return try restore(policy) == policy ? nil : "clause 8: a snapshot changes something"
  }

  /// Lets time pass: what is due is done at its own instant.
  private mutating func pass(_ seconds: Double) -> String? {
    let end = now.advanced(bySeconds: seconds)
    var count = 0
    while let due = policy.nextDeadline, due <= end {
      count += 1
      if count > 200 { return "clause 3: deadlines do not end" }
      now = max(now, due)
      noteStandstill()
      var turn = PolicyTurn(instant: now)
      policy.fire(in: &turn)
      if let rule = check(&turn, cause: nil) { return rule }
    }
    now = end
    noteStandstill()
    return nil
  }

  /// While it sounds, and in the pause after a wake, the time that it may run in the background does not pass (rules F1
  /// and K1).
  private mutating func noteStandstill() {
    let session = policy.sessions[0]
    if session.isSounding { witness.sounds(at: now, wakeSince: session.wakeClock?.since) }
    if let end = session.backlogAt { witness.pauses(until: end) }
  }

  /// Does what the engine does with the steps of the policy, and shows them to the witness.
  private mutating func check(_ turn: inout PolicyTurn, cause: ModelAction?) -> String? {
    var place = 0
    while place < turn.steps.count {
      if let rule = witness.follow(turn.steps[place], after: turn.steps[..<place], at: now, cause: cause) {
        return rule
      }
      switch turn.steps[place] {
      case .answered:
        raise(.standard, in: &turn)
        policy.suspendIfIdle(0, in: &turn)
      case .reduced(_, let owed, _): raise(owed.trigger, isCoarse: true, in: &turn)
      case .called(let call): raise(call.kind.trigger, call: call, in: &turn)
      case .notified(let due):
        let event = witness.nextEvent(.notificationDue, isExact: false)
        let before = turn.steps.count
        policy.present(due, event: event, 0, in: &turn)
        noteKept(event, turn.steps[before...])
      case .redelivered(_, let rule): policy.redeliver(0, rule: rule, in: &turn)
      case .pushed(let due): raise(due, in: &turn)
      case .reported(let due):
        raise(due.reason == nil ? .transferResult : .transferSession, in: &turn) {
          $0.present(due, event: $1, 0, in: &$2)
        }
      case .attached(let accessory):
        let state = policy.sessions[0].modes.accessories
        let place = state?.place(of: accessory.session)
        let isBluetooth = place.map { state?.sessions[$0].terms.kind == .gatt } ?? false
        raise(isBluetooth ? .bluetooth : .accessory, in: &turn) {
          $0.present(accessory, event: $1, 0, in: &$2)
        }
      case .ordered(.notify(_, let event, _, _)):
        policy.update(0) { $0.modes.notifications?.notePresented(event) }
      case .decided, .moved, .ordered, .changed, .briefed, .noted, .transferred: break
      }
      place += 1
    }
    policy.refreshDeadline()
    return nil
  }

  /// An event happens and is offered, as the engine does it.
  mutating func raise(
    _ trigger: Trigger, region: String? = nil, isCoarse: Bool = false, call: ModeCall? = nil,
    in turn: inout PolicyTurn
  ) {
    let event = witness.nextEvent(trigger, isExact: !isCoarse)
    let before = turn.steps.count
    if isCoarse || trigger == .standard || call != nil {
      policy.offer(
        event: event, trigger: trigger, isCoarse: isCoarse, call: call, to: 0, in: &turn)
    } else if trigger == .backgroundLocation {
      policy.offerUpdate(event: event, Self.fix(radiusMeters: 5), to: 0, in: &turn)
    } else {
      policy.offer(event: event, trigger: trigger, region: region, in: &turn)
    }
    noteKept(event, turn.steps[before...])
  }

  /// Something of a transfer or an accessory has its record and is presented, as the engine does it.
  private mutating func raise(
    _ trigger: Trigger, in turn: inout PolicyTurn,
    _ present: (inout Policy, Int, inout PolicyTurn) -> Void
  ) {
    let event = witness.nextEvent(trigger, isExact: false)
    let before = turn.steps.count
    present(&policy, event, &turn)
    noteKept(event, turn.steps[before...])
  }

  /// A push has come and is presented, as the engine does it.
  private mutating func raise(_ due: DuePush, in turn: inout PolicyTurn) {
    guard due.record.isForProgram else { return }
    let event = witness.nextEvent(due.push.alert == nil ? .silentPush : .push, isExact: false)
    let before = turn.steps.count
    // What the user is shown of it is remembered, which no rule depends on.
    let hasNotifier = policy.hasNotifier
    policy.hasNotifier = false
    policy.present(due, event: event, 0, in: &turn)
    policy.hasNotifier = hasNotifier
    policy.update(0) { session in
      for place in session.outbox.indices where session.outbox[place].event == event {
        session.outbox[place].unshown = nil
      }
    }
    // That the alert is not shown says nothing of the push, which has the same event.
    var made = Array(turn.steps[before...])
    made.removeAll {
      guard case .decided(let decision) = $0 else { return false }
      return decision.event == event && decision.reason == .noNotifier
    }
    turn.steps.replaceSubrange(before..., with: made)
    noteKept(event, made[...])
  }

  private mutating func noteKept(_ event: Int, _ steps: ArraySlice<PolicyStep>) {
    policy.refreshDeadline()
    let isKept = steps.contains { step in
      guard case .decided(let decision) = step, decision.event == event else { return false }
      return [.deliver, .wake, .relaunch, .defer].contains(decision.action) || decision.rule == .deferral
    }
    if isKept { witness.kept.append(event) }
  }

  static func fix(radiusMeters: Double) -> Fix {
    Fix(
      time: UTCTime(microseconds: Drive.epoch), instant: Drive.instant(0), coordinate: Drive.origin,
      accuracy: Accuracy(radiusMeters: radiusMeters, source: .reported))
  }
}

// MARK: - Normal form

extension ModelState {
  /// Replaces the state by one that behaves the same, so that as many states as possible become one. Nothing in the
  /// policy depends on the time of day, on the value of an id, or on how long something lies in the past that has
  /// already had its effect:
  ///
  /// - All instants are moved so that the present is `origin`.
  /// - Events and tasks that still matter are numbered from 1, in their order; others are forgotten.
  /// - Instants of the past whose rules look only so far back are moved to just beyond that.
  mutating func normalize(_ origin: EngineInstant) {
    let shift = now.seconds(to: origin)
    func move(_ instant: inout EngineInstant?, back: Double = .infinity) {
      guard let old = instant else { return }
      let moved = old.advanced(bySeconds: shift)
      instant = back.isFinite ? max(moved, origin.advanced(bySeconds: -back)) : moved
    }
    let waiting = policy.sessions[0].outbox.map(\.event)
    let inOutbox = Set(waiting)
    witness.forgetEnded(except: inOutbox)
    let events = Dictionary(
      uniqueKeysWithValues: inOutbox.union(witness.kept).sorted().enumerated().map { ($1, $0 + 1) })
    let tokens = Dictionary(
      uniqueKeysWithValues: policy.sessions[0].tasks.sorted().enumerated().map { ($1, $0 + 1) })
    let audioTokens = Dictionary(
      uniqueKeysWithValues: (policy.sessions[0].modes.audio?.sessions ?? []).enumerated().map {
        ($1.token, $0 + 1)
      })
    policy.update(0) { session in
      for place in session.outbox.indices {
        session.outbox[place].event = events[session.outbox[place].event] ?? 0
        move(&session.outbox[place].handedAt, back: 1)
      }
      _ = session.outbox.takeChanges()
      for place in session.assertions.indices {
        move(&session.assertions[place].end)
        let owner = session.assertions[place].owner
        switch session.assertions[place].reason {
        case .delivery: session.assertions[place].owner = events[owner] ?? 0
        case .task: session.assertions[place].owner = tokens[owner] ?? 0
        case .audio: session.assertions[place].owner = audioTokens[owner] ?? 0
        case .grace: break
        }
      }
      session.nextTask = tokens.count + 1
      if var clock = session.taskClock {
        clock.end = clock.end.advanced(bySeconds: shift)
        move(&clock.warning)
        session.taskClock = clock
      }
      if var clock = session.wakeClock {
        clock.since = clock.since.advanced(bySeconds: shift)
        clock.answeredAt = clock.answeredAt.advanced(bySeconds: shift)
        clock.end = clock.end.advanced(bySeconds: shift)
        session.wakeClock = clock
      }
      move(&session.backlogAt)
      // Only a launch tells how long it slept.
      move(&session.suspendedAt, back: 2)
      move(&session.exitAt)
      move(&session.relaunchAt)
      move(&session.reducedAt, back: Policy.Configuration.Coarse().leastSeconds)
      move(&session.throttledUntil)
      move(&session.purgeAt)
      if var restart = session.modes.restart {
        move(&restart.startedAt, back: 600)
        move(&restart.dueAt)
        session.modes.restart = restart
      }
      if let from = session.modes.keepAlive?.from {
        session.modes.keepAlive?.from = from.advanced(bySeconds: shift)
      }
      if var fetch = session.modes.fetch {
        fetch.last = fetch.last.advanced(bySeconds: shift)
        move(&fetch.askedAt)
        fetch.moments = fetch.moments.map { $0.advanced(bySeconds: shift) }
        session.modes.fetch = fetch
      }
      session.modes.audio = session.modes.audio.map { Self.normalized($0, audioTokens, move) }
      session.modes.notifications = session.modes.notifications.map { Self.normalized($0, shift) }
      session.modes.transfers = session.modes.transfers.map { Self.normalized($0, origin) }
      for place in (session.modes.accessories?.sessions ?? []).indices {
        // Too few for rule J5.
        session.modes.accessories?.sessions[place].wakes = []
      }
      session.modes.issues = session.modes.issues.map { _ in IssueState(at: origin) }
      session.modes.pushes?.move(bySeconds: shift, to: origin)
      if let batch = session.standard.batch {
        session.standard.batch = StandardService.Batch(
          since: batch.since.advanced(bySeconds: shift), meters: batch.meters, last: batch.last)
      }
      if let request = session.standard.request {
        session.standard.request = StandardService.Request(
          end: request.end.advanced(bySeconds: shift), best: request.best)
      }
    }
    move(&policy.awakeSince, back: 1)
    // Two seconds ago or more, the next look is due at once.
    move(&policy.pressureLookedAt, back: 2)
    policy.refreshDeadline()
    witness.normalize(events, tokens, move)
    now = origin
  }

  /// The same transfers with numbers from 1, asked for now: no sequence lasts for seven days.
  private static func normalized(_ book: TransferBook, _ origin: EngineInstant) -> TransferBook {
    var fresh = TransferBook()
    for entry in book.entries {
      fresh.add(entry.terms, at: origin)
      fresh.change(fresh.lastNumber) {
        $0.isRunning = entry.isRunning
        $0.obstacle = entry.obstacle
      }
    }
    return fresh
  }

  private static func normalized(
    _ audio: AudioState, _ tokens: [Int: Int], _ move: (inout EngineInstant?, Double) -> Void
  ) -> AudioState {
    var normal = audio
    normal.nextToken = tokens.count + 1
    normal.sessions = audio.sessions.map { old in
      var session = AudioState.Session(token: tokens[old.token] ?? 0, kind: old.kind, mixes: old.mixes)
      session.quietSince = old.quietSince
      session.isSilent = old.isSilent
      session.interrupter = old.interrupter
      session.interruptionEnd = old.interruptionEnd
      move(&session.quietSince, 31)
      move(&session.interruptionEnd, 1)
      return session
    }
    return normal
  }

  private static func normalized(_ book: NotificationBook, _ shift: Double) -> NotificationBook {
    var normal = book
    for entry in book.entries {
      normal.change(entry) {
        $0.first = $0.first?.advanced(bySeconds: shift)
        $0.heldAt = $0.heldAt?.advanced(bySeconds: shift)
        if case .at(let time) = $0.notification.when {
          $0.notification.when = .at(time.advanced(bySeconds: shift))
        }
      }
    }
    // Which record showed it matters to nobody but the program that is launched.
    for shown in book.shown { normal.noteShown(NotificationBook.Shown(id: shown.id, event: 0, data: nil)) }
    return normal
  }
}

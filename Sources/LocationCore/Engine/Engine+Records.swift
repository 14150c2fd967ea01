/// What the engine tells of what happened, each under an id of its own.
extension Engine {
  /// Records that the position moved far, and offers it to those who asked for it.
  mutating func record(
    _ change: SignificantChange.Change, measuredBefore measure: SignificantChange,
    into effects: inout [Effect]
  ) {
    let id = record(change, into: &effects)
    guard hasSubscribers else { return }
    state.policy.offerMove(event: id, measuredBefore: measure, in: &turn)
    recordSteps(into: &effects)
  }

  private mutating func record(_ change: SignificantChange.Change, into effects: inout [Effect]) -> Int {
    state.tally.significant += 1
    return record(.significant(change), at: utc(at: change.instant), into: &effects)
  }

  /// What a subscriber measures significant changes by that begins now; nil where the engine's measure has said
  /// nothing yet.
  var newMeasure: SignificantChange? {
    state.gate.last == nil ? nil : SignificantChange(configuration: configuration.significant)
  }

  /// Shows a fix to those who measure significant changes for themselves (rule B1).
  mutating func offerOwnMoves(of fix: Fix, into effects: inout [Effect]) {
    for index in state.policy.sessions.indices {
      let before = state.policy.sessions[index].significant
      if let change = state.policy.measure(fix, index) { tell(change, to: index, before, into: &effects) }
    }
    state.policy.refreshDeadline()
  }

  /// Tells a subscriber its first significant change, where it may be told one now (rule B1). While nobody is there to
  /// start it, that waits.
  mutating func offerFirstMove(to name: String, into effects: inout [Effect]) {
    guard !state.policy.isAbsent, let last = state.gate.last, let index = state.policy.index(of: name) else {
      return
    }
    let before = state.policy.sessions[index].significant
    guard let change = state.policy.firstMove(index, last: last, at: state.instant) else { return }
    tell(change, to: index, before, into: &effects)
    state.policy.refreshDeadline()
    reviseSampling(into: &effects)
  }

  /// Tells a subscriber whose window is over where it is now, if it has moved far enough (rule B1).
  private mutating func offerDueMove(to name: String, into effects: inout [Effect]) {
    guard let last = state.gate.last,
      let index = state.policy.index(of: name)
    else { return }
    let before = state.policy.sessions[index].significant
    if let change = state.policy.dueMove(index, last: last, at: state.instant) {
      offer(change, to: index, before, into: &effects)
    }
    state.policy.refreshDeadline()
  }

  /// Tells one subscriber a significant change.
  private mutating func tell(
    _ change: SignificantChange.Change, to index: Int, _ before: SignificantChange?,
    into effects: inout [Effect]
  ) {
    offer(change, to: index, before, into: &effects)
    recordSteps(into: &effects)
  }

  /// Offers one subscriber a significant change. Where it is not told, it goes on measuring from what it was told last.
  mutating func offer(
    _ change: SignificantChange.Change, to index: Int, _ before: SignificantChange?,
    into effects: inout [Effect]
  ) {
    let id = record(change, into: &effects)
    let isTold = state.policy.offerByAccuracy(
      event: id, trigger: .significantChange.of(.move), to: index, in: &turn)
    let isInStep = state.policy.sessions[index].significant == state.significant
    guard isTold else { return state.policy.noteUntold(index, measuredBefore: before) }
    state.policy.noteWaitingMove(id, index, measuredBefore: before)
    if isInStep { state.policy.update(index) { $0.significant = nil } }
  }

  /// Records what the regions found, and offers to those who asked what is a trigger.
  mutating func recordRegionEvents(into effects: inout [Effect]) {
    for event in regionEvents {
      state.tally.regions.count(event.kind)
      let id = record(.region(event), at: utc(at: event.instant), into: &effects)
      guard hasSubscribers else { continue }
      let hasNotifications = state.policy.notifiesOfRegions
      let running = hasNotifications ? Set(state.policy.runningSessions) : []
      // Who does not run is not told of a notification, also where the region is about to wake it.
      if hasNotifications { notifyOfRegion(event, { !running.contains($0) }, into: &effects) }
      if let kind = event.kind.eventKind {
        state.policy.offer(event: id, trigger: .region.of(kind), region: event.region, in: &turn)
        recordSteps(into: &effects)
      }
      // Who runs is told of it in order.
      if !running.isEmpty { notifyOfRegion(event, running.contains, into: &effects) }
    }
    // Its memory is not kept: thousands of engines would keep it.
    regionEvents = []
  }

  /// Shows the notifications that wait for a region to be entered or left (rule D7).
  ///
  /// - Parameter isMeant: whether those of a subscriber are, by its place among the sessions.
  private mutating func notifyOfRegion(
    _ event: RegionEvent, _ isMeant: (Int) -> Bool, into effects: inout [Effect]
  ) {
    let isLeft: Bool
    switch event.kind {
    case .enter: isLeft = false
    case .exit: isLeft = true
    case .dwell, .cross, .state: return
    }
    state.policy.notifyOfRegion(event.region, isLeft: isLeft, isMeant, in: &turn)
    recordSteps(into: &effects)
  }

  /// Records something of a subscriber, and has the policy do what follows from that record.
  private mutating func record(
    _ body: Record.Body, of name: String, into effects: inout [Effect],
    then follow: (inout Policy, Int, Int, inout PolicyTurn) -> Void
  ) {
    guard let index = state.policy.index(of: name) else { return }
    let id = record(body, at: utc(at: state.instant), into: &effects)
    follow(&state.policy, id, index, &turn)
    state.policy.refreshDeadline()
  }

  /// Records what the policy decided, and gives its orders.
  mutating func recordSteps(into effects: inout [Effect]) {
    guard !turn.steps.isEmpty else { return }
    let time = utc(at: state.instant)
    var place = 0
    // What is told of a step may add further ones.
    while place < turn.steps.count {
      let step = turn.steps[place]
      place += 1
      switch step {
      case .decided(let decision):
        state.tally.count(decision)
        // The start of a program that starts itself costs nothing here.
        if decision.action == .relaunch,
          state.policy.session(decision.subscriber)?.subscriber.startsItself != true
        {
          book { $0.addRelaunch(decision.subscriber, rule: decision.rule) }
        }
        record(.decision(decision), at: time, into: &effects)
      case .moved(let move):
        record(.subscriberState(move), at: time, into: &effects)
      case .ordered(let order):
        effects.append(.perform(order))
        // The machine is awake to show it: what may be done early is.
        if case .notify = order { state.policy.fireModes(isAwake: true, in: &turn) }
      case .answered(let name, let fix): tell(name, fix, .best, into: &effects)
      case .reduced(let name, let owed, let before): tell(name, owed, before: before, into: &effects)
      case .changed(let name): offerDueMove(to: name, into: &effects)
      case .briefed(let name): brief(name, into: &effects)
      case .called(let call):
        record(.call(call), of: call.subscriber, into: &effects) { policy, id, index, turn in
          let isCalled = policy.offer(event: id, trigger: call.kind.trigger, call: call, to: index, in: &turn)
          if !isCalled { policy.abandon(call, index, at: turn.instant) }
        }
      case .notified(let due):
        record(.notification(due.record), of: due.record.subscriber, into: &effects) {
          $0.present(due, event: $1, $2, in: &$3)
        }
      case .redelivered(let name, let rule):
        guard let index = state.policy.index(of: name) else { continue }
        state.policy.redeliver(index, rule: rule, in: &turn)
        state.policy.refreshDeadline()
      case .pushed(let due):
        record(.push(due.record), of: due.record.subscriber, into: &effects) {
          $0.present(due, event: $1, $2, in: &$3)
        }
      case .reported(let due):
        record(.transfer(due.record), of: due.record.subscriber, into: &effects) {
          $0.present(due, event: $1, $2, in: &$3)
        }
      case .attached(let accessory):
        record(.accessory(accessory), of: accessory.subscriber, into: &effects) {
          $0.present(accessory, event: $1, $2, in: &$3)
        }
      case .noted(let body): record(body, at: time, into: &effects)
      case .transferred(let name, let rule, let kilobytes, let seconds):
        let instant = state.instant
        book { $0.addTransfer(name, kilobytes: kilobytes, seconds: seconds, rule: rule, at: instant) }
      }
    }
    turn.steps.removeAll(keepingCapacity: true)
    tellOutboxes(into: &effects)
    refreshReceiverUsers()
  }

  /// Tells what has changed of who waits for what.
  mutating func tellOutboxes(into effects: inout [Effect]) {
    for index in state.policy.sessions.indices where !state.policy.sessions[index].outbox.changes.isEmpty {
      let name = state.policy.sessions[index].subscriber.name
      for change in state.policy.sessions[index].outbox.takeChanges() {
        switch change {
        case .put(let event, let isHanded):
          effects.append(.outbox(.put(subscriber: name, event: event, isHanded: isHanded)))
        case .remove(let event): effects.append(.outbox(.remove(subscriber: name, event: event)))
        }
      }
    }
  }

  /// Records that something asked for is not done, and why.
  mutating func refuse(_ what: String, _ reason: String, into effects: inout [Effect]) {
    record(.refused(what: what, reason: reason), at: utc(at: state.instant), into: &effects)
  }

  /// Records something; the id of the record. What was recorded before, by another build, has the id that it had.
  @discardableResult
  mutating func record(_ body: Record.Body, at time: UTCTime, into effects: inout [Effect]) -> Int {
    let known: Int? = past.change { $0.take(body, at: time) } ?? nil
    let id = known ?? takeID()
    effects.append(.record(Record(id: id, time: time, body: body)))
    return id
  }

  /// The id of what is recorded next.
  mutating func takeID() -> Int {
    defer { state.nextID += 1 }
    return state.nextID
  }

  /// UTC at an instant, as ``utcAheadMicroseconds`` says; before that is known, what the axis says, and
  /// ``UTCTime/unknown`` before anything has an instant.
  package func utc(at instant: EngineInstant) -> UTCTime {
    guard let ahead = utcAheadMicroseconds else {
      return instant == .distantPast ? .unknown : UTCTime(microseconds: instant.microseconds)
    }
    return UTCTime(microseconds: instant.microseconds.saturatingAdd(ahead))
  }
}

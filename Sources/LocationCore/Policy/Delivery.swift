/// From an event to a subscriber: deliver, wake, relaunch, or why not (sections B and K of the rules).
extension Policy {
  /// Offers an event to everyone who asked for its service, and for `region` where it is about one. A subscriber that
  /// may know no more than a coarse position is offered that, or nothing.
  ///
  /// - Parameter kinds: of which the event may be: for each subscriber it is of the first that it wants. Nil for the
  ///   trigger's own.
  mutating func offer(
    event: Int, trigger: Trigger, among kinds: [EventKind]? = nil, region: String? = nil,
    visit: VisitEvent? = nil,
    in turn: inout PolicyTurn
  ) {
    forEachSession { policy, index in
      guard policy.sessions[index].subscriber.services.contains(trigger.service) else { return }
      var trigger = trigger
      if let kinds {
        guard let kind = kinds.first(where: policy.sessions[index].wants) else { return }
        trigger = trigger.of(kind)
      }
      if let region, !policy.sessions[index].wants(region: region) { return }
      policy.offerByAccuracy(
        event: event, trigger: trigger, region: region, visit: visit, to: index, in: &turn)
    }
  }

  /// Offers an event to one subscriber that asked for it, as exactly as it may be told; false where it is neither told nor
  /// kept.
  @discardableResult
  mutating func offerByAccuracy(
    event: Int, trigger: Trigger, region: String? = nil, visit: VisitEvent? = nil, to index: Int,
    in turn: inout PolicyTurn
  ) -> Bool {
    guard sessions[index].wants(trigger.kind) else { return true }
    guard sessions[index].subscriber.accuracy == .reduced else {
      return offer(event: event, trigger: trigger, region: region, to: index, in: &turn)
    }
    // A coarse position tells nothing of any region.
    guard trigger.service != .regions else {
      decide(.refuse, .authorization, .reduced, index, event: event, in: &turn)
      return false
    }
    guard !awaitsUser(sessions[index]) else {
      return offer(event: event, trigger: trigger, to: index, in: &turn)
    }
    let owed = Session.Owed(trigger: trigger, visit: visit)
    return offerReduced(owed, event: event, to: index, in: &turn)
  }

  /// Offers an event to one subscriber; false where it is neither handed over nor kept.
  ///
  /// An event that is not meant for the subscriber counts as told. Otherwise the same move would be offered again at each
  /// fix (rule B1).
  ///
  /// - Parameters:
  ///   - isCoarse: Whether it says no more than reduced accuracy permits.
  ///   - call: The call that it is; nil for an event of a location service.
  ///   - push: The push that it is; nil for anything else.
  ///   - unshown: The notification that it is handed in place of the user being shown it; nil for anything else.
  ///   - session: The session of the transfer or accessory that it is about; nil for anything else.
  ///   - reason: Why it starts the subscriber; nil for the state that it is in.
  @discardableResult
  mutating func offer(
    event: Int, trigger: Trigger, region: String? = nil, isCoarse: Bool = false, call: ModeCall? = nil,
    push: Push? = nil, unshown: NotificationBook.Unshown? = nil, session name: String? = nil,
    reason: Decision.Reason? = nil, to index: Int, in turn: inout PolicyTurn
  ) -> Bool {
    func decide(_ action: Decision.Action, _ rule: Rule, _ reason: Decision.Reason) {
      self.decide(action, rule, reason, index, event: event, trigger: trigger, in: &turn)
    }
    if trigger.isLocation, let reason = sessions[index].locationObjection {
      decide(.refuse, .authorization, reason)
      return false
    }
    if let (rule, reason) = exclusion(of: trigger, index, at: turn.instant) {
      decide(.drop, rule, reason)
      return true
    }
    if let (action, rule, reason) = refusal(of: trigger, index, in: &turn) {
      decide(action, rule, reason)
      return false
    }
    guard sessions[index].hasRoom else {
      decide(.drop, .atLeastOnce, .outboxFull)
      return false
    }
    let state = sessions[index].state
    let waits = state.isRunning && !mayHand(index)
    if waits, trigger.waiting == .none {
      // In order, and nothing is queued for standard updates.
      decide(.drop, trigger.rule, .backlog)
      return false
    }
    let hasCooldown = trigger.kind != nil && sessions[index].subscriber.filter?.cooldownSeconds != nil
    update(index) {
      $0.outbox.append(
        Session.Pending(
          event: event, trigger: trigger, region: region, isCoarse: isCoarse ? true : nil, call: call?.kind,
          tag: call?.tag, push: push, session: name ?? call?.issue, unshown: unshown,
          keptAt: hasCooldown ? turn.instant : nil))
    }
    switch state {
    case .inactive, .active, .background:
      if state == .background, sessions[index].wasForceQuit || isLowPower,
        follows(sessions[index].outbox.dropLast(), trigger, session: name),
        let (rule, reason) = obstacle(to: trigger, index, at: turn.instant)
      {
        update(index) { $0.outbox[$0.outbox.count - 1].isWithheld = true }
        decide(.defer, rule, reason)
      } else if waits {
        decide(.defer, .atLeastOnce, .backlog)
        handKeptBack(index, in: &turn)
      } else {
        decide(.deliver, trigger.rule, state.isForeground ? .foreground : .running)
        hand(index, announced: event, in: &turn)
      }
    case .suspended, .notRunning:
      startOrDefer(event, trigger, reason: call?.reason ?? reason, index, in: &turn)
    }
    return true
  }

  /// Wakes or starts a subscriber for an event that has been put into its outbox, or tells why it waits.
  ///
  /// - Parameter why: Why it is started; nil for the state that it is in.
  private mutating func startOrDefer(
    _ event: Int, _ trigger: Trigger, reason why: Decision.Reason?, _ index: Int, in turn: inout PolicyTurn
  ) {
    let isSuspended = sessions[index].state == .suspended
    let state = isSuspended ? Decision.Reason.suspended : .notRunning
    func wait(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.defer, rule, reason, index, event: event, trigger: trigger, in: &turn)
    }
    if !(isSuspended ? trigger.wakes : trigger.relaunches) {
      wait(trigger.rule, state)
    } else if let (rule, reason) = obstacle(to: trigger, index, at: turn.instant) {
      wait(rule, reason)
    } else if !isSuspended, sessions[index].wasForceQuit {
      start(index, for: event, rule: .forceQuit, reason: .forceQuitLocation, in: &turn)
    } else {
      start(index, for: event, rule: trigger.rule, reason: why ?? state, in: &turn)
    }
  }

  /// Whether an event of the same trigger and session is withheld. The later event then waits too, because a program is
  /// handed them in order (rule K5).
  private func follows(_ waiting: some Sequence<Session.Pending>, _ trigger: Trigger, session: String?)
    -> Bool
  {
    waiting.contains { $0.isWithheld == true && $0.trigger.row == trigger.row && $0.session == session }
  }

  /// Forgets the oldest of too many events that were handed over and that nobody keeps: a subscriber need not acknowledge
  /// them (rule B2).
  private mutating func forgetUnkept(_ index: Int) {
    guard sessions[index].outbox.count > configuration.handedLimit else { return }
    let unkept = sessions[index].outbox.filter { !$0.isOwed }
    guard unkept.count > configuration.handedLimit else { return }
    let forgotten = Set(unkept.dropLast(configuration.handedLimit).map(\.event))
    update(index) { $0.outbox.removeAll { forgotten.contains($0.event) } }
  }

  /// Why an event of a trigger is not meant for a subscriber; nil where it is. Its own filter says so, or it will be told
  /// where it is when the user starts it (rule L1).
  @inline(__always)
  private func exclusion(
    of trigger: Trigger, _ index: Int, at instant: EngineInstant
  ) -> (Rule, Decision.Reason)? {
    if let reason = filterReason(trigger, index, at: instant) { return (trigger.rule, reason) }
    guard trigger.isLocation, awaitsUser(sessions[index]) else { return nil }
    return obstacle(to: trigger, index, at: instant)
  }

  /// Why an event of a trigger is not kept for a subscriber that can't take it now, as its row says; nil where it is. Of
  /// a trigger whose latest event counts the one before makes room.
  private mutating func refusal(
    of trigger: Trigger, _ index: Int, in turn: inout PolicyTurn
  ) -> (Decision.Action, Rule, Decision.Reason)? {
    let state = sessions[index].state
    if !state.isRunning, !trigger.isKept {
      let isSuspended = state == .suspended
      let starts = isSuspended ? trigger.wakes : trigger.relaunches
      guard trigger.holdsOff, starts else {
        return (.drop, trigger.rule, isSuspended ? .suspended : .notRunning)
      }
      if let (rule, reason) = obstacle(to: trigger, index, at: turn.instant) { return (.drop, rule, reason) }
    }
    if !state.isRunning, isDropped(trigger, index, at: turn.instant),
      let (rule, reason) = obstacle(to: trigger, index, at: turn.instant)
    {
      return (.drop, rule, reason)
    }
    guard trigger.waiting == .mergesLater || trigger.waiting == .latest,
      let old = sessions[index].outbox.first(where: { $0.waits(of: trigger) })?.event
    else { return nil }
    if trigger.waiting == .mergesLater { return (.coalesce, trigger.rule, .merged) }
    drop(trigger.rule, .merged, index, in: &turn) { $0.event == old }
    return nil
  }

  /// Drops those of the events that wait for a subscriber which are meant. Each has a decision of its own. A
  /// notification that the subscriber was handed instead of the user is shown to the user now.
  mutating func drop(
    _ rule: Rule, _ reason: Decision.Reason, _ index: Int, in turn: inout PolicyTurn,
    where isMeant: (Session.Pending) -> Bool
  ) {
    let dropped = sessions[index].outbox.filter(isMeant)
    for pending in dropped {
      decide(.drop, rule, reason, index, event: pending.event, in: &turn)
    }
    update(index) { $0.outbox.removeAll(where: isMeant) }
    showUnacknowledged(dropped, index, in: &turn)
  }

  /// Wakes or relaunches a subscriber for an event and hands it what waits.
  mutating func start(
    _ index: Int, for event: Int, rule: Rule, reason: Decision.Reason, in turn: inout PolicyTurn
  ) {
    passAbsence(until: turn.instant)
    dropForbidden(index, in: &turn)
    withhold(index)
    let isWake = sessions[index].state == .suspended
    guard let pending = sessions[index].outbox.first(where: { $0.event == event }) else { return }
    decide(isWake ? .wake : .relaunch, rule, reason, index, event: event, after: .background, in: &turn)
    let name = sessions[index].subscriber.name
    let launch = launch(index, for: pending, rule: rule, at: turn.instant)
    turn.order(isWake ? .wake(subscriber: name, launch: launch) : .relaunch(subscriber: name, launch: launch))
    noteAwake(at: turn.instant)
    let pushes = configuration.push
    update(index) {
      if pending.trigger.isSilent { $0.modes.pushes?.noteWake(at: turn.instant, pushes) }
      $0.modes.accessories?.noteWake(by: pending, at: turn.instant)
      $0.state = .background
      $0.suspendedAt = nil
      $0.relaunchAt = nil
      $0.backlogAt = nil
      $0.throttledUntil = nil
      $0.standard.batch = nil
      $0.taskClock = nil
      $0.wakeClock = nil
    }
    if isWake { publishServices(index, in: &turn) } else { noteStart(index, in: &turn) }
    hand(
      index, announced: event, startedBecause: Order.Cause(rule: launch.cause, kind: launch.kind), in: &turn)
    tellPressure(index, in: &turn)
  }

  /// Marks the waiting events that a process in the background is not handed, whatever wakes or starts it (rule M4):
  /// after a force-quit what does not outlive that, and in low-power mode an issue. Updates of rule B3 go along with the
  /// event of a location service.
  mutating func withhold(_ index: Int) {
    let (wasForceQuit, isLowPower) = (sessions[index].wasForceQuit, isLowPower)
    update(index) {
      for place in $0.outbox.indices where !$0.outbox[place].isHanded {
        let trigger = $0.outbox.trigger(at: place)
        let isWithheld =
          wasForceQuit && !trigger.isLocation && !trigger.outlivesForceQuit || isLowPower && trigger.isWanted
        $0.outbox[place].isWithheld = isWithheld ? true : nil
      }
    }
  }

  /// What a program is told of its start or wake.
  private func launch(
    _ index: Int, for pending: Session.Pending, rule: Rule, at instant: EngineInstant
  ) -> Order.Launch {
    let kind = kind(of: pending)
    let isOfMode = BackgroundMode.mode(of: rule) != nil
    var launch = launch(index, cause: rule, event: pending.event, at: instant)
    launch.kind = isOfMode || rule == .forceQuit ? kind : "redelivery"
    launch.eventKind = isOfMode ? nil : kind
    launch.tag = pending.tag
    launch.session = pending.session
    launch.budgetSeconds = budgetSeconds(index) ?? 0
    let overruns = sessions[index].overruns
    if overruns >= configuration.throttleOverruns {
      launch.throttleSeconds = configuration.throttle(afterOverruns: overruns)
    }
    return launch
  }

  /// Why an event is handed over that starts nothing.
  private func cause(of pending: Session.Pending) -> Order.Cause {
    pending.wasHanded
      ? Order.Cause(rule: .atLeastOnce, kind: "redelivery")
      : Order.Cause(rule: pending.trigger.rule, kind: kind(of: pending))
  }

  private func kind(of pending: Session.Pending) -> String {
    pending.call?.rawValue ?? BackgroundMode.mode(of: pending.trigger.rule)?.kind ?? "redelivery"
  }

  /// What a program is told of each start or wake, whatever caused it.
  func launch(_ index: Int, cause: Rule, event: Int, at instant: EngineInstant) -> Order.Launch {
    var launch = Order.Launch(cause: cause, event: event, budgetSeconds: 0)
    launch.isLocked = !isUnlocked
    launch.sleptSeconds = sessions[index].suspendedAt.map { $0.seconds(to: instant) }
    if sessions[index].state == .notRunning { launch.restored = sessions[index].preserved }
    return launch
  }

  /// Whether a running subscriber may be handed one more event now: in order, and not more than may be at once.
  func mayHand(_ index: Int) -> Bool {
    !sessions[index].hasBacklog && sessions[index].backlogAt == nil && !isCrowded(index)
  }

  /// Whether as many events as may be handed over at once wait for a subscriber, or for its acknowledgment: one more has
  /// to wait for these.
  func isCrowded(_ index: Int) -> Bool {
    sessions[index].outbox.count { $0.trigger.holdsOff && $0.isWithheld != true } >= configuration.handedLimit
  }

  /// Something waits for a running subscriber behind updates that are kept back (rule B7): these are handed over first.
  private mutating func handKeptBack(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].standard.batch != nil, sessions[index].backlogAt == nil else { return }
    hand(index, in: &turn)
  }

  /// Hands over what has not been handed over yet, oldest first and no more than may be at once, and holds off
  /// suspension until it is acknowledged. Each event has a decision of its own.
  ///
  /// - Parameters:
  ///   - rule: The rule under which it is handed over.
  ///   - reason: Why; nil for whether it was handed over before.
  ///   - announced: The event whose decision has been told.
  ///   - startCause: Why the subscriber was started or woken for that event; nil where it was not.
  mutating func hand(
    _ index: Int, rule: Rule = .atLeastOnce, reason: Decision.Reason? = nil, announced: Int? = nil,
    startedBecause startCause: Order.Cause? = nil, in turn: inout PolicyTurn
  ) {
    passAbsence(until: turn.instant)
    dropForbidden(index, in: &turn)
    update(index) { $0.standard.batch = nil }
    let name = sessions[index].subscriber.name
    var room = configuration.handedLimit - sessions[index].heldCount
    var seconds = 0.0
    for place in sessions[index].outbox.indices where !sessions[index].outbox[place].isHanded {
      guard room > 0 else { break }
      let pending = sessions[index].outbox[place]
      if pending.isWithheld == true { continue }
      if pending.event != announced {
        decide(
          .deliver, rule, reason ?? (pending.wasHanded ? .unacknowledged : .kept), index,
          event: pending.event, in: &turn)
      }
      var handed = pending
      handed.keptAt = nil
      handed.measure = nil
      handed.isHanded = true
      handed.wasHanded = true
      // A retry does not count against this hour's silent pushes (rule H2).
      handed.trigger.isSilent = false
      if handed.push != nil { handed.handedAt = turn.instant }
      update(index) {
        if pending.trigger.kind != nil, !pending.wasHanded { $0.heardAt = turn.instant }
        $0.outbox[place] = handed
        if pending.trigger.holdsOff { $0.assertions.append(.delivery(id: pending.event)) }
      }
      if pending.trigger.holdsOff {
        room -= 1
        seconds = max(seconds, sessions[index].budgetSeconds(for: pending.trigger, configuration.wakes))
      }
      let cause = (pending.event == announced ? startCause : nil) ?? cause(of: pending)
      turn.order(.deliver(subscriber: name, event: pending.event, cause))
    }
    forgetUnkept(index)
    guard seconds > 0, sessions[index].state == .background else { return }
    // No delivery prolongs the time that runs already, but for the first that may take longer than those before it.
    let limit = wakeLimitSeconds(index)
    update(index) {
      if $0.wakeClock == nil { $0.wakeClock = WakeClock(at: turn.instant, seconds: seconds) }
      $0.wakeClock?.extend(to: seconds, at: turn.instant, limitSeconds: limit)
    }
  }

  /// Wakes or starts a subscriber for what it has not acknowledged, unless something stands in the way.
  ///
  /// - Parameter reason: Why; nil for whether it was handed over before.
  mutating func redeliver(
    _ index: Int, rule: Rule, reason: Decision.Reason? = nil, in turn: inout PolicyTurn
  ) {
    guard !sessions[index].state.isRunning else { return }
    dropForbidden(index, in: &turn)
    let session = sessions[index]
    func starts(_ pending: Session.Pending) -> Bool {
      guard session.objection(to: pending) == nil else { return false }
      let starts =
        session.state == .suspended ? pending.trigger.wakes && !pending.isHanded : pending.trigger.relaunches
      return starts && obstacle(to: pending.trigger, index, at: turn.instant) == nil
    }
    // A restart comes first: it is the reason to start, whatever else waits.
    guard
      let first = session.outbox.first(where: { $0.trigger.row == .restart && starts($0) })
        ?? session.outbox.first(where: starts)
    else { return }
    start(
      index, for: first.event, rule: rule, reason: reason ?? (first.wasHanded ? .unacknowledged : .kept),
      in: &turn)
  }

  /// The wait after a start that failed is over: starts a subscriber again, or tells what stands in the way now (rules K5
  /// and M3).
  mutating func retry(_ index: Int, in turn: inout PolicyTurn) {
    update(index) { $0.relaunchAt = nil }
    redeliver(index, rule: .atLeastOnce, in: &turn)
    guard sessions[index].state == .notRunning,
      let first = sessions[index].outbox.first(where: \.trigger.relaunches),
      let (rule, reason) = obstacle(to: first.trigger, index, at: turn.instant)
    else { return }
    decide(.defer, rule, reason, index, event: first.event, in: &turn)
  }

  /// Something that stood in the way of everybody is over. Those that have to run come first (rule E5).
  mutating func redeliverToAll(rule: Rule, reason: Decision.Reason, in turn: inout PolicyTurn) {
    for isFirst in [true, false] {
      forEachSession { policy, index in
        let hasToRun = policy.sessions[index].outbox.contains { $0.trigger.row == .restart }
        guard hasToRun == isFirst else { return }
        policy.redeliver(index, rule: rule, reason: reason, in: &turn)
      }
    }
  }

  /// Somebody acknowledged an event by hand. A process of a oneshot that runs for it goes on, within its time.
  mutating func dismiss(_ event: Int, _ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    let runs = session.subscriber.style == .oneshot && session.state.isRunning && !session.hasEnded
    guard runs, session.outbox.contains(where: { $0.event == event && $0.isHanded }) else {
      return acknowledge(event, index, in: &turn)
    }
    update(index) { $0.outbox.removeAll { $0.event == event } }
  }

  /// The subscriber acknowledged an event: it is done, and may let the subscriber be suspended.
  mutating func acknowledge(_ event: Int, _ index: Int, in turn: inout PolicyTurn) {
    guard let place = sessions[index].outbox.firstIndex(where: { $0.event == event }) else {
      return update(index) { $0.modes.audio?.answered.removeAll { $0 == event } }
    }
    let row = sessions[index].outbox.trigger(at: place).row
    if row == .goodMoment { concludeFetchWithoutAnswer(index, in: &turn) }
    if row == .keepAlive { concludeKeepAlive(index, at: turn.instant) }
    let limit = wakeLimitSeconds(index)
    update(index) {
      let wasHanded = $0.outbox[place].isHanded
      $0.outbox.remove(at: place)
      $0.assertions.removeAll { $0.reason == .delivery && $0.owner == event }
      guard wasHanded else { return }
      $0.failures = 0
      $0.wakeClock?.renew(at: turn.instant, limitSeconds: limit)
      // For the next event of a oneshot there is another process.
      if $0.handedCount > 0 { $0.hasEnded = false }
    }
    settle(index, in: &turn)
  }

  /// Something that was handed over is done. If nothing else is, more is handed over, and where nothing holds off
  /// suspension any more, the subscriber is suspended.
  mutating func settle(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].handedCount == 0 else { return suspendIfIdle(index, in: &turn) }
    goOn(index, in: &turn)
    suspendIfSettled(index, in: &turn)
  }

  /// Suspends it where nothing holds that off any more.
  mutating func suspendIfSettled(_ index: Int, in turn: inout PolicyTurn) {
    // Something waits, and it is the limit of the wake that suspends.
    let isPaused = sessions[index].backlogAt != nil
    suspendIfIdle(
      index, rule: isPaused ? .wakeBudget : .suspension, reason: isPaused ? .budgetOver : .idle, in: &turn)
  }

  /// Seconds that a subscriber may run for the longest of what it is handed first (rule K1); nil where nothing waits.
  func budgetSeconds(_ index: Int) -> Double? {
    var left = configuration.handedLimit
    var most: Double?
    for place in sessions[index].outbox.indices where left > 0 {
      let trigger = sessions[index].outbox.trigger(at: place)
      guard trigger.holdsOff, sessions[index].outbox[place].isWithheld != true else { continue }
      left -= 1
      most = max(most ?? 0, sessions[index].budgetSeconds(for: trigger, configuration.wakes))
    }
    return most
  }

  /// Seconds that a wake may last in all (rule K1). The next event of a oneshot is another process with a time of its own.
  func wakeLimitSeconds(_ index: Int) -> Double {
    sessions[index].subscriber.style == .oneshot ? Double(Int32.max) : configuration.wakeLimitSeconds
  }

  /// Nothing that was handed over waits for an acknowledgment: hands over more, unless the wake has lasted nearly as long
  /// as it may (rule K1).
  mutating func goOn(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].hasBacklog, sessions[index].state.isRunning, sessions[index].backlogAt == nil
    else {
      return update(index) { $0.wakeClock = nil }
    }
    if let clock = sessions[index].wakeClock,
      clock.since.seconds(to: turn.instant) + clock.seconds >= wakeLimitSeconds(index)
    {
      return pause(index, at: turn.instant)
    }
    hand(index, in: &turn)
  }

  /// The wake has lasted as long as it may: what is left is handed over after a pause (rule K1). What the process has,
  /// it keeps while something else holds off its suspension.
  mutating func pause(_ index: Int, at instant: EngineInstant) {
    let end = instant.advanced(bySeconds: configuration.wakePauseSeconds)
    update(index) {
      $0.wakeClock = nil
      $0.assertions.removeAll { $0.reason == .delivery }
      if $0.outbox.contains(where: \.trigger.isKept) { $0.backlogAt = end }
    }
  }

  /// Lets the events that a background process was handed and has not acknowledged hold off suspension. Its wake clock
  /// begins anew (rule K1).
  mutating func holdForHanded(_ index: Int, at instant: EngineInstant) {
    let wakes = configuration.wakes
    update(index) {
      let session = $0
      let handed = session.outbox.filter { $0.isHanded && $0.trigger.holdsOff }
      $0.assertions.removeAll { $0.reason == .delivery }
      $0.assertions += handed.map { .delivery(id: $0.event) }
      let seconds = handed.map { session.budgetSeconds(for: $0.trigger, wakes) }.max()
      $0.wakeClock = seconds.map { WakeClock(at: instant, seconds: $0) }
    }
  }

  /// The pause is over: hands over what was left. A process that still runs has a new wake for what it has.
  mutating func endPause(_ index: Int, in turn: inout PolicyTurn) {
    guard let backlogAt = sessions[index].backlogAt, backlogAt <= turn.instant else { return }
    update(index) { $0.backlogAt = nil }
    if sessions[index].state.isRunning {
      if sessions[index].state == .background { holdForHanded(index, at: turn.instant) }
      hand(index, in: &turn)
    } else {
      redeliver(index, rule: .wakeBudget, in: &turn)
    }
  }
}

/// What a subscriber asks for and what the user lets it know, as both change while it runs (rules B8 and B9).
extension Policy {
  /// The user changed when the subscriber may be told; what it may no longer be told is dropped, handed over or not.
  mutating func authorize(
    _ authorization: Subscriber.Authorization, _ index: Int, in turn: inout PolicyTurn
  ) {
    update(index) {
      $0.subscriber.authorization = authorization
      $0.forgetRestWithoutUpdates()
    }
    judge(index, in: &turn)
    tellOwed(index, in: &turn)
    switch authorization {
    case .denied: break
    case .whenInUse:
      guard sessions[index].standard.batch != nil, sessions[index].state.isRunning else { break }
      hand(index, in: &turn)
    case .always: redeliver(index, rule: .authorization, in: &turn)
    }
  }

  /// The user changed how exactly the subscriber may be told; what says more is dropped, handed over or not. A coarse
  /// position that waits until the next may be told is told at once where the limit is gone.
  mutating func limit(_ accuracy: Subscriber.AccuracyAuthorization, _ index: Int, in turn: inout PolicyTurn) {
    guard accuracy != sessions[index].subscriber.accuracy else { return }
    update(index) { $0.subscriber.accuracy = accuracy }
    judge(index, in: &turn)
    tellOwed(index, in: &turn)
  }

  /// The user changed whether anything else may wake or relaunch the subscriber.
  mutating func setBackgroundDelivery(_ isOn: Bool, _ index: Int, in turn: inout PolicyTurn) {
    update(index) { $0.subscriber.backgroundDelivery = isOn }
    guard isOn else { return dropForbidden(index, in: &turn) }
    redeliver(index, rule: .authorization, reason: .backgroundDeliveryOn, in: &turn)
  }

  /// The subscriber asks for services. Where there is no source of fixes that fails at once (rule B9). A service that is
  /// refused does not start later either, when the right is there.
  ///
  /// - Parameter measure: What it measures significant changes by where it asks for them anew (rule B1).
  mutating func startServices(
    _ services: Subscriber.Services, _ index: Int, measure: SignificantChange?, in turn: inout PolicyTurn
  ) {
    let session = sessions[index]
    guard !lacksSource else {
      return decide(.refuse, .availability, .noSource, index, in: &turn)
    }
    guard session.subscriber.authorization != .denied else {
      return decide(.refuse, .authorization, .denied, index, in: &turn)
    }
    var services = services
    if session.subscriber.accuracy == .reduced, services.contains(.regions) {
      decide(.refuse, .authorization, .reduced, index, in: &turn)
      services.remove(.regions)
    }
    update(index) {
      if services.contains(.significantChange), !$0.subscriber.services.contains(.significantChange) {
        $0.significant = measure
      }
      $0.subscriber.services.formUnion(services)
      // A request for one fix is part of what now begins.
      if services.contains(.standard) { $0.standard.request = nil }
    }
  }

  /// The subscriber asks for services no more. Updates that were kept back are delivered (rule B7); what else waits of
  /// them is dropped, while it runs at the next handing over: it may be at work on what it was handed.
  mutating func stopServices(_ services: Subscriber.Services, _ index: Int, in turn: inout PolicyTurn) {
    if services.contains(.standard), sessions[index].standard.batch != nil {
      flushUpdates(index, reason: .stopped, in: &turn)
    }
    update(index) {
      $0.subscriber.services.subtract(services)
      if let owed = $0.owed, services.contains(owed.trigger.service) { $0.owed = nil }
      if services.contains(.standard) { $0.standard.stop() }
    }
    if !sessions[index].state.isRunning { dropForbidden(index, in: &turn) }
  }

  /// The manifest of a subscriber is another from now on: what it may no longer be told is dropped, and what only the
  /// old one kept waiting is handed over.
  mutating func replace(
    _ index: Int, with subscriber: Subscriber, _ measure: SignificantChange?, in turn: inout PolicyTurn
  ) {
    let old = sessions[index].subscriber
    update(index) {
      $0.subscriber = subscriber
      if let owed = $0.owed, !$0.wants(owed.trigger) { $0.owed = nil }
      if old.command != subscriber.command { $0.preserved = nil }
      $0.forgetRestWithoutUpdates()
      if !old.services.contains(.significantChange), subscriber.services.contains(.significantChange) {
        $0.significant = measure
      }
    }
    let ends =
      subscriber.hasSameFiles(as: old) ? [] : cancelTransfers(index, in: &turn)
    judge(index, in: &turn)
    alignModes(index, at: turn.instant)
    release(index, keptBy: old, in: &turn)
    for end in ends { releaseResults(of: end, index, in: &turn) }
  }

  /// Wakes or starts a subscriber for what its manifest of before kept waiting, where the one of now lets it.
  private mutating func release(_ index: Int, keptBy old: Subscriber, in turn: inout PolicyTurn) {
    // Where its process has ended, what follows from that comes next.
    guard !sessions[index].hasEnded else { return }
    let subscriber = sessions[index].subscriber
    let isAllowed = subscriber.backgroundDelivery && !old.backgroundDelivery
    let isReachable = old.startsItself && !subscriber.startsItself
    guard isAllowed || isReachable || old.exitsOnSuspend && !subscriber.exitsOnSuspend else { return }
    if isAbsent {
      // Nobody is there to start it: it is due once somebody is.
      if !sessions[index].state.isRunning { update(index) { $0.relaunchAt = $0.relaunchAt ?? turn.instant } }
    } else if isAllowed {
      redeliver(index, rule: .authorization, reason: .backgroundDeliveryOn, in: &turn)
    } else if isReachable {
      redeliver(index, rule: .atLeastOnce, in: &turn)
    } else {
      redeliver(index, rule: .exitsOnSuspend, in: &turn)
    }
  }

  /// Judges anew all that a subscriber has not acknowledged, at a change of its rights (rule B8).
  private mutating func judge(_ index: Int, in turn: inout PolicyTurn) {
    dropForbidden(index, in: &turn)
    judgeHeldNotifications(index, in: &turn)
    let session = sessions[index]
    // A position that waits says where it is when it is told; a visit says where it was.
    if let reason = session.locationObjection, let owed = session.owed, owed.visit != nil {
      decide(.drop, .authorization, reason, index, event: owed.event, in: &turn)
      update(index) { $0.owed = nil }
    }
    if session.standard.request != nil {
      if session.subscriber.authorization == .denied {
        cutOffRequest(index, rule: .authorization, reason: .denied, in: &turn)
      } else if session.subscriber.accuracy == .reduced {
        cutOffRequest(index, rule: .authorization, reason: .reduced, in: &turn)
      }
    }
    suspendIfIdle(index, in: &turn)
  }

  /// Drops what a subscriber may no longer be told, whether it has been handed over or not. It is judged at each
  /// handing over, not only when the event comes (rule B8).
  mutating func dropForbidden(_ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    func objection(_ pending: Session.Pending) -> (Rule, Decision.Reason)? {
      if let reason = session.objection(to: pending) { return (.authorization, reason) }
      if let objection = session.accessoryObjection(to: pending.trigger) { return objection }
      // What a running program was handed it may be at work on.
      let isAtWork = pending.isHanded && session.state.isRunning
      if !isAtWork, !session.wants(pending) { return (pending.trigger.rule, .stopped) }
      if !session.mayBeTold(of: pending.trigger) { return (pending.trigger.rule, .noMode) }
      if !session.state.isRunning, !session.subscriber.backgroundDelivery,
        pending.trigger.isDropped(by: .backgroundDeliveryOff)
      {
        return (.authorization, .backgroundDeliveryOff)
      }
      return nil
    }
    guard session.outbox.contains(where: { objection($0) != nil }) else { return }
    let dropped = session.outbox.filter { objection($0) != nil }
    for pending in dropped {
      guard let (rule, reason) = objection(pending) else { continue }
      decide(.drop, rule, reason, index, event: pending.event, in: &turn)
    }
    update(index) {
      $0.outbox.removeAll { objection($0) != nil }
      let left = Set($0.outbox.map(\.event))
      $0.assertions.removeAll { $0.reason == .delivery && !left.contains($0.owner) }
      if $0.handedCount == 0 { $0.wakeClock = nil }
      if !$0.outbox.contains(where: { $0.waits(of: .backgroundLocation) }) { $0.standard.batch = nil }
      if dropped.contains(where: { $0.waits(of: .backgroundLocation) }) { $0.standard.forgetTold() }
    }
    if let measure = dropped.lazy.compactMap(\.measure).first { noteUntold(index, measuredBefore: measure) }
    showUnacknowledged(dropped, index, in: &turn)
  }
}

// MARK: - Reduced accuracy

// Rule B8 for who may know no more than a coarse position: the middle of a ``ReducedCell``, at most one in 15 minutes,
// and no regions.

extension Policy.Configuration {
  /// The number of rule B8.
  public struct Coarse: Hashable, Sendable, Codable, Blank {
    /// Seconds from one coarse position to the next, at least: four an hour.
    public var leastSeconds = 900.0

    public init() {}
  }
}

extension Session {
  /// A coarse position that a subscriber is to be told.
  struct Owed: Hashable, Sendable, Codable {
    /// What it is told for.
    var trigger: Trigger
    /// The visit it is about; nil where it is about where the position is.
    var visit: VisitEvent?
    /// The event that it stands for.
    var event: Int?
    /// What the subscriber measures significant changes by from what it was handed last, in case it may know exactly
    /// where it is before it is told (rule B1); nil where it is about no move.
    var measure: SignificantChange?
    /// Whether it is the one that was told before. It waits only for the right to know exactly where the position is:
    /// that may have moved within the coarse one (rule B1).
    @Added var isUnmoved = false
  }

  /// The coarse position that waits for its time.
  var dueOwed: Owed? {
    guard let owed, !owed.isUnmoved || subscriber.accuracy == .full else { return nil }
    return owed
  }

  /// Whether a coarse position may be told at `instant`.
  func mayTellReduced(at instant: EngineInstant, _ numbers: Policy.Configuration.Coarse) -> Bool {
    guard subscriber.accuracy == .reduced, let reducedAt else { return true }
    // As the deadline has it, in whole microseconds.
    return reducedAt.advanced(bySeconds: numbers.leastSeconds) <= instant
  }
}

extension Policy {
  /// Offers a coarse position to a subscriber, now or as soon as the next may be told. The latest visit goes before
  /// all else: it tells where the position is too. What is told answers a request for one fix.
  ///
  /// - Returns: Whether it is told, now or later.
  @discardableResult
  mutating func offerReduced(
    _ owed: Session.Owed, event: Int, to index: Int, in turn: inout PolicyTurn
  ) -> Bool {
    let session = sessions[index]
    if let reason = session.locationObjection {
      decide(.refuse, .authorization, reason, index, event: event, in: &turn)
      return false
    }
    if session.mayTellReduced(at: turn.instant, configuration.coarse) {
      update(index) {
        $0.reducedAt = turn.instant
        $0.owed = nil
        $0.standard.request = nil
      }
      turn.steps.append(.reduced(subscriber: session.subscriber.name, owed, before: session.reducedAt))
      return true
    }
    decide(.coalesce, .authorization, .reducedWindow, index, event: event, in: &turn)
    update(index) {
      guard $0.owed?.visit == nil || owed.visit != nil else { return }
      let measure = $0.owed?.measure
      $0.owed = owed
      $0.owed?.event = event
      $0.owed?.measure = measure
    }
    return true
  }

  /// A move that was offered to a subscriber may wait, also as a coarse position. The subscriber goes on measuring from
  /// what it was handed last if the move is dropped, or if it may soon know exactly where it is.
  mutating func noteWaitingMove(_ event: Int, _ index: Int, measuredBefore measure: SignificantChange?) {
    if sessions[index].owed != nil, sessions[index].owed?.measure == nil {
      update(index) { $0.owed?.measure = measure }
    }
    guard let place = sessions[index].outbox.lastIndex(where: { $0.event == event && !$0.wasHanded }) else {
      return
    }
    update(index) { $0.outbox[place].measure = measure }
  }

  /// Tells what waited until the next coarse position may be told. A subscriber that may know exactly where it is by now
  /// is told a move like any other: if it has moved far enough from what it was handed last (rule B1).
  mutating func tellOwed(_ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    guard let owed = session.dueOwed, session.mayTellReduced(at: turn.instant, configuration.coarse),
      session.locationObjection == nil
    else { return }
    if awaitsUser(session), let (rule, reason) = obstacle(to: owed.trigger, index, at: turn.instant) {
      decide(.drop, rule, reason, index, event: owed.event, in: &turn)
      return update(index) { $0.owed = nil }
    }
    update(index) {
      $0.owed = nil
      guard session.subscriber.accuracy == .full, let measure = owed.measure else { return }
      $0.significant = measure
      $0.significant?.skip()
    }
    guard session.subscriber.accuracy == .reduced || owed.visit != nil else { return }
    update(index) {
      $0.reducedAt = turn.instant
      $0.standard.request = nil
    }
    turn.steps.append(.reduced(subscriber: session.subscriber.name, owed, before: session.reducedAt))
  }

  /// A coarse position that waited is the one that was told before: it is not told again.
  ///
  /// - Parameter before: When that was told.
  mutating func dropUnmoved(
    _ owed: Session.Owed, before: EngineInstant?, _ index: Int, in turn: inout PolicyTurn
  ) {
    decide(.drop, .authorization, .reduced, index, event: owed.event, in: &turn)
    update(index) {
      $0.reducedAt = before
      guard owed.measure != nil else { return }
      $0.owed = owed
      $0.owed?.isUnmoved = true
    }
    refreshDeadline()
  }
}

extension Subscriber {
  /// Whether its transfers have the same files, as the same user: else one that was asked for before would be carried with
  /// rights that its program did not have (rule I3).
  fileprivate func hasSameFiles(as other: Subscriber) -> Bool {
    directory == other.directory && confinement?.user == other.confinement?.user
      && confinement?.group == other.confinement?.group
  }
}

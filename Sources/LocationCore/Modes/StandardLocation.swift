/// Rules B2 and B3: standard updates, and the mode `location` that wakes for them.
extension BackgroundMode {
  /// Rule B2.
  public static let standard = BackgroundMode(
    name: "standard update", kind: "standard", services: .standard, trigger: .standard)

  /// Rule B3.
  public static let backgroundLocation = BackgroundMode(
    name: "background location", kind: "location", services: .standard, modes: .location,
    trigger: .backgroundLocation)
}

extension Trigger {
  /// Rule B2.
  public static let standard = Trigger(
    rule: .standard, service: .standard, wakes: false, relaunches: false, afterForceQuit: .never,
    beforeUnlock: .notRunning, withoutDelivery: .never, budget: .none, waiting: .none)

  /// Rule B3.
  public static let backgroundLocation = Trigger(
    rule: .backgroundLocation, service: .standard, wakes: true, relaunches: false, afterForceQuit: .never,
    beforeUnlock: .notRunning, budget: .short, waiting: .upTo(Limits.updates))
}

/// What a fix means for one subscriber's standard updates.
struct StandardTaker {
  enum What {
    case update
    case pause(PauseEvent.Reason)
    case resume(PauseEvent.Reason)
    /// The answer to a request for one fix.
    case answer(Fix, LocationUpdate.Reason)
    /// A coarse position.
    case reduced(Trigger)
  }

  let index: Int
  let what: What
}

/// Standard updates: in the foreground and while it runs (rule B2), in the background with the mode `location`
/// (rule B3), paused while nothing moves (rule B6), kept back in the background (rule B7).
extension Policy {
  /// Takes a fix into account and appends what it means for whom.
  mutating func observe(_ fix: Fix, at instant: EngineInstant, into takers: inout [StandardTaker]) {
    var hasChanged = false
    for index in sessions.indices where sessions[index].followsFixes {
      if sessions[index].standard.request != nil, sessions[index].subscriber.accuracy == .reduced {
        // Any fix is exact enough for a coarse position.
        sessions[index].standard.request = nil
        takers.append(StandardTaker(index: index, what: .reduced(.standard)))
        hasChanged = true
        continue
      }
      if let best = answer(index, with: fix) {
        takers.append(StandardTaker(index: index, what: .answer(best, .requested)))
        hasChanged = true
      }
      hasChanged = rest(index, fix, into: &takers) || hasChanged
      guard sessions[index].takesUpdates, !sessions[index].standard.isPaused else { continue }
      if sessions[index].subscriber.accuracy == .reduced {
        if sessions[index].mayTellReduced(at: instant, configuration.coarse) {
          takers.append(StandardTaker(index: index, what: .reduced(sessions[index].updateTrigger)))
        }
        continue
      }
      if sessions[index].passes(fix) { takers.append(StandardTaker(index: index, what: .update)) }
    }
    if hasChanged { refreshDeadline() }
  }

  /// Pauses and resumes (rule B6); whether it did.
  private mutating func rest(_ index: Int, _ fix: Fix, into takers: inout [StandardTaker]) -> Bool {
    if sessions[index].standard.isPauseOver {
      sessions[index].standard.isPaused = false
      sessions[index].standard.isPauseOver = false
      takers.append(StandardTaker(index: index, what: .resume(.ended)))
      return true
    }
    if sessions[index].standard.isResumeOwed == true, sessions[index].takesUpdates, mayTellPause(index) {
      sessions[index].standard.isResumeOwed = nil
      takers.append(StandardTaker(index: index, what: .resume(.moved)))
      return true
    }
    guard sessions[index].subscriber.standard.pausesAutomatically else { return false }
    let isPaused = sessions[index].standard.isPaused
    guard sessions[index].takesUpdates || isPaused else { return false }
    let activity = sessions[index].subscriber.standard.activity
    guard sessions[index].standard.follows(fix, activity, mayPause: mayTellPause(index)) else { return false }
    let pauses = sessions[index].standard.isPaused
    guard pauses || sessions[index].takesUpdates && mayTellPause(index) else {
      // It is told as soon as it gets updates again, and can be told.
      sessions[index].standard.isResumeOwed = true
      sessions[index].forgetRestWithoutUpdates()
      return true
    }
    takers.append(StandardTaker(index: index, what: pauses ? .pause(.resting) : .resume(.moved)))
    return true
  }

  /// Whether a pause or resume can be handed to a subscriber that gets updates, now or later.
  private func mayTellPause(_ index: Int) -> Bool {
    !sessions[index].state.isRunning || sessions[index].updateTrigger.waiting != .none || mayHand(index)
  }

  /// Hands an update to a subscriber, wakes it for it, or keeps it back.
  mutating func offerUpdate(event: Int, _ fix: Fix, to index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    guard session.updateTrigger == .backgroundLocation else {
      offer(event: event, trigger: .standard, to: index, in: &turn)
      return refreshDeadline()
    }
    if session.subscriber.standard.defers, !session.hasBacklog,
      obstacle(to: .backgroundLocation, index, at: turn.instant) == nil
    {
      keepBack(event: event, fix, index, in: &turn)
    } else {
      offer(event: event, trigger: .backgroundLocation, to: index, in: &turn)
      boundUpdates(index, in: &turn)
    }
    refreshDeadline()
  }

  /// Tells a subscriber that its updates pause or resume.
  mutating func offerPause(event: Int, to index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].takesUpdates else { return }
    var trigger = sessions[index].updateTrigger
    trigger.rule = .automaticPause
    offer(event: event, trigger: trigger, isCoarse: true, to: index, in: &turn)
    refreshDeadline()
  }

  /// The oldest updates make room, by name (rule B3).
  private mutating func boundUpdates(_ index: Int, in turn: inout PolicyTurn) {
    let waiting = sessions[index].outbox.filter { $0.trigger == .backgroundLocation && !$0.isHanded }
    guard waiting.count > Limits.updates, let oldest = waiting.first else { return }
    drop(.backgroundLocation, .outboxFull, index, in: &turn) { $0.event == oldest.event }
  }
}

// MARK: - Keeping back

extension Policy {
  /// Keeps a background update back, until it is far enough, long enough or enough (rule B7).
  private mutating func keepBack(event: Int, _ fix: Fix, _ index: Int, in turn: inout PolicyTurn) {
    decide(.coalesce, .deferral, .batched, index, event: event, in: &turn)
    update(index) {
      $0.outbox.append(Session.Pending(event: event, trigger: .backgroundLocation))
      var batch = $0.standard.batch ?? StandardService.Batch(since: turn.instant, last: fix.coordinate)
      batch.meters += Geodesy.distanceMeters(batch.last, fix.coordinate)
      batch.last = fix.coordinate
      $0.standard.batch = batch
    }
    let session = sessions[index]
    let isFar = session.subscriber.standard.deferMeters.map { (session.standard.batch?.meters ?? 0) >= $0 }
    let count = session.outbox.count { $0.trigger == .backgroundLocation && !$0.isHanded }
    if isFar == true || count >= Limits.updates {
      flushUpdates(index, reason: .batchFull, in: &turn)
    }
  }

  /// Delivers together what was kept back, in order.
  mutating func flushUpdates(_ index: Int, reason: Decision.Reason, in turn: inout PolicyTurn) {
    update(index) { $0.standard.batch = nil }
    let session = sessions[index]
    guard
      let first = session.outbox.first(where: { $0.trigger == .backgroundLocation && !$0.isHanded })
    else { return }
    switch session.state {
    case .suspended:
      if let (rule, reason) = obstacle(to: first.trigger, index, at: turn.instant) {
        return decide(.defer, rule, reason, index, event: first.event, trigger: first.trigger, in: &turn)
      }
      start(index, for: first.event, rule: .deferral, reason: reason, in: &turn)
    case .background, .inactive, .active:
      hand(index, rule: .deferral, reason: reason, in: &turn)
    case .notRunning: break
    }
  }
}

// MARK: - One fix

extension Policy {
  /// A subscriber asks for one fix (rule B2). A request that is open already goes on. With reduced accuracy it is told a
  /// coarse position, where it may be told one now (rule B8).
  mutating func locate(_ index: Int, seconds: Double, in turn: inout PolicyTurn) {
    let session = sessions[index]
    func refuse(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.refuse, rule, reason, index, in: &turn)
    }
    if let reason = session.state.refusal { return refuse(.standard, reason) }
    guard session.subscriber.authorization != .denied else { return refuse(.authorization, .denied) }
    guard session.mayTellReduced(at: turn.instant, configuration.coarse) else {
      return refuse(.authorization, .reducedWindow)
    }
    guard !lacksSource else { return refuse(.availability, .noSource) }
    guard session.standard.request == nil else { return }
    update(index) {
      $0.standard.request = StandardService.Request(end: turn.instant.advanced(bySeconds: max(0, seconds)))
      // The coarse position that it was told before is an answer too.
      if $0.subscriber.accuracy == .reduced { $0.reducedCell = nil }
    }
  }

  /// The fix with which a request is answered, if this one is exact enough; else the best is kept.
  private mutating func answer(_ index: Int, with fix: Fix) -> Fix? {
    guard let request = sessions[index].standard.request else { return nil }
    let radius = fix.accuracy.radiusMeters
    if radius <= sessions[index].subscriber.standard.desiredAccuracy.requestMeters {
      sessions[index].standard.request = nil
      return fix
    }
    if request.best.map({ radius < $0.accuracy.radiusMeters }) ?? true {
      sessions[index].standard.request?.best = fix
    }
    return nil
  }

  /// The time of a request is over: the best fix is the answer.
  mutating func endRequest(_ index: Int, in turn: inout PolicyTurn) {
    guard let request = sessions[index].standard.request, request.end <= turn.instant else { return }
    update(index) { $0.standard.request = nil }
    if let best = request.best {
      turn.steps.append(.answered(subscriber: sessions[index].subscriber.name, best))
    } else {
      refuseRequest(index, .availability, .noFix, in: &turn)
    }
  }

  /// Something ends a request before its time: a suspension is answered with the best fix there is, all else is
  /// refused (rule B9).
  mutating func cutOffRequest(_ index: Int, rule: Rule, reason: Decision.Reason, in turn: inout PolicyTurn) {
    guard let request = sessions[index].standard.request else { return }
    update(index) { $0.standard.request = nil }
    if reason == .suspended, let best = request.best {
      turn.steps.append(.answered(subscriber: sessions[index].subscriber.name, best))
    } else {
      refuseRequest(index, rule, reason, in: &turn)
    }
  }

  /// A request that was taken has no answer: the program, which waits for one, is told so.
  mutating func refuseRequest(
    _ index: Int, _ rule: Rule, _ reason: Decision.Reason, in turn: inout PolicyTurn
  ) {
    decide(.refuse, rule, reason, index, in: &turn)
    let name = sessions[index].subscriber.name
    turn.order(.refuse(subscriber: name, what: "locate", reason: reason))
  }
}

extension Session {
  /// Whether standard updates are for it now: while it runs (rule B2), and suspended with the mode `location` and
  /// the right to be woken (rule B3).
  @inline(__always) var takesUpdates: Bool {
    guard subscriber.services.contains(.standard) else { return false }
    switch subscriber.authorization {
    case .denied: return false
    case .whenInUse: return state.isRunning
    case .always: return state.isRunning || (state == .suspended && subscriber.modes.contains(.location))
    }
  }

  /// Where it gets no updates any more, how long it rests counts from when it gets them again (rule B6).
  mutating func forgetRestWithoutUpdates() {
    if !takesUpdates, !standard.isPaused { standard.rest = nil }
  }

  /// What an update is for it now: in the background with the mode `location` one of rule B3, else of rule B2.
  var updateTrigger: Trigger {
    let isBackground = subscriber.modes.contains(.location) && subscriber.authorization == .always
    return isBackground && !state.isForeground ? .backgroundLocation : .standard
  }

  /// Whether fixes can mean something to it.
  @inline(__always) var followsFixes: Bool { takesUpdates || standard.isPaused || standard.request != nil }

  /// When updates that are kept back are delivered; nil where only a distance says.
  @inline(__always) var batchEnd: EngineInstant? {
    guard let since = standard.batch?.since, let seconds = subscriber.standard.deferSeconds else {
      return nil
    }
    return since.advanced(bySeconds: seconds)
  }

  /// Whether a fix passes what it asks of standard updates.
  fileprivate mutating func passes(_ fix: Fix) -> Bool { standard.passes(fix, subscriber) }
}

extension StandardTerms.DesiredAccuracy {
  /// Metres at which a request for one fix is answered at once; for the best there is, ten, as for the next tier.
  fileprivate var requestMeters: Double { self == .best ? 10 : radiusMeters }
}

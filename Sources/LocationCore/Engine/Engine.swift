/// The engine: events in, effects out, time as an argument. It has no I/O, no clock and no log.
///
/// The contract, each clause with a test of its own:
///
/// 1. *Total.* Any event in any state returns. Bad data becomes a record that names the reason.
/// 2. *Time is an argument.* ``EngineInstant`` is the only time compared. A stamp before the last is taken as equal
///    to it.
/// 3. *One timer.* ``nextDeadline`` is when something is due next. ``advance(to:into:)`` fires all that is due, in
///    order, each at its own instant, and ``handle(_:into:)`` begins with it. So a late timer changes when an effect
///    is performed, never what it is, and a call too many changes nothing.
/// 4. *Deadlines are derived.* A live host journals at most that time has passed.
/// 5. *Effects are performed in order*, and ids are counters from the state: a replay gives the same ids.
/// 6. *Nothing is assumed to have worked.* Outcomes return as events; a delivery nobody acknowledges has a deadline.
/// 7. *Bounded.* Every table has a limit in ``Limits``, refused with a reason.
/// 8. *A snapshot is invisible.* Restoring one at any point changes nothing in what follows.
///
/// ```swift
/// var engine = Engine(configuration: EngineConfiguration())
/// var effects: [Effect] = []
/// engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
/// ```
public struct Engine: ~Copyable {
  /// The numbers it decides by, shared with other engines.
  public let settings: EngineSettings
  /// When something is due next; nil when nothing is. Kept up to date, so that it can be asked before each fix.
  @Maybe public private(set) var nextDeadline: EngineInstant?
  var state: EngineState
  var regions: RegionMonitor
  var regionEvents: [RegionEvent] = []
  var visitEvents: [VisitEvent] = []
  var turn: PolicyTurn
  var takers: [StandardTaker] = []
  /// What another build recorded of the events that it is shown now; nil for any other engine.
  var past = Rare<PastRecords>(wrappedValue: nil)

  /// An engine that has seen nothing, which watches the regions of a catalog.
  public init(
    configuration: EngineConfiguration = EngineConfiguration(), catalog: RegionCatalog = RegionCatalog()
  ) {
    self.init(settings: EngineSettings(configuration), catalog: catalog)
  }

  /// One of many engines with the same settings and regions, which they share.
  public init(settings: EngineSettings, catalog: RegionCatalog) {
    self.settings = settings
    state = EngineState(settings: settings)
    regions = RegionMonitor(settings.regions, catalog)
    turn = PolicyTurn(instant: state.instant)
  }

  /// The engine as it was when the snapshot was taken.
  /// - Throws: ``RegionError`` when the snapshot's regions are not valid: it did not come from an engine.
  public init(restoring snapshot: EngineSnapshot) throws(RegionError) {
    let limit = snapshot.configuration.regions.regionLimit
    self.init(
      restoring: snapshot, settings: EngineSettings(snapshot.configuration),
      catalog: try RegionCatalog(snapshot.regions.regions, limit: limit))
  }

  /// The engine as it was when the snapshot was taken, with settings and regions that it shares with others. What the
  /// snapshot knows of regions that are not in the catalog is dropped.
  public init(restoring snapshot: EngineSnapshot, settings: EngineSettings, catalog: RegionCatalog) {
    self.settings = settings
    state = snapshot.state
    state.share(settings)
    regions = RegionMonitor(settings.regions, catalog, restoring: snapshot.regions)
    turn = PolicyTurn(instant: state.instant)
    nextDeadline = findDeadline()
  }

  /// The numbers it decides by.
  public var configuration: EngineConfiguration { @inline(__always) _read { yield settings.configuration } }

  /// Everything that changes, as it is now.
  public var snapshot: EngineSnapshot {
    EngineSnapshot(configuration: configuration, state: state, regions: regions.snapshot)
  }

  /// Everything that changes, without the regions themselves, for where those are kept elsewhere: set
  /// ``EngineSnapshot/watchedRegions`` before it is restored.
  public var snapshotWithoutRegions: EngineSnapshot {
    EngineSnapshot(configuration: configuration, state: state, regions: regions.snapshot(regions: []))
  }

  /// What has been seen and done so far.
  public var tally: Tally {
    var tally = state.tally
    tally.last = state.gate.last
    return tally
  }

  /// The id the next record will have.
  public var nextID: Int { state.nextID }

  /// Where the energy went, as far as it has been booked.
  public var ledger: PowerLedger { state.ledger }

  /// Where a subscriber stands; nil when there is none of that name.
  public func subscriberState(_ name: String) -> SubscriberState? {
    state.policy.session(name)?.state
  }

  /// What is known of the place where the position is (rule B5).
  public var visitStage: VisitMonitor.Stage { state.visits.stage }

  /// Where the last fix is with respect to a region; nil when there is none of that id.
  public func regionState(_ id: String) -> RegionState? {
    regions.state(of: id) ?? state.beacons?.state(of: id)
  }

  /// The instant at which a replay stamps a report: its time on the engine's axis, or the present instant where
  /// its time can't be believed.
  ///
  /// Changes nothing. It is `mutating` only so that the compiler does not copy the engine for the call.
  public mutating func instant(ofReplayed report: FixReport) -> EngineInstant {
    if let instant = state.gate.ordinaryInstant(of: report) { return max(state.instant, instant) }
    return instant(ofUnusual: report)
  }

  @inline(never)
  private mutating func instant(ofUnusual report: FixReport) -> EngineInstant {
    guard let instant = state.gate.instant(ofReplayed: report) else { return state.instant }
    return max(state.instant, instant)
  }

  /// ``nextDeadline``, for another module's hot path.
  ///
  /// Changes nothing. It is `mutating` only so that the compiler does not copy the engine for the call.
  public mutating func due() -> EngineInstant? { nextDeadline }

  /// Takes a position report: the same as an event with it, without the way through an enum of all events.
  ///
  /// - Returns: whether it was believed.
  @discardableResult
  public mutating func handle(
    _ report: FixReport, at instant: EngineInstant, into effects: inout [Effect]
  ) -> Bool {
    fire(until: instant, into: &effects)
    let isBelieved = take(report, into: &effects)
    nextDeadline = findDeadline()
    return isBelieved
  }

  /// Takes an event and appends what is to be done for it.
  public mutating func handle(_ stamped: Stamped, into effects: inout [Effect]) {
    if case .fix(let report) = stamped.event {
      handle(report, at: stamped.at, into: &effects)
      return
    }
    fire(until: stamped.at, into: &effects)
    state.policy.passAbsence(until: state.instant)
    let wasAwake = state.policy.awakeSince != nil
    switch stamped.event {
    case .fix, .time: break
    case .segmentBreak: breakTrack()
    case .source(let event): take(event, into: &effects)
    case .receiver(let event): take(event)
    case .beacon(let event): take(event, into: &effects)
    case .addRegion(let region): add(region, into: &effects)
    case .changeRegion(let region): change(region, into: &effects)
    case .removeRegion(let id): removeRegion(id)
    case .addSubscriber(let subscriber, let initial): add(subscriber, initial, into: &effects)
    case .removeSubscriber(let name):
      remove(name, into: &effects)
      // What it had interrupted may sound again.
      state.policy.resumeAudio(in: &turn)
    case .subscriber(let name, let event): take(event, of: name, into: &effects)
    case .machine(let event): take(event, into: &effects)
    case .end: end(into: &effects)
    }
    switch stamped.event {
    case .fix, .segmentBreak, .source, .receiver, .beacon, .time: break
    case .addRegion, .changeRegion, .removeRegion: reviseSampling(into: &effects)
    case .addSubscriber, .removeSubscriber, .subscriber, .machine:
      state.policy.fireModes(isAwake: wasAwake, in: &turn)
      finishPolicyTurn(into: &effects)
    case .end: refreshReceiverUsers()
    }
    nextDeadline = findDeadline()
  }

  /// Fires everything due by `instant`, in order, each at its own instant.
  public mutating func advance(to instant: EngineInstant, into effects: inout [Effect]) {
    fire(until: instant, into: &effects)
    nextDeadline = findDeadline()
  }

  /// Gives back the memory of what is around the position, which the next fix that leaves it finds again: for one of
  /// many engines that waits for its turn. It changes nothing that follows.
  public mutating func freeMemory() { regions.freeMemory() }
}

// MARK: - Deadlines

extension Engine {
  /// When something is due next, from those who know.
  ///
  /// Changes nothing. It is `mutating` only so that the compiler does not copy the engine for the call.
  @inline(__always)
  private mutating func findDeadline() -> EngineInstant? {
    var due = regions.clocks.nextDue
    if let other = state.significant.nextDeadline, other < due, !state.policy.isAbsent { due = other }
    if state.hasBeacons, let other = beaconDeadline(), other < due { due = other }
    if let other = state.visits.nextDeadline, other < due { due = other }
    if let other = state.policy.nextDeadline, other < due { due = other }
    if let other = state.sampling.nextDeadline, other < due { due = other }
    return due == RegionClocks.never ? nil : due
  }

  /// Apart, because few engines know of beacons.
  @inline(never)
  private mutating func beaconDeadline() -> EngineInstant? {
    state.beacons?.nextDeadline(configuration.beacons)
  }

  /// Finds again when something is due, after the state was put in place.
  mutating func refreshDeadline() { nextDeadline = findDeadline() }

  /// Moves to `instant`, and fires what is due on the way.
  @inline(__always)
  private mutating func fire(until instant: EngineInstant, into effects: inout [Effect]) {
    if let due = nextDeadline, due <= instant { fireDue(by: instant, into: &effects) }
    move(to: instant)
  }

  @inline(__always)
  private mutating func move(to instant: EngineInstant) {
    state.instant = max(state.instant, instant)
    turn.instant = state.instant
  }

  private mutating func fireDue(by instant: EngineInstant, into effects: inout [Effect]) {
    var next = nextDeadline
    while let due = next, due <= instant {
      move(to: due)
      if !state.policy.isAbsent { tellMove(by: due, into: &effects) }
      regions.advance(to: due, into: &regionEvents)
      recordRegionEvents(into: &effects)
      advanceBeacons(to: due, into: &effects)
      state.visits.advance(to: due, into: &visitEvents)
      recordVisitEvents(into: &effects)
      if let policyDue = state.policy.nextDeadline, policyDue <= due {
        state.policy.fire(in: &turn)
        finishPolicyTurn(into: &effects)
      }
      fireSampling(at: due, into: &effects)
      next = findDeadline()
    }
  }
}

extension Engine {
  /// Tells the move that waited for a window which is over by an instant.
  ///
  /// - Parameter late: when it could be told; nil for the end of the window.
  mutating func tellMove(
    by instant: EngineInstant, late: EngineInstant? = nil, into effects: inout [Effect]
  ) {
    let before = state.significant
    let last = state.gate.last
    guard let change = state.significant.advance(to: instant, last: last, late: late) else { return }
    record(change, measuredBefore: before.keeping(last), into: &effects)
    reviseSampling(into: &effects)
  }
}

// MARK: - Fixes

extension Engine {
  @inline(__always)
  private mutating func take(_ report: FixReport, into effects: inout [Effect]) -> Bool {
    let id = takeID()
    state.tally.fixes += 1
    let last = state.gate.last?.instant
    let fix: Fix
    do {
      fix = try state.gate.judge(report, at: state.instant)
    } catch {
      refuse(report, error, id: id, into: &effects)
      return false
    }
    state.tally.accepted += 1
    if hasSubscribers {
      noteUTC()
      // A fix proves that there is a source. gpsd does not always announce a receiver that comes later.
      if state.policy.lacksSource { state.policy.lacksSource = false }
    }
    let place = effects.count
    if configuration.explains { recordBelieved(fix, id: id, into: &effects) }
    if state.gate.hasClock { noteClockMove(before: fix, into: &effects) }
    if let last {
      let seconds = last.seconds(to: fix.instant) - state.sampling.pausedSeconds(since: last)
      if state.isBroken || seconds >= configuration.gapSeconds {
        noteGap(of: seconds, before: fix, into: &effects)
      }
    } else {
      refreshReceiverUsers()
    }
    if state.tally.first == nil { state.tally.first = Tally.Start(instant: fix.instant) }
    state.isBroken = false
    if state.sampling.isOn { bookSource(of: fix, isFromNetwork: report.mode == .network) }
    if hasSubscribers, state.policy.needsFixes { offerUpdates(of: fix, into: &effects) }
    if let reason = state.significant.note(fix, keeps: hasSubscribers) {
      deliver(fix, reason, into: &effects)
    }
    if state.policy.hasOwnMeasures { offerOwnMoves(of: fix, into: &effects) }
    if configuration.explains {
      effects[place] = explain(fix, id: id)
    } else {
      regions.observe(fix, into: &regionEvents)
    }
    if !regionEvents.isEmpty { recordRegionEvents(into: &effects) }
    state.visits.observe(fix, into: &visitEvents)
    if !visitEvents.isEmpty { recordVisitEvents(into: &effects) }
    if configuration.sampling.isDutyCycled { planSampling(after: fix, into: &effects) }
    return true
  }

  // Code that few fixes need is never inlined: inlined, it would cost every fix a larger frame and copies.

  @inline(never)
  private mutating func refuse(
    _ report: FixReport, _ reason: RejectReason, id: Int, into effects: inout [Effect]
  ) {
    state.tally.refuse(reason)
    guard configuration.explains else { return }
    let time = report.time ?? utc(at: state.instant)
    effects.append(.record(Record(id: id, time: time, body: .fixRejected(reason, report))))
  }

  /// Tells of a significant change.
  @inline(never)
  private mutating func deliver(
    _ fix: Fix, _ reason: SignificantChange.Reason, into effects: inout [Effect]
  ) {
    let before = state.significant.keeping(fix)
    let change = state.significant.deliver(fix, at: fix.instant, reason: reason)
    record(change, measuredBefore: before, into: &effects)
  }

  /// Tells the ledger what gave a fix. Nearly all fixes change nothing in it. So it is read first: a change asks who
  /// shares the ledger.
  @inline(__always)
  private mutating func bookSource(of fix: Fix, isFromNetwork: Bool) {
    let receiver = PowerLedger.Receiver(tracking: fix)
    guard settings.booksPower, isFromNetwork || !state.ledger.isBooked(receiver) else { return }
    enterInLedger(receiver, at: fix.instant, isFromNetwork: isFromNetwork)
  }

  @inline(never)
  private mutating func enterInLedger(
    _ receiver: PowerLedger.Receiver, at instant: EngineInstant, isFromNetwork: Bool
  ) {
    book { isFromNetwork ? $0.noteNetworkFix(at: instant) : $0.setReceiver(receiver, at: instant) }
  }

  /// Books something in the ledger, where one is kept.
  @inline(__always)
  mutating func book(_ entry: (inout PowerLedger) -> Void) { if settings.booksPower { entry(&state.ledger) } }

  /// Tells the ledger what the receiver does now.
  mutating func bookReceiver(_ receiver: PowerLedger.Receiver) {
    let instant = state.instant
    book { $0.setReceiver(receiver, at: instant) }
  }

  /// Records a fix that is believed. What it said of the regions is filled in once they have seen it.
  @inline(never)
  private func recordBelieved(_ fix: Fix, id: Int, into effects: inout [Effect]) {
    effects.append(.record(Record(id: id, time: fix.time, body: .fixAccepted(fix, []))))
  }

  /// Shows a fix to the regions; the record of what it said of each.
  @inline(never)
  private mutating func explain(_ fix: Fix, id: Int) -> Effect {
    let asked = configuration.explainedRegion
    let standings = regions.standings(with: asked)
    regions.observe(fix, into: &regionEvents)
    let verdicts = regions.verdicts(since: standings, regionEvents, asked: asked)
    return .record(Record(id: id, time: fix.time, body: .fixAccepted(fix, verdicts, regions.errorEstimate)))
  }

  @inline(never)
  private mutating func noteClockMove(before fix: Fix, into effects: inout [Effect]) {
    guard let move = state.gate.takeClockMove() else { return }
    state.visits.noteClockMove(before: fix)
    guard move.isReturn != true else { return }
    record(.clock(seconds: move.seconds), at: fix.time, into: &effects)
  }

  @inline(never)
  private mutating func noteGap(of seconds: Double, before fix: Fix, into effects: inout [Effect]) {
    regions.noteGap(silenceEnd: state.isBroken ? nil : fix.instant)
    state.tally.gaps += 1
    record(.gap(seconds: seconds, state.isBroken ? .segment : .silence), at: fix.time, into: &effects)
  }

  private mutating func breakTrack() {
    state.gate.notePause()
    guard state.gate.last != nil, !state.isBroken, state.sampling.isOn else { return }
    state.isBroken = true
    bookReceiver(.acquiring)
  }
}

// MARK: - Regions, subscribers, the machine

extension Engine {
  private mutating func add(_ region: Region, into effects: inout [Effect]) {
    do {
      switch region.shape {
      case .beacon(let beacon): try add(region, beacon)
      case .circle, .polygon, .multiPolygon, .corridor:
        guard state.beacons?.state(of: region.id) == nil else { throw RegionError.duplicateID(region.id) }
        try regions.add(region)
      }
    } catch {
      refuse("region \(region.id)", "\(error)", into: &effects)
    }
  }

  private mutating func removeRegion(_ id: String) {
    regions.remove(id: id)
    state.changeBeacons { $0.remove(id: id) }
  }

  private mutating func change(_ region: Region, into effects: inout [Effect]) {
    do {
      let instant = state.instant
      if try regions.change(region, at: instant) { return }
      if try state.beacons?.change(region, at: instant) ?? false { return }
      removeRegion(region.id)
      add(region, into: &effects)
    } catch {
      refuse("region \(region.id)", "\(error)", into: &effects)
    }
  }

  private mutating func add(
    _ subscriber: Subscriber, _ initial: SubscriberState, into effects: inout [Effect]
  ) {
    if !hasSubscribers { noteUTC() }
    let isAdded = state.policy.add(subscriber, state: initial, measure: newMeasure, in: &turn)
    guard isAdded else {
      return refuse(
        "subscriber \(subscriber.name)", "more than \(Limits.subscribers) subscribers", into: &effects)
    }
    recordSteps(into: &effects)
    offerFirstMove(to: subscriber.name, into: &effects)
  }

  private mutating func remove(_ name: String, into effects: inout [Effect]) {
    var turn = PolicyTurn(instant: state.instant)
    _ = state.policy.withSession(name) { policy, index in policy.noteRemoval(index, in: &turn) }
    self.turn = turn
    recordSteps(into: &effects)
    if state.policy.remove(name) { effects.append(.outbox(.removeAll(subscriber: name))) }
  }

  /// Books the processor time of a program, where it answers what is known.
  private mutating func bookRun(of name: String, _ coreSeconds: Double, _ rule: Rule?) {
    if let rule { book { $0.addRun(name, coreSeconds: coreSeconds, rule: rule) } }
  }

  private mutating func take(_ event: SubscriberEvent, of name: String, into effects: inout [Effect]) {
    var measure: SignificantChange?
    if case .start = event { measure = newMeasure }
    var turn = PolicyTurn(instant: state.instant)
    if case .acknowledged(let id, let coreSeconds) = event {
      bookRun(of: name, coreSeconds, state.policy.rule(ofPending: id, subscriber: name))
    } else if case .mode(.fetched(_, _, let coreSeconds?)) = event {
      bookRun(of: name, coreSeconds, state.policy.rule(ofFetchedBy: name))
    }
    var regionObjection: Decision.Reason?
    if case .mode(.notify(let notification)) = event {
      regionObjection = self.regionObjection(to: notification)
    }
    let isKnown = state.policy.withSession(name) { policy, index in
      switch event {
      case .foreground: policy.bringToForeground(index, in: &turn)
      case .background: policy.sendToBackground(index, in: &turn)
      case .quit: policy.forceQuit(index, in: &turn)
      case .exited(let status): policy.exited(index, status: status, in: &turn)
      case .orphaned: policy.orphaned(index, in: &turn)
      case .begun(let seconds): policy.beginLate(index, seconds: seconds)
      case .registered: policy.registered(index, in: &turn)
      case .unregistered: policy.unregistered(index)
      case .acknowledged(let id, _): policy.acknowledge(id, index, in: &turn)
      case .dismissed(let id): policy.dismiss(id, index, in: &turn)
      case .beginTask(let name): policy.beginTask(name, index, in: &turn)
      case .endTask(let token): policy.endTask(token, index, in: &turn)
      case .authorization(let value): policy.authorize(value, index, in: &turn)
      case .accuracy(let value): policy.limit(value, index, in: &turn)
      case .backgroundDelivery(let isOn):
        policy.setBackgroundDelivery(isOn, index, in: &turn)
      case .start(let services):
        policy.startServices(services, index, measure: measure, in: &turn)
      case .stop(let services): policy.stopServices(services, index, in: &turn)
      case .locate(let seconds): policy.locate(index, seconds: seconds, in: &turn)
      case .memory(let bytes): policy.update(index) { $0.memoryBytes = bytes }
      case .lock(let isHeld): policy.noteLock(isHeld, index, in: &turn)
      case .overran: policy.endOverrun(index, in: &turn)
      case .done: policy.endGrace(index, in: &turn)
      case .preserve(let text): policy.preserve(text, index)
      case .interrupted(let begins): policy.interrupt(index, begins: begins, in: &turn)
      case .finished(let end): policy.noteFinished(end, index, in: &turn)
      case .mode(let event):
        policy.take(event, index, regionObjection: regionObjection, in: &turn)
      }
    }
    if isKnown, case .finished(let end) = event {
      record(.program(subscriber: name, end), at: utc(at: state.instant), into: &effects)
    }
    guard isKnown else { return refuse("subscriber \(name)", "no such subscriber", into: &effects) }
    self.turn = turn
    recordSteps(into: &effects)
    if state.policy.hasOwnMeasures { offerFirstMove(to: name, into: &effects) }
  }

  /// Why a notification can't wait for its region; nil where it can, or waits for none (rule D7).
  private func regionObjection(to notification: LocalNotification) -> Decision.Reason? {
    guard case .region(let id, let isLeft) = notification.when else { return nil }
    guard let region = region(id) else { return .unknownRegion }
    return region.notify.contains(isLeft ? .exit : .enter) ? nil : .regionSilent
  }

  /// Settles what is open and records where the energy went.
  private mutating func end(into effects: inout [Effect]) {
    endVisit(into: &effects)
    bookReceiver(.off)
    let instant = state.instant
    book { $0.settle(at: instant) }
    advise(into: &effects)
    for entry in state.ledger.entries where entry.joules > 0 || entry.seconds > 0 {
      record(.power(entry), at: utc(at: state.instant), into: &effects)
    }
  }

  /// Records what the policy decided, and sees to what follows for the receiver.
  private mutating func finishPolicyTurn(into effects: inout [Effect]) {
    recordSteps(into: &effects)
    tellOutboxes(into: &effects)
    refreshReceiverUsers()
    reviseSamplingForNeeds(into: &effects)
  }

  mutating func refreshReceiverUsers() {
    guard settings.booksPower else { return }
    state.ledger.setUsers(state.policy.findReceiverUsers(), at: state.instant)
    state.ledger.setRunning(state.policy.findBackgroundUsers(), at: state.instant)
    state.ledger.setTransferring(state.policy.findTransferringUsers(), at: state.instant)
  }

  /// Whether there is anybody to offer events to.
  @inline(__always) var hasSubscribers: Bool { !state.policy.sessions.isEmpty }

  /// Microseconds by which UTC is ahead of the engine's axis, as of the last fix, or of a system clock that was set
  /// after it; nil before either. The policy knows of both while it has subscribers.
  package var utcAheadMicroseconds: Int64? {
    hasSubscribers ? state.policy.utcAhead ?? utcAheadOfLastFix : utcAheadOfLastFix
  }

  /// The same as of the last fix; nil before the first.
  private var utcAheadOfLastFix: Int64? {
    @inline(__always) get {
      guard let last = state.gate.last else { return nil }
      return last.time.microseconds.saturatingSubtract(last.instant.microseconds)
    }
  }

  /// Tells the policy what UTC is, as of the last fix.
  @inline(__always)
  private mutating func noteUTC() {
    guard let ahead = utcAheadOfLastFix else { return }
    state.policy.noteUTC(ahead: ahead)
  }
}

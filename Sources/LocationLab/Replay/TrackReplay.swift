import LocationCore
import LocationFormats
import LocationRuntime

/// Takes the records of a replay, in order.
protocol RecordSink {
  mutating func receive(_ record: Record)
}

/// Where the effects of a replay go: records to a sink and a report, orders to modelled programs.
struct ReplayPorts<Sink: RecordSink>: EffectPorts {
  var sink: Sink
  /// What a page is made of; nil where nobody wants one.
  var report: TrackReport?
  var model: SubscriberModel
  /// Who answers for the programs.
  var programs = ReplayPrograms.modelled
  /// When orders are carried out.
  var now = EngineInstant.distantPast
  /// Orders to the receiver that are to be carried out, in order.
  var receiverOrders: [ReceiverOrder] = []
  /// Records of the background modes, counted.
  var modes = ModeTally()

  mutating func receive(_ record: Record) {
    if programs != .recorded, case .call(let call) = record.body { model.note(call, as: record.id) }
    if programs != .recorded, case .push(let push) = record.body { model.note(push, as: record.id) }
    modes.count(record)
    report?.add(record)
    sink.receive(record)
  }

  mutating func receive(_ order: Order) {
    switch programs {
    case .modelled: model.perform(order, at: now)
    case .recorded: break
    case .remodelled:
      // What accessories do was recorded.
      if case .accessory = order { return }
      model.perform(order, at: now)
    }
  }

  mutating func receive(_ order: ReceiverOrder) { receiverOrders.append(order) }
}

/// Who answers for the programs of a replay.
enum ReplayPrograms {
  /// The model.
  case modelled
  /// The recording, in which they have answered.
  case recorded
  /// The model does for those of a recording: what they answered there names events that may not come now.
  case remodelled
}

/// Runs one track through an engine of its own: reader, scenario and modelled programs in front of it, records behind
/// it. It adds no rule: time comes from the fixes.
struct TrackReplay<Sink: RecordSink>: ~Copyable {
  private let request: ReplayRequest
  private var host: EngineHost<NoJournal, ReplayPorts<Sink>>
  private var steps: ScenarioClock
  /// The receiver, where the engine switches it; nil where it is always on.
  private var receiver: ReceiverModel?
  /// Tells when each report of the track happens, where the engine is not handed all of them; else the engine does. It is
  /// not optional: to ask whether it is nil is to copy it for each fix.
  private var clock: FixGate
  private let datesByClock: Bool
  /// The last report's time, and when it happened on the engine's axis, while ``clock`` dates them.
  private var lastStamp: (time: UTCTime, instant: EngineInstant)?
  /// When the track began.
  private var begin: EngineInstant?
  private var hasStarted = false
  private var hasEnded = false
  /// Whether the part of a recording that is wanted is over.
  private var hasPassed = false
  /// The first id that the engine gives out here.
  private var firstID = 0

  /// - Parameter handsOnAll: whether the engine is handed every report that its receiver is on for, so that nobody calls
  ///   ``pass(_:)``.
  init(_ request: ReplayRequest, to sink: Sink, handsOnAll: Bool = true) {
    self.request = request
    var ports = ReplayPorts(
      sink: sink,
      model: SubscriberModel(handlingSeconds: request.configuration.profile.deliveryCoreSeconds))
    if request.reportPath != nil { ports.report = TrackReport(request) }
    let engine =
      if let shared = request.shared { Engine(settings: shared.settings, catalog: shared.catalog) } else {
        Engine(configuration: request.configuration)
      }
    host = EngineHost(engine, journal: NoJournal(), ports: ports)
    steps = ScenarioClock(request.scenario)
    if request.configuration.sampling.isDutyCycled {
      receiver = ReceiverModel(request.configuration.sampling)
    }
    datesByClock = receiver != nil || !handsOnAll
    clock = FixGate(configuration: request.configuration.gate)
  }

  /// A replay of a recording: its events as they were, but for what the request puts in their place. One that begins in
  /// the middle goes on from its snapshot.
  ///
  /// - Throws: ``Failure`` of code 65 where the snapshot is of no engine.
  init(
    _ request: ReplayRequest, recorded configuration: EngineConfiguration, from snapshot: EngineSnapshot?,
    to sink: Sink
  ) throws(Failure) {
    let decidesAsRecorded =
      request.keepsRecordedConfiguration && request.regions.isEmpty && request.scenario == nil
      && request.from == nil && request.to == nil
      && request.sampling.map { $0 == configuration.sampling.mode } ?? true
    var request = request
    request.shared = nil
    if request.keepsRecordedConfiguration {
      let asked = request.configuration
      request.configuration = configuration
      request.configuration.explains = asked.explains || configuration.explains
      if request.hasOwnProfile { request.configuration.profile = asked.profile }
      if let mode = request.sampling { request.configuration.sampling.mode = mode }
    }
    if request.hasDefaultSubscribers {
      // Those of the recording are no assumption.
      request.subscribers = []
      request.hasDefaultSubscribers = false
    }
    self.init(request, to: sink)
    if request.subscribers.isEmpty {
      host.ports.programs = decidesAsRecorded ? .recorded : .remodelled
    }
    // What was recorded is what the receiver gave; of one that was always on less may be asked.
    if configuration.sampling.isDutyCycled { receiver = nil }
    guard let snapshot else { return }
    try goOn(from: snapshot)
  }

  /// Goes on from a snapshot, with the regions and programs of the request in the place of its own.
  private mutating func goOn(from snapshot: EngineSnapshot) throws(Failure) {
    var engine = try snapshot.configured(request.configuration).restored()
    var replaced: [Event] = []
    if !request.regions.isEmpty { replaced += engine.regionIDs.map { .removeRegion(id: $0) } }
    if !request.subscribers.isEmpty {
      replaced += engine.subscribers.map { .removeSubscriber(name: $0.subscriber.name) }
    }
    let instant = engine.instant
    // Nothing is told of it: in this replay they have never been.
    var untold: [Effect] = []
    for event in replaced { engine.handle(Stamped(at: instant, event), into: &untold) }
    for id in engine.regionIDs {
      if let region = engine.region(id) { host.ports.report?.add(region) }
    }
    for view in engine.subscribers {
      host.ports.model.add(view.subscriber)
      host.ports.report?.add(view.subscriber.name, view.state, at: engine.time)
    }
    // What came before is counted where it happened.
    engine.beginAccounts()
    firstID = engine.nextID
    host.replaceEngine(engine)
    guard instant > .distantPast else { return }
    start(at: instant)
    // The first report may come much later.
    begin = nil
  }

  /// Where the records go.
  var sink: Sink {
    get { host.ports.sink }
    _modify { yield &host.ports.sink }
  }

  /// What a page is made of; nil where nobody wants one.
  var report: TrackReport? { host.ports.report }

  private var now: EngineInstant {
    get { host.ports.now }
    set { host.ports.now = newValue }
  }

  /// The engine.
  var engine: Engine { _read { yield host.engine } }

  /// When a report happens: its own time, where that can be believed.
  mutating func time(of report: FixReport) -> UTCTime {
    guard datesByClock else { return host.time(of: Stamped(at: now, .fix(report))) }
    return clock.instant(ofReplayed: report) == nil ? presentTime : report.time ?? presentTime
  }

  /// Lets time pass, up to a UTC time after the last fix. The engine stands at that instant afterwards.
  mutating func pass(to time: UTCTime) {
    guard hasStarted else { return }
    let instant = host.engine.instant(at: time)
    run(until: instant)
    host.advance(to: instant)
    commit()
  }

  /// Puts regions and programs in place at a time, where no report has brought that about.
  mutating func prepare(at time: UTCTime) {
    guard !hasStarted else { return }
    start(at: EngineInstant(microseconds: time.microseconds))
  }

  /// The last fix taken.
  var fix: Fix? { host.engine.tally.last }

  /// Where the energy went, as far as it has been booked.
  var ledger: PowerLedger { host.engine.ledger }

  /// Lets the time of a report pass without handing it on.
  mutating func pass(_ report: FixReport) {
    let instant = stamp(report)
    if instant > .distantPast { run(until: instant) }
  }

  /// Takes what a reader found next. Inlined, because a call would copy the report once more.
  @inline(__always)
  mutating func take(_ item: TrackItem) {
    switch item {
    case .segmentBreak:
      guard hasStarted else { return }
      clock.notePause()
      lastStamp = nil
      host.ports.report?.breakTrack()
      handle(.segmentBreak)
    case .fix(let report):
      guard isWanted(report) else { return }
      let instant = stamp(report)
      if instant > .distantPast { run(until: instant) }
      if datesByClock, let later = dateAgain(report, at: instant) {
        run(until: later)
        take(report, at: later)
      } else {
        take(report, at: instant)
      }
    }
    commit()
  }

  /// When the next report of the track happens on the engine's axis: now, where its time can't be believed.
  @inline(__always)
  private mutating func stamp(_ report: FixReport) -> EngineInstant {
    datesByClock ? dated(report) : host.instant(ofReplayed: report)
  }

  /// The same by ``clock``. Of a report that it can't place, such as one that is too inaccurate, the step from the one
  /// before counts; before the first that it can place there is nothing to count from.
  @inline(never)
  private mutating func dated(_ report: FixReport) -> EngineInstant {
    var instant = max(now, clock.stamp(report) ?? now)
    guard instant > .distantPast, let time = report.time else { return instant }
    if instant == now, let last = lastStamp {
      let seconds = last.time.seconds(to: time)
      if seconds > 0, seconds <= FixGate.steadyStepSeconds {
        instant = max(now, last.instant.advanced(bySeconds: seconds))
      }
    }
    lastStamp = (time, instant)
    return instant
  }

  /// When a report happens that the engine is about to believe, and ``clock`` did not; nil where they agree. The engine
  /// may take for a silence what the clock does not: it has had longer ones, while it asked for nothing.
  @inline(never)
  private mutating func dateAgain(_ report: FixReport, at instant: EngineInstant) -> EngineInstant? {
    guard receiver?.isReady(at: instant) ?? true, clock.last?.time != report.time,
      host.instant(ofReplayed: report) > instant
    else { return nil }
    clock.notePause()
    return dated(report)
  }

  /// Hands a report to the engine, where the receiver was asked for it.
  @inline(__always)
  private mutating func take(_ report: FixReport, at instant: EngineInstant) {
    if begin == nil { begin = instant }
    if let isSeen = receiver?.sees(instant), !isSeen {
      host.ports.report?.add(report, .notAsked)
      return
    }
    let isBelieved = host.handle(report, at: instant)
    host.ports.report?.add(report, isBelieved ? .believed : .refused)
  }

  /// Whether something that was said to, or by, a program of the recording also counts here.
  private func isOfRecording(_ event: SubscriberEvent) -> Bool {
    switch host.ports.programs {
    case .modelled: false
    case .recorded: true
    case .remodelled:
      if let done = event.doneEvent { done < firstID } else { !event.isOfOrder }
    }
  }

  /// Whether an event is of the part that is wanted. With the first one after it the part is over.
  private mutating func isWanted(_ stamped: Stamped) -> Bool {
    guard !hasPassed else { return false }
    if let to = request.to, hasStarted, host.time(of: stamped) > to { hasPassed = true }
    if case .fix(let report) = stamped.event { return isWanted(report) && !hasPassed }
    return !hasPassed
  }

  /// Whether a report is of the part that is wanted.
  func isWanted(_ report: FixReport) -> Bool {
    guard let time = report.time else { return true }
    if let from = request.from, time < from { return false }
    if let to = request.to, time > to { return false }
    return true
  }

  /// Takes the next event of a recording. Regions and subscribers that the request names stand in for the recorded
  /// ones.
  mutating func take(_ stamped: Stamped) {
    switch stamped.event {
    case .addRegion, .changeRegion, .removeRegion: if !request.regions.isEmpty { return }
    case .addSubscriber, .removeSubscriber: if host.ports.programs == .modelled { return }
    case .subscriber(let name, let event):
      guard isOfRecording(event) else { return }
      if event.endsProcess { host.ports.model.end(name) }
    case .fix, .segmentBreak, .source, .receiver, .beacon, .machine, .time, .end: break
    }
    guard isWanted(stamped) else { return }
    if case .end = stamped.event { hasEnded = true }
    if stamped.at > .distantPast { run(until: stamped.at) }
    if case .fix(let report) = stamped.event {
      take(report, at: stamped.at)
      return commit()
    }
    let time = host.ports.report == nil ? UTCTime(microseconds: 0) : presentTime
    handle(stamped)
    switch stamped.event {
    case .segmentBreak: host.ports.report?.breakTrack()
    case .addRegion(let region), .changeRegion(let region): host.ports.report?.add(region)
    case .addSubscriber(let subscriber, let state): host.ports.report?.add(subscriber.name, state, at: time)
    case .fix, .beacon, .removeRegion, .removeSubscriber, .subscriber, .source, .receiver, .machine, .time,
      .end:
      break
    }
    commit()
  }

  /// Plays what is left of the scenario, lets the programs finish, and settles the books.
  mutating func finish(notes: [String]) -> Summary {
    let trackEnd = now
    while let end { run(until: end) }
    if !hasEnded { handle(.end) }
    commit()
    var summary = Summary(
      of: host.engine, modes: host.ports.modes, notes: notes, draws: request.shared?.draws)
    if receiver != nil, let begin, let end = host.engine.tally.last.map({ max($0.instant, trackEnd) }) {
      // The track goes on after the last fix that was asked for.
      summary.durationSeconds = begin.seconds(to: end)
      summary.modelledSeconds = begin.seconds(to: max(end, host.engine.instant))
      summary.deviceJoules = host.engine.ledger.deviceJoules(overSeconds: summary.modelledSeconds)
    }
    if let doubt = Self.doubt(in: summary) { summary.notes.append(doubt) }
    if let lack = receiverLack { summary.notes.append(lack) }
    if host.ports.programs == .remodelled, !host.engine.subscribers.isEmpty {
      summary.notes.append(
        "the recorded programs are modelled, because other events may lead to other answers: each acknowledges at once"
      )
    }
    host.ports.report?.finish(summary, host.engine.ledger)
    return summary
  }

  /// Why the receiver that the engine switches found little; nil where it did not, or is always on.
  var receiverLack: String? { receiver?.lack }

  /// Why less than half of the reports were believed, or how many are out of the order of time; nil where there is no
  /// doubt, or none was believed, which is a failure.
  private static func doubt(in summary: Summary) -> String? {
    let tally = summary.tally
    guard tally.accepted > 0 else { return nil }
    if 2 * tally.accepted < tally.fixes {
      return
        "only \(Wording.count(tally.accepted)) of \(Wording.count(tally.fixes)) reports were believed: \(summary.reasons); --explain shows each"
    }
    let misdated = tally.rejected(for: .late) + tally.rejected(for: .future)
    guard misdated >= misdatedNoted, misdated > tally.fixes / misdatedNoted else { return nil }
    return
      "\(Wording.count(misdated)) of \(Wording.count(tally.fixes)) reports are dated before or long after those around them; --explain shows each"
  }

  /// So many reports out of the order of time, and more than one in as many, are told of.
  private static var misdatedNoted: Int { 10 }

  /// Everything that happens up to and at `instant`, in order of time; a program's own doing comes before a
  /// step of the scenario at the same instant.
  @inline(__always)
  private mutating func run(until instant: EngineInstant) {
    if !hasStarted { start(at: instant) }
    if let due = nextDue(), due <= instant { catchUp(to: instant) }
    now = max(now, instant)
  }

  @inline(never)
  private mutating func catchUp(to instant: EngineInstant) {
    while let due = nextDue(), due <= instant { takeDue(at: due) }
  }

  private mutating func takeDue(at due: EngineInstant) {
    now = max(now, due)
    if let deadline = host.due(), deadline <= due {
      host.advance(to: due)
    } else if let outcome = host.ports.model.next, outcome <= due, let next = host.ports.model.removeNext() {
      // A process in the foreground does not end with its event.
      let stays = next.isEnd && host.engine.subscriberState(next.subscriber)?.isForeground == true
      if !stays {
        if next.isLastEnd { host.ports.model.end(next.subscriber) }
        handle(.subscriber(name: next.subscriber, next.event))
      }
    } else {
      perform(steps.removeNext())
    }
    commit()
  }

  /// Takes what is due next before a report, or before the end where there is none; whether anything is. The report, or
  /// the end, is still to be taken.
  mutating func takeNextDue(before report: FixReport?) -> Bool {
    guard hasStarted, let end = instant(of: report), let due = nextDue(), due <= end else { return false }
    takeDue(at: due)
    return true
  }

  /// When a report happens that is still to be taken, or the end where it is nil; nil where nothing leads to it.
  private mutating func instant(of report: FixReport?) -> EngineInstant? {
    guard let report else { return end }
    guard isWanted(report) else { return nil }
    let (clock, lastStamp) = (clock, lastStamp)
    defer { (self.clock, self.lastStamp) = (clock, lastStamp) }
    return stamp(report)
  }

  /// When the scenario or a program does something next, after the track; nil where neither does.
  private var end: EngineInstant? {
    EngineInstant.earlier(steps.next, host.ports.model.next).map { max($0, now) }
  }

  /// When anything is due next.
  @inline(__always)
  private mutating func nextDue() -> EngineInstant? {
    EngineInstant.earlier(host.due(), EngineInstant.earlier(host.ports.model.next, steps.next))
  }

  private mutating func start(at instant: EngineInstant) {
    hasStarted = true
    now = instant
    begin = instant
    steps.start(at: instant)
    for region in request.regions where request.shared == nil {
      host.ports.report?.add(region)
      host.handle(Stamped(at: instant, .addRegion(region)))
    }
    let time = presentTime
    for subscriber in request.subscribers {
      let isLaunched = request.scenario?.launches(subscriber.name) ?? false
      let hasNoProcess = isLaunched || subscriber.exitsOnSuspend || subscriber.style == .oneshot
      let state = hasNoProcess ? SubscriberState.notRunning : .suspended
      host.ports.report?.add(subscriber.name, state, at: time)
      handle(Stamped(at: instant, .addSubscriber(subscriber, state)))
    }
    commit()
  }

  private mutating func perform(_ action: Scenario.Action) {
    switch action {
    case .launch(let name):
      handle(.subscriber(name: name, .foreground))
    case .subscriber(let name, let event):
      if event.endsProcess { host.ports.model.end(name) }
      if case .memory(let bytes) = event { host.ports.model.setMemory(of: name, bytes: bytes) }
      handle(.subscriber(name: name, event))
    case .task(let name, let task, let seconds):
      handle(.subscriber(name: name, .beginTask(name: task)))
      if host.refusal == nil { host.ports.model.beginTask(of: name, seconds: seconds, at: now) }
    case .fetchAnswer(let name, let result, let seconds, let bytes):
      host.ports.model.setFetchAnswer(
        of: name, SubscriberModel.FetchAnswer(result: result, seconds: seconds, bytes: bytes))
    case .handled(let name, let event, let seconds):
      host.ports.model.setHandler(of: name, seconds: seconds)
      handle(.subscriber(name: name, .mode(event)))
    case .transfer(let name, let terms, let model):
      handle(.subscriber(name: name, .mode(.transfer(terms))))
      if host.refusal == nil {
        host.ports.model.add(model, as: host.engine.lastTransfer(of: name), of: name)
      }
    case .plug(let name, let session, let isIn):
      if let event = host.ports.model.plug(session, of: name, isIn: isIn) {
        handle(.subscriber(name: name, .mode(.accessory(event))))
      }
    case .hang(let name, let hangs): host.ports.model.setHanging(name, hangs, at: now)
    case .source(let event): handle(.source(event))
    case .beacon(let event): handle(.beacon(event))
    case .memoryPressure(let level, let freesBytes):
      host.ports.model.setMissing(bytes: freesBytes)
      handle(.machine(.memoryPressure(level)))
    case .machine(let event):
      handle(.machine(event))
    case .call(let begins):
      for name in host.engine.subscribers.map(\.subscriber.name) {
        // The end for one may be the end for all.
        guard host.engine.subscriber(name)?.isAffectedByCall(begins: begins) == true else { continue }
        handle(.subscriber(name: name, .interrupted(begins)))
        commit()
      }
    }
  }

  /// UTC now.
  private var presentTime: UTCTime { host.engine.utc(at: now) }

  private mutating func handle(_ event: Event) { handle(Stamped(at: now, event)) }

  private mutating func handle(_ stamped: Stamped) {
    if case .machine(.reboot) = stamped.event {
      for view in host.engine.subscribers { host.ports.model.end(view.subscriber.name) }
    }
    if case .addSubscriber(let subscriber, _) = stamped.event { host.ports.model.add(subscriber) }
    host.handle(stamped)
  }

  /// Hands the effects on. What comes of an order to the receiver may add further ones.
  @inline(__always)
  private mutating func commit() { if host.hasEffects { handOn() } }

  @inline(never)
  private mutating func handOn() {
    host.commit(at: now)
    while !host.ports.receiverOrders.isEmpty {
      obey(host.ports.receiverOrders.removeFirst())
      host.commit(at: now)
    }
    if host.ports.model.takeRelief() {
      handle(.machine(.memoryPressure(.none)))
      commit()
    }
  }

  /// Has the modelled receiver obey at once; that of a recording has obeyed in it.
  private mutating func obey(_ order: ReceiverOrder) {
    if host.ports.report != nil {
      let time = presentTime
      host.ports.report?.add(order, at: time)
    }
    guard receiver != nil else { return }
    handle(.receiver(order.isOn ? .opened : .released))
    let now = now
    let searchSeconds = order.isOn ? host.engine.ledger.timeToFixSeconds(at: now) : 0
    receiver?.perform(order, at: now, searchSeconds: searchSeconds)
  }
}

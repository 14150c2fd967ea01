import LocationCore
import LocationFormats
import LocationRuntime

/// Runs one track through an engine of its own: reader, scenario and modelled programs in front of it, records behind
/// it. It adds no rule: time comes from the fixes.
struct TrackReplay: ~Copyable {
  private let request: ReplayRequest
  private var engine: Engine
  private var model: SubscriberModel
  private var effects: [Effect] = []
  private var steps: ScenarioClock
  /// The receiver, where the engine switches it; nil where it is always on.
  private var receiver: ReceiverModel?
  /// What a page is made of; nil where nobody wants one.
  private(set) var report: TrackReport?
  private var begin: EngineInstant?
  private var hasStarted = false
  private var now = EngineInstant.distantPast
  /// Whether the modelled programs answer; those of a recording have answered in it.
  private var hasModel = true
  private var hasEnded = false

  init(_ request: ReplayRequest) {
    self.request = request
    engine = Engine(configuration: request.configuration)
    model = SubscriberModel(handlingSeconds: request.configuration.profile.deliveryCoreSeconds)
    steps = ScenarioClock(request.scenario)
    if request.configuration.sampling.isDutyCycled { receiver = ReceiverModel() }
    if request.reportPath != nil { report = TrackReport() }
  }

  /// A replay of a recording: its events as they were, but for what the request puts in their place.
  ///
  /// A recording that begins in the middle goes on from its snapshot, unless regions or subscribers are put in the
  /// place of the recorded ones.
  ///
  /// - Throws: ``Failure`` of code 65 where the snapshot is of no engine.
  init(
    _ request: ReplayRequest, recorded configuration: EngineConfiguration, from snapshot: EngineSnapshot?
  ) throws(Failure) {
    let isAsRecorded =
      request.keepsRecordedConfiguration && request.regions.isEmpty && request.hasDefaultSubscribers
    var request = request
    if request.keepsRecordedConfiguration {
      let explains = request.configuration.explains || configuration.explains
      request.configuration = configuration
      request.configuration.explains = explains
      if let mode = request.sampling { request.configuration.sampling.mode = mode }
    }
    if request.hasDefaultSubscribers { request.subscribers = [] }
    self.init(request)
    hasModel = !request.subscribers.isEmpty
    // What was recorded is what the receiver gave; of one that was always on less may be asked.
    if configuration.sampling.isDutyCycled { receiver = nil }
    guard let snapshot, isAsRecorded else { return }
    engine = try snapshot.reconfigured(from: configuration, to: request.configuration).restored()
    now = engine.instant
    hasStarted = true
  }

  /// The UTC time of the last fix taken; for pacing.
  var time: UTCTime? { engine.tally.last?.time }

  /// The last fix taken.
  var fix: Fix? { engine.tally.last }

  /// Where the energy went, as far as it has been booked.
  var ledger: PowerLedger { engine.ledger }

  /// Lets the time of a report pass without handing it on.
  mutating func pass(_ report: FixReport, emit: (Record) -> Void) {
    let instant = engine.instant(ofReplayed: report)
    if instant > .distantPast { run(until: instant, emit: emit) }
  }

  /// Takes what a reader found next, and hands the records that follow to `emit`.
  mutating func take(_ item: TrackItem, emit: (Record) -> Void) {
    switch item {
    case .segmentBreak:
      guard hasStarted else { return }
      report?.breakTrack()
      engine.handle(Stamped(at: now, .segmentBreak), into: &effects)
    case .fix(let report):
      guard isWanted(report) else { return }
      let instant = engine.instant(ofReplayed: report)
      if instant > .distantPast { run(until: instant, emit: emit) }
      take(report, at: instant)
    }
    drain(emit: emit)
  }

  /// Hands a report to the engine, where the receiver was asked for it.
  @inline(__always)
  private mutating func take(_ report: FixReport, at instant: EngineInstant) {
    if let isSeen = receiver?.sees(instant), !isSeen {
      self.report?.add(report, .notAsked)
      return
    }
    let isBelieved = engine.handle(report, at: instant, into: &effects)
    self.report?.add(report, isBelieved ? .believed : .refused)
  }

  private func isWanted(_ report: FixReport) -> Bool {
    guard let time = report.time else { return true }
    if let from = request.from, time < from { return false }
    if let to = request.to, time > to { return false }
    return true
  }

  /// Takes the next event of a recording. Regions and subscribers that the request names stand in for the recorded
  /// ones.
  mutating func take(_ stamped: Stamped, emit: (Record) -> Void) {
    switch stamped.event {
    case .addRegion, .removeRegion: if !request.regions.isEmpty { return }
    case .addSubscriber, .removeSubscriber, .subscriber: if hasModel { return }
    case .fix(let report): guard isWanted(report) else { return }
    case .segmentBreak, .source, .receiver, .machine: break
    case .end: hasEnded = true
    }
    if stamped.at > .distantPast { run(until: stamped.at, emit: emit) }
    if case .fix(let report) = stamped.event {
      take(report, at: stamped.at)
      return drain(emit: emit)
    }
    let time = report == nil ? UTCTime(microseconds: 0) : presentTime
    engine.handle(stamped, into: &effects)
    switch stamped.event {
    case .segmentBreak: report?.breakTrack()
    case .addRegion(let region): report?.add(region)
    case .addSubscriber(let subscriber, let state): report?.add(subscriber.name, state, at: time)
    case .fix, .removeRegion, .removeSubscriber, .subscriber, .source, .receiver, .machine, .end: break
    }
    drain(emit: emit)
  }

  /// Plays what is left of the scenario, lets the programs finish, and settles the books.
  mutating func finish(notes: [String], emit: (Record) -> Void) -> Summary {
    while let due = EngineInstant.earlier(steps.next, model.next) {
      run(until: max(due, now), emit: emit)
    }
    if !hasEnded { engine.handle(Stamped(at: now, .end), into: &effects) }
    drain(emit: emit)
    var summary = Summary(of: engine, notes: notes)
    if receiver != nil, let begin, let end = engine.tally.last.map({ max($0.instant, now) }) {
      // The track goes on after the last fix that was asked for.
      summary.durationSeconds = begin.seconds(to: end)
      summary.deviceJoules = engine.ledger.deviceJoules(overSeconds: summary.durationSeconds)
    }
    report?.finish(summary, engine.ledger)
    return summary
  }

  /// Everything that happens up to and at `instant`, in order of time; a program's own doing comes before a
  /// step of the scenario at the same instant.
  private mutating func run(until instant: EngineInstant, emit: (Record) -> Void) {
    if !hasStarted { start(at: instant, emit: emit) }
    while let due = nextDue, due <= instant {
      now = max(now, due)
      if let deadline = engine.nextDeadline, deadline <= due {
        engine.advance(to: due, into: &effects)
      } else if let outcome = model.next, outcome <= due, let next = model.removeNext() {
        engine.handle(Stamped(at: now, .subscriber(name: next.subscriber, next.event)), into: &effects)
      } else {
        perform(steps.removeNext())
      }
      drain(emit: emit)
    }
    now = max(now, instant)
  }

  /// When anything is due next.
  private var nextDue: EngineInstant? {
    EngineInstant.earlier(engine.nextDeadline, EngineInstant.earlier(model.next, steps.next))
  }

  private mutating func start(at instant: EngineInstant, emit: (Record) -> Void) {
    hasStarted = true
    now = instant
    begin = instant
    steps.start(at: instant)
    for region in request.regions {
      report?.add(region)
      engine.handle(Stamped(at: instant, .addRegion(region)), into: &effects)
    }
    let time = presentTime
    for subscriber in request.subscribers {
      let isLaunched = request.scenario?.launches(subscriber.name) ?? false
      let state = isLaunched || subscriber.exitsOnSuspend ? SubscriberState.notRunning : .suspended
      report?.add(subscriber.name, state, at: time)
      engine.handle(Stamped(at: instant, .addSubscriber(subscriber, state)), into: &effects)
    }
    drain(emit: emit)
  }

  private mutating func perform(_ action: Scenario.Action) {
    switch action {
    case .launch(let name):
      engine.handle(Stamped(at: now, .subscriber(name: name, .foreground)), into: &effects)
    case .subscriber(let name, let event):
      if event.endsProcess { model.end(name) }
      engine.handle(Stamped(at: now, .subscriber(name: name, event)), into: &effects)
    case .task(let name, let task, let seconds):
      engine.handle(Stamped(at: now, .subscriber(name: name, .beginTask(name: task))), into: &effects)
      let isRefused = effects.contains {
        if case .record(let record) = $0, case .decision(let decision) = record.body {
          decision.action == .refuse
        } else {
          false
        }
      }
      if !isRefused { model.beginTask(of: name, seconds: seconds, at: now) }
    case .hang(let name, let hangs): model.setHanging(name, hangs, at: now)
    case .source(let event): engine.handle(Stamped(at: now, .source(event)), into: &effects)
    case .machine(let event):
      if event == .reboot {
        for subscriber in request.subscribers { model.end(subscriber.name) }
      }
      engine.handle(Stamped(at: now, .machine(event)), into: &effects)
    }
  }

  /// UTC now: as far from the last fix as the engine's axis is.
  private var presentTime: UTCTime {
    guard let last = engine.tally.last else { return UTCTime(microseconds: now.microseconds) }
    return last.time.advanced(bySeconds: last.instant.seconds(to: now))
  }

  private mutating func drain(emit: (Record) -> Void) {
    guard !effects.isEmpty else { return }
    var place = 0
    // What comes of an order to the receiver may add further ones.
    while place < effects.count {
      switch effects[place] {
      case .record(let record):
        report?.add(record)
        emit(record)
      case .perform(let order): if hasModel { model.perform(order, at: now) }
      case .receive(let order): obey(order)
      }
      place += 1
    }
    effects.removeAll(keepingCapacity: true)
  }

  /// Has the modelled receiver obey at once; that of a recording has obeyed in it.
  private mutating func obey(_ order: ReceiverOrder) {
    if report != nil {
      let time = presentTime
      report?.add(order, at: time)
    }
    guard receiver != nil else { return }
    engine.handle(Stamped(at: now, .receiver(order.isOn ? .opened : .released)), into: &effects)
    receiver?.perform(order, at: now, searchSeconds: engine.ledger.timeToFix(at: now).seconds)
  }
}

extension EngineInstant {
  /// The earlier of two instants, where there are two.
  fileprivate static func earlier(_ one: EngineInstant?, _ other: EngineInstant?) -> EngineInstant? {
    guard let one else { return other }
    guard let other else { return one }
    return min(one, other)
  }
}

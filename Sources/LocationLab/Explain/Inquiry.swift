import LocationCore
import LocationFormats
import LocationRuntime

/// Replays what reached an engine up to the moment that somebody asks about, and keeps what there is to say of it.
struct Inquiry: ~Copyable {
  /// What was seen on the way.
  struct Seen {
    /// The last report, believed or not.
    var report: Record?
    /// The last fix that was believed, with its verdicts.
    var fix: (fix: Fix, verdicts: [RegionVerdict])?
    /// What the receiver was told last, since that fix.
    var receiver: Record?
    /// What was last said of the source, since that fix.
    var source: Record?
    /// The last event of each region.
    var regions: [String: Record] = [:]
    /// The last decision about each subscriber.
    var decisions: [String: Record] = [:]
    /// The record that is asked about.
    var subject: Record?
    /// Decisions about it.
    var consequences: [Record] = []
  }

  /// Keeps what there is to say of the records.
  struct Ports: EffectPorts, RecordSink {
    let question: Question
    /// Whether the reports are those of a track, which have no time but their own.
    var isOfTrack = false
    var seen = Seen()
    /// Whether the moment has come.
    var isReached = false
    /// Whether only what followed from the moment still counts.
    var isLater = false

    mutating func receive(_ record: Record) {
      if case .decision(let decision) = record.body, let event = decision.event, event == question.event {
        seen.consequences.append(record)
      }
      if !isLater { note(record) }
    }

    /// In a track nothing else says when a report came before the first fix: one without a time, or of a later one
    /// than is asked about, is left out.
    private func canTell(of report: Record) -> Bool {
      guard isOfTrack, seen.fix == nil else { return true }
      return report.time != .unknown && (question.until.map { report.time <= $0 } ?? true)
    }

    private mutating func note(_ record: Record) {
      if case .fixAccepted(let fix, let verdicts, _) = record.body {
        seen.report = record
        seen.fix = (fix, verdicts)
        seen.receiver = nil
        seen.source = nil
      }
      if case .fixRejected = record.body, canTell(of: record) { seen.report = record }
      // What was told before the record that is asked about.
      let isBefore = question.event.map { record.id < $0 } ?? true
      if isBefore, case .region(let event) = record.body { seen.regions[event.region] = record }
      if case .receiver = record.body {
        seen.receiver = record
        return
      }
      if case .source(.stale) = record.body { seen.source = record }
      if isBefore, case .decision(let decision) = record.body { seen.decisions[decision.subscriber] = record }
      if let event = question.event, record.id == event {
        seen.subject = record
        isReached = true
      }
    }
  }

  private let question: Question
  private var host: EngineHost<NoJournal, Ports>
  /// Where the moment seems to have come.
  private var trial: Trial?

  /// The engine and what was seen, before an event that seems later than the moment. A machine may boot with a clock
  /// that is ahead: the next fix that is believed has the true time, and says whether it is. What a clock that is behind
  /// has noted is taken for earlier than it was.
  private struct Trial {
    let snapshot: EngineSnapshot
    let settings: EngineSettings
    let catalog: RegionCatalog
    let seen: Seen

    init(_ engine: borrowing Engine, _ seen: Seen) {
      snapshot = engine.snapshotWithoutRegions
      settings = engine.settings
      catalog = engine.catalog
      self.seen = seen
    }

    var engine: Engine { Engine(restoring: snapshot, settings: settings, catalog: catalog) }
  }

  /// Begins with a snapshot; ids and decisions are those of the engine that it was taken of.
  init(_ question: Question, from snapshot: EngineSnapshot) throws(Failure) {
    let old = snapshot.configuration
    let engine = try snapshot.configured(old.explaining(question.region)).restored()
    self.init(question, engine)
  }

  /// Begins with an engine that has seen nothing.
  init(_ question: Question, configuration: EngineConfiguration) {
    self.init(question, Engine(configuration: configuration.explaining(question.region)))
  }

  private init(_ question: Question, _ engine: consuming Engine) {
    self.question = question
    host = EngineHost(engine, journal: NoJournal(), ports: Ports(question: question))
  }

  /// The engine, as the moment found it.
  var engine: Engine { _read { yield host.engine } }

  /// What was seen on the way.
  var seen: Seen { host.ports.seen }

  /// Whether the moment has come.
  var isReached: Bool { host.ports.isReached }

  /// When the next event happens.
  mutating func time(of stamped: Stamped) -> UTCTime { host.time(of: stamped) }

  /// How far an event has led.
  enum Progress {
    /// The moment is still to come.
    case before
    /// The moment came before the event, which is still to be taken.
    case between
    /// The moment has come.
    case reached
  }

  /// Takes the next event, where the moment does not come before it.
  mutating func take(_ stamped: Stamped) -> Progress {
    if let until = question.until, trial == nil, host.time(of: stamped) > until {
      // Deadlines until then have fired; those after the event came have not.
      advance(to: min(engine.instant(at: until), stamped.at))
      trial = Trial(engine, seen)
    }
    let believed = engine.tally.accepted
    advance(to: stamped.at)
    guard !isReached else { return .between }
    handle(stamped)
    guard trial != nil, engine.tally.accepted > believed else { return isReached ? .reached : .before }
    if let until = question.until, let last = engine.tally.last, last.time <= until {
      trial = nil
      return .before
    }
    endEvents()
    return .reached
  }

  /// The moment has come where it seems to: no fix that follows is earlier.
  mutating func endEvents() {
    guard let trial else { return }
    self.trial = nil
    var ports = host.ports
    ports.seen = trial.seen
    ports.isReached = true
    host = EngineHost(trial.engine, journal: NoJournal(), ports: ports)
  }

  /// Ends where nothing more is known: fires the deadlines of which records are kept.
  ///
  /// - Parameters:
  ///   - lastEventID: the id of the newest record.
  ///   - time: the time of the latest; nil where none is kept. Beyond it nothing has fired, whatever a damaged id says.
  mutating func end(lastEventID: Int, at time: UTCTime?) {
    endEvents()
    guard let time else { return }
    let end = engine.instant(at: time)
    while !isReached, engine.nextID <= lastEventID, let due = engine.nextDeadline, due <= end {
      if let until = question.until, due > engine.instant(at: until) { return }
      advance(to: due)
    }
  }

  /// Goes on after the moment, for what followed from it.
  mutating func takeLater(_ stamped: Stamped) {
    host.ports.isLater = true
    handle(stamped)
  }

  private mutating func handle(_ stamped: Stamped) {
    if case .removeRegion(let id) = stamped.event { forgetVerdicts(of: id) }
    // What the last fix said of it, it said of another outline.
    if case .changeRegion(let region) = stamped.event, engine.region(region.id)?.shape != region.shape {
      forgetVerdicts(of: region.id)
    }
    host.handle(stamped)
    host.commit(at: stamped.at)
  }

  private mutating func forgetVerdicts(of region: String) {
    host.ports.seen.fix?.verdicts.removeAll { $0.region == region }
  }

  /// Fires the deadlines until then, but none after the one that makes the record that is asked about.
  private mutating func advance(to instant: EngineInstant) {
    while question.event != nil, !isReached, let due = engine.nextDeadline, due < instant { fire(until: due) }
    if !isReached { fire(until: instant) }
  }

  private mutating func fire(until instant: EngineInstant) {
    host.advance(to: instant)
    host.commit(at: instant)
  }
}

extension EngineConfiguration {
  /// The same, with a record of each fix and what it said of the regions around it and of one more.
  func explaining(_ region: String?) -> EngineConfiguration {
    var configuration = self
    configuration.explains = true
    configuration.explainedRegion = region
    return configuration
  }
}

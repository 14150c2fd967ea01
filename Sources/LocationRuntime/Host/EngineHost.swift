public import LocationCore

/// Owns an engine: takes events, has them journaled, runs the engine, commits, and hands the effects to ports.
///
/// ```
/// event ─► journal.append ─► engine.handle ─► effects ─► journal.commit ─► ports
/// ```
///
/// Outside of tests nothing else owns an engine. A replay, the live view, the daemon, a restart and an inquiry are
/// hosts that differ in their journal and their ports. Effects run only after the commit, in the order in which the
/// engine asked for them, so whatever somebody was told can be told again after a crash, with the same id.
///
/// ```swift
/// var host = EngineHost(Engine(), journal: NoJournal(), ports: ports)
/// host.handle(report, at: instant)
/// host.commit(at: instant)
/// ```
@usableFromInline
package struct EngineHost<Journal: EngineJournal & ~Copyable, Ports: EffectPorts & ~Copyable>: ~Copyable {
  /// The engine. Only the host changes it.
  @usableFromInline package var engine: Engine
  /// Where events are kept.
  @usableFromInline package var journal: Journal
  /// Where effects go.
  @usableFromInline package var ports: Ports
  /// What the engine asked for and no port has been handed.
  @usableFromInline internal var effects: [Effect] = []
  /// Where the effects of the last event begin.
  @usableFromInline internal var lastEvent = 0
  /// Up to where the orders to the receiver have been handed over.
  @usableFromInline internal var receiverPlace = 0
  /// What is to be done beside the effects, and before which of them.
  @usableFromInline internal var actions: [(place: Int, action: Ports.Action)] = []

  @inlinable package init(_ engine: consuming Engine, journal: consuming Journal, ports: consuming Ports) {
    self.engine = engine
    self.journal = journal
    self.ports = ports
  }

  // MARK: - Events

  /// Has an event journaled and handled.
  ///
  /// - Throws: what the journal throws; the engine has not seen the event then.
  @inlinable package mutating func handle(_ stamped: Stamped) throws(Journal.JournalError) {
    try journal.append(stamped)
    lastEvent = effects.count
    engine.handle(stamped, into: &effects)
  }

  /// Has a position report journaled and handled: the same as an event with it, without copying it into one.
  ///
  /// - Returns: whether it was believed.
  @inlinable @discardableResult
  package mutating func handle(
    _ report: FixReport, at instant: EngineInstant
  ) throws(Journal.JournalError) -> Bool {
    try journal.append(report, at: instant)
    lastEvent = effects.count
    return engine.handle(report, at: instant, into: &effects)
  }

  /// Fires everything due by `instant`. Deadlines follow from events, so they are not journaled.
  @inlinable package mutating func advance(to instant: EngineInstant) {
    engine.advance(to: instant, into: &effects)
  }

  /// The instant at which a replay stamps a report; see ``Engine/instant(ofReplayed:)``.
  @inlinable package mutating func instant(ofReplayed report: FixReport) -> EngineInstant {
    engine.instant(ofReplayed: report)
  }

  /// UTC at which an event that comes now happens; see ``Engine/time(of:)``.
  package mutating func time(of stamped: Stamped) -> UTCTime { engine.time(of: stamped) }

  /// What was refused because of the event that was handled last; nil where nothing was. What an order tells the program
  /// is no answer to the event: a program that is started for a push may find no source of fixes. Ask before the commit.
  package var refusal: Decision? { Self.refusal(in: lastEffects) }

  /// What the engine would refuse because of an event; nil where nothing. Nothing is left of the trial, which takes a
  /// snapshot.
  package func refusal(of stamped: Stamped) -> Decision? {
    var trial = Engine(
      restoring: engine.snapshotWithoutRegions, settings: engine.settings, catalog: engine.catalog)
    var effects: [Effect] = []
    trial.handle(stamped, into: &effects)
    return Self.refusal(in: effects[...])
  }

  private static func refusal(in effects: ArraySlice<Effect>) -> Decision? {
    var isOrdered = false
    for effect in effects.reversed() {
      switch effect {
      case .perform(.refuse): isOrdered = true
      case .record(let record):
        guard case .decision(let decision) = record.body, decision.action == .refuse else { break }
        if !isOrdered { return decision }
        isOrdered = false
      case .perform, .outbox, .receive: break
      }
    }
    return nil
  }

  /// What the event that was handled last has led to. Ask before the commit.
  private var lastEffects: ArraySlice<Effect> { effects[min(lastEvent, effects.count)...] }

  /// What was decided about a subscriber because of the event that was handled last. Ask before the commit.
  func lastDecisions(about subscriber: String) -> [Decision] {
    lastEffects.compactMap { effect in
      guard case .record(let record) = effect, case .decision(let decision) = record.body,
        decision.subscriber == subscriber
      else { return nil }
      return decision
    }
  }

  /// When the engine has something due; see ``Engine/due()``.
  @inlinable package mutating func due() -> EngineInstant? { engine.due() }

  // MARK: - Effects

  /// Whether anything waits for a commit beside what the journal keeps.
  @inlinable package var hasEffects: Bool { !effects.isEmpty || !actions.isEmpty }

  /// Commits what was handled, then hands the effects to the ports. Where the journal can't commit now they wait.
  @inlinable package mutating func commit(at instant: EngineInstant) throws(Journal.JournalError) {
    guard try journal.commit(effects, at: instant) else { return }
    if hasEffects { perform() }
  }

  /// Has something done in order with the effects: after those of the events so far, before those of later ones.
  package mutating func add(_ action: Ports.Action) { actions.append((effects.count, action)) }

  /// Hands over the orders to the receiver without waiting for the commit: nobody is told anything by them.
  package mutating func performReceiverOrders() {
    guard receiverPlace < effects.count else { return }
    for case .receive(let order) in effects[receiverPlace...] { ports.receive(order) }
    receiverPlace = effects.count
  }

  @inlinable mutating func perform() {
    var nextAction = 0
    for place in effects.indices {
      while nextAction < actions.count, actions[nextAction].place <= place {
        ports.perform(actions[nextAction].action)
        nextAction += 1
      }
      switch effects[place] {
      case .record(let record): ports.receive(record)
      case .perform(.deliver(let name, let event, let cause)):
        ports.deliver(event, line(of: event, for: name), to: name, because: cause)
      case .perform(let order): ports.receive(order)
      case .outbox: break
      case .receive(let order): if place >= receiverPlace { ports.receive(order) }
      }
    }
    for (_, action) in actions[nextAction...] { ports.perform(action) }
    effects.removeAll(keepingCapacity: true)
    actions.removeAll(keepingCapacity: true)
    lastEvent = 0
    receiverPlace = 0
  }

  /// What a subscriber is handed of an event: its record, and of a push what no record has.
  @usableFromInline func line(of event: Int, for name: String) -> [UInt8] {
    let line = journal.line(of: event)
    guard !line.isEmpty, let payload = engine.payload(of: event, for: name),
      let end = line.lastIndex(of: UInt8(ascii: "}"))
    else { return line }
    return line[..<end] + Array(",\"payload\":\(payload)".utf8) + line[end...]
  }

  // MARK: - The engine itself

  /// Goes on with another engine that has seen the same events.
  package mutating func replaceEngine(_ engine: consuming Engine) { self.engine = engine }

  /// The engine, for another host.
  package consuming func takeEngine() -> Engine { engine }
}

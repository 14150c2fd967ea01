package import LocationCore

/// Where the stamps of a ``LiveHost`` come from.
package enum LiveTiming: Sendable {
  /// The machine's clock.
  case clock
  /// The times of the fixes, as in a replay: for a source that plays a log at any speed.
  case fixes
}

/// Stamps events that come now and passes them to an ``EngineHost``: the same engine as in a replay.
///
/// ```
/// inbox ─► stamp ─► EngineHost
/// ```
///
/// Every stamp is taken when an event leaves the inbox, and the engine is never told of a later time than the next
/// stamp will have. So the journaled events alone, without any timer, give the same effects again.
package struct LiveHost<Journal: EngineJournal & ~Copyable, Ports: EffectPorts & ~Copyable>: ~Copyable {
  /// Owns the engine, its journal and its ports.
  package var host: EngineHost<Journal, Ports>
  private let timing: LiveTiming
  /// The latest stamp.
  package private(set) var last: EngineInstant
  /// What is to be noted in the journal of an event that has reached the engine.
  package typealias Note = (inout Journal) -> Void
  /// Events that wait for the first fix, without which there is no time.
  private var held: [(event: Event?, note: Note?)] = []
  /// Where in ``held`` the last word on a region stands.
  private var heldRegions: [String: Int] = [:]

  /// - Parameters:
  ///   - host: of an engine that is new, or restored.
  ///   - last: the latest stamp that the engine has seen.
  package init(
    _ host: consuming EngineHost<Journal, Ports>, timing: LiveTiming, last: EngineInstant = .distantPast
  ) {
    self.host = host
    self.timing = timing
    self.last = last
  }

  /// The engine; for looking at.
  package var engine: Engine { _read { yield host.engine } }

  /// When ``advance(to:)`` has something to do; nil where only events move the time.
  package var nextDeadline: EngineInstant? { timing == .clock ? host.engine.nextDeadline : nil }

  /// When the machine has to be awake for a mode; nil where only events move the time.
  package var nextAlarm: EngineInstant? { timing == .clock ? host.engine.nextAlarm : nil }

  /// Regions that the engine has, or will have with the first fix.
  package var regionCount: Int {
    heldRegions.keys.reduce(engine.regionCount) { count, id in
      count + (region(id) == nil ? 0 : 1) - (engine.region(id) == nil ? 0 : 1)
    }
  }

  /// Regions that change with the first fix, by their ids.
  package var heldRegionIDs: [String] { heldRegions.keys.sorted() }

  /// The region that the engine has, or will have with the first fix.
  package func region(_ id: String) -> Region? {
    guard let place = heldRegions[id] else { return engine.region(id) }
    return held[place].event?.changedRegion?.now
  }

  /// Has an event wait for the first fix. Of a region the last word counts.
  private mutating func hold(_ event: Event, _ note: Note?) {
    var event: Event? = event
    if let id = event?.changedRegion?.id {
      if let place = heldRegions[id] { held[place].event = nil }
      heldRegions[id] = held.count
      let isKnown = engine.region(id) != nil
      if case .removeRegion = event, !isKnown { event = nil }
      if case .changeRegion(let region) = event, !isKnown { event = .addRegion(region) }
      if case .addRegion(let region) = event, isKnown { event = .changeRegion(region) }
    }
    held.append((event, note))
  }

  /// The subscribers that the engine will have with the first fix, by their names.
  package var heldSubscribers: [String: Subscriber] {
    var subscribers: [String: Subscriber] = [:]
    for (event, _) in held {
      if case .addSubscriber(let subscriber, _) = event { subscribers[subscriber.name] = subscriber }
      if case .removeSubscriber(let name) = event { subscribers[name] = nil }
    }
    return subscribers
  }

  /// Handles an event that came now. Where time is that of the fixes, one that comes before the first fix waits for it.
  ///
  /// - Parameter note: what is noted in the journal once the event has reached the engine.
  /// - Throws: what the journal throws; the engine has not seen the event then.
  package mutating func handle(
    _ event: Event, at reading: ClockReading, noting note: Note? = nil
  ) throws(Journal.JournalError) {
    switch timing {
    case .clock:
      var event = event
      if case .fix(var report) = event {
        report.received = reading.utc
        event = .fix(report)
      }
      try handle(event, at: instant(at: reading))
    case .fixes:
      if case .fix(let report) = event {
        let instant = host.instant(ofReplayed: report)
        if instant > .distantPast { try release(at: instant) }
        try handle(event, at: instant)
      } else {
        guard last > .distantPast else { return hold(event, note) }
        try handle(event, at: last)
      }
    }
    note?(&host.journal)
  }

  /// Now on the engine's axis; where time is that of the fixes, the time of the last event.
  package func instant(at reading: ClockReading) -> EngineInstant {
    timing == .clock ? max(last, reading.instant) : last
  }

  /// Handles an event that belongs to the time of the last one, before anything that was due since.
  package mutating func handleAtLast(_ event: Event) throws(Journal.JournalError) {
    guard last > .distantPast else { return }
    try handle(event, at: last)
  }

  /// Handles an event that belongs to the time before something was due.
  package mutating func handle(_ event: Event, before due: EngineInstant) throws(Journal.JournalError) {
    try handle(event, at: max(last, EngineInstant(microseconds: due.microseconds - 1)))
  }

  /// Does what is due by now, each at its own time.
  ///
  /// - Throws: what the journal throws; nothing has been done then.
  package mutating func advance(to reading: ClockReading) throws(Journal.JournalError) {
    guard let due = nextDeadline, due <= reading.instant else { return }
    try handle(.time, at: reading.instant)
  }

  /// Lets time pass until now, which books the energy. Where time is that of the fixes, none passes.
  package mutating func passTime(to reading: ClockReading) throws(Journal.JournalError) {
    guard timing == .clock, last > .distantPast else { return }
    try handle(.time, at: instant(at: reading))
  }

  /// Handles the end of the stream: nothing comes any more.
  package mutating func finish(at reading: ClockReading) throws(Journal.JournalError) {
    // Without any fix there is no better time than none.
    if timing == .fixes, last == .distantPast { try release(at: EngineInstant(microseconds: 0)) }
    try handle(.end, at: reading)
  }

  /// Commits what was handled, then hands the effects to the ports.
  package mutating func commit(at reading: ClockReading) throws(Journal.JournalError) {
    try host.commit(at: reading.instant)
  }

  private mutating func release(at instant: EngineInstant) throws(Journal.JournalError) {
    last = max(last, instant)
    for (event, note) in held {
      if let event { try handle(event, at: instant) }
      note?(&host.journal)
    }
    held.removeAll()
    heldRegions.removeAll()
  }

  private mutating func handle(
    _ event: Event, at instant: EngineInstant
  ) throws(Journal.JournalError) {
    last = max(last, instant)
    try host.handle(Stamped(at: instant, event))
  }
}

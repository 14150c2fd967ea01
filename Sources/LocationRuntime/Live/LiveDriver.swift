package import LocationCore
package import LocationFormats

/// Stamps what comes, has it recorded, and hands it to the engine: the same engine as in a replay.
///
/// ```
/// inbox ─► stamp ─► journal ─► engine.handle ─► effects
/// ```
///
/// Every stamp is taken when an event leaves the inbox, and the engine is never told of a later time than the next
/// stamp will have. So the recorded events alone, without any timer, give the same effects again.
package struct LiveDriver: ~Copyable {
  /// Where stamps come from.
  package enum Timing: Sendable {
    /// The machine's clock.
    case clock
    /// The times of the fixes, as in a replay: for a source that plays a log at any speed.
    case fixes
  }

  /// The engine; for looking at.
  package private(set) var engine: Engine
  private let timing: Timing
  private let journal: (Stamped) throws(Failure) -> Void
  /// The latest stamp.
  package private(set) var last: EngineInstant
  /// Events that wait for the first fix, without which there is no time.
  private var held: [Event] = []

  /// - Parameters:
  ///   - engine: new, or restored.
  ///   - last: the latest stamp that the engine has seen.
  ///   - journal: keeps each event before the engine sees it.
  package init(
    engine: consuming Engine, timing: Timing, last: EngineInstant = .distantPast,
    journal: @escaping (Stamped) throws(Failure) -> Void
  ) {
    self.engine = engine
    self.timing = timing
    self.last = last
    self.journal = journal
  }

  /// When ``advance(to:into:)`` has something to do; nil where only events move the time.
  package var nextDeadline: EngineInstant? {
    switch timing {
    case .clock: engine.nextDeadline
    case .fixes: nil
    }
  }

  /// Takes an event that came now.
  ///
  /// - Throws: what the journal throws; the engine has not seen the event then.
  package mutating func take(
    _ event: Event, at reading: ClockReading, into effects: inout [Effect]
  ) throws(Failure) {
    switch timing {
    case .clock:
      var event = event
      if case .fix(var report) = event {
        report.received = reading.utc
        event = .fix(report)
      }
      try handle(event, at: max(last, reading.instant), into: &effects)
    case .fixes:
      guard case .fix(let report) = event else {
        if last > .distantPast { return try handle(event, at: last, into: &effects) }
        return held.append(event)
      }
      let instant = engine.instant(ofReplayed: report)
      if instant > .distantPast { try release(at: instant, into: &effects) }
      try handle(event, at: instant, into: &effects)
    }
  }

  /// Does what is due by now, each at its own time.
  package mutating func advance(to reading: ClockReading, into effects: inout [Effect]) {
    guard let due = nextDeadline, due <= reading.instant else { return }
    engine.advance(to: reading.instant, into: &effects)
    last = max(last, reading.instant)
  }

  /// Settles the books: nothing comes any more.
  package mutating func finish(at reading: ClockReading, into effects: inout [Effect]) throws(Failure) {
    // Without any fix there is no better time than none.
    if timing == .fixes, last == .distantPast {
      try release(at: EngineInstant(microseconds: 0), into: &effects)
    }
    try take(.end, at: reading, into: &effects)
  }

  /// Goes on with another engine that has seen the same.
  package mutating func replaceEngine(_ engine: consuming Engine) { self.engine = engine }

  private mutating func release(at instant: EngineInstant, into effects: inout [Effect]) throws(Failure) {
    last = max(last, instant)
    for event in held { try handle(event, at: instant, into: &effects) }
    held.removeAll()
  }

  private mutating func handle(
    _ event: Event, at instant: EngineInstant, into effects: inout [Effect]
  ) throws(Failure) {
    last = max(last, instant)
    let stamped = Stamped(at: instant, event)
    try journal(stamped)
    engine.handle(stamped, into: &effects)
  }
}

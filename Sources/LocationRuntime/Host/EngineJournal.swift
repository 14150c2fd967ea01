public import LocationCore
package import LocationFormats

/// Keeps what reaches an engine, and what follows from it, before any effect runs.
@usableFromInline package protocol EngineJournal: ~Copyable {
  /// What can go wrong; `Never` for a journal that keeps nothing.
  associatedtype JournalError: Error

  /// Keeps an event. The engine sees it when this has returned.
  mutating func append(_ stamped: Stamped) throws(JournalError)

  /// Keeps a position report: the same as an event with it.
  mutating func append(_ report: FixReport, at instant: EngineInstant) throws(JournalError)

  /// Stores what was appended and what followed from it.
  ///
  /// - Parameters:
  ///   - effects: all that no port has been handed, those of earlier commits that returned false included.
  ///   - instant: now.
  /// - Returns: whether the effects may run; where not, they wait for the next commit.
  mutating func commit(
    _ effects: [Effect], at instant: EngineInstant
  ) throws(JournalError) -> Bool

  /// The stored record of an event that somebody waits for, as a line of NDJSON without its end; empty where the
  /// journal stores no records. Asked for after the commit.
  func line(of event: Int) -> [UInt8]
}

extension EngineJournal where Self: ~Copyable {
  @inlinable package mutating func append(_ report: FixReport, at instant: EngineInstant) throws(JournalError)
  {
    try append(Stamped(at: instant, .fix(report)))
  }

  @inlinable package func line(of event: Int) -> [UInt8] { [] }
}

/// Keeps nothing: for a replay, whose events are in a file already.
@usableFromInline package struct NoJournal: EngineJournal {
  @inlinable package init() {}

  @inlinable @inline(__always)
  package mutating func append(_ stamped: Stamped) {}

  @inlinable @inline(__always)
  package mutating func append(_ report: FixReport, at instant: EngineInstant) {}

  @inlinable @inline(__always)
  package mutating func commit(
    _ effects: [Effect], at instant: EngineInstant
  ) -> Bool { true }
}

/// Keeps events in a recording, if there is one.
package struct FileJournal: EngineJournal {
  private let recording: JournalWriter?

  /// - Parameter recording: nil to keep nothing.
  package init(_ recording: JournalWriter?) { self.recording = recording }

  /// Adds the event to the recording, in memory.
  package mutating func append(_ stamped: Stamped) throws(Failure) { try recording?.append(stamped) }

  /// Writes the recording.
  package mutating func commit(
    _ effects: [Effect], at instant: EngineInstant
  ) throws(Failure) -> Bool {
    try recording?.flush()
    return true
  }
}

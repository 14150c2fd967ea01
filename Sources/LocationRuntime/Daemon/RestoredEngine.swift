import LocationCore
import LocationFormats

/// The engine as a database has it: its newest snapshot and the rows of the journal since, whose effects have been
/// performed before, or will be for whoever still waits.
struct RestoredEngine: ~Copyable {
  let engine: Engine
  /// The snapshot it began with; nil where there was none.
  let snapshotNumber: Int64?
  /// Rows of the journal since.
  let rows: Int
  /// The id of the last record, stored or missing.
  let lastEventID: Int
  /// Records that follow from the journal and are not stored: there are none unless rows were removed by hand.
  let missing: [StoreBatch.EventRow]

  /// - Parameter configuration: for an engine where there is none yet.
  init(_ database: StateDatabase, orNew configuration: EngineConfiguration) throws(Failure) {
    let end = try database.journalEnd()
    let snapshot = try database.snapshot()
    var engine = try (snapshot?.engine).restored(orNew: configuration)
    var effects: [Effect] = []
    var encoder = RecordEncoder(format: .ndjson, track: nil)
    var missing: [StoreBatch.EventRow] = []
    var rows = 0
    var lastID = end.eventID
    try database.journal(after: snapshot?.number ?? 0) { stamped in
      engine.handle(stamped, into: &effects)
      rows += 1
      for effect in effects {
        switch effect {
        case .record(let record):
          guard record.id > lastID, let line = encoder.encode(record) else { continue }
          lastID = record.id
          missing.append(StoreBatch.EventRow(record, line))
        case .perform, .receive: break
        }
      }
      effects.removeAll(keepingCapacity: true)
      return true
    }
    self.engine = engine
    self.rows = rows
    self.missing = missing
    lastEventID = lastID
    snapshotNumber = snapshot?.number
  }

  /// The engine, to go on with.
  consuming func takeEngine() -> Engine { engine }
}

extension EngineSnapshot? {
  /// The engine it was taken of, or a new one where there is none.
  fileprivate func restored(orNew configuration: EngineConfiguration) throws(Failure) -> Engine {
    guard let self else { return Engine(configuration: configuration) }
    return try self.restored()
  }
}

extension StoreBatch.EventRow {
  /// A record with its encoded members.
  init(_ record: Record, _ line: [UInt8]) {
    self.init(
      id: record.id, type: record.type, time: record.time, line: String(decoding: line, as: UTF8.self))
  }
}

import LocationCore
import LocationFormats

/// The engine as a database has it: its newest snapshot and the rows of the journal since, whose effects have been
/// performed before, or will be for whoever still waits.
struct RestoredEngine: ~Copyable {
  /// Keeps the records that are not stored: there are none unless rows were removed by hand.
  struct MissingRecords: EffectPorts {
    /// The id of the last record, stored or missing.
    var lastID: Int
    var rows: [StoreBatch.EventRow] = []
    private var encoder = RecordEncoder(format: .ndjson, track: nil)

    init(after id: Int) { lastID = id }

    mutating func receive(_ record: Record) {
      guard record.id > lastID, let line = encoder.encode(record) else { return }
      lastID = record.id
      rows.append(StoreBatch.EventRow(record, line))
    }
  }

  private var host: EngineHost<NoJournal, MissingRecords>
  /// The snapshot it began with; nil where there was none.
  let snapshotNumber: Int64?
  /// Rows of the journal since.
  let rows: Int

  /// - Parameters:
  ///   - configuration: for an engine where there is none yet.
  ///   - regions: for such an engine.
  init(
    _ database: StateDatabase, orNew configuration: EngineConfiguration, watching regions: [Region] = []
  ) throws(Failure) {
    let snapshot = try database.snapshot()
    var host = EngineHost(
      try (snapshot?.engine).restored(orNew: configuration, watching: regions), journal: NoJournal(),
      ports: MissingRecords(after: try database.lastEventID()))
    var rows = 0
    try database.journal(after: snapshot?.number ?? 0) { stamped in
      host.handle(stamped)
      host.commit(at: stamped.at)
      rows += 1
      return true
    }
    self.host = host
    self.rows = rows
    snapshotNumber = snapshot?.number
  }

  /// The engine; for looking at.
  var engine: Engine { _read { yield host.engine } }

  /// The records that are not stored, and the id of the last record, stored or missing.
  var records: MissingRecords { host.ports }

  /// The engine, to go on with.
  consuming func takeEngine() -> Engine { host.takeEngine() }
}

extension EngineSnapshot? {
  /// The engine it was taken of, or a new one where there is none.
  fileprivate func restored(
    orNew configuration: EngineConfiguration, watching regions: [Region]
  ) throws(Failure) -> Engine {
    if let self { return try self.restored() }
    // Regions that can't be watched are added later one by one, and refused with the reason.
    guard regions.count <= configuration.regions.regionLimit,
      let catalog = try? RegionCatalog(regions)
    else { return Engine(configuration: configuration) }
    return Engine(configuration: configuration, catalog: catalog)
  }
}

extension StoreBatch.EventRow {
  /// A record with its encoded members.
  init(_ record: Record, _ line: [UInt8]) {
    self.init(
      id: record.id, type: record.type, time: record.time, line: String(decoding: line, as: UTF8.self),
      subscriber: record.subscriber)
  }
}

extension Record {
  /// Whom a decision or a change of state is about; nil for other records.
  fileprivate var subscriber: String? {
    if case .decision(let decision) = body { return decision.subscriber }
    if case .subscriberState(let move) = body { return move.subscriber }
    return nil
  }
}

import LocationCore
import LocationFormats

/// The engine as a database has it: its newest snapshot and the rows of the journal since, whose effects have been
/// performed before, or will be for whoever still waits.
///
/// An engine of another build may record other things of those rows than what is stored. It is shown them once more then,
/// with what is stored (``PastRecords``). What was told keeps its id, what waits still waits, and what only this engine
/// finds to have happened is left to be told. What it would have decided about programs is left out: what was done is
/// stored.
struct RestoredEngine: ~Copyable {
  /// Keeps the records.
  private struct Recorder: EffectPorts {
    var records: [Record] = []

    mutating func receive(_ record: Record) { records.append(record) }
  }

  /// An engine that is shown the journal.
  private struct Replay: ~Copyable {
    private var host: EngineHost<NoJournal, Recorder>
    private(set) var rows = 0
    var records: [Record] { host.ports.records }

    init(_ engine: consuming Engine, _ database: StateDatabase, after number: Int64) throws(Failure) {
      var host = EngineHost(engine, journal: NoJournal(), ports: Recorder())
      var rows = 0
      try database.journal(after: number) { stamped in
        host.handle(stamped)
        host.commit(at: stamped.at)
        rows += 1
        return true
      }
      self.host = host
      self.rows = rows
    }

    /// Whether the engine records other things than those that are stored from an id on. Of them old ones may be gone, but
    /// none that somebody waits for.
    borrowing func differs(
      from database: StateDatabase, after last: Int, since firstID: Int
    ) throws(Failure) -> Bool {
      if let newest = records.last, newest.id > last { return true }
      let mine = Dictionary(records.map { ($0.id, $0) }) { $1 }
      for event in try database.events(from: firstID) {
        guard let record = mine[event.id], record.type == event.type, record.time == event.time else {
          return true
        }
      }
      return try database.unstoredEvents(of: host.engine).contains { $0.event >= firstID }
    }

    consuming func takeEngine() -> Engine { host.takeEngine() }
  }

  /// The engine; for looking at.
  private(set) var engine: Engine
  /// The snapshot it began with; nil where there was none.
  let snapshotNumber: Int64?
  /// Rows of the journal since.
  let rows: Int
  /// Whether it records other things of those rows than what is stored.
  let isOther: Bool
  /// What happened by this engine alone, and is to be stored.
  private(set) var untold: [StoreBatch.EventRow] = []
  /// What is stored as waiting, and can't wait any more.
  private(set) var unkept: [(subscriber: String, event: Int)] = []
  /// The id of the last record, stored or to be stored.
  private(set) var newestID: Int

  /// - Parameters:
  ///   - configuration: for an engine where there is none yet.
  ///   - regions: for such an engine.
  init(
    _ database: StateDatabase, orNew configuration: EngineConfiguration = .standard,
    watching regions: [Region] = []
  ) throws(Failure) {
    let snapshot = try database.snapshot()
    let number = snapshot?.number ?? 0
    let last = try database.lastEventID()
    let begun = try (snapshot?.engine).restored(orNew: configuration, watching: regions)
    let firstID = begun.nextID
    var replay = try Replay(begun, database, after: number)
    let isOther = try replay.differs(from: database, after: last, since: firstID)
    var waiting: [String: [PastRecords.Waiting]] = [:]
    if isOther {
      var again = try (snapshot?.engine).restored(orNew: configuration, watching: regions)
      again.recall(
        PastRecords(
          try database.pastRecords(from: firstID), keptSince: try database.oldestTime(),
          recordedAgain: replay.records),
        through: last)
      replay = try Replay(again, database, after: number)
      waiting = try database.pastOutbox()
    }
    let records = replay.records
    snapshotNumber = snapshot?.number
    rows = replay.rows
    self.isOther = isOther
    newestID = last
    engine = replay.takeEngine()
    guard isOther else { return }
    unkept = engine.endRecall(waiting: waiting, through: last)
    var encoder = RecordEncoder(format: .ndjson, track: nil)
    for record in records where record.id > last && !record.isDecided {
      guard let line = encoder.encode(record) else { continue }
      untold.append(StoreBatch.EventRow(record, line))
      newestID = record.id
    }
  }

  /// The engine, to go on with.
  consuming func takeEngine() -> Engine { engine }
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
  /// Whether it is a decision about a program, or what became of one.
  fileprivate var isDecided: Bool {
    if case .decision = body { return true }
    if case .subscriberState = body { return true }
    return false
  }
}

import TestSupport

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// What is answered; these tests have a type of the name `JSONTree` too.
typealias Answer = LocationFormats.JSONTree

/// A state file as a daemon leaves it, made without one: what reached an engine, what followed, and snapshots.
struct Past {
  let folder = TemporaryFolder()
  var path: String { folder("s.db") }
  let recording: String
  private(set) var records: [Record] = []

  /// - Parameters:
  ///   - rows: of the journal between two snapshots.
  ///   - retention: what is kept.
  ///   - changed: other settings, from that event on.
  init(
    _ events: [Stamped], _ configuration: EngineConfiguration = EngineConfiguration(),
    snapshotEvery rows: Int = .max, keeping retention: Retention = Retention(),
    changed: (at: Int, to: EngineConfiguration)? = nil
  ) throws {
    recording = folder("a.journal")
    let database = try StateDatabase.open(path: folder("s.db"))
    let writer = try JournalWriter(path: recording, configuration: configuration)
    var engine = Engine(configuration: configuration)
    var encoder = RecordEncoder(format: .ndjson, track: nil)
    var effects: [Effect] = []
    func keep(_ engine: borrowing Engine) throws {
      _ = try database.store(
        snapshotOf: engine, at: engine.instant, keeping: retention,
        utc: UTCTime(microseconds: Drive.epoch))
    }
    try keep(engine)
    for (index, stamped) in events.enumerated() {
      if let changed, changed.at == index {
        engine = try engine.snapshot.configured(changed.to).restored()
        try keep(engine)
      }
      engine.handle(stamped, into: &effects)
      var batch = StoreBatch()
      var line: [UInt8] = []
      try JournalLine.append(stamped, to: &line)
      batch.journal = [
        StoreBatch.JournalRow(at: stamped.at, line: String(decoding: line.dropLast(), as: UTF8.self))
      ]
      for record in effects.records {
        records.append(record)
        if let line = encoder.encode(record) { batch.events.append(StoreBatch.EventRow(record, line)) }
      }
      effects.removeAll()
      _ = try database.store(batch)
      try writer.append(stamped)
      if index % rows == rows - 1 { try keep(engine) }
    }
    try writer.flush()
  }

  func explain(_ question: Question) throws(Failure) -> Answer {
    try Explanation(question, state: path).tree
  }

  /// The ids of the records of a type.
  func ids(_ type: String) -> [Int] { records.filter { $0.type == type }.map(\.id) }
}

extension Answer {
  /// The value at a path of keys.
  func callAsFunction(_ keys: String...) -> Answer? {
    keys.reduce(self as Answer?) { tree, key in
      if case .array(let elements) = tree { return elements.first?[key] }
      return tree?[key]
    }
  }

  /// The elements of a list that is a member.
  func list(_ key: String) -> [Answer] { if case .array(let elements) = self[key] { elements } else { [] } }

  /// The number it is.
  var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
}

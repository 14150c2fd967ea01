import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Hands on what is kept of the journal as a recording: it begins with the oldest snapshot after which the settings
  /// did not change, because a recording has one set of them.
  ///
  /// - Parameter body: takes pieces of the text.
  /// - Returns: how many events it holds; nil where no daemon has ever run.
  package func recording(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> Int? {
    let count = try read("journal") { database -> Int? in
      let numbers = try Int64.fetchAll(
        database,
        sql: """
          WITH newest AS (
            SELECT json_extract(engine, '$.configuration') AS settings FROM snapshots
            ORDER BY number DESC LIMIT 1)
          SELECT number FROM snapshots
          WHERE number > (SELECT coalesce(max(number), -1) FROM snapshots
            WHERE json_extract(engine, '$.configuration') IS NOT (SELECT settings FROM newest))
          ORDER BY number LIMIT 1
          """)
      guard let number = numbers.first,
        let text = try Self.snapshotText(number, database)
      else { return nil }
      let snapshot = try Self.snapshot(in: text.engine, checksum: text.checksum, file: path)
      var bytes: [UInt8] = []
      // The first snapshot is of an engine that has seen nothing.
      try JournalLine.append(
        header: snapshot.configuration, snapshot: number == 0 ? nil : snapshot, to: &bytes)
      var count = 0
      let lines = try String.fetchCursor(
        database, sql: "SELECT line FROM journal WHERE number > ? ORDER BY number", arguments: [number])
      while let line = try lines.next() {
        bytes += Array(line.utf8)
        bytes.append(UInt8(ascii: "\n"))
        count += 1
        guard bytes.count >= Self.pieceBytes else { continue }
        try body(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
      try body(bytes)
      return count
    }
    guard let count else { return nil }
    guard let end = try lastDeadline() else { return count }
    var line: [UInt8] = []
    try JournalLine.append(Stamped(at: end, .end), to: &line)
    try body(line)
    return count
  }

  /// When the last decision fell that no row of the journal stands for, because only time had passed; nil where there is
  /// none.
  private func lastDeadline() throws(Failure) -> EngineInstant? {
    let newest = try lastEventID()
    guard newest > 0 else { return nil }
    let restored = try RestoredEngine(self, orNew: EngineConfiguration())
    var engine = restored.takeEngine()
    var effects: [Effect] = []
    var last: EngineInstant?
    for _ in 0..<Self.mostDeadlines {
      guard let due = engine.nextDeadline else { break }
      effects.removeAll(keepingCapacity: true)
      engine.advance(to: due, into: &effects)
      let ids = effects.compactMap { effect in if case .record(let record) = effect { record.id } else { nil }
      }
      guard let first = ids.first else { continue }
      guard first <= newest else { break }
      last = due
    }
    return last
  }

  /// Deadlines that are tried: in each something falls due, and a daemon stores a row long before that many.
  private static let mostDeadlines = 10_000

  private static let pieceBytes = 1 << 18
}

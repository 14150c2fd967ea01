import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Whether a daemon has ever run, so that there is a journal.
  package func hasJournal() throws(Failure) -> Bool {
    try read("snapshots") { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM snapshots)") ?? false }
  }

  /// Hands on what is kept of the journal as a recording: it begins with the oldest snapshot after which the settings
  /// did not change, because a recording has one set of them.
  ///
  /// - Parameter body: takes pieces of the text.
  /// - Returns: how many events it holds.
  package func recording(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> Int {
    let first = try read("snapshots") { database in
      try Int64.fetchOne(
        database,
        sql: """
          WITH newest AS (
            SELECT \(Self.settingsOfSnapshot) AS settings FROM snapshots
            ORDER BY number DESC LIMIT 1)
          SELECT number FROM snapshots
          WHERE number > (SELECT coalesce(max(number), -1) FROM snapshots
            WHERE \(Self.settingsOfSnapshot) IS NOT (SELECT settings FROM newest))
          ORDER BY number LIMIT 1
          """)
    }
    guard let first else { return 0 }
    let snapshot = try snapshot(number: first)
    // The first snapshot is of an engine that has seen nothing but its regions.
    let isNew = first == 0 && snapshot.watchedRegions.isEmpty
    return try read("journal") { database -> Int in
      var bytes: [UInt8] = []
      try JournalLine.append(header: snapshot.configuration, snapshot: isNew ? nil : snapshot, to: &bytes)
      var count = 0
      let lines = try String.fetchCursor(
        database, sql: "SELECT line FROM journal WHERE number > ? ORDER BY number", arguments: [first])
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
  }

  private static let pieceBytes = 1 << 18
}

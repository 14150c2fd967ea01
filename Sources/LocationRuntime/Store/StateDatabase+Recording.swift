import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Whether a daemon has ever run, so that there is a journal.
  package func hasJournal() throws(Failure) -> Bool {
    try read("snapshots") { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM snapshots)") ?? false }
  }

  /// Hands on what is kept of the journal as a recording: it begins with the oldest snapshot after which the settings
  /// did not change, because a recording has one set of them. It ends with what is stored now.
  ///
  /// No transaction is open while the text is handed on: it would keep the daemon from beginning its log anew, however long
  /// that takes.
  ///
  /// - Parameter body: takes pieces of the text.
  /// - Returns: how many events it holds.
  /// - Throws: ``Failure`` of code 75 where the daemon discards rows before they are handed on; what `body` throws.
  package func recording(_ body: ([UInt8]) throws(Failure) -> Void) throws(Failure) -> Int {
    let (first, last) = try read("snapshots") { database in
      let first = try Int64.fetchOne(
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
      return (first, try Int64.fetchOne(database, sql: "SELECT max(number) FROM journal") ?? 0)
    }
    guard let first else { return 0 }
    let snapshot = try snapshot(number: first)
    // The first snapshot is of an engine that has seen nothing but its regions.
    let isNew = first == 0 && snapshot.watchedRegions.isEmpty
    var header: [UInt8] = []
    try JournalLine.append(header: snapshot.configuration, snapshot: isNew ? nil : snapshot, to: &header)
    try body(header)
    var count = 0
    var number = first
    while number < last {
      let piece = try piece(after: number, through: last)
      try body(piece.bytes)
      count += piece.count
      number = piece.number
    }
    return count
  }

  /// Some rows of the journal as lines, how many, and the number of the last.
  private func piece(
    after number: Int64, through last: Int64
  ) throws(Failure) -> (bytes: [UInt8], count: Int, number: Int64) {
    try read("journal") { database in
      let rows = try Row.fetchCursor(
        database, sql: "SELECT number, line FROM journal WHERE number > ? AND number <= ? ORDER BY number",
        arguments: [number, last])
      var bytes: [UInt8] = []
      var count = 0
      var end = number
      while bytes.count < Self.pieceBytes, let row = try rows.next() {
        let line: String = try row.decode(forColumn: "line")
        end = try row.decode(forColumn: "number")
        // The oldest are discarded first.
        guard count > 0 || end == number + 1 else { break }
        let stored = Array(line.utf8)
        guard Self.isObject(stored) else {
          throw Self.damage("row \(end) of its table journal can't be read", path)
        }
        bytes += stored
        bytes.append(UInt8(ascii: "\n"))
        count += 1
      }
      guard count > 0 else {
        throw Failure(
          .tryAgain, file: path, what: "the daemon has discarded events that were not read yet",
          remedy: "read faster: write the journal to a file first")
      }
      return (bytes, count, end)
    }
  }

  private static let pieceBytes = 1 << 18
}

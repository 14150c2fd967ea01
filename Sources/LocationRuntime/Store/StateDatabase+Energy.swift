import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Books what was spent since the last time to a day.
  ///
  /// - Parameter entries: all that was ever spent; what the table has of it was booked before.
  func book(_ entries: [PowerLedger.Entry], on day: UTCTime) throws(Failure) {
    let day = String(day.rfc3339.prefix(10))
    try write(durably: false) { database in
      var booked: [[String]: (joules: Double, seconds: Double)] = [:]
      let sums = try Row.fetchCursor(
        database,
        sql: """
          SELECT component, subscriber, rule, total(joules) AS joules, total(seconds) AS seconds FROM energy
          GROUP BY component, subscriber, rule
          """)
      while let row = try sums.next() {
        let key: [String] = try ["component", "subscriber", "rule"].map { try row.decode(forColumn: $0) }
        booked[key] = try (row.decode(forColumn: "joules"), row.decode(forColumn: "seconds"))
      }
      for (key, joules, seconds) in Self.rest(of: entries, beyond: booked) {
        try database.cachedStatement(
          sql: """
            INSERT INTO energy (component, subscriber, rule, day, joules, seconds) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (day, component, subscriber, rule)
            DO UPDATE SET joules = joules + excluded.joules, seconds = seconds + excluded.seconds
            """
        ).execute(arguments: StatementArguments(key + [day]) + [joules, seconds])
      }
    }
  }

  /// The part of the entries that is not booked yet.
  private static func rest(
    of entries: [PowerLedger.Entry], beyond booked: [[String]: (joules: Double, seconds: Double)]
  ) -> [(key: [String], joules: Double, seconds: Double)] {
    entries.compactMap { entry in
      let before = booked[entry.key] ?? (0, 0)
      let joules = entry.joules - before.joules
      let seconds = entry.seconds - before.seconds
      guard abs(joules) > leastJoules || abs(seconds) > leastJoules else { return nil }
      return (entry.key, joules, seconds)
    }
  }

  /// Prices each day anew, where the same use costs something else under another profile. All that was ever spent has to
  /// be booked.
  ///
  /// - Parameters:
  ///   - old: all that was ever spent, as it was priced.
  ///   - new: the same, as it is priced from now on.
  static func reprice(
    _ old: [PowerLedger.Entry], as new: [PowerLedger.Entry], _ database: Database
  ) throws {
    let prices = Dictionary(new.map { ($0.key, $0.joules) }) { first, _ in first }
    for entry in old {
      let joules = prices[entry.key] ?? 0
      guard abs(joules - entry.joules) > leastJoules else { continue }
      // Components without a price before are shared out by time.
      let isPriced = abs(entry.joules) > leastJoules
      let whole = isPriced ? entry.joules : entry.seconds
      guard abs(whole) > leastJoules else { continue }
      try database.cachedStatement(
        sql: """
          UPDATE energy SET joules = \(isPriced ? "joules" : "seconds") * ?
          WHERE component = ? AND subscriber = ? AND rule = ?
          """
      ).execute(arguments: [joules / whole] + StatementArguments(entry.key))
    }
  }

  /// A sum of rounded differences is not exact; less than this is nothing (joules, and seconds).
  private static let leastJoules = 1e-6

  /// The beginning of the last day to which something was booked; nil where nothing was.
  func lastEnergyDay() throws(Failure) -> UTCTime? {
    try read("energy") { database in
      try String.fetchOne(database, sql: "SELECT max(day) FROM energy")
    }.flatMap { UTCTime(rfc3339: "\($0)T00:00:00Z") }
  }

  /// What was spent on a day for one component, subscriber and rule.
  package struct EnergyRow: Hashable, Sendable {
    /// UTC, as `2026-05-04`.
    package var day: String
    /// See `PowerLedger.Component`.
    package var component: String
    /// Who pays.
    package var subscriber: String
    /// What caused it.
    package var rule: String
    /// Energy.
    package var joules: Double
    /// Time in that state; 0 for what is counted.
    package var seconds: Double

    /// What a day has one row for.
    fileprivate var key: [String] { [component, subscriber, rule] }
  }

  /// All that was booked, by day.
  package func energy() throws(Failure) -> [EnergyRow] {
    try read("energy") { database in
      try Row.fetchAll(database, sql: "SELECT * FROM energy ORDER BY day, component, subscriber, rule").map {
        EnergyRow(
          day: try $0.decode(forColumn: "day"), component: try $0.decode(forColumn: "component"),
          subscriber: try $0.decode(forColumn: "subscriber"), rule: try $0.decode(forColumn: "rule"),
          joules: try $0.decode(forColumn: "joules"), seconds: try $0.decode(forColumn: "seconds"))
      }
    }
  }

  /// The same, with what a daemon that ended without a word has not booked, as if it had been on a day.
  ///
  /// - Parameter entries: all that was ever spent.
  func energy(with entries: [PowerLedger.Entry], on day: UTCTime) throws(Failure) -> [EnergyRow] {
    var rows = try energy()
    var booked: [[String]: (joules: Double, seconds: Double)] = [:]
    for row in rows {
      let before = booked[row.key] ?? (0, 0)
      booked[row.key] = (before.joules + row.joules, before.seconds + row.seconds)
    }
    let day = String(day.rfc3339.prefix(10))
    for (key, joules, seconds) in Self.rest(of: entries, beyond: booked) {
      if let place = rows.firstIndex(where: { $0.day == day && $0.key == key }) {
        rows[place].joules += joules
        rows[place].seconds += seconds
      } else {
        rows.append(
          EnergyRow(
            day: day, component: key[0], subscriber: key[1], rule: key[2], joules: joules, seconds: seconds))
      }
    }
    return rows.sorted { ([$0.day] + $0.key).lexicographicallyPrecedes([$1.day] + $1.key) }
  }
}

extension UTCTime {
  /// The length of a day of UTC.
  static let daySeconds = 86_400.0

  /// The midnight at or before it.
  var startOfDay: UTCTime {
    UTCTime(rfc3339: rfc3339.prefix(10) + "T00:00:00Z") ?? self
  }
}

extension PowerLedger.Entry {
  /// What a day has one row for.
  fileprivate var key: [String] { [component.rawValue, subscriber, rule.rawValue] }
}

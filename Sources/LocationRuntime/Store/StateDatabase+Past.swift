import GRDB
package import LocationCore
package import LocationFormats

extension StateDatabase {
  /// Where an engine can be restored to see how a moment came about.
  package struct Past {
    /// Numbers of snapshots, nearest to the moment first; all were made under the same settings.
    package var snapshots: [Int64]
    /// When what is kept begins; nil where nothing is.
    package var begins: UTCTime?
  }

  /// Snapshots that were taken before a moment.
  ///
  /// - Parameters:
  ///   - time: UTC, of fixes; nil where the moment is that of an event, or the newest.
  ///   - event: a record's id; nil where the moment is that of a time, or the newest.
  package func past(before time: UTCTime?, event: Int?) throws(Failure) -> Past {
    try read("snapshots") { database in
      // Of an engine that has had no fix the axis begins near UTC.
      let rows = try Row.fetchAll(
        database,
        sql: """
          WITH kept AS (
            SELECT number, \(Self.settingsOfSnapshot) AS settings,
              json_extract(engine, '$.state.nextID') AS next,
              coalesce(json_extract(engine, '$.state.gate.last.time'), at) AS time
            FROM snapshots)
          SELECT number, settings FROM kept
          WHERE (?1 IS NULL OR time <= ?1) AND (?2 IS NULL OR next <= ?2) ORDER BY number DESC
          """, arguments: [time?.microseconds, event])
      let newest: DatabaseValue? = rows.first?["settings"]
      let begins = try Int64.fetchOne(
        database,
        sql: """
          SELECT coalesce(json_extract(engine, '$.state.gate.last.time'), (SELECT min(at) FROM journal))
          FROM snapshots ORDER BY number LIMIT 1
          """)
      return Past(
        snapshots: try rows.prefix { $0["settings"] == newest }.map {
          try $0.decode(forColumn: "number")
        },
        begins: begins.map { UTCTime(microseconds: $0) })
    }
  }

  /// The decisions about an event, in order, as objects without `v` and `seq`.
  package func decisions(about event: Int) throws(Failure) -> [JSONTree] {
    // Whatever a subscriber is called, a quotation mark in its name is escaped.
    try lines("type = 'decision' AND id > ?1 AND instr(line, ?2) > 0", [event, "\"event\":\(event),"])
  }

  /// The last decision about a subscriber before an id; nil where none is kept.
  package func lastDecision(of subscriber: String, before id: Int) throws(Failure) -> JSONTree? {
    let name = "\"subscriber\":\(JSONText.string(subscriber)),"
    return try lines(
      "type = 'decision' AND id < ?1 AND instr(line, ?2) > 0", [id, name], order: "DESC LIMIT 1"
    ).first
  }

  /// The last thing that a region told before an id; nil where none is kept.
  package func regionEvent(_ region: String, before id: Int) throws(Failure) -> JSONTree? {
    let name = "\"region\":\(JSONText.string(region)),"
    return try lines(
      "type LIKE 'region.%' AND id < ?1 AND instr(line, ?2) > 0", [id, name], order: "DESC LIMIT 1"
    ).first
  }

  /// The next thing that a region told, from an id on; nil where none is kept.
  package func regionEvent(_ region: String, from id: Int) throws(Failure) -> JSONTree? {
    let name = "\"region\":\(JSONText.string(region)),"
    return try lines(
      "type LIKE 'region.%' AND id >= ?1 AND instr(line, ?2) > 0", [id, name], order: "LIMIT 1"
    ).first
  }

  /// A record; nil where it is not kept.
  package func event(id: Int) throws(Failure) -> JSONTree? { try lines("id = ?1", [id]).first }

  private func lines(
    _ condition: String, _ arguments: StatementArguments, order: String = ""
  ) throws(Failure) -> [JSONTree] {
    try read("events") { database in
      let lines = try String.fetchAll(
        database, sql: "SELECT line FROM events WHERE \(condition) ORDER BY id \(order)",
        arguments: arguments)
      // What is kept goes on after `v` and `seq`, with a comma.
      return try lines.map { line in
        return try JSONTree(Array("{\(line.dropFirst())".utf8))
      }
    }
  }
}

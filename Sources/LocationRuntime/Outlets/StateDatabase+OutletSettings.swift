import GRDB
import LocationCore
package import LocationFormats

extension StateDatabase {
  /// All outlets, by name.
  package func outletSettings() throws(Failure) -> [OutletSettings] {
    try read("outlet_settings") { try Self.outletSettings($0) }
  }

  static func outletSettings(_ database: Database) throws -> [OutletSettings] {
    try Row.fetchAll(database, sql: "SELECT name, settings FROM outlet_settings ORDER BY name").map { row in
      let text: String = try row.decode(forColumn: "settings")
      return try UnreadableRow.guarding(.outlet, try row.decode(forColumn: "name")) {
        try ExactDecoder.value(OutletSettings.self, of: try JSONTree(Array(text.utf8)))
      }
    }
  }

  /// Stores an outlet. A new one begins with the events that come from now on; one that is replaced goes on where it
  /// was.
  ///
  /// - Returns: Whether it replaced one.
  /// - Throws: `.cantCreate` where there is one of that name and it may not be replaced.
  @discardableResult
  package func put(_ outlet: OutletSettings, replacing: Bool) throws(Failure) -> Bool {
    try write { database in
      let isThere = try replaces(outlet.name, of: .outlet, ifAsked: replacing, database)
      try requireOneDevice(outlet, database)
      try database.execute(
        sql: "INSERT OR REPLACE INTO outlet_settings (name, settings) VALUES (?, ?)",
        arguments: [outlet.name, try ExactEncoder.tree(of: outlet).text])
      try database.execute(
        sql: """
          INSERT INTO outlets (name, cursor) VALUES (?, (SELECT coalesce(max(id), 0) FROM events))
          ON CONFLICT (name) DO UPDATE SET attempts = 0, trouble = NULL, disabled = 0
          """, arguments: [outlet.name])
      return isThere
    }
  }

  /// Has an outlet be tried at once, also one that was disabled; whether there is one.
  package func enableOutlet(_ name: String) throws(Failure) -> Bool {
    try write { database in
      try database.execute(
        sql: "UPDATE outlets SET attempts = 0, trouble = NULL, disabled = 0 WHERE name = ?",
        arguments: [name])
      return database.changesCount > 0
    }
  }

  /// Removes an outlet and forgets what waited for it; whether there was one.
  package func removeOutlet(_ name: String) throws(Failure) -> Bool {
    try write { database in
      try database.execute(sql: "DELETE FROM outlets WHERE name = ?", arguments: [name])
      try database.execute(sql: "DELETE FROM outlet_settings WHERE name = ?", arguments: [name])
      return database.changesCount > 0
    }
  }

  /// What tells this state file's ids from those of others: 16 hexadecimal digits, drawn when first asked for.
  package func instance() throws(Failure) -> String {
    try write { database in
      if let known = try Self.meta(.instance, database) { return known }
      let drawn = RandomToken.hex(words: 1)
      try Self.setMeta(.instance, drawn, database)
      return drawn
    }
  }

  /// The regions that others are told of, each as a circle, and how many there are in all. Of too many only those of
  /// these ids.
  func outletPlaces(named ids: Set<String>) throws(Failure) -> (places: [OwnTracksOutlet.Place], count: Int) {
    let all = try regionIDs()
    let isAll = all.count <= OwnTracksOutlet.placeLimit
    let told = isAll ? all : all.filter(ids.contains)
    guard !told.isEmpty else { return ([], all.count) }
    return (try regions(isAll ? .all : .ids(told)).regions.map { OwnTracksOutlet.Place($0) }, all.count)
  }

  /// Each outlet and how it fares, by name.
  package func outletStates() throws(Failure) -> [OutletState] {
    let all = try outletSettings()
    return try read("outlets") { database in
      try all.map { outlet in
        let row = try Row.fetchOne(
          database,
          sql: """
            SELECT cursor, skipped, attempts, trouble, disabled,
              (SELECT count(*) FROM events WHERE \(Self.isAwaited)) AS waiting
            FROM outlets LEFT JOIN outlet_settings USING (name) WHERE outlets.name = ?
            """, arguments: [outlet.name])
        var state = OutletState(settings: outlet)
        guard let row else { return state }
        state.cursor = try outletCount(row, "cursor")
        state.waiting = try row.decode(forColumn: "waiting")
        state.skipped = try outletCount(row, "skipped")
        state.attempts = try outletCount(row, "attempts")
        state.trouble = try row.decode(forColumn: "trouble")
        state.isDisabled = try row.decode(Bool.self, forColumn: "disabled")
        return state
      }
    }
  }
  /// Refuses an outlet that Home Assistant would take for another one. Whether two addresses are one broker can't be told.
  private func requireOneDevice(_ outlet: OutletSettings, _ database: Database) throws {
    guard outlet.announces == true else { return }
    let same = try Self.outletSettings(database).filter {
      $0.announces == true && $0.homeAssistantID == outlet.homeAssistantID
    }
    // An earlier version may have stored two outlets that are one device. The user may change each of them.
    guard let other = same.first, !same.contains(where: { $0.name == outlet.name }) else { return }
    throw Failure(
      .cantCreate, file: path,
      what: "Home Assistant would take \"\(outlet.name)\" for outlet \"\(other.name)\"",
      remedy: "give it a name that differs in letters or digits")
  }
}

import GRDB
package import LocationCore
package import LocationFormats

extension StateDatabase {
  /// A subscriber as it is stored.
  package struct StoredSubscriber {
    /// As its manifest has it.
    package var subscriber: Subscriber
    /// Its manifest as stored.
    var manifest: String
    /// Its manifest as the engine was last told it.
    var applied: String?

    /// The subscriber as the engine was last told it; nil where it was not, or by a version whose manifests this one can't
    /// read.
    var appliedSubscriber: Subscriber? {
      applied.flatMap { try? ExactDecoder.value(Subscriber.self, of: JSONTree(Array($0.utf8))) }
    }
  }

  /// Stores a subscriber.
  ///
  /// - Returns: Whether it replaced one.
  /// - Throws: `.cantCreate` where there is one of that name and it may not be replaced, or there are as many as an
  ///   engine takes.
  @discardableResult
  package func put(_ subscriber: Subscriber, replacing: Bool) throws(Failure) -> Bool {
    try write { database in
      let text = try ExactEncoder.tree(of: subscriber).text
      let isThere = try replaces(subscriber.name, of: .subscriber, ifAsked: replacing, database)
      try database.execute(
        sql: """
          INSERT INTO subscribers (name, manifest) VALUES (?1, ?2)
          ON CONFLICT (name) DO UPDATE SET manifest = ?2
          """, arguments: [subscriber.name, text])
      if !isThere,
        try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM subscribers") ?? 0 > Limits.subscribers
      {
        throw Failure(
          .cantCreate, what: "there are \(Wording.count(Limits.subscribers, "subscriber")) already",
          remedy: "remove one first")
      }
      return isThere
    }
  }

  /// All subscribers, by name.
  package func subscribers() throws(Failure) -> [StoredSubscriber] {
    try read("subscribers") { try Self.subscribers($0) }
  }

  static func subscribers(_ database: Database) throws -> [StoredSubscriber] {
    try Row.fetchAll(database, sql: "SELECT name, manifest, applied FROM subscribers ORDER BY name").map {
      row in
      let text: String = try row.decode(forColumn: "manifest")
      let subscriber = try UnreadableRow.guarding(.subscriber, try row.decode(forColumn: "name")) {
        try ExactDecoder.value(Subscriber.self, of: try JSONTree(Array(text.utf8)))
      }
      return StoredSubscriber(
        subscriber: subscriber, manifest: text, applied: try row.decode(forColumn: "applied"))
    }
  }

  /// Removes a subscriber; whether there was one.
  package func removeSubscriber(_ name: String) throws(Failure) -> Bool {
    try write { database in
      // One that comes after it under its name is another.
      for request in try Self.requests(database) {
        if case .subscriber(name, _) = request.event { try Self.remove(request: request.number, database) }
      }
      try database.execute(sql: "DELETE FROM push_tokens WHERE subscriber = ?", arguments: [name])
      try database.execute(
        sql: "UPDATE push_registrations SET subscriber = NULL WHERE subscriber = ?", arguments: [name])
      try database.execute(sql: "DELETE FROM subscribers WHERE name = ?", arguments: [name])
      return database.changesCount > 0
    }
  }

  /// Who has not acknowledged what, oldest first.
  func outbox() throws(Failure) -> [String: [SubscriberView.Waiting]] {
    try outbox("SELECT subscriber, event, state FROM outbox ORDER BY event") { _, event, isHanded in
      SubscriberView.Waiting(event: event, isHanded: isHanded)
    }
  }

  /// Who waits for what, in the order of the rows.
  ///
  /// - Parameter waiting: makes it of a row, its event, and whether that was handed over.
  func outbox<Waiting>(
    _ sql: String, _ waiting: (Row, _ event: Int, _ isHanded: Bool) throws -> Waiting
  ) throws(Failure) -> [String: [Waiting]] {
    try read("outbox") { database in
      var outbox: [String: [Waiting]] = [:]
      let rows = try Row.fetchCursor(database, sql: sql)
      while let row = try rows.next() {
        let state: String = try row.decode(forColumn: "state")
        let name: String = try row.decode(forColumn: "subscriber")
        outbox[name, default: []].append(
          try waiting(row, row.decode(forColumn: "event"), state == "handed"))
      }
      return outbox
    }
  }
}

import GRDB
import LocationCore
import LocationFormats

/// What commands leave in the state file for the next daemon, while none runs.
extension StateDatabase {
  static let requestBootsMigration = Migration(
    name: "request-boots",
    sql: """
      ALTER TABLE requests ADD COLUMN boot TEXT; -- the boot's id when it was made; NULL: not known
      """)

  /// Something that a command has left.
  struct StoredRequest {
    var number: Int
    var event: Event
    /// The boot in which it was left; nil where an earlier version left it.
    var boot: String?

    /// Whether the machine has booted since, and that undoes it: an unlock counts for one boot (rule A8), and a boot clears
    /// the mark of a force-quit (rule A7).
    ///
    /// - Parameter lastBoot: that of the last daemon, after which it was left; nil where there was none.
    func isUndoneByBoot(since lastBoot: String?) -> Bool {
      let boot = boot ?? lastBoot ?? ProcessStatus.boot
      guard boot != ProcessStatus.boot else { return false }
      return isQuit || event == .machine(.unlock)
    }

    /// Whether it says that an event is done.
    var isDone: Bool {
      if case .subscriber(_, let event) = event { event.doneEvent != nil } else { false }
    }

    /// Whether it ends a program by force.
    var isQuit: Bool { if case .subscriber(_, .quit) = event { true } else { false } }
  }

  /// Leaves events for the next daemon.
  ///
  /// - Parameter old: numbers of earlier requests that hold no longer.
  func request(_ events: [Event], insteadOf old: [Int] = []) throws(Failure) {
    try write { database in
      for number in old { try Self.remove(request: number, database) }
      for event in events {
        let text = try ExactEncoder.tree(of: event).text
        try database.execute(
          sql: "INSERT INTO requests (event, boot) VALUES (?, ?)", arguments: [text, ProcessStatus.boot])
      }
    }
  }

  /// What was left for the next daemon of low-power mode, in order.
  func lowPowerRequests() throws(Failure) -> [(number: Int, isOn: Bool)] {
    try requests().compactMap { request in
      if case .machine(.lowPower(let isOn)) = request.event { (request.number, isOn) } else { nil }
    }
  }

  /// What was left for this daemon, in order.
  func requests() throws(Failure) -> [StoredRequest] {
    try read("requests") { try Self.requests($0) }
  }

  static func requests(_ database: Database) throws -> [StoredRequest] {
    try Row.fetchAll(database, sql: "SELECT number, event, boot FROM requests ORDER BY number").map { row in
      let text: String = try row.decode(forColumn: "event")
      var reader = JSONReader(Array(text.utf8))
      return StoredRequest(
        number: try row.decode(forColumn: "number"),
        event: try ExactDecoder.value(Event.self, of: try JSONTree(&reader)),
        boot: try row.decode(forColumn: "boot"))
    }
  }

  static func remove(request number: Int, _ database: Database) throws {
    try database.execute(sql: "DELETE FROM requests WHERE number = ?", arguments: [number])
  }
}

package import LocationCore
package import LocationFormats

/// A state file as commands use it: through the daemon that runs on it, or in its place where none does.
package struct DaemonSeat: Sendable {
  /// The state file.
  package let state: String
  /// Seconds that a daemon has for an answer.
  private let answerSeconds: Double

  package init(state: String, answerSeconds: Double = DaemonLimits.answerSeconds) {
    self.state = state
    self.answerSeconds = answerSeconds
  }

  /// The daemon that runs on it; nil where none does.
  func connect() throws(Failure) -> ControlClient? {
    try ControlClient.connect(state: state, answerSeconds: answerSeconds)
  }

  /// What was changed in the database.
  package enum Change: Sendable {
    /// Regions of these ids; nil for all.
    case regions([String]?)
    /// Subscribers of these names.
    case subscribers([String])
    /// Outlets; those of these names begin anew, also where nothing of them was changed.
    case outlets([String])

    /// How a daemon is told of it.
    fileprivate var request: (what: String, members: KeyValuePairs<String, JSONTree?>) {
      switch self {
      case .regions(let ids):
        // Above some thousands it is as quick to look at all.
        let named = ids.flatMap { $0.count <= DaemonSeat.namedIDs ? $0 : nil }
        return ("regions", ["ids": named.map { .strings($0) }])
      case .subscribers(let names): return ("subscribers", ["names": .strings(names)])
      case .outlets(let names): return ("outlets", ["names": .strings(names)])
      }
    }
  }

  /// Has a running daemon take what was changed in the database. Where it ends meanwhile, the next one reads it.
  ///
  /// All is asked before the first answer is waited for: a daemon that is slow does all of it, also where its answers
  /// come too late or nobody waits for them any more.
  ///
  /// - Throws: the first of what went wrong.
  package func note(_ changes: [Change]) throws(Failure) {
    guard let client = try connect() else { return }
    do throws(Failure) {
      for change in changes { try client.request(change.request.what, change.request.members) }
      var failure: Failure?
      for _ in changes {
        do throws(Failure) { _ = try client.answer() } catch {
          guard !ControlClient.isNoAnswer(error) else { throw error }
          failure = failure ?? error
        }
      }
      if let failure { throw failure }
    } catch {
      guard ControlClient.isGone(error) else { throw error }
    }
  }

  private static let namedIDs = 5_000

  /// The state of each region; none for those of which nothing is known.
  package func regionStates(_ ids: [String]) throws(Failure) -> [String: RegionState] {
    var states: [String: RegionState] = [:]
    if let client = try connect() {
      let answer = try client.ask("region-states", ["ids": .strings(ids)])
      for id in ids {
        states[id] = answer["states"]?[id]?.string.flatMap { RegionState(rawValue: $0) }
      }
    } else if let database = try StateDatabase.openToRead(path: state) {
      let restored = try RestoredEngine(database)
      for id in ids { states[id] = restored.engine.regionState(id) }
    }
    return states
  }

  /// What there is to say, as one JSON object; `stale` in it tells whether a daemon runs and has fixes.
  package func status() throws(Failure) -> JSONTree {
    if let client = try connect() { return try client.ask("status") }
    return try storedStatus()
  }

  /// The same with the profile and the band of its energy (rule L3). Both are absent if the books of a daemon of
  /// another version can't be read.
  package func pricedStatus() throws(Failure) -> JSONTree {
    let status = try status()
    guard case .object(let members) = status, let books = try? books() else { return status }
    return .object(members + books.members)
  }

  /// The same as the last daemon stored it.
  ///
  /// - Parameter answers: false where a daemon runs that does not answer; nil where none runs.
  package func storedStatus(answers: Bool? = nil) throws(Failure) -> JSONTree {
    guard let database = try StateDatabase.openToRead(path: state) else { throw Self.noState(state) }
    let restored = try RestoredEngine(database)
    let counts = try database.counts()
    let report = StatusReport(
      running: nil, answers: answers, state: state, otherState: answers == nil ? otherDaemon() : nil,
      now: SystemClock().read().utc ?? UTCTime(microseconds: 0), source: nil,
      newestID: restored.newestID, journalRows: counts.journal, eventRows: counts.events,
      lastSeen: try database.meta(.lastSeen).flatMap { Int64($0) }.map { UTCTime(microseconds: $0) },
      regions: counts.regions, stored: try database.subscribers().map(\.subscriber.name),
      isLowPower: try database.lowPowerRequests().last?.isOn, outlets: try database.outletStates())
    return report.tree(of: restored.engine)
  }

  /// Acknowledges an event for a subscriber, or for all who wait for it.
  ///
  /// - Throws: ``Failure`` of code 1 where nobody waits for it.
  package func acknowledge(_ id: Int, subscriber: String?) throws(Failure) {
    try evenIfDaemonStarts { () throws(Failure) in
      if let client = try connect() {
        _ = try client.ask("ack", ["id": .integer(id), "subscriber": subscriber.map { .string($0) }])
        return
      }
      try standIn { (database, engine) throws(Failure) in
        let names = Acknowledgement.waiting(for: id, subscriber: subscriber, among: engine.subscribers)
        guard !names.isEmpty else {
          let known = try database.subscribers().map(\.subscriber.name)
          throw Acknowledgement.nobody(id, subscriber, among: known)
        }
        try database.request(names.map { .subscriber(name: $0, .dismissed(event: id)) })
      }
    }
  }

  /// What a user does to a subscriber: `launch`, `foreground`, `background` or `quit`.
  ///
  /// - Throws: ``Failure`` of code 69 where that takes a daemon and none runs.
  package func user(_ verb: String, _ name: String) throws(Failure) {
    try evenIfDaemonStarts { () throws(Failure) in
      if let client = try connect() {
        _ = try client.ask("subscriber", ["verb": .string(verb), "name": .string(name)])
        return
      }
      guard verb == "quit" else { throw try lackOfDaemon() }
      try standIn { (database, engine) throws(Failure) in
        try Self.require(name, in: database)
        try database.request([.subscriber(name: name, .quit)])
      }
    }
  }

  /// Tells the daemon that the screen was locked (rule A2).
  ///
  /// - Throws: ``Failure`` of code 69 where no daemon runs: nothing is in the foreground then.
  package func lock() throws(Failure) {
    try evenIfDaemonStarts { () throws(Failure) in
      guard let client = try connect() else { throw try lackOfDaemon() }
      _ = try client.ask("lock")
    }
  }

  /// Tells the daemon that the screen was unlocked, and after a boot for the first time (rules A2 and A8).
  package func unlock() throws(Failure) {
    try evenIfDaemonStarts { () throws(Failure) in
      guard let client = try connect() else {
        return try standIn { (database, _) throws(Failure) in try database.request([.machine(.unlock)]) }
      }
      _ = try client.ask("unlock")
    }
  }

  /// Puts the machine in low-power mode or takes it out of it.
  ///
  /// - Parameter isOn: nil to ask alone.
  /// - Returns: how that is now. Where no daemon runs it is what the next one will go on with.
  package func lowPower(_ isOn: Bool?) throws(Failure) -> LowPowerReport {
    try evenIfDaemonStarts { () throws(Failure) -> LowPowerReport in
      if let client = try connect() {
        return try LowPowerReport(client.ask("low-power", ["on": isOn.map { .boolean($0) }]))
      }
      var report: LowPowerReport
      if let isOn {
        report = try standIn { (database, engine) throws(Failure) -> LowPowerReport in
          let asked = try database.lowPowerRequests()
          if isOn != asked.last?.isOn ?? engine.isLowPower {
            try database.request(
              isOn == engine.isLowPower ? [] : [.machine(.lowPower(isOn))], insteadOf: asked.map(\.number))
          }
          return LowPowerReport(engine)
        }
        report.isOn = isOn
      } else {
        guard let database = try StateDatabase.openToRead(path: state) else { throw Self.noState(state) }
        report = LowPowerReport(try RestoredEngine(database).engine)
        if let asked = try database.lowPowerRequests().last { report.isOn = asked.isOn }
      }
      report.isRunning = false
      return report
    }
  }

  /// What was spent so far, by day.
  ///
  /// - Returns: without books where nothing was used yet.
  package func energy() throws(Failure) -> (rows: [StateDatabase.EnergyRow], books: EnergyBooks?) {
    guard try connect() == nil else {
      let books = try books(booking: true)
      return (try StateDatabase.openToRead(path: state)?.energy() ?? [], books)
    }
    guard let database = try StateDatabase.openToRead(path: state) else { return ([], nil) }
    let restored = try RestoredEngine(database)
    let books = EnergyBooks(of: restored.engine)
    guard books.use != PowerUse() else { return ([], nil) }
    let spent = restored.engine.ledger.settled(at: restored.engine.instant).entries
    let day = try max(restored.engine.time, database.lastEnergyDay() ?? restored.engine.time)
    return (try database.energy(with: spent, on: day), books)
  }

  /// What was used so far; nil where nothing was.
  ///
  /// - Parameter booking: whether a daemon books it by day first, which waits for the disk.
  package func books(booking: Bool = false) throws(Failure) -> EnergyBooks? {
    if let client = try connect() {
      return try client.ask("power", ["book": .boolean(booking)])["books"].map { (tree) throws(Failure) in
        try EnergyBooks(tree)
      }
    }
    guard let database = try StateDatabase.openToRead(path: state) else { return nil }
    let restored = try RestoredEngine(database)
    let books = EnergyBooks(of: restored.engine)
    return books.use == PowerUse() ? nil : books
  }

  /// What is said where a daemon is needed.
  package static let noDaemon = Failure(
    .unavailable, what: "no daemon runs on this state file", remedy: "start locwatch run")

  /// What is said where there is no state file.
  package static func noState(_ state: String) -> Failure {
    Failure(
      .conditionFails, file: state, what: "there is no state file yet", remedy: "locwatch run makes one")
  }

  /// What is said where no daemon has written into the state file.
  package static func noJournal(_ state: String) -> Failure {
    Failure(.conditionFails, file: state, what: "it has no journal yet", remedy: "locwatch run writes one")
  }

  /// Does something that asks the daemon, or stands in for it, and does it again where one starts in between.
  func evenIfDaemonStarts<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    do throws(Failure) {
      return try body()
    } catch {
      guard error == StateLock.isOfDaemon(state) else { throw error }
      return try body()
    }
  }

  /// What is said where a daemon is needed and none answers.
  ///
  /// - Throws: that one has started by now.
  func lackOfDaemon() throws(Failure) -> Failure {
    guard try StateDatabase.openToRead(path: state) != nil else { return Self.noDaemon }
    do throws(Failure) { _ = try StateLock(state: state) } catch {
      if error == StateLock.isOfDaemon(state) { throw error }
    }
    return Self.noDaemon
  }

  /// Does something in the daemon's place, and keeps one from starting meanwhile.
  func standIn<Value>(
    _ body: (StateDatabase, borrowing Engine) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard try StateDatabase.openToRead(path: state) != nil else { throw Self.noState(state) }
    let lock = try StateLock(state: state)
    let database = try StateDatabase.open(path: state)
    let restored = try RestoredEngine(database)
    defer { withExtendedLifetime(lock) {} }
    return try body(database, restored.engine)
  }
}

import Glibc
import LocationCore
import LocationFormats

/// What the daemon is to do for subscribers and the receiver, in order.
struct DaemonPorts: EffectPorts {
  /// Something that follows from no effect.
  enum Action {
    /// The user starts or resumes a subscriber.
    case userLaunch(String, UserLaunch = UserLaunch())
    case answer(String, SubscriberReply)
    /// An event that a subscriber waits for is done, or dropped, if it waits no more.
    case withdraw(String, event: Int)
  }

  /// Something for the supervisor.
  enum Work {
    /// With the event's record where it is an order to deliver one.
    case order(Order, line: [UInt8])
    case action(Action)
  }

  private var work: [Work] = []
  private var receiverOrders: [ReceiverOrder] = []

  /// Followers are told of records by the database, which numbers them. What is dropped may still be on its way to a
  /// program that runs.
  mutating func receive(_ record: Record) {
    guard case .decision(let decision) = record.body, decision.action == .drop, decision.before.isRunning,
      let event = decision.event
    else { return }
    work.append(.action(.withdraw(decision.subscriber, event: event)))
  }
  mutating func deliver(_ event: Int, _ line: [UInt8], to subscriber: String, because cause: Order.Cause) {
    work.append(.order(.deliver(subscriber: subscriber, event: event, cause), line: line))
  }
  mutating func receive(_ order: Order) { work.append(.order(order, line: [])) }
  mutating func receive(_ order: ReceiverOrder) { receiverOrders.append(order) }
  mutating func perform(_ action: Action) { work.append(.action(action)) }

  /// What is to be done, in order.
  mutating func takeWork() -> [Work] {
    defer { work.removeAll(keepingCapacity: true) }
    return work
  }

  /// The oldest order to the receiver that is not carried out; nil where there is none.
  mutating func takeReceiverOrder() -> ReceiverOrder? {
    receiverOrders.isEmpty ? nil : receiverOrders.removeFirst()
  }

  /// Forgets orders to the receiver that were overtaken by what it is to be now.
  mutating func dropReceiverOrders() { receiverOrders.removeAll() }
}

/// The daemon's engine, with its journal in the state file.
typealias DaemonHost = LiveHost<DatabaseJournal, DaemonPorts>

extension LiveHost where Journal == DatabaseJournal, Ports == DaemonPorts {
  /// The engine as the database has it, under `configuration`.
  ///
  /// - Throws: ``Failure`` where the database can't be read or written, or holds what no engine left there.
  init(
    _ database: StateDatabase, configuration: EngineConfiguration, retention: Retention, timing: LiveTiming
  ) throws(Failure) {
    let regions = try database.hasRun() ? [] : database.storedRegions(.all)
    let restored = try RestoredEngine(database, orNew: configuration, watching: regions.map(\.region))
    let (newestID, isOther, untold) = (restored.newestID, restored.isOther, restored.untold)
    for (name, event) in restored.unkept {
      DaemonLoop.log("event \(event), for which \(name) waits, is not known to this version: it is dropped")
    }
    var rows = restored.rows
    let isNew = restored.snapshotNumber == nil
    let watched = restored.engine.regionCount
    let old = restored.engine.configuration
    let last = restored.engine.instant
    var snapshotBytes = 0
    var engine = restored.takeEngine()
    // First, so that a kill before the snapshot finds it stored.
    if isOther { try DatabaseJournal.settle(engine, untold, in: database) }
    let hasVersions = try database.hasVersions(ofAll: watched)
    if !hasVersions {
      try database.adoptVersions(isNew ? regions : try database.storedRegions(.all), of: engine)
    }
    if isNew || !hasVersions || isOther || old != configuration {
      // Settings are not events, nor are the regions of an engine that has seen nothing, nor what another build has told:
      // a snapshot stands for them.
      var spent: [PowerLedger.Entry]?
      if old != configuration {
        let entries = engine.ledger.settled(at: last).entries
        try database.book(entries, on: engine.time)
        spent = entries
        engine = try engine.snapshot.configured(configuration).restored()
      }
      snapshotBytes = try database.store(
        snapshotOf: engine, at: last, keeping: retention,
        utc: UTCTime(microseconds: max(0, last.microseconds)), insteadOf: spent)
      rows = 0
    }
    var journal = try DatabaseJournal(
      database, keeping: retention, after: newestID, rows: rows, snapshotBytes: snapshotBytes)
    journal.alignOutbox(with: engine)
    self.init(EngineHost(engine, journal: journal, ports: DaemonPorts()), timing: timing, last: last)
  }

  /// Lets nobody wait for an event that is not stored.
  mutating func forgetUnstored(_ database: StateDatabase, at reading: ClockReading) throws(Failure) {
    // What follows from the journal is stored with the first commit.
    try commit(at: reading)
    for (name, event) in try database.unstoredEvents(of: engine) {
      DaemonLoop.log("event \(event), for which \(name) waits, is not stored: \(name) is not told of it")
      try handleAtLast(.subscriber(name: name, .acknowledged(event: event, coreSeconds: 0)))
    }
  }

  /// Brings the engine's regions up to what the database has.
  ///
  /// - Parameter ids: which may have changed; nil for all.
  mutating func applyRegions(
    _ ids: [String]?, of database: StateDatabase, at reading: ClockReading
  ) throws(Failure) {
    let (stored, candidates) = try changedRegions(ids, of: database)
    let there = Set(stored.joined())
    // The newest first: they are the last in the engine's lists, and nothing moves up.
    for id in candidates.reversed() where !there.contains(id) && region(id) != nil {
      try handle(.removeRegion(id: id), at: reading)
      if host.journal.waitingRows >= DaemonLimits.regionsAtOnce { try commit(at: reading) }
    }
    for (place, ids) in stored.enumerated() {
      for entry in try database.storedRegions(.ids(ids)) {
        let known = region(entry.region.id)
        guard known != entry.region else { continue }
        host.journal.offer(entry)
        try handle(known == nil ? .addRegion(entry.region) : .changeRegion(entry.region), at: reading)
      }
      if place < stored.count - 1 { try commit(at: reading) }
    }
  }

  /// Reads the regions that have changed in the database, and does nothing with them.
  ///
  /// - Throws: ``Failure`` where one can't be read.
  func readRegions(of database: StateDatabase) throws(Failure) {
    for ids in try changedRegions(nil, of: database).stored { _ = try database.storedRegions(.ids(ids)) }
  }

  /// Ids of the regions that may have been changed or added, in parts: many regions wait neither in memory nor for one
  /// transaction. And of those that may have been removed.
  private func changedRegions(
    _ ids: [String]?, of database: StateDatabase
  ) throws(Failure) -> (stored: [[String]], candidates: [String]) {
    var choice = ids.map { StateDatabase.RegionChoice.ids($0) } ?? .all
    var candidates = ids ?? []
    if ids == nil {
      // Where the database knows what the engine has, it tells the difference without reading all regions.
      if try database.hasVersions(ofAll: engine.regionCount) {
        choice = .unapplied
        candidates = try database.removedRegionIDs()
      } else {
        candidates = engine.regionIDs
      }
      candidates += heldRegionIDs
    }
    let stored = try database.regionIDs(choice)
    let parts = stride(from: 0, to: stored.count, by: DaemonLimits.regionsAtOnce).map { start in
      Array(stored[start..<min(start + DaemonLimits.regionsAtOnce, stored.count)])
    }
    return (parts, candidates)
  }

  /// When there is something to do by itself.
  var nextWake: EngineInstant? { [nextDeadline, host.journal.retryAt].compactMap { $0 }.min() }

  /// Has something done after what came so far is stored.
  mutating func add(_ action: DaemonPorts.Action) {
    host.journal.noteTold()
    host.add(action)
  }

  /// Handles what has happened to the machine. A program that an unlock returns to the foreground is resumed, and told,
  /// as when the user returns to it: the engine has no order for either (rule A2).
  mutating func handle(machine event: MachineEvent, at reading: ClockReading) throws(Failure) {
    if event == .unlock {
      for view in engine.subscribers where view.returnsAtUnlock {
        add(.userLaunch(view.subscriber.name, UserLaunch(of: view, at: instant(at: reading))))
      }
    }
    try handle(.machine(event), at: reading)
  }

  /// Hands over the orders to the receiver and takes the oldest.
  mutating func takeReceiverOrder() -> ReceiverOrder? {
    host.performReceiverOrders()
    return host.ports.takeReceiverOrder()
  }

  /// Forgets orders to the receiver that were overtaken by what it is to be now.
  mutating func dropReceiverOrders() {
    host.performReceiverOrders()
    host.ports.dropReceiverOrders()
  }

  /// Stores a snapshot, discards what is too old, and books the energy.
  mutating func checkpoint(at reading: ClockReading) throws(Failure) {
    try host.journal.checkpoint(host.engine, at: reading)
  }

  /// What was used until now.
  var energyBooks: EnergyBooks { EnergyBooks(of: engine) }

  /// Records from here on what reaches the engine, in a file of its own: `path`, or else `path.1`, `path.2`, so that none
  /// of an earlier daemon, or under earlier settings, is lost; which.
  mutating func record(to path: String) throws(Failure) -> String {
    let free = StatePath.unused(path)
    try host.journal.record(host.engine, isNew: last == .distantPast, to: free)
    return free
  }

  /// Books a sleep of the machine: meanwhile nobody read from the receiver, and from now on it searches.
  ///
  /// - Parameter seconds: how long it slept, until now.
  mutating func bookSleep(of seconds: Double, at reading: ClockReading) throws(Failure) {
    guard last > .distantPast, engine.receiver.isOn else { return }
    try handle(.receiver(.released), before: instant(at: reading).advanced(bySeconds: -seconds))
    try handle(.receiver(.opened), at: reading)
  }

  /// Puts other settings in force, once they are stored.
  ///
  /// - Throws: ``Failure`` of code 75 where rows wait to be stored, of others where the settings can't be: those before
  ///   stay in force then.
  mutating func change(to configuration: EngineConfiguration, at reading: ClockReading) throws(Failure) {
    let old = engine.configuration
    guard old != configuration else { return }
    // A snapshot stands for the settings, after all rows that came under those before. Without it, a restart would handle
    // later rows under those before.
    host.journal.retryAtOnce()
    try commit(at: reading)
    if let trouble = host.journal.trouble {
      throw Failure(
        .tryAgain, file: trouble.file, what: "other settings can't be stored now: \(trouble.what)",
        remedy: "reload when it can be written")
    }
    let changed = try engine.snapshot.configured(configuration).restored()
    try host.journal.checkpoint(host.engine, as: changed, at: reading)
    host.replaceEngine(changed)
  }
}

import LocationCore
import LocationFormats

/// The daemon's engine, with all that reached it and all that followed kept in the database.
///
/// What comes is taken by the engine at once and stored by ``commit(at:)``, in one transaction with what followed
/// from it: the journal's rows, the records, who waits for what. Only then is anything done for anybody. So whatever
/// a subscriber or a reader was told can be told again after a crash, with the same id.
///
/// Where the disk takes nothing, the engine goes on deciding, and what it decides waits in memory to be stored and
/// then done.
struct JournaledEngine: ~Copyable {
  /// Something to be done once what led to it is stored.
  enum Action {
    case order(Order)
    /// The user starts or resumes a subscriber.
    case userLaunch(String)
    case answer(String, SubscriberReply)
  }

  /// What the journal's closure and its owner share.
  private final class Tape {
    var rows: [StoreBatch.JournalRow] = []
    var recording: JournalWriter?
    /// Why there is no recording any more.
    var trouble: Failure?
    var bytes: [UInt8] = []

    /// Writes to the recording; one that can't be written ends, because the daemon must not end with it.
    func record(_ body: (JournalWriter) throws(Failure) -> Void) {
      guard let recording else { return }
      do throws(Failure) { try body(recording) } catch {
        trouble = error
        self.recording = nil
      }
    }
  }

  private(set) var driver: LiveDriver
  private let database: StateDatabase
  private let tape: Tape
  private var retention: Retention
  private var effects: [Effect] = []
  private var encoder = RecordEncoder(format: .ndjson, track: nil)
  private var batch = StoreBatch()
  private var actions: [Action] = []
  private var receiverOrders: [ReceiverOrder] = []
  /// Who waits for what, as stored or about to be.
  private var waiting: [String: [SubscriberView.Waiting]] = [:]
  private var hasNewsOfSubscribers = true
  /// What was refused because of the event that was taken last; nil where nothing was.
  private(set) var refusal: Decision?
  /// The id of the last record that is stored or about to be.
  private var lastID: Int
  /// The id of the last record that was stored by us; 0 before there is one.
  private var storedID = 0
  private var news: [EventNews] = []
  private var rowsSinceSnapshot = 0
  /// Transactions since the log was last written into the database.
  private var commitsInLog = 0
  private var snapshotBytes = 0
  private var day = ""
  /// Why nothing can be stored now; nil where it can.
  private(set) var trouble: Failure?
  private(set) var retryAt: EngineInstant?
  private var retrySeconds = 1.0

  /// The engine as the database has it, under `configuration`.
  ///
  /// - Throws: ``Failure`` where the database can't be read or written, or holds what no engine left there.
  init(
    _ database: StateDatabase, configuration: EngineConfiguration, retention: Retention,
    timing: LiveDriver.Timing
  ) throws(Failure) {
    let restored = try RestoredEngine(database, orNew: configuration)
    let waiting = try database.outbox()
    let lastEventID = restored.lastEventID
    let missing = restored.missing
    var rows = restored.rows
    let isNew = restored.snapshotNumber == nil
    let old = restored.engine.configuration
    let last = restored.engine.instant
    var snapshotBytes = 0
    var engine = restored.takeEngine()
    if isNew || old != configuration {
      // Settings are not events: a snapshot under the new ones stands for the change.
      engine = try engine.snapshot.reconfigured(from: old, to: configuration).restored()
      snapshotBytes = try database.store(
        snapshot: engine.snapshot, at: last, keeping: retention,
        utc: UTCTime(microseconds: max(0, last.microseconds)))
      rows = 0
    }
    let tape = Tape()
    self.tape = tape
    self.database = database
    self.retention = retention
    self.waiting = waiting
    self.snapshotBytes = snapshotBytes
    rowsSinceSnapshot = rows
    lastID = lastEventID
    batch.events = missing
    driver = LiveDriver(engine: engine, timing: timing, last: last) { (stamped) throws(Failure) in
      tape.bytes.removeAll(keepingCapacity: true)
      try JournalLine.append(stamped, to: &tape.bytes)
      let line = String(decoding: tape.bytes.dropLast(), as: UTF8.self)
      tape.rows.append(StoreBatch.JournalRow(at: stamped.at, line: line))
      tape.record { (recording) throws(Failure) in try recording.append(stamped) }
    }
  }

  /// The id of the newest record.
  var newestID: Int { lastID }

  /// What was stored since it was last asked for, for those who follow.
  mutating func takeNews() -> [EventNews] {
    defer { news.removeAll() }
    return news
  }

  /// When there is something to do by itself.
  var nextDeadline: EngineInstant? {
    [driver.nextDeadline, retryAt].compactMap { $0 }.min()
  }

  /// Rows that wait in memory because they could not be stored.
  var heldRows: Int { batch.count }

  // MARK: - What comes

  /// Takes an event that came now; whether it has reached the engine, which without any fix it has not where time
  /// is that of the fixes.
  @discardableResult
  mutating func take(_ event: Event, at reading: ClockReading) throws(Failure) -> Bool {
    let count = tape.rows.count
    refusal = nil
    try driver.take(event, at: reading, into: &effects)
    switch event {
    case .fix, .segmentBreak, .receiver, .addRegion, .removeRegion: break
    case .source(let source):
      do { batch.source = try ExactEncoder.tree(of: source).text } catch { batch.source = nil }
    case .addSubscriber, .removeSubscriber, .subscriber, .machine, .end: hasNewsOfSubscribers = true
    }
    digest()
    return tape.rows.count > count
  }

  /// Does what is due by now.
  mutating func advance(to reading: ClockReading) {
    driver.advance(to: reading, into: &effects)
    digest()
  }

  /// Has something done after what came so far is stored.
  mutating func add(_ action: Action) { actions.append(action) }

  /// Marks what came as something that somebody is told of, so that a loss of power must not undo it.
  mutating func noteTold() { batch.isTold = batch.isTold || !tape.rows.isEmpty }

  /// Marks a row of requests as taken.
  mutating func noteRequest(_ number: Int) { batch.requests.append(number) }

  /// Marks a manifest as taken.
  mutating func noteApplied(_ name: String, _ manifest: String?) { batch.applied.append((name, manifest)) }

  private mutating func digest() {
    guard !effects.isEmpty else { return }
    hasNewsOfSubscribers = true
    for effect in effects {
      switch effect {
      case .record(let record):
        if case .decision(let decision) = record.body, decision.action == .refuse { refusal = decision }
        // Ids rise; what was stored before a crash is not stored again.
        guard record.id > lastID, let line = encoder.encode(record) else { continue }
        lastID = record.id
        batch.events.append(StoreBatch.EventRow(record, line))
      case .perform(let order): actions.append(.order(order))
      case .receive(let order): receiverOrders.append(order)
      }
    }
    effects.removeAll(keepingCapacity: true)
  }

  /// The oldest order to the receiver that is not carried out; nil where there is none.
  mutating func takeReceiverOrder() -> ReceiverOrder? {
    receiverOrders.isEmpty ? nil : receiverOrders.removeFirst()
  }

  /// Forgets orders to the receiver that were overtaken by what it is to be now.
  mutating func dropReceiverOrders() { receiverOrders.removeAll() }

  // MARK: - Storing

  /// Stores what came and what followed; what is to be done then.
  ///
  /// - Throws: ``Failure`` where the database is damaged, or more waits in memory than may.
  mutating func commit(at reading: ClockReading) throws(Failure) -> [Action] {
    if let retryAt, reading.instant < retryAt { return [] }
    tape.record { (recording) throws(Failure) in try recording.flush() }
    batch.journal += tape.rows
    rowsSinceSnapshot += tape.rows.count
    tape.rows.removeAll(keepingCapacity: true)
    noteOutbox()
    if !batch.isEmpty {
      batch.isTold = batch.isTold || !batch.events.isEmpty || !actions.isEmpty
      do throws(Failure) {
        let (lines, count) = try database.store(batch)
        if let newest = batch.events.last?.id {
          news.append(EventNews(after: storedID, newest: newest, count: count, lines: lines))
          storedID = newest
        }
      } catch {
        try hold(after: error, at: reading)
        return []
      }
      batch.removeAll()
      commitsInLog += 1
    }
    trouble = nil
    retryAt = nil
    retrySeconds = 1
    let done = actions
    actions.removeAll(keepingCapacity: true)
    return done
  }

  /// Keeps in memory what could not be stored, to try again.
  private mutating func hold(after failure: Failure, at reading: ClockReading) throws(Failure) {
    guard failure.code != .data, failure.code != .software, batch.count < DaemonLimits.heldRows else {
      throw failure
    }
    trouble = failure
    retryAt = reading.instant.advanced(bySeconds: retrySeconds)
    retrySeconds = min(retrySeconds * 2, DaemonLimits.retrySeconds)
  }

  /// Writes down what has changed of who waits for what.
  private mutating func noteOutbox() {
    guard hasNewsOfSubscribers else { return }
    hasNewsOfSubscribers = false
    var gone = Set(waiting.keys)
    for view in driver.engine.subscribers {
      let name = view.subscriber.name
      gone.remove(name)
      let old = waiting[name] ?? []
      guard old != view.waiting else { continue }
      let before = Dictionary(uniqueKeysWithValues: old.map { ($0.event, $0.isHanded) })
      for entry in view.waiting where before[entry.event] != entry.isHanded {
        batch.outbox.append(.put(subscriber: name, event: entry.event, isHanded: entry.isHanded))
      }
      let now = Set(view.waiting.map(\.event))
      for entry in old where !now.contains(entry.event) {
        batch.outbox.append(.remove(subscriber: name, event: entry.event))
      }
      waiting[name] = view.waiting
    }
    for name in gone.sorted() {
      batch.outbox.append(.removeAll(subscriber: name))
      waiting[name] = nil
    }
  }

  /// Does what takes long and nobody waits for, where it is due: after what was stored is told.
  mutating func tidy(at reading: ClockReading) {
    guard batch.isEmpty, tape.rows.isEmpty else { return }
    if rowsSinceSnapshot >= snapshotRows { try? checkpoint(at: reading) }
    guard commitsInLog >= DaemonLimits.commitsInLog else { return }
    commitsInLog = 0
    database.checkpointLog()
  }

  // MARK: - Snapshots

  /// So many rows of the journal are replayed at a start at most: as many as are written in less time than the
  /// snapshot takes, where that is large.
  private var snapshotRows: Int { max(DaemonLimits.snapshotRows, snapshotBytes / DaemonLimits.snapshotShare) }

  /// Stores a snapshot, discards what is too old, and books the energy.
  mutating func checkpoint(at reading: ClockReading) throws(Failure) {
    guard batch.isEmpty else { return }
    let utc = reading.utc ?? UTCTime(microseconds: reading.instant.microseconds)
    try bookEnergy(utc: utc)
    try storeSnapshot(utc: utc)
  }

  /// Books what was spent until now.
  mutating func bookEnergy(utc: UTCTime) throws(Failure) {
    let entries = driver.engine.ledger.settled(at: driver.engine.instant).entries
    try database.book(entries, on: String(utc.rfc3339.prefix(10)))
  }

  /// What was used until now.
  var energyBooks: EnergyBooks { EnergyBooks(driver.engine.ledger.settled(at: driver.engine.instant)) }

  private mutating func storeSnapshot(utc: UTCTime) throws(Failure) {
    snapshotBytes = try database.store(
      snapshot: driver.engine.snapshot, at: driver.engine.instant, keeping: retention, utc: utc)
    rowsSinceSnapshot = 0
  }

  /// Records from here on what reaches the engine.
  mutating func record(to path: String) throws(Failure) {
    let isNew = driver.last == .distantPast
    tape.recording = try JournalWriter(
      path: path, configuration: driver.engine.configuration, snapshot: isNew ? nil : driver.engine.snapshot)
  }

  /// Whether what reaches the engine is recorded.
  var isRecording: Bool { tape.recording != nil }

  /// Why the recording has ended, told once; nil where it goes on or there is none.
  mutating func takeRecordingTrouble() -> Failure? {
    defer { tape.trouble = nil }
    return tape.trouble
  }

  /// Keeps more or less of the past from now on.
  mutating func keep(_ retention: Retention, at reading: ClockReading) throws(Failure) {
    guard retention != self.retention else { return }
    self.retention = retention
    try checkpoint(at: reading)
  }

  /// Puts other settings in force.
  mutating func change(to configuration: EngineConfiguration, at reading: ClockReading) throws(Failure) {
    let old = driver.engine.configuration
    guard old != configuration else { return }
    let engine = try driver.engine.snapshot.reconfigured(from: old, to: configuration).restored()
    driver.replaceEngine(engine)
    try checkpoint(at: reading)
  }
}

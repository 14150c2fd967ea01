import LocationCore
import LocationFormats

/// Who waits for what, as stored or about to be, with the lines of the events, so that handing one over reads nothing
/// back.
private struct StoredOutbox {
  private var waiting: [String: [Int: Bool]] = [:]
  /// By how many subscribers an event is waited for.
  private var counts: [Int: Int] = [:]
  private var lines: [Int: [UInt8]]
  /// Events whose lines may not be needed any more.
  private var loose: [Int] = []

  init(_ database: StateDatabase) throws(Failure) {
    lines = try database.waitingLines()
    for (name, entries) in try database.outbox() {
      for entry in entries {
        apply(.put(subscriber: name, event: entry.event, isHanded: entry.isHanded))
      }
    }
  }

  mutating func apply(_ change: OutboxChange) {
    switch change {
    case .put(let name, let event, let isHanded):
      if waiting[name, default: [:]].updateValue(isHanded, forKey: event) == nil {
        counts[event, default: 0] += 1
      }
    case .remove(let name, let event):
      if waiting[name]?.removeValue(forKey: event) != nil { release(event) }
    case .removeAll(let name):
      for event in (waiting.removeValue(forKey: name) ?? [:]).keys { release(event) }
    }
  }

  private mutating func release(_ event: Int) {
    counts[event, default: 1] -= 1
    if counts[event] == 0 { loose.append(event) }
  }

  /// Keeps the lines of new records. One that nobody waits for by now may still be handed over by an order of the same
  /// commit.
  mutating func keep(_ stored: StoredEvents) {
    stored.eachLine { id, line in
      lines[id] = Array(line)
      if counts[id, default: 0] == 0 { loose.append(id) }
    }
  }

  /// How many lines may not be needed any more.
  var looseCount: Int { loose.count }

  /// Forgets the first so many of these that nobody waits for: the effects of their commits have run.
  mutating func forgetLines(_ count: Int) {
    for event in loose.prefix(count) where counts[event, default: 0] == 0 {
      lines[event] = nil
      counts[event] = nil
    }
    loose.removeFirst(count)
  }

  func line(of event: Int) -> [UInt8] { lines[event] ?? [] }

  /// What it takes to become what these have.
  func changes(to views: [SubscriberView]) -> [OutboxChange] {
    var changes: [OutboxChange] = []
    var gone = Set(waiting.keys)
    for view in views {
      let name = view.subscriber.name
      gone.remove(name)
      var left = waiting[name] ?? [:]
      for entry in view.waiting where left.removeValue(forKey: entry.event) != entry.isHanded {
        changes.append(.put(subscriber: name, event: entry.event, isHanded: entry.isHanded))
      }
      for event in left.keys.sorted() { changes.append(.remove(subscriber: name, event: event)) }
    }
    for name in gone.sorted() { changes.append(.removeAll(subscriber: name)) }
    return changes
  }
}

/// Keeps events, records and who waits for what in the state file.
///
/// The engine handles an event at once; ``commit(_:at:)`` stores it in one transaction with what followed: the
/// journal's rows, the records, the outbox. Effects run after that.
///
/// While the disk accepts nothing, the engine goes on deciding. Its decisions wait in memory to be stored, and their
/// effects wait with them.
struct DatabaseJournal: EngineJournal, ~Copyable {
  private let database: StateDatabase
  private let place: StatePlace
  private var retention: Retention
  private var batch = StoreBatch()
  /// How many of the effects that wait are in the batch.
  private var notedEffects = 0
  private var encoder = RecordEncoder(format: .ndjson, track: nil)
  private var recording: JournalWriter?
  /// Why there is no recording any more.
  private var recordingFailure: Failure?
  private var bytes: [UInt8] = []
  private var outbox: StoredOutbox
  /// The id of the newest record, stored or about to be.
  private(set) var newestID: Int
  /// The id of the last record that was stored by us; 0 before there is one.
  private var storedID = 0
  /// Texts of regions that will be among the events that come.
  private var regionTexts: [String: String] = [:]
  private var news: [EventNews] = []
  private var rowsSinceSnapshot: Int
  /// The day to which energy was last booked.
  private var bookedDay: UTCTime?
  /// Transactions since the log was last written into the database.
  private var commitsInLog = 0
  /// Transactions since it was last looked how much room is left.
  private var commitsUnseen = 0
  /// Whether there was little.
  private var isRoomShort = true
  private var snapshotBytes: Int
  /// Why nothing can be stored now; nil where it can.
  private(set) var trouble: Failure?
  private(set) var retryAt: EngineInstant?
  private var retryWait = RetryWait(most: DaemonLimits.retrySeconds)

  /// - Parameters:
  ///   - newestID: the id of the newest record that is stored.
  ///   - rows: rows of the journal since the newest snapshot.
  init(
    _ database: StateDatabase, keeping retention: Retention, after newestID: Int, rows: Int,
    snapshotBytes: Int
  ) throws(Failure) {
    self.database = database
    place = StatePlace(database.path)
    self.retention = retention
    outbox = try StoredOutbox(database)
    self.newestID = newestID
    rowsSinceSnapshot = rows
    self.snapshotBytes = snapshotBytes
  }

  /// What was stored since it was last asked for, for those who follow.
  mutating func takeNews() -> [EventNews] {
    defer { news.removeAll() }
    return news
  }

  /// Rows that were not stored yet.
  var waitingRows: Int { batch.count }

  /// Rows that wait in memory because they could not be stored.
  var heldRows: Int { trouble == nil ? 0 : batch.count }

  // MARK: - What comes

  mutating func append(_ stamped: Stamped) throws(Failure) {
    bytes.removeAll(keepingCapacity: true)
    try JournalLine.append(stamped, to: &bytes)
    let line = String(decoding: bytes.dropLast(), as: UTF8.self)
    batch.journal.append(StoreBatch.JournalRow(at: stamped.at, line: line))
    rowsSinceSnapshot += 1
    record { (recording) throws(Failure) in try recording.append(stamped) }
    if case .source(let source) = stamped.event {
      do { batch.source = try ExactEncoder.tree(of: source).text } catch { batch.source = nil }
    } else if let (id, region) = stamped.event.changedRegion {
      let text = regionTexts.removeValue(forKey: id)
      if region == nil || text != nil { noteRegion(id, text) }
    }
  }

  /// Keeps the Feature of a region that is about to be added, so that snapshots can refer to it.
  mutating func offer(_ stored: StateDatabase.StoredRegion) {
    regionTexts[stored.region.id] = stored.geoJSON
  }

  /// Notes what the event of the last row did to a region.
  private mutating func noteRegion(_ id: String, _ geoJSON: String?) {
    batch.regions.append(.init(row: batch.journal.count - 1, id: id, geoJSON: geoJSON))
  }

  /// Marks what came as something that somebody is told of, so that a loss of power must not undo it.
  mutating func noteTold() { batch.isTold = true }

  /// Marks a row of requests as handled.
  mutating func noteRequest(_ number: Int) { batch.requests.append(number) }

  /// Marks a manifest as handled.
  mutating func noteApplied(_ name: String, _ manifest: String?) { batch.applied.append((name, manifest)) }

  /// Whether a manifest was marked, and that is not stored yet.
  func hasApplied(_ name: String) -> Bool { batch.applied.contains { $0.name == name } }

  // MARK: - Storing

  /// Stores what came and what followed.
  ///
  /// - Throws: ``Failure`` where the database is damaged or has lost its name, or more waits in memory than may.
  mutating func commit(
    _ effects: [Effect], at instant: EngineInstant
  ) throws(Failure) -> Bool {
    if let retryAt, instant < retryAt { return false }
    record { (recording) throws(Failure) in try recording.flush() }
    // The effects of earlier commits have run, unless some are still held.
    let spent = notedEffects == 0 ? outbox.looseCount : 0
    note(effects)
    outbox.forgetLines(spent)
    if !batch.isEmpty {
      try requireNames()
      do throws(Failure) {
        let stored = try database.store(batch)
        outbox.keep(stored)
        if let newest = batch.events.last?.id {
          news.append(
            EventNews(after: storedID, newest: newest, count: stored.count, lines: stored.lines))
          storedID = newest
        }
      } catch {
        try hold(after: error, at: instant)
        return false
      }
      commitsInLog += 1
      commitsUnseen += 1
    }
    batch.removeAll()
    notedEffects = 0
    trouble = nil
    retryAt = nil
    retryWait.reset()
    return true
  }

  /// Looks whether what is stored will be found: the state file and its log have their names still. If not, the log is
  /// written into the file, wherever that is now: one that has its place is not to be given the log of another.
  func requireNames() throws(Failure) {
    do throws(Failure) { try place.requireNames() } catch {
      database.emptyLog()
      throw error
    }
  }

  /// Has the next commit try to store what is held, whenever that would be due.
  mutating func retryAtOnce() { retryAt = nil }

  /// Adds the records among the effects to the batch, each once.
  private mutating func note(_ effects: [Effect]) {
    guard notedEffects < effects.count else { return }
    for effect in effects[notedEffects...] {
      switch effect {
      case .record(let record):
        // Ids rise; what was stored before a crash is not stored again.
        guard record.id > newestID, let line = encoder.encode(record) else { continue }
        newestID = record.id
        batch.events.append(StoreBatch.EventRow(record, line))
        batch.isTold = true
      case .perform: batch.isTold = true
      case .outbox(let change):
        batch.outbox.append(change)
        outbox.apply(change)
      case .receive: break
      }
    }
    notedEffects = effects.count
  }

  /// Keeps in memory what could not be stored, to try again.
  private mutating func hold(after failure: Failure, at instant: EngineInstant) throws(Failure) {
    guard failure.code != .data, failure.code != .software, batch.count < DaemonLimits.heldRows else {
      throw failure
    }
    // That may be all the room there is.
    database.emptyLog()
    trouble = failure
    retryAt = instant.advanced(bySeconds: retryWait.seconds)
    retryWait.double()
  }

  /// Stores at once what an engine of another build finds to have happened, and who waits for what.
  static func settle(
    _ engine: borrowing Engine, _ untold: [StoreBatch.EventRow], in database: StateDatabase
  ) throws(Failure) {
    var batch = StoreBatch()
    batch.events = untold
    batch.outbox = try StoredOutbox(database).changes(to: engine.subscribers)
    batch.isTold = true
    _ = try database.store(batch)
  }

  /// Brings the stored outbox to what the engine has, in the next commit. They differ only where somebody has changed
  /// the state file by hand.
  mutating func alignOutbox(with engine: borrowing Engine) {
    for change in outbox.changes(to: engine.subscribers) {
      batch.outbox.append(change)
      outbox.apply(change)
    }
  }

  func line(of event: Int) -> [UInt8] { outbox.line(of: event) }

  /// Does what takes long and nobody waits for, where it is due: after what was stored is told.
  mutating func tidy(_ engine: borrowing Engine, at reading: ClockReading) {
    guard batch.isEmpty else { return }
    if bookedDay != reading.dating.startOfDay { try? bookEnergy(of: engine, at: reading) }
    if rowsSinceSnapshot >= snapshotRows {
      try? checkpoint(engine, at: reading)
      commitsUnseen = DaemonLimits.commitsUnseen
    }
    if commitsUnseen >= (isRoomShort ? 1 : DaemonLimits.commitsUnseen) {
      commitsUnseen = 0
      isRoomShort = database.emptyLogBeforeRoomEnds()
    }
    guard commitsInLog >= DaemonLimits.commitsInLog else { return }
    commitsInLog = 0
    database.checkpointLog()
  }

  // MARK: - Snapshots

  /// So many rows of the journal are replayed at a start at most: as many as are written in less time than the
  /// snapshot takes, where that is large.
  private var snapshotRows: Int { max(DaemonLimits.snapshotRows, snapshotBytes / DaemonLimits.snapshotShare) }

  /// Stores a snapshot, discards what is too old, gives room back, and books the energy. While rows wait it does nothing: a snapshot
  /// stands for the rows that are stored.
  mutating func checkpoint(_ engine: borrowing Engine, at reading: ClockReading) throws(Failure) {
    guard batch.isEmpty else { return }
    try bookEnergy(of: engine, at: reading)
    try storeSnapshot(of: engine, at: reading)
  }

  /// Stores a snapshot of an engine that takes another's place: with the same past, and other settings. What is booked is
  /// priced as it does.
  mutating func checkpoint(
    _ engine: borrowing Engine, as changed: borrowing Engine, at reading: ClockReading
  ) throws(Failure) {
    guard batch.isEmpty else { return }
    try bookEnergy(of: engine, at: reading)
    try storeSnapshot(of: changed, at: reading, insteadOf: engine.ledger.settled(at: engine.instant).entries)
  }

  private mutating func storeSnapshot(
    of engine: borrowing Engine, at reading: ClockReading, insteadOf old: [PowerLedger.Entry]? = nil
  ) throws(Failure) {
    snapshotBytes = try database.store(
      snapshotOf: engine, at: engine.instant, keeping: retention, utc: reading.dating, insteadOf: old)
    rowsSinceSnapshot = 0
    database.shrink()
  }

  /// Books what was spent until now: what came before midnight to the days before.
  mutating func bookEnergy(of engine: borrowing Engine, at reading: ClockReading) throws(Failure) {
    let today = reading.dating.startOfDay
    var day = bookedDay ?? today
    if bookedDay == nil, let last = try database.lastEnergyDay() { day = last }
    // After longer a clock was set.
    if day > today || day.seconds(to: today) > Self.longestSeconds { day = today }
    while day < today {
      let midnight = day.advanced(bySeconds: UTCTime.daySeconds)
      let end = reading.instant.advanced(bySeconds: -midnight.seconds(to: reading.dating))
      try database.book(engine.ledger.settled(at: min(end, engine.instant)).entries, on: day)
      day = midnight
    }
    try database.book(engine.ledger.settled(at: engine.instant).entries, on: today)
    bookedDay = today
  }

  private static let longestSeconds = 31 * UTCTime.daySeconds

  /// Keeps more or less of the past from now on.
  mutating func keep(
    _ retention: Retention, of engine: borrowing Engine, at reading: ClockReading
  ) throws(Failure) {
    guard retention != self.retention else { return }
    self.retention = retention
    try checkpoint(engine, at: reading)
  }

  // MARK: - Recording

  /// Records from here on what reaches the engine.
  ///
  /// - Parameter isNew: whether the engine has seen nothing.
  mutating func record(_ engine: borrowing Engine, isNew: Bool, to path: String) throws(Failure) {
    recording = try JournalWriter(
      path: path, configuration: engine.configuration,
      snapshot: isNew && engine.regionCount == 0 ? nil : engine.snapshot)
  }

  /// Whether what reaches the engine is recorded.
  var isRecording: Bool { recording != nil }

  /// Why the recording has ended, told once; nil where it goes on or there is none.
  mutating func takeRecordingFailure() -> Failure? {
    defer { recordingFailure = nil }
    return recordingFailure
  }

  /// Writes to the recording; one that can't be written ends, because the daemon must not end with it.
  private mutating func record(_ body: (JournalWriter) throws(Failure) -> Void) {
    guard let recording else { return }
    do throws(Failure) { try body(recording) } catch {
      recordingFailure = error
      self.recording = nil
    }
  }
}

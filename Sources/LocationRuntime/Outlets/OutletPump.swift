import LocationCore
import LocationFormats

/// Feeds one outlet from the event log: durable cursor, at-least-once delivery, back-off, and a bound on what waits.
struct OutletPump {
  /// Numbers of an outlet.
  struct Limits {
    /// Events that it wants and that may wait. Of more, the oldest are skipped.
    var waitingEvents = 10_000
    /// Events that are offered at once.
    var offeredEvents = 100
    /// The wait after the first failure, seconds; doubled after each further one.
    var retrySeconds = 1.0
    /// The longest of these waits, seconds.
    var longestRetrySeconds = 300.0
    /// The waits after the first, second and further counted failures, seconds, in place of the doubled ones. After
    /// the last of them the outlet is disabled. Empty: it is tried for ever.
    var retrySteps: [Double] = []
    /// After so many seconds without an answer it has failed: longer than any time-out of an outlet's own.
    var stallSeconds = 120.0
    /// After so many seconds it is tried again to store how far it has come.
    var storeSeconds = 10.0
    /// After so many seconds without an event it may rest; nil: never.
    var restSeconds: Double? = 60
  }

  var outlet: any Outlet
  private let database: StateDatabase
  private let limits: Limits
  /// The id of the last event that is done with.
  private(set) var cursor: Int
  /// The same as the state file has it.
  private var storedCursor: Int
  /// When it is tried again to store that; nil where nothing failed.
  private var storeAt: EngineInstant?
  /// The last id of the events that the outlet is sending; nil while it sends none.
  private var sending: Int?
  private(set) var retryAt: EngineInstant?
  /// When it has failed, unless it answers before; nil while it sends nothing.
  private var stallAt: EngineInstant?
  /// When it may rest; nil where it rests, sends or has failed.
  private var restAt: EngineInstant?
  /// Counted failures since it last accepted something.
  private(set) var failures: Int
  /// Whether the next failure is not counted, because a start made the attempt before it was due.
  private var isEarly: Bool
  /// Since when it is connected; nil where it has failed since.
  private var connectedAt: EngineInstant?
  /// Failures in a row that did not count.
  private var uncounted = 0
  /// Whether it fails: also where a daemon before noted that.
  private var isTroubled: Bool
  /// Whether the state file says so.
  private var isStoredTroubled: Bool
  /// Whether the outlet failed with events that it had been offered and had not accepted. Only accepted events clear
  /// that, and no connection: some peers take each connection and no event.
  private var hasRefused = false
  /// The reasons of its failures that the log has.
  private var told: Set<String> = []
  /// The most reasons that the log is told.
  private static let mostTold = 5
  private(set) var isDisabled: Bool
  /// The newest id when the bound was last looked at.
  private var boundedAt = 0

  /// An outlet that is new begins with the events that come from now on.
  init(_ outlet: any Outlet, _ database: StateDatabase, limits: Limits? = nil) throws(Failure) {
    self.outlet = outlet
    self.database = database
    self.limits = limits ?? outlet.limits
    if let stored = try database.outletProgress(outlet.name) {
      cursor = stored.cursor
      failures = stored.attempts
      isDisabled = stored.isDisabled
      isEarly = stored.attempts > 0
      isTroubled = stored.isTroubled
      storedCursor = cursor
      isStoredTroubled = isTroubled
    } else {
      cursor = try database.lastEventID()
      failures = 0
      isDisabled = false
      isEarly = false
      isTroubled = false
      storedCursor = cursor
      isStoredTroubled = false
      try database.setOutletCursor(outlet.name, cursor)
    }
  }

  /// When there is something to do even if nothing comes.
  var nextDeadline: EngineInstant? { [retryAt ?? stallAt ?? restAt, storeAt].compactMap { $0 }.min() }

  /// Whether the outlet is to be given the regions.
  func wantsScene(at instant: EngineInstant) -> Bool {
    !isDisabled && !(retryAt.map { instant < $0 } ?? false) && outlet.wantsScene
  }

  /// Hands on what is there, as far as the outlet takes it. Whatever fails is tried again, also where it is the
  /// database: the daemon goes on while the disk is full.
  ///
  /// - Parameter newest: the id of the newest event, where it is known: then nothing is read where nothing is new.
  /// - Returns: what is worth a line in the log.
  mutating func pump(at instant: EngineInstant, newest: Int? = nil) -> [String] {
    var notes: [String] = []
    store(at: instant)
    do throws(OutletFailure) {
      if isDisabled || retryAt.map({ instant < $0 }) ?? false {
        // What it has ended would wake us again and again until then.
        outlet.reap()
        // What waits is bounded all the same.
        if let note = skip(newest) { notes.append(note) }
        return notes
      }
      retryAt = nil
      try outlet.tend()
      if sending == nil, outlet.hasLeft() {
        outlet.rest(isFailure: false)
        restAt = nil
      }
      if outlet.takeConnection(), let note = noteConnection(at: instant) { notes.append(note) }
      repeat {
        if sending == nil, let note = skip(newest) { notes.append(note) }
      } while try step(newest, at: instant)
      if let note = takeRecovery() { notes.append(note) }
      if let stallAt, stallAt <= instant {
        throw OutletFailure("no answer for \(Int(limits.stallSeconds)) s")
      }
      if let restAt, restAt <= instant {
        outlet.rest(isFailure: false)
        self.restAt = nil
      }
    } catch {
      notes += fail(error, at: instant)
    }
    return notes
  }

  private mutating func fail(_ failure: OutletFailure, at instant: EngineInstant) -> [String] {
    if sending != nil { hasRefused = true }
    sending = nil
    stallAt = nil
    restAt = nil
    outlet.rest(isFailure: true)
    // A peer that ends each connection at once never keeps one for so long.
    if let connectedAt, connectedAt.seconds(to: instant) >= limits.longestRetrySeconds {
      failures = 0
      uncounted = 0
      isEarly = false
    }
    connectedAt = nil
    if !failure.isCounted { uncounted += 1 } else if !isEarly { failures += 1 }
    isEarly = false
    let steps = limits.retrySteps
    isDisabled = failure.isFinal || failure.isCounted && !steps.isEmpty && failures > steps.count
    var wait = limits.retrySeconds.doubled(failures + uncounted - 1, atMost: limits.longestRetrySeconds)
    if failure.isCounted, !steps.isEmpty, !isDisabled { wait = steps[failures - 1] }
    retryAt = isDisabled ? nil : instant.advanced(bySeconds: max(wait, failure.waitSeconds ?? 0))
    isTroubled = true
    isStoredTroubled = true
    // Where the disk is full this is only not told.
    try? database.setOutletTrouble(
      outlet.name, attempts: failures, reason: failure.reason, isDisabled: isDisabled)
    if isDisabled {
      return [
        "outlet \(outlet.name): \(failure.reason); it is disabled until locwatch outlets enable \(CommandText.word(outlet.name))"
      ]
    }
    guard told.count < Self.mostTold, told.insert(failure.reason).inserted else { return [] }
    return ["outlet \(outlet.name): \(failure.reason); it is tried again"]
  }

  /// Offers the next events, or notes which were accepted; whether there may be more to do.
  private mutating func step(_ newest: Int?, at instant: EngineInstant) throws(OutletFailure) -> Bool {
    if let last = sending {
      guard let accepted = try outlet.accepted() else { return false }
      noteSuccess()
      move(to: min(accepted, last), at: instant)
      sending = accepted < last ? last : nil
      stallAt = sending == nil ? nil : instant.advanced(bySeconds: limits.stallSeconds)
      restAt = sending == nil ? limits.restSeconds.map { instant.advanced(bySeconds: $0) } : nil
      return true
    }
    if let newest, cursor >= newest { return false }
    let events = try nextEvents()
    guard let last = events.last?.id else { return false }
    let wanted = events.filter(outlet.filter.passes)
    guard let lastWanted = wanted.last?.id else {
      move(to: last, at: instant)
      return true
    }
    try outlet.offer(wanted)
    sending = lastWanted
    stallAt = instant.advanced(bySeconds: limits.stallSeconds)
    restAt = nil
    return true
  }

  /// Notes that it is connected, even if nothing was sent yet. Unless that lasts, the wait after the next failure is as
  /// long as if it had not connected. Returns a line for the log where a failure was told there.
  private mutating func noteConnection(at instant: EngineInstant) -> String? {
    connectedAt = instant
    guard !hasRefused else { return nil }
    isTroubled = false
    store(at: instant)
    guard !told.isEmpty else { return nil }
    told = []
    return "outlet \(outlet.name): it is connected again"
  }

  /// Forgets what failed before.
  private mutating func noteSuccess() {
    failures = 0
    uncounted = 0
    isEarly = false
    isTroubled = false
    hasRefused = false
  }

  /// A line for the log where it accepts events again, once.
  private mutating func takeRecovery() -> String? {
    guard !told.isEmpty, failures + uncounted == 0 else { return nil }
    told = []
    return "outlet \(outlet.name): events are accepted again"
  }

  private mutating func move(to id: Int, at instant: EngineInstant) {
    cursor = id
    store(at: instant)
  }

  /// Stores how far it has come, and that it fails no more. Where the disk takes nothing that is done later: what was
  /// accepted is not sent again for it.
  private mutating func store(at instant: EngineInstant) {
    if let storeAt, instant < storeAt { return }
    do throws(Failure) {
      if storedCursor != cursor {
        try database.setOutletCursor(outlet.name, cursor)
        storedCursor = cursor
      }
      if isStoredTroubled, !isTroubled {
        try database.setOutletTrouble(outlet.name, attempts: 0, reason: nil, isDisabled: false)
        isStoredTroubled = false
      }
      storeAt = nil
    } catch {
      storeAt = instant.advanced(bySeconds: limits.storeSeconds)
    }
  }

  /// Skips the oldest events where more wait than may; a line for the log.
  private mutating func skip(_ newest: Int?) -> String? {
    if let newest {
      // Ids grow faster than events, and to count those takes a while.
      guard newest - cursor > limits.waitingEvents, newest - boundedAt >= Self.boundedIDs else { return nil }
      boundedAt = newest
    }
    // Where the disk takes nothing there is another time.
    guard storedCursor == cursor,
      let skipped = try? database.skipEvents(of: outlet.name, keeping: limits.waitingEvents)
    else { return nil }
    cursor = skipped.cursor
    storedCursor = cursor
    return "outlet \(outlet.name): \(skipped.count) events were skipped, "
      + "because more than \(limits.waitingEvents) waited"
  }

  /// Ids after which the bound is looked at again.
  private static let boundedIDs = 1_000

  /// What comes after the cursor.
  private func nextEvents() throws(OutletFailure) -> [LoggedEvent] {
    do throws(Failure) {
      return try database.loggedEvents(after: cursor, limit: limits.offeredEvents)
    } catch {
      var failure = OutletFailure(error)
      // Nobody was asked.
      failure.isCounted = false
      throw failure
    }
  }

  /// Gives the outlet nothing more. What it is sending now it may still accept: ``settle(at:)``.
  mutating func beginStop() { outlet.close() }

  /// Notes what was accepted since.
  mutating func settle(at instant: EngineInstant) {
    do throws(OutletFailure) {
      while sending != nil, try step(nil, at: instant) {}
    } catch {
      // It has ended, or failed: the next daemon goes on from here.
      sending = nil
    }
  }

  /// Whether nothing is on its way any more.
  var hasSettled: Bool { sending == nil }

  /// Ends what it does; what it has not accepted waits in the log.
  mutating func stop() {
    outlet.rest(isFailure: false)
    sending = nil
    stallAt = nil
    restAt = nil
  }
}

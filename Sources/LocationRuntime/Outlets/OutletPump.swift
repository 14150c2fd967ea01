import LocationCore
import LocationFormats

/// Feeds one outlet from the event log: durable cursor, at-least-once delivery, back-off, and a bound on what waits.
struct OutletPump {
  /// Numbers of an outlet.
  struct Limits {
    /// Events that may wait. Of more, the oldest are skipped.
    var waitingEvents = 10_000
    /// Events that are offered at once.
    var offeredEvents = 100
    /// The wait after the first failure, seconds; doubled after each further one.
    var retrySeconds = 1.0
    /// The longest of these waits, seconds.
    var longestRetrySeconds = 300.0
  }

  private(set) var outlet: any Outlet
  private let database: StateDatabase
  private let limits: Limits
  /// The id of the last event that is done with.
  private(set) var cursor: Int
  /// The last id of the events that the outlet is sending; nil while it sends none.
  private var sending: Int?
  private(set) var retryAt: EngineInstant?
  private var failures = 0

  /// An outlet that is new begins with the events that come from now on.
  init(_ outlet: any Outlet, _ database: StateDatabase, limits: Limits = Limits()) throws(Failure) {
    self.outlet = outlet
    self.database = database
    self.limits = limits
    if let stored = try database.outletCursor(outlet.name) {
      cursor = stored
    } else {
      cursor = try database.lastEventID()
      try database.setOutletCursor(outlet.name, cursor)
    }
  }

  /// What `poll` is to wait for; -1 where there is nothing to wait for.
  var readable: Int32 { sending == nil ? -1 : outlet.readable }

  /// Hands on what is there, as far as the outlet takes it. Whatever fails is tried again, also where it is the
  /// database: the daemon goes on while the disk is full.
  ///
  /// - Returns: what is worth a line in the log.
  mutating func pump(at instant: EngineInstant) -> [String] {
    if let retryAt, instant < retryAt { return [] }
    retryAt = nil
    var notes: [String] = []
    do throws(Failure) {
      if sending == nil, let note = try skip() { notes.append(note) }
      while try step() {}
      guard failures > 0, sending == nil else { return notes }
      failures = 0
      notes.append("outlet \(outlet.name): events are accepted again")
    } catch {
      sending = nil
      let wait = limits.retrySeconds * Double(1 << min(failures, 20))
      retryAt = instant.advanced(bySeconds: min(wait, limits.longestRetrySeconds))
      if failures == 0 { notes.append("outlet \(outlet.name): \(error); it is tried again") }
      failures += 1
    }
    return notes
  }

  /// Offers the next events, or notes which were accepted; whether there may be more to do.
  private mutating func step() throws(Failure) -> Bool {
    if let last = sending {
      guard let accepted = try outlet.accepted() else { return false }
      sending = nil
      try move(to: min(accepted, last))
      return true
    }
    let events = try database.loggedEvents(after: cursor, limit: limits.offeredEvents)
    guard let last = events.last?.id else { return false }
    let wanted = events.filter(outlet.filter.passes)
    guard let lastWanted = wanted.last?.id else {
      try move(to: last)
      return true
    }
    try outlet.offer(wanted)
    sending = lastWanted
    return true
  }

  private mutating func move(to id: Int) throws(Failure) {
    try database.setOutletCursor(outlet.name, id)
    cursor = id
  }

  /// Skips the oldest events where more wait than may; a line for the log.
  private mutating func skip() throws(Failure) -> String? {
    guard let skipped = try database.skipEvents(of: outlet.name, keeping: limits.waitingEvents) else {
      return nil
    }
    cursor = skipped.cursor
    return "outlet \(outlet.name): \(skipped.count) events were skipped, "
      + "because more than \(limits.waitingEvents) waited"
  }
}

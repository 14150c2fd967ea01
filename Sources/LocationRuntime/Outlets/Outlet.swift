package import LocationCore
import LocationFormats

/// A consumer of the event log: a webhook (also ntfy, Gotify), MQTT.
///
/// ``OutletPump`` offers it the events after its cursor, oldest first, and moves the cursor only when the outlet has
/// accepted them. So each event is handed on at least once, also across a crash. An outlet never waits: it begins to
/// send in ``offer(_:)`` and says in ``accepted()`` how far it has come.
protocol Outlet {
  /// Names its cursor in the state file, so it must not change.
  var name: String { get }
  /// Which events it wants.
  var filter: EventFilter { get }
  /// When it is tried again, and how much may wait for it.
  var limits: OutletPump.Limits { get }
  /// What `poll` is to wait for; -1 where there is nothing to wait for.
  var readable: Int32 { get }
  /// What `poll` is to wait for until it can be written; -1 where there is nothing to write.
  var writable: Int32 { get }
  /// Begins to send events. It is offered no more before it has accepted them or failed.
  mutating func offer(_ events: [LoggedEvent]) throws(OutletFailure)
  /// The id of the last event that was accepted since it was last asked; nil for none.
  ///
  /// - Throws: why it failed. What was not accepted is offered again, later.
  mutating func accepted() throws(OutletFailure) -> Int?
  /// Takes no more events, because the daemon ends. It may still accept what it is sending.
  mutating func close()
  /// Whether nothing is left of what it did before it rested.
  var hasEnded: Bool { get }
  /// Whether what works for it has ended by itself, or will not answer any more. It is asked only while it sends nothing.
  mutating func hasLeft() -> Bool
  /// Forgets what has ended since it rested, so that ``readable`` tells of it no more.
  mutating func reap()
  /// Gives up what it does: it failed, or nothing came for a while.
  mutating func rest(isFailure: Bool)

  // What one does beside events while it stays connected, as MQTT does.

  /// Looks after what goes on beside events: a connection that is kept open.
  ///
  /// - Throws: why it failed.
  mutating func tend() throws(OutletFailure)
  /// Whether it has reached the other side anew since it was last asked.
  mutating func takeConnection() -> Bool
  /// Whether it is to be given the regions before it is tended: it tells others of them, and is about to connect, or
  /// the regions, or those in which the device is, were changed.
  var wantsScene: Bool { get }
  /// The regions, or those in which the device is, were changed.
  mutating func noteRegions()
  /// Takes the regions as they are.
  mutating func take(_ scene: OwnTracksOutlet.Scene)
  /// Whether others have asked something of the daemon through it.
  var hasRequests: Bool { get }
  /// What others ask of the daemon through it, and notes for the log, since it was last asked.
  mutating func takeRequests() -> [OutletRequest]
  /// A push was taken: the other side forgets it once it is stored.
  mutating func noteTaken(_ number: Int)
  /// All that was taken is on disk, which the other side is told.
  mutating func noteStored()
  /// Says something to the other side that is no event; it is lost where there is no connection.
  mutating func say(_ line: JSONTree)
}

/// Why an outlet does not take events.
struct OutletFailure: Error {
  /// For people.
  var reason: String
  /// How long the other side asks to be left alone, seconds; nil where it does not say.
  var waitSeconds: Double?
  /// Whether it counts as an attempt: without a network, or without the secrets, there was none.
  var isCounted = true
  /// Whether the other side wants no more events at all.
  var isFinal = false

  init(_ reason: String) { self.reason = reason }
  init(_ failure: Failure) { reason = "\(failure)" }
}

/// An event as the log has it.
package struct LoggedEvent: Hashable, Sendable {
  var id: Int
  var type: String
  /// The region it is about; nil where it is about none.
  var region: String?
  /// Its whole line without its end, as `locwatch events` prints it.
  var line: String

  /// An event, from its line.
  package init(id: Int, type: String, region: String?, line: String) {
    self.id = id
    self.type = type
    self.region = region
    self.line = line
  }
}

/// Which events an outlet or a client on D-Bus wants.
package struct EventFilter: Hashable, Sendable {
  /// Types of records, as in the records; nil for all.
  package var types: Set<String>?
  /// Ids of regions: only events about one of these; nil for all events, also those about no region.
  package var regions: Set<String>?
  /// What those were called in earlier events.
  var formerRegions: [FormerRegion] = []

  /// A filter. What is nil passes everything.
  package init(
    types: Set<String>? = nil, regions: Set<String>? = nil, formerRegions: [FormerRegion] = []
  ) {
    self.types = types
    self.regions = regions
    self.formerRegions = formerRegions
  }

  /// Whether it passes an event.
  package func passes(_ event: LoggedEvent) -> Bool {
    if let types, !types.contains(event.type) { return false }
    guard let regions else { return true }
    guard let region = event.region else { return false }
    return regions.contains(region)
      || formerRegions.contains { $0.covers(event.id, region: region) }
  }
}

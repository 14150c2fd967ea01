import LocationCore
import LocationFormats

/// A consumer of the event log: a webhook, MQTT, a notification.
///
/// ``OutletPump`` offers it the events after its cursor, oldest first, and moves the cursor only when the outlet has
/// accepted them. So each event is handed on at least once, also across a crash. An outlet never waits: it begins to
/// send in ``offer(_:)`` and says in ``accepted()`` how far it has come.
protocol Outlet {
  /// Names its cursor in the state file, so it must not change.
  var name: String { get }
  /// Which events it wants.
  var filter: EventFilter { get }
  /// What `poll` is to wait for while it sends; -1 where there is nothing to wait for.
  var readable: Int32 { get }
  /// Begins to send events. It is offered no more before it has accepted them or failed.
  mutating func offer(_ events: [LoggedEvent]) throws(Failure)
  /// The id of the last event that was accepted; nil while it still sends.
  ///
  /// - Throws: why it failed. The events are offered again, later.
  mutating func accepted() throws(Failure) -> Int?
}

extension Outlet {
  var readable: Int32 { -1 }
}

/// An event as the log has it.
struct LoggedEvent: Hashable, Sendable {
  var id: Int
  var type: String
  /// The region it is about; nil where it is about none.
  var region: String?
  /// Its whole line without its end, as `locwatch events` prints it.
  var line: String
}

/// Which events an outlet wants.
struct EventFilter: Hashable, Sendable {
  /// Types of records, as in the records; nil for all.
  var types: Set<String>?
  /// Ids of regions: only events about one of these; nil for all events, also those about no region.
  var regions: Set<String>?

  func passes(_ event: LoggedEvent) -> Bool {
    if let types, !types.contains(event.type) { return false }
    guard let regions else { return true }
    return event.region.map(regions.contains) ?? false
  }
}

import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The outlets of a daemon, fed one after the other from its loop.
struct OutletSet {
  private var pumps: [OutletPump] = []

  /// Forgets the cursors of outlets that are not there any more: for those no event is kept.
  init(_ outlets: [any Outlet], _ database: StateDatabase) throws(Failure) {
    try database.forgetOutlets(except: outlets.map(\.name))
    for outlet in outlets { pumps.append(try OutletPump(outlet, database)) }
  }

  /// When one is tried again.
  var nextDeadline: EngineInstant? { pumps.compactMap(\.retryAt).min() }

  /// Adds what `poll` is to wait for.
  func watch(_ entries: inout [pollfd]) {
    for pump in pumps {
      entries.append(pollfd(fd: pump.readable, events: Int16(POLLIN), revents: 0))
    }
  }

  /// Hands on what is new; what is worth a line in the log.
  mutating func pump(at instant: EngineInstant) -> [String] {
    var notes: [String] = []
    for index in pumps.indices { notes += pumps[index].pump(at: instant) }
    return notes
  }
}

import Glibc
import LocationCore
import LocationFormats

/// The outlets of a daemon, fed one after the other from its loop.
struct OutletSet {
  private var pumps: [OutletPump] = []
  /// Those that were removed or replaced, until their processes have ended.
  private var retired: [any Outlet] = []
  /// As they were when their pumps were made.
  private var settings: [String: OutletSettings] = [:]
  /// The regions as they were last given to those that tell others of them.
  private(set) var places: [OwnTracksOutlet.Place] = []
  /// Those that are for too many regions to tell others of.
  private var crowded: Set<String> = []

  /// The outlets of the state file.
  ///
  /// - Parameter environment: of the programs that speak to the other sides.
  init(_ database: StateDatabase, environment: [String]) throws(Failure) {
    try apply(database, environment: environment)
  }

  /// Brings the outlets up to what the state file has.
  ///
  /// - Parameter names: those that begin anew even if nothing was changed, as after `locwatch outlets enable`.
  mutating func apply(
    _ database: StateDatabase, environment: [String], anew names: [String] = []
  ) throws(Failure) {
    let stored = try database.outletSettings()
    let kept = Set(stored.filter { settings[$0.name] == $0 && !names.contains($0.name) }.map(\.name))
    var next: [OutletPump] = []
    for outlet in stored {
      if kept.contains(outlet.name), let pump = pumps.first(where: { $0.outlet.name == outlet.name }) {
        next.append(pump)
      } else {
        next.append(try OutletPump(OutletProcess(outlet, environment: environment), database))
      }
    }
    for index in pumps.indices where !kept.contains(pumps[index].outlet.name) {
      pumps[index].stop()
      retired.append(pumps[index].outlet)
    }
    // No event is kept for those.
    try database.forgetOutlets(except: stored.map(\.name))
    pumps = next
    settings = stored.reduce(into: [:]) { $0[$1.name] = $1 }
  }

  /// The regions, or those in which the device is, were changed: those that tell others of them are to be given them.
  mutating func noteRegions() { for index in pumps.indices { pumps[index].outlet.noteRegions() } }

  /// Whether one is to be given the regions.
  func wantsScene(at instant: EngineInstant) -> Bool { pumps.contains { $0.wantsScene(at: instant) } }

  /// The regions that are named to those that tell others of regions.
  var namedRegions: Set<String> {
    Set(settings.values.filter(\.kind.staysConnected).flatMap { $0.regions ?? [] })
  }

  /// Gives those the regions as they are; what is worth a line in the log.
  mutating func take(_ scene: OwnTracksOutlet.Scene, at instant: EngineInstant) -> [String] {
    places = scene.places
    var notes: [String] = []
    for index in pumps.indices where pumps[index].wantsScene(at: instant) {
      pumps[index].outlet.take(scene)
      let name = pumps[index].outlet.name
      guard let count = settings[name].flatMap({ scene.excess(for: $0) }) else {
        crowded.remove(name)
        continue
      }
      guard crowded.insert(name).inserted else { continue }
      notes.append("outlet \(name): \(OwnTracksOutlet.text(ofExcess: count))")
    }
    return notes
  }

  /// When one is tried again, or may rest.
  var nextDeadline: EngineInstant? { pumps.compactMap(\.nextDeadline).min() }

  /// Changes when one comes on, or fails.
  var marks: [Int] { pumps.flatMap { [$0.cursor, $0.failures] } }

  /// Adds what is waited for.
  ///
  /// - Parameter unsettled: whether only those count that have something on its way.
  func watch(_ polled: inout PollSet, unsettled: Bool = false) {
    for pump in pumps where !unsettled || !pump.hasSettled {
      polled.watch(pump.outlet.readable)
      polled.watch(pump.outlet.writable, for: POLLOUT)
    }
  }

  /// Whether others have asked something of the daemon.
  var hasRequests: Bool { pumps.contains { $0.outlet.hasRequests } }

  /// What others ask of the daemon, and through which outlet.
  mutating func takeRequests() -> [(outlet: String, request: OutletRequest)] {
    var all: [(outlet: String, request: OutletRequest)] = []
    for index in pumps.indices {
      let name = pumps[index].outlet.name
      for request in pumps[index].outlet.takeRequests() { all.append((name, request)) }
    }
    return all
  }

  /// A push that came through an outlet was taken.
  mutating func noteTaken(_ number: Int, through name: String) {
    for index in pumps.indices where pumps[index].outlet.name == name {
      pumps[index].outlet.noteTaken(number)
    }
  }

  /// All that was taken is on disk.
  mutating func noteStored() { for index in pumps.indices { pumps[index].outlet.noteStored() } }

  /// Says something to the other side of an outlet that is no event.
  mutating func say(_ line: JSONTree, through name: String) {
    for index in pumps.indices where pumps[index].outlet.name == name { pumps[index].outlet.say(line) }
  }

  /// Gives the outlets nothing more; what they are sending now they may still accept.
  mutating func beginStop() { for index in pumps.indices { pumps[index].beginStop() } }

  /// Notes what was accepted since.
  mutating func settle(at instant: EngineInstant) {
    for index in pumps.indices { pumps[index].settle(at: instant) }
  }

  /// Whether nothing is on its way any more.
  var hasSettled: Bool { pumps.allSatisfy(\.hasSettled) }

  /// Hands on what is new; what is worth a line in the log.
  ///
  /// - Parameter newest: the id of the newest event, where it is known.
  mutating func pump(at instant: EngineInstant, newest: Int? = nil) -> [String] {
    retired.removeAll { $0.hasEnded }
    var notes: [String] = []
    for index in pumps.indices { notes += pumps[index].pump(at: instant, newest: newest) }
    return notes
  }
}

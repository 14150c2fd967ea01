import LocationFormats

/// What an outlet does beside events while it stays connected, as MQTT does. Others leave all of it out.
protocol OutletConversation {
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

extension OutletConversation {
  mutating func tend() throws(OutletFailure) {}
  mutating func takeConnection() -> Bool { false }
  var wantsScene: Bool { false }
  mutating func noteRegions() {}
  mutating func take(_ scene: OwnTracksOutlet.Scene) {}
  var hasRequests: Bool { false }
  mutating func takeRequests() -> [OutletRequest] { [] }
  mutating func noteTaken(_ number: Int) {}
  mutating func noteStored() {}
  mutating func say(_ line: JSONTree) {}
}

/// What comes in through an outlet.
enum OutletRequest: Hashable, Sendable {
  /// A command of OwnTracks.
  case command(JSONTree)
  /// A push for a subscriber, and the number by which the other side is told that it was taken.
  case push(JSONTree, number: Int)
  /// Something for the log.
  case note(String)
}

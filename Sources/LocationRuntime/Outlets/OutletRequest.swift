import LocationFormats

/// What comes in through an outlet.
enum OutletRequest: Hashable, Sendable {
  /// A command of OwnTracks.
  case command(JSONTree)
  /// A push for a subscriber, and the number by which the other side is told that it was taken.
  case push(JSONTree, number: Int)
  /// Something for the log.
  case note(String)
}

/// Something that a visit has to tell.
public struct VisitEvent: Hashable, Sendable, Codable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The position has been at a place for so long that it may become a visit.
    case provisional
    /// It is at a place.
    case arrive
    /// It has left the place, or the visit is closed without anybody knowing when it did.
    case depart
  }

  /// What made it so. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Fixes at the place over the time it takes.
    case stayed
    /// Fixes at the place, and then no more.
    case silence
    /// Away for a moment only: the visit before goes on.
    case returned
    /// Fixes outside.
    case left
    /// Fixes outside after a silence, so near that the place has just been left.
    case near
    /// Fixes far outside after a silence, so that nobody can say when the place was left.
    case gap
    /// The stream is over and the position still at the place.
    case end
  }

  /// What happened.
  public var kind: Kind
  /// Counts visits from 1; the same for all events of one visit.
  public var visit: Int
  /// When: of the fix that decided, or of the deadline.
  public var instant: EngineInstant
  /// The middle of the place.
  public var coordinate: Coordinate
  /// Metres from it within which the fixes of the visit lie, all but a few: twice their root mean square.
  public var radiusMeters: Double
  /// UTC of the first fix at the place.
  public var arrived: UTCTime
  /// UTC at which the place was left; nil while it is not, and where nobody can say.
  public var departed: UTCTime?
  /// UTC of the last fix at the place.
  public var seen: UTCTime
  /// What made it so.
  public var reason: Reason
}

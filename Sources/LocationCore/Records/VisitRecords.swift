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

extension VisitEvent: RecordFamily {
  package static let types = ["visit.arrive", "visit.depart", "visit.provisional"]

  package var type: String { "visit." + kind.rawValue }

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.count(
      "visit", visit,
      "counts visits from 1; the same for arrival and departure. A return within five minutes continues the previous visit"
    )
    visitor.position(coordinate, "the middle of the place")
    visitor.number(
      "radius_m", radiusMeters, .meters, "how far its fixes lie from there: twice their root mean square",
      column: .accuracy)
    visitor.time("arrived", arrived, "when the device arrived")
    if kind == .depart {
      visitor.time("departed", departed, "`visit.depart`: when the device left; absent if unknown")
      if departed == nil {
        visitor.time("seen", seen, "`visit.depart` without `departed`: when the device was last there")
      }
    }
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-visit)")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    guard let point = fields.point else { return nil }
    guard let radius = fields.number("radius_m"), let arrived = fields.time("arrived") else {
      // A reduced record has its position alone.
      let verb = ["visit.provisional": "pausing", "visit.arrive": "arrived"][fields.type]
      return verb.map { TextRecord($0, "near \(point)") } ?? TextRecord("departed", "from near \(point)")
    }
    let place = "\(point), within \(Wording.distance(radius, in: fields.units))"
    let since = "since \(fields.clock(arrived))"
    let reason: Reason? = fields.code("reason")
    switch fields.type {
    case "visit.provisional": return TextRecord("pausing", "at \(place), \(since)")
    case "visit.arrive": return TextRecord(reason == .returned ? "back" : "arrived", "at \(place), \(since)")
    default:
      if let departed = fields.time("departed") {
        let stay = Wording.duration(arrived.seconds(to: departed))
        return TextRecord("departed", "\(place), after \(stay), at \(fields.clock(departed))")
      }
      let seen = "\(place), \(since), last seen there \(fields.time("seen").map(fields.clock) ?? "?")"
      // Fixes outside that don't yet end the visit may be the last ones.
      return reason == .end
        ? TextRecord("visiting", seen + ", at the end") : TextRecord("departed", seen)
    }
  }

  package static var samples: [Record.Body] {
    [sample(.provisional), sample(.arrive), sample(.depart), sample(.depart, departed: nil)]
  }

  private static func sample(_ kind: Kind, departed: UTCTime? = Fix.sample.time) -> Record.Body {
    let fix = Fix.sample
    return .visit(
      VisitEvent(
        kind: kind, visit: 1, instant: fix.instant, coordinate: fix.coordinate, radiusMeters: 1,
        arrived: fix.time, departed: departed, seen: fix.time, reason: .stayed))
  }
}

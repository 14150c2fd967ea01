/// The position has moved significantly, or is known for the first time (rule B1).
public struct SignificantChangeEvent: Hashable, Sendable, Codable {
  /// Why a change was delivered now.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first fix.
    case initial
    /// The position moved far enough.
    case moved
    /// It had moved far enough earlier, and the window since the last delivery is over now.
    case window
  }

  /// Where the position is now.
  public var fix: Fix
  /// When it is delivered: the fix's instant, or the end of the window.
  public var instant: EngineInstant
  /// The fix delivered before; nil for the first.
  public var previous: Fix?
  /// Metres from the previous delivery; nil for the first.
  public var movedMeters: Double?
  /// Seconds from the previous delivery; nil for the first.
  public var sinceSeconds: Double?
  /// Fixes that had moved far enough but came inside the window.
  public var suppressed: Int
  /// Why it is delivered now.
  public var reason: Reason
}

extension SignificantChangeEvent: SingleTypeRecord {
  package static let name = "significant"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.position(fix.coordinate, "where it is now")
    visitor.accuracy(fix.accuracy, "radius that holds the true position with 68 %")
    visitor.number("moved_m", movedMeters, .meters, "since the previous one; absent for the first")
    visitor.number("since_s", sinceSeconds, .seconds, "since the previous one; absent for the first")
    visitor.number(
      "from_lat", previous?.coordinate.latitude, .degrees,
      "where the previous one was; absent for the first")
    visitor.number("from_lon", previous?.coordinate.longitude, .degrees, "likewise")
    visitor.count(
      "suppressed", suppressed, "fixes that had moved far enough while the window was closed")
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-significant-change)")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    guard let place = fields.place else { return nil }
    guard let moved = fields.number("moved_m"), let since = fields.number("since_s") else {
      // A reduced record does not have the distance.
      return fields.code("reason") == Reason.initial
        ? TextRecord("first fix", place) : TextRecord("moved", "to \(place)")
    }
    let late = fields.code("reason") == Reason.window ? ", told when the window ended" : ""
    let distance = Wording.distance(moved, in: fields.units)
    return TextRecord("moved", "\(distance) in \(Wording.duration(since)), to \(place)\(late)")
  }

  package static var samples: [Record.Body] {
    [
      .significant(
        SignificantChangeEvent(
          fix: .sample, instant: Fix.sample.instant, previous: .sample, movedMeters: 1, sinceSeconds: 1,
          suppressed: 1, reason: .moved))
    ]
  }
}

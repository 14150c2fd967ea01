/// A standard update, as a subscriber is told it (rules B2, B3 and B8).
public struct LocationUpdate: Hashable, Sendable, Codable {
  /// Why it is told. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// A fix passed somebody's filters.
    case update
    /// Somebody asked for one fix, and this one is exact enough.
    case requested
    /// Somebody asked for one fix; the time is over, and none was better.
    case best
    /// The middle of a cell of the coarse grid, for who may know no more.
    case reduced
  }

  /// Where; for reduced accuracy the middle of a cell.
  public var coordinate: Coordinate
  /// How well that is known; for reduced accuracy a radius that holds the cell.
  public var accuracy: Accuracy
  /// Metres a second over ground; nil where unknown and for reduced accuracy.
  public var speedMetersPerSecond: Double?
  /// Degrees from true north; nil where unknown and for reduced accuracy.
  public var courseDegrees: Double?
  /// Why it is told.
  public var reason: Reason

  init(_ fix: Fix, _ reason: Reason) {
    coordinate = fix.coordinate
    accuracy = fix.accuracy
    speedMetersPerSecond = fix.speedMetersPerSecond
    courseDegrees = fix.courseDegrees
    self.reason = reason
  }

  init(_ cell: ReducedCell) {
    coordinate = cell.middle
    accuracy = cell.accuracy
    reason = .reduced
  }
}

/// A subscriber's standard updates pause or resume (rule B6).
public struct PauseEvent: Hashable, Sendable, Codable {
  /// What made it so. The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The position has not moved for as long as its activity takes.
    case resting
    /// It has.
    case moved
    /// The process that was told of the pause is gone, or asks for standard updates no more.
    case ended
  }

  /// Whose updates.
  public var subscriber: String
  /// Whether they pause, rather than resume.
  public var pauses: Bool
  /// What made it so.
  public var reason: Reason
}

extension LocationUpdate: SingleTypeRecord {
  package static let name = "location"

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.position(coordinate, "where; for reduced accuracy the middle of a cell")
    visitor.accuracy(accuracy, "68 % radius; for reduced accuracy 5,000")
    visitor.number(
      "speed_mps", speedMetersPerSecond, .metersPerSecond,
      "over ground, where the source has it; not for reduced accuracy")
    visitor.number(
      "course_deg", courseDegrees, .course,
      "from true north, where the source has it; not for reduced accuracy")
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-standard-update)")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let reason: Reason? = fields.code("reason")
    // Standard updates come with every fix; people get their number from the summary.
    guard reason != .update, let place = fields.place else { return nil }
    return TextRecord("position", reason == .reduced ? "the cell around \(place)" : "\(place), as asked for")
  }

  package static var samples: [Record.Body] { [.location(LocationUpdate(.sample, .update))] }
}

extension PauseEvent: RecordFamily {
  package static let types = ["paused", "resumed"]

  package var type: String { pauses ? "paused" : "resumed" }

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("subscriber", subscriber, "whose updates")
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-pause)")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let name = fields.text("subscriber")
    return fields.type == "paused"
      ? TextRecord("paused", "standard updates of \(name): nothing moves")
      : TextRecord("resumed", "those of \(name)")
  }

  package static var samples: [Record.Body] {
    [
      .pause(PauseEvent(subscriber: "a", pauses: true, reason: .resting)),
      .pause(PauseEvent(subscriber: "a", pauses: false, reason: .moved)),
    ]
  }
}

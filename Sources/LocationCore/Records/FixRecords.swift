/// What one fix said of one region, and why that did or did not change where the position is held to be (rule B4).
public struct RegionVerdict: Hashable, Sendable, Codable {
  /// The raw values are stable: they stand in records and docs.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// The first state was found.
    case found
    /// It was entered.
    case entered
    /// It was left.
    case left
    /// It was left, and the exit delay holds that back.
    case heldBack = "held_back"
    /// The fix lies on the side of the state.
    case agrees
    /// The fix lies on the other side, by less than its error makes certain.
    case weak
    /// The fix lies on the other side with confidence; it takes more of them, or a longer time.
    case gathering
    /// The fix lies inside a region that is too small for its error.
    case tooSmall = "too_small"
    /// The fixes so far leave the first state open.
    case open
  }

  /// The region's id.
  public var region: String
  /// Where the position was held to be before the fix.
  public var before: RegionState
  /// Where it is held to be after it.
  public var after: RegionState
  /// Metres from the fix to the edge, positive outside.
  public var edgeMeters: Double
  /// Standard deviation of the fix along one axis, metres, with what the receiver understates.
  public var sigmaMeters: Double
  /// Probability, by this fix alone, of being inside.
  public var probabilityInside: Double
  /// Metres beyond the edge, on the other side than the state, from which this fix would have been clear evidence.
  public var clearMeters: Double
  /// Metres beyond the edge from which it would have been confident evidence, which has to hold for a time.
  public var heldMeters: Double
  /// Clear fixes in a row, this one included.
  public var clearFixes: Int
  /// Seconds for which confident fixes have held.
  public var heldSeconds: Double
  /// Why.
  public var reason: Reason
}

/// A fix that was believed: the family of ``Record/Body/fixAccepted(_:_:)``.
struct AcceptedFix: SingleTypeRecord {
  var fix: Fix
  var verdicts: [RegionVerdict]
  var error: ErrorEstimate?

  static let name = "fix.accepted"

  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.position(fix.coordinate, "where")
    visitor.accuracy(fix.accuracy, "68 % radius")
    visitor.text(
      "acc_source", fix.accuracy.source.rawValue, "[its source](#where-an-accuracy-comes-from)")
    visitor.number(
      "speed_mps", fix.speedMetersPerSecond, .metersPerSecond, "over ground, where the source has it")
    visitor.number(
      "course_deg", fix.courseDegrees, .course, "from true north, where the source has it")
    visitor.number(
      "error_factor", error?.factor, .ratio,
      "on the claimed error, for regions: above 1 where the receiver understates it")
    visitor.text(
      "error_basis", error?.basis.rawValue, "what that [comes from](#what-an-error-factor-comes-from)")
    visitor.verdicts(
      "regions", verdicts,
      "its [verdict](#regions-of-a-fix) on each region that it was evaluated for: regions that contain the position or did so recently, and regions with pending evidence; absent if there is none"
    )
  }

  static func text(_ fields: RecordFields) -> TextRecord? {
    guard let place = fields.place else { return nil }
    let speed = fields.number("speed_mps").map { ", \(Wording.speed($0, in: fields.units))" } ?? ""
    var error = ""
    if let factor = fields.number("error_factor"),
      let basis = fields.code("error_basis", ErrorEstimate.Basis.self), basis != .claimed
    {
      error = ", error × \(Wording.number(factor, 2)) (\(basis.rawValue))"
    }
    return TextRecord("fix", place + speed + error)
  }

  static var samples: [Record.Body] {
    let verdict = RegionVerdict(
      region: "home", before: .outside, after: .outside, edgeMeters: 1, sigmaMeters: 1,
      probabilityInside: 0, clearMeters: 1, heldMeters: 1, clearFixes: 0, heldSeconds: 0, reason: .agrees)
    let error = ErrorEstimate(factor: 1.5, basis: .rest, isMoving: false, restBlocks: 3)
    return [.fixAccepted(.sample, [verdict], error)]
  }
}

extension RegionVerdict {
  /// Calls the visitor with each field of the object that is named for the region.
  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("state_before", before.rawValue, "the [state](#states-of-a-region) before the fix")
    visitor.text("state_after", after.rawValue, "the state after it")
    visitor.number("edge_m", edgeMeters, .meters, "from the fix to the edge; negative inside")
    visitor.number(
      "sigma_m", sigmaMeters, .meters,
      "standard deviation of the fix, corrected for what the receiver understates")
    visitor.number(
      "p_inside", probabilityInside, .probability, "probability of being inside, by this fix alone")
    visitor.number(
      "clear_m", clearMeters, .meters,
      "beyond the edge at which a fix becomes clear evidence against the state")
    visitor.number(
      "held_m", heldMeters, .meters,
      "beyond the edge at which a fix becomes confident evidence against the state")
    visitor.count("clear_fixes", clearFixes, "the number of clear fixes in a row")
    visitor.number("held_s", heldSeconds, .seconds, "for which confident fixes have held")
    visitor.text("verdict", reason.rawValue, "see [below](#verdicts-on-a-region)")
  }
}

/// A fix that was not believed: the family of ``Record/Body/fixRejected(_:_:)``.
struct RejectedFix: SingleTypeRecord {
  var reason: RejectReason
  var report: FixReport

  static let name = "fix.rejected"

  func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("reason", reason.rawValue, "see [below](#why-a-fix-is-refused)")
    visitor.position(
      latitude: report.latitude, longitude: report.longitude, "as reported; absent if not reported")
  }

  static func text(_ fields: RecordFields) -> TextRecord? {
    TextRecord("refused", "\(fields.text("reason")): \(fields.point ?? "no position")")
  }

  static var samples: [Record.Body] {
    let fix = Fix.sample
    let report = FixReport(
      time: fix.time, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
      accuracy: fix.accuracy)
    return [.fixRejected(.speed, report)]
  }
}

extension Fix {
  /// The fix that samples of records are made of.
  package static let sample = Fix(
    time: UTCTime(microseconds: 1_777_615_200_000_000),
    instant: EngineInstant(microseconds: 1_777_615_200_000_000),
    coordinate: Coordinate(uncheckedLatitude: 48, longitude: 11),
    accuracy: Accuracy(radiusMeters: 5, source: .reported), speedMetersPerSecond: 1, courseDegrees: 1)
}

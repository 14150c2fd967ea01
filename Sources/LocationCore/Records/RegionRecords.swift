/// Something that a region has to tell.
public struct RegionEvent: Hashable, Sendable, Codable {
  /// What happened.
  public enum Kind: Hashable, Sendable, Codable {
    /// The position came in.
    case enter
    /// It left.
    case exit
    /// It has stayed for the region's dwell time.
    case dwell
    /// It passed through between two fixes, neither of which lies inside.
    case cross
    /// The state in which the region was first found.
    case state(RegionState)
  }

  /// What made it so.
  public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    /// Several fixes in a row far beyond the edge.
    case clear
    /// Confident fixes beyond the edge, held for a time.
    case held
    /// The average of many minutes lies beyond the edge.
    case settled
    /// The first fixes told the state.
    case initial
    /// The straight way between two fixes leads through the region.
    case interpolated
    /// The dwell time is over.
    case dwelled
    /// The exit delay is over.
    case delayed
    /// The fix lies on this side of the edge, and the plain rule asks no more.
    case plain
    /// A beacon was seen.
    case seen
    /// No beacon was seen for as long as its region waits for one.
    case unseen
    /// A program was started that could not be told before (rule L1).
    case launched
  }

  /// When a passage between two fixes began and ended, interpolated.
  public struct Passage: Hashable, Sendable, Codable {
    /// When the straight way meets the region.
    public var entered: EngineInstant
    /// When it leaves it for the last time.
    public var left: EngineInstant
  }

  /// What happened.
  public var kind: Kind
  /// The region's id.
  public var region: String
  /// Counts a region's visits from 1; the same for enter, dwell and exit of one visit. 0 before the first.
  public var visit: Int
  /// When: of the fix that decided, or of the deadline.
  public var instant: EngineInstant
  /// Where the deciding fix is; of a deadline, the last fix.
  public var coordinate: Coordinate
  /// How well that fix knows it, as claimed.
  public var accuracy: Accuracy
  /// Metres from that fix to the edge, positive outside.
  public var edgeMeters: Double
  /// Probability, by that fix alone, of what the event says.
  public var confidence: Double
  /// What made it so.
  public var reason: Reason
  /// On exit: seconds from entering to leaving, without an exit delay. On dwell: seconds since entering.
  public var insideSeconds: Double?
  /// On cross: when the passage began and ended.
  public var passage: Passage?
}

extension RegionEvent {
  /// Something that no fix has told, with the last fix for a place.
  init(
    _ kind: Kind, of region: String, visit: Int, at instant: EngineInstant, last: Fix?, _ reason: Reason,
    insideSeconds: Double? = nil
  ) {
    self.init(
      kind: kind, region: region, visit: visit, instant: instant,
      coordinate: last?.coordinate ?? Coordinate(uncheckedLatitude: 0, longitude: 0),
      accuracy: last?.accuracy ?? Accuracy(radiusMeters: 0, source: .assumed), edgeMeters: 0,
      confidence: 1, reason: reason, insideSeconds: insideSeconds)
  }
}

extension RegionEvent.Kind {
  /// The order of events of one instant: exits before enters.
  var rank: Int {
    switch self {
    case .exit: 0
    case .cross: 1
    case .enter: 2
    case .dwell: 3
    case .state: 4
    }
  }
}

extension RegionEvent {
  /// Whether this event comes before another of the same instant.
  func precedes(_ other: RegionEvent) -> Bool {
    kind.rank == other.kind.rank ? region < other.region : kind.rank < other.kind.rank
  }
}

extension RegionEvent.Reason {
  /// Whether it is about beacons, which have no place (rule B11).
  var isOfBeacons: Bool { self == .seen || self == .unseen }
}

extension RegionEvent.Kind {
  /// As it stands in a record's type, after `region.`.
  public var name: String {
    switch self {
    case .enter: "enter"
    case .exit: "exit"
    case .dwell: "dwell"
    case .cross: "cross"
    case .state: "state"
    }
  }
}

extension RegionEvent: RecordFamily {
  package static let types = ["region.enter", "region.exit", "region.dwell", "region.cross", "region.state"]

  package var type: String { "region." + kind.name }

  package func describe<Visitor: RecordVisitor>(to visitor: inout Visitor) {
    visitor.text("region", region, "the region's id")
    if case .state(let state) = kind {
      visitor.unlistedPlace(coordinate, accuracy)
      visitor.text("state", state.rawValue, "`inside` or `outside`; in an answer also `unknown`")
      visitor.text(
        "reason", reason.rawValue,
        "`initial`; `launched` where a program is started that could not be told before (rule L1); `asked` in the reply to a program that asked with [`state_of`](Subscribers.md#resident-one-process-many-events), which has no `seq`, `id` or `time`"
      )
      return
    }
    visitor.count(
      "visit", visit,
      "counts the region's visits from 1; the same for enter, dwell and exit of one visit; 0 before the first"
    )
    if !reason.isOfBeacons {
      visitor.position(coordinate, "the fix that decided; for a dwell, the last fix before its end")
      visitor.accuracy(accuracy, "its accuracy, as claimed")
      visitor.number("edge_m", edgeMeters, .meters, "from that fix to the edge; negative inside")
      visitor.number(
        "confidence", confidence, .probability, "probability that the event is true, by that fix alone")
    }
    visitor.text("reason", reason.rawValue, "see [below](#reasons-of-a-region-event)")
    visitor.number(
      "inside_s", insideSeconds, .seconds,
      "`region.exit`: time from enter to exit, without the exit delay; `region.dwell`: time since enter")
    visitor.number(
      "passage_s", passage.map { $0.entered.seconds(to: $0.left) }, .seconds,
      "`region.cross`: how long the passage took")
  }

  package static func text(_ fields: RecordFields) -> TextRecord? {
    let region = fields.text("region")
    switch fields.type {
    case "region.enter": return TextRecord("entered", region + edge(fields))
    case "region.exit":
      let stay = fields.number("inside_s").map { " after \(Wording.duration($0))" } ?? ""
      return TextRecord("left", region + stay + edge(fields))
    case "region.dwell":
      let stay = fields.number("inside_s").map { " for \(Wording.duration($0))" } ?? ""
      return TextRecord("dwelled", "in \(region)\(stay)")
    case "region.cross": return TextRecord("crossed", "\(region) between two fixes")
    default: return TextRecord(fields.text("state"), region)
    }
  }

  private static func edge(_ fields: RecordFields) -> String {
    guard let meters = fields.number("edge_m"), let confidence = fields.number("confidence") else {
      return ""
    }
    let side = meters < 0 ? "inside" : "outside"
    let certainty = confidence >= 0.9995 ? "certain" : "\(Wording.number(confidence * 100, 1)) % sure"
    return ", \(Wording.distance(abs(meters), in: fields.units)) \(side) the edge, \(certainty)"
  }

  package static var samples: [Record.Body] {
    let kinds: [Kind] = [.enter, .exit, .dwell, .cross, .state(.inside)]
    return kinds.map { kind in
      let fix = Fix.sample
      return .region(
        RegionEvent(
          kind: kind, region: "home", visit: 1, instant: fix.instant, coordinate: fix.coordinate,
          accuracy: fix.accuracy, edgeMeters: 1, confidence: 1, reason: .clear,
          insideSeconds: kind == .exit || kind == .dwell ? 1 : nil,
          passage: kind == .cross ? Passage(entered: fix.instant, left: fix.instant) : nil))
    }
  }
}

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
  /// On exit: seconds from entering to leaving, without an exit delay.
  public var insideSeconds: Double?
  /// On cross: when the passage began and ended.
  public var passage: Passage?
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

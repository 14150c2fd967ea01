/// When the position is at a place, and when it has left it (rule B5).
///
/// The numbers that are not the rule's own were tuned on half of the labelled tracks of `Docs/Visits.md`, where their
/// effect on the other half stands.
public struct VisitConfiguration: Hashable, Sendable, Codable {
  /// Metres from its middle to which a place reaches, at least.
  public var radiusMeters = 50.0
  /// Standard deviations of a fix to which it reaches for that fix, where that is more.
  public var radiusSigmas = 3.0
  /// Metres from the middle within which the position has arrived, or `radiusSigmas` of a fix where that is more:
  /// what comes before is the way in.
  public var arrivalMeters = 25.0
  /// Seconds at a place after which the visit is provisional.
  public var provisionalSeconds = 180.0
  /// Seconds at a place after which the visit is told.
  public var confirmedSeconds = 300.0
  /// Seconds of silence after which a provisional visit is confirmed without a further fix.
  public var silenceSeconds = 180.0
  /// Metres over which the position may have drifted while it was at a place: its diameter. A device that
  /// goes on slowly is not there.
  public var driftMeters = 100.0

  /// Fixes in a row clearly outside that end a visit.
  public var clearCount = 3
  /// Seconds that those fixes span at least, so that a fast receiver's correlated fixes do not count thrice.
  public var clearSeconds = 1.8
  /// Standard deviations by which a fix lies outside clearly.
  public var clearSigmas = 3.0
  /// Seconds over which fixes in a row, two at least, lie outside when that ends a visit; 20 s as for regions.
  public var heldSeconds = 20.0

  /// Seconds without a fix after which nobody can say when a place was left, if the next fix is far from it.
  public var gapSeconds = 1800.0
  /// Fixes that agree on a place when the time there holds a silence that long.
  public var gapCount = 3
  /// Metres from the place within which a fix after a silence shows that the place has just been left.
  public var nearMeters = 500.0
  /// Metres a second at which it is left then: a walk.
  public var walkingMetersPerSecond = 1.4

  /// Metres between two places that may be one.
  public var mergeMeters = 100.0
  /// Seconds away from a place after which coming back is another visit.
  public var mergeSeconds = 300.0

  /// Seconds for which one fix speaks at most.
  public var longestWeightSeconds = 60.0
  /// The smallest standard deviation believed, metres: errors of a receiver at rest are alike for minutes.
  public var leastSigmaMeters = 5.0

  /// The defaults.
  public init() {}
}

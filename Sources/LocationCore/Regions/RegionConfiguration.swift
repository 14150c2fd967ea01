/// When the region monitor decides.
///
/// The defaults were found by simulation: 1 Hz fixes with an honest error of 7 m, correlated over 10, 60
/// and 300 s. They keep a device that stands on the edge at 0.2 transitions a day at most, and tell an exit
/// in 33.4 s at 1.4 m/s, 11.3 s at 5 m/s and 5.5 s at 15 m/s (95 % of runs).
public struct RegionConfiguration: Codable, Hashable, Sendable {
  /// How a fix changes a region's state.
  public enum Rule: String, Codable, Hashable, Sendable {
    /// By evidence against the fix's error: clear, held or settled.
    case confident
    /// By the side of the edge on which each fix lies; for comparison, not for use.
    case plain
  }

  /// How a fix changes a region's state.
  public var rule = Rule.confident

  /// Standard deviations beyond the edge from which a fix is clear evidence.
  public var clearSigmas = 4.5
  /// Clear fixes in a row that decide.
  public var clearCount = 3
  /// Seconds that those fixes span at least, so that a fast receiver's correlated fixes do not count thrice.
  public var clearSeconds = 1.8

  /// Standard deviations beyond the edge from which a fix is confident evidence (3.5: P = 0.99977).
  public var heldSigmas = 3.5
  /// Seconds over which confident fixes must hold; two of them at least.
  public var heldSeconds = 20.0

  /// Standard deviations beyond the edge that decide as an average, for a device that rests near an edge.
  public var settledSigmas = 2.2
  /// Time constant of that average, seconds.
  public var settledSeconds = 900.0

  /// Probability from which one fix decides the first state, either way.
  public var initialProbability = 0.95
  /// Seconds after which the first state is decided by the side of most of the evidence.
  public var initialSeconds = 20.0
  /// Fixes that this takes at least.
  public var initialCount = 3

  /// Standard deviations by which a fix may miss the deepest place around, and still be confident evidence
  /// for being in a region that is too small for `heldSigmas` (a fix at that place does with 68 %).
  public var smallHeldMissSigmas = 1.5
  /// Standard deviations by which the average may miss the deepest place and still settle: the mean miss of a
  /// device at that place is 1.25.
  public var smallSettledMissSigmas = 1.85
  /// The least average depth that settles for a small region, standard deviations.
  public var smallSettledLeastSigmas = 1.2
  /// Standard deviations around a fix in which the deepest place is looked for; at least `settledSigmas` and
  /// `smallSettledMissSigmas` together, so that no wide region is taken for a small one.
  public var attainableReachSigmas = 4.1

  /// Standard deviations from the edge, on the side of the state, at which a region is left behind for good.
  public var farSigmas = 8.0
  /// Such fixes in a row that make it so.
  public var farCount = 3
  /// Factor on all thresholds for each transition since the region was last left behind, the first excepted.
  public var guardFactor = 1.5
  /// The largest such factor; at it, `clearSigmas` is no more than `farSigmas`.
  public var guardLimit = 1.75

  /// Seconds between two fixes across which no passage is seen.
  public var crossGapSeconds = 300.0
  /// Metres a second above which the way between two fixes is not believed (360 km/h, a fast train).
  public var crossMetersPerSecond = 100.0
  /// The least way between two fixes that is taken for motion, in sums of their standard deviations: two
  /// fixes of a device at rest are twice as far apart once in 8,000 times.
  public var crossSigmas = 3.0

  /// The most by which the monitor believes that receivers understate their error; 1 turns the estimate off.
  public var inflationLimit = 4.0

  /// Factor on all depths that a change takes, by what its region asks for. Docs/Regions.md has the rate of false
  /// transitions with each.
  static func depthFactor(_ sensitivity: Region.Sensitivity) -> Double {
    switch sensitivity {
    case .early: 0.65
    case .balanced: 1
    case .certain: 1.5
    }
  }

  /// The most regions a monitor takes.
  public var regionLimit = 4_000_000

  /// The defaults.
  public init() {}

  /// Decides by the side of each fix alone.
  public static var plain: RegionConfiguration {
    var configuration = RegionConfiguration()
    configuration.rule = .plain
    configuration.inflationLimit = 1
    return configuration
  }
}

/// Everything in an engine that changes: what survives a restart. What can be rebuilt is not in it.
public struct EngineSnapshot: Hashable, Sendable, Codable {
  /// The numbers that the engine decided by.
  public internal(set) var configuration: EngineConfiguration
  var state: EngineState
  var regions: RegionSnapshot
}

/// The engine's state without the regions, which own what can't be copied.
struct EngineState: Hashable, Sendable, Codable {
  var gate: FixGate
  var significant: SignificantChange
  var visits: VisitMonitor
  var policy: Policy
  var ledger: PowerLedger
  var sampling = SamplingPlan()
  /// What the plan was last told that the subscribers need.
  var samplingNeeds = SamplingNeeds()
  var tally = Tally()
  /// The latest instant the engine has been told of.
  var instant = EngineInstant.distantPast
  /// The next id to give out.
  var nextID = 1
  /// Whether the next fix does not continue the last one.
  var isBroken = false

  init(configuration: EngineConfiguration) {
    gate = FixGate(configuration: configuration.gate)
    significant = SignificantChange(configuration: configuration.significant)
    visits = VisitMonitor(configuration: configuration.visits)
    policy = Policy(configuration: configuration.policy)
    ledger = PowerLedger(profile: configuration.profile)
  }
}

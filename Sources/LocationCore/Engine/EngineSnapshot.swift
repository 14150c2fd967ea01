/// Everything in an engine that changes: what survives a restart. What can be rebuilt is not in it.
public struct EngineSnapshot: Hashable, Sendable {
  /// The numbers that the engine decides by. With others, it goes on with the same state and decides by them.
  public var configuration: EngineConfiguration
  var state: EngineState
  var regions: RegionSnapshot

  /// What is written of a snapshot: all but the settings, to which it refers.
  package struct Stored: Hashable, Codable {
    var state: EngineState
    var regions: RegionSnapshot
  }

  /// What is written of it.
  package var stored: Stored { Stored(state: state, regions: regions) }

  /// Has the receiver planned anew with the next event that may change what is needed of it.
  package mutating func forgetNeeds() { state.samplingNeeds = SamplingNeeds() }

  /// The regions that the engine watched; none where they are kept elsewhere, until they are set.
  public var watchedRegions: [Region] {
    get { regions.regions + (state.beacons?.watches ?? []).map(\.region) }
    set { regions.regions = newValue.filter { !$0.isOfBeacons } }
  }
}

extension EngineSnapshot {
  /// The snapshot that was written, with the settings to which it refers.
  package init(_ stored: Stored, configuration: EngineConfiguration) {
    self.init(configuration: configuration, state: stored.state, regions: stored.regions)
  }
}

/// The engine's state without the regions, which own what can't be copied.
struct EngineState: Hashable, Sendable, Codable {
  var gate: FixGate
  var significant: SignificantChange
  var visits: VisitMonitor
  @Seldom var policy: Policy
  @Seldom var ledger: PowerLedger
  @Seldom var sampling: SamplingPlan
  /// Regions of beacons; nil while there are none.
  @Rare var beacons: BeaconMonitor?
  var tally = Tally()
  /// The latest instant the engine has been told of.
  var instant = EngineInstant.distantPast
  /// The next id to give out.
  var nextID = 1
  /// Whether the next fix does not continue the last one.
  var isBroken = false
  /// What the plan was last told that the subscribers need. It takes memory that the flag leaves free.
  var samplingNeeds = SamplingNeeds()

  /// Whether there are regions of beacons: to ask whether they are nil may copy them.
  var hasBeacons: Bool { @inline(__always) get { !_beacons.isNone } }

  /// Changes what is known of beacons where it lies; nil where there are none.
  @discardableResult
  mutating func changeBeacons<Result>(_ body: (inout BeaconMonitor) -> Result) -> Result? {
    _beacons.change(body)
  }

  init(settings: EngineSettings) {
    gate = FixGate(settings.gate)
    significant = SignificantChange(settings.significant)
    visits = VisitMonitor(settings.visits)
    _policy = settings.initialPolicy
    _ledger = settings.initialLedger
    _sampling = settings.initialPlan
  }

  /// Decides by these settings from now on.
  mutating func share(_ settings: EngineSettings) {
    gate.share(settings.gate)
    significant.share(settings.significant)
    visits.share(settings.visits)
    policy.share(settings.policy)
    policy.share(settings.significant)
    ledger.share(settings.profile)
  }
}

/// Every number an engine decides by. It is fixed for the life of an engine and stands in its snapshots.
public struct EngineConfiguration: Hashable, Sendable, Codable {
  /// Which reports are believed.
  public var gate = FixGate.Configuration()
  /// When a move is significant.
  public var significant = SignificantChange.Configuration()
  /// When a region is entered and left.
  public var regions = RegionConfiguration()
  /// When the position is at a place.
  public var visits = VisitConfiguration()
  /// When the receiver is asked for a fix.
  public var sampling = SamplingConfiguration()
  /// How subscribers are treated.
  public var policy = Policy.Configuration()
  /// What the device draws.
  public var profile = PowerProfile.unpriced
  /// Seconds without a fix after which a `gap` is recorded: the longest window of the other rules.
  public var gapSeconds = 300.0
  /// Whether each fix's verdict is recorded too.
  public var explains = false
  /// A region on which each fix gets a verdict, however far it is; with ``explains`` only.
  public var explainedRegion: String?
  /// When a region of beacons is left.
  @Preset public var beacons = BeaconConfiguration()

  public init() {}
}

/// A configuration that many engines refer to, in the pieces that their parts decide by.
public final class EngineSettings: Sendable {
  /// All of it.
  public let configuration: EngineConfiguration
  let gate: Shared<FixGate.Configuration>
  let significant: Shared<SignificantChange.Configuration>
  let regions: Shared<RegionConfiguration>
  let visits: Shared<VisitConfiguration>
  let policy: Shared<Policy.Configuration>
  let profile: Shared<PowerProfile>
  /// Whether engines book what the device draws.
  let booksPower: Bool
  // What few engines of a fleet ever change.
  let initialPolicy: Seldom<Policy>
  let initialLedger: Seldom<PowerLedger>
  let initialPlan = Seldom(wrappedValue: SamplingPlan())

  /// Shares a configuration, the defaults without one.
  ///
  /// - Parameter booksPower: whether engines book what the device draws. Without it they take less memory, and record no
  ///   power; a receiver that is switched on and off needs it.
  public init(_ configuration: EngineConfiguration = EngineConfiguration(), booksPower: Bool = true) {
    self.booksPower = booksPower || configuration.sampling.isDutyCycled
    self.configuration = configuration
    gate = Shared(wrappedValue: configuration.gate)
    significant = Shared(wrappedValue: configuration.significant)
    regions = Shared(wrappedValue: configuration.regions)
    visits = Shared(wrappedValue: configuration.visits)
    policy = Shared(wrappedValue: configuration.policy)
    profile = Shared(wrappedValue: configuration.profile)
    initialPolicy = Seldom(wrappedValue: Policy(policy))
    initialLedger = Seldom(wrappedValue: PowerLedger(profile))
  }
}

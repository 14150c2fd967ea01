/// Every number an engine decides by. It is fixed for the life of an engine and stands in its snapshots.
public struct EngineConfiguration: Hashable, Sendable, Codable {
  public var gate = FixGate.Configuration()
  public var significant = SignificantChange.Configuration()
  public var regions = RegionConfiguration()
  public var policy = Policy.Configuration()
  public var profile = PowerProfile.rpi4UbloxM8
  /// Seconds without a fix after which a `gap` is recorded: the longest window of the other rules.
  public var gapSeconds = 300.0
  /// Whether each fix's verdict is recorded too.
  public var explains = false

  public init() {}
}

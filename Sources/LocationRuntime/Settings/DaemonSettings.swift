/// What a settings file says to the daemon alone.
public struct DaemonSettings: Hashable, Sendable {
  /// How much of the past is kept.
  public var retention = Retention()
  /// A command that is run with `on` or `off` when the receiver is switched; empty for none.
  public var receiverHook: [String] = []
  /// A command that is run for each notification and shows it; empty for none.
  public var notifyHook: [String] = []
  /// The largest file that is fetched, bytes.
  public var transferBytes = 2_147_483_648.0
  /// Seconds until a transfer that broke is tried again, doubled each time (rule I1).
  public var transferRetrySeconds = 1.0
  /// The longest of these waits, seconds (rule I1).
  public var transferRetryLimitSeconds = 3600.0
  /// Who vouches for the servers of transfers, as a PEM file; empty for those whom the machine trusts.
  public var transferAuthority = ""

  public init() {}
}

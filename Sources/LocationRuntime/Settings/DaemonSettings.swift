/// What a settings file says to the daemon alone.
public struct DaemonSettings: Hashable, Sendable {
  /// How much of the past is kept.
  public var retention = Retention()
  /// A command that is run with `on` or `off` when the receiver is switched; empty for none.
  public var receiverHook: [String] = []
  /// A command that is run for each notification and shows it; empty for none.
  public var notifyHook: [String] = []

  public init() {}
}

public import LocationCore

/// What a replay is to do, settled before the first track is opened.
public struct ReplayRequest: Sendable {
  public var configuration = EngineConfiguration()
  public var regions: [Region] = []
  public var subscribers: [Subscriber] = []
  /// Whether a recording is replayed with its own configuration, rather than with this one.
  public var keepsRecordedConfiguration = false
  /// Whether ``subscribers`` only stand in for those that nobody named; a recording has its own.
  public var hasDefaultSubscribers = false
  public var scenario: Scenario?
  public var format = RecordFormat.text
  public var track = TrackOptions()
  /// Only fixes from this time on.
  public var from: UTCTime?
  /// Only fixes up to this time.
  public var to: UTCTime?
  /// How many seconds of the track pass in one second; nil for as fast as it goes.
  public var speed: Double?
  /// Tracks replayed side by side.
  public var jobs = 1
  /// Whether a progress bar is drawn on standard error.
  public var showsProgress = false

  public init() {}
}

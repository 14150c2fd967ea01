public import LocationCore
import LocationFormats

/// What `locwatch watch` is to do, settled before anything is opened.
public struct WatchRequest: Sendable {
  /// How what happens is shown.
  public enum Output: Hashable, Sendable {
    /// Drawn on a terminal, in place.
    case screen(isPlain: Bool)
    /// As lines.
    case lines(RecordFormat)
  }

  /// Where fixes come from.
  public var address = SourceAddress.local
  /// The numbers the engine decides by.
  public var configuration = EngineConfiguration.standard
  /// The regions to watch.
  public var regions: [Region] = []
  /// How what happens is shown.
  public var output = Output.lines(.ndjson)
  /// The units of texts.
  public var units = MeasureUnits.metric
  /// After so many believed fixes it ends; nil for never.
  public var count: Int?
  /// After so many seconds it ends; nil for never.
  public var seconds: Double?
  /// Where what reaches the engine is recorded; nil for nowhere.
  public var recording: String?
  /// Whether the source plays a log: fixes may be of any date, and time is theirs.
  public var isSimulated = false

  public init() {}
}

/// How watching ended.
public enum WatchEnding: Hashable, Sendable {
  /// As asked: enough fixes, enough time, or the key to quit.
  case done
  /// By a signal of this number.
  case signal(Int32)
}

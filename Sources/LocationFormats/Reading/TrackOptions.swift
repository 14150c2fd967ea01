public import LocationCore

/// What to assume where a track does not tell.
public struct TrackOptions: Hashable, Sendable {
  /// Metres, a 68 % radius, for fixes without any accuracy; nil for a typical value
  /// (``/LocationCore/Accuracy/assumed(_:)``).
  public var assumeAccuracyMeters: Double?

  /// Seconds between fixes, for a track whose first fix has no time; nil refuses a track without times.
  ///
  /// The n-th fix of the track, counted from 0, then gets ``start`` plus n intervals if it has no time.
  public var intervalSeconds: Double?

  /// The time of the first fix of such a track; nil for 2000-01-01T00:00:00Z, which nobody takes for a real
  /// one, and which is not the 1970 that receivers without a clock claim.
  public var start: UTCTime?

  /// What to do about a track without times, for the failure that says so.
  package var intervalRemedy = "give --interval SECONDS (and --start TIME)"

  /// What is put into the order of time.
  public var order = Order.asWritten

  /// What to do about segments that overlap in time, for the note that says so; nil where nothing can be done.
  package var overlapRemedy: String?

  /// The format of the file as gpsbabel calls it, where it is to be read through gpsbabel; nil for what the content says.
  public var gpsbabel: String?

  public init(
    assumeAccuracyMeters: Double? = nil, intervalSeconds: Double? = nil, start: UTCTime? = nil
  ) {
    self.assumeAccuracyMeters = assumeAccuracyMeters
    self.intervalSeconds = intervalSeconds
    self.start = start
  }

  /// What of a track is put into the order of time.
  public enum Order: Hashable, Sendable {
    /// Nothing.
    case asWritten
    /// Points that stand with the newest first.
    case points
    /// Those, and the segments of a GPX or KML file where one begins after another ends.
    case segments
  }

  /// 2000-01-01T00:00:00Z.
  public static let defaultStart = UTCTime(microseconds: 946_684_800_000_000)
}

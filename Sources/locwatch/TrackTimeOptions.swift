import ArgumentParser
import LocationCore
import LocationFormats

/// `--interval`: what a command that reads a track assumes about points without times.
struct IntervalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Time between points, for a track without times.", valueName: "seconds"),
    transform: ArgumentText.seconds)
  var interval: Double?

  func validate() throws {
    if let interval, !(interval > 0 && interval <= 1e7) {
      throw ValidationError("--interval needs a time above 0, at most 10,000,000 s")
    }
  }

  /// How a track is read: in the order of time.
  var track: TrackOptions {
    var track = TrackOptions(intervalSeconds: interval)
    track.order = .segments
    return track
  }
}

/// `--interval` and `--start`, for every command that reads tracks and has no other `--start`.
struct TrackTimeOptions: ParsableArguments {
  @OptionGroup var points: IntervalOptions

  @Option(help: ArgumentHelp("Time of the first point, for a track without times.", valueName: "time"))
  var start: TimeArgument?

  func validate() throws {
    if start != nil && points.interval == nil { throw ValidationError("--start needs --interval") }
  }

  /// How a track is read: in the order of time.
  ///
  /// - Parameter isUTC: whether `--start` is UTC where it does not say so, not local time.
  func track(isUTC: Bool = false) throws(Failure) -> TrackOptions {
    var track = points.track
    if let start { track.start = try start.time(in: isUTC ? .utc : TimeZoneFile.machine()) }
    return track
  }
}

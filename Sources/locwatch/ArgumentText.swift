import ArgumentParser
import LocationCore
import LocationFormats
import LocationRuntime

/// Values of options as people write them; each error names the forms.
enum ArgumentText {
  /// `90s`, `10m`, `1h30m`, or seconds; in seconds.
  static func seconds(_ text: String) throws -> Double {
    try checked { () throws(Failure) in try MeasureText.seconds(text) }
  }

  /// `100m`, `1.5km`, or metres; in metres.
  static func meters(_ text: String) throws -> Double {
    try checked { () throws(Failure) in try MeasureText.meters(text) }
  }

  private static func checked<Value>(_ read: () throws(Failure) -> Value) throws -> Value {
    do throws(Failure) {
      return try read()
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

/// A time of a command line, before it is known in which zone it is meant.
struct TimeArgument: ExpressibleByArgument {
  private let text: String

  init?(argument: String) { text = argument }

  /// The time, of something that was.
  ///
  /// - Throws: `.usage` where it is none.
  func time(in zone: TimeZoneRule) throws(Failure) -> UTCTime {
    try TimeText.time(text, now: Self.now, zone: zone)
  }

  /// The time of something that is to come.
  ///
  /// - Throws: `.usage` where it is none.
  func timeAhead(in zone: TimeZoneRule) throws(Failure) -> UTCTime {
    try TimeText.time(text, now: Self.now, zone: zone, further: "or give --after 10m")
  }

  private static var now: UTCTime { SystemClock().read().utc ?? UTCTime(microseconds: 0) }
}

/// `--utc`, for commands that read and tell local times.
struct ZoneOptions: ParsableArguments {
  @Flag(help: "Times are UTC (default: local time).")
  var utc = false

  /// The zone that times are in.
  ///
  /// - Throws: `.usage` where TZ can't be read.
  var zone: TimeZoneRule { get throws(Failure) { try utc ? .utc : TimeZoneFile.machine() } }
}

package import LocationCore
import LocationFormats

/// Notices that a source's fixes are all of another time than now, and says so once, with the remedy.
///
/// The gate refuses each of them by name, which a person who feeds gpsd a recorded log takes for a fault.
package struct DateNotice {
  /// Fixes refused for their age in a row from which on it is no accident.
  package static let leastFixes = 3
  /// Seconds between a fix and the system clock from which on it is another time, and not delay: an hour.
  package static let leastSeconds = 3_600.0

  private var refused = 0
  private var isTold = false

  package init() {}

  /// What is to be said, after this record; nil nearly always.
  package mutating func text(after body: Record.Body) -> String? {
    if case .fixAccepted = body { refused = 0 }
    guard case .fixRejected(let reason, let report) = body, reason == .stale || reason == .future,
      !isTold, let time = report.time, let now = report.received,
      abs(time.seconds(to: now)) >= Self.leastSeconds
    else { return nil }
    refused += 1
    guard refused >= Self.leastFixes else { return nil }
    isTold = true
    return Self.text(time, now: now)
  }

  private static func text(_ time: UTCTime, now: UTCTime) -> String {
    let age = time.seconds(to: now)
    let date = String(decoding: Array(time.rfc3339.utf8).prefix(10), as: UTF8.self)
    let what = "the fixes are of \(date), \(Wording.duration(abs(age))) \(age > 0 ? "ago" : "ahead")"
    let isRollover = WeekRollover.whole(in: abs(age)) == WeekRollover.seconds
    return isRollover
      ? what + ": the receiver's date is 1024 weeks off; update gpsd or the receiver"
      : what + ": --simulated takes those of a log (gpsfake); otherwise set the system clock"
  }
}

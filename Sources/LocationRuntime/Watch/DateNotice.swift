package import LocationCore

/// Notices that a source's fixes are all of another time than now, and says so, with the remedy.
///
/// The gate rejects each of them by name, which a person who feeds gpsd a recorded log takes for a fault; or, where they
/// keep pace with the system's clock, accepts them by their own dates. Either is told once.
package struct DateNotice {
  /// Fixes rejected for their age in a row from which on it is no accident.
  package static let leastFixes = 3
  /// Seconds between a fix and the system clock from which on it is another time, and not delay: an hour, less what a
  /// fix may take to come. Local time is mostly off by an hour or more.
  package static let leastSeconds = 3_540.0

  /// The last fix in the row that were rejected.
  private var last: FixReport?
  /// The last of the row that the fix before has ended.
  private var ended: FixReport?
  private var rejected = 0
  private var toldOfRejected = false
  private var toldOfAccepted = false

  package init() {}

  /// What is to be said after this record; nil nearly always.
  package mutating func text(after body: Record.Body) -> String? {
    if case .fixAccepted = body {
      ended = last
      forget()
    }
    // It stands behind the fix that ended the row, where fixes have records.
    if case .clock = body, let last = last ?? ended { return text(after: last, isAccepted: true) }
    guard case .fixRejected(let reason, let report) = body, reason == .stale || reason == .future else {
      return nil
    }
    return text(after: report, isAccepted: false)
  }

  /// What is to be said after a fix; nil nearly always.
  ///
  /// - Parameters:
  ///   - report: with the time at which it was received.
  ///   - isAccepted: false where it was rejected for its age.
  package mutating func text(after report: FixReport, isAccepted: Bool) -> String? {
    guard let time = report.time, let now = report.received,
      abs(time.seconds(to: now)) >= Self.leastSeconds
    else {
      forget()
      return nil
    }
    if isAccepted {
      forget()
      guard !toldOfAccepted else { return nil }
      toldOfAccepted = true
    } else {
      rejected += 1
      last = report
      guard !toldOfRejected, rejected >= Self.leastFixes else { return nil }
      toldOfRejected = true
    }
    return Self.text(time, now: now, isAccepted: isAccepted)
  }

  /// The row has ended.
  private mutating func forget() {
    rejected = 0
    last = nil
  }

  private static func text(_ time: UTCTime, now: UTCTime, isAccepted: Bool) -> String {
    let age = time.seconds(to: now)
    let date = String(decoding: Array(time.rfc3339.utf8).prefix(10), as: UTF8.self)
    let what = "the fixes are of \(date), \(Wording.duration(abs(age))) \(age > 0 ? "ago" : "ahead")"
    let isRollover = WeekRollover.whole(in: abs(age)) == WeekRollover.seconds
    return switch (isRollover, isAccepted) {
    case (true, true):
      "\(what): the receiver's date is 1024 weeks off, and is put right; update gpsd or the receiver"
    case (true, false):
      "\(what), and are rejected: the receiver's date is 1024 weeks off; update gpsd or the receiver"
    case (false, true):
      "\(what), and keep pace with the system clock: they are accepted, with these dates; set the clock that is wrong, or take a log (gpsfake) by --simulated"
    case (false, false):
      "\(what), and are rejected: --simulated takes those of a log (gpsfake); otherwise set the system clock"
    }
  }
}

import LocationCore

/// Why nobody is there to do what the engine decides: the machine slept or the daemon was stopped, and what programs have
/// answered meanwhile is still to be taken; or the disk takes nothing. Both may hold at once. Somebody is there again when
/// neither does.
struct DaemonAbsence {
  /// Until when what was answered during a pause is taken; nil at other times.
  private(set) var pauseEnd: EngineInstant?
  /// Whether the disk takes nothing.
  var lacksDisk = false

  /// Whether nobody is there.
  var isOn: Bool { pauseEnd != nil || lacksDisk }

  /// Since when nobody was there, as is seen now; nil where somebody was, or where nothing waits for its time. A sleep
  /// takes time from what waits, also where it ends before that is due.
  ///
  /// - Parameter slept: seconds that the machine has slept since it was last looked at; see ``sleepSeconds(_:)``.
  static func began(slept: Double, due: EngineInstant?, now: EngineInstant) -> EngineInstant? {
    guard let due else { return nil }
    if slept > 0 { return min(due, now.advanced(bySeconds: -slept)) }
    return due.seconds(to: now) > DaemonLimits.lateSeconds ? due : nil
  }

  /// When to look next whether somebody is there, though nothing is due by then: a stop is seen and dated by a look that
  /// comes late. Nil while the time of no program runs.
  ///
  /// - Parameter ends: when the time of each program is over; nil where it has no limit.
  static func nextLook(from now: EngineInstant, ends: [EngineInstant?]) -> EngineInstant? {
    ends.contains { $0.map { $0 > now } ?? false } ? now.advanced(bySeconds: lookSeconds) : nil
  }

  /// What a stop takes from a program's time at most. A program's time is short, and it runs itself meanwhile.
  private static let lookSeconds = 1.0

  /// Seconds of a sleep, by what the kernel's two clocks differ; 0 for less than a second, as they are read one after the
  /// other.
  static func sleepSeconds(_ seconds: Double) -> Double { seconds > 1 ? seconds : 0 }

  /// What was answered during a pause is taken until then.
  mutating func pause(until end: EngineInstant) { pauseEnd = end }

  /// Ends a pause that is over; whether somebody is there again.
  mutating func endPause(at instant: EngineInstant) -> Bool {
    guard let end = pauseEnd, end <= instant else { return false }
    pauseEnd = nil
    return !isOn
  }
}

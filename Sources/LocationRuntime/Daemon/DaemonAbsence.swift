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

  /// What was answered during a pause is taken until then.
  mutating func pause(until end: EngineInstant) { pauseEnd = end }

  /// Ends a pause that is over; whether somebody is there again.
  mutating func endPause(at instant: EngineInstant) -> Bool {
    guard let end = pauseEnd, end <= instant else { return false }
    pauseEnd = nil
    return !isOn
  }
}

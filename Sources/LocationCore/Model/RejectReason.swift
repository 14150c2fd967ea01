/// Why a position report was not believed. The raw values are stable: they stand in records and docs.
///
/// The cases are in the order in which ``FixGate`` asks; a report is refused for the first that holds.
public enum RejectReason: String, Error, Hashable, Sendable, Codable, CaseIterable {
  /// The source says it has no fix.
  case noFix = "no_fix"
  /// Latitude or longitude is missing or is not a number.
  case noPosition = "no_position"
  /// Latitude or longitude is outside its range.
  case outOfRange = "out_of_range"
  /// Within a metre of 0, 0 without having been near before: a receiver's way to say nothing.
  case nullIsland = "null_island"
  /// No time: nothing can be said of when it held.
  case noTime = "no_time"
  /// The same time as the fix before.
  case duplicate
  /// Older than the fix before: a late copy.
  case late
  /// Far ahead of the fix before, or of the system clock, and not confirmed yet.
  case future
  /// Older than a live fix may be when it arrives.
  case stale
  /// The stated error is larger than any service can use.
  case inaccurate
  /// Reaching it from the fix before would take an impossible speed, and nothing confirmed it yet.
  case speed
}

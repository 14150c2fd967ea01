/// An exit that is held back by its region's exit delay.
struct RegionDeparture: Hashable, Sendable {
  var slot: RegionSlot
  /// The fix that decided.
  var fix: RegionFix
  var edgeMeters: Double
  var confidence: Double
}

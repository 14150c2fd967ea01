package import LocationCore

/// The machine's two clocks, read at the same moment.
package struct ClockReading: Hashable, Sendable {
  /// On the engine's axis.
  package var instant: EngineInstant
  /// What the system clock says; nil where it has evidently not been set.
  package var utc: UTCTime?

  /// UTC for what has a date in any case: without a clock, that of the axis.
  var dating: UTCTime { utc ?? UTCTime(microseconds: instant.microseconds) }

  /// So many seconds later.
  package func advanced(bySeconds seconds: Double) -> ClockReading {
    ClockReading(instant: instant.advanced(bySeconds: seconds), utc: utc?.advanced(bySeconds: seconds))
  }
}

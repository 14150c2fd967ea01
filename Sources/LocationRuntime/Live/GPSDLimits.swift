/// The numbers by which a live source is judged. Those that tell silence are for a receiver with a fix a second;
/// for a slower one they grow with its cycle.
package enum GPSDLimits {
  /// Seconds for connecting, and again for the first word: a gpsd that probes a device keeps clients waiting for 4 to
  /// 6 s (gpsd 3.22).
  package static let connectSeconds = 15.0
  /// The same for a helper, which connects to somebody else before it says anything.
  package static let siblingSeconds = 45.0
  /// Seconds without a fix after which the position is called stale: five cycles.
  package static let degradedSeconds = 5.0
  /// Seconds without a fix after which there is none.
  package static let noFixSeconds = 30.0
  /// Seconds without a word of gpsd after which the connection is made anew: gpsd says nothing when a device
  /// vanishes, and a machine that went away says nothing either.
  package static let renewalSeconds = 60.0
  /// How often that time is doubled while it does not help: up to 16 min.
  package static let renewalDoublings = 4
  /// The longest cycle that is believed, seconds.
  package static let longestCycleSeconds = 60.0
  /// Seconds between the oldest and the newest fix read at once from which on they are a backlog: as old as a fix may
  /// be, see `FixGate.Configuration.maxAgeSeconds`.
  package static let backlogSeconds = 15.0
  /// Seconds from one fix to the next beyond which two that are read at once have different dates: half a day.
  static let dateSeconds = 43_200.0
  /// A fix is none of now when it is older than this, seconds.
  package static let oldSeconds = 15.0
  /// Or so much ahead of the system clock, seconds.
  package static let aheadSeconds = 10.0
  /// Unless its age changes by less than this part of the time since the report before: then one of the two clocks was
  /// set wrong. Of reports that waited and come all at once, it changes by all of it.
  package static let paceShare = 0.5
  /// The longest line, bytes; gpsd's own limit is 10,240 (`GPS_JSON_RESPONSE_MAX`).
  package static let lineBytes = 1 << 16
  /// How much is read at once, bytes: 800 reports.
  package static let burstBytes = 1 << 18
  /// Events that may wait for the engine.
  package static let inboxEvents = 4096
}

import LocationCore

/// What becomes of the connection when nobody needs a fix.
///
/// The connection is closed, not only the watch ended: gpsd without `-n` closes a receiver when the last client that
/// watches has gone, and drops a client that watches nothing after 15 min (gpsd 3.22, `COMMAND_TIMEOUT`).
extension GPSDSession {
  /// Whether it has no connection on purpose.
  package var isResting: Bool { link == .down(until: .distantPast) }

  /// Lets go of gpsd. Nothing is due then, and its silence means nothing.
  package mutating func rest() {
    guard !isResting else { return }
    if case .down = link {} else { actions.append(.disconnect) }
    link = .down(until: .distantPast)
    delay.reset()
    // The time until the next fix is no step of the receiver's.
    cycle.pause()
  }

  /// Asks for fixes again, at once.
  package mutating func wake(at reading: ClockReading) {
    guard isResting else { return }
    searchSince = reading.instant
    freshness = .searching
    quietConnections = 0
    connect(at: reading.instant)
  }
}

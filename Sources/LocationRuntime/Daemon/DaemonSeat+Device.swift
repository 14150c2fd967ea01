import Glibc
package import LocationCore
package import LocationFormats

/// What a command wants to know of the device and of who watches it.
extension DaemonSeat {
  /// Where the device was last.
  package struct LastFix: Sendable {
    /// Where.
    package var coordinate: Coordinate
    /// Metres within which the true position lies with 68 %.
    package var accuracyMeters: Double
    /// Seconds since then.
    package var ageSeconds: Double
  }

  /// The last fix of the daemon, or of the state file where none runs; nil where none is known.
  package func lastFix() throws(Failure) -> LastFix? {
    let isThere = try StateDatabase.openToRead(path: state) != nil
    guard isThere,
      let fix = try status()["fix"]
    else { return nil }
    guard let latitude = fix["lat"]?.double, let longitude = fix["lon"]?.double,
      let coordinate = Coordinate(latitude: latitude, longitude: longitude),
      let accuracy = fix["acc_m"]?.double, let age = fix["age_s"]?.double
    else { return nil }
    return LastFix(coordinate: coordinate, accuracyMeters: accuracy, ageSeconds: age)
  }

  /// What a subscriber asks for that is not there: its program, its regions, what these report. A line each.
  package func complaints(about subscriber: Subscriber) throws(Failure) -> [String] {
    let database = try StateDatabase.openToRead(path: state)
    return try DaemonGreeting.complaints(
      about: subscriber, in: database, regions: database?.regionIDs() ?? [],
      socket: ControlAddress.place("subscribers", state: state))
  }

  /// The process of the daemon on this state file; nil where none runs.
  package func daemonPID() throws(Failure) -> Int? {
    try connect()?.ask("status")["daemon"]?["pid"]?.integer
  }

  /// Whether a daemon runs on this state file.
  package func hasDaemon() throws(Failure) -> Bool {
    guard let client = try connect() else { return false }
    withExtendedLifetime(client) {}
    return true
  }

  /// The state file of another daemon that runs on this machine, the system's or this user's own; nil where none does.
  package func otherDaemon() -> String? {
    for other in StatePath.usual where other != state {
      if let client = try? ControlClient.connect(state: other) {
        withExtendedLifetime(client) {}
        return other
      }
    }
    // Where its state may not be read, only its socket tells of the system's daemon.
    let isThere = unsafe access(ControlAddress.system.path, F_OK) == 0
    return isThere && StatePath.system != state ? StatePath.system : nil
  }
}

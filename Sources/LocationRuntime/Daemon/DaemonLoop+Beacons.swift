import Glibc
import LocationCore
import LocationFormats

/// Regions of beacons (rule B11).
extension DaemonLoop {
  /// Has the beacons of all regions looked for. In a log that is played nobody looks for them.
  mutating func alignBeacons() {
    guard !request.isSimulated else { return }
    beacons.align(live.engine.beacons)
    beacons.takeTroubles().forEach(Self.log)
  }

  /// Nobody knows what has become of beacons while there was no daemon.
  mutating func forgetBeacons() throws(Failure) {
    guard live.engine.hasPresentBeacons else { return }
    try live.handleAtLast(.beacon(.lost(nil, secondsAgo: 0)))
  }

  /// Takes what BlueZ says of beacons.
  mutating func takeBeacons() throws(Failure) {
    for event in beacons.take(polled) { try live.handle(.beacon(event), at: clock.read()) }
    if beacons.mayRetry() { alignBeacons() }
    beacons.takeTroubles().forEach(Self.log)
  }

  /// A beacon was seen.
  mutating func beacon(_ request: JSONTree) throws(Failure) {
    guard let beacon = Beacon(try word("beacon", request)),
      beacon.minor != nil || beacon.instance != nil
    else {
      throw Failure(.usage, what: "\"beacon\" is UUID:MAJOR:MINOR or NAMESPACE:INSTANCE")
    }
    let seconds = request["seconds"].map { $0.integer } ?? 0
    guard let seconds, (0...Self.longestSight).contains(seconds) else {
      throw Failure(.usage, what: "\"seconds\" is a number of at most \(Self.longestSight)")
    }
    try live.handle(.beacon(.seen(beacon, seconds: Double(seconds))), at: clock.read())
  }

  /// Seconds of one sight, at most: a reporter that goes away is not believed for longer.
  private static var longestSight: Int { 300 }
}

import LocationCore
import LocationFormats

/// Regions of beacons (rule B11).
extension DaemonLoop {
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
    try live.handle(
      .beacon(BeaconSighting(beacon, seconds: Double(seconds))), at: clock.read())
  }

  /// Seconds of one sight, at most: a reporter that goes away is not believed for longer.
  private static var longestSight: Int { 300 }
}

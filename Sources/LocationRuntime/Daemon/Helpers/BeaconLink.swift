import Glibc
import LocationCore
import LocationFormats

/// The program that has BlueZ look for beacons, `locwatch-beacons` (rule B11). There is one only while there are regions
/// of beacons.
struct BeaconLink: LinkedSibling {
  var link: SiblingLink
  private var watched: [Beacon] = []

  init(environment: [String], now: @escaping () -> EngineInstant) {
    link = SiblingLink(environment: environment, now: now)
  }

  /// Seconds after the last sight at which BlueZ tells that a beacon is lost (`RSSILowTimeout` in locwatch-beacons).
  private static let lostSeconds = 10.0

  /// The program; nil where it is not there, or the machine has no bus.
  static var helper: String? { ConditionsLink.helper("locwatch-beacons") }

  /// What is looked for from now on.
  mutating func align(_ beacons: [Beacon]) {
    var seen: Set<Beacon> = []
    let beacons = beacons.filter { seen.insert($0).inserted }
    guard beacons != watched, link.retryAt == nil else { return }
    watched = beacons
    guard !beacons.isEmpty else { return end() }
    link.start(Self.helper)
    let texts = JSONTree.array(beacons.map { .string($0.text) })
    link.say(.object(["watch": texts]))
  }

  mutating func forgetTold() { watched = [] }

  /// What has become of beacons.
  mutating func take(_ polled: PollSet) -> [BeaconEvent] {
    guard link.hasNews(polled) else { return [] }
    let (lines, hasEnded) = link.take()
    var events = lines.compactMap { take($0) }
    if hasEnded {
      link.complain("locwatch-beacons has ended and is started again; until then no beacon is seen")
      events.append(.lost(nil, secondsAgo: 0))
    }
    return events
  }

  private mutating func take(_ line: JSONTree) -> BeaconEvent? {
    func beacon(_ key: String) -> Beacon? { line[key]?.string.flatMap { Beacon($0) } }
    if let text = line["trouble"]?.string { link.complain("beacons: \(text)") }
    if let beacon = beacon("found") { return .seen(beacon, seconds: nil) }
    if let beacon = beacon("lost") { return .lost(beacon, secondsAgo: Self.lostSeconds) }
    return line["lost"] == .null ? .lost(nil, secondsAgo: 0) : nil
  }
}

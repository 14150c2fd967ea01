import Glibc
import LocationBus
import LocationCore
import LocationFormats

/// Has BlueZ look for beacons: `locwatch run` starts it while there are regions of beacons (rule B11).
///
/// It reads lines `{"watch":[BEACON, ...]}`, of which the last counts, and writes `{"found":BEACON}` and
/// `{"lost":BEACON}`, or `{"lost":null}` for all, and `{"trouble":TEXT}` for the log. It ends when its input does. It is
/// a program of its own so that the daemon needs no bus.
@main struct BeaconsMain {
  /// The longest line: 512 beacons of 60 bytes.
  private static let lineBytes = 65_536

  static func main() {
    BusProgram.run(
      "locwatch-beacons", see: "locwatch regions add", on: .system,
      tell: { say("trouble", .string("no bus of the machine: \($0)")) }, serve: serve)
  }

  private static func serve(_ bus: consuming MessageBus) throws(MessageBus.Failure) {
    var lines = LineBuffer(limit: lineBytes)
    var monitors = AdvertisementMonitors()
    try monitors.begin(on: bus)
    try bus.serve { (message) throws(MessageBus.Failure) in
      for news in try monitors.take(message, on: bus) { say(news) }
    } input: { (bytes) throws(MessageBus.Failure) in
      lines.append(bytes.span)
      try lines.each { (line) throws(MessageBus.Failure) in
        guard case .array(let texts)? = (try? JSONTree(Array(line)))?["watch"] else { return }
        let beacons = texts.compactMap { $0.string.flatMap { Beacon($0) } }
        for news in try monitors.watch(beacons, on: bus) { say(news) }
      }
    }
  }

  private static func say(_ news: AdvertisementMonitors.News) {
    switch news {
    case .found(let beacon): say("found", .string(beacon.text))
    case .lost(let beacon): say("lost", beacon.map { .string($0.text) } ?? .null)
    case .trouble(let text): say("trouble", .string(text))
    }
  }

  private static func say(_ key: String, _ value: JSONTree) {
    print(JSONTree.object([key: value]).text)
  }
}

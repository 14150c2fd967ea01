import Glibc
import LocationBus
import LocationCore
import LocationFormats

/// Has Avahi publish services of programs on the network: `locwatch run` starts it while there are any (rule K6).
///
/// It reads lines `{"subscriber":NAME,"services":[{"type":TYPE,"port":PORT}, ...]}`, of which the last of a name counts.
/// It writes `{"unavailable":NAME}` where there is no Avahi to publish those of a program, and `{"trouble":TEXT}` for the
/// log. It ends when its input does, and Avahi withdraws what it had published. It is a program of its own so that the
/// daemon needs no bus.
@main struct AdvertiseMain {
  /// The longest line: the name of a subscriber, of which each byte may take six, and 16 services.
  private static let lineBytes = 8_192

  static func main() {
    BusProgram.run(
      "locwatch-advertise", see: "locwatch subscribers", on: .system, confidant: PublishedServices.service,
      tell: { say(.trouble("no bus of the machine: \($0)")) }, serve: serve)
  }

  private static func serve(_ bus: consuming MessageBus) throws(MessageBus.Failure) {
    var lines = LineBuffer(limit: lineBytes)
    var published = PublishedServices()
    try published.begin(on: bus)
    try bus.serve { (message) throws(MessageBus.Failure) in
      for news in try published.take(message, on: bus) { say(news) }
    } input: { (bytes) throws(MessageBus.Failure) in
      lines.append(bytes.span)
      try lines.each { (line) throws(MessageBus.Failure) in
        guard let line = try? JSONTree(Array(line)), let name = line["subscriber"]?.string,
          case .array(let list)? = line["services"]
        else { return }
        let services = list.compactMap { service -> AdvertisedService? in
          guard let type = service["type"]?.string, let port = service["port"]?.integer else { return nil }
          return AdvertisedService(type: type, port: port)
        }
        for news in published.publish(services, of: name, on: bus) { say(news) }
      }
    }
  }

  private static func say(_ news: PublishedServices.News) {
    switch news {
    case .unavailable(let name): print(JSONTree.object(["unavailable": .string(name)]).text)
    case .trouble(let text): print(JSONTree.object(["trouble": .string(text)]).text)
    }
  }
}

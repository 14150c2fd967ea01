import Glibc
import LocationCore
import LocationFormats

/// The program that has Avahi publish services of programs, `locwatch-advertise` (rule K6). There is one only while there
/// are any.
struct AdvertiseLink: LinkedSibling {
  var link: SiblingLink
  /// What is to be published of each subscriber that has anything.
  private var wanted: [String: [AdvertisedService]] = [:]

  init(environment: [String], now: @escaping () -> EngineInstant) {
    link = SiblingLink(environment: environment, now: now)
  }

  /// The program; nil where it is not there, or the machine has no bus.
  static var helper: String? { ConditionsLink.helper("locwatch-advertise") }

  /// What is published of a subscriber from now on.
  mutating func publish(_ services: [AdvertisedService], of name: String) {
    guard services != wanted[name] ?? [] else { return }
    wanted[name] = services.isEmpty ? nil : services
    guard !wanted.isEmpty else { return end() }
    guard link.retryAt == nil else { return }
    link.start(Self.helper)
    say(name)
  }

  private mutating func say(_ name: String) {
    let services = (wanted[name] ?? []).map { service in
      JSONTree.object(["type": .string(service.type), "port": .integer(service.port)])
    }
    link.say(.object(["subscriber": .string(name), "services": .array(services)]))
  }

  /// It is told by ``renew()``.
  mutating func forgetTold() {}

  /// Starts it again, and tells it everything.
  mutating func renew() {
    guard !wanted.isEmpty else { return }
    link.start(Self.helper)
    for name in wanted.keys.sorted() { say(name) }
  }

  /// The subscribers whose services nobody publishes.
  mutating func take(_ polled: PollSet) -> [String] {
    guard link.hasNews(polled) else { return [] }
    let (lines, hasEnded) = link.take()
    for line in lines { if let text = line["trouble"]?.string { link.complain("services: \(text)") } }
    if hasEnded {
      link.complain(
        "locwatch-advertise has ended and is started again; until then no service of a program is published")
    }
    // What was withdrawn meanwhile needs no answer.
    return lines.compactMap { $0["unavailable"]?.string }.filter { wanted[$0] != nil }
  }
}

import Glibc
import LocationCore
import LocationFormats

/// The program that speaks to BlueZ for sessions of Bluetooth, `locwatch-bluetooth` (rule J3). It is started with the
/// first session.
struct BluetoothLink: LinkedSibling {
  /// What has become of sessions.
  enum News {
    /// What can be heard of a characteristic.
    case held(subscriber: String, session: String, Descriptor)
    case event(subscriber: String, AccessoryEvent)
  }

  /// A session as both sides know it.
  private struct Entry {
    var number: Int
    var subscriber: String
    var terms: AccessoryTerms
    /// Whether its service is registered; one of another device is told of by its descriptor.
    var isRegistered = false
  }

  var link: SiblingLink
  private var entries: [Entry] = []
  private var lastNumber = 0

  init(environment: [String], now: @escaping () -> EngineInstant) {
    link = SiblingLink(environment: environment, hasChannel: true, now: now)
  }

  /// The program; nil where it is not there, or the machine has no bus.
  static var helper: String? { ConditionsLink.helper("locwatch-bluetooth") }

  // MARK: Sessions

  /// Has a session opened, unless it is.
  mutating func open(_ terms: AccessoryTerms, of name: String) {
    if let known = entries.first(where: { $0.subscriber == name && $0.terms.session == terms.session }) {
      guard !known.terms.isSameSession(as: terms) else { return }
      close(terms.session, of: name)
    }
    guard let gatt = terms.gatt, link.retryAt == nil else { return }
    link.start(Self.helper)
    lastNumber += 1
    entries.append(Entry(number: lastNumber, subscriber: name, terms: terms))
    switch gatt {
    case .central(let service, let characteristic):
      link.say(
        .object([
          "open": .integer(lastNumber), "device": .string(terms.device), "service": .string(service),
          "characteristic": .string(characteristic),
        ]))
    case .peripheral(let service):
      link.say(.object(["open": .integer(lastNumber), "peripheral": Self.tree(service)]))
    }
  }

  /// Closes a session, where it is open.
  mutating func close(_ session: String, of name: String) {
    for entry in entries where entry.subscriber == name && entry.terms.session == session {
      link.say(.object(["close": .integer(entry.number)]))
    }
    entries.removeAll { $0.subscriber == name && $0.terms.session == session }
  }

  /// Closes all sessions of a subscriber.
  mutating func closeAll(of name: String) {
    for session in entries.filter({ $0.subscriber == name }).map(\.terms.session) { close(session, of: name) }
  }

  /// Gives the value of a characteristic to other devices.
  mutating func publish(_ value: String, of characteristic: String, in session: String, of name: String) {
    guard let entry = entry(session, of: name) else { return }
    link.say(
      .object([
        "publish": .integer(entry.number), "characteristic": .string(characteristic),
        "value": .string(value),
      ]))
  }

  /// Answers another device; false where no such service is there.
  mutating func answer(_ answer: GattAnswer, of name: String) -> Bool {
    guard let entry = entry(answer.session, of: name), entry.isRegistered else { return false }
    link.say(
      .object([
        "answer": .integer(entry.number), "request": .integer(answer.request),
        "value": answer.value.map { .string($0) }, "error": answer.isRefused ? .boolean(true) : nil,
      ]))
    return true
  }

  /// Sessions are opened anew, each by itself.
  mutating func forgetTold() {}

  private func entry(_ session: String, of name: String) -> Entry? {
    entries.first { $0.subscriber == name && $0.terms.session == session }
  }

  private static func tree(_ service: GattService) -> JSONTree {
    let characteristics = service.characteristics.map { characteristic -> JSONTree in
      .object([
        "characteristic": .string(characteristic.uuid), "uses": .strings(characteristic.uses.map(\.rawValue)),
        "value": characteristic.value.map { .string($0) },
      ])
    }
    return .object([
      "service": .string(service.uuid), "name": service.name.map { .string($0) },
      "characteristics": .array(characteristics),
    ])
  }

  // MARK: What it says

  /// What has become of sessions.
  mutating func take(_ polled: PollSet) -> [News] {
    guard link.hasNews(polled) else { return [] }
    var news: [News] = []
    for (line, descriptor) in link.takePassed() {
      guard let entry = entry(line["held"]) else { continue }
      news.append(.held(subscriber: entry.subscriber, session: entry.terms.session, descriptor))
    }
    let (lines, hasEnded) = link.take()
    for line in lines {
      if let event = take(line) { news.append(event) }
    }
    guard hasEnded else { return news }
    link.complain("locwatch-bluetooth has ended and is started again; until then there is no Bluetooth")
    for entry in entries where entry.isRegistered {
      news.append(
        .event(subscriber: entry.subscriber, .disconnected(session: entry.terms.session)))
    }
    entries = []
    return news
  }

  private func entry(_ number: JSONTree?) -> Entry? {
    number?.integer.flatMap { number in entries.first { $0.number == number } }
  }

  private mutating func take(_ line: JSONTree) -> News? {
    if let text = line["trouble"]?.string { link.complain("Bluetooth: \(text)") }
    if let entry = entry(line["registered"]) {
      note(entry.number, isRegistered: true)
      return .event(subscriber: entry.subscriber, .connected(session: entry.terms.session))
    }
    if let entry = entry(line["gone"]) {
      note(entry.number, isRegistered: false)
      return .event(subscriber: entry.subscriber, .disconnected(session: entry.terms.session))
    }
    guard let entry = entry(line["asks"]), let kind = line["what"]?.string,
      let what = GattRequest.Kind(rawValue: kind), let characteristic = line["characteristic"]?.string
    else { return nil }
    let request = GattRequest(
      number: line["request"]?.integer, kind: what, characteristic: characteristic,
      value: line["value"]?.string)
    return .event(subscriber: entry.subscriber, .request(session: entry.terms.session, request))
  }

  private mutating func note(_ number: Int, isRegistered: Bool) {
    guard let place = entries.firstIndex(where: { $0.number == number }) else { return }
    entries[place].isRegistered = isRegistered
  }
}

import LocationBus
import LocationCore

/// What Avahi publishes in place of the daemon (`org.freedesktop.Avahi`, Avahi 0.6 and later). Each service is a group of
/// entries of its own, so that a change of one leaves the others as they are. Groups end with the connection.
struct PublishedServices {
  /// What is told.
  enum News: Hashable {
    /// There is no Avahi to publish those of a subscriber, which are forgotten.
    case unavailable(String)
    case trouble(String)
  }

  /// One service.
  private struct Entry {
    var subscriber: String
    var service: AdvertisedService
    /// The object of its group; nil where it is not published.
    var path: String?
    /// What it is called after a collision; nil before one.
    var name: String?
    /// Names that were taken by others.
    var collisions = 0
    /// Whether Avahi did not take it. It is tried again when Avahi is there anew.
    var hasFailed = false
  }

  /// Where Avahi stands.
  private enum Server: Hashable {
    /// Nobody has asked.
    case unknown
    /// It was there, and is gone: such as while it is started anew.
    case gone
    /// It looks for a name of the machine that nobody else has.
    case isWaiting
    case isRunning
  }

  static let service = "org.freedesktop.Avahi"
  private static let server = "org.freedesktop.Avahi.Server"
  private static let group = "org.freedesktop.Avahi.EntryGroup"
  /// States of a server and of a group (avahi-common/defs.h).
  private static let serverRuns: Int32 = 2
  private static let groupCollides: Int32 = 3
  private static let groupFails: Int32 = 4
  /// Any interface, any protocol (`AVAHI_IF_UNSPEC`, `AVAHI_PROTO_UNSPEC`).
  private static let any: Int32 = -1
  /// The longest name of a service (RFC 6763, section 4.1.1).
  private static let nameBytes = 63
  /// Names that are tried for one service.
  private static let mostCollisions = 16

  private var entries: [Entry] = []
  private var state = Server.unknown
  /// Who is Avahi; empty while nobody is.
  private var owner = ""
  /// What the machine is called on the network.
  private var host = ""

  /// Learns when Avahi comes and goes, and when it has another name of the machine.
  mutating func begin(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    try bus.watchOwners(of: Self.service)
    for interface in [Self.server, Self.group] {
      try bus.match(
        "type='signal',sender='\(Self.service)',interface='\(interface)',member='StateChanged'")
    }
  }

  /// Publishes these of a subscriber from now on, in place of those before.
  mutating func publish(
    _ services: [AdvertisedService], of name: String, on bus: borrowing MessageBus
  ) -> [News] {
    for place in entries.indices
    where entries[place].subscriber == name && !services.contains(entries[place].service) {
      withdraw(place, on: bus)
    }
    entries.removeAll { $0.subscriber == name && !services.contains($0.service) }
    for service in services where !entries.contains(where: { $0.subscriber == name && $0.service == service })
    {
      entries.append(Entry(subscriber: name, service: service))
    }
    if state == .unknown, !entries.isEmpty, let trouble = look(on: bus) {
      entries.removeAll { $0.subscriber == name }
      return [.unavailable(name), .trouble("Avahi does not answer: \(trouble)")]
    }
    return register(on: bus)
  }

  /// Asks Avahi where it stands; what went wrong, nil where nothing did.
  private mutating func look(on bus: borrowing MessageBus) -> MessageBus.Failure? {
    do throws(MessageBus.Failure) {
      let answer = try bus.call(Self.service, "/", Self.server, "GetState", []) {
        (answer) throws(MessageBus.Failure) in try answer.value()
      }
      state = answer == .int32(Self.serverRuns) ? .isRunning : .isWaiting
      owner = bus.owner(of: Self.service) ?? ""
      return nil
    } catch {
      return error
    }
  }

  private mutating func withdraw(_ place: Int, on bus: borrowing MessageBus) {
    guard let path = entries[place].path else { return }
    entries[place].path = nil
    // Who is gone has withdrawn it.
    _ = try? bus.send(Self.service, path, Self.group, "Free")
  }

  /// Publishes what is not.
  private mutating func register(on bus: borrowing MessageBus) -> [News] {
    guard state == .isRunning else { return [] }
    var news: [News] = []
    for place in entries.indices where entries[place].path == nil && !entries[place].hasFailed {
      if let trouble = register(place, on: bus) { news.append(trouble) }
    }
    return news
  }

  private mutating func register(_ place: Int, on bus: borrowing MessageBus) -> News? {
    do throws(MessageBus.Failure) {
      if host.isEmpty { host = try text("GetHostName", [], on: bus) }
      let path = try text("EntryGroupNew", [], on: bus)
      entries[place].path = path
      return try add(place, to: path, on: bus)
    } catch {
      return fail(place, "\(error)", on: bus)
    }
  }

  /// Calls a method of the server that answers a text.
  private func text(
    _ method: String, _ arguments: [BusValue], on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> String {
    try bus.call(Self.service, "/", Self.server, method, arguments) {
      (answer) throws(MessageBus.Failure) in try answer.text() ?? ""
    }
  }

  /// Adds a service to its empty group. Where its name is taken on this machine, under another.
  private mutating func add(
    _ place: Int, to path: String, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> News? {
    while true {
      let entry = entries[place]
      let name = entry.name ?? Self.name(of: entry.subscriber, on: host)
      do throws(MessageBus.Failure) {
        try call(
          path, "AddService",
          [
            .int32(Self.any), .int32(Self.any), .uint32(0), .text(name), .text(entry.service.type), .text(""),
            .text(""), .uint16(entry.service.port), .list("ay", []),
          ], on: bus)
        try call(path, "Commit", [], on: bus)
        return nil
      } catch {
        guard error.answer?.contains(Self.collision) == true else { throw error }
        guard try rename(place, from: name, on: bus) else { return fail(place, "\(error)", on: bus) }
      }
    }
  }

  /// What `avahi_strerror` calls a name that another program on this machine has.
  private static let collision = "collision"

  private func call(
    _ path: String, _ method: String, _ arguments: [BusValue], on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    try bus.call(Self.service, path, Self.group, method, arguments) { _ in }
  }

  /// Another name than one that is taken; false where too many were.
  private mutating func rename(
    _ place: Int, from name: String, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> Bool {
    entries[place].collisions += 1
    guard entries[place].collisions <= Self.mostCollisions else { return false }
    entries[place].name = try text("GetAlternativeServiceName", [.text(name)], on: bus)
    return true
  }

  /// What a service is called, where nobody else is called that: its program, and the machine.
  private static func name(of subscriber: String, on host: String) -> String {
    var name = host.isEmpty ? subscriber : "\(subscriber) on \(host)"
    while name.utf8.count > nameBytes { name.removeLast() }
    return name
  }

  /// A service can't be published.
  private mutating func fail(_ place: Int, _ reason: String, on bus: borrowing MessageBus) -> News {
    let entry = entries[place]
    withdraw(place, on: bus)
    entries[place].hasFailed = true
    return .trouble("Avahi does not publish \(entry.service.type) of \(entry.subscriber): \(reason)")
  }

  // MARK: - What comes

  /// Takes a message: what is to be told.
  mutating func take(
    _ message: borrowing BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> [News] {
    if let change = try message.ownerChange() { return follow(change.before, change.after, on: bus) }
    if message.isSignal(Self.server, "StateChanged") {
      guard state != .unknown, case .int32(let number)? = try message.value() else { return [] }
      return follow(server: number, on: bus)
    }
    if message.isSignal(Self.group, "StateChanged") {
      let path = message.path
      guard let place = entries.firstIndex(where: { $0.path == path }),
        case .int32(let number)? = try message.value()
      else { return [] }
      return try follow(group: number, reason: message.text() ?? "", place, on: bus)
    }
    return []
  }

  /// Avahi has gone, or is there anew, and knows nothing of us.
  private mutating func follow(_ before: String, _ after: String, on bus: borrowing MessageBus) -> [News] {
    guard state != .unknown, after != owner, before == owner || owner.isEmpty else { return [] }
    owner = ""
    state = .gone
    host = ""
    for place in entries.indices {
      entries[place].path = nil
      entries[place].hasFailed = false
    }
    guard !after.isEmpty, look(on: bus) == nil else { return [] }
    return register(on: bus)
  }

  /// Avahi looks for another name of the machine, under which services are published anew.
  private mutating func follow(server number: Int32, on bus: borrowing MessageBus) -> [News] {
    let isRunning = number == Self.serverRuns
    guard isRunning != (state == .isRunning), state != .gone else { return [] }
    state = isRunning ? .isRunning : .isWaiting
    host = ""
    for place in entries.indices {
      withdraw(place, on: bus)
      entries[place].name = nil
      entries[place].collisions = 0
      entries[place].hasFailed = false
    }
    return register(on: bus)
  }

  /// What has become of a group: where another machine has its name, it takes another.
  private mutating func follow(
    group number: Int32, reason: String, _ place: Int, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> [News] {
    if number == Self.groupFails { return [fail(place, reason, on: bus)] }
    guard number == Self.groupCollides, let path = entries[place].path else { return [] }
    do throws(MessageBus.Failure) {
      let name = entries[place].name ?? Self.name(of: entries[place].subscriber, on: host)
      guard try rename(place, from: name, on: bus) else {
        return [fail(place, "all names are taken", on: bus)]
      }
      try call(path, "Reset", [], on: bus)
      return try add(place, to: path, on: bus).map { [$0] } ?? []
    } catch {
      return [fail(place, "\(error)", on: bus)]
    }
  }
}

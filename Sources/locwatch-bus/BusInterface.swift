import Glibc
import LocationBus
import LocationCore
import LocationFormats
import LocationRuntime

/// The daemon on D-Bus: `locwatch.Daemon1` at `/locwatch`, as Docs/DBus.md describes it.
///
/// Root and the user of this process may call methods and read properties. Everybody gets the signals that say only
/// that something happened. A subscriber that is permitted gets each record whole.
struct BusInterface: ~Copyable {
  private let bus: MessageBus
  private let seat: DaemonSeat
  private var client: ControlClient?
  private var feed: EventFeed
  /// Who gets records whole, and which.
  private var listeners: [String: EventFilter] = [:]
  /// The properties as they were last announced; empty before.
  private var announced: [BusValue.Entry] = []

  static let name = "locwatch.Daemon1"
  static let path = "/locwatch"
  /// The most connections that may subscribe.
  private static let listenerLimit = 64
  /// The most records in one answer.
  private static let eventLimit = 1_000
  /// How often a daemon that is not there is looked for, milliseconds.
  private static let lookMilliseconds: Int32 = 2_000

  static func run(_ arguments: [String]) throws(Failure) {
    var kind = MessageBus.Kind.system
    var state: String?
    var rest = arguments[...]
    while let word = rest.popFirst() {
      switch word {
      case "--session": kind = .session
      case "--state":
        guard let path = rest.popFirst() else {
          throw Failure(.usage, what: "--state needs a file", remedy: "name the state file after it")
        }
        state = path
      case _: throw Failure(.usage, what: "\(word) is not known", remedy: "locwatch-bus --help tells more")
      }
    }
    do throws(MessageBus.Failure) {
      let bus = try MessageBus(kind)
      try bus.request(name: name)
      try bus.watchOwners()
      var interface = try BusInterface(bus, state)
      try interface.serve()
    } catch {
      throw refusal(error, of: kind)
    }
  }

  private static func refusal(_ error: MessageBus.Failure, of kind: MessageBus.Kind) -> Failure {
    if error.code == EEXIST {
      return Failure(
        .unavailable, what: "\(name) is taken: another locwatch-bus runs", remedy: "end that one first")
    }
    let (bus, remedy) =
      switch kind {
      case .session: ("session", MessageBus.Failure.sessionRemedy)
      case .system: ("system", "start dbus, or give --session")
      }
    return Failure(.unavailable, what: "the \(bus) bus: \(error)", remedy: error.isAway ? remedy : nil)
  }

  /// An error of the state file is one of the program's.
  private init(_ bus: consuming MessageBus, _ option: String?) throws(MessageBus.Failure) {
    do throws(Failure) {
      let state = try StatePath.resolve(option: option)
      feed = try EventFeed(fromNowOn: state)
      seat = DaemonSeat(state: state)
    } catch {
      throw MessageBus.Failure(code: ENOENT, answer: "\(error)")
    }
    self.bus = bus
  }

  private mutating func serve() throws(MessageBus.Failure) {
    var polled = PollSet()
    connect()
    announced = (try? properties()) ?? []
    var lookAt = Self.milliseconds + Int64(Self.lookMilliseconds)
    while true {
      while let message = try bus.take() { try take(message) }
      polled.removeAll()
      polled.watch(bus.descriptor, for: Int32(bus.events))
      polled.watch(client?.readable ?? -1)
      let wait = Int32(clamping: max(0, lookAt - Self.milliseconds))
      polled.wait(atMost: client == nil ? wait : -1)
      if client == nil, lookAt <= Self.milliseconds {
        connect()
        lookAt = Self.milliseconds + Int64(Self.lookMilliseconds)
        // What happened before it was found.
        if client != nil { try tell() }
      }
      if polled.has(client?.readable ?? -1) {
        if client?.takeLines() == nil { client = nil }
        try tell()
      }
    }
  }

  private static var milliseconds: Int64 { SystemCall.microseconds(of: CLOCK_MONOTONIC) / 1_000 }

  private mutating func connect() {
    guard let found = try? ControlClient.connect(state: seat.state, database: try? feed.open()),
      (try? found.ask("follow")) != nil
    else { return }
    client = found
  }

  // MARK: - Signals

  /// Tells of records that are new.
  private mutating func tell() throws(MessageBus.Failure) {
    var lines: [ArraySlice<UInt8>] = []
    // What can't be read now is read with the next.
    try? feed.read { lines += $0.split(separator: UInt8(ascii: "\n")) }
    var hasChange = false
    for line in lines {
      guard let tree = try? JSONTree(Array(line)), let id = tree["id"]?.integer else { continue }
      let type = tree["type"]?.string ?? ""
      hasChange = hasChange || type.hasPrefix("region.")
      let text = String(decoding: line, as: UTF8.self)
      let event = LoggedEvent(id: id, type: type, region: tree["region"]?.string, line: text)
      for (listener, filter) in listeners where filter.passes(event) {
        try bus.emit(
          Self.path, Self.name, "Event", [.uint64(UInt64(id)), .text(type), .text(text)], to: listener)
      }
      // Who is where is for those who may know.
      try bus.emit(Self.path, Self.name, "Happened", [.uint64(UInt64(id))])
    }
    if hasChange { try tellProperties() }
  }

  /// Tells which properties have changed, and nothing of where the device is.
  private mutating func tellProperties() throws(MessageBus.Failure) {
    guard let present = try? properties(), present != announced else { return }
    let changed = announced.isEmpty ? [] : present.filter { !announced.contains($0) }
    announced = present
    guard !changed.isEmpty else { return }
    try bus.emit(
      Self.path, MessageBus.properties, "PropertiesChanged",
      [
        .text(Self.name), .map(changed.filter { $0.key != "Inside" }),
        .texts(changed.map(\.key).filter { $0 == "Inside" }),
      ])
  }

  // MARK: - Calls

  private mutating func take(_ message: borrowing BusMessage) throws(MessageBus.Failure) {
    if let change = try message.ownerChange() {
      if change.after.isEmpty { listeners[change.name] = nil }
      return
    }
    guard message.kind == .call else { return }
    if message.isCall("org.freedesktop.DBus.Introspectable", "Introspect") {
      return try bus.reply(to: message, [.text(Self.description(of: message.path))])
    }
    guard message.path == Self.path else {
      return try bus.refuse(message, "org.freedesktop.DBus.Error.UnknownObject", "the object is \(Self.path)")
    }
    guard let user = message.user, user == 0 || user == geteuid() else {
      return try bus.refuse(
        message, "org.freedesktop.DBus.Error.AccessDenied", "only root and the daemon's user may ask")
    }
    let result: Result<[BusValue]?, Failure>
    do throws(Failure) {
      result = .success(try answer(message))
    } catch {
      result = .failure(error)
    }
    switch result {
    case .success(let values?): try bus.reply(to: message, values)
    case .success(nil):
      try bus.refuseUnknown(message)
    case .failure(let failure): try bus.refuse(message, "\(Self.name).Error.Failed", "\(failure)")
    }
  }

  private mutating func answer(_ call: borrowing BusMessage) throws(Failure) -> [BusValue]? {
    if call.interface == MessageBus.properties { return try answerOfProperties(call) }
    guard call.interface == Self.name || call.interface.isEmpty else { return nil }
    switch call.member {
    case "Status": return [.text(try seat.pricedStatus().text)]
    case "Events": return [.texts(try events(call))]
    case "AddRegion": return [.text(try add(try word(call)))]
    case "RemoveRegion":
      let id = try word(call)
      guard try StateDatabase.open(path: seat.state).remove(.ids([id])) > 0 else {
        throw Failure.unknownRegion(id)
      }
      try seat.note([.regions([id])])
      return []
    case "Subscribe":
      guard listeners[call.sender] != nil || listeners.count < Self.listenerLimit else {
        throw Failure(.tryAgain, what: "\(Self.listenerLimit) connections have subscribed already")
      }
      listeners[call.sender] = try filter(call)
      return []
    case "Unsubscribe":
      listeners[call.sender] = nil
      return []
    case _: return nil
    }
  }

  private func word(_ call: borrowing BusMessage) throws(Failure) -> String {
    do throws(MessageBus.Failure) {
      if let text = try call.text() { return text }
    } catch {
      // It is told below.
    }
    throw Failure(.usage, what: "the argument is a string")
  }

  /// What a caller wants to hear of: `a{sv}` with `types` and `regions`; without it all.
  private func filter(_ call: borrowing BusMessage) throws(Failure) -> EventFilter {
    let value: BusValue?
    do throws(MessageBus.Failure) { value = try call.value() } catch { value = .group([]) }
    guard let value else { return EventFilter() }
    guard case .map(let members) = value else { throw Failure(.usage, what: "the argument is (a{sv})") }
    var filter = EventFilter()
    for member in members {
      guard case .texts(let words) = member.value, ["types", "regions"].contains(member.key) else {
        throw Failure(
          .usage, what: "\"\(member.key)\" is no member of a filter",
          remedy: "give types or regions, each a list of strings")
      }
      if member.key == "types" { filter.types = Set(words) } else { filter.regions = Set(words) }
    }
    return filter
  }

  // MARK: - Properties

  private func properties() throws(Failure) -> [BusValue.Entry] {
    let status = try seat.status()
    var inside: [String] = []
    if case .array(let ids)? = status["inside"] { inside = ids.compactMap(\.string) }
    return [
      BusValue.Entry("Version", .text(ProgramVersion.text)), BusValue.Entry("Inside", .texts(inside)),
      BusValue.Entry("LowPower", .flag(status["low_power"] == .boolean(true))),
    ]
  }

  private func answerOfProperties(_ call: borrowing BusMessage) throws(Failure) -> [BusValue]? {
    switch call.member {
    case "GetAll": return [.map(try word(call) == Self.name ? try properties() : [])]
    case "Get":
      let (interface, name) = (try word(call), try word(call))
      guard interface == Self.name, let entry = try properties().first(where: { $0.key == name }) else {
        throw Failure(.usage, what: "there is no property \(interface).\(name)")
      }
      return [.variant(entry.value)]
    case "Set": throw Failure(.noPermission, what: "properties are only read")
    case _: return nil
    }
  }

  // MARK: - Calls of methods

  private mutating func events(_ call: borrowing BusMessage) throws(Failure) -> [String] {
    let values: (BusValue?, BusValue?)?
    do throws(MessageBus.Failure) { values = (try call.value(), try call.value()) } catch { values = nil }
    guard case (.uint64(let since)?, .uint32(let limit)?)? = values else {
      throw Failure(.usage, what: "the arguments are (tu)")
    }
    let most = limit == 0 ? Self.eventLimit : min(Int(limit), Self.eventLimit)
    let page = try feed.open()?.events(after: Int(clamping: since), limit: most)
    return page?.bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) } ?? []
  }

  private func add(_ text: String) throws(Failure) -> String {
    let file = try RegionFile.read(bytes: Array(text.utf8), name: "AddRegion")
    guard file.regions.count == 1, let id = file.regions.first?.id else {
      throw Failure(.data, what: "give one GeoJSON Feature")
    }
    // It would be the same for each Feature of that name, or without one.
    guard !file.hasMadeUpID(at: 0) else { throw Failure(.data, what: "the Feature has no id") }
    _ = try StateDatabase.open(path: seat.state).put([file], changing: true)
    try seat.note([.regions([id])])
    return id
  }

  // MARK: - What there is

  private static func description(of path: String) -> String {
    guard path == Self.path else {
      return #"<node>\#(path == "/" ? #"<node name="locwatch"/>"# : "")</node>"#
    }
    func method(_ name: String, _ arguments: [(String, String, isOut: Bool)]) -> String {
      let list = arguments.map {
        #"<arg name="\#($0.0)" type="\#($0.1)" direction="\#($0.isOut ? "out" : "in")"/>"#
      }
      return #"<method name="\#(name)">\#(list.joined())</method>"#
    }
    let methods = [
      method("Status", [("json", "s", true)]),
      method("Events", [("since", "t", false), ("limit", "u", false), ("records", "as", true)]),
      method("AddRegion", [("geojson", "s", false), ("id", "s", true)]),
      method("RemoveRegion", [("id", "s", false)]), method("Subscribe", [("filter", "a{sv}", false)]),
      method("Unsubscribe", []),
    ]
    let properties = [("Version", "s", "const"), ("Inside", "as", "invalidates"), ("LowPower", "b", "true")]
      .map { name, type, change in
        #"<property name="\#(name)" type="\#(type)" access="read"><annotation "#
          + #"name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="\#(change)"/></property>"#
      }
    let signals =
      #"<signal name="Event"><arg name="id" type="t"/><arg name="type" type="s"/><arg name="json" type="s"/></signal>"#
      + #"<signal name="Happened"><arg name="id" type="t"/></signal>"#
    return
      #"<node><interface name="\#(name)">\#(methods.joined())\#(signals)\#(properties.joined())</interface>"#
      + #"<interface name="org.freedesktop.DBus.Introspectable"><method name="Introspect">"#
      + #"<arg name="data" type="s" direction="out"/></method></interface></node>"#
  }
}

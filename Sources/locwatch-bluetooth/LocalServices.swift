import LocationBus
import LocationCore
import LocationFormats

/// Services of this machine, which other devices use (the role of a peripheral). They are registered with BlueZ as long
/// as their sessions are open, whether their programs run or not.
struct LocalServices {
  /// A call of BlueZ that waits for an answer.
  private final class Waiting {
    let call: BusMessage
    let session: Int
    /// From which byte on is read.
    let offset: Int
    let isRead: Bool
    let until: Int64

    init(_ call: consuming BusMessage, session: Int, offset: Int, isRead: Bool) {
      self.call = call
      self.session = session
      self.offset = offset
      self.isRead = isRead
      until = BlueZ.milliseconds + LocalServices.answerMilliseconds
    }
  }

  private struct Characteristic {
    var uuid: String
    var uses: [String]
    /// What reads are answered by; nil where the program answers each of them.
    var value: [UInt8]?
    var isNotifying = false
  }

  private struct Service {
    var number: Int
    var uuid: String
    var name: String?
    var characteristics: [Characteristic]
    /// The call by which it is registered.
    var asked: UInt64?
    /// The call by which it is advertised.
    var advertised: UInt64?
    /// Whether BlueZ refused that, or has given it up, as while Bluetooth is off.
    var isUnseen = false
    /// The adapter at which it is registered.
    var adapter: String?

    var root: String { "/org/locwatch/bluetooth/\(number)" }
    var path: String { root + "/service" }
    var advertisement: String { root + "/advertisement" }
    func path(of place: Int) -> String { "\(path)/char\(place)" }
  }

  private var services: [Service] = []
  private var waiting: [Int: Waiting] = [:]
  private var lastRequest = 0
  /// When services that BlueZ did not answer about are offered again; nil where there are none.
  private var retryAt: Int64?
  private static let retryMilliseconds: Int64 = 30_000

  /// Another device waits 30 s for an answer, and then ends the connection (Core 5.4, volume 3, part F, 3.3.3).
  private static let answerMilliseconds: Int64 = 29_000

  // MARK: What the daemon says

  mutating func take(_ line: JSONTree, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    if let number = line["close"]?.integer {
      try close(number, on: bus)
    } else if let number = line["open"]?.integer, let tree = line["peripheral"] {
      guard let service = Self.service(number, tree) else { return }
      services.append(service)
      try register(services.count - 1, on: bus)
    } else if let number = line["publish"]?.integer {
      try publish(line, number, on: bus)
    } else if let number = line["answer"]?.integer, let request = line["request"]?.integer {
      try answer(line, request, of: number, on: bus)
    }
  }

  private static func service(_ number: Int, _ tree: JSONTree) -> Service? {
    guard let uuid = tree["service"]?.string, case .array(let list)? = tree["characteristics"] else {
      return nil
    }
    return Service(
      number: number, uuid: uuid, name: tree["name"]?.string,
      characteristics: list.map { entry in
        Characteristic(
          uuid: entry["characteristic"]?.string ?? "", uses: entry["uses"]?.strings ?? [],
          value: entry["value"]?.string.flatMap(GattText.bytes))
      })
  }

  /// Has the first adapter that can do it offer a service.
  private mutating func register(_ place: Int, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    let all = BlueZ.all(on: bus)
    if all == nil { retryAt = BlueZ.milliseconds + Self.retryMilliseconds }
    guard let adapter = all?.first(where: { $0.has(BlueZ.gattManager) }) else {
      return BluetoothMain.note("BlueZ has no adapter that offers services")
    }
    services[place].adapter = adapter.path
    // BlueZ asks us for the objects before it answers.
    services[place].asked = try bus.send(
      BlueZ.service, adapter.path, BlueZ.gattManager, "RegisterApplication",
      [.path(services[place].root), .map([])])
    if adapter.has(BlueZ.advertisingManager) { try advertise(place, at: adapter.path, on: bus) }
  }

  private mutating func advertise(
    _ place: Int, at adapter: String, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    services[place].isUnseen = false
    services[place].advertised = try bus.send(
      BlueZ.service, adapter, BlueZ.advertisingManager, "RegisterAdvertisement",
      [.path(services[place].advertisement), .map([])])
  }

  private mutating func close(_ number: Int, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    guard let place = services.firstIndex(where: { $0.number == number }) else { return }
    let service = services.remove(at: place)
    for request in waiting.keys.sorted() where waiting[request]?.session == number {
      try refuse(request, on: bus)
    }
    guard let adapter = service.adapter else { return }
    _ = try bus.send(
      BlueZ.service, adapter, BlueZ.gattManager, "UnregisterApplication", [.path(service.root)])
    _ = try bus.send(
      BlueZ.service, adapter, BlueZ.advertisingManager, "UnregisterAdvertisement",
      [.path(service.advertisement)])
  }

  private mutating func publish(
    _ line: JSONTree, _ number: Int, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    guard let place = services.firstIndex(where: { $0.number == number }),
      let which = services[place].characteristics.firstIndex(where: {
        $0.uuid == line["characteristic"]?.string
      }), let value = line["value"]?.string.flatMap(GattText.bytes)
    else { return }
    if services[place].characteristics[which].value != nil {
      services[place].characteristics[which].value = value
    }
    guard services[place].characteristics[which].isNotifying else { return }
    try bus.emit(
      services[place].path(of: which), MessageBus.properties, "PropertiesChanged",
      [
        .text(BlueZ.characteristic), .map([BusValue.Entry("Value", .bytes(value))]), .texts([]),
      ])
  }

  private mutating func answer(
    _ line: JSONTree, _ request: Int, of number: Int, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    guard let entry = waiting[request], entry.session == number else { return }
    guard line["error"] != .boolean(true) else { return try refuse(request, on: bus) }
    waiting[request] = nil
    guard entry.isRead else { return try bus.reply(to: entry.call) }
    let value = line["value"]?.string.flatMap(GattText.bytes) ?? []
    try bus.reply(to: entry.call, [.bytes(Array(value.dropFirst(entry.offset)))])
  }

  private mutating func refuse(_ request: Int, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    guard let entry = waiting.removeValue(forKey: request) else { return }
    try bus.refuse(entry.call, "org.bluez.Error.Failed", "the program does not answer")
  }

  // MARK: Time

  /// When something is due.
  var deadline: Int64? { ([retryAt] + waiting.values.map(\.until)).compactMap { $0 }.min() }

  /// Fails what nobody has answered.
  mutating func passTime(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    let now = BlueZ.milliseconds
    for request in waiting.keys.sorted() where waiting[request].map({ $0.until <= now }) ?? false {
      try refuse(request, on: bus)
    }
    guard let due = retryAt, due <= now else { return }
    retryAt = nil
    for place in services.indices where services[place].adapter == nil { try register(place, on: bus) }
  }

  // MARK: What BlueZ says

  mutating func take(
    _ message: consuming BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    switch message.kind {
    case .answer, .error: takeAnswer(message)
    case .call: try takeCall(message, on: bus)
    case .signal, nil: break
    }
  }

  /// BlueZ has come, or is gone and with it what was registered.
  mutating func noteOwner(isThere: Bool, on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    if !isThere { waiting = [:] }
    for place in services.indices {
      if !isThere {
        forget(place)
      } else if services[place].adapter == nil {
        try register(place, on: bus)
      }
    }
  }

  /// BlueZ has lost objects, or has an adapter that it had not or that was off.
  mutating func note(
    lost: [String], hasNewAdapter: Bool, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    for place in services.indices {
      if let adapter = services[place].adapter, lost.contains(adapter) { forget(place) }
      guard hasNewAdapter else { continue }
      if let adapter = services[place].adapter {
        if services[place].isUnseen { try advertise(place, at: adapter, on: bus) }
      } else {
        try register(place, on: bus)
      }
    }
  }

  /// A service is offered no longer.
  private mutating func forget(_ place: Int) {
    if services[place].asked == nil, services[place].adapter != nil {
      BluetoothMain.say("gone", .integer(services[place].number))
    }
    services[place].asked = nil
    services[place].advertised = nil
    services[place].isUnseen = false
    services[place].adapter = nil
    for which in services[place].characteristics.indices {
      services[place].characteristics[which].isNotifying = false
    }
  }

  private mutating func takeAnswer(_ message: borrowing BusMessage) {
    guard let call = message.replyTo else { return }
    if let place = services.firstIndex(where: { $0.asked == call }) {
      services[place].asked = nil
      guard message.kind == .error else {
        return BluetoothMain.say("registered", .integer(services[place].number))
      }
      services[place].adapter = nil
      BluetoothMain.note("BlueZ does not offer the service: \(message.errorText)")
    } else if let place = services.firstIndex(where: { $0.advertised == call }) {
      services[place].advertised = nil
      if message.kind == .error {
        services[place].isUnseen = true
        BluetoothMain.note("BlueZ does not advertise the service: \(message.errorText)")
      }
    }
  }

  private mutating func takeCall(
    _ call: consuming BusMessage, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    let path = call.path
    guard let place = services.firstIndex(where: { path == $0.root || path.hasPrefix($0.root + "/") }) else {
      return try bus.refuseUnknown(call)
    }
    let service = services[place]
    if let which = service.characteristics.indices.first(where: { service.path(of: $0) == path }),
      call.interface == BlueZ.characteristic
    {
      return try takeCall(call, place, which, on: bus)
    }
    switch (call.interface, call.member) {
    case (MessageBus.objectManager, "GetManagedObjects"): try bus.reply(to: call, [Self.objects(of: service)])
    case (MessageBus.properties, "GetAll"):
      try bus.reply(to: call, [.map(Self.properties(of: path, in: service))])
    case (BlueZ.advertisement, "Release"):
      services[place].isUnseen = true
      try bus.reply(to: call)
    case _: try bus.refuseUnknown(call)
    }
  }

  /// What another device does with a characteristic.
  private mutating func takeCall(
    _ call: consuming BusMessage, _ place: Int, _ which: Int, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) {
    switch call.member {
    case "ReadValue":
      let offset = Self.offset(try call.value())
      if let value = services[place].characteristics[which].value {
        return try bus.reply(to: call, [.bytes(Array(value.dropFirst(offset)))])
      }
      ask(call, .read, place, which, offset: offset)
    case "WriteValue":
      let value = try call.value()?.content ?? []
      guard case .map(let options)? = try call.value(),
        options.contains(where: { $0.key == "type" && $0.value == .text("command") })
      else { return ask(call, .write, place, which, value: value) }
      // Nobody waits for the answer to a command.
      try bus.reply(to: call)
      tell(.write, place, which, value: value)
    case "StartNotify", "StopNotify":
      let isNotifying = call.member == "StartNotify"
      try bus.reply(to: call)
      guard services[place].characteristics[which].isNotifying != isNotifying else { return }
      services[place].characteristics[which].isNotifying = isNotifying
      tell(isNotifying ? .subscribe : .unsubscribe, place, which)
    case "Confirm": try bus.reply(to: call)
    case _: try bus.refuseUnknown(call)
    }
  }

  private static func offset(_ options: BusValue?) -> Int {
    guard case .map(let entries)? = options,
      case .uint16(let offset)? = entries.first(where: { $0.key == "offset" })?.value
    else { return 0 }
    return Int(offset)
  }

  private mutating func ask(
    _ call: consuming BusMessage, _ kind: GattRequest.Kind, _ place: Int, _ which: Int, offset: Int = 0,
    value: [UInt8]? = nil
  ) {
    lastRequest += 1
    waiting[lastRequest] = Waiting(
      call, session: services[place].number, offset: offset, isRead: kind == .read)
    tell(kind, place, which, value: value, request: lastRequest)
  }

  private func tell(
    _ kind: GattRequest.Kind, _ place: Int, _ which: Int, value: [UInt8]? = nil, request: Int? = nil
  ) {
    BluetoothMain.say([
      "asks": .integer(services[place].number), "what": .string(kind.rawValue),
      "characteristic": .string(services[place].characteristics[which].uuid),
      "request": request.map { .integer($0) }, "value": value.map { .string(GattText.text($0)) },
    ])
  }

  // MARK: What BlueZ is told

  /// The service and its characteristics, as an object manager lists them.
  private static func objects(of service: Service) -> BusValue {
    let paths = [service.path] + service.characteristics.indices.map { service.path(of: $0) }
    return BusObject.value(
      of: paths.map { path in
        let interface = path == service.path ? BlueZ.gattService : BlueZ.characteristic
        return BusObject(path: path, interfaces: [(interface, properties(of: path, in: service))])
      })
  }

  private static func properties(of path: String, in service: Service) -> [BusValue.Entry] {
    if path == service.advertisement {
      let name = service.name.map { [BusValue.Entry("LocalName", .text($0))] } ?? []
      return [
        BusValue.Entry("Type", .text("peripheral")), BusValue.Entry("ServiceUUIDs", .texts([service.uuid])),
      ] + name
    }
    if path == service.path {
      return [BusValue.Entry("UUID", .text(service.uuid)), BusValue.Entry("Primary", .flag(true))]
    }
    guard let which = service.characteristics.indices.first(where: { service.path(of: $0) == path }) else {
      return []
    }
    let characteristic = service.characteristics[which]
    return [
      BusValue.Entry("UUID", .text(characteristic.uuid)),
      BusValue.Entry("Service", .path(service.path)),
      BusValue.Entry("Flags", .texts(characteristic.uses)),
    ]
  }
}

import LocationCore
import LocationFormats
import LocationRuntime

/// The steps of the background modes.
extension Scenario.Step {
  /// What happens to a mode of a subscriber.
  static let modeVerbs: [Verb<String>] = [
    .event(.notify, notificationKeys + [.notification]) { map throws(Failure) in
      guard let node = map.optional(.notification) else {
        return .mode(.notify(try notification(map, timeKey: nil)))
      }
      return .mode(.notify(try notification(node.map(Key.self), timeKey: .at)))
    },
    .event(.cancelNotification, [.id]) { map throws(Failure) in
      guard let id = try map.optional(.id)?.string() else { return .mode(.cancelNotifications) }
      return .mode(.cancelNotification(id: id))
    },
    .event(.openNotification, [.id]) { map throws(Failure) in
      .mode(.openNotification(id: try map.required(.id).string()))
    },
    .event(.notifications, [.value]) { map throws(Failure) in
      .mode(.permitNotifications(try isAllowed(map)))
    },
    Verb(.fetchAnswer, [.value, .seconds, .bytes]) { name, map throws(Failure) in
      .fetchAnswer(
        subscriber: name, try map.required(.value).word(FetchResult.self),
        seconds: try map.optional(.seconds)?.double(in: 0...3600) ?? 1,
        bytes: try map.optional(.bytes)?.int(in: 0...(1 << 50)))
    },
    Verb(.keepAlive, [.seconds, .value, .handler]) { name, map throws(Failure) in
      let (_, seconds) = try map.exactlyOne(of: [.seconds, .value])
      return try handled(name, .keepAlive(seconds: try seconds.double(in: 0...1e9)), map)
    },
    Verb(.tag, [.value, .handler]) { name, map throws(Failure) in
      try handled(name, .tag(try map.required(.value).string()), map)
    },
    .event(.traffic, [.tag, .bytes, .lost]) { map throws(Failure) in
      .mode(
        .traffic(
          tag: try map.required(.tag).string(),
          bytes: try map.optional(.bytes)?.int(in: 0...(1 << 50)) ?? 0,
          lost: try map.optional(.lost)?.int(in: 0...(1 << 50))))
    },
    .event(.beginAudio, [.kind, .mixes]) { map throws(Failure) in
      let kind = try map.optional(.kind)?.word(AudioKind.self) ?? .play
      return .mode(.audio(.begin(kind, mixes: try map.optional(.mixes)?.bool() ?? false)))
    },
    .event(.endAudio, [.token]) { map throws(Failure) in
      .mode(.audio(.end(token: try map.optional(.token)?.int(in: 1...(1 << 50)))))
    },
    .event(.audioLevel, [.decibels, .value]) { map throws(Failure) in
      let (_, level) = try map.exactlyOne(of: [.decibels, .value])
      return .mode(.audio(.level(decibels: try level.double(in: -1000...0))))
    },
    .event(.microphone, [.value]) { map throws(Failure) in
      .mode(.audio(.permitMicrophone(try isAllowed(map))))
    },
    .event(.push, [.payload]) { map throws(Failure) in .mode(.push(try push(map.required(.payload)))) },
    Verb(
      .transfer,
      [.session, .kind, .bytes, .seconds, .result, .status, .discretionary, .launchEvents, .metered], transfer
    ),
    .event(.cancelTransfer, [.id]) { map throws(Failure) in
      .mode(.cancelTransfer(number: try transferNumber(map)))
    },
    .event(.answerTransfer, [.id]) { map throws(Failure) in
      .mode(.answerTransfer(number: try transferNumber(map)))
    },
    .event(
      .openAccessory, [.session, .kind, .device, .baud, .service, .characteristic, .peripheral]
    ) { map throws(Failure) in .mode(.accessory(.open(try accessoryTerms(map)))) },
    .event(.closeAccessory, [.session]) { map throws(Failure) in
      .mode(.accessory(.close(session: try map.required(.session).string())))
    },
    .event(.accessoryEvents, [.value]) { map throws(Failure) in
      .mode(.accessory(.want(try map.required(.value).bool())))
    },
    .event(.allowAccessory, [.value]) { map throws(Failure) in
      .mode(.accessory(.allow(try map.required(.value).bool())))
    },
    .event(.advertise, [.type, .port]) { map throws(Failure) in .mode(.advertise(try service(map))) },
    .event(.bluetooth, [.value]) { map throws(Failure) in
      .mode(.accessory(.permitBluetooth(try isAllowed(map))))
    },
  ]

  /// What a subscriber says, and how long its handlers take where `handler_s` says so.
  private static func handled(
    _ name: String, _ event: ModeEvent, _ map: StrictMap<Key>
  ) throws(Failure) -> Scenario.Action {
    guard let node = map.optional(.handler) else { return .subscriber(name: name, .mode(event)) }
    return .handled(subscriber: name, event, seconds: try node.double(in: 0...86_400))
  }

  private enum Permission: String, CaseIterable {
    case allowed, denied
  }

  /// Whether the user permits something, or no longer.
  private static func isAllowed(_ map: StrictMap<Key>) throws(Failure) -> Bool {
    try map.required(.value).word(Permission.self) == .allowed
  }

  /// A service that it has published, or with the port 0 no longer.
  private static func service(_ map: StrictMap<Key>) throws(Failure) -> AdvertisedService {
    let type = try map.required(.type)
    let port = try map.required(.port).int(in: 0...Int(UInt16.max))
    guard let service = AdvertisedService(type: try type.string(), port: port) else {
      throw type.failure("is no type of a service", remedy: "write _http._tcp")
    }
    return service
  }

  private static func push(_ payload: StrictYAML) throws(Failure) -> Push {
    do throws(Failure) {
      return try PushPayload.push(payload.tree())
    } catch {
      throw error.line == nil ? payload.failure(error.what, remedy: error.remedy) : error
    }
  }

  // MARK: Transfers

  /// How a transfer ends; `auth`: the server asks first, and after the answer it is done.
  private enum Result: String, CaseIterable {
    case done, auth, failed
    case noSpace = "no_space"
    case certificate, file
    case tooLarge = "too_large"
    case address
  }

  private static func transferNumber(_ map: StrictMap<Key>) throws(Failure) -> Int {
    try map.required(.id).int(in: 1...1_000_000_000)
  }

  private static func transfer(
    _ name: String, _ map: StrictMap<Key>
  ) throws(Failure) -> Scenario.Action {
    var terms = TransferTerms(session: try map.required(.session).string())
    if let node = map.optional(.kind) { terms.kind = try node.word(TransferTerms.Kind.self) }
    if let node = map.optional(.discretionary) { terms.isDiscretionary = try node.bool() }
    if let node = map.optional(.launchEvents) { terms.launchesEvents = try node.bool() }
    if let node = map.optional(.metered) { terms.metered = try node.bool() }
    let result = try map.optional(.result)?.word(Result.self) ?? .done
    // Of HTTP (RFC 9110): the others are no failures.
    let status = try map.optional(.status)?.int(in: result == .failed ? 400...999 : 100...399)
    let outcome: TransferOutcome =
      switch result {
      case .done, .auth: .done
      case .failed: .failed(.status, status: status ?? 404)
      case .noSpace: .failed(.noSpace)
      case .certificate: .failed(.certificate)
      case .file: .failed(.file)
      case .tooLarge: .failed(.tooLarge)
      case .address: .failed(.address)
      }
    return .transfer(
      subscriber: name, terms,
      Scenario.ModelledTransfer(
        bytes: try map.required(.bytes).int(in: 0...(1 << 50)),
        seconds: try map.required(.seconds).double(in: 0...604_800), outcome: outcome, asks: result == .auth))
  }

  // MARK: Accessories

  private static func accessoryTerms(_ map: StrictMap<Key>) throws(Failure) -> AccessoryTerms {
    let session = try map.required(.session).string()
    let kind = try map.optional(.kind)?.word(AccessoryTerms.Kind.self) ?? .serial
    func refuse(_ keys: [Key]) throws(Failure) {
      for key in keys {
        guard let node = map.optional(key) else { continue }
        throw node.failure("is for another kind than \(kind.rawValue)", remedy: "remove it, or change kind")
      }
    }
    if kind == .gatt {
      try refuse([.baud])
      return try gattTerms(session, map)
    }
    try refuse([.service, .characteristic, .peripheral] + (kind == .serial ? [] : [.baud]))
    let baud = map.optional(.baud)
    let speed = try baud?.int(in: 50...4_000_000) ?? 9600
    if let baud, !SerialLine.knows(baud: speed) {
      throw baud.failure("is no speed that serial drivers know", remedy: "write 9600 or 115200, for instance")
    }
    return AccessoryTerms(
      session: session, kind: kind, device: try map.optional(.device)?.string() ?? "/dev/" + session,
      baud: speed)
  }

  /// A session of Bluetooth: with another device, or a service of this machine.
  private static func gattTerms(_ session: String, _ map: StrictMap<Key>) throws(Failure) -> AccessoryTerms {
    func uuid(_ key: Key) throws(Failure) -> String {
      guard let node = map.optional(key) else { return usualUUID }
      guard let uuid = GattText.uuid(try node.string()) else {
        throw node.failure("is no UUID", remedy: "write 4 or 8 hexadecimal digits, or all 32")
      }
      return uuid
    }
    let service = try uuid(.service)
    let characteristic = try uuid(.characteristic)
    if try map.optional(.peripheral)?.bool() == true {
      let all = GattCharacteristic(uuid: characteristic, uses: GattCharacteristic.Use.allCases)
      return AccessoryTerms(
        session: session, gatt: .peripheral(GattService(uuid: service, characteristics: [all])))
    }
    var address = usualAddress
    if let node = map.optional(.device) {
      guard let known = GattText.address(try node.string()) else {
        throw node.failure("is no address of Bluetooth", remedy: "write AA:BB:CC:DD:EE:FF")
      }
      address = known
    }
    return AccessoryTerms(
      session: session, device: address, gatt: .central(service: service, characteristic: characteristic))
  }

  /// Of a step that does not say which.
  private static let usualUUID = "00000000-0000-1000-8000-00805f9b34fb"
  private static let usualAddress = "00:00:00:00:00:00"

  /// What another device asks of a service.
  private static func gattRequest(
    _ event: AccessoryRecord.Event, _ map: StrictMap<Key>, of terms: AccessoryTerms
  ) throws(Failure) -> GattRequest {
    guard case .peripheral(let service)? = terms.gatt, let first = service.characteristics.first,
      let kind = GattRequest.Kind(rawValue: event.rawValue)
    else {
      throw map.node.failure(
        "\(terms.session) is no service of this machine", remedy: "open it with peripheral: true")
    }
    var request = GattRequest(kind: kind, characteristic: first.uuid)
    if let node = map.optional(.value) {
      guard GattText.bytes(try node.string()) != nil else {
        throw node.failure("is no value", remedy: "write two hexadecimal digits a byte")
      }
      request.value = try node.string().lowercased()
    }
    return request
  }

  /// What an accessory does. Whose it is says the last step that opened a session of that name, or `subscriber`.
  static func accessory(
    _ value: StrictYAML, _ map: StrictMap<Key>, after steps: [Scenario.Step]
  ) throws(Failure) -> Scenario.Action {
    let session = try value.string()
    let owners = steps.compactMap { step -> (name: String, terms: AccessoryTerms)? in
      guard case .subscriber(let name, .mode(.accessory(.open(let terms)))) = step.action,
        terms.session == session
      else { return nil }
      return (name, terms)
    }
    let named = try map.optional(.subscriber)?.string()
    guard let (owner, terms) = owners.last(where: { named == nil || $0.name == named }) else {
      throw value.failure(
        "no step above opens a session \"\(session)\"", remedy: "open it with open_accessory")
    }
    let event = try map.required(.event).word(AccessoryRecord.Event.self)
    switch event {
    case .read, .write, .subscribe, .unsubscribe:
      let request = try gattRequest(event, map, of: terms)
      return .subscriber(name: owner, .mode(.accessory(.request(session: session, request))))
    case .connect: return .plug(subscriber: owner, session: session, isIn: true)
    case .disconnect: return .plug(subscriber: owner, session: session, isIn: false)
    case .data:
      return .subscriber(
        name: owner,
        .mode(
          .accessory(
            .data(
              session: session, bytes: try map.optional(.bytes)?.int(in: 0...(1 << 50)),
              lost: try map.optional(.lost)?.int(in: 0...(1 << 50))))))
    }
  }

  // MARK: Notifications

  /// The keys of a notification but its time, which in a step stands as `at` of the map `notification`.
  private static let notificationKeys: [Key] = [
    .id, .title, .body, .wall, .zone, .afterSeconds, .now, .region, .on, .once, .repeats, .tolerance, .sound,
    .badge, .action, .data,
  ]

  private static func notification(
    _ map: StrictMap<Key>, timeKey: Key?
  ) throws(Failure) -> LocalNotification {
    if timeKey != nil {
      for entry in map.entries where entry.key != .at && !notificationKeys.contains(entry.key) {
        throw entry.value.failure("is no key of a notification")
      }
    }
    let whens: [Key] = [.wall, .afterSeconds, .now, .region] + [timeKey].compactMap { $0 }
    let (key, value) = try map.exactlyOne(of: whens)
    if key != .region, let stray = map.optional(.on) ?? map.optional(.once) {
      throw stray.failure("has no meaning beside `\(key.rawValue)`")
    }
    let when = try self.when(key, value, map)
    var notification = LocalNotification(
      id: try map.optional(.id)?.string(), title: try map.required(.title).string(), when: when)
    if let node = map.optional(.body) { notification.content.body = try node.string() }
    if let node = map.optional(.zone) { notification.zone = try zone(node) }
    if let node = map.optional(.once) { notification.isOnce = try node.bool() }
    if let node = map.optional(.repeats) {
      guard when != .now else {
        throw node.failure("can't stand beside `now`", remedy: "write after_s: 0 in place of now")
      }
      guard key != .region else {
        throw node.failure("can't stand beside `region`", remedy: "write once: false to show it each time")
      }
      notification.repeats = try node.word(CalendarUnit.self)
    }
    if let node = map.optional(.tolerance) {
      notification.toleranceSeconds = try node.double(in: 0...Limits.notificationToleranceSeconds)
    }
    if let node = map.optional(.sound) { notification.content.sound = try node.string() }
    if let node = map.optional(.badge) { notification.content.badge = try node.int(in: 0...1_000_000) }
    if let node = map.optional(.action) { notification.content.action = try node.string() }
    if let node = map.optional(.data) {
      let text = try node.tree().text
      guard text.utf8.count <= Limits.notificationDataBytes else {
        throw node.failure("is longer than \(Limits.notificationDataBytes) bytes")
      }
      notification.content.data = text
    }
    return notification
  }

  private static func when(
    _ key: Key, _ value: StrictYAML, _ map: StrictMap<Key>
  ) throws(Failure) -> LocalNotification.When {
    if key == .wall {
      guard let wall = WallTime(try value.string()) else {
        throw value.failure("is no time of a clock on the wall", remedy: "write 2026-05-01T07:30")
      }
      return .wall(wall)
    }
    if key == .now {
      guard try value.bool() else { throw value.failure("can only be true", remedy: "leave it out") }
      return .now
    }
    if key == .afterSeconds { return .after(seconds: try value.double(in: 0...1e9)) }
    guard key == .region else { return .at(try value.time()) }
    let isLeft = try map.optional(.on)?.word(Side.self) == .exit
    return .region(id: try value.string(), isLeft: isLeft)
  }

  private enum Side: String, CaseIterable {
    case enter, exit
  }

  static func zone(_ node: StrictYAML) throws(Failure) -> TimeZoneRule {
    let name = try node.string()
    if let zone = TimeZoneSnapshot.zone(name) { return zone }
    throw node.failure(
      "\"\(name)\" is no zone of tzdata \(TimeZoneSnapshot.version)", remedy: "write a name as Europe/Berlin")
  }
}

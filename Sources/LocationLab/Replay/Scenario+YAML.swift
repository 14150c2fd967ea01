import LocationCore
public import LocationFormats
import LocationRuntime

extension Scenario {
  /// Reads a scenario file.
  ///
  /// - Parameter subscribers: The names that steps may use.
  /// - Throws: ``Failure`` with file, line, key and, for an unknown one, the nearest that is valid.
  public init(path: String, subscribers: [String]) throws(Failure) {
    let map = try StrictYAML(path: path, code: .data).map(Key.self)
    if let node = map.optional(.protect) { protectUntilFirstUnlock = try node.bool() }
    for node in try map.required(.steps).list() {
      let step = try Step(node, subscribers: subscribers, after: steps)
      if let last = steps.last(where: { step.at.isBefore($0.at) != nil }), step.at.isBefore(last.at) == true {
        throw node.failure(
          "happens before a step above it", remedy: "put the steps in the order in which they happen")
      }
      steps.append(step)
    }
  }

  enum Key: String, CaseIterable {
    case protect = "protect_until_first_unlock"
    case steps
  }
}

extension Scenario.Moment {
  /// Whether it is earlier than another; nil where only the first fix tells.
  fileprivate func isBefore(_ other: Scenario.Moment) -> Bool? {
    switch (self, other) {
    case (.absolute(let mine), .absolute(let others)): mine < others
    case (.afterFirstFix(let mine), .afterFirstFix(let others)): mine < others
    case (.absolute, .afterFirstFix), (.afterFirstFix, .absolute): nil
    }
  }
}

extension Scenario.Step {
  enum Key: String, CaseIterable {
    case at, launch, background, foreground, quit, exit, status, authorization, accuracy
    case backgroundDelivery = "background_delivery"
    case start, stop, service, locate, hangs, memory, bytes, lock, interrupt, value
    case beginTask = "begin_task"
    case task, seconds
    case memoryPressure = "memory_pressure"
    case freesBytes = "frees_bytes"
    case lowPower = "low_power"
    case source, reboot, unlock
    case notify, notification, id, title, body, wall, zone
    case afterSeconds = "after_s"
    case now, region, on, once
    case repeats = "repeat"
    case tolerance = "tolerance_s"
    case sound, badge, action, data
    case cancelNotification = "cancel_notification"
    case openNotification = "open_notification"
    case notifications, timezone, network, power
    case fetchAnswer = "fetch_answer"
    case keepAlive = "keep_alive"
    case tag, traffic, lost
    case handler = "handler_s"
    case machineAwake = "machine_awake"
    case beginAudio = "begin_audio"
    case endAudio = "end_audio"
    case audioLevel = "audio_level"
    case kind, mixes, token
    case decibels = "dbfs"
    case microphone
    case audioCommand = "audio_command"
    case push, payload
    case transfer, session, discretionary
    case launchEvents = "launch_events"
    case metered, result
    case cancelTransfer = "cancel_transfer"
    case answerTransfer = "answer_transfer"
    case openAccessory = "open_accessory"
    case closeAccessory = "close_accessory"
    case accessoryEvents = "accessory_events"
    case allowAccessory = "allow_accessory"
    case accessory, event, device, baud, subscriber, beacon
    case bluetooth, characteristic, peripheral
    case advertise, type, port
  }

  /// A key that says what happens, with all that belongs to it.
  struct Verb<Subject>: Sendable {
    let key: Key
    /// The keys that may stand beside it, apart from `at`.
    let companions: [Key]
    /// What it does: to the subscriber of a name, or with a value to the machine.
    let read: @Sendable (Subject, StrictMap<Key>) throws(Failure) -> Scenario.Action

    init(
      _ key: Key, _ companions: [Key] = [],
      _ read: @escaping @Sendable (Subject, StrictMap<Key>) throws(Failure) -> Scenario.Action
    ) {
      self.key = key
      self.companions = companions
      self.read = read
    }
  }

  /// What happens to a subscriber; the value of the key is its name.
  static let subscriberVerbs = programVerbs + modeVerbs

  private static let programVerbs: [Verb<String>] = [
    Verb(.launch) { name, _ in .launch(subscriber: name) },
    .event(.background) { _ in .background },
    .event(.foreground) { _ in .foreground },
    .event(.quit) { _ in .quit },
    .event(.exit, [.status]) { map throws(Failure) in
      .exited(status: Int32(try map.optional(.status)?.int(in: 0...255) ?? 0))
    },
    .event(.authorization, [.value]) { map throws(Failure) in
      .authorization(try map.required(.value).word(Subscriber.Authorization.self))
    },
    .event(.accuracy, [.value]) { map throws(Failure) in
      .accuracy(try map.required(.value).word(Subscriber.AccuracyAuthorization.self))
    },
    .event(.backgroundDelivery, [.value]) { map throws(Failure) in
      .backgroundDelivery(try map.required(.value).bool())
    },
    .event(.start, [.service]) { map throws(Failure) in .start(try service(map)) },
    .event(.stop, [.service]) { map throws(Failure) in .stop(try service(map)) },
    .event(.locate, [.seconds]) { map throws(Failure) in
      .locate(seconds: try map.optional(.seconds)?.double(in: 0...3600) ?? 30)
    },
    Verb(.hangs, [.value]) { name, map throws(Failure) in
      .hang(subscriber: name, try map.required(.value).bool())
    },
    .event(.memory, [.bytes]) { map throws(Failure) in
      .memory(bytes: Int64(try map.required(.bytes).int(in: 0...(1 << 50))))
    },
    .event(.lock, [.value]) { map throws(Failure) in .lock(isHeld: try map.required(.value).bool()) },
    .event(.interrupt, [.value]) { map throws(Failure) in
      .interrupted(try map.optional(.value)?.bool() ?? true)
    },
    Verb(.beginTask, [.task, .seconds]) { name, map throws(Failure) in
      .task(
        subscriber: name, name: try map.required(.task).string(),
        seconds: try map.required(.seconds).double(in: 0...86_400))
    },
  ]

  /// What happens to the machine.
  static let machineVerbs: [Verb<StrictYAML>] = [
    Verb(.memoryPressure, [.freesBytes]) { value, map throws(Failure) in
      let freed = try map.optional(.freesBytes)?.int(in: 0...(1 << 50))
      return .memoryPressure(try value.word(MemoryPressure.self), freesBytes: freed.map(Int64.init))
    },
    Verb(.lowPower) { value, _ throws(Failure) in .machine(.lowPower(try value.bool())) },
    Verb(.source) { value, _ throws(Failure) in
      switch try value.word(Source.self) {
      case .found: .source(.found(name: "scenario"))
      case .lost: .source(.stale(.lost, seconds: 0))
      }
    },
    Verb(.reboot) { value, _ throws(Failure) in try once(.reboot, value) },
    Verb(.unlock) { value, _ throws(Failure) in try once(.unlock, value) },
    Verb(.timezone) { value, _ throws(Failure) in .machine(.zone(try zone(value))) },
    Verb(.network) { value, _ throws(Failure) in .machine(.network(try value.word(NetworkState.self))) },
    Verb(.power, [.value]) { value, map throws(Failure) in
      let isOnBattery = try value.word(Power.self) == .battery
      let percent = try map.optional(.value)?.double(in: 0...100)
      return .machine(.supply(PowerSupply(isOnBattery: isOnBattery, percent: percent)))
    },
    Verb(.machineAwake) { value, _ throws(Failure) in try once(.awake, value) },
    Verb(.audioCommand) { value, _ throws(Failure) in .machine(.audioCommand(try value.string())) },
    Verb(.beacon, [.seconds]) { value, map throws(Failure) in
      guard let beacon = Beacon(try value.string()), beacon.minor != nil || beacon.instance != nil
      else {
        throw value.failure("is no beacon", remedy: "write UUID:MAJOR:MINOR, or NAMESPACE:INSTANCE")
      }
      let seconds = try map.optional(.seconds)?.double(in: 0...86_400) ?? 0
      return .beacon(.seen(beacon, seconds: seconds))
    },
  ]

  /// What can be said of the source of fixes.
  private enum Source: String, CaseIterable {
    case found, lost
  }

  /// What the machine runs on.
  private enum Power: String, CaseIterable {
    case mains, battery
  }

  fileprivate init(_ node: StrictYAML, subscribers: [String], after steps: [Self]) throws(Failure) {
    let map = try node.map(Key.self)
    at = try Self.moment(map.required(.at))
    // Beside `traffic`, `tag` says of which socket.
    let isTraffic = map.optional(.traffic) != nil
    let verbs = Self.subscriberVerbs.map(\.key) + Self.machineVerbs.map(\.key) + [.accessory]
    let (verb, value) = try map.exactlyOne(of: verbs.filter { $0 != .tag || !isTraffic })
    if verb == .lock || verb == .interrupt, let isSo = try? value.bool() {
      // Without a name it is the screen's lock or a call; with one, a subscriber's lock or interruption.
      try map.only([.at], beside: verb)
      action = verb == .interrupt ? .call(begins: isSo) : .machine(isSo ? .lock : .unlock)
    } else if let row = Self.machineVerbs.first(where: { $0.key == verb }) {
      try map.only([.at] + row.companions, beside: verb)
      action = try row.read(value, map)
    } else if let row = Self.subscriberVerbs.first(where: { $0.key == verb }) {
      let name = try value.string()
      guard subscribers.contains(name) else {
        throw value.failure(
          "no subscriber is called \"\(name)\"",
          remedy: StrictYAML.suggestion(for: name, among: subscribers, of: "subscribers"))
      }
      try map.only([.at] + row.companions, beside: verb)
      action = try row.read(name, map)
    } else {
      try map.only([.at, .event, .bytes, .lost, .subscriber, .value], beside: verb)
      action = try Self.accessory(value, map, after: steps)
    }
  }

  private static func service(_ map: StrictMap<Key>) throws(Failure) -> Subscriber.Services {
    try map.required(.service).word(SubscriberManifest.Service.self).services
  }

  /// What the machine does once; there is no way back from it.
  private static func once(_ event: MachineEvent, _ value: StrictYAML) throws(Failure) -> Scenario.Action {
    guard try value.bool() else { throw value.failure("can only be true", remedy: "leave the step out") }
    return .machine(event)
  }

  /// Some 30 years after the first fix: times that far can still be written.
  private static let longestSeconds = 1e9

  private static func moment(_ node: StrictYAML) throws(Failure) -> Scenario.Moment {
    let text = try node.string()
    if text.hasPrefix("+"), let seconds = Double(text.dropFirst()), seconds >= 0, seconds.isFinite {
      guard seconds <= longestSeconds else {
        throw node.failure(
          "\"\(text)\" is too late", remedy: "write at most +\(Int(longestSeconds)), some 30 years")
      }
      return .afterFirstFix(seconds: seconds)
    }
    if let time = UTCTime(rfc3339: text) { return .absolute(time) }
    throw node.failure(
      "\"\(text)\" is not a time",
      remedy: "write +SECONDS after the first fix, or a time as 2026-05-01T06:00:00Z")
  }
}

extension Scenario.Step.Verb<String> {
  /// What the subscriber says, or the user does to it.
  static func event(
    _ key: Scenario.Step.Key, _ companions: [Scenario.Step.Key] = [],
    _ read: @escaping @Sendable (StrictMap<Scenario.Step.Key>) throws(Failure) -> SubscriberEvent
  ) -> Self {
    Self(key, companions) { name, map throws(Failure) in .subscriber(name: name, try read(map)) }
  }
}

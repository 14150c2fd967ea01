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
  }

  /// The keys that say what happens to a subscriber; their value is its name.
  static let subscriberVerbs: [Key] =
    [
      .launch, .background, .foreground, .quit, .exit, .authorization, .accuracy, .backgroundDelivery, .start,
      .stop, .locate, .hangs, .memory, .lock, .interrupt, .beginTask,
    ] + modeVerbs
  /// The keys that say what happens to the machine.
  static let machineVerbs: [Key] = [
    .memoryPressure, .lowPower, .source, .reboot, .unlock, .timezone, .network, .power, .machineAwake,
    .audioCommand, .beacon,
  ]

  /// What can be said of the source of fixes.
  private enum Source: String, CaseIterable {
    case found, lost
  }

  fileprivate init(_ node: StrictYAML, subscribers: [String], after steps: [Self]) throws(Failure) {
    let map = try node.map(Key.self)
    at = try Self.moment(map.required(.at))
    // Beside `traffic`, `tag` says of which socket.
    let isTraffic = map.optional(.traffic) != nil
    let (verb, value) = try map.exactlyOne(
      of: (Self.subscriberVerbs + Self.machineVerbs + [.accessory]).filter { $0 != .tag || !isTraffic })
    if verb == .lock, (try? value.bool()) != nil {
      // The screen's lock has no name; a lock that a subscriber holds has.
      try map.only([.at], beside: verb)
      action = .machine(try value.bool() ? .lock : .unlock)
    } else if verb == .accessory {
      try map.only([.at, .event, .bytes, .lost, .subscriber, .value], beside: verb)
      action = try Self.accessory(value, map, after: steps)
    } else if Self.machineVerbs.contains(verb) {
      let beside: [Key] =
        switch verb {
        case .memoryPressure: [.freesBytes]
        case .power: [.value]
        case .beacon: [.seconds]
        case _: []
        }
      try map.only([.at] + beside, beside: verb)
      action = try Self.machineAction(verb, value, map)
    } else {
      let name = try value.string()
      guard subscribers.contains(name) else {
        throw value.failure(
          "no subscriber is called \"\(name)\"",
          remedy: StrictYAML.suggestion(for: name, among: subscribers, of: "subscribers"))
      }
      try map.only([.at] + Self.companions(of: verb), beside: verb)
      action = try Self.action(verb, name, map)
    }
  }

  /// The keys that may stand beside a verb.
  private static func companions(of verb: Key) -> [Key] {
    switch verb {
    case .exit: [.status]
    case .authorization, .accuracy, .backgroundDelivery, .hangs, .lock, .interrupt: [.value]
    case .start, .stop: [.service]
    case .locate: [.seconds]
    case .memory: [.bytes]
    case .beginTask: [.task, .seconds]
    case _: modeCompanions(of: verb)
    }
  }

  private static func action(
    _ verb: Key, _ name: String, _ map: StrictMap<Key>
  ) throws(Failure) -> Scenario.Action {
    func value() throws(Failure) -> StrictYAML { try map.required(.value) }
    func service() throws(Failure) -> Subscriber.Services {
      try map.required(.service).word(SubscriberManifest.Service.self).services
    }
    let event: SubscriberEvent
    switch verb {
    case .launch: return .launch(subscriber: name)
    case .hangs: return .hang(subscriber: name, try value().bool())
    case .beginTask:
      return .task(
        subscriber: name, name: try map.required(.task).string(),
        seconds: try map.required(.seconds).double(in: 0...86_400))
    case .foreground: event = .foreground
    case .background: event = .background
    case .quit: event = .quit
    case .exit: event = .exited(status: Int32(try map.optional(.status)?.int(in: 0...255) ?? 0))
    case .authorization: event = .authorization(try value().word(Subscriber.Authorization.self))
    case .accuracy: event = .accuracy(try value().word(Subscriber.AccuracyAuthorization.self))
    case .backgroundDelivery: event = .backgroundDelivery(try value().bool())
    case .start: event = .start(try service())
    case .stop: event = .stop(try service())
    case .locate: event = .locate(seconds: try map.optional(.seconds)?.double(in: 0...3600) ?? 30)
    case .memory: event = .memory(bytes: Int64(try map.required(.bytes).int(in: 0...(1 << 50))))
    case .lock: event = .lock(isHeld: try value().bool())
    case .interrupt: event = .interrupted(try map.optional(.value)?.bool() ?? true)
    case _: return try modeAction(verb, name, map)
    }
    return .subscriber(name: name, event)
  }

  private static func machineAction(
    _ verb: Key, _ value: StrictYAML, _ map: StrictMap<Key>
  ) throws(Failure) -> Scenario.Action {
    switch verb {
    case .memoryPressure:
      let freed = try map.optional(.freesBytes)?.int(in: 0...(1 << 50))
      return .memoryPressure(
        try value.word(MemoryPressure.self), freesBytes: freed.map(Int64.init))
    case .lowPower: return .machine(.lowPower(try value.bool()))
    case .source:
      switch try value.word(Source.self) {
      case .found: return .source(.found(name: "scenario"))
      case .lost: return .source(.stale(.lost, seconds: 0))
      }
    case .reboot, .unlock:
      guard try value.bool() else { throw value.failure("can only be true", remedy: "leave the step out") }
      return .machine(verb == .reboot ? .reboot : .unlock)
    case .beacon:
      guard let beacon = Beacon(try value.string()), beacon.minor != nil || beacon.instance != nil
      else {
        throw value.failure("is no beacon", remedy: "write UUID:MAJOR:MINOR, or NAMESPACE:INSTANCE")
      }
      let seconds = try map.optional(.seconds)?.double(in: 0...86_400) ?? 0
      return .beacon(.seen(beacon, seconds: seconds))
    case _: return .machine(try machineModeEvent(verb, value, map))
    }
  }

  private static func moment(_ node: StrictYAML) throws(Failure) -> Scenario.Moment {
    let text = try node.string()
    if text.hasPrefix("+"), let seconds = Double(text.dropFirst()), seconds >= 0, seconds.isFinite {
      return .afterFirstFix(seconds: seconds)
    }
    if let time = UTCTime(rfc3339: text) { return .absolute(time) }
    throw node.failure(
      "\"\(text)\" is not a time",
      remedy: "write +SECONDS after the first fix, or a time as 2026-05-01T06:00:00Z")
  }
}

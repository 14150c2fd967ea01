import LocationCore

extension Scenario {
  /// Reads a scenario file.
  ///
  /// - Parameter subscribers: The names that steps may use.
  /// - Throws: ``Failure`` with file, line, key and, for an unknown one, the nearest that is valid.
  public init(path: String, subscribers: [String]) throws(Failure) {
    let map = try StrictYAML(path: path, code: .data).map(Key.self)
    if let node = map.optional(.protect) { protectUntilFirstUnlock = try node.bool() }
    for node in try map.required(.steps).list() {
      steps.append(try Step(node, subscribers: subscribers))
    }
  }

  enum Key: String, CaseIterable {
    case protect = "protect_until_first_unlock"
    case steps
  }
}

extension Scenario.Step {
  enum Key: String, CaseIterable {
    case at, launch, background, foreground, quit, exit, status, authorization, value
    case beginTask = "begin_task"
    case task, seconds
    case memoryPressure = "memory_pressure"
    case lowPower = "low_power"
    case reboot, unlock
  }

  /// The keys that say what happens; a step has one of them.
  private static let verbs: [Key] = [
    .launch, .background, .foreground, .quit, .exit, .authorization, .beginTask, .memoryPressure, .lowPower,
    .reboot, .unlock,
  ]

  fileprivate init(_ node: StrictYAML, subscribers: [String]) throws(Failure) {
    let map = try node.map(Key.self)
    at = try Self.moment(map.required(.at))
    let (verb, value) = try map.exactlyOne(of: Self.verbs)
    func name() throws(Failure) -> String {
      let name = try value.string()
      guard subscribers.contains(name) else {
        throw value.failure(
          "no subscriber is called \"\(name)\"",
          remedy: StrictYAML.suggestion(for: name, among: subscribers, of: "subscribers"))
      }
      return name
    }
    switch verb {
    case .launch:
      try map.only([.at], beside: verb)
      action = .launch(subscriber: try name())
    case .foreground, .background, .quit:
      try map.only([.at], beside: verb)
      let event: SubscriberEvent =
        verb == .foreground ? .foreground : verb == .background ? .background : .quit
      action = .subscriber(name: try name(), event)
    case .exit:
      try map.only([.at, .status], beside: verb)
      let status = try map.optional(.status)?.int(in: 0...255) ?? 0
      action = .subscriber(name: try name(), .exited(status: Int32(status)))
    case .authorization:
      try map.only([.at, .value], beside: verb)
      let value = try map.required(.value).word(Subscriber.Authorization.self)
      action = .subscriber(name: try name(), .authorization(value))
    case .beginTask:
      try map.only([.at, .task, .seconds], beside: verb)
      action = .task(
        subscriber: try name(), name: try map.required(.task).string(),
        seconds: try map.required(.seconds).double(in: 0...86_400))
    case .memoryPressure:
      try map.only([.at], beside: verb)
      action = .machine(.memoryPressure(try value.word(MachineEvent.MemoryPressure.self)))
    case .lowPower:
      try map.only([.at], beside: verb)
      action = .machine(.lowPower(try value.bool()))
    case .reboot, .unlock:
      try map.only([.at], beside: verb)
      guard try value.bool() else { throw value.failure("can only be true", remedy: "leave the step out") }
      action = .machine(verb == .reboot ? .reboot : .unlock)
    case .at, .status, .value, .task, .seconds:
      throw node.failure("says when, but not what happens")
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

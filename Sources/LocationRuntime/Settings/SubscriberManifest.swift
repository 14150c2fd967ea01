public import LocationCore

/// A subscriber's manifest: who it is, how it is started, and what it asks for.
public enum SubscriberManifest {
  /// Reads a manifest.
  /// - Throws: ``Failure`` with file, line, key and, for an unknown one, the nearest that is valid.
  public static func read(path: String) throws(Failure) -> Subscriber {
    let map = try StrictYAML(path: path, code: .data).map(Key.self)
    let nameNode = try map.required(.name)
    let name = try nameNode.string()
    guard !name.isEmpty, name != PowerLedger.shared else {
      throw nameNode.failure("can't be a subscriber's name")
    }
    var subscriber = Subscriber(name: name)
    if let node = map.optional(.command) { subscriber.command = try strings(node) }
    if let node = map.optional(.style) { subscriber.style = try node.word(Subscriber.Style.self) }
    if let node = map.optional(.services) { subscriber.services = try services(node) }
    if let node = map.optional(.modes) {
      subscriber.modes = []
      for mode in try node.list() {
        switch try mode.word(Mode.self) {
        case .location: subscriber.modes.insert(.location)
        }
      }
    }
    if let node = map.optional(.authorization) {
      subscriber.authorization = try node.word(Subscriber.Authorization.self)
    }
    if let node = map.optional(.accuracy) {
      subscriber.accuracy = try node.word(Subscriber.AccuracyAuthorization.self)
    }
    if let node = map.optional(.distanceFilter) {
      subscriber.distanceFilterMeters = try node.double(in: 0...1e7)
    }
    if let node = map.optional(.regions) { subscriber.regions = try strings(node) }
    if let node = map.optional(.exitsOnSuspend) { subscriber.exitsOnSuspend = try node.bool() }
    return subscriber
  }

  enum Key: String, CaseIterable {
    case name, command, style, services, modes, authorization, accuracy
    case distanceFilter = "distance_filter_m"
    case regions
    case exitsOnSuspend = "exits_on_suspend"
  }

  enum Service: String, CaseIterable {
    case significantChange = "significant-change"
    case regions, visits, standard
  }

  enum Mode: String, CaseIterable {
    case location
  }

  private static func services(_ node: StrictYAML) throws(Failure) -> Subscriber.Services {
    var services: Subscriber.Services = []
    for item in try node.list() {
      switch try item.word(Service.self) {
      case .significantChange: services.insert(.significantChange)
      case .regions: services.insert(.regions)
      case .visits: services.insert(.visits)
      case .standard: services.insert(.standard)
      }
    }
    return services
  }

  private static func strings(_ node: StrictYAML) throws(Failure) -> [String] {
    var strings: [String] = []
    for item in try node.list() { strings.append(try item.string()) }
    return strings
  }
}

public import LocationCore
public import LocationFormats

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
      for mode in try node.list() { subscriber.modes.insert(try mode.word(Mode.self).mode) }
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
    if let node = map.optional(.backgroundDelivery) { subscriber.backgroundDelivery = try node.bool() }
    subscriber.standard = try standard(map, subscriber.modes)
    let confinement = try confinement(map)
    if confinement != Subscriber.Confinement() { subscriber.confinement = confinement }
    return subscriber
  }

  /// As whom its program runs, and how much it may take.
  private static func confinement(_ map: StrictMap<Key>) throws(Failure) -> Subscriber.Confinement {
    var confinement = Subscriber.Confinement()
    if let node = map.optional(.user) { confinement.user = try node.string() }
    if let node = map.optional(.group) {
      guard confinement.user != nil else {
        throw node.failure("has no meaning without `user`", remedy: "add user: NAME")
      }
      confinement.group = try node.string()
    }
    if let node = map.optional(.memoryMax) {
      confinement.memoryMaxBytes = try node.int(in: 1 << 20...1 << 50)
    }
    if let node = map.optional(.tasksMax) { confinement.tasksMax = try node.int(in: 1...1_000_000) }
    if let node = map.optional(.nofile) { confinement.descriptorsMax = try node.int(in: 3...1_000_000) }
    return confinement
  }

  /// What it asks of standard updates.
  private static func standard(
    _ map: StrictMap<Key>, _ modes: Subscriber.Modes
  ) throws(Failure) -> StandardTerms {
    var terms = StandardTerms()
    if let node = map.optional(.desiredAccuracy) {
      terms.desiredAccuracy = try node.word(StandardTerms.DesiredAccuracy.self)
    }
    if let node = map.optional(.activity) { terms.activity = try node.word(StandardTerms.Activity.self) }
    if let node = map.optional(.pauses) { terms.pausesAutomatically = try node.bool() }
    if let node = map.optional(.deferMeters) { terms.deferMeters = try node.double(in: 1...1e7) }
    if let node = map.optional(.deferSeconds) { terms.deferSeconds = try node.double(in: 1...86_400) }
    if terms.defers, !modes.contains(.location),
      let node = map.optional(.deferMeters) ?? map.optional(.deferSeconds)
    {
      throw node.failure(
        "has no meaning without the mode `location`", remedy: "add modes: [location], or leave it out")
    }
    return terms
  }

  enum Key: String, CaseIterable {
    case name, command, style, services, modes, authorization, accuracy
    case distanceFilter = "distance_filter_m"
    case regions
    case exitsOnSuspend = "exits_on_suspend"
    case backgroundDelivery = "background_delivery"
    case desiredAccuracy = "desired_accuracy"
    case activity
    case pauses = "pauses_automatically"
    case deferMeters = "defer_m"
    case deferSeconds = "defer_s"
    case user, group
    case memoryMax = "memory_max"
    case tasksMax = "tasks_max"
    case nofile
  }

  /// A service by its name in a manifest.
  package enum Service: String, CaseIterable {
    case significantChange = "significant-change"
    case regions, visits, standard

    /// The service of that name.
    package var services: Subscriber.Services {
      switch self {
      case .significantChange: .significantChange
      case .regions: .regions
      case .visits: .visits
      case .standard: .standard
      }
    }
  }

  /// A background mode by its name in a manifest (rule M1).
  struct Mode: RawRepresentable, CaseIterable {
    let rawValue: String
    let mode: Subscriber.Modes

    init?(rawValue: String) {
      guard let entry = Subscriber.Modes.names.first(where: { $0.name == rawValue }) else { return nil }
      self.init(entry)
    }

    private init(_ entry: (name: String, mode: Subscriber.Modes)) { (rawValue, mode) = entry }

    static let allCases = Subscriber.Modes.names.map { Mode($0) }
  }

  private static func services(_ node: StrictYAML) throws(Failure) -> Subscriber.Services {
    var services: Subscriber.Services = []
    for item in try node.list() { services.insert(try item.word(Service.self).services) }
    return services
  }

  private static func strings(_ node: StrictYAML) throws(Failure) -> [String] {
    var strings: [String] = []
    for item in try node.list() { strings.append(try item.string()) }
    return strings
  }
}

public import LocationCore
public import LocationFormats

/// A subscriber's manifest: who it is, how it is started, and what it asks for.
public enum SubscriberManifest {
  /// Whether a subscriber may be called so. Some energy is nobody's, and has a name in the place of one.
  package static func isName(_ name: String) -> Bool {
    !name.isEmpty && name != PowerLedger.shared && !OwnersText.hasControlCharacter(name)
  }

  /// Reads a manifest.
  ///
  /// - Parameters:
  ///   - rules: has the least intervals that it may ask for (rules G1 and I5).
  ///   - isReplayed: whether it is for a replay, which decides the same on any machine.
  /// - Throws: ``Failure`` with file, line, key and, for an unknown one, the nearest that is valid.
  public static func read(
    path: String, by rules: Policy.Configuration = Policy.Configuration(), isReplayed: Bool = false
  ) throws(Failure) -> Subscriber {
    let map = try StrictYAML(path: path, code: .data).map(Key.self)
    let nameNode = try map.required(.name)
    let name = try nameNode.string()
    guard isName(name) else {
      let isTaken = name == PowerLedger.shared
      throw nameNode.failure(
        isTaken ? "is reserved for energy that belongs to no program" : "can't be a subscriber's name",
        remedy: isTaken ? "use another name" : OwnersText.nameRemedy)
    }
    var subscriber = Subscriber(name: name)
    if let node = map.optional(.style) { subscriber.style = try node.word(Subscriber.Style.self) }
    if let node = map.optional(.command) {
      subscriber.command = try strings(node)
      let isNone = subscriber.command.isEmpty && subscriber.style == .socket
      guard isNone || subscriber.command.first?.isEmpty == false else {
        throw node.failure("names no program", remedy: "write it as [PROGRAM, ARGUMENT]")
      }
    }
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
    subscriber.fetch = try fetch(map, subscriber.modes, rules.fetch)
    if let node = map.optional(.issues) {
      subscriber.issues = try issues(node, subscriber.modes, rules.issues)
    }
    let confinement = try confinement(map)
    if confinement != Subscriber.Confinement() { subscriber.confinement = confinement }
    subscriber.filter = try filter(map, subscriber.services, isReplayed: isReplayed)
    if let node = map.optional(.directory) {
      let directory = try node.string()
      guard directory.hasPrefix("/"), !directory.hasSuffix("/") else {
        throw node.failure("is no full path of a directory", remedy: "write it as /var/lib/logger")
      }
      subscriber.directory = directory
    }
    for node in try map.optional(.accessories)?.list() ?? [] {
      let device = try node.string()
      guard device.hasPrefix("/") else {
        throw node.failure("is no full path of a device", remedy: "write it as /dev/serial/by-id/NAME")
      }
      subscriber.accessories.append(device)
    }
    if let node = map.optional(.maxTime) {
      guard subscriber.style == .oneshot else {
        throw node.failure("has a meaning for the style `oneshot` only", remedy: "add style: oneshot")
      }
      subscriber.maxTimeSeconds = try node.double(in: 1...86_400)
    }
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

  /// Which events it is offered; nil for all.
  private static func filter(
    _ map: StrictMap<Key>, _ services: Subscriber.Services, isReplayed: Bool
  ) throws(Failure) -> OfferFilter? {
    var filter = OfferFilter()
    if let node = map.optional(.events) {
      var kinds: [EventKind] = []
      for item in try node.list() {
        let kind = try item.word(EventKind.self)
        guard services.contains(kind.service) else {
          throw item.failure(
            "no such events without the service \(Service.name(of: kind.service))",
            remedy: "add it to services")
        }
        if !kinds.contains(kind) { kinds.append(kind) }
      }
      filter.kinds = kinds
    }
    if let node = map.optional(.between) { filter.hours = try text(node, MeasureText.hours) }
    if let node = map.optional(.days) { filter.days = try text(node, MeasureText.days) }
    if let node = map.optional(.cooldown) { filter.cooldownSeconds = try node.double(in: 0...1e9) }
    if let node = map.optional(.timeZone) {
      filter.zone = try text(node) { (name) throws(Failure) in
        try TimeZoneFile.zone(name, isReplayed: isReplayed)
      }
    }
    if map.optional(.timeZone) == nil, let node = map.optional(.between) ?? map.optional(.days) {
      // Not the machine's own: a replay elsewhere would decide otherwise.
      let own = (try? TimeZoneFile.machine().name) ?? "UTC"
      let other = own == "UTC" ? "a name such as Europe/Berlin" : "UTC"
      throw node.failure("needs a time zone", remedy: "add time_zone: \(own), as here, or \(other)")
    }
    return filter == OfferFilter() ? nil : filter
  }

  /// A value in a form of the command line; what is wrong with it, with its place in the file.
  private static func text<Value>(
    _ node: StrictYAML, _ read: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let text = try node.string()
    do throws(Failure) {
      return try read(text)
    } catch {
      throw node.failure(error.what, remedy: error.remedy)
    }
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

  /// What it asks of good moments to fetch (rule G1).
  private static func fetch(
    _ map: StrictMap<Key>, _ modes: Subscriber.Modes, _ numbers: Policy.Configuration.Fetch
  ) throws(Failure) -> FetchTerms? {
    guard let node = map.optional(.fetchInterval) ?? map.optional(.metered) else { return nil }
    guard modes.contains(.fetch) else {
      throw node.failure(
        "has no meaning without the mode `fetch`", remedy: "add modes: [fetch], or leave it out")
    }
    var terms = FetchTerms()
    if let node = map.optional(.fetchInterval) {
      if try node.string() == "never" {
        terms.intervalSeconds = nil
      } else {
        terms.intervalSeconds = try node.double(in: numbers.leastSeconds...1e9)
      }
    }
    if let node = map.optional(.metered) { terms.metered = try node.bool() }
    return terms
  }

  /// The issues that it fetches (rule I5).
  private static func issues(
    _ node: StrictYAML, _ modes: Subscriber.Modes, _ numbers: Policy.Configuration.Issues
  ) throws(Failure) -> IssueTerms {
    guard modes.contains(.newsstandContent) else {
      throw node.failure(
        "has no meaning without the mode `newsstand-content`",
        remedy: "add modes: [newsstand-content], or leave it out")
    }
    let map = try node.map(IssueKey.self)
    let url = try map.required(.url)
    guard TransferRequest.isServed(try url.string()) else {
      throw url.failure("is no address of https", remedy: "write https://...; http only for this machine")
    }
    return IssueTerms(
      url: try url.string(),
      intervalSeconds: try map.required(.interval).double(in: numbers.leastSeconds...1e9))
  }

  enum IssueKey: String, CaseIterable {
    case url
    case interval = "every_s"
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
    case fetchInterval = "fetch_interval_s"
    case metered, issues
    case user, group
    case memoryMax = "memory_max"
    case tasksMax = "tasks_max"
    case nofile
    case events, between, days
    case timeZone = "time_zone"
    case cooldown = "cooldown_s"
    case maxTime = "max_time_s"
    case directory, accessories
  }

  /// A service by its name in a manifest.
  package enum Service: String, CaseIterable {
    case significantChange = "significant-change"
    case regions, visits, standard

    /// The name of one service.
    package static func name(of services: Subscriber.Services) -> String {
      allCases.first { $0.services == services }?.rawValue ?? ""
    }

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

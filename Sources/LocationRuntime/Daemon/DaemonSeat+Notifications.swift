package import LocationCore
package import LocationFormats

/// The notifications of a subscriber, through the daemon that runs or in the state file.
extension DaemonSeat {
  /// What a subscriber has scheduled, each as one JSON object, by the time at which it is due.
  package func notifications(of name: String) throws(Failure) -> [JSONTree] {
    try scheduled(by: [name]).map(\.notification)
  }

  /// Notifications that wait for regions that are not there, a line each; none where that can't be asked.
  ///
  /// - Parameter ids: the regions that were removed or renamed; nil for all.
  package func notificationsInVain(for ids: [String]?) -> [String] {
    let asked = ids.map { Set($0) }
    do throws(Failure) {
      guard let database = try StateDatabase.openToRead(path: state) else { return [] }
      var lines: [String] = []
      for (name, notification) in try scheduled(by: try database.subscribers().map(\.subscriber.name)) {
        guard let region = notification["region"]?.string, asked?.contains(region) ?? true,
          try !database.unknown(among: [region]).isEmpty
        else { continue }
        let id = notification["id"]?.string ?? ""
        lines.append("notification \(id) of \(name) waits for region \"\(region)\", which is not there")
      }
      return lines
    } catch {
      return []
    }
  }

  /// The changes to notifications that wait for a daemon, a line each.
  ///
  /// - Parameter name: whose; nil for all.
  package func notificationsToCome(of name: String?) throws(Failure) -> [String] {
    guard let database = try StateDatabase.openToRead(path: state) else { return [] }
    return try database.requests().compactMap { request in
      guard case .subscriber(let owner, .mode(let event)) = request.event, owner == name ?? owner else {
        return nil
      }
      if case .notify(let asked) = event {
        let title = "\"\(asked.content.title)\""
        return "\(asked.id ?? title) of \(owner) will be scheduled when locwatch run starts"
      }
      guard case .cancelNotification(let id) = event else { return nil }
      return "\(id) of \(owner) will be cancelled when locwatch run starts"
    }
  }

  /// What subscribers have scheduled, each with whose it is.
  private func scheduled(by names: [String]) throws(Failure) -> [(name: String, notification: JSONTree)] {
    var all: [(name: String, notification: JSONTree)] = []
    if let client = try connect() {
      for name in names {
        let answer = try client.ask("notifications", ["subscriber": .string(name)])
        guard case .array(let list) = answer["notifications"] ?? .null else { continue }
        all += list.map { (name, $0) }
      }
    } else if !names.isEmpty, let database = try StateDatabase.openToRead(path: state) {
      for name in names { try Self.require(name, in: database) }
      let restored = try RestoredEngine(database)
      for name in names { all += restored.engine.notifications(of: name).map { (name, $0.tree) } }
    }
    return all
  }

  /// Schedules a notification for a subscriber.
  ///
  /// - Parameter notification: As a program would write it (rule D1).
  /// - Returns: Its name; nil where no daemon runs that schedules it now.
  /// - Throws: ``Failure`` of code 1 where it is refused.
  package func notify(_ name: String, _ notification: JSONTree) throws(Failure) -> String? {
    try evenIfDaemonStarts { () throws(Failure) -> String? in
      if let client = try connect() {
        let answer = try client.ask("notify", ["subscriber": .string(name), "notify": notification])
        return answer["notification"]?.string
      }
      var parsed = try NotificationAnswer.notification(notification)
      if case .region(let id, _) = parsed.when, let database = try StateDatabase.openToRead(path: state) {
        guard try database.unknown(among: [id]).isEmpty else { throw .unknownRegion(id) }
      }
      // It is asked for now, not at the start of the next daemon.
      if let now = SystemClock().read().utc {
        parsed.asked = now
        if case .after(let seconds) = parsed.when { parsed.when = .at(now.advanced(bySeconds: seconds)) }
      }
      try leave(.notify(parsed), for: name)
      return nil
    }
  }

  /// Cancels a notification, opens it as the user would, or lets a subscriber show any or none, or use the
  /// microphone, accessories or Bluetooth.
  ///
  /// - Returns: Whether that is done; false where it waits for a daemon.
  @discardableResult
  package func change(_ name: String, _ event: ModeEvent) throws(Failure) -> Bool {
    try evenIfDaemonStarts { () throws(Failure) -> Bool in
      guard let client = try connect() else {
        if case .openNotification = event { throw try lackOfDaemon() }
        try leave(event, for: name)
        return false
      }
      func allowed(_ isAllowed: Bool) -> String { isAllowed ? "allowed" : "denied" }
      let (verb, key, value) =
        switch event {
        case .cancelNotification(let id): ("cancel-notification", "id", id)
        case .openNotification(let id): ("open-notification", "id", id)
        case .permitNotifications(let isAllowed): ("notifications", "value", allowed(isAllowed))
        case .audio(.permitMicrophone(let isAllowed)): ("microphone", "value", allowed(isAllowed))
        case .accessory(.allow(let isAllowed)): ("accessory", "value", isAllowed ? "on" : "off")
        case .accessory(.permitBluetooth(let isAllowed)): ("bluetooth", "value", allowed(isAllowed))
        case .notify, .cancelNotifications, .presented, .fetched, .keepAlive, .tag, .traffic, .audio, .push,
          .transfer, .cancelTransfer, .answerTransfer, .transferAsks, .transferBroke, .transferEnded,
          .accessory, .advertise, .listens:
          throw Failure(.usage, what: "a command can't say that for a program")
        }
      _ = try client.ask(verb, ["subscriber": .string(name), key: .string(value)])
      return true
    }
  }

  /// Refuses a name that no subscriber has.
  static func require(_ name: String, in database: StateDatabase) throws(Failure) {
    let names = try database.subscribers().map(\.subscriber.name)
    guard names.contains(name) else { throw Failure.unknownSubscriber(name, among: names) }
  }

  /// Leaves something for the next daemon.
  func leave(_ event: ModeEvent, for name: String) throws(Failure) {
    try standIn { (database, engine) throws(Failure) in
      try Self.require(name, in: database)
      try Self.requireSubject(of: event, for: name, engine, database)
      try database.request([.subscriber(name: name, .mode(event))])
    }
  }

  /// So many pushes of a program wait for the next daemon at most. What sends them may keep the others.
  private static let mostPushes = 100

  /// Refuses to cancel what the next daemon will not have (rules D4 and I1), and a push too many.
  private static func requireSubject(
    of event: ModeEvent, for name: String, _ engine: borrowing Engine, _ database: StateDatabase
  ) throws(Failure) {
    if case .push = event {
      let count = try database.requests().count { request in
        if case .subscriber(name, .mode(.push)) = request.event { true } else { false }
      }
      guard count < Self.mostPushes else {
        throw Failure(
          .tryAgain, what: "\(count) pushes of \"\(name)\" wait for the daemon already",
          remedy: "start it: locwatch run")
      }
    }
    if case .cancelTransfer(let number) = event {
      guard engine.transfers(of: name).contains(where: { $0.number == number }) else {
        throw .noTransfer(number, of: name)
      }
    }
    if case .cancelNotification(let id) = event {
      let isScheduled = engine.notifications(of: name).contains { $0.id == id }
      let isRequested = try database.requests().contains { request in
        guard case .subscriber(name, .mode(.notify(let asked))) = request.event else { return false }
        return asked.id == id
      }
      guard isScheduled || isRequested else {
        // As a daemon would say it.
        throw Failure(
          .conditionFails,
          what:
            "refused by rule \(Rule.notificationLimit.rawValue): \(Decision.Reason.unknownNotification.phrase)",
          remedy: DaemonLoop.notificationsRemedy)
      }
    }
  }
}

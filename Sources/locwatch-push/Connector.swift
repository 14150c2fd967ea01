import Glibc
import LocationBus
import LocationCore
import LocationFormats
import LocationRuntime

/// The connector of UnifiedPush for all subscribers: registers them with a distributor, and hands their pushes to the
/// daemon. A distributor is answered when the push is on the disk, so it keeps what was not stored.
struct Connector: ~Copyable {
  private let bus: MessageBus
  private let seat: DaemonSeat
  private let database: StateDatabase
  private let wish: String?
  /// What the daemon tells of changes; nil while none runs.
  private var client: ControlClient?
  /// When a daemon is looked for next.
  private var lookAt = ContinuousClock.now
  /// The distributor in use; nil while there is none.
  private var distributor: String?
  /// Tokens that it was told.
  private var told: Set<String> = []
  /// Its answers that are awaited, by the number of the call.
  private var awaited: [UInt64: (token: String, isSecond: Bool)] = [:]
  /// When those that it refused are tried again; nil while there are none.
  private var retryAt: ContinuousClock.Instant?
  private var retrySeconds = Self.firstRetrySeconds
  private var hasComplained = false

  /// The bus name that distributors deliver to.
  static let name = "locwatch.Push1"
  /// Bytes of a message (UnifiedPush, DBUS_0.3.0).
  private static let messageBytes = 4096
  /// Bytes of an endpoint, likewise.
  private static let endpointBytes = 1000
  /// Seconds between two looks for a daemon. Pushes do not wait for it.
  private static let lookSeconds = 10.0
  /// Seconds before a refused registration is tried again; twice as many each time, to an hour.
  private static let firstRetrySeconds = 60.0
  private static let longestRetrySeconds = 3600.0
  /// Seconds that a push waits for a daemon that is just starting or ending: less than callers wait (25 s).
  private static let patienceSeconds = 20.0

  /// Serves until the bus is gone.
  ///
  /// - Parameters:
  ///   - state: the daemon's state file.
  ///   - wish: which distributor; nil for any.
  static func run(state: String, wish: String?) throws {
    let database = try StateDatabase.open(path: state)
    let bus = try MessageBus(.session)
    try bus.watchOwners(below: "org.unifiedpush.Distributor")
    // What woke us is delivered as soon as we have the name.
    try bus.request(name: name)
    var connector = Connector(bus, DaemonSeat(state: state), database, wish)
    try connector.serve()
  }

  private init(
    _ bus: consuming MessageBus, _ seat: DaemonSeat, _ database: StateDatabase, _ wish: String?
  ) {
    self.bus = bus
    self.seat = seat
    self.database = database
    self.wish = wish
  }

  private mutating func serve() throws {
    var polled = PollSet()
    try align()
    while true {
      if client == nil, lookAt <= .now { try connect() }
      if let due = retryAt, due <= .now { try align() }
      // Last: what came while a call was waited for makes the bus not readable again.
      while let message = try bus.take() { try take(message) }
      polled.removeAll()
      polled.watch(bus.descriptor, for: Int32(bus.events))
      polled.watch(client?.readable ?? -1)
      polled.wait(atMost: milliseconds)
      if polled.has(client?.readable ?? -1) { try takeNews() }
    }
  }

  /// Until something is due; -1 where nothing is.
  private var milliseconds: Int32 {
    let due = [client == nil ? lookAt : nil, retryAt].compactMap { $0 }.min()
    guard let due else { return -1 }
    // At most an hour.
    return Int32(max(0, ContinuousClock.now.duration(to: due) / .milliseconds(1)).rounded(.up))
  }

  // MARK: - Subscribers

  private mutating func connect() throws {
    lookAt = ContinuousClock.now + .seconds(Self.lookSeconds)
    guard let found = try? ControlClient.connect(state: seat.state, database: database),
      (try? found.ask("follow")) != nil
    else { return }
    client = found
    try align()
  }

  /// The daemon tells of records, which are nothing to us, and that there may be more to read, as where subscribers
  /// were changed.
  private mutating func takeNews() throws {
    guard let lines = client?.takeLines() else {
      client = nil
      return
    }
    let hasChanged = lines.contains { line in
      guard let tree = try? JSONTree(line) else { return false }
      return tree["newest"] != nil && tree["records"] == nil
    }
    if hasChanged { try align() }
  }

  /// Brings the distributor's registrations to what the subscribers want.
  private mutating func align() throws {
    retryAt = nil
    let wanted = Set(
      try database.subscribers().map(\.subscriber).filter(\.takesPushes)
        .map(\.name))
    let names = try Distributor.names(on: bus)
    let known = try database.pushRegistrations()
    choose(among: names, last: known.lazy.compactMap(\.distributor).first)
    for registration in known where !(registration.subscriber.map(wanted.contains) ?? false) {
      try leave(registration, names)
    }
    for subscriber in wanted.sorted() {
      var registration = known.first { $0.subscriber == subscriber } ?? Self.draw(for: subscriber)
      if let before = registration.distributor, let distributor, before != distributor {
        if names.contains(before) { try Distributor.unregister(registration.token, at: before, on: bus) }
        let other = registration.renewed()
        try database.put(other, insteadOf: registration)
        registration = other
      }
      guard let distributor, told.insert(registration.token).inserted else { continue }
      // Before it may call back.
      if registration.distributor == nil {
        registration.distributor = distributor
        try database.put(registration)
      }
      try register(registration.token, of: subscriber, isSecond: true)
    }
  }

  private static func draw(for subscriber: String) -> PushRegistration {
    let keys = MessageKeys()
    return PushRegistration(
      subscriber: subscriber, secret: keys.secretText, point: keys.pointText, auth: keys.authText)
  }

  private mutating func choose(among names: [String], last: String?) {
    let choice = Distributor.choice(among: names, wish: wish, last: last)
    if choice != distributor { told = [] }
    distributor = choice
    if choice == nil, !hasComplained {
      hasComplained = true
      PushMain.complain(
        wish == nil
          ? "no UnifiedPush distributor is on this bus; waiting for one"
          : "the distributor that is asked for is not on this bus; waiting for it")
    }
    if choice != nil { hasComplained = false }
  }

  /// Gives up the place of a subscriber that is gone or lost the mode. Where its distributor is not there now, later.
  private mutating func leave(_ registration: PushRegistration, _ names: [String]) throws {
    if let distributor = registration.distributor {
      guard names.contains(distributor) else { return }
      try Distributor.unregister(registration.token, at: distributor, on: bus)
    }
    told.remove(registration.token)
    try database.remove(registration)
  }

  private mutating func register(_ token: String, of subscriber: String, isSecond: Bool) throws {
    guard let distributor else { return }
    let call = try Distributor.register(
      token, of: subscriber, at: distributor, isSecond: isSecond, on: bus)
    awaited[call] = (token, isSecond)
  }

  private mutating func retry(_ token: String) {
    told.remove(token)
    guard retryAt == nil else { return }
    retryAt = ContinuousClock.now + .seconds(retrySeconds)
    retrySeconds = min(retrySeconds * 2, Self.longestRetrySeconds)
  }

  // MARK: - What comes

  private mutating func take(_ message: borrowing BusMessage) throws {
    switch message.kind {
    case .call: try answer(message)
    case .answer, .error: try takeAnswer(message)
    case .signal:
      guard let change = try message.ownerChange(), change.name.hasPrefix(Distributor.prefix),
        !change.after.isEmpty
      else { return }
      // It has begun anew. What it is being asked, it was started for.
      if change.name == distributor { told = Set(awaited.values.map(\.token)) }
      try align()
    case nil: break
    }
  }

  /// A distributor's answer to a registration.
  private mutating func takeAnswer(_ answer: borrowing BusMessage) throws {
    guard let number = answer.replyTo, let (token, isSecond) = awaited.removeValue(forKey: number),
      let subscriber = try database.pushRegistration(ofToken: token)?.subscriber
    else { return }
    if answer.kind == .error {
      if isSecond { return try register(token, of: subscriber, isSecond: false) }
      PushMain.complain(
        "\(subscriber) is not registered: the distributor answers with an error; trying again later")
      return retry(token)
    }
    if let reason = Distributor.refusal(answer) {
      PushMain.complain("\(subscriber) is not registered: \(reason); trying again later")
      return retry(token)
    }
    retrySeconds = Self.firstRetrySeconds
  }

  private mutating func answer(_ message: borrowing BusMessage) throws {
    if message.isCall("org.freedesktop.DBus.Introspectable", "Introspect") {
      let isOurs = message.path == DistributorCall.path
      return try bus.reply(to: message, [.text(isOurs ? DistributorCall.introspection : "<node/>")])
    }
    guard message.path == DistributorCall.path, let call = try? DistributorCall(message) else {
      return try refuse(message, "a call is none of a distributor, or too large")
    }
    guard let registration = try database.pushRegistration(ofToken: call.token),
      let subscriber = registration.subscriber
    else {
      // That is how it confirms that it has forgotten one.
      if case .unregistered = call.content { return try bus.reply(to: message) }
      return try refuse(message, "a call names no subscriber's token")
    }
    switch call.content {
    case .message(let bytes, let id):
      if let trouble = deliver(bytes, of: registration, to: subscriber) {
        return try refuse(message, "\(subscriber): \(trouble)")
      }
      let answer: [BusValue.Entry] = id.map { [.init("id", .text($0))] } ?? []
      try bus.reply(to: message, call.isSecond ? [.map(answer)] : [])
    case .endpoint(let endpoint):
      guard Self.isEndpoint(endpoint) else {
        return try refuse(message, "\(subscriber): the endpoint is refused: it is no URL, or too long")
      }
      try note(endpoint, of: registration)
      try bus.reply(to: message)
    case .unregistered:
      PushMain.complain("\(subscriber) is registered no longer, says the distributor; trying again later")
      try note(nil, of: registration)
      retry(call.token)
      try bus.reply(to: message)
    }
  }

  /// What is wrong is told in one line, which repeats nothing of the call.
  private func refuse(_ message: borrowing BusMessage, _ text: String) throws {
    PushMain.complain(text)
    try bus.refuse(message, "org.freedesktop.DBus.Error.InvalidArgs", text)
  }

  private static func isEndpoint(_ text: String) -> Bool {
    (text.hasPrefix("https://") || text.hasPrefix("http://")) && text.utf8.count <= endpointBytes
      && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  /// Stores where senders post, and has the program told where that changed.
  private func note(_ endpoint: String?, of registration: PushRegistration) throws {
    guard endpoint != registration.endpoint, let subscriber = registration.subscriber else { return }
    var changed = registration
    changed.endpoint = endpoint
    try database.put(changed)
    // Where no daemon runs, no program does.
    guard let daemon = try? ControlClient.connect(state: seat.state, database: database) else { return }
    _ = try? daemon.ask("push-address", ["subscriber": .string(subscriber)])
  }

  /// Hands a push to the daemon, or leaves it for the next.
  ///
  /// - Returns: nil once it is on the disk; else why it is not.
  private func deliver(
    _ message: [UInt8], of registration: PushRegistration, to subscriber: String
  ) -> String? {
    guard (1...Self.messageBytes).contains(message.count) else {
      return "the push is refused: it has \(message.count) bytes; 1 to \(Self.messageBytes) are taken"
    }
    guard let keys = MessageKeys(secret: registration.secret, auth: registration.auth) else {
      return "its keys in the state file are damaged; remove the subscriber and add it again"
    }
    var payload = message
    if MessageKeys.isEncrypted(message) {
      guard let text = keys.decrypted(message) else { return "the push is refused: it can't be decrypted" }
      payload = text
    }
    let end = ContinuousClock.now + .seconds(Self.patienceSeconds)
    while true {
      do throws(Failure) {
        _ = try seat.push(subscriber, payload, id: keys.name(of: message), database: database)
        return nil
      } catch {
        // The daemon is starting, ending or short of disk.
        guard [.unavailable, .tryAgain, .io].contains(error.code), ContinuousClock.now < end else {
          return "\(error)"
        }
      }
      PollSet.pause(milliseconds: Self.pauseMilliseconds)
    }
  }

  private static let pauseMilliseconds: Int32 = 500
}

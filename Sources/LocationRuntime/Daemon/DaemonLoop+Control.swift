import Glibc
import LocationCore
import LocationFormats

/// What commands ask of the daemon.
extension DaemonLoop {
  /// Answers one question. What is wrong with it is the answer.
  ///
  /// - Throws: what ends the daemon.
  mutating func answer(_ question: ControlSocket.Question) throws(Failure) {
    let client = question.client
    do throws(Failure) { try live.host.journal.requireNames() } catch {
      control.answer(client, error, at: clock.instant)
      throw error
    }
    // A user waits, and may have made room on the disk, so the journal tries again at once.
    if live.host.journal.trouble != nil {
      live.host.journal.retryAtOnce()
      try commit()
    }
    var wasTaken = false
    var members: [JSONTree.Member] = []
    do throws(Failure) {
      let request = try question.request.get()
      switch request["do"]?.string {
      case "status": return control.answer(client, Array(try status().text.utf8), at: clock.instant)
      case "follow":
        try control.follow(client, fixes: request["fixes"] == .boolean(true))
        return control.answer(client, at: clock.instant)
      case "power": return control.answer(client, try power(request), at: clock.instant)
      case "region-states": return control.answer(client, regionStates(request), at: clock.instant)
      case "ack": try acknowledge(request)
      case "regions": try applyRegions(words("ids", request))
      case "subscribers": try applySubscribers(words("names", request))
      case "outlets":
        try outlets.apply(database, environment: environment, anew: words("names", request) ?? [])
      case "subscriber": try user(try word("verb", request), try word("name", request))
      case "lock": try live.handle(.machine(.lock), at: clock.read())
      case "unlock": try live.handle(machine: .unlock, at: clock.read())
      case "notify", "cancel-notification", "open-notification", "notifications":
        members = try notifications(request)
      case "microphone": try microphone(request)
      case "accessory": try accessory(request)
      case "bluetooth": try bluetooth(request)
      case "beacon": try beacon(request)
      case "audio-command": try audioCommand(request)
      case "interrupt": try interrupt(request)
      case "push": members = try push(request)
      case "push-address": try tellPushAddress(request)
      case "transfers", "cancel-transfer": members = try transfers(request)
      case "low-power": members = try lowPower(request)
      case "memory-pressure": try take(.memoryPressure(try level(request)))
      case "reload": if let failure = try reload() { throw failure }
      case let other?: throw Failure(.usage, what: "this daemon can't do \"\(other)\"")
      case nil: throw Failure(.usage, what: "a request says what to \"do\"")
      }
      wasTaken = true
    } catch {
      control.answer(client, error, at: clock.instant)
    }
    guard wasTaken else { return }
    live.host.journal.noteTold()
    try commit()
    if let trouble = live.host.journal.trouble {
      let answer = Failure(
        trouble.code, file: request.state,
        what: "the daemon can't write it now; it keeps this in memory and does it when it can",
        remedy: "locwatch status tells why")
      return control.answer(client, answer, at: clock.instant)
    }
    control.answer(client, members, at: clock.instant)
  }

  func word(_ key: String, _ request: JSONTree) throws(Failure) -> String {
    guard let word = request[key]?.string else {
      let trouble = request[key] == nil ? "no \"\(key)\" in the request" : "\"\(key)\" is no text"
      throw Failure(.usage, what: trouble)
    }
    return word
  }

  /// The list of texts that a request has under a key; nil where it has nothing there.
  func words(_ key: String, _ request: JSONTree) throws(Failure) -> [String]? {
    guard let value = request[key] else { return nil }
    guard let words = value.strings else {
      throw Failure(.usage, what: "\"\(key)\" is no list of texts")
    }
    return words
  }

  /// Whether the `value` of a request is the first of two words.
  func choice(_ request: JSONTree, _ yes: String, _ no: String) throws(Failure) -> Bool {
    switch request["value"]?.string {
    case yes: return true
    case no: return false
    default: throw Failure(.usage, what: "\"value\" is \(yes) or \(no)")
    }
  }

  /// Takes what commands have left in the state file while no daemon ran. What is refused is told in the log: nobody waits
  /// for an answer.
  mutating func take(_ requests: [StateDatabase.StoredRequest], at reading: ClockReading) throws(Failure) {
    for request in requests {
      if request.event.isOfNotifications { try alignNotifications() }
      try live.handle(request.event, at: reading) { $0.noteRequest(request.number) }
      if case .subscriber(let name, let event) = request.event, let refusal = objection(to: event, of: name) {
        var what = "what was"
        if case .subscriber(_, .mode(.notify(let notification))) = request.event {
          what = notification.id.map { "notification \"\($0)\"" } ?? "a notification"
        }
        Self.log("\(name): \(what) asked for before the daemon started is \(Self.failure(refusal))")
      }
    }
  }

  /// Takes what commands have left before the machine booted and the boot undoes. Call it before the engine is told of the
  /// boot: a force-quit does more than set the mark. An unlock is dropped: it would start programs.
  mutating func takeUndone(
    _ requests: [StateDatabase.StoredRequest], at reading: ClockReading
  ) throws(Failure) {
    let unlocks = requests.filter { $0.event == .machine(.unlock) }
    for request in unlocks { live.host.journal.noteRequest(request.number) }
    if !unlocks.isEmpty { Self.log("an unlock was reported before the machine booted: it does not count") }
    try take(requests.filter { $0.event != .machine(.unlock) }, at: reading)
  }

  /// What a command is told of a decision against it.
  static func failure(_ refusal: Decision) -> Failure {
    let state = refusal.reason == .illegalMove ? ", \(refusal.before.rawValue)" : ""
    return Failure(
      .conditionFails, what: "refused by rule \(refusal.rule.rawValue): \(refusal.reason.phrase)\(state)",
      remedy: remedy(for: refusal))
  }

  static let notificationsRemedy = "locwatch notifications list lists those there are"

  /// What to do about a refusal; nil where there is nothing, or its words say so.
  private static func remedy(for refusal: Decision) -> String? {
    refusal.rule == .notificationPermission && refusal.reason == .notPermitted
      ? "locwatch notifications allow \(CommandText.word(refusal.subscriber))" : remedies[refusal.reason]
  }

  private static let remedies: [Decision.Reason: String] = [
    .noNotifier: NotifyHook.remedy, .unknownRegion: "locwatch regions list lists those there are",
    .regionSilent: "add it to the region's --notify", .unknownNotification: notificationsRemedy,
    .tooManyNotifications:
      "it may have \(Limits.notifications); \(notificationsRemedy), locwatch notifications cancel takes one out",
  ]

  /// Who is asked about: one of the subscribers.
  func subscriber(_ request: JSONTree) throws(Failure) -> String {
    let name = try word("subscriber", request)
    _ = try view(of: name)
    return name
  }

  /// A subscriber as the engine has it.
  ///
  /// - Throws: code 75 where it waits for the first fix of a log that is played, 1 where nobody is called so.
  func view(of name: String) throws(Failure) -> SubscriberView {
    if let view = live.engine.subscriber(name) { return view }
    guard live.heldSubscribers[name] == nil else { throw Self.noTime }
    throw Failure.unknownSubscriber(name, among: live.engine.subscribers.map(\.subscriber.name))
  }

  /// In a log that is played there is no time before the first fix.
  static let noTime = Failure(
    .tryAgain, what: "nothing is taken before the first fix", remedy: "try again then")

  private func level(_ request: JSONTree) throws(Failure) -> MemoryPressure {
    guard let level = MemoryPressure(rawValue: try word("level", request)) else {
      throw Failure(.usage, what: "no level of memory", remedy: "say none, warning or critical")
    }
    return level
  }

  private mutating func acknowledge(_ request: JSONTree) throws(Failure) {
    guard let id = request["id"]?.integer else { throw Failure(.usage, what: "no \"id\" in the request") }
    let name = request["subscriber"] == nil ? nil : try word("subscriber", request)
    let names = Acknowledgement.waiting(for: id, subscriber: name, among: live.engine.subscribers)
    guard !names.isEmpty else {
      throw Acknowledgement.nobody(id, name, among: live.engine.subscribers.map(\.subscriber.name))
    }
    for name in names {
      try live.handle(.subscriber(name: name, .dismissed(event: id)), at: clock.read())
      live.add(.withdraw(name, event: id))
    }
  }

  private func regionStates(_ request: JSONTree) -> [JSONTree.Member] {
    var states: [JSONTree.Member] = []
    for id in request["ids"]?.strings ?? [] {
      guard let state = live.engine.regionState(id) else { continue }
      states.append(.init(key: id, value: .string(state.rawValue)))
    }
    return [.init(key: "states", value: .object(states))]
  }

  private mutating func power(_ request: JSONTree) throws(Failure) -> [JSONTree.Member] {
    if request["book"] != .boolean(false) {
      let reading = clock.read()
      try live.passTime(to: reading)
      try commit()
      try live.host.journal.bookEnergy(of: live.host.engine, at: reading)
    }
    return [.init(key: "books", value: try live.energyBooks.tree())]
  }

  /// How old the last fix may be, seconds; nil where its age says nothing.
  private var staleSeconds: Double? {
    cycle.staleSeconds(
      of: request.address.traits, isSampled: live.engine.configuration.sampling.isDutyCycled)
  }

  /// Writes the metrics where that is due. What happens soon after is written later, so that the file does not say
  /// something old for hours.
  ///
  /// - Parameter isLast: whether nobody is there afterwards.
  mutating func writeMetrics(isLast: Bool = false) {
    guard var file = metrics else { return }
    defer { metrics = file }
    let mark = [live.host.journal.newestID, live.engine.tally.fixes] + outlets.marks
    guard file.isDue(at: clock.instant, mark: mark) || isLast else { return }
    do throws(Failure) {
      var status = try status()
      if isLast, case .object(let members) = status {
        status = .object(members.filter { !["daemon", "stale"].contains($0.key) })
      }
      if let trouble = file.write(MetricsText.describe(status, as: .prometheus)) { Self.log(trouble) }
      // A source that just stays away is no event.
      if !request.isSimulated, let staleSeconds, status["stale"] == .boolean(false) {
        file.noteStale(after: live.engine.tally.last?.instant, staleSeconds: staleSeconds, at: clock.instant)
      }
    } catch {
      Self.log("metrics: \(error)")
    }
  }

  private func status() throws(Failure) -> JSONTree {
    let counts = try database.counts()
    let reading = clock.read()
    let last = live.engine.tally.last
    let now: UTCTime
    if request.isSimulated {
      now = last?.time ?? UTCTime(microseconds: reading.instant.microseconds)
    } else if let last {
      // On the engine's axis: nobody sets it.
      now = last.time.advanced(bySeconds: last.instant.seconds(to: reading.instant))
    } else {
      now = reading.dating
    }
    let running = StatusReport.Running(
      pid: getpid(), since: since, instant: reading.instant, address: request.address,
      sourceTrouble: inbox.trouble, suspension: supervisor.method, staleSeconds: staleSeconds,
      heldRows: live.host.journal.heldRows, trouble: live.host.journal.trouble)
    return StatusReport(
      running: running, state: request.state, now: now, source: source, newestID: live.host.journal.newestID,
      journalRows: counts.journal, eventRows: counts.events, regions: live.regionCount,
      outlets: try database.outletStates()
    ).tree(of: live.engine)
  }
}

/// Who an acknowledgement by hand is for.
enum Acknowledgement {
  /// Those who wait for it.
  static func waiting(for id: Int, subscriber: String?, among views: [SubscriberView]) -> [String] {
    views.filter { view in
      (subscriber ?? view.subscriber.name) == view.subscriber.name && view.waiting.contains { $0.event == id }
    }.map(\.subscriber.name)
  }

  /// What is said where nobody does.
  ///
  /// - Parameter known: the names of all subscribers.
  static func nobody(_ id: Int, _ subscriber: String?, among known: [String]) -> Failure {
    if let subscriber, !known.contains(subscriber) {
      return Failure.unknownSubscriber(subscriber, among: known)
    }
    return Failure(
      .conditionFails,
      what: subscriber.map { "\($0) waits for no event \(id)" } ?? "no subscriber waits for event \(id)",
      remedy: "locwatch subscribers show tells what is waited for")
  }
}

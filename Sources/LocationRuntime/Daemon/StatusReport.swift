import LocationCore
import LocationFormats

/// What there is to say of a daemon, or of what one has left.
struct StatusReport {
  /// What only a running daemon knows.
  struct Running {
    var pid: Int32
    var since: UTCTime
    /// Now, on the engine's axis.
    var instant: EngineInstant
    var address: GPSDAddress
    var suspension: SuspensionMethod
    var heldRows: Int
    var trouble: Failure?
  }

  var running: Running?
  /// The state file that it is about.
  var state: String
  /// The state file of another daemon on this machine, where none runs on this one; nil where none does.
  var otherState: String?
  /// UTC when it was made; in a log that is played, of the log.
  var now: UTCTime
  /// What was last said of the source, as JSON.
  var source: SourceEvent?
  var newestID: Int
  var journalRows: Int
  var eventRows: Int
  /// When a daemon was last seen to store something; nil where it runs.
  var lastSeen: UTCTime?
  /// Regions of the database. The engine's are others while no daemon runs, and before the first fix of a log.
  var regions: Int
  /// Whether the next daemon is to be in low-power mode, where that was asked for since the last one.
  var isLowPower: Bool?
  /// Each outlet and how it fares.
  var outlets: [OutletState] = []

  /// One JSON object.
  func tree(of engine: borrowing Engine) -> JSONTree {
    let fix = engine.tally.last
    let age = fix.map { max(0, $0.time.seconds(to: now)) }
    var members: [JSONTree.Member] = [.init(key: "v", value: .number("1"))]
    func add(_ key: String, _ value: JSONTree?) {
      if let value { members.append(.init(key: key, value: value)) }
    }
    add("stale", .boolean(isStale(age: age, isSampled: engine.configuration.sampling.isDutyCycled)))
    add("daemon", daemon)
    add("last_seen", lastSeen.map { .string($0.rfc3339) })
    add("state", .string(state))
    add("other_daemon", otherState.map { .string($0) })
    add("source", sourceTree)
    add("receiver", receiverTree(engine.receiver, engine.configuration.sampling.mode))
    add("low_power", .boolean(isLowPower ?? engine.isLowPower))
    if let fix, let age { add("fix", Self.tree(of: fix, age: age)) }
    add("fixes", .number("\(engine.tally.fixes)"))
    add("accepted", .number("\(engine.tally.accepted)"))
    let refused = RejectReason.allCases.map { ($0, engine.tally.rejected(for: $0)) }.filter { $0.1 > 0 }
    if !refused.isEmpty {
      add("rejected", .object(refused.map { .init(key: $0.0.rawValue, value: .number("\($0.1)")) }))
    }
    add("regions", .number("\(regions)"))
    add("inside", .array(engine.regionsInside.map { .string($0) }))
    let subscribers = engine.subscribers
    add("subscribers", .array(subscribers.map { Self.tree(of: $0, isRunning: running != nil) }))
    add("outbox", .number("\(subscribers.reduce(0) { $0 + $1.waiting.count })"))
    if !outlets.isEmpty { add("outlets", .array(outlets.map(\.tree))) }
    add("newest_event", .number("\(newestID)"))
    add("event_rows", .number("\(eventRows)"))
    add("journal_rows", .number("\(journalRows)"))
    add("storage", storage)
    let joules = engine.ledger.settled(at: engine.instant).joules
    add("energy_j", .fixed(joules, FixedPoint.thousandths))
    return .object(members)
  }

  /// - Parameter isSampled: whether the engine switches the receiver; then only a search without a fix is news.
  private func isStale(age: Double?, isSampled: Bool) -> Bool {
    guard running != nil, let age else { return true }
    if case .stale = source { return true }
    return !isSampled && age > DaemonLimits.staleSeconds
  }

  private var daemon: JSONTree? {
    running.map { running in
      .object([
        .init(key: "pid", value: .number("\(running.pid)")),
        .init(key: "since", value: .string(running.since.rfc3339)),
        .init(key: "gpsd", value: .string(running.address.description)),
        .init(key: "suspension", value: .string(running.suspension.name)),
      ])
    }
  }

  private var sourceTree: JSONTree? {
    guard running != nil else { return nil }
    let (state, name): (String, String?) =
      switch source {
      case .found(let name): ("found", name)
      case .switched(let name): ("found", name)
      case .stale(let reason, _): (reason.rawValue, nil)
      case .dropped: ("found", nil)
      case nil: ("searching", nil)
      }
    var members = [JSONTree.Member(key: "state", value: .string(state))]
    if let name { members.append(.init(key: "name", value: .string(name))) }
    return .object(members)
  }

  private func receiverTree(_ receiver: ReceiverView, _ mode: SamplingConfiguration.Mode) -> JSONTree? {
    guard let running else { return nil }
    var members = [
      JSONTree.Member(key: "sampling", value: .string(mode.word)),
      .init(key: "state", value: .string(receiver.isOn ? "on" : "off")),
    ]
    if let reason = receiver.reason { members.append(.init(key: "reason", value: .string(reason.rawValue))) }
    if let due = receiver.dueAt {
      let seconds = max(0, running.instant.seconds(to: due))
      members.append(.init(key: "due", value: .string(now.advanced(bySeconds: seconds).rfc3339)))
      members.append(.init(key: "due_s", value: .fixed(seconds, FixedPoint.thousandths)))
    }
    return .object(members)
  }

  private var storage: JSONTree? {
    guard let running, let trouble = running.trouble else { return nil }
    return .object([
      .init(key: "held_rows", value: .number("\(running.heldRows)")),
      .init(key: "reason", value: .string("\(trouble)")),
    ])
  }

  private static func tree(of fix: Fix, age: Double) -> JSONTree {
    .object([
      .init(key: "time", value: .string(fix.time.rfc3339)),
      .init(key: "lat", value: .fixed(fix.coordinate.latitude, FixedPoint.degrees)),
      .init(key: "lon", value: .fixed(fix.coordinate.longitude, FixedPoint.degrees)),
      .init(key: "acc_m", value: .fixed(fix.accuracy.radiusMeters, FixedPoint.meters)),
      .init(key: "age_s", value: .fixed(age, FixedPoint.thousandths)),
    ])
  }

  static func tree(of view: SubscriberView, isRunning: Bool) -> JSONTree {
    let state = isRunning ? view.state : .notRunning
    var members = [
      JSONTree.Member(key: "name", value: .string(view.subscriber.name)),
      JSONTree.Member(key: "state", value: .string(state.rawValue)),
      JSONTree.Member(key: "waiting", value: .number("\(view.waiting.count)")),
    ]
    if let first = view.waiting.first {
      members.append(.init(key: "oldest", value: .number("\(first.event)")))
    }
    if let end = view.lastEnd {
      members.append(.init(key: "last_status", value: .number("\(end.status)")))
      if let line = end.lastLine { members.append(.init(key: "last_error", value: .string(line))) }
    }
    if let fetch = view.fetch { members.append(.init(key: "fetch", value: fetch.tree)) }
    if let seconds = view.keepAliveSeconds {
      members.append(.init(key: "keep_alive_s", value: .fixed(seconds, FixedPoint.thousandths)))
    }
    if !view.sockets.isEmpty {
      members.append(.init(key: "sockets", value: .array(view.sockets.map { .string($0) })))
    }
    if !view.audio.isEmpty { members.append(.init(key: "audio", value: AudioView.tree(of: view.audio))) }
    if !view.accessories.isEmpty {
      members.append(.init(key: "accessories", value: AccessoryView.tree(of: view.accessories)))
    }
    if view.openTransfers > 0 {
      members.append(.init(key: "transfers", value: .number("\(view.openTransfers)")))
    }
    if let issue = view.issue { members.append(.init(key: "issue", value: .string(issue))) }
    if view.wasForceQuit { members.append(.init(key: "force_quit", value: .boolean(true))) }
    if !view.tasks.isEmpty {
      members.append(.init(key: "tasks", value: .array(view.tasks.map { .string($0) })))
    }
    return .object(members)
  }
}

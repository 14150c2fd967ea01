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
    var address: SourceAddress
    /// Why it can't be read; nil where it can.
    var sourceTrouble: GPSDTrouble?
    var suspension: SuspensionMethod
    /// How old the last fix may be, seconds; nil where its age says nothing.
    var staleSeconds: Double?
    var heldRows: Int
    var trouble: Failure?
  }

  var running: Running?
  /// False where a daemon runs that does not answer.
  var answers: Bool?
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
  /// Regions in force; those of the database while no daemon runs.
  var regions: Int
  /// Names of the subscribers in the database, while no daemon runs: it has them before an engine does.
  var stored: [String]?
  /// Whether the next daemon is to be in low-power mode, where that was asked for since the last one.
  var isLowPower: Bool?
  /// Each outlet and how it fares.
  var outlets: [OutletState] = []

  /// One JSON object.
  func tree(of engine: borrowing Engine) -> JSONTree {
    let fix = engine.tally.last
    let age = fix.map { max(0, $0.time.seconds(to: now)) }
    let refused = RejectReason.allCases.map { ($0, engine.tally.rejected(for: $0)) }.filter { $0.1 > 0 }
    let rejected = refused.map { JSONTree.Member(key: $0.0.rawValue, value: .integer($0.1)) }
    let subscribers = engine.subscribers
    let joules = engine.ledger.settled(at: engine.instant).joules
    return .object([
      "v": .integer(1),
      "stale": .boolean(isStale(age: age)),
      "daemon": daemon, "answers": answers.map { .boolean($0) },
      "last_seen": lastSeen.map { .string($0.rfc3339) }, "state": .string(state),
      "other_daemon": otherState.map { .string($0) }, "source": sourceTree,
      "receiver": receiverTree(engine.receiver, engine.configuration.sampling.mode),
      "low_power": .boolean(isLowPower ?? engine.isLowPower), "fix": fix.map { tree(of: $0) },
      "fixes": .integer(engine.tally.fixes), "accepted": .integer(engine.tally.accepted),
      "rejected": refused.isEmpty ? nil : .object(rejected), "regions": .integer(regions),
      "inside": .strings(engine.regionsInside),
      "subscribers": .array(trees(of: subscribers)),
      "outbox": .integer(subscribers.reduce(0) { $0 + $1.owed.count }),
      "outlets": outlets.isEmpty ? nil : .array(outlets.map(\.tree)), "newest_event": .integer(newestID),
      "event_rows": .integer(eventRows), "journal_rows": .integer(journalRows), "storage": storage,
      "energy_j": .fixed(joules, FixedPoint.thousandths),
    ])
  }

  private func isStale(age: Double?) -> Bool {
    guard let running, let age else { return true }
    if case .stale = source { return true }
    return running.staleSeconds.map { age > $0 } ?? false
  }

  private var daemon: JSONTree? {
    running.map { running in
      .object([
        "pid": .integer(running.pid), "since": .string(running.since.rfc3339),
        "gpsd": .string(running.address.description), "suspension": .string(running.suspension.name),
      ])
    }
  }

  private var sourceTree: JSONTree? {
    guard let running else { return nil }
    let (state, name): (String, String?) =
      switch source {
      case .found(let name): ("found", name)
      case .switched(let name): ("found", name)
      case .stale(let reason, _): (reason.rawValue, nil)
      case .dropped: ("found", nil)
      case nil: ("searching", nil)
      }
    let lack = running.sourceTrouble?.words(at: running.address)
    return .object([
      "state": .string(state), "name": name.map { .string($0) }, "reason": lack.map { .string($0.what) },
      "remedy": lack?.remedy.map { .string($0) },
    ])
  }

  private func receiverTree(_ receiver: ReceiverView, _ mode: SamplingConfiguration.Mode) -> JSONTree? {
    guard let running else { return nil }
    let seconds = receiver.dueAt.map { max(0, running.instant.seconds(to: $0)) }
    return .object([
      "sampling": .string(mode.word), "state": .string(receiver.isOn ? "on" : "off"),
      "reason": receiver.reason.map { .string($0.rawValue) },
      "due": seconds.map { .string(now.advanced(bySeconds: $0).rfc3339) },
      "due_s": seconds.map { .fixed($0, FixedPoint.thousandths) },
    ])
  }

  private var storage: JSONTree? {
    guard let running, let trouble = running.trouble else { return nil }
    return .object(["held_rows": .integer(running.heldRows), "reason": .string("\(trouble)")])
  }

  private func tree(of fix: Fix) -> JSONTree {
    let age = max(0, fix.time.seconds(to: now))
    return .object(fix.members + JSONTree.members(["age_s": .fixed(age, FixedPoint.thousandths)]))
  }

  /// Those of the engine, and those that were added since a daemon ran.
  private func trees(of views: [SubscriberView]) -> [JSONTree] {
    let known = views.filter { stored?.contains($0.subscriber.name) ?? true }
    let added = (stored ?? []).filter { name in !views.contains { $0.subscriber.name == name } }
    return known.map { Self.tree(of: $0, at: running?.instant) }
      + added.map { name in
        .object([
          "name": .string(name), "state": .string(SubscriberState.notRunning.rawValue),
          "waiting": .integer(0),
        ])
      }
  }

  /// - Parameter instant: now; nil while no daemon runs.
  static func tree(of view: SubscriberView, at instant: EngineInstant?) -> JSONTree {
    let isRunning = instant != nil
    let held = instant.flatMap { now in view.held(at: now).map { (now.seconds(to: $0.until), $0.reason) } }
    let state = isRunning ? view.state : .notRunning
    let first = JSONTree.members([
      "name": .string(view.subscriber.name), "state": .string(state.rawValue),
      "waiting": .integer(view.owed.count), "oldest": view.owed.first.map { .integer($0) },
      "last_status": view.lastEnd.map { .integer($0.status) },
      "last_error": view.lastEnd?.lastLine.map { .string($0) },
    ])
    let last = JSONTree.members([
      "force_quit": view.wasForceQuit ? .boolean(true) : nil,
      "away": isRunning && view.isAway ? .boolean(true) : nil,
      "held_s": held.map { .fixed($0.0, FixedPoint.thousandths) },
      "held": held.map { .string($0.1.rawValue) },
      "tasks": !isRunning || view.tasks.isEmpty ? nil : .strings(view.tasks),
    ])
    return .object(first + view.modeMembers(isRunning: isRunning) + last)
  }
}

import LocationCore

/// What programs say, and what becomes of their manifests.
extension DaemonLoop {
  /// Takes what the supervisor tells.
  mutating func take(_ report: SupervisorReport) throws(Failure) {
    switch report {
    case .event(let name, let event):
      guard engine.driver.engine.subscriberState(name) != nil else { return }
      try engine.take(.subscriber(name: name, event), at: clock.read())
      if case .beginTask = event, let view = engine.driver.engine.subscriber(name) {
        let left = view.budgetEnd.map { max(0, engine.driver.engine.instant.seconds(to: $0)) }
        engine.add(.answer(name, .task(token: view.lastToken, remainingSeconds: left)))
      }
    case .request(let name, let request): try take(request, of: name)
    case .held(let name, let locks):
      Self.log("\(name): ended by rule K3: suspended, it held \(locks.count) locks on files of others")
      supervisor.perform(.terminate(subscriber: name))
      try engine.take(.subscriber(name: name, .exited(status: Self.endedStatus)), at: clock.read())
    case .usage: break
    case .note(let name, let note): if let text = note.text { Self.log("\(name): \(text)") }
    }
  }

  /// As a shell reports a program that SIGTERM ended.
  private static let endedStatus: Int32 = 143

  private mutating func take(_ request: SubscriberRequest, of name: String) throws(Failure) {
    guard let view = engine.driver.engine.subscriber(name) else { return }
    var subscriber = view.subscriber
    switch request {
    case .stateOf(let region):
      guard let state = engine.driver.engine.regionState(region) else {
        return engine.add(
          .answer(name, .refused(what: "state_of", reason: "no region is called \"\(region)\"")))
      }
      return engine.add(.answer(name, .state(region: region, state)))
    case .start(let services): subscriber.services.formUnion(services)
    case .stop(let services): subscriber.services.subtract(services)
    }
    guard subscriber != view.subscriber else { return }
    try engine.take(.addSubscriber(subscriber, view.state), at: clock.read())
  }

  /// Brings the engine and the supervisor up to what the database has.
  ///
  /// - Parameter names: whose manifests may have changed; nil for all.
  mutating func applySubscribers(_ names: [String]?) throws(Failure) {
    let reading = clock.read()
    let stored = try database.subscribers()
    let wanted = names.map { Set($0) }
    for entry in stored where wanted?.contains(entry.subscriber.name) ?? true {
      let name = entry.subscriber.name
      let view = engine.driver.engine.subscriber(name)
      let isNew = view == nil || entry.applied != entry.manifest
      if isNew || names == nil && !supervised.contains(name) {
        supervisor.add(isNew ? entry.subscriber : view?.subscriber ?? entry.subscriber)
        supervised.insert(name)
      }
      guard isNew else { continue }
      let state = view?.state ?? .notRunning
      if try engine.take(.addSubscriber(entry.subscriber, state), at: reading) {
        engine.noteApplied(name, entry.manifest)
      }
      // Its program may be another now: the supervisor has ended the one that ran.
      if state != .notRunning { try engine.take(.subscriber(name: name, .orphaned), at: reading) }
    }
    let there = Set(stored.map(\.subscriber.name))
    for view in engine.driver.engine.subscribers {
      let name = view.subscriber.name
      guard wanted?.contains(name) ?? true, !there.contains(name) else { continue }
      supervisor.remove(name)
      supervised.remove(name)
      try engine.take(.removeSubscriber(name: name), at: reading)
    }
  }

  /// What a user does to a subscriber.
  mutating func user(_ verb: String, _ name: String) throws(Failure) {
    guard let state = engine.driver.engine.subscriberState(name) else {
      throw Failure(
        .conditionFails, what: "no subscriber is called \"\(name)\"",
        remedy: "locwatch subscribers list lists them")
    }
    let reading = clock.read()
    switch verb {
    case "launch", "foreground":
      guard !state.isForeground else {
        throw Failure(.conditionFails, what: "\(name) is in the foreground already")
      }
      engine.add(.userLaunch(name))
      try engine.take(.subscriber(name: name, .foreground), at: reading)
    case "background":
      guard state.isForeground else {
        throw Failure(.conditionFails, what: "\(name) is \(state.rawValue), not in the foreground")
      }
      try engine.take(.subscriber(name: name, .background), at: reading)
    case "quit": try engine.take(.subscriber(name: name, .quit), at: reading)
    case _: throw Failure(.usage, what: "nothing to do with a subscriber is called \"\(verb)\"")
    }
  }
}

extension SupervisorNote {
  /// For the log; nil where it is nothing to look into.
  fileprivate var text: String? {
    switch self {
    case .started, .suspended, .ended, .registered: nil
    case .notConnected: "is not connected; what it was not handed waits in the outbox"
    case .startFailed(let reason): "can't be started: \(reason)"
    case .noCgroup(let reason): "has no cgroup of its own: \(reason)"
    case .killed: "did not end within its grace and was killed"
    case .notUnderstood(let lines): "\(lines) of its lines are no answers"
    case .lineTooLong(let lines): "\(lines) of its lines were too long"
    case .queueFull: "does not read; what it was not handed waits in the outbox"
    case .closedInput: "closed its standard input"
    case .closedOutput: "closed its standard output"
    }
  }
}

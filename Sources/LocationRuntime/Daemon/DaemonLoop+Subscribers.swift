import LocationCore
import LocationFormats

/// What programs say, and what becomes of their manifests.
extension DaemonLoop {
  /// Takes what the supervisor tells.
  mutating func take(_ report: SupervisorReport) throws(Failure) {
    if report.isAsked, wasEnded(report.subscriber) { return }
    switch report {
    case .event(let name, let event): try take(event, of: name)
    case .acknowledged(let name, let event, let coreSeconds):
      // It was handed it, so it is no fault of its own if that waits no longer.
      let waiting = live.engine.subscriber(name)?.waiting ?? []
      guard waiting.contains(where: { $0.event == event }) else { return }
      try take(.acknowledged(event: event, coreSeconds: coreSeconds), of: name)
    case .request(let name, let request): try take(request, of: name)
    case .held(let name, let locks):
      // One that was woken meanwhile is looked at when it is suspended again.
      guard live.engine.subscriberState(name) == .suspended else { return }
      for lock in locks {
        Self.log("\(name): process \(lock.pid) holds a lock (\(lock.kind)) on \(lock.path)")
      }
      try live.handle(.subscriber(name: name, .lock(isHeld: true)), at: clock.read())
    case .usage(let name, let usage): try take(usage, of: name)
    case .missed(let name, let missed):
      guard let view = live.engine.subscriber(name) else { return }
      if view.state != .active {
        try launch(view, opened: missed.opened)
      } else if let opened = missed.opened {
        live.add(.userLaunch(name, UserLaunch(opening: opened)))
      }
    case .note(let name, let note):
      if let pid = note.pid { audio.note(pid, of: name) }
      if let text = note.text { Self.log("\(name): \(text)") }
    }
  }

  /// Whether a program that says something is to be ended, and the supervisor is not told yet. One that connects by
  /// itself is there though the engine has not started it.
  private func wasEnded(_ name: String) -> Bool {
    guard let view = live.engine.subscriber(name) else { return true }
    return view.state == .notRunning && view.subscriber.style != .socket
  }

  /// Hands the engine an event of a subscriber's mode; why it was refused, nil where it was not.
  @discardableResult
  mutating func handle(_ event: ModeEvent, of name: String) throws(Failure) -> Decision? {
    try live.handle(.subscriber(name: name, .mode(event)), at: clock.read())
    return objection(to: .mode(event), of: name)
  }

  /// The same of what a program asks for, which may have been refused too often for a record; the reason. It is counted.
  mutating func ask(_ event: ModeEvent, of name: String) throws(Failure) -> String? {
    if let reason = unrecordedRefusal(of: .mode(event), from: name) { return reason }
    guard let refusal = try handle(event, of: name) else { return nil }
    refusals.note(name, at: clock.instant)
    return refusal.reason.rawValue
  }

  /// The decision against the event that was handled last: the engine refused it, or dropped all of a push. Nil in any
  /// other case, also for a push of a name that was taken before (rule H4).
  func objection(to event: SubscriberEvent, of name: String) -> Decision? {
    if let refusal = live.host.refusal { return refusal.subscriber == name ? refusal : nil }
    guard case .mode(.push) = event else { return nil }
    let decisions = live.host.lastDecisions(about: name)
    // That its issue is of no use leaves its alert, which may have to wait.
    let isInVain = decisions.allSatisfy {
      $0.action == .drop && $0.reason != .duplicate && ($0.rule != .issue || $0.reason != .noMode)
    }
    return isInVain ? decisions.last : nil
  }

  /// Tells a program that it does not get what it asked for.
  mutating func refuse(_ name: String, _ what: String, _ reason: String) {
    live.add(.answer(name, .refused(what: what, reason: reason)))
  }

  /// Tells a program that it does not get what it asked for, and counts that.
  mutating func refuseAndCount(_ name: String, _ what: String, _ reason: String) {
    refusals.note(name, at: clock.instant)
    refuse(name, what, reason)
  }

  /// Whether a program was refused so often that there is no record of it any more.
  private func asksTooOften(_ name: String) -> Bool { refusals.isOver(name, at: clock.instant) }

  /// Why a program does not get what it asks for, where that is to have no record; nil where it may have one.
  private mutating func unrecordedRefusal(of event: SubscriberEvent, from name: String) -> String? {
    guard asksTooOften(name), !live.engine.isGivenBack(by: event, of: name) else { return nil }
    if refusals.isOver(name, at: clock.instant, limit: SupervisorLimits.triesPerMinute) {
      return RefusalMeter.reason
    }
    refusals.note(name, at: clock.instant)
    let instant = live.instant(at: clock.read())
    let refusal = live.host.refusal(of: Stamped(at: instant, .subscriber(name: name, event)))
    // What is due may be refused to others.
    return refusal?.subscriber == name ? refusal?.reason.rawValue : nil
  }

  private mutating func take(_ event: SubscriberEvent, of name: String) throws(Failure) {
    guard live.engine.subscriberState(name) != nil else { return }
    // Of what it has it may always give something back: else it would be ended for what it may not end.
    let isGivenBack = live.engine.isGivenBack(by: event, of: name)
    if case .acknowledged = event, !isGivenBack {
      guard !asksTooOften(name) else { return }
      refusals.note(name, at: clock.instant)
    }
    if refusesAccessory(event, of: name) { return }
    let event = withPublisher(event)
    if case .mode(.notify) = event { try alignNotifications() }
    if let what = event.word, let reason = unrecordedRefusal(of: event, from: name) {
      return refuse(name, what, reason)
    }
    try live.handle(.subscriber(name: name, event), at: clock.read())
    if let refusal = live.host.refusal, refusal.subscriber == name, let what = event.word {
      return refuseAndCount(name, what, refusal.reason.rawValue)
    }
    if case .beginTask = event, let view = live.engine.subscriber(name) {
      live.add(.answer(name, .task(token: view.lastToken, remainingSeconds: seconds(to: view.taskEnd))))
    }
    if case .mode(.notify) = event, let id = live.engine.lastNotification(of: name) {
      live.add(.answer(name, .notification(id: id)))
    }
    if case .mode(.audio(.begin)) = event, let token = live.engine.lastAudio(of: name) {
      live.add(.answer(name, .audio(token: token)))
    }
  }

  /// Seconds until a time of a subscriber in the background is over; nil where it has no limit.
  private func seconds(to end: EngineInstant?) -> Double? {
    end.map { max(0, live.instant(at: clock.read()).seconds(to: $0)) }
  }

  private mutating func take(_ request: SubscriberRequest, of name: String) throws(Failure) {
    switch request {
    case .stateOf(let region):
      switch live.engine.regionState(region, for: name) {
      case .state(let state): live.add(.answer(name, .state(region: region, state)))
      case .refused(let reason):
        refuse(name, "state_of", reason.rawValue)
      case .unknown:
        refuse(name, "state_of", Decision.Reason.unknownRegion.rawValue)
      }
    case .remaining:
      guard let view = live.engine.subscriber(name) else { return }
      live.add(.answer(name, .remaining(seconds: seconds(to: view.budgetEnd))))
    case .notifications:
      live.add(.answer(name, .notifications(live.engine.notifications(of: name))))
    case .transfer(let request): try take(request, of: name)
    case .answer(let answer): try take(answer, of: name)
    case .gatt(let answer): take(answer, of: name)
    case .session(let session):
      let open = live.engine.transfers(of: name).filter { $0.terms.session == session }
      live.add(.answer(name, .session(session, open)))
    case .pushToken:
      guard let token = try database.pushToken(of: name) else { return }
      live.add(.answer(name, .pushToken(token, try database.pushRegistration(of: name)?.address)))
    case .invalid(let what):
      refuseAndCount(name, what, SubscriberReply.invalid)
    case .start(let services): try take(SubscriberEvent.start(services), of: name)
    case .stop(let services): try take(SubscriberEvent.stop(services), of: name)
    }
  }

  /// Brings the engine and the supervisor up to what the database has.
  ///
  /// - Parameter names: whose manifests may have changed; nil for all.
  mutating func applySubscribers(_ names: [String]?, isBeginning: Bool = false) throws(Failure) {
    let reading = clock.read()
    let stored = try database.subscribers()
    let wanted = names.map { Set($0) }
    let held = live.heldSubscribers
    for entry in stored where wanted?.contains(entry.subscriber.name) ?? true {
      let name = entry.subscriber.name
      if held[name] == nil, isAnother(entry) { try remove(name, at: reading) }
      let view = live.engine.subscriber(name)
      // A path may be written in other bytes now, which are another file.
      let isApplied = entry.applied.map(ExactName.init) == ExactName(entry.manifest)
      let isOther = held[name].map { $0 != entry.subscriber } ?? (view == nil || !isApplied)
      let renamed = isOther && held[name] == nil ? self.renamed(view, entry) : nil
      let isNew = isOther && renamed == nil
      if isNew || names == nil && !supervised.contains(name) {
        supervisor.add(isNew ? entry.subscriber : renamed ?? view?.subscriber ?? entry.subscriber)
        supervised.insert(name)
      }
      if let renamed, let view {
        // Its program is the same, and runs on.
        try live.handle(.addSubscriber(renamed, view.state), at: reading) {
          $0.noteApplied(name, entry.manifest)
        }
      }
      guard isNew else { continue }
      bluetooth.closeAll(of: name)
      // Its program may be another now: the supervisor has ended the one that ran. At the beginning none runs, and the
      // engine is told so later.
      let state = isBeginning ? view?.state ?? .notRunning : .notRunning
      try live.handle(.addSubscriber(entry.subscriber, state), at: reading) {
        $0.noteApplied(name, entry.manifest)
      }
      if entry.subscriber.startsItself {
        try live.handle(.subscriber(name: name, .unregistered), at: reading)
      }
      if !isBeginning, let view = live.engine.subscriber(name) { try renewBluetooth(of: [view]) }
    }
    let there = Set(stored.map(\.subscriber.name))
    for name in live.engine.subscribers.map(\.subscriber.name) + held.keys.sorted() {
      guard wanted?.contains(name) ?? true, !there.contains(name) else { continue }
      try remove(name, at: reading)
    }
    try alignConditions(isBeginning: isBeginning)
    // An alert takes no mode (rule H1).
    try database.drawPushTokens(for: stored.map(\.subscriber.name))
    control.tellFollowers(EventNews(newest: live.host.journal.newestID), at: clock.instant)
  }

  /// Whether a subscriber was added in the place of one that was removed, and the engine has heard of neither.
  private func isAnother(_ entry: StateDatabase.StoredSubscriber) -> Bool {
    let name = entry.subscriber.name
    return entry.applied == nil && live.engine.subscriber(name) != nil && !live.host.journal.hasApplied(name)
  }

  /// A subscriber with the new ids of its regions, where one was renamed and its manifest differs in nothing else from
  /// the one that was applied; nil where it does. What its program has asked for since, such as services, stays.
  private func renamed(_ view: SubscriberView?, _ entry: StateDatabase.StoredSubscriber) -> Subscriber? {
    let (regions, former) = (entry.subscriber.regions, entry.subscriber.formerRegions)
    guard var subscriber = view?.subscriber, var manifest = entry.appliedSubscriber, former != nil,
      former != manifest.formerRegions
    else { return nil }
    (manifest.regions, manifest.formerRegions) = (regions, former)
    guard let text = try? ExactEncoder.tree(of: manifest).text, ExactName(text) == ExactName(entry.manifest)
    else { return nil }
    (subscriber.regions, subscriber.formerRegions) = (regions, former)
    return subscriber
  }

  private mutating func remove(_ name: String, at reading: ClockReading) throws(Failure) {
    supervisor.remove(name)
    bluetooth.closeAll(of: name)
    advertiser.publish([], of: name)
    notifier.forget(name)
    supervised.remove(name)
    refusals.forget(name)
    lackSound.remove(name)
    transfers.refusals[name] = nil
    try live.handle(.removeSubscriber(name: name), at: reading)
  }

  /// What a user does to a subscriber.
  mutating func user(_ verb: String, _ name: String) throws(Failure) {
    let view = try view(of: name)
    let state = view.state
    let reading = clock.read()
    switch verb {
    case "launch", "foreground":
      try launch(view)
      // Whether its program can be started is known, and logged, only once that was tried.
      if state == .notRunning { try requireProgram(of: view.subscriber) }
    case "background": try live.handle(.subscriber(name: name, .background), at: reading)
    case "quit": return try live.handle(.subscriber(name: name, .quit), at: reading)
    case _: throw Failure(.usage, what: "nothing to do with a subscriber is called \"\(verb)\"")
    }
    let wanted: SubscriberState = verb == "background" ? .background : .active
    if let failure = failure(ofMoving: name, from: state, to: wanted) { throw failure }
  }

  /// Checks that a subscriber's program and user are there.
  private func requireProgram(of subscriber: Subscriber) throws(Failure) {
    if let program = subscriber.command.first { _ = try CommandPath.resolve(program) }
    guard let user = subscriber.confinement?.user else { return }
    do throws(ProgramStart.Refusal) {
      _ = try ProgramAccount(user: user, group: subscriber.confinement?.group)
    } catch {
      throw Failure(.noInput, what: error.text)
    }
  }

  /// The user launches a subscriber or returns to it.
  ///
  /// - Parameter opened: the notification that he opened for that; nil where he opened none.
  private mutating func launch(_ view: SubscriberView, opened: Order.Launch? = nil) throws(Failure) {
    let name = view.subscriber.name
    let reading = clock.read()
    if view.state == .notRunning ? !live.engine.isLocked && !view.isAway : view.state != .active {
      var launch = UserLaunch(of: view, at: live.instant(at: reading))
      launch.opened = opened
      // By the time that this is stored more may have been heard.
      launch.heardEnds = supervisor.heardEnds(of: name)
      live.add(.userLaunch(name, launch))
    }
    try live.handle(.subscriber(name: name, .foreground), at: reading)
  }

  /// What the engine refused the user just now; nil where it did what was asked for.
  private func failure(
    ofMoving name: String, from state: SubscriberState, to wanted: SubscriberState
  ) -> Failure? {
    guard let refusal = live.host.refusal, refusal.subscriber == name else { return nil }
    if refusal.reason == .locked {
      return Failure(
        .conditionFails, what: "the machine has not been unlocked since it booted", remedy: "unlock it first")
    }
    if refusal.reason == .notConnected {
      return Failure(
        .conditionFails, what: "\(name) is not connected, and only the program itself can start",
        remedy: "start it; it is handed what waits when it connects")
    }
    guard refusal.reason == .illegalMove else { return nil }
    return Failure(
      .conditionFails,
      what: state == wanted
        ? "\(name) is \(state.rawValue) already"
        : "\(name) is \(state.rawValue) and can't become \(wanted.rawValue)")
  }
}

extension SupervisorNote {
  /// The process that runs for it from now on.
  fileprivate var pid: Int32? {
    switch self {
    case .started(let pid), .registered(let pid): pid
    case .suspended, .listens, .manyDescriptors, .ended, .madeSocket, .noSocket, .notConnected, .startFailed,
      .noCgroup, .killed, .leftRunning, .notUnderstood, .lineTooLong, .queueFull, .closedInput, .closedOutput,
      .noDevice:
      nil
    }
  }

  /// For the log; nil where it is nothing to look into.
  fileprivate var text: String? {
    switch self {
    case .started, .suspended, .ended, .registered: nil
    case .madeSocket: "finds its socket again, which was removed"
    case .noSocket(let reason): "can't connect, because its socket was removed: \(reason)"
    case .notConnected: "is not connected; events wait for it, a launch by the user does not"
    case .startFailed(let reason): "can't be started: \(reason)"
    case .noCgroup(let reason): "has no cgroup of its own: \(reason)"
    case .listens(let ports):
      "is suspended and listens at the port \(ports.map(String.init).joined(separator: ", ")): nobody answers there"
    case .manyDescriptors(let seen):
      "has more than \(seen) descriptors open: locks and sockets of the others were not looked for"
    case .killed: "did not end within its grace and was killed"
    case .leftRunning(let processes):
      "ended and left processes running, which were killed: \(processes.joined(separator: ", "))"
    case .notUnderstood(let lines, let last):
      "\(lines) of its lines \(lines == 1 ? "is no answer" : "are no answers"), such as \"\(last)\""
    case .lineTooLong(let lines): "\(lines) of its lines were too long"
    case .queueFull: "does not read; what it was not handed waits in the outbox"
    case .closedInput: "closed its standard input"
    case .closedOutput: "closed its standard output"
    case .noDevice(let session, let device, let reason):
      "waits in session \"\(session)\" for \(device), which can't be opened: \(reason)"
    }
  }
}

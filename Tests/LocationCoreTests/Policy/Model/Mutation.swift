/// A defect, as a change of the sources: one that was found once and mended, or one that shows that an invariant can be
/// broken.
///
/// `scripts/check-policy mutations` makes each change in a copy, one at a time, and the checkers must find it by the
/// invariant that stands here. A test of the suite sees to it that each change still fits the sources.
struct Mutation: Sendable {
  var name: String
  /// The file below `Sources/LocationCore`.
  var file: String
  /// The text without the defect, once in that file.
  var old: String
  /// The text with the defect.
  var new: String
  /// The invariant that finds it.
  var invariant: String

  static let all: [Mutation] = [
    Mutation(
      name: "1a rights are judged only when the event comes", file: "Policy/Rights.swift",
      old: "guard session.outbox.contains(where: { objection($0) != nil }) else { return }",
      new: "guard session.outbox.isEmpty else { return }",
      invariant: "B8: a denied subscriber is handed an event"),
    Mutation(
      name: "what waits under the mark goes along", file: "Policy/Delivery.swift",
      old:
        "wasForceQuit && !trigger.isLocation && !trigger.outlivesForceQuit || isLowPower && trigger.isWanted",
      new: "isLowPower && trigger.isWanted", invariant: "M4: handed under the mark"),
    Mutation(
      name: "an issue goes along in low power", file: "Policy/Delivery.swift",
      old: "!trigger.outlivesForceQuit || isLowPower && trigger.isWanted",
      new: "!trigger.outlivesForceQuit",
      invariant: "M4: an issue is handed while the machine saves energy"),
    Mutation(
      name: "1b reduced accuracy keeps exact events", file: "Policy/Session.swift",
      old: "if subscriber.accuracy == .reduced, pending.isCoarse != true { return .reduced }",
      new: "",
      invariant: "B8: reduced accuracy is handed an exact event"),
    Mutation(
      name: "1c state_of answers without rights", file: "Engine/EngineView.swift",
      old: "if let reason = session.locationObjection { return .refused(reason) }",
      new: "",
      invariant: "B8: a state is told that it may not know"),
    Mutation(
      name: "1d state_of answers for any region", file: "Engine/EngineView.swift",
      old: "guard session.subscriber.regions?.contains(id) ?? true, let state",
      new: "guard let state",
      invariant: "B8: a state of a region that its manifest does not name"),
    Mutation(
      name: "2a a delivery extends the time of tasks", file: "Policy/Delivery.swift",
      old: "if $0.wakeClock == nil { $0.wakeClock = WakeClock(at: turn.instant, seconds: seconds) }",
      new: """
        if $0.wakeClock == nil { $0.wakeClock = WakeClock(at: turn.instant, seconds: seconds) }
        if let clock = $0.taskClock {
          $0.taskClock = TaskClock(end: clock.end.advanced(bySeconds: 10), warning: clock.warning)
        }
        """,
      invariant: "C2: the time of tasks moved"),
    Mutation(
      name: "2b a delivery renews the time of a wake", file: "Policy/Delivery.swift",
      old: "if $0.wakeClock == nil { $0.wakeClock = WakeClock(at: turn.instant, seconds: seconds) }",
      new: "$0.wakeClock = WakeClock(at: turn.instant, seconds: seconds)",
      invariant: "K1: a delivery renews the time of a wake"),
    Mutation(
      name: "2c a further task starts the time anew", file: "Policy/Clocks.swift",
      old: "if $0.state == .background, $0.taskClock == nil { $0.taskClock = clock }",
      new: "if $0.state == .background { $0.taskClock = clock }",
      invariant: "C2: the time of tasks moved"),
    Mutation(
      name: "2d a task is warned of again", file: "Policy/Clocks.swift",
      old: "update(index) { $0.taskClock?.warning = nil }",
      new: "update(index) { $0.taskClock?.warning = turn.instant.advanced(bySeconds: 1) }",
      invariant: "C3: warned twice"),
    Mutation(
      name: "2e the warning is lost", file: "Policy/Clocks.swift",
      old: "for token in sessions[index].tasks {",
      new: "for token in sessions[index].tasks.dropFirst() {",
      invariant: "C3: ended without a warning"),
    Mutation(
      name: "3a an acknowledgment renews nothing", file: "Policy/Budget.swift",
      old: "answeredAt = instant\n    end = min(",
      new: "end = min(end, ",
      invariant: "K1: ended while it answers"),
    Mutation(
      name: "3b no limit of what is handed over at once", file: "Policy/Delivery.swift",
      old: "guard room > 0 else { break }",
      new: "guard room > -10_000 else { break }",
      invariant: "K5: more at once than may be"),
    Mutation(
      name: "3c the rest of a backlog is forgotten", file: "Policy/Delivery.swift",
      old: "if $0.outbox.contains(where: \\.trigger.isKept) { $0.backlogAt = end }",
      new: "_ = end",
      invariant: "K5: an event waits for nothing"),
    Mutation(
      name: "4 what ended by itself or by rule is not tried again", file: "Policy/LifeCycle.swift",
      old: "guard retries, sessions[index].outbox",
      new: "guard retries, turn.instant == .distantPast, sessions[index].outbox",
      invariant: "K5: an event waits for nothing"),
    Mutation(
      name: "5 background location wakes under the mark", file: "Policy/Obstacle.swift",
      old: "&& (!trigger.outlivesForceQuit || isStart",
      new: "&& (isStart && !trigger.outlivesForceQuit || isStart",
      invariant: "A7: started under the mark by what does not outlive it"),
    Mutation(
      name: "6a critical is an edge", file: "Policy/Purging.swift",
      old: "guard pressure == .critical, let next = nextPressureLook, next <= turn.instant else { return }",
      new: """
        pressureLookedAt = nil
        guard pressure == .critical, let next = nextPressureLook, next <= turn.instant else { return }
        """,
      invariant: "A4: suspended under critical pressure for more than 1 s"),
    Mutation(
      name: "6b relaunched under critical pressure", file: "Policy/Obstacle.swift",
      old: "case .memoryPressure: isStart && pressure == .critical",
      new: "case .memoryPressure: false",
      invariant: "A4: relaunched under critical pressure"),
    Mutation(
      name: "6c relief ends no pending end", file: "Policy/Purging.swift",
      old: "policy.update(index) { $0.purgeAt = nil }",
      new: "",
      invariant: "A4: ended after relief"),
    Mutation(
      name: "7a an event is handed over again without a record", file: "Policy/Delivery.swift",
      old: "if pending.event != announced {",
      new: "if pending.event != announced, !pending.wasHanded {",
      invariant: "A9: an order without a record"),
    Mutation(
      name: "7b a never-handed event is called unacknowledged", file: "Policy/Delivery.swift",
      old: "rule, reason ?? (pending.wasHanded ? .unacknowledged : .kept), index,",
      new: "rule, reason ?? .unacknowledged, index,",
      invariant: "A9: a never-handed event is called unacknowledged"),
    Mutation(
      name: "7c a throttle ends without a record", file: "Policy/Clocks.swift",
      old: "decide(.throttle, .overrun, .throttleOver, index, in: &turn)",
      new: "",
      invariant: "K2: started while throttled"),
    Mutation(
      name: "7d services stay published during suspension", file: "Modes/AdvertisedServices.swift",
      old: "end: { policy, index, turn in policy.withdrawServices(index, in: &turn) },",
      new: "",
      invariant: "K6: published or withdrawn without its program"),
    Mutation(
      name: "8a silence confirms a stay of a machine that drove", file: "Visits/VisitMonitor.swift",
      old: "guard !isUnderWay else {",
      new: "guard true else {",
      invariant: "B5: silence confirms a stay of a machine that drove"),
    Mutation(
      name: "8b a departure while fixes rest nearby", file: "Visits/VisitMonitor.swift",
      old: "(absence?.departure",
      new: "count < 0 && (absence?.departure",
      invariant: "B5: a departure while fixes rest within 100 m"),
    Mutation(
      name: "9 the end of an opted-out subscriber moves", file: "Policy/LifeCycle.swift",
      old: "guard sessions[index].state.isForeground, sessions[index].exitAt == nil else {",
      new: "guard sessions[index].state.isForeground else {",
      invariant: "A5: the end moved"),
    Mutation(
      name: "10 suspension drops a request for a fix", file: "Policy/LifeCycle.swift",
      old: "if sessions[index].standard.request != nil {",
      new: "if sessions[index].standard.request != nil, turn.instant == .distantPast {",
      invariant: "B9: a request waits in suspension"),
    Mutation(
      name: "11 a late starter waits for its first event", file: "Modes/SignificantChangeMode.swift",
      old: "last.instant.seconds(to: instant) <= configuration.moves.freshSeconds",
      new: "last.instant.seconds(to: instant) < 0",
      invariant: "B1: the first significant change does not come at once"),
    Mutation(
      name: "12 a state that was not held", file: "Policy/LifeCycle.swift",
      old:
        "case .notRunning, .suspended, .background: move(index, to: .inactive, cause: cause, in: &turn)",
      new: """
        case .background:
          move(index, to: .suspended, cause: cause, in: &turn)
          move(index, to: .inactive, cause: cause, in: &turn)
        case .notRunning, .suspended: move(index, to: .inactive, cause: cause, in: &turn)
        """,
      invariant: "A1: suspended without a decision"),
    Mutation(
      name: "13 launched while locked", file: "Policy/LifeCycle.swift",
      old: "guard isUnlocked || state != .notRunning else {",
      new: "guard isUnlocked || state != .notRunning || turn.instant != .distantPast else {",
      invariant: "A8: launched before the first unlock"),
    Mutation(
      name: "14a an event that is handed again is told as one that was kept", file: "Policy/Delivery.swift",
      old: "reason ?? (pending.wasHanded ? .unacknowledged : .kept)",
      new: "reason ?? .kept",
      invariant: "A9: an event handed again is called kept"),
    Mutation(
      name: "14b what a process has is handed to it again", file: "Policy/Delivery.swift",
      old: "for place in sessions[index].outbox.indices where !sessions[index].outbox[place].isHanded {",
      new: "for place in sessions[index].outbox.indices {",
      invariant: "K5: handed twice to one process"),
    Mutation(
      name: "14c the newest event is handed over first", file: "Policy/Delivery.swift",
      old: "for place in sessions[index].outbox.indices where !sessions[index].outbox[place].isHanded {",
      new:
        "for place in sessions[index].outbox.indices.reversed() where !sessions[index].outbox[place].isHanded {",
      invariant: "K5: out of order"),
    Mutation(
      name: "15a one that opted out is started in the background", file: "Policy/Obstacle.swift",
      old: "case .exitsOnSuspend: isStart && sessions[index].subscriber.exitsOnSuspend",
      new: "case .exitsOnSuspend: false",
      invariant: "A5: relaunched though it opted out"),
    Mutation(
      name: "15b one is started in the background while locked", file: "Policy/Obstacle.swift",
      old: "case .locked: isStart && !isUnlocked",
      new: "case .locked: false",
      invariant: "A8: relaunched before the first unlock"),
    Mutation(
      name: "15c one is woken that the user lets nothing wake", file: "Policy/Obstacle.swift",
      old: "case .backgroundDelivery: !sessions[index].subscriber.backgroundDelivery",
      new: "case .backgroundDelivery: false",
      invariant: "B8: started against the user"),
    Mutation(
      name: "15d one is woken for a place with the right of the foreground", file: "Policy/Session.swift",
      old: "case .whenInUse: state.isRunning ? nil : .needsAlways",
      new: "case .whenInUse: nil",
      invariant: "B8: started without the right"),
    Mutation(
      name: "16a a task does not hold off suspension", file: "Policy/LifeCycle.swift",
      old:
        "sessions[index].state == .background, sessions[index].assertions.isEmpty, !sessions[index].hasEnded",
      new:
        "sessions[index].state == .background, sessions[index].assertions.allSatisfy({ $0.reason == .task }), !sessions[index].hasEnded",
      invariant: "A2: suspended with an open task"),
    Mutation(
      name: "16b sound does not hold off suspension", file: "Policy/LifeCycle.swift",
      old:
        "sessions[index].state == .background, sessions[index].assertions.isEmpty, !sessions[index].hasEnded",
      new:
        "sessions[index].state == .background, sessions[index].assertions.allSatisfy({ $0.reason == .audio }), !sessions[index].hasEnded",
      invariant: "A3: suspended with an assertion"),
    Mutation(
      name: "16c nothing suspends when the grace is over", file: "Policy/Clocks.swift",
      old: """
            update(index) { $0.assertions.removeAll { $0.end.map { $0 <= turn.instant } ?? false } }
            suspendIfIdle(index, in: &turn)
        """,
      new: """
            update(index) { $0.assertions.removeAll { $0.end.map { $0 <= turn.instant } ?? false } }
        """,
      invariant: "A2: runs in the background without an assertion"),
    Mutation(
      name: "17a the time for tasks ends one without a task", file: "Policy/Clocks.swift",
      old: "guard sessions[index].state == .background, sessions[index].holdsTask else { return }",
      new: "guard sessions[index].state == .background else { return }",
      invariant: "C3: ended without an open task"),
    Mutation(
      name: "17b a throttle begins without a record", file: "Policy/Clocks.swift",
      old: "if isTooMany { decide(.throttle, .overrun, .throttled, index, in: &turn) }",
      new: "",
      invariant: "A9: throttled without a record"),
    Mutation(
      name: "18a the end of the wait before a new try starts nothing", file: "Policy/Clocks.swift",
      old: "policy.retry(index, in: &turn)",
      new: "policy.update(index) { $0.relaunchAt = nil }",
      invariant: "K5: not tried again"),
    Mutation(
      name: "18b suspension drops what was handed over", file: "Policy/LifeCycle.swift",
      old: "$0.outbox.removeAll { !$0.trigger.isKept }",
      new: "$0.outbox.removeAll { $0.isHanded || !$0.trigger.isKept }",
      invariant: "K5: an event is lost without a record"),
    Mutation(
      name: "19 a process's sockets and keep-alive outlive it", file: "Policy/Session.swift",
      old: "for part in ModePart.all { part.endProcess?(&modes, subscriber) }",
      new: "",
      invariant: "E4a: something is kept for no process"),
    Mutation(
      name: "20a one is refused after the first unlock", file: "Policy/LifeCycle.swift",
      old: "guard isUnlocked || state != .notRunning else {",
      new: "guard state != .notRunning else {",
      invariant: "A8: refused though unlocked"),
    Mutation(
      name: "20b one that opted out goes to the background", file: "Policy/LifeCycle.swift",
      old: """
            if sessions[index].subscriber.exitsOnSuspend {
              let seconds = configuration.exitSeconds
        """,
      new: """
            if sessions[index].subscriber.exitsOnSuspend, turn.instant == .distantPast {
              let seconds = configuration.exitSeconds
        """,
      invariant: "A5: in the background though it opted out"),
    Mutation(
      name: "20c the end of one that opted out holds in the foreground", file: "Policy/LifeCycle.swift",
      old: "      $0.exitAt = nil\n",
      new: "",
      invariant: "A5: ended without having left the foreground"),
    Mutation(
      name: "21a a suspended one stays in the background", file: "Policy/LifeCycle.swift",
      old: "      $0.state = .suspended\n",
      new: "",
      invariant: "A1: the state is not the one that was told"),
    Mutation(
      name: "21b what a suspended one kept back is handed to it", file: "Modes/StandardLocation.swift",
      old: "start(index, for: first.event, rule: .deferral, reason: reason, in: &turn)",
      new: "hand(index, rule: .deferral, reason: reason, in: &turn)",
      invariant: "A3: handed to one that runs no code"),
    Mutation(
      name: "22a a task that has ended is warned of", file: "Policy/Clocks.swift",
      old: "update(index) { $0.assertions.removeAll { $0.reason == .task && $0.owner == token } }",
      new: "",
      invariant: "C3: warned of a task that is not open"),
    Mutation(
      name: "22b a task of the background has no end", file: "Policy/Clocks.swift",
      old: "if $0.state == .background, $0.taskClock == nil { $0.taskClock = clock }",
      new: "_ = clock",
      invariant: "K1: runs in the background without an end"),
    Mutation(
      name: "23 an event stays when it is acknowledged", file: "Policy/Delivery.swift",
      old: "      $0.outbox.remove(at: place)\n",
      new: "",
      invariant: "K5: an event is made up"),
    Mutation(
      name: "24 the end of the wait before a restart starts nothing", file: "Modes/Restart.swift",
      old: """
            update(index) { $0.modes.restart?.dueAt = nil }
            callToRun(.restart, .exitFailed, index, in: &turn)
        """,
      new: "    update(index) { $0.modes.restart?.dueAt = nil }",
      invariant: "E5: not started again"),
    Mutation(
      name: "25a an end is told as one of the background", file: "Policy/LifeCycle.swift",
      old: "before: session.state, after: state, cause: cause",
      new: "before: cause == .exit ? .background : session.state, after: state, cause: cause",
      invariant: "A1: a state that was not held"),
    Mutation(
      name: "25b the way through inactive is not told", file: "Policy/LifeCycle.swift",
      old: "before: session.state, after: state, cause: cause",
      new: "before: session.state, after: state == .inactive ? .active : state, cause: cause",
      invariant: "A1: a move that is not allowed"),
    Mutation(
      name: "25c a suspension is decided when it is done", file: "Policy/LifeCycle.swift",
      old: "decide(.suspend, rule, reason, index, after: .suspended, in: &turn)",
      new: """
        update(index) { $0.state = .suspended }
        decide(.suspend, rule, reason, index, after: .suspended, in: &turn)
        """,
      invariant: "A1: a decision in a state that was not held"),
    Mutation(
      name: "26a a request goes on without the right", file: "Policy/Rights.swift",
      old: "cutOffRequest(index, rule: .authorization, reason: .denied, in: &turn)",
      new: "",
      invariant: "B8: answered where it may not know"),
    Mutation(
      name: "26b the end of a request is not told", file: "Modes/StandardLocation.swift",
      old: "refuseRequest(index, rule, reason, in: &turn)",
      new: "",
      invariant: "B9: a request ends in silence"),
    Mutation(
      name: "26c a state is refused to who may know it", file: "Engine/EngineView.swift",
      old: "if session.subscriber.accuracy == .reduced { return .refused(.reduced) }",
      new: "if session.subscriber.accuracy == .full { return .refused(.reduced) }",
      invariant: "B8: a state is refused that it may know"),
    Mutation(
      name: "27a a start does not say for what", file: "Policy/Delivery.swift",
      old: "decide(isWake ? .wake : .relaunch, rule, reason, index, event: event,",
      new: "decide(isWake ? .wake : .relaunch, rule, reason, index, event: nil,",
      invariant: "A9: started without a cause"),
    Mutation(
      name: "27b an event is handed over again when it is acknowledged", file: "Policy/Delivery.swift",
      old: "      $0.outbox.remove(at: place)\n",
      new: "      $0.outbox[place].isHanded = false\n",
      invariant: "K5: handed what is acknowledged or dropped"),
    Mutation(
      name: "28a the end of the time for tasks is told as that of a wake", file: "Policy/Clocks.swift",
      old: "endOverrun(index, .taskExpiration, .taskOpen, in: &turn)",
      new: "endOverrun(index, .overrun, .budgetOver, in: &turn)",
      invariant: "K1: ended though it owes nothing"),
    Mutation(
      name: "28b a wake without an answer gets a minute", file: "Policy/Clocks.swift",
      old: "return endOverrun(index, .overrun, .budgetOver, in: &turn)",
      new: """
        if clock.seconds < 60 {
          return update(index) { $0.wakeClock = WakeClock(at: clock.since, seconds: 60) }
        }
        return endOverrun(index, .overrun, .budgetOver, in: &turn)
        """,
      invariant: "K1: silent for longer than it may be"),
    Mutation(
      name: "28c the grace of the background is far too long", file: "Policy/LifeCycle.swift",
      old: "$0.assertions.append(.grace(until: turn.instant.advanced(bySeconds: grace)))",
      new: "$0.assertions.append(.grace(until: turn.instant.advanced(bySeconds: grace * 100)))",
      invariant: "K1: no end of its time in the background"),
    Mutation(
      name: "29 memory is taken from the foreground", file: "Policy/Purging.swift",
      old: "if let index = bySize({ $0.state == .suspended }).first {",
      new: "if let index = bySize({ $0.state != .background && $0.state != .notRunning }).first {",
      invariant: "A4: ended in the foreground"),
    Mutation(
      name: "30 a keep-alive is called after three times its time", file: "Modes/KeepAlive.swift",
      old: "latest: from.advanced(bySeconds: seconds))",
      new: "latest: from.advanced(bySeconds: seconds * 3))",
      invariant: "E2: called later than it may be"),
    Mutation(
      name: "31 sound in the background holds nothing off", file: "Modes/Audio.swift",
      old: "for session in $0.modes.audio?.sessions ?? [] where !session.isSilent {",
      new: "for session in $0.modes.audio?.sessions ?? [] where session.isSilent {",
      invariant: "F1: suspended while it sounds"),
  ]
}

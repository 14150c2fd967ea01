/// What a machine short of memory, and a subscriber that holds what others wait for, lead to (rules A4 and K3).
extension Policy {
  /// The machine is short of memory, or no longer. The pressure holds until it is told again: while it is critical,
  /// memory is checked every second and subscribers are ended one by one.
  mutating func setPressure(_ level: MemoryPressure, in turn: inout PolicyTurn) {
    let before = pressure
    guard level != before else { return }
    pressure = level
    for index in sessions.indices { update(index) { $0.knowsPressure = false } }
    if before == .critical { endPressure(in: &turn) }
    switch level {
    case .none: break
    case .warning:
      for index in sessions.indices where sessions[index].state.isRunning { tellPressure(index, in: &turn) }
    case .critical: look(in: &turn)
    }
    refreshDeadline()
  }

  /// Tells a subscriber that runs, or begins to, that memory is short: once, as long as it is. A oneshot reads only its
  /// event.
  mutating func tellPressure(_ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    guard pressure == .warning, !session.knowsPressure, session.subscriber.style != .oneshot else { return }
    update(index) { $0.knowsPressure = true }
    warn(index, .memory, level: pressure, in: &turn)
  }

  /// When memory is looked at next; nil while it is not critically short.
  var nextPressureLook: EngineInstant? {
    pressureLookedAt.map { $0.advanced(bySeconds: configuration.pressureLookSeconds) }
  }

  /// The first subscriber that could be ended has appeared. Nobody checked memory before, so the next check is counted
  /// from now.
  mutating func noteWatched(at instant: EngineInstant) {
    guard pressure == .critical, let next = nextPressureLook, next < instant else { return }
    pressureLookedAt = instant
  }

  /// Looks at memory again where that is due.
  mutating func lookIfDue(in turn: inout PolicyTurn) {
    guard pressure == .critical, let next = nextPressureLook, next <= turn.instant else { return }
    look(in: &turn)
    refreshDeadline()
  }

  /// One subscriber goes: the largest that is suspended, at once and without notice. If none is, the largest in the
  /// background is told, and ended some seconds later. Those with an open task come after the others, and those that
  /// sound last.
  private mutating func look(in turn: inout PolicyTurn) {
    pressureLookedAt = turn.instant
    if let index = bySize({ $0.state == .suspended }).first {
      return purge(index, in: &turn)
    }
    guard !sessions.contains(where: { $0.purgeAt != nil }) else { return }
    let background = bySize { $0.state == .background }
    let quiet = background.filter { !sessions[$0].isSounding }
    guard let index = quiet.first(where: { !sessions[$0].holdsTask }) ?? quiet.first ?? background.first
    else {
      return
    }
    let seconds = configuration.exitSeconds
    warn(index, .memory, seconds: seconds, level: .critical, in: &turn)
    update(index) { $0.purgeAt = turn.instant.advanced(bySeconds: seconds) }
  }

  /// There is room again: nobody else is ended, and what waited for that is handed over.
  private mutating func endPressure(in turn: inout PolicyTurn) {
    pressureLookedAt = nil
    forEachSession { policy, index in
      policy.update(index) { $0.purgeAt = nil }
    }
    redeliverToAll(rule: .memoryPressure, reason: .pressureOver, in: &turn)
  }

  /// Ends a subscriber in the background that was told that memory is short.
  mutating func endForMemory(_ index: Int, in turn: inout PolicyTurn) {
    guard let purgeAt = sessions[index].purgeAt, purgeAt <= turn.instant else { return }
    update(index) { $0.purgeAt = nil }
    // It may have been enough: the level is looked at before the next goes.
    pressureLookedAt = turn.instant
    switch sessions[index].state {
    case .background: terminate(index, .memoryPressure, .memoryPressure, in: &turn)
    case .suspended: purge(index, in: &turn)
    case .inactive, .active, .notRunning: break
    }
  }

  private mutating func purge(_ index: Int, in turn: inout PolicyTurn) {
    decide(.purge, .memoryPressure, .memoryPressure, index, after: .notRunning, in: &turn)
    end(index, retries: true, in: &turn)
    scheduleRestart(index, in: &turn)
  }

  /// A subscriber was found to hold a lock that others may wait for, or no longer to hold one. Suspended it would
  /// hold it for ever, so it is ended instead.
  mutating func noteLock(_ isHeld: Bool, _ index: Int, in turn: inout PolicyTurn) {
    update(index) { $0.holdsLock = isHeld && $0.state != .notRunning }
    guard isHeld, sessions[index].state == .suspended else { return }
    terminate(index, .sharedResource, .sharedLock, in: &turn)
  }

  /// Those that are meant, the largest first, and those of one size by name. Those whose size nobody has told are last.
  private func bySize(_ isMeant: (Session) -> Bool) -> [Int] {
    sessions.indices.filter { isMeant(sessions[$0]) }.sorted {
      let a = sessions[$0].memoryBytes ?? -1
      let b = sessions[$1].memoryBytes ?? -1
      return a != b ? a > b : $0 < $1
    }
  }
}

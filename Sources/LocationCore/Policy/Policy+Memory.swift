/// What a machine short of memory, and a subscriber that holds what others wait for, lead to (rules A4 and K3).
extension Policy {
  /// Memory is short. Suspended subscribers go at once, the largest first, without notice. Where none is left those in
  /// the background are told, the largest first, and ended a few seconds later unless there is room again.
  mutating func purge(at instant: EngineInstant, into steps: inout [PolicyStep]) {
    let suspended = bySize { $0.state == .suspended }
    for index in suspended {
      let session = sessions[index]
      steps.append(
        .decided(session.decision(.purge, .memoryPressure, .memoryPressure, after: .notRunning)))
      steps.append(.ordered(.terminate(subscriber: session.subscriber.name)))
      update(index) { $0.endProcess() }
    }
    if suspended.isEmpty {
      for index in bySize({ $0.state == .background && $0.purgeAt == nil }) {
        let seconds = configuration.exitSeconds
        steps.append(.ordered(.warn(subscriber: sessions[index].subscriber.name, seconds: seconds)))
        update(index) { $0.purgeAt = instant.advanced(bySeconds: seconds) }
      }
    }
    refreshDeadline()
  }

  /// There is room again: nobody else is ended for want of it.
  mutating func endPressure() {
    forEachSession { policy, index in policy.update(index) { $0.purgeAt = nil } }
  }

  /// Ends a subscriber in the background that was told that memory is short.
  mutating func endForMemory(_ index: Int, at instant: EngineInstant, into steps: inout [PolicyStep]) {
    guard let purgeAt = sessions[index].purgeAt, purgeAt <= instant else { return }
    update(index) { $0.purgeAt = nil }
    let session = sessions[index]
    switch session.state {
    case .background: terminate(index, .memoryPressure, .memoryPressure, into: &steps)
    case .suspended:
      steps.append(
        .decided(session.decision(.purge, .memoryPressure, .memoryPressure, after: .notRunning)))
      steps.append(.ordered(.terminate(subscriber: session.subscriber.name)))
      update(index) { $0.endProcess() }
    case .inactive, .active, .notRunning: break
    }
  }

  /// A subscriber was found to hold a lock that others may wait for, or no longer to hold one. Suspended it would
  /// hold it for ever, so it is ended instead.
  mutating func noteLock(_ isHeld: Bool, _ index: Int, into steps: inout [PolicyStep]) {
    update(index) { $0.holdsLock = isHeld && $0.state != .notRunning }
    guard isHeld, sessions[index].state == .suspended else { return }
    terminate(index, .sharedResource, .sharedLock, into: &steps)
  }

  /// Those of whom something is true, the largest first, else by name; of whom nobody has said how large they are,
  /// last.
  private func bySize(_ isMeant: (Session) -> Bool) -> [Int] {
    sessions.indices.filter { isMeant(sessions[$0]) }.sorted {
      let a = sessions[$0].memoryBytes ?? -1
      let b = sessions[$1].memoryBytes ?? -1
      return a != b ? a > b : $0 < $1
    }
  }
}

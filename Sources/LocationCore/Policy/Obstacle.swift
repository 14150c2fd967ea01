/// What may stand in the way of waking or starting a subscriber, in the order of rule M3: the first that holds is the
/// rule and the reason of the decision. Every trigger is judged by this one list.
///
/// Rights (rule B8) come before it: a location trigger that may not be told is refused, not deferred.
enum Obstacle: CaseIterable {
  /// Its manifest no longer has the mode (rule M1).
  case mode
  /// The user lets nothing wake it.
  case backgroundDelivery
  /// It overran its time again and again (rule K2).
  case throttle
  /// It opted out of the background (rule A5).
  case exitsOnSuspend
  /// The user force-quit it (rule A7).
  case forceQuit
  /// Its last wake lasted as long as it may (rule K1).
  case backlog
  /// Nothing is started before the first unlock (rule A8).
  case locked
  /// The machine is critically short of memory (rule A4).
  case memoryPressure
  /// Only the program itself can start, and it is not connected (rule K5).
  case away
  /// It ended too soon after being started (rule K5).
  case backOff
  /// It is a push without an alert, or an issue to be fetched, which wait while the machine saves energy (rules H2 and
  /// I5).
  case lowPower
  /// It is a push without an alert, and some have woken the subscriber in this hour (rule H2).
  case pushLimit

  /// The rule and the reason that are told of it.
  func words(for trigger: Trigger) -> (Rule, Decision.Reason) {
    switch self {
    case .mode: (trigger.rule, .noMode)
    case .backgroundDelivery: (.authorization, .backgroundDeliveryOff)
    case .throttle: (.overrun, .throttled)
    case .exitsOnSuspend: (.exitsOnSuspend, .exitsOnSuspend)
    case .forceQuit: (.forceQuit, .forceQuit)
    case .backlog: (.wakeBudget, .backlog)
    case .locked: (.firstUnlock, .locked)
    case .memoryPressure: (.memoryPressure, .memoryPressure)
    case .away: (.atLeastOnce, .notConnected)
    case .backOff: (.atLeastOnce, .backOff)
    case .lowPower: (trigger.isWanted ? .issue : .silentPush, .lowPower)
    case .pushLimit: (.silentPush, .pushLimit)
    }
  }
}

extension Policy {
  /// What stands in the way of waking or starting a subscriber for a trigger: the first that holds.
  func obstacle(
    to trigger: Trigger, _ index: Int, at instant: EngineInstant
  ) -> (Rule, Decision.Reason)? {
    for obstacle in Obstacle.allCases where stands(obstacle, against: trigger, index, at: instant) {
      return obstacle.words(for: trigger)
    }
    return nil
  }

  /// Whether an event of a trigger is not kept for what stands in its way. Each obstacle that holds counts, not only the
  /// first, which is the reason that is told.
  func isDropped(_ trigger: Trigger, _ index: Int, at instant: EngineInstant) -> Bool {
    Obstacle.allCases.contains {
      trigger.isDropped(by: $0.words(for: trigger).1) && stands($0, against: trigger, index, at: instant)
    }
  }

  @inline(__always)
  private func stands(
    _ obstacle: Obstacle, against trigger: Trigger, _ index: Int, at instant: EngineInstant
  ) -> Bool {
    let isStart = sessions[index].state == .notRunning
    return switch obstacle {
    case .mode: !sessions[index].mayBeTold(of: trigger)
    case .backgroundDelivery: !sessions[index].subscriber.backgroundDelivery
    case .throttle: sessions[index].throttledUntil.map { $0 > instant } ?? false
    case .exitsOnSuspend: isStart && sessions[index].subscriber.exitsOnSuspend
    case .forceQuit:
      sessions[index].wasForceQuit
        && (!trigger.outlivesForceQuit || isStart && configuration.forceQuitBlocksLocation)
    case .backlog: sessions[index].backlogAt.map { $0 > instant } ?? false
    case .locked: isStart && !isUnlocked
    case .memoryPressure: isStart && pressure == .critical
    case .away: sessions[index].isAway
    // A restart has waits of its own (rule E5).
    case .backOff:
      isStart && trigger.row != .restart && (sessions[index].relaunchAt.map { $0 > instant } ?? false)
    case .lowPower:
      trigger.isWanted && isLowPower || trigger.isSilent && silentObstacle(index, at: instant) == .lowPower
    case .pushLimit: trigger.isSilent && silentObstacle(index, at: instant) == .pushLimit
    }
  }
}

// MARK: - Declared modes

extension Subscriber {
  /// Whether its manifest has the mode that a trigger needs (rule M1). Location services are asked for by `services`.
  func declares(_ trigger: Trigger) -> Bool {
    guard !trigger.isLocation, let mode = BackgroundMode.mode(of: trigger.row) else { return true }
    return mode.modes.isEmpty || !modes.isDisjoint(with: mode.modes)
  }
}

extension Session {
  /// Whether it may be told of a trigger: its manifest has the mode, or it runs and the mode is for the background alone
  /// (rule J4).
  func mayBeTold(of trigger: Trigger) -> Bool {
    subscriber.declares(trigger) || [.accessory, .bluetooth].contains(trigger.row) && state.isRunning
  }
}

extension Policy {
  /// Whether a subscriber may use a mode; where its manifest does not declare it, the call is refused (rule M1).
  ///
  /// - Parameter rule: the rule of the call.
  func requires(_ mode: Subscriber.Modes, _ rule: Rule, _ index: Int, in turn: inout PolicyTurn) -> Bool {
    guard !sessions[index].subscriber.modes.isSuperset(of: mode) else { return true }
    decide(.refuse, rule, .noMode, index, in: &turn)
    return false
  }
}

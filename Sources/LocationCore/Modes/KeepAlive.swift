/// Section E: keep-alive wakes. The other parts of the mode `voip` are in `HeldSockets.swift` and `Restart.swift`.
extension BackgroundMode {
  /// Rule E2.
  public static let keepAlive = BackgroundMode(
    name: "keep-alive", kind: "keep_alive", modes: .voip, trigger: .keepAlive)
}

extension Trigger {
  /// Rule E2.
  public static let keepAlive = Trigger(
    rule: .keepAlive, wakes: true, relaunches: false, afterForceQuit: .removed, beforeUnlock: .notRunning,
    inLowPower: .widerWindow, budget: .long, waiting: .mergesLater, isOfProcess: true)
}

extension ModeMember {
  /// The longest time from one call to the next.
  static let keepAlive = ModeMember(
    key: "keep_alive_s", title: "keep-alive", endsWithProcess: true,
    write: { $2.member($1, $0.session.modes.keepAlive?.seconds, decimals: FixedPoint.thousandths) },
    phrase: { "every \($0) s at least" },
    sentences: {
      guard let seconds = $0.session.modes.keepAlive?.seconds else { return [] }
      let numbers = $0.configuration.keepAlive
      let earliest = Wording.duration(seconds * numbers.earliestShare)
      let inLowPower = Wording.duration(seconds * numbers.lowPowerShare)
      return [
        "called after \(Wording.duration(seconds)), or from \(earliest) on if the machine is awake; "
          + "in low-power mode from \(inLowPower) on (E2)"
      ]
    })
}

extension ModePart {
  static let keepAlive = ModePart(
    deadline: { $0.deadline(of: $0.keepAliveWindow($1)) },
    fire: { $0.fireKeepAlive($1, isAwake: $2, in: &$3) },
    alarm: { $0.keepAliveWindow($1)?.latest },
    align: { policy, index, _ in policy.update(index, without: .voip) { $0.modes.keepAlive = nil } },
    endProcess: { modes, _ in modes.keepAlive = nil })
}

extension Policy.Configuration {
  /// The numbers of rules E1 and E2, but for the shortest time, which is fixed.
  public struct KeepAlive: Hashable, Sendable, Codable, Blank {
    /// The longest time that may be asked for, seconds (rule E1).
    public var limitSeconds = 86_400.0
    /// The earliest call, as a share of the time that was asked for (rule E2).
    public var earliestShare = 0.75
    /// The same while the machine saves energy (rule E2).
    public var lowPowerShare = 0.5

    public init() {}
  }
}

/// A keep-alive that a process asked for. It ends with the process.
struct KeepAliveState: Hashable, Sendable, Codable {
  /// The longest time from one call to the next.
  let seconds: Double
  /// What the next call is counted from: when it was asked for, the move to the background, or the end of the last
  /// handler.
  var from: EngineInstant
  /// Whether it has been called and its handler has not ended.
  var isCalled = false

  init(seconds: Double, from instant: EngineInstant) {
    self.seconds = seconds
    from = instant
  }

  /// When the next call may be made, and when it has to be (rule E2).
  func window(isLowPower: Bool, _ numbers: Policy.Configuration.KeepAlive) -> Window {
    let share = isLowPower ? numbers.lowPowerShare : numbers.earliestShare
    return Window(
      earliest: from.advanced(bySeconds: seconds * share), latest: from.advanced(bySeconds: seconds))
  }

  /// The shortest time that may be asked for, seconds (rule E1, fixed).
  static let leastSeconds = 600.0
  /// Seconds by which a call may be late without being said so.
  static let punctualSeconds = 1.0
}

extension Policy {
  /// A program asks to be called at least once in so many seconds, or no longer: 0 (rule E1).
  mutating func keepAlive(seconds: Double, _ index: Int, in turn: inout PolicyTurn) {
    guard mayUseVoip(.keepAliveTerms, index, in: &turn) else { return }
    let isAllowed = seconds >= KeepAliveState.leastSeconds && seconds <= configuration.keepAlive.limitSeconds
    guard seconds == 0 || isAllowed else {
      return decide(.refuse, .keepAliveTerms, .tooShort, index, in: &turn)
    }
    // A handler that has begun goes on; one that has not is of the keep-alive that is replaced.
    drop(.keepAliveTerms, seconds == 0 ? .stopped : .merged, index, in: &turn) { $0.waits(of: .keepAlive) }
    update(index) {
      $0.modes.keepAlive = seconds == 0 ? nil : KeepAliveState(seconds: seconds, from: turn.instant)
      if $0.outbox.contains(where: { $0.trigger.row == .keepAlive }) { $0.modes.keepAlive?.isCalled = true }
    }
  }

  /// Whether a program may say something of section E now: it runs, and its manifest has the mode.
  ///
  /// - Parameter rule: the rule of what it says.
  mutating func mayUseVoip(_ rule: Rule, _ index: Int, in turn: inout PolicyTurn) -> Bool {
    guard requires(.voip, rule, index, in: &turn) else { return false }
    guard let reason = sessions[index].state.refusal else { return true }
    decide(.refuse, rule, reason, index, in: &turn)
    return false
  }

  /// When a subscriber is called next; nil where it asked for nothing, is in the foreground, or is in its handler.
  func keepAliveWindow(_ session: Session) -> Window? {
    guard let keepAlive = session.modes.keepAlive, !keepAlive.isCalled, !isAbsent,
      session.state == .background || session.state == .suspended
    else { return nil }
    return keepAlive.window(isLowPower: isLowPower, configuration.keepAlive)
  }

  /// Calls a subscriber whose keep-alive is due, or may be taken along (rule E2).
  mutating func fireKeepAlive(_ index: Int, isAwake: Bool, in turn: inout PolicyTurn) {
    guard let window = keepAliveWindow(sessions[index]), window.isOpen(at: turn.instant, isAwake: isAwake)
    else {
      return
    }
    update(index) { $0.modes.keepAlive?.isCalled = true }
    var call = ModeCall(
      subscriber: sessions[index].subscriber.name, kind: .keepAlive,
      reason: window.latest <= turn.instant ? .keepAliveDue : .keepAliveGrouped)
    let late = window.latest.seconds(to: turn.instant)
    if late > KeepAliveState.punctualSeconds { call.lateSeconds = late }
    turn.steps.append(.called(call))
  }

  /// In the foreground nothing is called: a call that waits is dropped.
  mutating func dropKeepAlive(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].outbox.contains(where: { $0.waits(of: .keepAlive) }) else { return }
    drop(.keepAlive, .foreground, index, in: &turn) { $0.waits(of: .keepAlive) }
    concludeKeepAlive(index, at: turn.instant)
  }

  /// The handler has ended, or could not be called: the next call is counted from now.
  mutating func concludeKeepAlive(_ index: Int, at instant: EngineInstant) {
    update(index) {
      $0.modes.keepAlive?.isCalled = false
      $0.modes.keepAlive?.from = instant
    }
  }
}

/// Section E: a program that has to run is started at boot and after it has failed (rule E5).
extension BackgroundMode {
  /// Rule E5.
  public static let restart = BackgroundMode(
    name: "boot, failed exit", kind: "restart", modes: .voip, trigger: .restart)
}

extension Trigger {
  /// Rule E5.
  public static let restart = Trigger(
    rule: .restart, wakes: false, relaunches: true, afterForceQuit: .never, budget: .long,
    waiting: .mergesLater, isOfProcess: true)
}

extension ModePart {
  static let restart = ModePart(
    deadline: { $1.modes.restart?.dueAt },
    fire: { $0.fireRestart($1, in: &$3) },
    align: { policy, index, _ in policy.update(index, without: .voip) { $0.modes.restart = nil } },
    giveBack: { if let at = $0.restart?.startedAt { $0.restart?.startedAt = at.advanced(bySeconds: $1) } })
}

extension Policy.Configuration {
  /// The numbers of rule E5.
  public struct Restart: Hashable, Sendable, Codable, Blank {
    /// The longest wait, seconds.
    public var limitSeconds = 300.0
    /// Seconds after which a process no longer counts as one that failed at its start.
    public var steadySeconds = 600.0

    public init() {}
  }
}

/// How the processes of one subscriber with the mode `voip` have fared.
struct RestartState: Hashable, Sendable, Codable {
  /// Ends that failed since the last process that ran for long enough.
  var failures = 0
  /// When the present process was started; nil while there is none.
  var startedAt: EngineInstant?
  /// When it is started again; nil while nothing is due.
  var dueAt: EngineInstant?

  /// Notes that the process has failed.
  ///
  /// - Parameter firstSeconds: the first wait, doubled for each further failure.
  /// - Returns: seconds until the next start.
  mutating func fail(
    at instant: EngineInstant, firstSeconds: Double, _ numbers: Policy.Configuration.Restart
  ) -> Double {
    if let startedAt, startedAt.seconds(to: instant) >= numbers.steadySeconds { failures = 0 }
    startedAt = nil
    let seconds = failures == 0 ? 0 : firstSeconds.doubled(failures - 1, atMost: numbers.limitSeconds)
    // More of them make no difference.
    if seconds < numbers.limitSeconds { failures += 1 }
    return seconds
  }
}

extension Policy {
  /// The process of a subscriber has failed, or who ran it is gone: it is started again, at once or after a wait that
  /// grows. One that the user force-quit, and that a location service relaunched since, is not.
  ///
  /// - Parameter isFault: whether the next start may have to wait.
  mutating func scheduleRestart(_ index: Int, isFault: Bool = true, in turn: inout PolicyTurn) {
    guard sessions[index].subscriber.modes.contains(.voip), !sessions[index].wasForceQuit else { return }
    var restart = sessions[index].modes.restart ?? RestartState()
    let first = configuration.backOffSeconds
    let seconds = isFault ? restart.fail(at: turn.instant, firstSeconds: first, configuration.restart) : 0
    restart.startedAt = nil
    restart.dueAt = seconds > 0 ? turn.instant.advanced(bySeconds: seconds) : nil
    update(index) { $0.modes.restart = restart }
    if seconds == 0 { callToRun(.restart, .exitFailed, index, in: &turn) }
  }

  /// Starts a subscriber whose wait is over.
  mutating func fireRestart(_ index: Int, in turn: inout PolicyTurn) {
    guard let dueAt = sessions[index].modes.restart?.dueAt, dueAt <= turn.instant else { return }
    update(index) { $0.modes.restart?.dueAt = nil }
    callToRun(.restart, .exitFailed, index, in: &turn)
  }

  /// The machine has booted: those that have to run are started, by name (rule E5).
  mutating func startAtBoot(in turn: inout PolicyTurn) {
    for index in sessions.indices where sessions[index].subscriber.modes.contains(.voip) {
      update(index) { $0.modes.restart = RestartState() }
      callToRun(.boot, .boot, index, in: &turn)
    }
  }

  /// Its process ended well: that it failed before does not count any more, and nothing starts it.
  mutating func forgetRestarts(_ index: Int) { update(index) { $0.modes.restart = nil } }

  /// Notes that a process of a subscriber has been started, for whatever reason.
  mutating func noteRestarted(_ index: Int, at instant: EngineInstant) {
    guard sessions[index].subscriber.modes.contains(.voip) else { return }
    update(index) {
      var restart = $0.modes.restart ?? RestartState()
      restart.startedAt = instant
      restart.dueAt = nil
      $0.modes.restart = restart
    }
  }

  private func callToRun(
    _ kind: ModeCall.Kind, _ reason: Decision.Reason, _ index: Int, in turn: inout PolicyTurn
  ) {
    turn.steps.append(
      .called(ModeCall(subscriber: sessions[index].subscriber.name, kind: kind, reason: reason)))
  }
}

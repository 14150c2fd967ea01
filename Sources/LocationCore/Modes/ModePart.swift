/// What the policy does with one part of ``ModeState``, and when. Nil where the part needs nothing.
struct ModePart: Sendable {
  /// When a subscriber has something of it due; nil where it has not.
  var deadline: (@Sendable (Policy, Session) -> EngineInstant?)?
  /// Does what is due for the subscriber at an index; the flag says whether the machine is known to be awake for
  /// something else. It moves ``deadline``: the engine fires what is due until nothing is.
  var fire: (@Sendable (inout Policy, Int, Bool, EngineInstant, inout [PolicyStep]) -> Void)?
  /// Begins or forgets it, as the manifest of a subscriber has its mode or not.
  var align: (@Sendable (inout Policy, Int, EngineInstant) -> Void)?
  /// The program of a subscriber is about to be suspended, or its process has ended or is about to.
  var end: (@Sendable (inout Policy, Int, EngineInstant, inout [PolicyStep]) -> Void)?
  /// Forgets what ends with a process.
  var endProcess: (@Sendable (inout ModeState, Subscriber) -> Void)?

  /// Every part, in the order in which they are fired.
  static let all: [ModePart] = [
    // Rule E5.
    ModePart(
      deadline: { $1.modes.restart?.dueAt },
      fire: { $0.fireRestart($1, at: $3, into: &$4) },
      align: { policy, index, _ in policy.update(index, without: .voip) { $0.modes.restart = nil } }),
    // Section D.
    ModePart(
      deadline: { policy, session in
        session.modes.notifications.flatMap {
          policy.deadline(of: policy.notificationWindow($0) ?? policy.deferralWindow($0))
        }
      },
      fire: { $0.fireNotifications($1, isAwake: $2, at: $3, into: &$4) }),
    // Rule E2.
    ModePart(
      deadline: { $0.deadline(of: $0.keepAliveWindow($1)) },
      fire: { $0.fireKeepAlive($1, isAwake: $2, at: $3, into: &$4) },
      align: { policy, index, _ in policy.update(index, without: .voip) { $0.modes.keepAlive = nil } },
      endProcess: { modes, _ in modes.keepAlive = nil }),
    // Rule E4.
    ModePart(
      align: { policy, index, _ in policy.update(index, without: .voip) { $0.modes.sockets = [] } },
      endProcess: { modes, _ in modes.sockets = [] }),
    // Rule H2.
    ModePart(
      deadline: { $1.hasSilentPush ? $1.modes.pushes?.heldUntil : nil },
      fire: { $0.fireSilentPushes($1, at: $3, into: &$4) }),
    // Section I.
    ModePart(
      deadline: { policy, session in
        session.modes.transfers?.entries.map { $0.deadline(policy.configuration.transfers) }.min()
      },
      fire: { $0.fireTransfers($1, at: $3, into: &$4) }),
    // Rule I5.
    ModePart(
      deadline: { $0.issueDeadline($1) },
      fire: { $0.fireIssues($1, at: $3, into: &$4) },
      align: { $0.alignIssues($1, at: $2) }),
    // Section J.
    ModePart(
      deadline: { $1.modes.accessories?.sessions.compactMap(\.merged?.until).min() },
      fire: { $0.fireAccessories($1, at: $3, into: &$4) },
      align: { policy, index, _ in policy.forgetAccessories(index) },
      endProcess: { $0.accessories?.endProcess(of: $1) }),
    // Section F. The end of a silence is one of a session's own deadlines.
    ModePart(
      align: { policy, index, _ in policy.forgetAudio(index) },
      endProcess: { modes, _ in modes.audio?.sessions = [] }),
    // Rule K6.
    ModePart(
      end: { policy, index, _, steps in policy.withdrawServices(index, into: &steps) },
      endProcess: { modes, _ in modes.advertised = nil }),
    // Section G. `fireModes` fires good moments after all others, because it chooses among all subscribers.
    ModePart(
      deadline: { $0.fetchEnd($1) ?? $0.deadline(of: $0.fetchDeadlineWindow($1)) },
      fire: { $0.endFetch($1, at: $3, into: &$4) },
      align: { $0.alignFetch($1, at: $2) },
      end: { $0.concludeFetch(nil, bytes: nil, $1, at: $2, into: &$3) }),
  ]
}

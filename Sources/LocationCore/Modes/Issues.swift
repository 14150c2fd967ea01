/// Rule I5: issues of a periodical.
extension BackgroundMode {
  /// Rule I5.
  public static let issue = BackgroundMode(
    name: "issue wanted, issue done", kind: "issue", modes: .newsstandContent, trigger: .issue)
}

extension Trigger {
  /// Rule I5: all transfers of an issue have ended.
  public static let issue = Trigger(
    rule: .issue, wakes: true, relaunches: true, afterForceQuit: .never, inLowPower: .wantedDeferred,
    budget: .long, waiting: .onceEach)

  /// Rule I5: an issue is there to be fetched, which has time.
  public static let issueWanted = {
    var trigger = issue
    trigger.isWanted = true
    return trigger
  }()
}

extension ModeMember {
  static let issue = ModeMember(
    key: "issue", title: "issue", write: { $2.member($1, $0.session.modes.issues?.name) },
    phrase: { "\($0) was there last" },
    sentences: { $0.session.modes.issues?.name.map { ["\($0) was there last (I5)"] } ?? [] })
}

extension ModePart {
  static let issues = ModePart(
    deadline: { $0.issueDeadline($1) },
    fire: { $0.fireIssues($1, in: &$3) },
    align: { policy, index, instant in
      let mayCome = policy.sessions[index].subscriber.modes.contains(.newsstandContent)
      policy.update(index) { $0.modes.issues = mayCome ? $0.modes.issues ?? IssueState(at: instant) : nil }
    })
}

extension Policy.Configuration {
  /// The number of rule I5.
  public struct Issues: Hashable, Sendable, Codable, Blank {
    /// Seconds from one issue to the next, at least.
    public var leastSeconds = 86_400.0

    public init() {}
  }
}

/// What is remembered of the issues of one subscriber.
struct IssueState: Hashable, Sendable, Codable {
  /// From when the interval to the next counts: the last one, or when the subscriber came.
  var since: EngineInstant
  /// When the last was wanted; nil before the first.
  var wantedAt: EngineInstant?
  /// The last one's name, which is the session of its transfers; nil before the first.
  var name: String?
  /// How many the interval has brought.
  var count = 0

  init(at instant: EngineInstant) { since = instant }

  /// Whether one was wanted not long ago.
  func isSpent(at instant: EngineInstant, _ numbers: Policy.Configuration.Issues) -> Bool {
    wantedAt.map { $0.seconds(to: instant) < numbers.leastSeconds } ?? false
  }
}

extension Policy {
  /// When the next issue of a subscriber is due; nil where no interval brings one.
  func issueDeadline(_ session: Session) -> EngineInstant? {
    guard let terms = session.subscriber.issues, let state = session.modes.issues else { return nil }
    return state.since.advanced(bySeconds: max(terms.intervalSeconds, configuration.issues.leastSeconds))
  }

  /// Calls the program for the issue whose time has come. While one waits for the program, the next is the same one.
  mutating func fireIssues(_ index: Int, in turn: inout PolicyTurn) {
    guard let due = issueDeadline(sessions[index]), due <= turn.instant,
      var state = sessions[index].modes.issues
    else { return }
    state.since = turn.instant
    let isWaiting = sessions[index].waitingIssue != nil
    if !isWaiting { state.count += 1 }
    let name = "issue-\(state.count)"
    update(index) { $0.modes.issues = state }
    if !isWaiting { want(name, index, in: &turn) }
  }

  /// Takes the issue that a push names, unless there was one not long ago. It takes the place of one that waits.
  mutating func takeIssue(_ name: String, event: Int, _ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].modes.issues?.isSpent(at: turn.instant, configuration.issues) == false else {
      return decide(.drop, .issue, .issueLimit, index, event: event, trigger: .issueWanted, in: &turn)
    }
    if let waiting = sessions[index].waitingIssue {
      drop(.issue, .merged, index, in: &turn) { $0.event == waiting }
    }
    update(index) { $0.modes.issues?.since = turn.instant }
    want(name, index, in: &turn)
  }

  /// The machine no longer saves energy: hands over what waited for that.
  mutating func redeliverIssue(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].outbox.contains(where: { !$0.isHanded && $0.trigger.isWanted }) else { return }
    guard sessions[index].state.isRunning else { return redeliver(index, rule: .issue, in: &turn) }
    withhold(index)
    if sessions[index].backlogAt == nil { hand(index, rule: .issue, in: &turn) }
  }

  private mutating func want(_ name: String, _ index: Int, in turn: inout PolicyTurn) {
    update(index) {
      $0.modes.issues?.wantedAt = turn.instant
      $0.modes.issues?.name = name
    }
    var call = ModeCall(subscriber: sessions[index].subscriber.name, kind: .issue, reason: .issueWanted)
    call.issue = name
    turn.steps.append(.called(call))
  }
}

extension Session {
  /// The event of a wanted issue that was not handed over; nil where there is none.
  fileprivate var waitingIssue: Int? {
    outbox.first { !$0.wasHanded && $0.trigger.isWanted }?.event
  }
}

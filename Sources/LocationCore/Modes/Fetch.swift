/// Section G: good moments to fetch.
extension BackgroundMode {
  /// Rule G1.
  public static let fetch = BackgroundMode(
    name: "good moment", kind: "fetch", modes: .fetch, trigger: .goodMoment)
}

extension Trigger {
  /// Rule G1.
  public static let goodMoment = Trigger(
    rule: .goodMoment, wakes: true, relaunches: true, afterForceQuit: .never, beforeUnlock: .notAsked,
    withoutDelivery: .notAsked, inLowPower: .notAsked, budget: .long, waiting: .neverKept)
}

extension SubscriberView {
  /// Seconds from one good moment to the next, at least; nil where its manifest wishes none.
  var fetchIntervalSeconds: Double? {
    session.fetchTerms?.intervalSeconds.flatMap {
      session.modes.fetch?.intervalSeconds(wishSeconds: $0, configuration.fetch)
    }
  }
}

extension ModeMember {
  static let fetch = ModeMember(
    key: "fetch", title: "fetch",
    write: {
      guard let fetch = $0.session.modes.fetch else { return }
      $2.open($1)
      $2.member("score", fetch.score, decimals: FixedPoint.thousandths)
      $2.member("interval_s", $0.fetchIntervalSeconds, decimals: FixedPoint.thousandths)
      $2.member("last_v", fetch.lastValue, decimals: FixedPoint.thousandths)
      $2.close()
    },
    sentences: { view in
      guard let fetch = view.session.modes.fetch else { return [] }
      var text = "score \(Wording.number(fetch.score, 2)) (G3)"
      if let value = fetch.lastValue { text += ", the last was worth \(Wording.number(value, 1))" }
      guard let seconds = view.fetchIntervalSeconds else { return [text + "; never, by its manifest"] }
      let latest = Wording.duration(seconds * view.configuration.fetch.latestIntervals)
      text += "; \(Wording.duration(seconds)) from one good moment to the next"
      return [text + ", \(latest) where nothing wakes the machine"]
    })
}

extension ModePart {
  /// Section G. `fireModes` fires good moments after all others, because it chooses among all subscribers.
  static let fetch = ModePart(
    deadline: { $0.fetchEnd($1) ?? $0.deadline(of: $0.fetchDeadlineWindow($1)) },
    fire: { $0.endFetch($1, in: &$3) },
    align: { policy, index, instant in
      policy.update(index) {
        $0.modes.fetch = $0.fetchTerms == nil ? nil : $0.modes.fetch ?? FetchState(at: instant)
      }
    },
    end: { $0.concludeFetchWithoutAnswer($1, in: &$2) },
    giveBack: { if let at = $0.fetch?.askedAt { $0.fetch?.askedAt = at.advanced(bySeconds: $1) } })
}

extension Policy.Configuration {
  /// The numbers of section G.
  public struct Fetch: Hashable, Sendable, Codable, Blank {
    /// Seconds from one good moment to the next, at least, whatever the wish and the score (rules G1 and G3).
    public var leastSeconds = 900.0
    /// Intervals after which the machine need not be awake for something else (rule G1).
    public var latestIntervals = 2.0
    /// Good moments of one subscriber in any 24 hours, at most (rule G1).
    public var dayLimit = 48
    /// Percent of a battery below which nobody is asked (rule G1).
    public var batteryPercent = 20.0

    public init() {}
  }
}

/// What one subscriber's fetches have come to (rules G1 and G3).
struct FetchState: Hashable, Sendable, Codable {
  /// The last good moment; at first when the subscriber came.
  var last: EngineInstant
  /// How worthwhile its fetches are, 0 to 1.
  var score = FetchState.firstScore
  /// What the last one was worth; nil before the first.
  var lastValue: Double?
  /// Since when it is asked and has not answered; nil while it is not.
  var askedAt: EngineInstant?
  /// What stands in the way of a moment that is due, as it was told; nil while nothing does.
  var obstacle: Decision.Reason?
  /// The moments of the last day, the latest last (rule G1).
  @Added var moments: [EngineInstant] = []

  init(at instant: EngineInstant) { last = instant }

  /// Seconds from one good moment to the next, at least.
  ///
  /// - Parameter wishSeconds: what the manifest wishes.
  func intervalSeconds(wishSeconds: Double, _ numbers: Policy.Configuration.Fetch) -> Double {
    // 4 to the power 1 - 2 s.
    max(numbers.leastSeconds, wishSeconds * PortableMath.exp((1 - 2 * score) * 2 * Self.ln2))
  }

  /// When one more moment is no longer one too many for a day; nil where it never was. A day is any 24 hours: around the
  /// end of one that began at a certain time twice as many could come.
  func dayEnd(_ numbers: Policy.Configuration.Fetch) -> EngineInstant? {
    let place = moments.count - max(1, numbers.dayLimit)
    return place < 0 ? nil : moments[place].advanced(bySeconds: Self.daySeconds)
  }

  /// Uses a moment.
  mutating func begin(at instant: EngineInstant) {
    moments.removeAll { $0.seconds(to: instant) >= Self.daySeconds }
    moments.append(instant)
    last = instant
    askedAt = instant
    obstacle = nil
  }

  /// What an answer is worth (rule G3).
  ///
  /// - Parameters:
  ///   - result: Nil where none came.
  ///   - bytes: Nil where nobody counts them.
  static func value(_ result: FetchResult?, seconds: Double, bytes: Int?) -> Double {
    guard let result else { return 0 }
    if result == .newData, let bytes, bytes < leastBytes { return 0 }
    if result == .failed || seconds > 20 { return 0.2 }
    guard seconds <= 10 else { return 0.5 }
    return result == .newData ? 1 : 0.7
  }

  private static let firstScore = 0.5
  private static let daySeconds = 86_400.0
  private static let leastBytes = 1024
  private static let ln2 = 0x1.62e42fefa39efp-1
}

extension Policy {
  /// When a good moment may come for a subscriber; nil while it may not, until something changes.
  func fetchWindow(_ session: Session) -> Window? {
    guard let terms = session.fetchTerms, let wish = terms.intervalSeconds, let fetch = session.modes.fetch,
      fetch.askedAt == nil, !session.state.isForeground
    else { return nil }
    let numbers = configuration.fetch
    let interval = fetch.intervalSeconds(wishSeconds: wish, numbers)
    let earliest = fetch.last.advanced(bySeconds: interval)
    let latest = fetch.last.advanced(bySeconds: numbers.latestIntervals * interval)
    guard let dayEnd = fetch.dayEnd(numbers) else { return Window(earliest: earliest, latest: latest) }
    return Window(earliest: max(earliest, dayEnd), latest: max(latest, dayEnd))
  }

  /// When a good moment is looked for by the clock alone. Where something stands in the way, or another subscriber is
  /// asked, that has to end first.
  func fetchDeadlineWindow(_ session: Session) -> Window? {
    guard session.modes.fetch?.obstacle == nil, !isFetching else { return nil }
    return fetchWindow(session)
  }

  /// Whether somebody is asked and has not answered.
  private var isFetching: Bool { sessions.contains { $0.modes.fetch?.askedAt != nil } }

  /// Asks whoever has a good moment, one at a time, the longest overdue first; says of the others what stands in the way.
  mutating func fireFetch(isAwake: Bool, in turn: inout PolicyTurn) {
    var chosen: (index: Int, overdue: Double)?
    for index in sessions.indices where sessions[index].modes.fetch != nil {
      let obstacle = fetchObstacle(index, at: turn.instant)
      if obstacle == nil { update(index) { $0.modes.fetch?.obstacle = nil } }
      guard let window = fetchWindow(sessions[index]), window.isOpen(at: turn.instant, isAwake: isAwake)
      else {
        continue
      }
      if let (rule, reason) = obstacle {
        tellFetchObstacle(rule, reason, index, in: &turn)
        if reason == .backlog { makeRoomForFetch(index, in: &turn) }
        continue
      }
      let overdue = window.earliest.seconds(to: turn.instant)
      if chosen.map({ overdue > $0.overdue }) ?? true { chosen = (index, overdue) }
    }
    guard let chosen, !isFetching else { return }
    update(chosen.index) { $0.modes.fetch?.begin(at: turn.instant) }
    let name = sessions[chosen.index].subscriber.name
    turn.steps.append(.called(ModeCall(subscriber: name, kind: .fetch, reason: .goodMoment)))
  }

  /// What stands in the way of a good moment: the obstacles of rule M3, then those of rule G1.
  private func fetchObstacle(_ index: Int, at instant: EngineInstant) -> (Rule, Decision.Reason)? {
    if let obstacle = obstacle(to: .goodMoment, index, at: instant) { return obstacle }
    // It is asked when it can be handed the call: its answer is timed from then.
    if sessions[index].state.isRunning, !mayCall(index, at: instant) { return (.atLeastOnce, .backlog) }
    let metered = sessions[index].fetchTerms?.metered ?? false
    if network == .unreachable || network == .metered && !metered { return (.goodMoment, .noNetwork) }
    if isLowPower { return (.goodMoment, .lowPower) }
    if pressure != .none { return (.goodMoment, .pressure) }
    if supply.isLow(below: configuration.fetch.batteryPercent) { return (.goodMoment, .powerLow) }
    return isCrowded(index) ? (.atLeastOnce, .backlog) : nil
  }

  /// Updates that are kept back would be handed over before the call, and are too many for that: they go by themselves.
  private mutating func makeRoomForFetch(_ index: Int, in turn: inout PolicyTurn) {
    guard isCrowded(index), sessions[index].standard.batch != nil, sessions[index].backlogAt == nil else {
      return
    }
    flushUpdates(index, reason: .batchFull, in: &turn)
  }

  /// Whether a process of a running program has the call as soon as that is handed over, and the whole time for it. A
  /// oneshot has a process for each event, one at a time, and one whose process has ended by itself has none.
  private func mayCall(_ index: Int, at instant: EngineInstant) -> Bool {
    let session = sessions[index]
    guard mayHand(index), !session.hasEnded else { return false }
    if let clock = session.wakeClock {
      let end = instant.advanced(bySeconds: session.budgetSeconds(for: .goodMoment, configuration.wakes))
      guard end <= clock.since.advanced(bySeconds: wakeLimitSeconds(index)) else { return false }
    }
    // A process goes on when a user acknowledges its event by hand.
    return session.subscriber.style != .oneshot
      || session.handedCount == 0 && !session.outbox.contains(where: \.isHanded)
  }

  /// Says what stands in the way, where that is not what was said last.
  private mutating func tellFetchObstacle(
    _ rule: Rule, _ reason: Decision.Reason, _ index: Int, in turn: inout PolicyTurn
  ) {
    guard sessions[index].modes.fetch?.obstacle != reason else { return }
    update(index) { $0.modes.fetch?.obstacle = reason }
    decide(.defer, rule, reason, index, trigger: .goodMoment, in: &turn)
  }

  // MARK: Answers

  /// When a program that was asked counts as one that does not answer; nil where the end of the wake in which it was asked
  /// decides, which ends it (rule G2). One that is used, or was since, or that sounds, has no such end, and is not ended
  /// for that.
  func fetchEnd(_ session: Session) -> EngineInstant? {
    guard let askedAt = session.modes.fetch?.askedAt else { return nil }
    if let clock = session.wakeClock, clock.since <= askedAt { return nil }
    return askedAt.advanced(bySeconds: session.budgetSeconds(for: .goodMoment, configuration.wakes))
  }

  /// A program has not answered in time and is not ended for that: others may be asked, and it owes no answer any more.
  mutating func endFetch(_ index: Int, in turn: inout PolicyTurn) {
    guard let end = fetchEnd(sessions[index]), end <= turn.instant else { return }
    concludeFetchWithoutAnswer(index, in: &turn)
    let asked = Set(sessions[index].outbox.filter { $0.trigger.row == .goodMoment }.map(\.event))
    drop(.goodMoment, .budgetOver, index, in: &turn) { asked.contains($0.event) }
    update(index) { $0.assertions.removeAll { $0.reason == .delivery && asked.contains($0.owner) } }
    settle(index, in: &turn)
  }

  /// The program has fetched. That is also its acknowledgment (rule G2). It answers the oldest that it was handed, a good
  /// moment or a push (rule H1).
  mutating func answerFetch(_ result: FetchResult, bytes: Int?, _ index: Int, in turn: inout PolicyTurn) {
    let pending = sessions[index].outbox.first {
      $0.isHanded && [.goodMoment, .push].contains($0.trigger.row)
    }
    if let pending, pending.trigger.row == .push {
      return answerPush(pending, bytes: bytes, index, in: &turn)
    }
    let mayAnswerPush = sessions[index].subscriber.modes.contains(.remoteNotification)
    guard mayAnswerPush || requires(.fetch, .goodMoment, index, in: &turn) else { return }
    guard sessions[index].modes.fetch?.askedAt != nil, let pending else {
      return decide(.refuse, .goodMoment, .notAsked, index, in: &turn)
    }
    concludeFetch(result, bytes: bytes, index, in: &turn)
    acknowledge(pending.event, index, in: &turn)
  }

  /// A good moment is over, and its program has said nothing. The status of a oneshot is its answer (rules G2 and G3).
  mutating func concludeFetchWithoutAnswer(_ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    var result: FetchResult?
    if session.subscriber.style == .oneshot, let end = session.lastEnd,
      session.outbox.contains(where: { $0.event == end.event && $0.trigger.row == .goodMoment })
    {
      result = end.status == 0 ? .noData : .failed
    }
    concludeFetch(result, bytes: nil, index, in: &turn)
  }

  /// A good moment is over: its worth changes the score (rule G3), and what it sent is booked (rule M6).
  ///
  /// - Parameter result: nil where no answer came.
  private mutating func concludeFetch(
    _ result: FetchResult?, bytes: Int?, _ index: Int, in turn: inout PolicyTurn
  ) {
    guard var fetch = sessions[index].modes.fetch, let askedAt = fetch.askedAt else { return }
    let seconds = askedAt.seconds(to: turn.instant)
    let value = FetchState.value(result, seconds: seconds, bytes: bytes)
    fetch.askedAt = nil
    fetch.lastValue = value
    fetch.score = 0.8 * fetch.score + 0.2 * value
    update(index) { $0.modes.fetch = fetch }
    let session = sessions[index]
    let wish = session.fetchTerms?.intervalSeconds ?? FetchTerms.defaultIntervalSeconds
    turn.steps.append(
      .noted(
        .fetch(
          FetchRecord(
            subscriber: session.subscriber.name, result: result, seconds: seconds, bytes: bytes,
            score: fetch.score,
            nextSeconds: fetch.intervalSeconds(wishSeconds: wish, configuration.fetch)))))
    if result != nil {
      turn.steps.append(
        .transferred(
          subscriber: session.subscriber.name, rule: .goodMoment, kilobytes: Double(bytes ?? 0) / 1000,
          seconds: seconds))
    }
  }
}

extension Session {
  /// What its manifest asks of fetches; nil without the mode.
  var fetchTerms: FetchTerms? { subscriber.modes.contains(.fetch) ? subscriber.fetch ?? FetchTerms() : nil }
}

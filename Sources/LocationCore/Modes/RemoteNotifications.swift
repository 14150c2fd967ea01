/// Section H: remote notifications.
extension BackgroundMode {
  /// Rule H1.
  public static let push = BackgroundMode(
    name: "push (its alert: as D3)", kind: "push", modes: .remoteNotification, trigger: .push)
}

extension Trigger {
  /// Rule H1. The alert of a push is shown as a notification that is due.
  public static let push = Trigger(
    rule: .push, wakes: true, relaunches: true, afterForceQuit: .dropped, withoutDelivery: .dropped,
    inLowPower: .silentDeferred, budget: .long,
    waiting: .upTo(Policy.Configuration.Push().waitingLimit))

  /// Rule H2: a push without an alert.
  public static let silentPush = {
    var trigger = push
    trigger.isSilent = true
    return trigger
  }()

  /// Whether an event is not kept while that stands in its way.
  func isDropped(by reason: Decision.Reason) -> Bool {
    reason == .forceQuit && afterForceQuit == .dropped
      || reason == .backgroundDeliveryOff && withoutDelivery == .dropped
  }
}

extension Subscriber {
  /// Whether senders of pushes can have something for its program (rules H1 and I5).
  public var takesPushes: Bool { !modes.isDisjoint(with: [.remoteNotification, .newsstandContent]) }
}

extension ModePart {
  static let pushes = ModePart(
    deadline: { $1.hasSilentPush ? $1.modes.pushes?.heldUntil : nil },
    fire: { $0.fireSilentPushes($1, in: &$3) })
}

extension Policy.Configuration {
  /// The numbers of section H.
  public struct Push: Hashable, Sendable, Codable, Blank {
    /// Silent pushes that wake one subscriber in an hour, at most (rule H2).
    public var hourLimit = 3
    /// Seconds that a further one waits, at most (rule H2).
    public var waitSeconds = 3600.0
    /// Pushes that wait for one subscriber (rule M2).
    public var waitingLimit = 64
    /// Seconds for which another push of the same name is no news (rule H4).
    public var onceSeconds = 86_400.0

    public init() {}
  }
}

/// A push on its way to the user and to its program.
struct DuePush: Hashable {
  var record: PushRecord
  var push: Push
}

/// What is remembered of the pushes of one subscriber.
struct PushState: Hashable, Sendable, Codable {
  /// A push that was taken.
  struct Taken: Hashable, Sendable, Codable {
    var id: String
    var at: EngineInstant
  }

  /// Those that have a name, of as long as that counts, the latest last (rule H4).
  private(set) var taken: [Taken] = []
  /// When silent ones last woke it, the latest last (rule H2).
  private(set) var wakes: [EngineInstant] = []
  /// When silent ones that wait no longer do so for rule H2; nil while none waits.
  var heldUntil: EngineInstant?
  /// Whether that has passed and they have not been handed over.
  var isOverdue = false

  /// Whether a push of that name was taken not long ago (rule H4).
  func knows(_ id: String, at instant: EngineInstant, _ numbers: Policy.Configuration.Push) -> Bool {
    taken.contains { $0.id == id && $0.at.seconds(to: instant) < numbers.onceSeconds }
  }

  /// Notes that a push of a name is taken.
  mutating func take(_ id: String, at instant: EngineInstant, _ numbers: Policy.Configuration.Push) {
    taken.removeAll { $0.id == id || $0.at.seconds(to: instant) >= numbers.onceSeconds }
    if taken.count >= Limits.pushNames { taken.removeFirst() }
    taken.append(Taken(id: id, at: instant))
  }

  /// Whether silent ones have woken it as often as they may (rule H2).
  func isSpent(at instant: EngineInstant, _ numbers: Policy.Configuration.Push) -> Bool {
    wakes.count { $0.seconds(to: instant) < Self.hourSeconds } >= numbers.hourLimit
  }

  /// Notes that a silent one wakes it.
  mutating func noteWake(at instant: EngineInstant, _ numbers: Policy.Configuration.Push) {
    release()
    wakes.append(instant)
    wakes.removeFirst(max(0, wakes.count - max(1, numbers.hourLimit)))
  }

  /// Notes that no silent one waits.
  mutating func release() {
    heldUntil = nil
    isOverdue = false
  }

  /// Notes that a silent one waits.
  mutating func hold(at instant: EngineInstant, _ numbers: Policy.Configuration.Push) {
    if heldUntil == nil, !isOverdue { heldUntil = instant.advanced(bySeconds: numbers.waitSeconds) }
  }

  /// Moves all instants, for a search through states: what lies further back than any rule looks is forgotten.
  mutating func move(bySeconds shift: Double, to present: EngineInstant) {
    heldUntil = heldUntil?.advanced(bySeconds: shift)
    wakes = wakes.map { $0.advanced(bySeconds: shift) }.filter { $0.seconds(to: present) < Self.hourSeconds }
    taken = taken.map { Taken(id: $0.id, at: $0.at.advanced(bySeconds: shift)) }
  }

  private static let hourSeconds = 3600.0
}

// MARK: - Taking a push

extension Policy {
  /// A push has come (rules H1 and H4).
  mutating func take(_ push: Push, _ index: Int, in turn: inout PolicyTurn) {
    let session = sessions[index]
    let isForProgram = push.isContentAvailable && session.subscriber.modes.contains(.remoteNotification)
    let isForIssue = push.issue != nil && session.subscriber.modes.contains(.newsstandContent)
    let lacksIssueMode = push.issue != nil && !isForIssue
    guard isForProgram || isForIssue || push.alert != nil else {
      return decide(.refuse, lacksIssueMode ? .issue : .push, .noMode, index, in: &turn)
    }
    var state = session.modes.pushes ?? PushState()
    if !session.hasSilentPush { state.release() }
    if let id = push.id {
      // It takes the place of a silent push of that id that waits, and so is no repetition (rule H2).
      guard session.waitingPush(id) != nil || !state.knows(id, at: turn.instant, configuration.push) else {
        return decide(.drop, .pushOnce, .duplicate, index, in: &turn)
      }
      state.take(id, at: turn.instant, configuration.push)
    }
    update(index) { $0.modes.pushes = state }
    // The alert and the call for content still count (rule M1).
    if lacksIssueMode { decide(.drop, .issue, .noMode, index, in: &turn) }
    let record = PushRecord(
      subscriber: session.subscriber.name, push: push.id, hasAlert: push.alert != nil,
      isForProgram: isForProgram)
    turn.steps.append(.pushed(DuePush(record: record, push: push)))
    turn.steps.append(
      .transferred(
        subscriber: session.subscriber.name, rule: .push,
        kilobytes: Double(push.payload.utf8.count) / 1000, seconds: 0))
  }

  /// Shows the alert of a push that has its record, and hands the push to its program (rules H1 and H3). The alert is
  /// shown as a notification that is due, or handed over in place of that: at once, and never by a wake (rules D3, D5
  /// and D8).
  mutating func present(_ due: DuePush, event: Int, _ index: Int, in turn: inout PolicyTurn) {
    let alert = due.push.alert.map {
      NotificationBook.Unshown(id: due.push.id ?? "push-\(event)", content: $0)
    }
    let isAllowed = sessions[index].modes.notifications?.isAllowed ?? true
    let unshown = isHandedOver(index) && isAllowed ? alert : nil
    if let alert, unshown == nil {
      showOrHold(
        alert.content, id: alert.id, .push, event: event, handing: due.record.isForProgram ? nil : due.push,
        index, in: &turn)
    } else if let unshown, !due.record.isForProgram {
      offer(event: event, trigger: .notificationDue, push: due.push, unshown: unshown, to: index, in: &turn)
    }
    if let id = due.push.id, let waiting = sessions[index].waitingPush(id) {
      drop(.silentPush, .merged, index, in: &turn) { $0.event == waiting }
    }
    if let issue = due.push.issue, sessions[index].modes.issues != nil {
      takeIssue(issue, event: event, index, in: &turn)
    }
    guard due.record.isForProgram else { return }
    let trigger = due.push.alert == nil ? Trigger.silentPush : .push
    makeRoom(index, in: &turn)
    offer(
      event: event, trigger: trigger, push: due.push, unshown: unshown, reason: .push, to: index, in: &turn)
    let isHeld = sessions[index].outbox.contains { $0.event == event && !$0.isHanded && $0.trigger.isSilent }
    guard isHeld else { return }
    let numbers = configuration.push
    update(index) { $0.modes.pushes?.hold(at: turn.instant, numbers) }
  }

  /// The user has force-quit a program: the pushes that wait for it are dropped (rule H3). Alerts are shown all the same.
  mutating func dropPushes(_ index: Int, in turn: inout PolicyTurn) {
    drop(.forceQuit, .forceQuit, index, in: &turn) { $0.trigger.isDropped(by: .forceQuit) }
  }

  /// Makes room among the pushes that wait: of too many the oldest goes.
  private mutating func makeRoom(_ index: Int, in turn: inout PolicyTurn) {
    let waiting = sessions[index].outbox.filter { $0.waits(of: .push) }
    guard waiting.count >= configuration.push.waitingLimit, let oldest = waiting.first else { return }
    drop(.push, .outboxFull, index, in: &turn) { $0.event == oldest.event }
  }

  /// Shows a notification that has its record now, or as soon as anything can be shown (rules D5 and D8).
  ///
  /// - Parameter push: what a program that runs is handed beside; nil where it is handed it anyway.
  mutating func showOrHold(
    _ content: LocalNotification.Content, id: String, _ reason: Decision.Reason, event: Int,
    handing push: Push?, _ index: Int, in turn: inout PolicyTurn
  ) {
    func decide(_ action: Decision.Action, _ rule: Rule, _ reason: Decision.Reason) {
      self.decide(action, rule, reason, index, event: event, trigger: .notificationDue, in: &turn)
    }
    var book = sessions[index].modes.notifications ?? NotificationBook()
    guard book.isAllowed else { return decide(.drop, .notificationPermission, .notPermitted) }
    guard hasNotifier else { return decide(.drop, .availability, .noNotifier) }
    guard holdsNotifications else {
      return showAlert(content, id: id, reason, event: event, handing: push, index, in: &turn)
    }
    if let oldest = book.oldestAlert(of: configuration.push.waitingLimit) {
      book.remove(oldest)
      self.decide(.drop, .push, .outboxFull, index, event: oldest.event, trigger: .notificationDue, in: &turn)
    }
    // Its program may have scheduled one of that name.
    let name = book.schedules(id) ? "push-\(event)" : id
    var notification = LocalNotification(id: name, title: content.title, when: .now)
    notification.content = content
    var entry = NotificationBook.Entry(id: name, notification: notification)
    entry.first = utc(at: turn.instant)
    entry.event = event
    entry.push = push
    entry.isUnacknowledged = reason == .unacknowledged ? true : nil
    entry.isDeferred = isUnlocked ? nil : true
    book.put(entry)
    update(index) { $0.modes.notifications = book }
    if !isUnlocked { decide(.defer, .firstUnlock, .locked) }
  }

  /// Has an alert shown under the record of its push.
  ///
  /// - Parameter push: what a program that runs is handed beside; nil where it is handed it anyway.
  mutating func showAlert(
    _ alert: LocalNotification.Content, id: String, _ reason: Decision.Reason, event: Int,
    handing push: Push?, _ index: Int, in turn: inout PolicyTurn
  ) {
    update(index) {
      var book = $0.modes.notifications ?? NotificationBook()
      book.noteShown(NotificationBook.Shown(id: id, event: event, data: alert.data))
      book.noteShowing(NotificationBook.Showing(id: id, event: event, content: alert))
      $0.modes.notifications = book
    }
    decide(.notify, .notificationDue, reason, index, event: event, trigger: .notificationDue, in: &turn)
    let name = sessions[index].subscriber.name
    turn.order(.notify(subscriber: name, event: event, notification: id, alert))
    guard let push, sessions[index].state.isRunning else { return }
    offer(event: event, trigger: .notificationDue, push: push, to: index, in: &turn)
  }

  /// The program has an answer to a push that it was handed. That is also its acknowledgment. What it received is booked
  /// (rule M6).
  mutating func answerPush(_ pending: Session.Pending, bytes: Int?, _ index: Int, in turn: inout PolicyTurn) {
    turn.steps.append(
      .transferred(
        subscriber: sessions[index].subscriber.name, rule: .push, kilobytes: Double(bytes ?? 0) / 1000,
        seconds: pending.handedAt.map { $0.seconds(to: turn.instant) } ?? 0))
    acknowledge(pending.event, index, in: &turn)
  }
}

// MARK: - Silent pushes that wait

extension Policy {
  /// Whether silent pushes of a subscriber have to wait (rule H2), and why.
  func silentObstacle(_ index: Int, at instant: EngineInstant) -> Decision.Reason? {
    guard sessions[index].modes.pushes?.isOverdue != true else { return nil }
    if isLowPower { return .lowPower }
    return sessions[index].modes.pushes?.isSpent(at: instant, configuration.push) == true ? .pushLimit : nil
  }

  /// Hands over the silent pushes that have waited as long as they have to.
  mutating func fireSilentPushes(_ index: Int, in turn: inout PolicyTurn) {
    guard let until = sessions[index].modes.pushes?.heldUntil, until <= turn.instant else { return }
    let isWaiting = sessions[index].hasSilentPush
    update(index) {
      $0.modes.pushes?.heldUntil = nil
      $0.modes.pushes?.isOverdue = isWaiting
    }
    redeliverSilentPushes(index, in: &turn)
  }

  /// The machine saves energy from now on, and issues wait that a program in the background has not been handed. Or it
  /// saves energy no longer: hands over what waited for that (rule M4).
  mutating func setLowPower(_ isOn: Bool, in turn: inout PolicyTurn) {
    isLowPower = isOn
    forEachSession { policy, index in
      guard !isOn else {
        if policy.sessions[index].state == .background { policy.withhold(index) }
        return
      }
      policy.redeliverSilentPushes(index, in: &turn)
      policy.redeliverIssue(index, in: &turn)
    }
  }

  private mutating func redeliverSilentPushes(_ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].hasSilentPush else { return }
    redeliver(index, rule: .silentPush, in: &turn)
  }
}

extension Session {
  /// The event of a silent push of that name that waits and was not handed over; nil where none does.
  func waitingPush(_ id: String) -> Int? {
    outbox.first { !$0.isHanded && $0.trigger.isSilent && $0.push?.id == id }?.event
  }

  /// Whether a silent push waits to be handed over.
  var hasSilentPush: Bool { outbox.contains { !$0.isHanded && $0.trigger.isSilent } }
}

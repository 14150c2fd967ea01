/// Section D: local notifications.
extension BackgroundMode {
  /// Rule D3.
  public static let notificationDue = BackgroundMode(
    name: "notification due", kind: "notification", trigger: .notificationDue)

  /// Rule D6.
  public static let notificationOpened = BackgroundMode(
    name: "notification opened", kind: "notification", trigger: .notificationOpened)
}

extension Trigger {
  /// Rule D3.
  public static let notificationDue = Trigger(
    rule: .notificationDue, wakes: false, relaunches: false, afterForceQuit: .shown,
    beforeUnlock: .shownLater, withoutDelivery: .shown, inLowPower: .shown, budget: .none, waiting: .none)

  /// Rule D6: the user's own doing, so nothing of the policy stands in its way but rule A8.
  public static let notificationOpened = Trigger(
    rule: .notificationOpened, wakes: true, relaunches: true, afterForceQuit: .userLaunch,
    beforeUnlock: .refused, withoutDelivery: .userLaunch, budget: .none, waiting: .none)
}

extension SubscriberView {
  /// Notifications that it has scheduled.
  public var scheduledNotifications: Int { session.modes.notifications?.entries.count ?? 0 }
}

extension ModePart {
  static let notifications = ModePart(
    deadline: { policy, session in
      session.modes.notifications.flatMap {
        policy.deadline(of: policy.notificationWindow($0) ?? policy.deferralWindow($0))
      }
    },
    fire: { $0.fireNotifications($1, isAwake: $2, in: &$3) },
    // No machine is woken for what the user does not want to see.
    alarm: { policy, session in
      session.modes.notifications.flatMap { $0.isAllowed ? policy.notificationWindow($0)?.latest : nil }
    })
}

extension Policy.Configuration {
  /// The numbers of rule D3; how many are scheduled is fixed (rule D4).
  public struct Notifications: Hashable, Sendable, Codable, Blank {
    /// Seconds by which one may be late at most, whatever it says itself.
    public var toleranceSeconds = Limits.notificationToleranceSeconds
    /// Seconds by which one may be late without being called so.
    public var punctualSeconds = 1.0

    public init() {}
  }
}

/// A notification that is due, on its way to the user and to its program.
struct DueNotification: Hashable {
  var record: NotificationRecord
  var content: LocalNotification.Content
}

// MARK: - Scheduling

extension Policy {
  /// Schedules a notification (rules D1, D4, D7 and D8).
  ///
  /// - Parameter regionObjection: why it can't wait for its region; nil where it can, or waits for none.
  mutating func schedule(
    _ notification: LocalNotification, _ index: Int, regionObjection: Decision.Reason?,
    in turn: inout PolicyTurn
  ) {
    func refuse(_ rule: Rule, _ reason: Decision.Reason) {
      decide(.refuse, rule, reason, index, in: &turn)
    }
    var book = sessions[index].modes.notifications ?? NotificationBook()
    guard hasNotifier else { return refuse(.availability, .noNotifier) }
    guard book.isAllowed else { return refuse(.notificationPermission, .notPermitted) }
    if case .region = notification.when {
      if let reason = sessions[index].regionNotificationObjection ?? regionObjection {
        return refuse(.authorization, reason)
      }
    }
    let isNow = notification.when == .now
    guard isNow && !holdsNotifications || book.hasRoom(for: notification.id, isNow: isNow) else {
      return refuse(.notificationLimit, .tooManyNotifications)
    }
    let id = notification.id ?? book.makeName()
    var entry = NotificationBook.Entry(id: id, notification: notification)
    let now = utc(at: turn.instant)
    switch notification.when {
    case .at(let time): entry.first = time
    case .after(let seconds): entry.first = now.advanced(bySeconds: seconds)
    case .now: entry.first = now
    case .wall, .region: break
    }
    // The calendar by which a fixed time repeats is the one that holds now.
    if entry.first != nil, notification.repeats != nil, notification.zone == nil {
      entry.notification.zone = zone
    }
    let asked = min(notification.asked ?? now, now)
    entry.notification.asked = nil
    entry.skipPast(asked, in: zone)
    // What is asked for after its time comes due now: nothing was missed (rule D5).
    if notification.repeats == nil, let due = entry.time(in: zone), due < asked { entry.first = now }
    book.lastName = id
    if isNow, !holdsNotifications {
      _ = book.cancel(id)
      update(index) { $0.modes.notifications = book }
      return show(entry, .now, index, in: &turn)
    }
    book.put(entry)
    update(index) { $0.modes.notifications = book }
  }

  /// Cancels a notification; an unknown one is an error to the caller and changes nothing (rule D4).
  mutating func cancelNotification(_ id: String, _ index: Int, in turn: inout PolicyTurn) {
    guard sessions[index].modes.notifications?.cancel(id) ?? false else {
      return decide(.refuse, .notificationLimit, .unknownNotification, index, in: &turn)
    }
  }

  /// The user lets a subscriber show notifications, or no longer (rule D8). What is scheduled stays.
  ///
  /// Those on their way to the user are no longer shown where they are not yet (rule D8).
  mutating func permitNotifications(_ isAllowed: Bool, _ index: Int, in turn: inout PolicyTurn) {
    var book = sessions[index].modes.notifications ?? NotificationBook()
    book.isAllowed = isAllowed
    let unseen = isAllowed ? [] : book.takeShowing()
    update(index) { $0.modes.notifications = book }
    for one in unseen {
      decide(
        .drop, .notificationPermission, .notPermitted, index, event: one.event, trigger: .notificationDue,
        in: &turn)
    }
  }

  /// The user opens a notification: a launch by the user (rule D6).
  mutating func openNotification(_ id: String, _ index: Int, in turn: inout PolicyTurn) {
    guard let shown = sessions[index].modes.notifications?.shown.last(where: { $0.id == id }) else {
      return decide(.refuse, .notificationOpened, .unknownNotification, index, in: &turn)
    }
    let session = sessions[index]
    guard isUnlocked || session.state != .notRunning else {
      return decide(.refuse, .firstUnlock, .locked, index, in: &turn)
    }
    var launch = launch(index, cause: .notificationOpened, event: shown.event, at: turn.instant)
    launch.kind = BackgroundMode.notificationOpened.kind
    launch.notification = id
    launch.data = shown.data
    turn.order(.open(subscriber: session.subscriber.name, launch: launch))
    guard session.state != .active else { return }
    bringToForeground(index, cause: .notification, in: &turn)
  }
}

// MARK: - Due

extension Policy {
  /// Whether nothing can be shown now: the machine has not been unlocked since it booted, or nobody is there (rule D5).
  var holdsNotifications: Bool { !isUnlocked || isAbsent }

  /// Whether the notifications of a book wait for the first unlock. What the user does not want to see does not: nobody
  /// sees it when it is due (rule D8).
  private func waitsForUnlock(_ book: NotificationBook) -> Bool { !isUnlocked && book.isAllowed }

  /// UTC at an instant.
  func utc(at instant: EngineInstant) -> UTCTime {
    UTCTime(microseconds: instant.microseconds.saturatingAdd(utcAhead ?? 0))
  }

  /// The instant of a time in UTC.
  private func instant(of time: UTCTime) -> EngineInstant {
    EngineInstant(microseconds: time.microseconds.saturatingSubtract(utcAhead ?? 0))
  }

  /// When the next notification of a subscriber is shown; nil while none can be.
  func notificationWindow(_ book: NotificationBook) -> Window? {
    isAbsent || waitsForUnlock(book) ? nil : firstWindow(of: book.entries)
  }

  /// When the next notification of a subscriber comes due that has to wait for the first unlock, and has not been said
  /// to; nil where there is none.
  func deferralWindow(_ book: NotificationBook) -> Window? {
    guard !isAbsent, waitsForUnlock(book) else { return nil }
    return firstWindow(of: book.entries.filter { $0.isDeferred != true })
  }

  private func firstWindow(of entries: [NotificationBook.Entry]) -> Window? {
    var next: Window?
    for entry in entries {
      guard let window = window(of: entry) else { continue }
      guard let soonest = next else {
        next = window
        continue
      }
      next = Window(
        earliest: min(soonest.earliest, window.earliest), latest: min(soonest.latest, window.latest))
    }
    return next
  }

  private func window(of entry: NotificationBook.Entry) -> Window? {
    guard let time = entry.time(in: zone) else { return nil }
    let due = instant(of: time)
    return Window(earliest: due, latest: due.advanced(bySeconds: toleranceSeconds(of: entry)))
  }

  private func toleranceSeconds(of entry: NotificationBook.Entry) -> Double {
    min(entry.notification.toleranceSeconds, configuration.notifications.toleranceSeconds)
  }

  /// Shows what is due.
  mutating func fireNotifications(_ index: Int, isAwake: Bool, in turn: inout PolicyTurn) {
    guard let book = sessions[index].modes.notifications, !isAbsent else { return }
    guard !waitsForUnlock(book) else {
      return deferNotifications(book, index, isAwake: isAwake, in: &turn)
    }
    let now = utc(at: turn.instant)
    var due: [(time: UTCTime, entry: NotificationBook.Entry)] = []
    for entry in book.entries {
      guard let window = window(of: entry), window.isOpen(at: turn.instant, isAwake: isAwake) else {
        // The clock or the zone has moved it past the lock: that keeps it back no more.
        if entry.isDeferred == true {
          update(index) { $0.modes.notifications?.change(entry) { $0.isDeferred = nil } }
        }
        continue
      }
      var latest = entry
      latest.skip(to: now, in: zone)
      due.append((latest.time(in: zone) ?? now, latest))
    }
    due.sort {
      ($0.time, $0.entry.id, $0.entry.event ?? 0) < ($1.time, $1.entry.id, $1.entry.event ?? 0)
    }
    for (time, entry) in due {
      finish(entry, index)
      let late = time.seconds(to: now)
      let allowed = max(configuration.notifications.punctualSeconds, toleranceSeconds(of: entry))
      // What the lock kept back is overdue, however short that was (rule D5).
      let isLate = entry.isDeferred == true || late > allowed
      // A notification for now waited only for the daemon. The alert of a push also is one for now, but has an event.
      let isNow = entry.notification.when == .now && entry.event == nil
      show(
        entry, isLate ? .overdue : isNow ? .now : .due, lateSeconds: isLate ? late : nil, index, in: &turn)
    }
  }

  /// Says of what comes due before the first unlock that it waits for that (rules A8 and D5): once of each, however often
  /// it repeats meanwhile.
  private mutating func deferNotifications(
    _ book: NotificationBook, _ index: Int, isAwake: Bool, in turn: inout PolicyTurn
  ) {
    for entry in book.entries where entry.isDeferred != true {
      guard let window = window(of: entry), window.isOpen(at: turn.instant, isAwake: isAwake) else {
        continue
      }
      update(index) { $0.modes.notifications?.change(entry) { $0.isDeferred = true } }
      decide(.defer, .firstUnlock, .locked, index, event: entry.event, trigger: .notificationDue, in: &turn)
    }
  }

  /// A notification has been due: it goes, or waits for the next time.
  private mutating func finish(_ entry: NotificationBook.Entry, _ index: Int) {
    let isOfRegion: Bool
    if case .region = entry.notification.when { isOfRegion = true } else { isOfRegion = false }
    let goesOn = entry.notification.repeats != nil || isOfRegion && !entry.notification.isOnce
    let zone = zone
    update(index) {
      guard goesOn else {
        $0.modes.notifications?.remove(entry)
        return
      }
      $0.modes.notifications?.change(entry) {
        if $0.heldAt == nil { $0.count = entry.count + 1 }
        $0.heldAt = nil
        $0.isDeferred = nil
        $0.fixFirst(in: zone)
      }
    }
  }

  /// A region was entered or left: shows what waits for that (rule D7).
  mutating func notifyOfRegion(
    _ region: String, isLeft: Bool, _ isMeant: (Int) -> Bool, in turn: inout PolicyTurn
  ) {
    for index in sessions.indices where isMeant(index) {
      guard let book = sessions[index].modes.notifications else { continue }
      for entry in book.entries {
        guard entry.notification.when == .region(id: region, isLeft: isLeft) else { continue }
        if let reason = sessions[index].regionNotificationObjection {
          decide(.defer, .authorization, reason, index, in: &turn)
        } else if isAbsent || waitsForUnlock(book) {
          let now = utc(at: turn.instant)
          // One for a single time was due the first time, of others the latest is shown (rule D5).
          let isDue = entry.notification.isOnce && entry.heldAt != nil
          if !isDue { update(index) { $0.modes.notifications?.change(entry) { $0.heldAt = now } } }
        } else {
          finish(entry, index)
          show(entry, isLeft ? .regionLeft : .regionEntered, index, in: &turn)
        }
      }
    }
    refreshDeadline()
  }

  /// The rights of a program for regions have changed: what was kept of a region is not shown without them (rules B8 and
  /// D7). It stays scheduled for the next time.
  mutating func judgeHeldNotifications(_ index: Int, in turn: inout PolicyTurn) {
    guard let reason = sessions[index].regionNotificationObjection else { return }
    for entry in sessions[index].modes.notifications?.entries ?? [] where entry.heldAt != nil {
      decide(.drop, .authorization, reason, index, in: &turn)
      update(index) {
        $0.modes.notifications?.change(entry) {
          $0.heldAt = nil
          $0.isDeferred = nil
        }
      }
    }
  }

  /// Has a notification shown, unless the user does not want to see any of its program (rule D8).
  private mutating func show(
    _ entry: NotificationBook.Entry, _ reason: NotificationRecord.Reason, lateSeconds: Double? = nil,
    _ index: Int, in turn: inout PolicyTurn
  ) {
    guard sessions[index].modes.notifications?.isAllowed ?? true else {
      return decide(
        .drop, .notificationPermission, .notPermitted, index, event: entry.event, trigger: .notificationDue,
        in: &turn)
    }
    if let event = entry.event {
      let punctual = reason == .due ? Decision.Reason.push : reason.decision
      let why = entry.isUnacknowledged == true ? .unacknowledged : punctual
      return showAlert(
        entry.notification.content, id: entry.id, why, event: event, handing: entry.push, index, in: &turn)
    }
    let record = NotificationRecord(
      notification: entry.id, subscriber: sessions[index].subscriber.name,
      title: entry.notification.content.title, reason: reason, lateSeconds: lateSeconds)
    turn.steps.append(.notified(DueNotification(record: record, content: entry.notification.content)))
  }

  /// Shows a notification that has its record, hands it to its program, or does both (rule D3).
  mutating func present(_ due: DueNotification, event: Int, _ index: Int, in turn: inout PolicyTurn) {
    let name = sessions[index].subscriber.name
    let isHandedOver = isHandedOver(index)
    if !isHandedOver {
      update(index) {
        $0.modes.notifications?.noteShown(
          NotificationBook.Shown(id: due.record.notification, event: event, data: due.content.data))
        $0.modes.notifications?.noteShowing(
          NotificationBook.Showing(id: due.record.notification, event: event, content: due.content))
      }
      decide(
        .notify, .notificationDue, due.record.reason.decision, index, event: event,
        trigger: .notificationDue, in: &turn)
      turn.order(.notify(subscriber: name, event: event, notification: due.record.notification, due.content))
    }
    guard sessions[index].state.isRunning else { return }
    let unshown =
      isHandedOver
      ? NotificationBook.Unshown(id: due.record.notification, content: due.content) : nil
    offer(event: event, trigger: .notificationDue, unshown: unshown, to: index, in: &turn)
  }

  /// Shows the user what its program was handed instead: it is suspended, its process has ended, or that was dropped, and
  /// it has not acknowledged it (rules D3 and K5). What is kept for its next process is shown once.
  ///
  /// - Parameter unacknowledged: those of its outbox, as it was before.
  mutating func showUnacknowledged(
    _ unacknowledged: [Session.Pending], _ index: Int, in turn: inout PolicyTurn
  ) {
    for pending in unacknowledged {
      guard let unshown = pending.unshown else { continue }
      update(index) {
        guard let place = $0.outbox.firstIndex(where: { $0.event == pending.event }) else { return }
        $0.outbox[place].unshown = nil
      }
      showOrHold(
        unshown.content, id: unshown.id, .unacknowledged, event: pending.event, handing: nil, index,
        in: &turn)
    }
  }

  /// Whether a notification is handed to its program instead of being shown: it is active, and can be handed something
  /// (rule D3).
  func isHandedOver(_ index: Int) -> Bool {
    sessions[index].state == .active && mayHand(index) && sessions[index].hasRoom
  }
}

extension Policy {
  /// Somebody is there again to show notifications: those that were on their way when nobody was come again, at least
  /// once and under the same id.
  mutating func showAgain(in turn: inout PolicyTurn) {
    for index in sessions.indices {
      for one in sessions[index].modes.notifications?.showing ?? [] {
        decide(
          .notify, .notificationDue, .unacknowledged, index, event: one.event, trigger: .notificationDue,
          in: &turn)
        turn.order(
          .notify(
            subscriber: sessions[index].subscriber.name, event: one.event, notification: one.id, one.content))
      }
    }
  }
}

extension Session {
  /// Why it may not be told of regions, running or not; nil where it may (rule D7).
  var regionNotificationObjection: Decision.Reason? {
    if subscriber.authorization == .denied { return .denied }
    return subscriber.accuracy == .reduced ? .reduced : nil
  }

  /// Whether regions are watched for its notifications (rule D7).
  @inline(__always) var watchesForNotifications: Bool {
    modes.notifications?.hasRegions == true && regionNotificationObjection == nil
  }
}

/// A notification that is scheduled, for those who look.
public struct ScheduledNotification: Hashable, Sendable {
  /// What its program calls it.
  public var id: String
  /// Its first line.
  public var title: String
  /// When it is due; nil for one of a region.
  public var time: UTCTime?
  /// The region that it waits for; nil for one of a time.
  public var region: String?
  /// Whether it is due when that region is left, not when it is entered; nil for one of a time.
  public var isLeft: Bool?
  /// How it repeats; nil where it does not.
  public var repeats: CalendarUnit?
  /// The number on the program's icon; nil to leave it.
  public var badge: Int?
}

/// A transfer that has not ended, for those who look.
public struct TransferView: Hashable, Sendable {
  /// Its number.
  public var number: Int
  /// What is known of it.
  public var terms: TransferTerms
  /// Whether it runs.
  public var isRunning: Bool
  /// What it waits for; nil where it does not, or waits for others of its program.
  public var obstacle: TransferRecord.Reason?
  /// Whether it waits for an answer of its program.
  public var needsAnswer: Bool
}

extension Engine {
  /// Whose audio session was opened last, of those with the mode, and is commanded by keys and headsets (rule F5); nil
  /// where none of them has had a session.
  public var audioPlayer: String? { state.policy.lastAudio }

  /// When the machine has to be awake for a mode, at the latest: for a notification or a keep-alive call (rules D3 and
  /// E2).
  public var nextAlarm: EngineInstant? {
    state.policy.sessions.reduce(nil) { first, session in
      ModePart.all.reduce(first) { EngineInstant.earlier($0, $1.alarm?(state.policy, session)) }
    }
  }

  /// Whether anybody has an audio session open.
  public var hasAudio: Bool { state.policy.sessions.contains { $0.modes.audio?.sessions.isEmpty == false } }

  /// The open transfers of a subscriber, by number.
  public func transfers(of name: String) -> [TransferView] {
    (session(name)?.modes.transfers?.entries ?? []).map { entry in
      TransferView(
        number: entry.number, terms: entry.terms, isRunning: entry.isRunning, obstacle: entry.obstacle,
        needsAnswer: entry.answerBy != nil)
    }
  }

  /// The number of the transfer that a subscriber asked for last; 0 before the first.
  public func lastTransfer(of name: String) -> Int { session(name)?.modes.transfers?.lastNumber ?? 0 }

  /// The notifications that a subscriber has scheduled, by the time at which they are due; those of regions last.
  public func notifications(of name: String) -> [ScheduledNotification] {
    guard let book = session(name)?.modes.notifications else { return [] }
    let list = book.entries.map { entry in
      var (region, isLeft): (String?, Bool?)
      if case .region(let id, let isOfExit) = entry.notification.when { (region, isLeft) = (id, isOfExit) }
      return ScheduledNotification(
        id: entry.id, title: entry.notification.content.title,
        time: entry.time(in: state.policy.zone), region: region, isLeft: isLeft,
        repeats: entry.notification.repeats, badge: entry.notification.content.badge)
    }
    let last = UTCTime(microseconds: .max)
    return list.sorted { ($0.time ?? last, $0.id) < ($1.time ?? last, $1.id) }
  }

  /// The name of the notification that a subscriber scheduled last; nil before the first.
  public func lastNotification(of name: String) -> String? { session(name)?.modes.notifications?.lastName }

  /// The audio session that a subscriber opened last; nil before the first.
  public func lastAudio(of name: String) -> Int? {
    session(name)?.modes.audio.flatMap { $0.nextToken > 1 ? $0.nextToken - 1 : nil }
  }

  /// What a push says that waits for a subscriber, JSON; nil where the event is none.
  public func payload(of event: Int, for name: String) -> String? {
    session(name)?.outbox.first { $0.event == event }?.push?.payload
  }

  /// Whether a notification is scheduled whose time changes with the machine's zone (rule D1).
  public var followsZone: Bool {
    state.policy.sessions.contains { $0.modes.notifications?.followsZone == true }
  }

  /// Whether anybody has a notification scheduled, on its way to the user, or handed over in place of that.
  public var hasNotifications: Bool {
    state.policy.sessions.contains {
      $0.modes.notifications?.entries.isEmpty == false || $0.modes.notifications?.showing != nil
        || $0.outbox.contains { $0.unshown != nil }
    }
  }

  /// Whether there is anything that shows notifications, as it was told last.
  public var hasNotifier: Bool { state.policy.hasNotifier }

  /// What the network is like, as it was told last.
  public var network: NetworkState { state.policy.network }

  /// The machine's time zone, as it was told last.
  public var zone: TimeZoneRule { state.policy.zone }

  /// Whether the user lets a subscriber show notifications (rule D8).
  public func mayNotify(_ name: String) -> Bool { session(name)?.modes.notifications?.isAllowed ?? true }

  private func session(_ name: String) -> Session? { state.policy.session(name) }
}

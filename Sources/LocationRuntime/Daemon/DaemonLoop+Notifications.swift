import LocationCore
import LocationFormats

/// What commands ask of notifications.
extension DaemonLoop {
  /// Answers a request about the notifications of a subscriber.
  mutating func notifications(_ request: JSONTree) throws(Failure) -> [JSONTree.Member] {
    let name = try subscriber(request)
    let event: ModeEvent
    switch request["do"]?.string {
    case "notify":
      let notification = try NotificationAnswer.notification(request["notify"] ?? .object([]))
      try alignNotifications()
      event = .notify(notification)
    case "cancel-notification": event = .cancelNotification(id: try word("id", request))
    case "open-notification": event = .openNotification(id: try word("id", request))
    case _:
      guard request["value"] != nil else {
        let list = live.engine.notifications(of: name)
        return JSONTree.members([
          "notifications": .array(list.map(\.tree)),
          "permission": .string(live.engine.mayNotify(name) ? "allowed" : "denied"),
        ])
      }
      event = .permitNotifications(try choice(request, "allowed", "denied"))
    }
    if let refusal = try handle(event, of: name) { throw Self.failure(refusal) }
    if case .permitNotifications(false) = event { notifier.forgetWaiting(name) }
    guard case .notify = event, let id = live.engine.lastNotification(of: name) else { return [] }
    return [.init(key: "notification", value: .string(id))]
  }

  /// A notification with the full path of its sound, or with the usual one where its own may not be played (rule D8).
  /// That is told once of each program, until it has one again that may.
  mutating func withPlayableSound(
    _ content: LocalNotification.Content, of name: String
  ) -> LocalNotification.Content {
    guard let sound = content.sound, sound != NotificationSound.usual else { return content }
    var content = content
    let subscriber = live.engine.subscriber(name)?.subscriber
    let directory = subscriber.flatMap { try? transfers.spool.directory(of: $0).path }
    let path = directory.flatMap { NotificationSound.path(sound, in: $0) }
    content.sound = path ?? NotificationSound.usual
    if path != nil {
      lackSound.remove(name)
    } else if lackSound.insert(name).inserted {
      let place = directory.map { " in \($0)" } ?? ""
      Self.log(
        "\(name): its notification sounds as usual; \"\(sound)\" is no WAV or Ogg file of at most "
          + "\(Int(NotificationSound.longestSeconds)) s\(place)")
    }
    return content
  }
}

extension DaemonLoop {
  /// Takes what came of a notification.
  mutating func take(_ outcome: NotifyHook.Outcome) throws(Failure) {
    switch outcome {
    case .shown(let name, let event):
      guard live.engine.subscriberState(name) != nil else { return }
      // Until that is stored, it is shown again by the next daemon.
      try handle(.presented(event: event), of: name)
    case .opened(let name, let notification):
      guard live.engine.subscriberState(name) != nil else { return }
      try handle(.openNotification(id: notification), of: name)
    case .trouble(let text): Self.log(text)
    }
  }

  /// Tells the engine UTC, where no receiver has, the machine's time zone, and whether there is anything that shows
  /// notifications; where not, scheduling is refused (rule B9). That is looked at when somebody schedules one, and when
  /// clock or zone may have changed: who has none pays nothing.
  mutating func alignNotifications() throws(Failure) {
    let isThere = !notifier.command.isEmpty
    if isThere != live.engine.hasNotifier {
      try live.handle(.machine(.notifier(isThere)), at: clock.read())
    }
    let reading = clock.read()
    let boot = EngineInstant(microseconds: clock.offsetMicroseconds)
    if !request.isSimulated,
      let ahead = clockWatch.news(
        of: reading, boot: boot, lastFix: live.engine.tally.last?.instant,
        known: live.engine.utcAheadMicroseconds)
    {
      try live.handle(.machine(.utc(aheadMicroseconds: ahead)), at: reading)
    }
    // The log has told what is wrong with TZ.
    let zone = (try? TimeZoneFile.machine()) ?? .utc
    if zone != live.engine.zone { try live.handle(.machine(.zone(zone)), at: clock.read()) }
  }
}

extension Event {
  /// Whether it may have a notification shown or scheduled.
  var isOfNotifications: Bool {
    if case .subscriber(_, .mode(.notify)) = self { return true }
    if case .subscriber(_, .mode(.push)) = self { return true }
    return false
  }
}

package import LocationCore
import LocationFormats

/// The notification that a program schedules (rule D1).
enum NotificationAnswer {
  /// Reads the object; nil where it is none: exactly one of `at`, `wall`, `after_s`, `now` and `region` must be in it.
  static func read(from reader: inout JSONReader) throws(JSONError) -> LocalNotification? {
    var notification = LocalNotification(title: "", when: .now)
    var when: LocalNotification.When?
    var isLeft = false
    var isValid = true
    try reader.openObject()
    while let key = try reader.nextKey() {
      guard let word = Key(rawValue: reader.decoded(key)) else {
        try reader.skip()
        continue
      }
      var found: LocalNotification.When?
      switch word {
      case .id: notification.id = try reader.string()
      case .title: notification.content.title = try reader.string()
      case .body: notification.content.body = try reader.string()
      case .sound: notification.content.sound = try reader.string()
      case .action: notification.content.action = try reader.string()
      case .badge:
        let badge = try reader.number()
        isValid = isValid && (0...1e6).contains(badge)
        notification.content.badge = isValid ? Int(badge) : nil
      case .data:
        let text = try reader.rawValue()
        isValid = isValid && text.utf8.count <= Limits.notificationDataBytes
        notification.content.data = text
      case .once: notification.isOnce = try reader.boolean()
      case .repeats:
        notification.repeats = CalendarUnit(rawValue: try reader.string())
        isValid = isValid && notification.repeats != nil
      case .tolerance:
        notification.toleranceSeconds = try reader.number()
        isValid =
          isValid && (0...Limits.notificationToleranceSeconds).contains(notification.toleranceSeconds)
      case .zone:
        notification.zone = zone(try reader.string())
        isValid = isValid && notification.zone != nil
      case .on:
        let side = try reader.string()
        isLeft = side == "exit"
        isValid = isValid && (isLeft || side == "enter")
      case .at:
        found = UTCTime(rfc3339: try reader.string()).map { .at($0) }
        isValid = isValid && found != nil
      case .wall:
        found = WallTime(try reader.string()).map { .wall($0) }
        isValid = isValid && found != nil
      case .after:
        let seconds = try reader.number()
        isValid = isValid && (0...1e9).contains(seconds)
        found = .after(seconds: seconds)
      case .now:
        found = try reader.boolean() ? .now : nil
        isValid = isValid && found != nil
      case .region: found = .region(id: try reader.string(), isLeft: false)
      }
      if let found {
        isValid = isValid && when == nil
        when = found
      }
    }
    guard isValid, var when, !notification.content.title.isEmpty, isBounded(notification) else { return nil }
    if case .region(let id, _) = when { when = .region(id: id, isLeft: isLeft) }
    notification.when = when
    return notification
  }

  /// The notification that an object of JSON is; nil where it is none.
  static func notification(_ tree: JSONTree) -> LocalNotification? {
    var reader = JSONReader(Array(tree.text.utf8))
    do throws(JSONError) { return try read(from: &reader) } catch { return nil }
  }

  private enum Key: String {
    case id, title, body, at, wall, zone, now, region, on, once, sound, badge, action, data
    case after = "after_s"
    case repeats = "repeat"
    case tolerance = "tolerance_s"
  }

  private static func isBounded(_ notification: LocalNotification) -> Bool {
    let names = [notification.id, notification.content.sound, notification.content.action].compactMap { $0 }
    return names.allSatisfy { !$0.isEmpty && $0.utf8.count <= SupervisorLimits.nameBytes }
  }

  /// A zone as the machine has it.
  private static func zone(_ name: String) -> TimeZoneRule? {
    do throws(Failure) { return try TimeZoneFile.zone(name) } catch { return nil }
  }
}

/// A notification that is scheduled, for those who look.
extension ScheduledNotification {
  /// Its members in a line of JSON.
  package func describe(to line: inout JSONLine) {
    line.member("id", id)
    line.member("title", title)
    line.member("at", time)
    line.member("region", region)
    line.member("repeat", repeats?.rawValue)
  }
}

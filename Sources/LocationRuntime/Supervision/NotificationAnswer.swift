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

extension NotificationAnswer {
  /// What is wrong with an object that is no notification, and what to write.
  static func complaint(about tree: JSONTree) -> Failure {
    func text(_ key: Key) -> String? { tree[key.rawValue]?.text(or: nil) }
    func wrong(_ what: String, _ remedy: String) -> Failure { Failure(.usage, what: what, remedy: remedy) }
    if (text(.title) ?? "").isEmpty { return wrong("the notification has no title", "give it one") }
    let all: [Key] = [.at, .wall, .after, .now, .region]
    let times = all.filter { tree[$0.rawValue] != nil }
    guard times.count == 1 else {
      let named = times.map { word(for: $0) }.joined(separator: " and ")
      return wrong(
        times.isEmpty ? "nothing says when the notification is shown" : "\(named) exclude each other",
        "give one of at, wall, after, now and region")
    }
    if let wall = text(.wall), WallTime(wall) == nil {
      return wrong("wall: \"\(wall)\" is no time of the clock", "write it as 2026-05-01T07:30")
    }
    if let at = text(.at), UTCTime(rfc3339: at) == nil {
      return wrong("at: \"\(at)\" is no time", "write it as 2026-05-01T07:30:00Z")
    }
    if let name = text(.zone), zone(name) == nil {
      return wrong(
        "zone: \"\(name)\" is no time zone that this machine knows", "write a name as Europe/Berlin, or UTC")
    }
    if let side = text(.on), side != "enter", side != "exit" {
      return wrong("on: \"\(side)\" is no event of a region", "write enter or exit")
    }
    if let unit = text(.repeats), CalendarUnit(rawValue: unit) == nil {
      let units = CalendarUnit.allCases.map(\.rawValue).joined(separator: ", ")
      return wrong("repeat: \"\(unit)\" is no unit to repeat by", "write one of \(units)")
    }
    if let id = text(.id), id.isEmpty || id.utf8.count > SupervisorLimits.nameBytes {
      return wrong("id: a name has 1 to \(SupervisorLimits.nameBytes) bytes", "give another name, or none")
    }
    if tree[Key.after.rawValue] != nil {
      return wrong("after: not a number of seconds from 0 to 1,000,000,000", "write it as 600, or as 10m")
    }
    return wrong("\"notify\" is no notification", "Docs/Subscribers.md describes its members")
  }

  /// A member by the name that it has in commands too.
  private static func word(for key: Key) -> String { key == .after ? "after" : key.rawValue }
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

import LocationCore
import LocationFormats

/// The notification that a program schedules (rule D1).
enum NotificationAnswer {
  /// Reads the object; nil where it is none.
  static func read(from reader: inout JSONReader) throws(JSONError) -> LocalNotification? {
    let tree = try JSONTree(&reader)
    do throws(Failure) { return try notification(tree) } catch { return nil }
  }

  /// The notification that an object of JSON is.
  ///
  /// - Throws: What is wrong with it, and what to write.
  static func notification(_ tree: JSONTree) throws(Failure) -> LocalNotification {
    if case .object(let members) = tree, let other = members.first(where: { Key(rawValue: $0.key) == nil }) {
      throw wrong("a notification has no \"\(other.key)\"", "leave it out")
    }
    guard let title = try text(.title, tree), !title.isEmpty else {
      throw wrong("the notification has no title", "give it one")
    }
    var notification = LocalNotification(id: try name(.id, tree), title: title, when: try when(tree))
    notification.content.body = try text(.body, tree) ?? ""
    notification.content.sound = try name(.sound, tree)
    notification.content.action = try name(.action, tree)
    notification.content.badge = try number(.badge, tree, upTo: largestBadge).map { Int($0) }
    if let data = tree[Key.data.rawValue]?.text {
      guard data.utf8.count <= Limits.notificationDataBytes else {
        throw wrong(
          "data: more than \(Limits.notificationDataBytes) bytes", "keep it where the program finds it")
      }
      notification.content.data = data
    }
    notification.zone = try zone(tree)
    notification.repeats = try unit(tree)
    if notification.repeats != nil, notification.when == .now {
      throw wrong("now and repeat exclude each other", "give after 0 in place of now")
    }
    if notification.repeats != nil, case .region = notification.when {
      throw wrong("region and repeat exclude each other", "give once: false to show it each time")
    }
    notification.isOnce = try boolean(.once, tree) ?? true
    notification.toleranceSeconds =
      try number(.tolerance, tree, upTo: Limits.notificationToleranceSeconds) ?? 0
    return notification
  }

  private enum Key: String {
    case id, title, body, at, wall, zone, now, region, on, once, sound, badge, action, data
    case after = "after_s"
    case repeats = "repeat"
    case tolerance = "tolerance_s"

    /// By the name that it has in commands too.
    var word: String { self == .after ? "after" : rawValue }
  }

  private static let largestBadge = 1e6
  /// Some 30 years.
  private static let longestWaitSeconds = 1e9
}

// MARK: - Members

extension NotificationAnswer {
  /// When it is due: exactly one member says so.
  private static func when(_ tree: JSONTree) throws(Failure) -> LocalNotification.When {
    let all: [Key] = [.at, .wall, .after, .now, .region]
    let given = all.filter { tree[$0.rawValue] != nil }
    guard given.count == 1 else {
      throw wrong(
        given.isEmpty
          ? "nothing says when the notification is shown"
          : "\(given.map(\.word).joined(separator: " and ")) exclude each other",
        "give one of at, wall, after, now and region")
    }
    let isLeft = try isLeft(tree)
    if let text = try text(.at, tree) {
      guard let time = UTCTime(rfc3339: text) else {
        throw wrong("at: \"\(text)\" is no time", "write it as 2026-05-01T07:30:00Z")
      }
      return .at(time)
    }
    if let text = try text(.wall, tree) {
      guard let wall = WallTime(text) else {
        throw wrong("wall: \"\(text)\" is no time of the clock", "write it as 2026-05-01T07:30")
      }
      return .wall(wall)
    }
    if let seconds = try number(.after, tree, upTo: longestWaitSeconds) { return .after(seconds: seconds) }
    if let region = try text(.region, tree) { return .region(id: region, isLeft: isLeft) }
    guard try boolean(.now, tree) == true else { throw wrong("now: it can only be true", "leave it out") }
    return .now
  }

  /// Whether it is due when its region is left.
  private static func isLeft(_ tree: JSONTree) throws(Failure) -> Bool {
    guard let side = try text(.on, tree) else { return false }
    guard side == "enter" || side == "exit" else {
      throw wrong("on: \"\(side)\" is no event of a region", "write enter or exit")
    }
    return side == "exit"
  }

  /// A zone as the machine has it.
  private static func zone(_ tree: JSONTree) throws(Failure) -> TimeZoneRule? {
    guard let name = try text(.zone, tree) else { return nil }
    do throws(Failure) { return try TimeZoneFile.zone(name) } catch {
      throw wrong(
        "zone: \"\(name)\" is no time zone that this machine knows", "write a name as Europe/Berlin, or UTC")
    }
  }

  private static func unit(_ tree: JSONTree) throws(Failure) -> CalendarUnit? {
    guard let word = try text(.repeats, tree) else { return nil }
    guard let unit = CalendarUnit(rawValue: word) else {
      let units = CalendarUnit.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong("repeat: \"\(word)\" is no unit to repeat by", "write one of \(units)")
    }
    return unit
  }

  private static func text(_ key: Key, _ tree: JSONTree) throws(Failure) -> String? {
    guard let value = tree[key.rawValue] else { return nil }
    guard case .string(let text) = value else { throw wrong("\(key.word): not a text", "put it in quotes") }
    return text
  }

  private static func name(_ key: Key, _ tree: JSONTree) throws(Failure) -> String? {
    guard let text = try text(key, tree) else { return nil }
    guard (1...SupervisorLimits.nameBytes).contains(text.utf8.count) else {
      throw wrong(
        "\(key.word): a name has 1 to \(SupervisorLimits.nameBytes) bytes", "give another name, or none")
    }
    return text
  }

  private static func number(_ key: Key, _ tree: JSONTree, upTo limit: Double) throws(Failure) -> Double? {
    guard let value = tree[key.rawValue] else { return nil }
    guard case .number(let text) = value, let number = Double(text), (0...limit).contains(number) else {
      throw wrong("\(key.word): not a number from 0 to \(Wording.count(Int(limit)))", "give one that is")
    }
    return number
  }

  private static func boolean(_ key: Key, _ tree: JSONTree) throws(Failure) -> Bool? {
    guard let value = tree[key.rawValue] else { return nil }
    guard case .boolean(let isSo) = value else {
      throw wrong("\(key.word): neither true nor false", "write one of them")
    }
    return isSo
  }

  private static func wrong(_ what: String, _ remedy: String) -> Failure {
    Failure(.usage, what: what, remedy: remedy)
  }
}

extension ScheduledNotification {
  /// As one JSON object.
  var tree: JSONTree {
    .object([
      "id": .string(id), "title": .string(title), "at": time.map { .string($0.rfc3339) },
      "region": region.map { .string($0) }, "on": isLeft.map { .string($0 ? "exit" : "enter") },
      "repeat": repeats.map { .string($0.rawValue) }, "badge": badge.map { .integer($0) },
    ])
  }
}

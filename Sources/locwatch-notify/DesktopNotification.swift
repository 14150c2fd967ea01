import LocationBus
import LocationCore

/// A notification as the Desktop Notifications Specification 1.2 has it.
struct DesktopNotification {
  private var subscriber = ""
  private var title = ""
  private var body = ""
  private var sound: String?
  private var action: String?

  private static let service = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  /// Reads the line that the daemon writes; nil where it is none.
  init?(line: String) {
    var reader = JSONReader(Array(line.utf8))
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        switch reader.decoded(key) {
        case "subscriber": subscriber = try reader.string()
        case "title": title = try reader.string()
        case "body": body = try reader.string()
        case "sound": sound = try reader.string()
        case "action": action = try reader.string()
        case _: try reader.skip()
        }
      }
    } catch {
      return nil
    }
    guard !title.isEmpty else { return nil }
  }

  /// Shows it and waits until the user opens or closes it, or the service forgets it; whether it was opened.
  func show(on bus: borrowing MessageBus, within seconds: UInt64) throws(MessageBus.Failure) -> Bool {
    for member in ["ActionInvoked", "NotificationClosed"] {
      try bus.match("type='signal',interface='\(Self.service)',member='\(member)'")
    }
    let capabilities = try bus.call(Self.service, Self.path, Self.service, "GetCapabilities", []) {
      (answer) throws(MessageBus.Failure) in try answer.texts()
    }
    let hasActions = capabilities.contains("actions")
    let text = capabilities.contains("body-markup") ? Self.escaped(body) : body
    let id = try bus.call(
      Self.service, Self.path, Self.service, "Notify",
      [
        .text(subscriber), .number(0), .text(""), .text(title), .text(text),
        .texts(hasActions ? ["default", action ?? "Open"] : []), .map(hints(capabilities)), .time(-1),
      ]
    ) { (answer) throws(MessageBus.Failure) in try answer.number() }
    guard hasActions else { return false }
    while let message = try bus.next(within: seconds) {
      if message.isSignal(Self.service, "ActionInvoked") {
        if try message.number() == id, try message.text() == "default" { return true }
      } else if message.isSignal(Self.service, "NotificationClosed") {
        if try message.number() == id { return false }
      }
    }
    return false
  }

  private func hints(_ capabilities: [String]) -> [BusValue.Entry] {
    // Of normal urgency: what is critical wakes the screen of some phones.
    var hints = [BusValue.Entry("urgency", .byte(1))]
    if let sound, capabilities.contains("sound") {
      // The daemon names a file by its full path, and else the usual sound.
      let (key, value) = sound.hasPrefix("/") ? ("sound-file", sound) : ("sound-name", "message-new-instant")
      hints.append(BusValue.Entry(key, .text(value)))
    }
    return hints
  }

  /// Text as markup.
  private static func escaped(_ text: String) -> String {
    var markup = ""
    for character in text {
      switch character {
      case "&": markup += "&amp;"
      case "<": markup += "&lt;"
      case ">": markup += "&gt;"
      case _: markup.append(character)
      }
    }
    return markup
  }
}

import LocationBus
import LocationCore

/// A notification as the Desktop Notifications Specification 1.2 has it.
struct DesktopNotification {
  private var subscriber = ""
  private var title = ""
  private var body = ""
  private var sound: String?
  private var action: String?
  /// The number at the program's icon; 0 for none, nil where nothing is said.
  private var badge: Int64?

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
        case "title": title = try Self.text(&reader)
        case "body": body = try Self.text(&reader)
        case "sound": sound = try reader.string()
        case "action": action = try Self.text(&reader)
        case "badge": badge = Int64(exactly: try reader.number())
        case _: try reader.skip()
        }
      }
    } catch {
      return nil
    }
    guard !title.isEmpty else { return nil }
  }

  /// A text without what ends one on the bus.
  private static func text(_ reader: inout JSONReader) throws(JSONError) -> String {
    String(String.UnicodeScalarView(try reader.string().unicodeScalars.filter { $0 != "\0" }))
  }

  /// Shows it, says so, and waits until the user opens or closes it, or its service is gone; whether it was opened.
  ///
  /// - Throws: where it was not shown.
  func show(
    on bus: borrowing MessageBus, within seconds: UInt64, noteShown: () -> Void
  ) throws(MessageBus.Failure) -> Bool {
    try bus.watchOwners(of: Self.service)
    for member in ["ActionInvoked", "NotificationClosed"] {
      try bus.match(
        "type='signal',sender='\(Self.service)',interface='\(Self.service)',member='\(member)'")
    }
    let capabilities = try bus.call(Self.service, Self.path, Self.service, "GetCapabilities", []) {
      (answer) throws(MessageBus.Failure) in try answer.texts()
    }
    let hasActions = capabilities.contains("actions")
    let text = capabilities.contains("body-markup") ? Self.escaped(body) : body
    let (id, owner) = try bus.call(
      Self.service, Self.path, Self.service, "Notify",
      [
        .text(subscriber), .uint32(0), .text(""), .text(title), .text(text),
        .texts(hasActions ? ["default", action ?? "Open"] : []), .map(hints(capabilities)), .int32(-1),
      ]
    ) { (answer) throws(MessageBus.Failure) in (try answer.number(), answer.sender) }
    noteShown()
    // The notification is shown, even if the icon gets no number.
    try? showBadge(on: bus)
    guard hasActions else { return false }
    // What becomes of the bus now does not take it from the user.
    return (try? Self.isOpened(id, of: owner, on: bus, within: seconds)) ?? false
  }

  /// Has launchers show the number at the icon of the program, as long as we are on the bus (the LauncherEntry of Unity,
  /// which docks and KDE's task bar take too). They know a program by the name of its desktop file.
  private func showBadge(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    guard let badge else { return }
    try bus.emit(
      "/com/canonical/unity/launcherentry/1", "com.canonical.Unity.LauncherEntry", "Update",
      [
        .text("application://\(subscriber).desktop"),
        .map([.init("count", .int64(badge)), .init("count-visible", .flag(badge > 0))]),
      ])
  }

  /// Waits until the user opens or closes a notification; whether it was opened.
  ///
  /// - Parameter owner: the service that gave it the number. That means another notification to the next one.
  private static func isOpened(
    _ id: UInt32, of owner: String, on bus: borrowing MessageBus, within seconds: UInt64
  ) throws(MessageBus.Failure) -> Bool {
    while let message = try bus.next(within: seconds) {
      if let change = try message.ownerChange() {
        if change.before == owner { return false }
      } else if message.sender != owner {
        continue
      } else if message.isSignal(service, "ActionInvoked") {
        if try message.number() == id, try message.text() == "default" { return true }
      } else if message.isSignal(service, "NotificationClosed") {
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
    // A character may be "<" with an accent, of which the parser sees the "<" alone.
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": markup += "&amp;"
      case "<": markup += "&lt;"
      case ">": markup += "&gt;"
      case _: markup.unicodeScalars.append(scalar)
      }
    }
    return markup
  }
}

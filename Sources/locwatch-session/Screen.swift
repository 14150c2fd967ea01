import LocationBus

/// Whether a user's screen is locked, as logind has it (org.freedesktop.login1(5)).
///
/// Some lockers follow the signals `Lock` and `Unlock` of a session, others lock by themselves and set `LockedHint`.
/// Whichever comes last is right.
struct Screen: ~Copyable {
  /// nil while the user has no session.
  private(set) var isLocked: Bool?

  private let bus: MessageBus
  private let user: UInt32

  private static let service = "org.freedesktop.login1"
  private static let session = "org.freedesktop.login1.Session"
  private static let manager = "org.freedesktop.login1.Manager"

  /// - Throws: where there is no bus of the machine.
  init(user: UInt32) throws(MessageBus.Failure) {
    let bus = try MessageBus(.system)
    let matches = [
      "interface='\(Self.session)',member='Lock'", "interface='\(Self.session)',member='Unlock'",
      "interface='\(MessageBus.properties)',member='PropertiesChanged',path_namespace='/org/freedesktop/login1/session'",
      "interface='\(Self.manager)',member='SessionNew'",
    ]
    for match in matches { try bus.match("type='signal',sender='\(Self.service)',\(match)") }
    self.bus = bus
    self.user = user
    look()
  }

  /// Waits for the next signal that may tell something.
  ///
  /// - Parameter seconds: how long at most; nil for ever.
  mutating func wait(within seconds: UInt64? = nil) throws(MessageBus.Failure) {
    guard let message = try bus.next(within: seconds) else { return }
    if message.isSignal(Self.manager, "SessionNew") { return look() }
    guard isOwn(message.path) else { return }
    if message.isSignal(Self.session, "Lock") {
      isLocked = true
    } else if message.isSignal(Self.session, "Unlock") {
      isLocked = false
    } else if message.isSignal(MessageBus.properties, "PropertiesChanged") {
      _ = try message.text()
      guard case .map(let entries) = try message.value() else { return }
      if case .flag(let hint)? = entries.first(where: { $0.key == "LockedHint" })?.value { isLocked = hint }
    }
  }

  /// Asks how it is now: at the start, and when a session begins. That the user is there and no screen is locked is an
  /// unlock, the first one after a boot.
  private mutating func look() {
    guard let session = display,
      case .flag(let hint) = property("LockedHint", of: session, Self.session)
    else { return }
    isLocked = hint
  }

  /// The user's session; nil while there is none.
  private var display: String? {
    let path = try? bus.call(
      Self.service, "/org/freedesktop/login1", Self.manager, "GetUser", [.uint32(user)]
    ) { (answer) throws(MessageBus.Failure) in try answer.text() }
    guard let path = path ?? nil,
      case .group(let parts) = property("Display", of: path, "\(Self.service).User"), parts.count == 2,
      case .text(let name) = parts[0], !name.isEmpty, case .path(let session) = parts[1]
    else { return nil }
    return session
  }

  private func isOwn(_ session: String) -> Bool {
    guard case .group(let parts) = property("User", of: session, Self.session) else { return false }
    return parts.first == .uint32(user)
  }

  /// A property of an object of logind; nil where it has none.
  private func property(_ name: String, of path: String, _ interface: String) -> BusValue? {
    bus.property(name, of: path, interface, at: Self.service)
  }
}

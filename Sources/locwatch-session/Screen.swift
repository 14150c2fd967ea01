import LocationBus

/// Whether a user's screen is locked, as logind has it (org.freedesktop.login1(5)).
///
/// Some lockers follow the signals `Lock` and `Unlock` of a session, others lock by themselves and set `LockedHint`.
/// Whichever comes last is right.
struct Screen: ~Copyable {
  /// nil while the user has no session.
  private(set) var isLocked: Bool?

  private let bus: BusConnection
  private let user: UInt32

  private static let service = "org.freedesktop.login1"
  private static let session = "org.freedesktop.login1.Session"
  private static let manager = "org.freedesktop.login1.Manager"
  private static let properties = "org.freedesktop.DBus.Properties"

  /// - Throws: where there is no bus of the machine.
  init(user: UInt32) throws(BusConnection.Failure) {
    let bus = try BusConnection(to: .system)
    let matches = [
      "interface='\(Self.session)',member='Lock'", "interface='\(Self.session)',member='Unlock'",
      "interface='\(Self.properties)',member='PropertiesChanged',path_namespace='/org/freedesktop/login1/session'",
      "interface='\(Self.manager)',member='SessionNew'",
    ]
    for match in matches { try bus.subscribe(to: "type='signal',sender='\(Self.service)',\(match)") }
    self.bus = bus
    self.user = user
    look()
  }

  /// Waits for the next signal that may tell something.
  mutating func wait() throws(BusConnection.Failure) {
    guard let message = try bus.next() else { return }
    if message.isSignal(Self.manager, "SessionNew") { return look() }
    guard let session = message.path, isOwn(session) else { return }
    if message.isSignal(Self.session, "Lock") {
      isLocked = true
    } else if message.isSignal(Self.session, "Unlock") {
      isLocked = false
    } else if message.isSignal(Self.properties, "PropertiesChanged") {
      var hint: Bool?
      _ = try message.text()
      try message.properties { (name) throws(BusConnection.Failure) in
        guard name == "LockedHint" else { return false }
        hint = try message.variant("b") { () throws(BusConnection.Failure) in try message.boolean() }
        return true
      }
      if let hint { isLocked = hint }
    }
  }

  /// Asks how it is now: at the start, and when a session begins. That the user is there and no screen is locked is an
  /// unlock, the first one after a boot.
  private mutating func look() {
    guard let session = display, let hint = try? lockedHint(of: session) else { return }
    isLocked = hint
  }

  /// The user's session; nil while there is none.
  private var display: String? {
    let path = try? bus.call(
      Self.service, "/org/freedesktop/login1", Self.manager, "GetUser", [.number(user)]
    ) { (answer) throws(BusConnection.Failure) in try answer.objectPath() }
    guard let path = path ?? nil else { return nil }
    let session = try? property("Display", of: path, "\(Self.service).User", "(so)") {
      (answer) throws(BusConnection.Failure) in
      try answer.structure("so") { () throws(BusConnection.Failure) in
        try answer.text()?.isEmpty == false ? try answer.objectPath() : nil
      }
    }
    return session ?? nil
  }

  private func lockedHint(of session: String) throws(BusConnection.Failure) -> Bool {
    try property("LockedHint", of: session, Self.session, "b") { (answer) throws(BusConnection.Failure) in
      try answer.boolean()
    }
  }

  private func isOwn(_ session: String) -> Bool {
    let owner = try? property("User", of: session, Self.session, "(uo)") {
      (answer) throws(BusConnection.Failure) in
      try answer.structure("uo") { () throws(BusConnection.Failure) in
        let number = try answer.number()
        _ = try answer.objectPath()
        return number
      }
    }
    return owner == user
  }

  private func property<Value>(
    _ name: String, of path: String, _ interface: String, _ type: String,
    read: (borrowing BusMessage) throws(BusConnection.Failure) -> Value
  ) throws(BusConnection.Failure) -> Value {
    try bus.call(Self.service, path, Self.properties, "Get", [.text(interface), .text(name)]) {
      (answer) throws(BusConnection.Failure) in
      try answer.variant(type) { () throws(BusConnection.Failure) in try read(answer) }
    }
  }
}

import LocationBus

/// The other side on the user's bus: a program that holds the connection to a push server (UnifiedPush, DBUS_0.3.0).
enum Distributor {
  /// What every distributor's bus name begins with.
  static let prefix = "org.unifiedpush.Distributor."
  private static let path = "/org/unifiedpush/Distributor"
  private static let interface = "org.unifiedpush.Distributor"
  /// Bytes of a description.
  private static let descriptionBytes = 100

  /// Those that run and those that the bus would start, by name.
  static func names(on bus: borrowing MessageBus) throws(MessageBus.Failure) -> [String] {
    Set(try bus.running() + bus.startable()).filter { $0.hasPrefix(prefix) }.sorted()
  }

  /// Which of them is used: the one that the user names, else the one that was used last, else the first.
  ///
  /// - Parameter wish: a bus name, or what stands in it after ``prefix``.
  static func choice(among names: [String], wish: String?, last: String?) -> String? {
    if let wish, !wish.isEmpty { return names.first { $0 == wish || $0 == prefix + wish } }
    return names.first { $0 == last } ?? names.first
  }

  /// Asks for a place for one subscriber; the answer comes as a message.
  ///
  /// - Parameter isSecond: whether by the second version of the interface.
  static func register(
    _ token: String, of subscriber: String, at name: String, isSecond: Bool, on bus: borrowing MessageBus
  ) throws(MessageBus.Failure) -> UInt64 {
    var description = "locwatch: \(subscriber)"
    while description.utf8.count > descriptionBytes { description.removeLast() }
    guard isSecond else {
      return try bus.send(
        name, path, interface + "1", "Register",
        [.text(Connector.name), .text(token), .text(description)])
    }
    return try bus.send(
      name, path, interface + "2", "Register",
      [
        .map([
          .init("service", .text(Connector.name)), .init("token", .text(token)),
          .init("description", .text(description)),
        ])
      ])
  }

  /// Why it has no place, in its words; nil where it has one.
  static func refusal(_ answer: borrowing BusMessage) -> String? {
    let unknown = "no reason given"
    do throws(MessageBus.Failure) {
      var result = try answer.value()
      var reason = try answer.value()
      if case .map(let entries)? = result {
        result = entries.first { $0.key == "success" }?.value
        reason = entries.first { $0.key == "reason" }?.value
      }
      // Before version 1 was settled, NEW_ENDPOINT was the word for success.
      if result == .text("REGISTRATION_SUCCEEDED") || result == .text("NEW_ENDPOINT") { return nil }
      return reasons.first { reason == .text($0) } ?? unknown
    } catch {
      return unknown
    }
  }

  /// The reasons of the standard, and one more that is in use. Others may be anything, and are not repeated.
  private static let reasons = [
    "INTERNAL_ERROR", "NETWORK", "ACTION_REQUIRED", "VAPID_REQUIRED", "UNAUTHORIZED",
  ]

  /// Gives up a place, by both versions: the one that it does not know it refuses, and nobody waits for that.
  static func unregister(_ token: String, at name: String, on bus: borrowing MessageBus)
    throws(MessageBus.Failure)
  {
    _ = try bus.send(name, path, interface + "2", "Unregister", [.map([.init("token", .text(token))])])
    _ = try bus.send(name, path, interface + "1", "Unregister", [.text(token)])
  }
}

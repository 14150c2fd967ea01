import LocationBus

/// What a distributor says to a connector, by `org.unifiedpush.Connector2`, whose arguments are one dictionary, or by
/// `org.unifiedpush.Connector1`, which has them one after the other (UnifiedPush, DBUS_0.3.0 and before).
struct DistributorCall {
  /// What it says.
  enum Content {
    /// A push, as its sender posted it. The distributor may have a name for it.
    case message([UInt8], id: String?)
    /// Where senders post from now on.
    case endpoint(String)
    /// It delivers no more.
    case unregistered
  }

  /// What it knows the subscriber by.
  let token: String
  /// What it says.
  let content: Content
  /// Whether it waits for an answer that is a dictionary.
  let isSecond: Bool

  static let path = "/org/unifiedpush/Connector"
  private static let interface = "org.unifiedpush.Connector"

  /// nil where it is no call of these, or its values are of other types.
  init?(_ call: borrowing BusMessage) throws(MessageBus.Failure) {
    isSecond = call.interface == Self.interface + "2"
    guard isSecond || call.interface == Self.interface + "1" else { return nil }
    var values: [String: BusValue] = [:]
    if isSecond {
      guard case .map(let entries)? = try call.value() else { return nil }
      for entry in entries { values[entry.key] = entry.value }
    } else {
      values["token"] = try call.value()
      let second = try call.value()
      values["message"] = second
      values["endpoint"] = second
      values["id"] = try call.value()
    }
    guard case .text(let token)? = values["token"] else { return nil }
    self.token = token
    switch call.member {
    case "Message":
      let id: String? = if case .text(let text)? = values["id"], !text.isEmpty { text } else { nil }
      switch values["message"] {
      case .bytes(let bytes)?: content = .message(bytes, id: id)
      // The text of the standard calls it a string.
      case .text(let text)?: content = .message(Array(text.utf8), id: id)
      case _: return nil
      }
    case "NewEndpoint":
      guard case .text(let endpoint)? = values["endpoint"] else { return nil }
      content = .endpoint(endpoint)
    case "Unregistered": content = .unregistered
    case _: return nil
    }
  }

  /// What `Introspect` answers of the connector.
  static let introspection: String = {
    func method(_ name: String, _ inputs: [(String, String)], isAnswered: Bool = false) -> String {
      let list = inputs.map { #"<arg name="\#($0.0)" type="\#($0.1)" direction="in"/>"# }
      let output = isAnswered ? #"<arg name="result" type="a{sv}" direction="out"/>"# : ""
      return #"<method name="\#(name)">\#(list.joined())\#(output)</method>"#
    }
    let token = ("token", "s")
    let arguments = [("args", "a{sv}")]
    let first =
      method("Message", [token, ("message", "ay"), ("messageIdentifier", "s")])
      + method("NewEndpoint", [token, ("endpoint", "s")]) + method("Unregistered", [token])
    let second =
      method("Message", arguments, isAnswered: true) + method("NewEndpoint", arguments)
      + method("Unregistered", arguments)
    return #"<node><interface name="\#(interface)2">\#(second)</interface>"#
      + #"<interface name="\#(interface)1">\#(first)</interface></node>"#
  }()
}

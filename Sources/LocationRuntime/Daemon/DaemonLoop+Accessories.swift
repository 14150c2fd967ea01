import LocationCore
import LocationFormats

/// Accessories of programs (section J).
extension DaemonLoop {
  /// The user lets a subscriber use accessories, or no longer (rule J2).
  mutating func accessory(_ request: JSONTree) throws(Failure) {
    let name = try subscriber(request)
    guard let isAllowed = ["on": true, "off": false][try word("value", request)] else {
      throw Failure(.usage, what: "\"value\" is on or off")
    }
    try live.handle(.subscriber(name: name, .mode(.accessory(.allow(isAllowed)))), at: clock.read())
  }

  /// Whether a program asks for a device that it may not use; it is told so.
  mutating func refusesAccessory(_ event: SubscriberEvent, of name: String) -> Bool {
    guard case .mode(.accessory(.open(let terms))) = event,
      live.engine.subscriber(name)?.subscriber.mayOpen(device: terms.device) == false
    else { return false }
    refusals.note(name, at: clock.instant)
    live.add(
      .answer(
        name, .refused(what: "open_accessory", reason: Decision.Reason.notPermitted.rawValue)))
    return true
  }
}

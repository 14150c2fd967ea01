import LocationCore
import LocationFormats

/// Accessories of programs (section J).
extension DaemonLoop {
  /// The user lets a subscriber use accessories, or no longer (rule J2).
  mutating func accessory(_ request: JSONTree) throws(Failure) {
    let name = try subscriber(request)
    try handle(.accessory(.allow(try choice(request, "on", "off"))), of: name)
  }

  /// Whether a program asks for a device that it may not use, or for Bluetooth where there is none; it is told so.
  mutating func refusesAccessory(_ event: SubscriberEvent, of name: String) -> Bool {
    guard case .mode(.accessory(.open(let terms))) = event else { return false }
    let reason: String
    switch terms.kind {
    case .serial, .usb:
      guard live.engine.subscriber(name)?.subscriber.mayOpen(device: terms.device) == false else {
        return false
      }
      reason = Decision.Reason.notPermitted.rawValue
    case .gatt:
      // Whether it may is the engine's to say.
      guard BluetoothLink.helper == nil, !request.isSimulated else { return false }
      reason = Decision.Reason.unavailable.rawValue
    }
    refuseAndCount(name, "open_accessory", reason)
    return true
  }
}

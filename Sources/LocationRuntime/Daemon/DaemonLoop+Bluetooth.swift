import Glibc
import LocationCore
import LocationFormats

/// Sessions of Bluetooth (rules J3 and J3a).
extension DaemonLoop {
  /// Does what the engine orders with a session, where it is one of Bluetooth. In a log that is played nobody does.
  mutating func perform(_ order: AccessoryOrder, _ session: String, of name: String) {
    guard !request.isSimulated else { return }
    switch order {
    case .open(let terms): if terms.kind == .gatt { bluetooth.open(terms, of: name) }
    case .close: bluetooth.close(session, of: name)
    case .publish(let characteristic, let value):
      bluetooth.publish(value, of: characteristic, in: session, of: name)
    }
    bluetooth.takeTroubles().forEach(Self.log)
  }

  /// Nobody holds the sessions of these subscribers any more: has them opened anew.
  mutating func renewBluetooth(of views: [SubscriberView]) throws(Failure) {
    for view in views where view.accessories.contains(where: { $0.terms.kind == .gatt }) {
      try handle(.accessory(.anew), of: view.subscriber.name)
    }
  }

  /// Takes what BlueZ says of sessions.
  mutating func takeBluetooth() throws(Failure) {
    for news in bluetooth.take(polled) {
      switch news {
      case .held(let name, let session, let descriptor):
        supervisor.hold(descriptor, as: session, of: name)
      case .event(let name, let event): try handle(.accessory(event), of: name)
      }
    }
    if bluetooth.mayRetry() { try renewBluetooth(of: live.engine.subscribers) }
    bluetooth.takeTroubles().forEach(Self.log)
  }

  /// A program answers another device.
  mutating func take(_ answer: GattAnswer, of name: String) {
    guard !bluetooth.answer(answer, of: name) else { return }
    refuseAndCount(name, "answer_gatt", Decision.Reason.unknownAccessory.rawValue)
  }

  /// The user lets a subscriber use Bluetooth, or no longer (rule J3a).
  mutating func bluetooth(_ request: JSONTree) throws(Failure) {
    let name = try subscriber(request)
    try handle(.accessory(.permitBluetooth(try choice(request, "allowed", "denied"))), of: name)
  }
}

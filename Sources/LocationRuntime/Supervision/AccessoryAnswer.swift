import LocationCore
import LocationFormats

/// The session with an accessory that a program opens (rules J1 and J3).
enum AccessoryAnswer {
  /// Reads the object; nil where it is none.
  static func read(from reader: inout JSONReader) throws(JSONError) -> AccessoryEvent? {
    let tree = try JSONTree(&reader)
    guard let session = tree["session"]?.string, isName(session),
      let kind = AccessoryTerms.Kind(rawValue: tree["kind"]?.string ?? "serial")
    else { return nil }
    let device = tree["device"]?.string
    switch kind {
    case .serial, .usb:
      guard tree.hasOnly(["session", "kind", "device", "baud"]), let device, isPath(device) else {
        return nil
      }
      var terms = AccessoryTerms(session: session, kind: kind, device: device)
      if let baud = tree["baud"] {
        guard let speed = baud.integer, SerialLine.knows(baud: speed) else { return nil }
        terms.baud = speed
      }
      return .open(terms)
    case .gatt:
      if let peripheral = tree["peripheral"] {
        guard tree.hasOnly(["session", "kind", "peripheral"]), let service = service(peripheral) else {
          return nil
        }
        return .open(AccessoryTerms(session: session, gatt: .peripheral(service)))
      }
      guard tree.hasOnly(["session", "kind", "device", "service", "characteristic"]),
        let address = device.flatMap(GattText.address), let service = uuid(tree["service"]),
        let characteristic = uuid(tree["characteristic"])
      else { return nil }
      return .open(
        AccessoryTerms(
          session: session, device: address,
          gatt: .central(service: service, characteristic: characteristic)))
    }
  }

  /// The value that a program gives to a characteristic of its service; nil where the object is none.
  static func value(from reader: inout JSONReader) throws(JSONError) -> AccessoryEvent? {
    let tree = try JSONTree(&reader)
    guard tree.hasOnly(["session", "characteristic", "value"]),
      let session = tree["session"]?.string, isName(session),
      let characteristic = uuid(tree["characteristic"]), let value = bytes(tree["value"])
    else { return nil }
    return .publish(session: session, characteristic: characteristic, value: value)
  }

  /// What a program answers another device; nil where the object is none.
  static func answer(from reader: inout JSONReader) throws(JSONError) -> GattAnswer? {
    let tree = try JSONTree(&reader)
    guard tree.hasOnly(["session", "request", "error", "value"]),
      let session = tree["session"]?.string, isName(session),
      let request = tree["request"]?.integer
    else { return nil }
    if tree["error"] == .boolean(true) {
      return GattAnswer(session: session, request: request, isRefused: true)
    }
    guard let value = tree["value"] else { return GattAnswer(session: session, request: request) }
    return bytes(value).map { GattAnswer(session: session, request: request, value: $0) }
  }

  private static func service(_ tree: JSONTree) -> GattService? {
    guard tree.hasOnly(["service", "name", "characteristics"]),
      let uuid = uuid(tree["service"]), case .array(let list)? = tree["characteristics"],
      (1...Limits.gattCharacteristics).contains(list.count)
    else { return nil }
    let characteristics = list.compactMap(characteristic)
    guard characteristics.count == list.count, Set(characteristics.map(\.uuid)).count == list.count else {
      return nil
    }
    let name = tree["name"]?.string
    guard name.map({ (1...longestName).contains($0.utf8.count) }) ?? true else { return nil }
    return GattService(uuid: uuid, name: name, characteristics: characteristics)
  }

  private static func characteristic(_ tree: JSONTree) -> GattCharacteristic? {
    guard tree.hasOnly(["characteristic", "uses", "value"]),
      let uuid = uuid(tree["characteristic"]), case .array(let words)? = tree["uses"], !words.isEmpty
    else { return nil }
    let uses = words.compactMap { $0.string.flatMap { GattCharacteristic.Use(rawValue: $0) } }
    guard uses.count == words.count else { return nil }
    guard let value = tree["value"] else { return GattCharacteristic(uuid: uuid, uses: uses) }
    return bytes(value).map { GattCharacteristic(uuid: uuid, uses: uses, value: $0) }
  }

  private static func uuid(_ tree: JSONTree?) -> String? { tree?.string.flatMap(GattText.uuid) }

  private static func bytes(_ tree: JSONTree?) -> String? {
    tree?.string.flatMap(GattText.bytes).map { GattText.text($0) }
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= SupervisorLimits.nameBytes
  }

  private static func isPath(_ text: String) -> Bool {
    text.hasPrefix("/") && text.utf8.count <= longestPath && !text.utf8.contains(0)
  }

  /// `PATH_MAX` of Linux.
  private static let longestPath = 4096
  /// What fits in an advertisement beside a service (Core 5.4, volume 3, part C, 11).
  private static let longestName = 26
}

/// What a program answers another device that asked for something (rule J3).
package struct GattAnswer: Hashable, Sendable {
  /// The session of its service.
  var session: String
  /// The number of the request.
  var request: Int
  /// What is read, two hexadecimal digits a byte; nil for none.
  var value: String?
  /// Whether the other device is told that it can't be.
  var isRefused = false
}

extension Subscriber {
  /// Whether its program may have a device opened: one that its manifest names, or any where the program could open it
  /// itself, because it runs as the daemon does.
  func mayOpen(device: String) -> Bool {
    if accessories.contains(device) { return true }
    return style != .socket && confinement?.user == nil
  }
}

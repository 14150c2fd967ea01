import Glibc
import LocationBus
import LocationFormats

/// What BlueZ is called on the bus, and what it has.
enum BlueZ {
  static let service = "org.bluez"
  static let adapter = "org.bluez.Adapter1"
  static let device = "org.bluez.Device1"
  static let gattService = "org.bluez.GattService1"
  static let characteristic = "org.bluez.GattCharacteristic1"
  static let gattManager = "org.bluez.GattManager1"
  static let advertisingManager = "org.bluez.LEAdvertisingManager1"
  static let advertisement = "org.bluez.LEAdvertisement1"
  static let objects = "org.freedesktop.DBus.ObjectManager"
  static let properties = "org.freedesktop.DBus.Properties"

  /// One of its objects.
  struct Object {
    var path: String
    /// Its interfaces, each with its properties.
    var interfaces: [(name: String, properties: [BusValue.Entry])]

    /// Whether it has an interface.
    func has(_ interface: String) -> Bool { interfaces.contains { $0.name == interface } }

    /// A property; nil where it has none of that name.
    func value(_ interface: String, _ name: String) -> BusValue? {
      interfaces.first { $0.name == interface }?.properties.first { $0.key == name }?.value
    }

    /// A property that is a text or a path.
    func text(_ interface: String, _ name: String) -> String? {
      switch value(interface, name) {
      case .text(let text)?, .path(let text)?: text
      case _: nil
      }
    }

    /// A property that says whether something is so.
    func flag(_ interface: String, _ name: String) -> Bool { value(interface, name) == .flag(true) }
  }

  /// Learns when BlueZ comes and goes, and what becomes of adapters and devices.
  static func begin(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    try bus.watchOwners(of: service)
    for interface in [adapter, device] {
      try bus.match(
        "type='signal',sender='\(service)',interface='\(properties)',member='PropertiesChanged',arg0='\(interface)'"
      )
    }
    try bus.match("type='signal',sender='\(service)',interface='\(objects)'")
  }

  /// All its objects; none where it is not there, nil where it is and does not answer.
  static func all(on bus: borrowing MessageBus) -> [Object]? {
    do throws(MessageBus.Failure) {
      let value = try bus.call(service, "/", objects, "GetManagedObjects", []) {
        (answer) throws(MessageBus.Failure) in try answer.value()
      }
      guard case .group(let entries)? = value else { return [] }
      return entries.compactMap { entry in
        guard case .group(let pair) = entry, pair.count == 2, case .path(let path) = pair[0] else {
          return nil
        }
        return Object(path: path, interfaces: interfaces(pair[1]))
      }
    } catch {
      return (try? bus.running())?.contains(service) == true ? nil : []
    }
  }

  /// Interfaces with their properties, `a{sa{sv}}`.
  static func interfaces(_ value: BusValue?) -> [(name: String, properties: [BusValue.Entry])] {
    guard case .group(let entries)? = value else { return [] }
    return entries.compactMap { entry in
      guard case .group(let pair) = entry, pair.count == 2, case .text(let name) = pair[0] else {
        return nil
      }
      if case .map(let properties) = pair[1] { return (name, properties) }
      return (name, [])
    }
  }

  /// The bytes that a value is.
  static func bytes(_ value: BusValue?) -> [UInt8] {
    if case .bytes(let bytes)? = value { bytes } else { [] }
  }

  /// Milliseconds of the clock that never goes back.
  static var milliseconds: Int64 { SystemCall.microseconds(of: CLOCK_MONOTONIC) / 1_000 }
}

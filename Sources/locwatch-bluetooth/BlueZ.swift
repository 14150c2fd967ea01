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

  /// Learns when BlueZ comes and goes, and what becomes of adapters and devices.
  static func begin(on bus: borrowing MessageBus) throws(MessageBus.Failure) {
    try bus.watchOwners(of: service)
    for interface in [adapter, device] {
      try bus.match(
        "type='signal',sender='\(service)',interface='\(MessageBus.properties)',member='PropertiesChanged',arg0='\(interface)'"
      )
    }
    try bus.match("type='signal',sender='\(service)',interface='\(MessageBus.objectManager)'")
  }

  /// All its objects; none where it is not there, nil where it is and does not answer.
  static func all(on bus: borrowing MessageBus) -> [BusObject]? {
    do throws(MessageBus.Failure) {
      return try bus.objects(of: service)
    } catch {
      return (try? bus.running())?.contains(service) == true ? nil : []
    }
  }

  /// Milliseconds of the clock that never goes back.
  static var milliseconds: Int64 { SystemCall.microseconds(of: CLOCK_MONOTONIC) / 1_000 }
}

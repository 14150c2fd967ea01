package import LocationCore

/// What a Bluetooth device advertises: whether it is a beacon, and which (rule B11).
package enum BeaconAdvertisement {
  /// Reads the value of one structure (Bluetooth Core, volume 3, part C, section 11), as BlueZ hands it over; nil where
  /// it is no beacon's, or is cut off.
  package static func beacon(type: UInt8, _ value: [UInt8]) -> Beacon? {
    switch type {
    case manufacturerData: ofManufacturer(value)
    case serviceData: ofService(value)
    case _: nil
    }
  }

  /// "Manufacturer Specific Data" (Assigned Numbers, section 2.3).
  package static let manufacturerData: UInt8 = 0xFF
  /// "Service Data - 16-bit UUID" (the same).
  package static let serviceData: UInt8 = 0x16

  /// An iBeacon, `4c 00 02 15`, or an AltBeacon, any company and `be ac`: 16 bytes of a UUID, 2 of major, 2 of minor,
  /// and the power at 1 m.
  private static func ofManufacturer(_ value: [UInt8]) -> Beacon? {
    let isApples = value.starts(with: marks.apple)
    let isAlternative = value.dropFirst(2).starts(with: marks.alternative)
    guard isApples || isAlternative, value.count >= 25 else { return nil }
    return Beacon(uuid: value[4..<20], major: number(value, at: 20), minor: number(value, at: 22))
  }

  /// An Eddystone-UID: `aa fe 00`, the power at 0 m, 10 bytes of a namespace and 6 of an instance. Its other frames
  /// name no beacon.
  private static func ofService(_ value: [UInt8]) -> Beacon? {
    guard value.starts(with: [0xAA, 0xFE, 0x00]), value.count >= 20 else { return nil }
    return Beacon(namespace: value[4..<14], instance: value[14..<20])
  }

  /// The first bytes by which an iBeacon, and an AltBeacon behind its company, are known, and those of an Eddystone-UID.
  fileprivate static let marks = (
    apple: [0x4C, 0x00, 0x02, 0x15] as [UInt8], alternative: [0xBE, 0xAC] as [UInt8]
  )

  private static func number(_ bytes: [UInt8], at place: Int) -> UInt16 {
    UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
  }
}

extension Beacon {
  /// Bytes of an advertisement: of a structure of a type, from a place in its value on.
  package struct Pattern: Hashable {
    /// Where in the value they stand.
    package var start: UInt8
    /// The type of the structure (Assigned Numbers, section 2.3).
    package var type: UInt8
    /// The bytes.
    package var content: [UInt8]
  }

  /// By which these beacons are looked for: one of them is in each of their advertisements.
  package var patterns: [Pattern] {
    let name = groupBytes + (major?.bytes ?? []) + (major == nil ? [] : minor?.bytes ?? [])
    guard group.contains("-") else {
      // Its power stands before the name.
      return [
        Pattern(start: 4, type: BeaconAdvertisement.serviceData, content: name + (instanceBytes ?? []))
      ]
    }
    let type = BeaconAdvertisement.manufacturerData
    return [
      Pattern(start: 0, type: type, content: BeaconAdvertisement.marks.apple + name),
      Pattern(start: 2, type: type, content: BeaconAdvertisement.marks.alternative + name),
    ]
  }
}

extension UInt16 {
  fileprivate var bytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}

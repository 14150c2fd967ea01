import Testing

@testable import LocationCore
@testable import LocationFormats

/// Rule B11: which beacon an advertisement is of.
@Suite struct BeaconAdvertisementTests {
  private static let uuid: [UInt8] = [
    0x2F, 0x23, 0x44, 0x54, 0xCF, 0x6D, 0x4A, 0x0F, 0xAD, 0xF2, 0xF4, 0x91, 0x1B, 0xA9, 0xFF, 0xA6,
  ]
  private static let iBeacon: [UInt8] = [0x4C, 0x00, 0x02, 0x15] + uuid + [0x00, 0x01, 0x01, 0x02, 0xC5]
  private static let altBeacon: [UInt8] =
    [0x18, 0x01, 0xBE, 0xAC] + uuid + [0x00, 0x01, 0x01, 0x02, 0xC5, 0x00]
  private static let eddystone: [UInt8] =
    [0xAA, 0xFE, 0x00, 0xEE] + Array(0x00...0x09) + Array(0xA0...0xA5) + [0, 0]

  @Test(
    arguments: [
      (0xFF, iBeacon, "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:258"),
      (0xFF, altBeacon, "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:1:258"),
      (0x16, eddystone, "00010203040506070809:a0a1a2a3a4a5"),
    ] as [(UInt8, [UInt8], String)])
  func `B11 an advertisement names its beacon`(type: UInt8, value: [UInt8], text: String) {
    #expect(BeaconAdvertisement.beacon(type: type, value)?.text == text)
  }

  @Test(
    arguments: [
      (0xFF, []), (0xFF, [0x4C, 0x00, 0x10, 0x05]), (0x16, [0xAA, 0xFE, 0x10, 0x00]), (0x09, iBeacon),
    ] as [(UInt8, [UInt8])])
  func `B11 other advertisements name none`(type: UInt8, value: [UInt8]) {
    #expect(BeaconAdvertisement.beacon(type: type, value) == nil)
  }

  @Test(arguments: [(0xFF, iBeacon, 25), (0x16, eddystone, 20)] as [(UInt8, [UInt8], Int)])
  func `B11 no cut of an advertisement is more than it is`(type: UInt8, value: [UInt8], least: Int) {
    for count in 0..<least {
      #expect(BeaconAdvertisement.beacon(type: type, Array(value.prefix(count))) == nil)
    }
  }
}

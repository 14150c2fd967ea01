import LocationFormats
import Testing

@testable import LocationFleet

struct FleetLayoutTests {
  /// As nats-server 2.9 maps `owntracks.<user>.<device>` to `fix.{{partition(16,1,2)}}.…`.
  @Test(arguments: [
    ("alice.phone", 5), ("u0.d4", 8), ("bob.x", 4), ("ü.ö", 7), ("locwatch.probe", 10),
  ])
  func `a device is of the partition that the servers tell`(device: String, partition: Int) {
    #expect(FleetLayout.partition(ofDevice: device.utf8, among: 16) == partition)
    #expect(FleetLayout.partition(ofDevice: device.utf8, among: 1) == 0)
  }

  @Test(
    arguments: [
      (Array("alice.phone".utf8), true), (Array("ü.\u{300}".utf8), true), (Array("a.b*".utf8), false),
      (Array("a.>".utf8), false), (Array("a./".utf8), false), (Array("a.b\tc".utf8), false),
      ([0x75, 0x2E, 0x83], false), (Array("a.".utf8) + Array(repeating: 0x61, count: 255), false),
      (Array("phone".utf8), false), (Array("alice.phone.1".utf8), false), (Array(".phone".utf8), false),
    ] as [([UInt8], Bool)])
  func `a name that is not one user and one device is none`(bytes: [UInt8], isOne: Bool) {
    #expect(FleetLayout.canName(String(decoding: bytes, as: UTF8.self)) == isOne)
  }

  @Test(arguments: ["alice/", "/phone", "alice//phone", "alice", "alice/phone.1", ".../x", ""])
  func `a name without a user or a device is none`(name: String) {
    #expect(throws: Failure.self) { try DeviceReport.subject(of: name) }
  }
}

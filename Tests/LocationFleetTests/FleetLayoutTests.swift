import LocationFleet
import Testing

struct FleetLayoutTests {
  /// As nats-server 2.9 maps `owntracks.<user>.<device>` to `fix.{{partition(16,1,2)}}.…`.
  @Test(arguments: [
    ("alice.phone", 5), ("u0.d4", 8), ("bob.x", 4), ("ü.ö", 7), ("locwatch.probe", 10),
  ])
  func `a device is of the partition that the servers tell`(device: String, partition: Int) {
    #expect(FleetLayout.partition(ofDevice: device.utf8, among: 16) == partition)
    #expect(FleetLayout.partition(ofDevice: device.utf8, among: 1) == 0)
  }
}

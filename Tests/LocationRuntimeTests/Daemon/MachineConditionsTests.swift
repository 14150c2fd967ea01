import Foundation
import LocationFormats
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// What the kernel's files say of the network and the power supply (rule G1).
@Suite struct MachineConditionsTests {
  static let header =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
  static let none6 =
    "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n"

  @Test(
    arguments: [
      ("", "", false),
      (header, none6, false),
      (header + "eth0\t0000A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n", none6, false),
      (header + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n", none6, true),
      // A route that is down, and one that rejects.
      (header + "eth0\t00000000\t0100A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0\n", none6, false),
      (header + "*\t00000000\t00000000\t0201\t0\t0\t100\t00000000\t0\t0\t0\n", none6, false),
      (
        header,
        "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n",
        true
      ),
      ("nonsense\n\t\t\n", "nonsense\n", false),
    ] as [(String, String, Bool)])
  func `a network is there where a default route is`(routes: String, routes6: String, isThere: Bool) {
    #expect(DefaultRoute.isThere(routes, routes6) == isThere)
  }

  @Test func `the battery counts where it discharges and nothing else is online`() throws {
    let folder = TemporaryFolder()
    func put(_ name: String, _ files: [String: String]) throws {
      let path = folder("power/" + name)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      for (file, text) in files {
        try (text + "\n").write(toFile: path + "/" + file, atomically: true, encoding: .utf8)
      }
    }
    func supply() -> PowerSupply { MachineConditions.supply(in: folder("power")) }
    #expect(supply() == .mains)
    try put(
      "hidpp_battery_0", ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "5"])
    #expect(supply() == .mains)
    try put("BAT0", ["type": "Battery", "status": "Discharging", "capacity": "19"])
    try put("AC", ["type": "Mains", "online": "0"])
    #expect(supply() == PowerSupply(isOnBattery: true, percent: 19))
    #expect(supply().isLow(below: 20))
    try put("AC", ["online": "1"])
    #expect(supply() == PowerSupply(isOnBattery: false, percent: 19))
  }

  @Test func `a network that comes counts after it has settled, one that goes at once`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder("proc/net"), withIntermediateDirectories: true)
    let path = folder("proc/net/route")
    let up = Self.header + "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
    func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
    try write(Self.header)
    var watch = MachineConditions(
      root: folder.path, bus: ConditionsLink(environment: []) { Drive.instant(0) }, known: nil,
      at: Drive.instant(0))
    #expect(watch.look(at: Drive.instant(0)) == [.supply(.mains), .network(.unreachable)])
    try write(up)
    #expect(watch.look(at: Drive.instant(10)) == [])
    #expect(watch.settlesAt == Drive.instant(30))
    // It vanishes meanwhile.
    try write(Self.header)
    #expect(watch.look(at: Drive.instant(20)) == [])
    #expect(watch.settlesAt == nil)
    try write(up)
    #expect(watch.look(at: Drive.instant(40)) == [])
    #expect(watch.take(PollSet(), at: Drive.instant(60)) == [.network(.free)])
    try write(Self.header)
    #expect(watch.look(at: Drive.instant(61)) == [.network(.unreachable)])
  }
}

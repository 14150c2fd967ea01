import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

@Suite struct CapabilitiesTests {
  @Test func `a folder that is no cgroup can't be frozen, and is left as it was`() {
    let folder = TemporaryFolder()
    let capability = SuspensionProbe.freezer(of: folder.path)
    #expect(capability.state == .no)
    #expect(capability.remedy != nil)
    #expect(SuspensionProbe.freezer(of: folder("none")).state == .no)
    #expect(SuspensionProbe.freezer(of: nil).state == .no)
  }

  @Test(arguments: [
    ("cpuset cpu io memory pids", Capability.State.yes), ("cpu memory", .partly), ("memory pids", .no),
  ])
  func `A12 a program in the foreground comes first where the kernel offers the controllers`(
    offered: String, works: Capability.State
  ) {
    let folder = TemporaryFolder()
    _ = folder.write("cgroup.controllers", offered + "\n")
    #expect(SuspensionProbe.precedence(below: folder.path).state == works)
    #expect(SuspensionProbe.precedence(below: nil).state == .no)
  }

  @Test func `gpsd's answer is read`() {
    var answer = GPSDProbe.Answer()
    for line in [
      GPSDText.version, "garbage",
      #"{"class":"DEVICES","devices":[{"path":"/dev/a"},{"path":"/dev/b","driver":"u-blox"}]}"#,
    ] {
      GPSDProbe.take(Array(line.utf8), into: &answer)
    }
    #expect(answer.release == "gpsd 3.22")
    #expect(answer.devices == [.init(path: "/dev/a"), .init(path: "/dev/b", driver: "u-blox")])
  }

  @Test(
    arguments: [
      (false, "yes", "the daemon has them from tcp:192.168.1.7:10110"),
      (true, "no", "the daemon has none from tcp:192.168.1.7:10110: no_fix"),
    ])
  func `A6 a running daemon says whether it has fixes, whatever gpsd says`(
    isStale: Bool, works: String, detail: String
  ) async throws {
    let text =
      #"{"stale":\#(isStale),"daemon":{"pid":7,"gpsd":"tcp:192.168.1.7:10110"},"source":{"state":"no_fix"}}"#
    let status = try JSONTree(Array(text.utf8))
    let daemon = try #require(DaemonProbe(status: status))
    let gpsd = [
      Capability("gpsd", .no, "refused", remedy: "start it"), Capability("live-fixes", .no, "none"),
    ]
    let found = daemon.corrected(gpsd)
    #expect(found.map(\.detail) == ["refused; the daemon reads tcp:192.168.1.7:10110", detail])
    #expect(found.last?.state.rawValue == works)
    let probe = ServiceProbe(machine: BusNames(.system), session: BusNames(.session))
    #expect(probe.look(found).first { $0.name == "regions" }?.state.rawValue == works)
    #expect(try DaemonProbe(status: JSONTree(Array(#"{"stale":true}"#.utf8))) == nil)
  }

  @Test(arguments: [("/bin/true", "yes"), ("/nowhere/show", "no")])
  func `A6 the command of the settings shows notifications`(program: String, works: String) {
    let bus = BusNames(.session)
    let found = ServiceProbe(machine: bus, session: bus, notifyHook: [program]).look([])
    let notifications = found.first { $0.name == "notifications" }
    #expect(notifications?.state.rawValue == works && notifications?.detail.contains(program) == true)
    #expect((notifications?.remedy == nil) == (works == "yes"))
  }

  @Test func `A6 every capability is told, and where there is none, why not and what to do`() async throws {
    let folder = TemporaryFolder()
    let found = try await Capabilities.look(gpsd: SourceAddress(folder("none.sock")))
    #expect(found.all.first { $0.name == "gpsd" }?.state == .no)
    #expect(found.all.first { $0.name == "gpsd" }?.remedy != nil)
    #expect(Set(found.all.map(\.name)).count == found.all.count)
    let names = [
      "gpsd", "live-fixes", "libgps", "clock", "memory-pressure", "sleep", "screen-lock", "suspension",
      "freezer", "stop-signal", "precedence", "significant-change", "regions", "visits", "standard",
      "duty-cycling", "outlets",
      "notifications", "fetch", "keep-alive", "network", "audio", "push", "transfers", "serial", "beacons",
      "bluetooth", "advertised-services",
    ]
    #expect(found.all.map(\.name) == names)
    for capability in found.all {
      #expect(found.text.contains(capability.detail))
      #expect(
        found.json.contains("\"name\":\"\(capability.name)\",\"works\":\"\(capability.state.rawValue)\""))
    }
  }
}

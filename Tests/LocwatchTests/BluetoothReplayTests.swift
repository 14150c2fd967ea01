import Foundation
import TestSupport
import Testing

/// Rule J3 in a replay: a band that comes and goes, and a lamp that others switch.
@Suite struct BluetoothReplayTests {
  private static let scenario = """
    steps:
      - {at: +0,  launch: a}
      - {at: +1,  open_accessory: a, session: band, kind: gatt, device: "aa:bb:cc:dd:ee:ff", service: 180d, characteristic: 2a37}
      - {at: +2,  open_accessory: a, session: lamp, kind: gatt, peripheral: true, service: aaaa, characteristic: bbbb}
      - {at: +3,  background: a}
      - {at: +20, accessory: band, event: data, bytes: 2}
      - {at: +30, exit: a}
      - {at: +40, accessory: lamp, event: write, value: 2A}
      - {at: +50, exit: a}
      - {at: +60, accessory: band, event: disconnect}
      - {at: +65, exit: a}
      - {at: +70, bluetooth: a, value: denied}
      - {at: +80, accessory: band, event: connect}
      - {at: +90, bluetooth: a, value: allowed}
      - {at: +95, quit: a}
      - {at: +99, accessory: band, event: data}
    """

  @Test func `J3 J3a J5 what happens wakes and relaunches until the user says otherwise`() async throws {
    let folder = TemporaryFolder()
    let manifest = folder.write(
      "a.yaml",
      "name: a\ncommand: [a]\nservices: []\nmodes: [bluetooth-central, bluetooth-peripheral]\n")
    let run = try await Binary.run([
      "replay", PackageRoot.file("Tracks/walk-around-the-block.gpx"), "--subscriber", manifest,
      "--scenario", folder.write("s.yaml", Self.scenario), "--format", "ndjson",
    ])
    #expect(run.status == 0, "\(run.stderr)")
    let told = run.stdout.split(separator: "\n").compactMap { line -> String? in
      func value(_ key: String) -> String {
        guard let start = line.range(of: "\"\(key)\":\"")?.upperBound else { return "" }
        return String(line[start...].prefix { $0 != "\"" })
      }
      switch value("type") {
      case "decision":
        guard value("action") != "suspend" else { return nil }
        return "\(value("action")) \(value("rule")) \(value("reason"))"
      case "accessory":
        return ["accessory", value("session"), value("event"), value("value")].filter { !$0.isEmpty }
          .joined(separator: " ")
      case _: return nil
      }
    }
    #expect(
      told == [
        "accessory band connect", "deliver J3 foreground", "accessory lamp connect", "deliver J3 foreground",
        "accessory band data", "wake J3 accessory_data", "accessory lamp write 2a",
        "relaunch J3 accessory_request", "accessory band disconnect", "relaunch J3 accessory_disconnected",
        "drop J3 not_permitted", "accessory band connect", "relaunch J3 accessory_connected",
        "accessory lamp connect", "deliver J3 running", "terminate A7 force_quit", "drop J5 force_quit",
        "drop J5 force_quit", "refuse J3 unknown_accessory",
      ])
  }
}

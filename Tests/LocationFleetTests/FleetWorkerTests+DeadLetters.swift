import Foundation
import TestSupport
import Testing

@testable import LocationFleet

/// What no worker can use, and what becomes of it.
extension FleetWorkerTests {
  @Test func `a poisoned message goes to the dead letters and stops nothing`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    let port = "\(cluster.servers[0].mqttPort)"
    for message in [
      #"{"_type":"location","lat":48.1,"lon":11.5,"acc":5,"tst":1700000000}"#, "{nonsense",
      #"{"_type":"encrypted","data":"x"}"#, #"{"_type":"lwt","tst":1}"#,
      #"{"_type":"location","lat":95,"lon":11.5,"tst":1700000500}"#,
      #"{"_type":"location","lon":11.5,"tst":1700000500}"#, #"{"_type":"location","lat":48.1,"lon":11.5}"#,
      #"{"_type":"location","lat":48.2,"lon":11.5,"acc":5,"tst":1700001000}"#,
    ] {
      let sent = try await Binary.run(
        ["-p", port, "-q", "1", "-t", "owntracks/alice/phone", "-m", message],
        executable: "/usr/bin/mosquitto_pub")
      #expect(sent.status == 0, "\(sent.stderr)")
    }
    let events = try await cluster.events(atLeast: 3)
    #expect(events.contains { $0.contains("\"type\":\"significant\"") && $0.contains("alice/phone") })
    let isCounted = await eventually {
      let status = try await cluster.fleet(["status"])
      return status.stdout.contains("5 dead letters")
    }
    #expect(isCounted, "\(worker.stderr)")
    // A replay on this machine passes over the same messages, and counts the useless positions as the worker does.
    let fixes = try await cluster.fleet(["replay", "alice/phone", "--fixes"])
    #expect(fixes.stdout.split(separator: "\n").count == 5, "\(fixes.stdout)")
    let explained = try await cluster.fleet([
      "explain", "alice/phone", "--at", "2023-11-14T22:30:00Z", "--json",
    ])
    #expect(explained.status == 0 && explained.stdout.contains("\"lat\":48.2"), "\(explained)")
  }

  @Test func `a checkpoint counts events alone, however many dead letters there are`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    let poison = try await Binary.run(
      ["-p", "\(cluster.servers[0].mqttPort)", "-q", "1", "-t", "owntracks/bob/phone", "-l"],
      stdin: String(repeating: "nonsense\n", count: 50), executable: "/usr/bin/mosquitto_pub")
    #expect(poison.status == 0, "\(poison.stderr)")
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    let isKept = await eventually {
      let status = try await cluster.fleet(["status"]).stdout
      return status.contains("51 messages") && status.contains(", 0 beyond the checkpoints")
    }
    #expect(isKept, "\(worker.stderr)")
    let count = try await cluster.events(atLeast: 1).count
    let status = try await cluster.fleet(["status", "--json"]).stdout
    let counted = try #require(status.firstMatch(of: /"checkpoint":\{"sequence":51,"events":(\d+),/)).1
    #expect(try #require(Int(counted)) <= count && count < 50, "\(status)")
  }

  @Test func `a message as large as the servers take becomes a dead letter that is cut`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    let large = folder.write("large", String(repeating: "x", count: 1_048_500))
    let sent = try await Binary.run(
      ["-p", "\(cluster.servers[0].mqttPort)", "-q", "1", "-t", "owntracks/eve/phone", "-f", large],
      executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    let events = try await cluster.events(atLeast: 1)
    #expect(!events.isEmpty && !worker.stderr.contains("gives partition"), "\(worker.stderr)")
    let layout = try cluster.layout()
    let isCut = await eventually {
      try layout.stream.last(of: FleetLayout.deadLetters, matching: "dead.0.eve.phone")?.value.count == 65_536
    }
    #expect(isCut, "\(worker.stderr)")
  }

  @Test(arguments: [9_223_372_036_854_775_807, 0, -1])
  func `a version of the regions that can't be goes to the dead letters`(version: Int) async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let layout = try cluster.layout()
    for partition in 0..<2 {
      let sent = try layout.stream.publish(
        "fix.\(partition).$locwatch", Array("{\"catalog\":\(version)}".utf8))
      #expect(throws: Never.self) { try sent.get() }
    }
    let worker = try cluster.worker("w1")
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    #expect(try await !cluster.events(atLeast: 1).isEmpty, "\(worker.stderr)")
    let isBuried = await eventually {
      try await cluster.fleet(["status"]).stdout.contains(" 2 dead letters")
    }
    #expect(isBuried && !worker.stderr.contains("gives partition"), "\(worker.stderr)")
    let imported = try await cluster.fleet(
      ["regions", "import", "-"],
      stdin:
        #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[11.5,48.1]}}"#
    )
    #expect(imported.stdout == "version 1: 1 region\n", "\(imported)")
  }
}

import Foundation
import LocationFormats
import TestSupport
import Testing

@testable import LocationFleet

/// Which devices there are, and what they may be called.
extension FleetWorkerTests {
  @Test func `a snapshot that is too large for the servers is told with its device`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    let snapshot = [UInt8](repeating: 0, count: layout.stream.connection.mostBytes + 1)
    let failure = #expect(throws: Failure.self) { try layout.devices.put("0.alice.phone", snapshot) }
    #expect(failure?.what.contains("1048577 bytes at $KV.locwatch-devices.0.alice.phone are more") == true)
    #expect(failure?.remedy?.contains("max_payload") == true)
  }

  /// Such a subject would stand for many devices in what an operator asks, or for none, or is longer than a client may
  /// publish to.
  @Test(arguments: ["a*b", "a>b", "*", "", String(repeating: "long", count: 1_250)])
  func `a device with a wildcard in its name, without one, or with too long a one, is none`(name: String)
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    let port = "\(cluster.servers[0].mqttPort)"
    for device in [name, "phone"] {
      let sent = try await Binary.run(
        [
          "-p", port, "-q", "1", "-t", "owntracks/alice/\(device)",
          "-m", #"{"_type":"location","lat":48.1,"lon":11.5,"acc":5,"tst":1700000000}"#,
        ], executable: "/usr/bin/mosquitto_pub")
      #expect(sent.status == 0, "\(sent.stderr)")
    }
    let events = try await cluster.events(atLeast: 1)
    #expect(!events.isEmpty && events.allSatisfy { $0.contains("alice/phone") }, "\(events)")
    let isCounted = await eventually {
      try await cluster.fleet(["status"]).stdout.contains("1 dead letter")
    }
    #expect(isCounted, "\(worker.stderr)")
    #expect(try await cluster.fleet(["devices"]).stdout == "alice/phone\t1\n")
  }

  /// Publishes by MQTT under a topic that mosquitto_pub refuses and nats-server takes. `%83` is that byte.
  private static let rawPublisher = #"""
    import socket, sys, urllib.parse
    def text(bytes): return len(bytes).to_bytes(2, "big") + bytes
    def packet(kind, body):
        return bytes([kind, len(body) % 128 | 128, len(body) // 128]) + body
    topic, payload = urllib.parse.unquote_to_bytes(sys.argv[2]), sys.argv[3].encode()
    server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    server.sendall(packet(0x10, text(b"MQTT") + b"\4\2\0\x3c" + text(b"raw")))
    assert server.recv(4)[0] == 0x20
    server.sendall(packet(0x32, text(topic) + b"\0\1" + payload))
    assert server.recv(4)[0] == 0x40
    """#

  /// The end of a line in a name ends a line of the protocol; what stands behind it looks like messages to whatever the
  /// worker listens to.
  @Test(
    .enabled(if: hasPython, "no Python here"),
    arguments: [
      "nl\nx", "t\tx",
      "x\t99\t0\t0\r\n\r\n" + (1..<30).map { "MSG\ty\t\($0)\t2\r\n{}\r\n" }.joined(),
    ])
  func `a device with the end of a line in its name stops nothing`(name: String) async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    #expect(await worker.wait { _ in worker.stderr.contains("has partition 0") })
    let port = "\(cluster.servers[0].mqttPort)"
    for _ in 0..<2 {
      let sent = try await Binary.run(
        ["-c", Self.rawPublisher, port, "owntracks/mallory/\(name)", "{}"], executable: "/usr/bin/python3")
      #expect(sent.status == 0, "\(sent.stderr)")
    }
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    let events = try await cluster.events(atLeast: 1)
    #expect(!events.isEmpty && events.allSatisfy { $0.contains("alice/phone") }, "\(worker.stderr)")
    let isCounted = await eventually {
      try await cluster.fleet(["status"]).stdout.contains("2 dead letters")
    }
    #expect(isCounted, "\(worker.stderr)")
  }

  @Test(.enabled(if: hasPython, "no Python here"))
  func `names that are not UTF-8 are no devices`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    let fix = #"{"_type":"location","lat":48.1,"lon":11.5,"acc":5,"tst":1700000000}"#
    for name in ["%83", "%87"] {
      let sent = try await Binary.run(
        ["-c", Self.rawPublisher, "\(cluster.servers[0].mqttPort)", "owntracks/u/\(name)", fix],
        executable: "/usr/bin/python3")
      #expect(sent.status == 0, "\(sent.stderr)")
    }
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    let isCounted = await eventually {
      try await cluster.fleet(["status"]).stdout.contains("2 dead letters")
    }
    #expect(isCounted, "\(worker.stderr)")
    #expect(try await cluster.fleet(["devices"]).stdout == "alice/phone\t1\n")
  }

  /// The permission that a phone needs for the mapped subject lets it publish these too.
  @Test func `a subject of no partition is passed over`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    for partition in ["7", "x", "00", "99999999999999999999999"] {
      try await publish(fix: 0, to: "fix/\(partition)/alice/x", of: cluster)
    }
    for fix in 0..<3 { try await publish(fix: fix, to: "owntracks/bob/phone", of: cluster) }
    let isTaken = await eventually {
      try await cluster.fleet(["device", "bob/phone", "--json"]).stdout.contains("\"fixes\":3")
    }
    #expect(isTaken, "\(worker.stderr)")
    let events = try await cluster.events(atLeast: 1)
    #expect(!events.isEmpty && events.allSatisfy { $0.contains("bob/phone") }, "\(events)")
    let isCounted = await eventually {
      try await cluster.fleet(["status", "--json"]).stdout.contains("\"ignored\":4")
    }
    #expect(isCounted && !worker.stderr.contains("lost its consumer"), "\(worker.stderr)")
    #expect(try await cluster.fleet(["devices"]).stdout == "bob/phone\t3\n")
    for command in ["replay", "device", "explain"] {
      let run = try await cluster.fleet([command, "alice/x"])
      let text = "no fix of alice/x is kept; locwatch-fleet devices lists those that are known"
      #expect(run.status == 1 && run.stderr == "locwatch-fleet: \(text)\n", "\(run)")
    }
  }

  /// nats-server tells 100,000 subjects at a time.
  @Test func `devices lists all, also where they are very many`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 4)
    let published = try await cluster.fleet(["simulate", "--devices", "100001", "--seconds", "10"])
    #expect(published.status == 0, "\(published.stderr)")
    let devices = try await cluster.fleet(["devices"])
    #expect(devices.stdout.utf8.count { $0 == UInt8(ascii: "\n") } == 100_001, "\(devices.stderr)")
  }

  @Test func `a device is of one partition, whichever its fixes are published to`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 4)
    let worker = try cluster.worker("w1")
    for partition in ["0", "1", "2", "3", "9", "99999999999999999999999"] {
      try await publish(fix: 0, to: "fix/\(partition)/alice/phone", of: cluster)
    }
    let isBuried = await eventually {
      try await cluster.fleet(["status"]).stdout.contains(" 3 dead letters")
    }
    #expect(isBuried, "\(worker.stderr)")
    #expect(try await cluster.fleet(["devices"]).stdout == "alice/phone\t1\n")
    let isTaken = await eventually {
      try await cluster.fleet(["device", "alice/phone", "--json"]).stdout
        .contains("\"partition\":1,\"fixes\":1,")
    }
    #expect(isTaken, "\(worker.stderr)")
    let replay = try await cluster.fleet(["replay", "alice/phone", "--fixes"])
    #expect(replay.status == 0 && replay.stdout.split(separator: "\n").count == 1, "\(replay)")
  }

  /// To Swift an accent and the dot before it are one character, and two ways to write a letter are the same.
  @Test(arguments: [("alice", "\u{300}alice"), ("x\u{C7}", "xC\u{327}")])
  func `devices whose names differ in their bytes alone are two, also for the next worker`(
    one: String, other: String
  ) async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    func publish(_ fix: Int, _ user: String, _ latitude: Double) async throws {
      try await self.publish(
        fix: fix, latitude: latitude, to: "owntracks/\(user)/phone", of: cluster)
    }
    func isTaken(_ user: String, _ fixes: Int, _ latitude: String) async -> Bool {
      await eventually {
        let device = try await cluster.fleet(["device", "\(user)/phone", "--json"]).stdout
        let status = try await cluster.fleet(["status"]).stdout
        return device.contains("\"fixes\":\(fixes),\"accepted\":\(fixes),")
          && device.contains("\"lat\":\(latitude)") && status.contains(", 0 beyond the checkpoints")
      }
    }
    let first = try cluster.worker("w1")
    for fix in 0..<3 {
      try await publish(fix, one, 48.1)
      try await publish(fix, other, 48.2)
    }
    #expect(await isTaken(one, 3, "48.1"), "\(first.stderr)")
    #expect(await isTaken(other, 3, "48.2"), "\(first.stderr)")
    first.signal(SIGTERM)
    #expect(await first.finish() == 0, "\(first.stderr)")
    for fix in 3..<6 {
      try await publish(fix, one, 48.1)
      try await publish(fix, other, 48.2)
    }
    let second = try cluster.worker("w2")
    #expect(await isTaken(one, 6, "48.1"), "\(second.stderr)")
    #expect(await isTaken(other, 6, "48.2"), "\(second.stderr)")
    #expect(second.stderr.contains("read 2 snapshots of partition 0 "), "\(second.stderr)")
    let devices = try await cluster.fleet(["devices"]).stdout.split(separator: "\n")
    #expect(devices.map { Array($0.utf8) }.contains(Array("\(one)/phone\t6".utf8)), "\(devices)")
    #expect(devices.map { Array($0.utf8) }.contains(Array("\(other)/phone\t6".utf8)), "\(devices)")
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationFleet

/// One nats-server and one worker.
@Suite(.enabled(if: NATSCluster.isInstalled, "apt-get install nats-server"), .serialized)
struct FleetWorkerTests {
  let folder = TemporaryFolder()

  /// The fixes and regions of a simulated fleet, and what a replay on one machine makes of them.
  private func expectation(_ cluster: NATSCluster, _ fleet: [String]) async throws -> [String] {
    let fixes = folder("fixes.ndjson")
    let regions = folder("places.geojson")
    #expect(try await cluster.fleet(["simulate"] + fleet + ["--write", fixes]).status == 0)
    #expect(try await cluster.fleet(["simulate", "--regions", regions, "--count", "300"]).status == 0)
    let again = try await cluster.fleet(["simulate", "--regions", regions, "--count", "1"])
    #expect(again.status == 73 && again.stderr.contains("is there already"), "\(again)")
    let replay = try await Binary.run(["replay", "--batch", fixes, "-r", regions])
    #expect(replay.status == 0, "\(replay.stderr)")
    let imported = try await cluster.fleet(["regions", "import", regions])
    #expect(imported.stdout == "version 1: 300 regions\n", "\(imported.stderr)")
    return FleetEvents.ofReplay(replay.stdout)
  }

  @Test func `events are those of a replay, byte for byte`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 3)
    let fleet = ["--devices", "40", "--seconds", "3000", "--start", "1700000000"]
    let expected = try await expectation(cluster, fleet)
    #expect(expected.count > 100)
    #expect(expected.contains { $0.contains("region.enter") } && expected.contains { $0.contains("visit.") })
    // Fewer devices in memory than there are: they come and go.
    let worker = try cluster.worker("w1", ["--devices", "10"])
    let published = try await cluster.fleet(["simulate"] + fleet)
    #expect(published.stdout == "12000 fixes of 40 devices published\n", "\(published.stderr)")
    let events = try await cluster.events(atLeast: expected.count)
    #expect(FleetEvents.difference(events, expected) == nil)

    let device = try await cluster.fleet(["device", "u0/d4", "--json"])
    #expect(device.stdout.contains("\"fixes\":300"), "\(device.stdout)\(device.stderr)")
    let replay = try await cluster.fleet(["replay", "u0/d4"])
    let own = expected.filter { $0.contains("\"track\":\"u0/d4\"") }
    #expect(FleetEvents.difference(replay.stdout.split(separator: "\n").map(String.init), own) == nil)
    let last = try #require(replay.stdout.split(separator: "\n").last)
    let id = try #require(last.firstMatch(of: /"id":(\d+),"type":"([a-z.]+)"/))
    let byID = try await cluster.fleet(["explain", "u0/d4", "--event", "\(id.1)", "--json"])
    #expect(byID.stdout.contains(#""event":{"id":\#(id.1),"type":"\#(id.2)""#), "\(last) \(byID)")
    let both = try await cluster.fleet(["explain", "u0/d4", "--event", "1", "--at", "1999-01-01T00:00:00Z"])
    #expect(both.status == 64 && both.stderr.contains("--at and --event exclude each other"), "\(both)")
    let never = try await cluster.fleet(["explain", "u0/d4", "--at", "1999-01-01T00:00:00Z"])
    #expect(never.status != 0 && never.stderr.split(separator: "\n").count == 1, "\(never.stderr)")
    #expect(!never.stderr.contains("/tmp"), "\(never.stderr)")
    let explained = try await cluster.fleet(["explain", "u0/d4", "--region", "place-7"])
    #expect(explained.status == 0 && explained.stdout.contains("place-"), "\(explained.stderr)")

    worker.signal(SIGTERM)
    #expect(await worker.finish() == 0, "\(worker.stderr)")
    let status = try await cluster.fleet(["status"])
    #expect(status.status == 1 && status.stdout.contains("3 without a worker"), "\(status.stdout)")
    #expect(status.stdout.contains(" 0 beyond the checkpoints"), "\(status.stdout)")
    let metrics = try await cluster.fleet(["metrics"])
    #expect(metrics.stdout.contains("locwatch_fleet_devices 40\n"))
  }

  @Test func `a worker that takes the only partition reads its snapshots at once and goes on`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    func fleet(_ start: Int) -> [String] {
      ["--devices", "40", "--seconds", "1500", "--start", "\(1_700_000_000 + start)"]
    }
    var tracks: [Substring: [Substring]] = [:]
    var files: [String] = []
    for start in [0, 2_000] {
      files.append(folder("fixes\(start).ndjson"))
      #expect(
        try await cluster.fleet(["simulate"] + fleet(start) + ["--write", files[files.count - 1]]).status == 0
      )
      for line in try String(contentsOfFile: files[files.count - 1], encoding: .utf8).split(separator: "\n") {
        tracks[line.prefix { $0 != "," }, default: []].append(line)
      }
    }
    let fixes = folder.write("fixes.ndjson", tracks.values.joined().joined(separator: "\n") + "\n")
    let regions = folder("places.geojson")
    #expect(try await cluster.fleet(["simulate", "--regions", regions, "--count", "300"]).status == 0)
    let replay = try await Binary.run(["replay", "--batch", fixes, "-r", regions])
    let expected = FleetEvents.ofReplay(replay.stdout)
    #expect(try await cluster.fleet(["regions", "import", regions]).status == 0)

    let first = try cluster.worker("w1")
    #expect(try await cluster.fleet(["simulate"] + fleet(0)).status == 0)
    let isKept = await eventually {
      try await cluster.fleet(["status"]).stdout.contains(", 0 beyond the checkpoints")
    }
    #expect(isKept, "\(first.stderr)")
    first.signal(SIGKILL)
    _ = await first.finish()
    #expect(try await cluster.fleet(["simulate"] + fleet(2_000)).status == 0)
    let second = try cluster.worker("w2")
    let events = try await cluster.events(atLeast: expected.count)
    #expect(FleetEvents.difference(events, expected) == nil)
    #expect(second.stderr.contains("read 40 snapshots of partition 0 "), "\(second.stderr)")
  }

  @Test(arguments: [
    (["device"], "missing expected argument '<user/device>'; see locwatch-fleet device --help"),
    (
      ["simulate", "--rate=-1"],
      "--rate and --start need a number of at least 0; see locwatch-fleet simulate --help"
    ),
    (["status", "--bogus"], "unknown option '--bogus'; see locwatch-fleet status --help"),
    (
      ["simulate", "--seed", "x"],
      "the value 'x' is invalid for '--seed <seed>'; see locwatch-fleet simulate --help"
    ),
  ])
  func `what is wrong with the arguments is told in one line`(words: [String], text: String) async throws {
    let run = try await Binary.run(words, executable: NATSCluster.program)
    #expect(run.status == 64 && run.stdout.isEmpty, "\(run)")
    #expect(run.stderr == "locwatch-fleet: \(text)\n")
  }

  @Test func `a worker that no server gives a consumer keeps its partition and asks on`() async throws {
    let cluster = try NATSCluster(folder, partitions: 2)
    cluster.deny("$JS.API.CONSUMER.CREATE.fixes.*.fix.1.>")
    try await cluster.start()
    let fleet = ["--devices", "40", "--seconds", "600", "--start", "1700000000"]
    let expected = try await expectation(cluster, fleet)
    #expect(try await cluster.fleet(["simulate"] + fleet).status == 0)
    let worker = try cluster.worker("w1", url: cluster.urlOfDenied)
    // Each time for twice as long; a minute in all.
    let isPatient = await eventually {
      let lines = worker.stderr.split(separator: "\n")
      return lines.count { $0.contains("partition 1 has no consumer of fixes after") } >= 5
    }
    #expect(isPatient, "\(worker.stderr)")
    // The other partition does not wait for it.
    let others = try await cluster.events(atLeast: 1)
    #expect(!others.isEmpty && others.count < expected.count)
    cluster.deny(nil)
    let events = try await cluster.events(atLeast: expected.count)
    #expect(FleetEvents.difference(events, expected) == nil)
    #expect(!worker.stderr.contains("gives partition"), "\(worker.stderr)")
  }

  @Test func `a worker that may not publish events says why, and counts none`() async throws {
    let cluster = try NATSCluster(folder, partitions: 1)
    cluster.deny("event.>")
    try await cluster.start()
    let worker = try cluster.worker("w1", url: cluster.urlOfDenied)
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    // A minute without any confirmation.
    let reason = #"the cluster keeps nothing: Permissions Violation for Publish to "event.0.alice."#
    let isTold = await eventually { worker.stderr.contains(reason) }
    #expect(isTold && worker.stderr.contains("check --creds"), "\(worker.stderr)")
    let status = try await cluster.fleet(["status", "--json"])
    #expect(status.stdout.contains(#""fixes":1,"events":0,"#), "\(status)")
    cluster.deny(nil)
    #expect(try await !cluster.events(atLeast: 1).isEmpty, "\(worker.stderr)")
  }

  @Test(arguments: [false, true])
  func `a worker ends though the servers are silent, and at once when it is told twice`(twice: Bool)
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 4)
    let worker = try cluster.worker("w1")
    let hasAll = await eventually {
      worker.stderr.split(separator: "\n").count { $0.contains(": has partition ") } == 4
    }
    #expect(hasAll, "\(worker.stderr)")
    cluster.servers[0].process?.signal(SIGSTOP)
    worker.signal(SIGTERM)
    if twice { worker.signal(SIGINT) }
    let status = await worker.finish()
    if twice {
      // Either may come first.
      #expect(status == 128 + SIGINT || status == 128 + SIGTERM, "\(worker.stderr)")
    } else {
      let lines = worker.stderr.split(separator: "\n")
      let rest = lines.count { $0.contains(" up: the servers do not answer") }
      #expect(status == 0 && rest == 3, "\(worker.stderr)")
    }
  }

  @Test func `one who follows events is given those that came while it was cut off`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let fleet = ["--devices", "40", "--seconds", "1500", "--start", "1700000000"]
    let expected = try await expectation(cluster, fleet)
    let worker = try cluster.worker("w1")
    let follower = try LiveProcess(
      NATSCluster.program, ["events", "--follow", "--server", cluster.url])
    #expect(await worker.wait { _ in worker.stderr.contains("has partition 0") })
    let publishing = try LiveProcess(
      NATSCluster.program, ["simulate", "--rate", "1000", "--server", cluster.url] + fleet)
    #expect(await follower.wait { $0.count > 10 }, "\(follower.stderr)")
    follower.signal(SIGSTOP)
    cluster.kill(0)
    _ = await cluster.servers[0].process?.finish()
    try cluster.start(0)
    #expect(await publishing.finish() == 0, "\(publishing.stderr)")
    #expect(try await cluster.events(atLeast: expected.count).count == expected.count)
    follower.signal(SIGCONT)
    #expect(await follower.wait { $0.count >= expected.count }, "\(follower.stderr)")
    #expect(FleetEvents.difference(follower.lines.map(String.init), expected) == nil)
  }

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
    for command in ["replay", "device"] {
      let run = try await cluster.fleet([command, "alice/x"])
      #expect(run.status == 65, "\(run)")
    }
  }

  @Test func `what simulate publishes is kept, also of a second run`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    for seed in ["1", "2", "2"] {
      let run = try await cluster.fleet([
        "simulate", "--devices", "5", "--seconds", "100", "--start", "1700000000", "--seed", seed,
      ])
      #expect(run.stdout == "50 fixes of 5 devices published\n", "\(run)")
    }
    let status = try await cluster.fleet(["status"])
    #expect(status.stdout.contains("150 messages of fixes"), "\(status)")
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

  @Test func `a mapping to another number of partitions is told when a fleet is made`() async throws {
    let cluster = try NATSCluster(folder, partitions: 4)
    try cluster.start(0)
    for partitions in ["2", "8", "16"] {
      var run: Binary.Result?
      let isTold = await eventually {
        run = try await cluster.fleet(["init", "--partitions", partitions])
        return run?.status == 78
      }
      #expect(isTold && run?.stderr.contains("--print-mapping") == true, "\(String(describing: run))")
    }
  }

  @Test func `a damaged snapshot stops its partition only, and what was deleted is as if it had never been`()
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 4)
    // One in each partition.
    let devices = try (0..<4).map { partition in
      try #require(
        (0..<100).map { "d\($0)" }.first {
          FleetLayout.partition(ofDevice: "u.\($0)".utf8, among: 4) == partition
        })
    }
    func publish(_ fix: Int, _ partitions: [Int]) async throws {
      for partition in partitions {
        try await self.publish(fix: fix, to: "owntracks/u/\(devices[partition])", of: cluster)
      }
    }
    func fixes(of partition: Int) async throws -> Int? {
      let run = try await cluster.fleet(["device", "u/\(devices[partition])", "--json"])
      return run.stdout.firstMatch(of: /"fixes":(\d+),/).flatMap { Int($0.1) }
    }
    let first = try cluster.worker("w1")
    for fix in 0..<3 { try await publish(fix, [0, 1, 2, 3]) }
    let isKept = await eventually {
      try await cluster.fleet(["status"]).stdout.contains(", 0 beyond the checkpoints")
    }
    #expect(isKept, "\(first.stderr)")
    first.signal(SIGTERM)
    #expect(await first.finish() == 0, "\(first.stderr)")

    let layout = try cluster.layout()
    let damaged = "0.u.\(devices[0])"
    let snapshot = try #require(try layout.devices.get(damaged)).value
    try layout.devices.put(damaged, Array(snapshot[..<(snapshot.count / 2)]))
    // Without a value, as nats kv del leaves them.
    try layout.devices.put("1.u.\(devices[1])", [])
    try layout.fleet.put("partition.2", [])

    let second = try cluster.worker("w2")
    try await publish(3, [0, 1, 2, 3])
    let isGivenUp = await eventually { second.stderr.contains("gives partition 0 up: the snapshot of u/") }
    #expect(isGivenUp && !second.stderr.contains("Error"), "\(second.stderr)")
    try await publish(4, [1, 2, 3])
    for (partition, count) in [(1, 2), (2, 5), (3, 5)] {
      let isTaken = await eventually { try await fixes(of: partition) == count }
      #expect(isTaken, "\(partition): \(second.stderr)")
      #expect(!second.stderr.contains("gives partition \(partition) up"), "\(second.stderr)")
    }
    let report = try await cluster.fleet(["device", "u/\(devices[0])"])
    #expect(report.status == 65 && report.stderr.contains("Docs/Fleet.md"), "\(report)")
    let ids = try await cluster.events(atLeast: 1).compactMap { $0.firstMatch(of: /"seq":\d+,"id":\d+,/)?.0 }
    #expect(!ids.isEmpty && Set(ids).count == ids.count, "\(ids)")
    // What its remedy says.
    try layout.devices.put(damaged, [])
    let isTaken = await eventually { try await fixes(of: 0) == 1 }
    #expect(isTaken, "\(second.stderr)")
  }

  @Test func `a damaged checkpoint is told, and what there is to tell of the others`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let layout = try cluster.layout()
    try layout.fleet.put("partition.1", Array("garbage".utf8))
    let worker = try cluster.worker("w1")
    let isTaken = await eventually {
      try await cluster.fleet(["status"]).stdout.contains("1 workers, 2 partitions (1 without a worker)")
    }
    #expect(isTaken, "\(worker.stderr)")
    let status = try await cluster.fleet(["status"])
    #expect(status.status == 1 && status.stdout.contains("the checkpoint of partition 1 can't be read"))
    let metrics = try await cluster.fleet(["metrics"])
    #expect(metrics.status == 0 && metrics.stdout.contains("locwatch_fleet_partitions_orphaned 1\n"))
    let json = try await cluster.fleet(["status", "--json"])
    #expect(
      json.stdout.contains("\"checkpoint\":null") && json.stdout.contains("\"checkpoint\":{"), "\(json)")
  }

  @Test func `regions change at one point of the stream`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let worker = try cluster.worker("w1")
    let place = folder.write(
      "home.geojson",
      #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[11.5,48.1]}}"#
    )
    func fixes(_ range: Range<Int>) async throws {
      for index in range {
        let message =
          "{\"_type\":\"location\",\"lat\":48.1,\"lon\":11.5,\"acc\":5,\"tst\":\(1_700_000_000 + index * 10)}"
        let sent = try await Binary.run(
          [
            "-p", "\(cluster.servers[0].mqttPort)", "-q", "1", "-t", "owntracks/alice/phone", "-m", message,
          ], executable: "/usr/bin/mosquitto_pub")
        #expect(sent.status == 0)
      }
    }
    try await fixes(0..<6)
    #expect(try await cluster.fleet(["regions", "import", place]).status == 0)
    try await fixes(6..<12)
    let events = try await cluster.events(atLeast: 2)
    // Nothing was known of it before; the first fixes after it find the device inside.
    let inside = await eventually {
      try await cluster.fleet(["device", "alice/phone"]).stdout.contains("inside    home")
    }
    #expect(inside, "\(events)")
    // With other terms it stays the same region, also for a worker that reads them back.
    let named = folder.write(
      "named.geojson",
      #"{"type":"Feature","id":"home","properties":{"radius_m":100,"name":"Home"},"geometry":{"type":"Point","coordinates":[11.5,48.1]}}"#
    )
    #expect(try await cluster.fleet(["regions", "import", "--replace", named]).status == 0)
    worker.signal(SIGKILL)
    _ = await worker.finish()
    let second = try cluster.worker("w2")
    let other = folder.write(
      "other.geojson",
      #"{"type":"Feature","id":"other","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[11.5,48.1]}}"#
    )
    #expect(try await cluster.fleet(["regions", "import", other]).status == 0)
    try await fixes(12..<18)
    var lines: [String] = []
    let isThere = await eventually {
      lines = try await cluster.events(atLeast: 2)
      return lines.contains { $0.contains(#""region":"other""#) }
    }
    #expect(isThere && lines.count { $0.contains(#""region":"home""#) } == 1, "\(lines)")
    second.signal(SIGKILL)
    _ = await second.finish()
    let removed = try await cluster.fleet(["regions", "remove", "home", "other"])
    #expect(removed.stdout == "version 4: 0 regions\n")
    let next = try cluster.worker("w3")
    try await fixes(18..<20)
    let outside = await eventually {
      try await cluster.fleet(["device", "alice/phone"]).stdout.contains("inside    no region")
    }
    #expect(outside, "\(next.stderr)")
    #expect(try await cluster.fleet(["regions", "remove", "home"]).status == 65)
  }

  /// The configuration that we ship, with a second tenant, on ports of this machine.
  private func writeExample(port: Int, mqttPort: Int) throws -> String {
    var text = try String(contentsOfFile: PackageRoot.file("Examples/fleet/nats.conf"), encoding: .utf8)
    let cluster = try #require(text.range(of: "cluster {"))
    let end = try #require(text.range(of: "}", range: cluster.upperBound..<text.endIndex))
    text.removeSubrange(cluster.lowerBound..<end.upperBound)
    let account = try #require(text.range(of: "  acme {"))
    let last = try #require(text.range(of: "}", options: .backwards))
    var other = String(text[account.lowerBound..<last.lowerBound])
    for (old, new) in [("acme", "other"), ("$ACME_FLEET_PASSWORD", "o1"), ("$ACME_ALICE_PASSWORD", "o2")] {
      other = other.replacingOccurrences(of: old, with: new)
    }
    for (old, new) in [("user: fleet", "user: operator"), ("alice", "bob")] {
      other = other.replacingOccurrences(of: old, with: new)
    }
    text.insert(contentsOf: other, at: last.lowerBound)
    for (old, new) in [
      ("0.0.0.0:4222", "127.0.0.1:\(port)"), ("0.0.0.0:1883", "127.0.0.1:\(mqttPort)"),
      ("/var/lib/nats", folder("js")), ("$ACME_FLEET_PASSWORD", "f1"), ("$ACME_ALICE_PASSWORD", "a1"),
    ] {
      #expect(text.contains(old))
      text = text.replacingOccurrences(of: old, with: new)
    }
    return folder.write("example.conf", text)
  }

  @Test func `a phone and two tenants, with the servers' configuration that we ship`() async throws {
    let (port, mqttPort) = (try Listener.freePort(), try Listener.freePort())
    let server = try LiveProcess(
      try #require(NATSCluster.path), ["-c", try writeExample(port: port, mqttPort: mqttPort)])
    func fleet(_ user: String, _ words: [String]) async throws -> Binary.Result {
      try await Binary.run(
        words + ["--server", "nats://\(user)@127.0.0.1:\(port)"],
        executable: NATSCluster.program)
    }
    for user in ["fleet:f1", "operator:o1"] {
      let isUp = await eventually { try await fleet(user, ["init", "--partitions", "16"]).status == 0 }
      #expect(isUp, "\(server.stderr)")
    }
    let worker = try LiveProcess(
      NATSCluster.program, ["worker", "--server", "nats://fleet:f1@127.0.0.1:\(port)"])
    func publish(_ topic: String, _ fix: Int) async throws {
      let payload =
        "{\"_type\":\"location\",\"lat\":48.1371,\"lon\":11.5754,\"acc\":8,\"tst\":\(1_700_000_000 + fix)}"
      let run = try await Binary.run(
        [
          "-h", "127.0.0.1", "-p", "\(mqttPort)", "-u", "alice", "-P", "a1", "-q", "1", "-t", topic, "-m",
          payload,
        ],
        executable: "/usr/bin/mosquitto_pub")
      #expect(run.status == 0, "\(run.stderr)")
    }
    // MQTT does not say that alice may not publish as somebody else.
    try await publish("owntracks/mallory/phone", 0)
    for fix in 1...5 { try await publish("owntracks/alice/phone", 10 * fix) }
    let isThere = await eventually {
      try await fleet("fleet:f1", ["device", "alice/phone", "--json"]).stdout.contains("\"fixes\":5")
    }
    #expect(isThere, "\(worker.stderr)\(server.stderr)")
    let isTold = await eventually {
      try await fleet("fleet:f1", ["events"]).stdout.contains("\"track\":\"alice/phone\"")
    }
    #expect(isTold, "\(worker.stderr)")
    let devices = try await fleet("fleet:f1", ["devices"])
    #expect(
      devices.stdout.contains("alice/phone") && !devices.stdout.contains("mallory"), "\(devices.stdout)")
    for words in [["devices"], ["events"]] {
      let other = try await fleet("operator:o1", words)
      #expect(other.status == 0 && !other.stdout.contains("alice"), "\(other.stdout)\(other.stderr)")
    }
    // A phone's own password is of no use over NATS, where the confirmation of a fix could purge a stream.
    let phone = try await fleet("alice:a1", ["devices"])
    #expect(phone.status == 77 && !phone.stdout.contains("alice"), "\(phone.stdout)\(phone.stderr)")
    #expect(phone.stderr.contains("Authorization Violation"), "\(phone.stderr)")
    worker.signal(SIGTERM)
    #expect(await worker.finish() == 0, "\(worker.stderr)")
    #expect(!worker.stderr.contains("f1@"))
  }

  @Test func `a partition that missed more versions of the regions than are kept goes on with what there is`()
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    func imported(_ radius: Int) async throws -> String {
      let feature =
        #"{"type":"Feature","id":"home","properties":{"radius_m":\#(radius)},"geometry":"#
        + #"{"type":"Point","coordinates":[11.5,48.1]}}"#
      return try await cluster.fleet(["regions", "import", "-"], stdin: feature).stdout
    }
    for version in 1...67 { #expect(try await imported(100 + version) == "version \(version): 1 regions\n") }
    #expect(try await imported(167) == "version 67: 1 regions, as before\n")
    let worker = try cluster.worker("w1")
    let sent = try await Binary.run(
      [
        "-p", "\(cluster.servers[0].mqttPort)", "-q", "1", "-t", "owntracks/alice/phone", "-m",
        #"{"_type":"location","lat":48.1,"lon":11.5,"acc":5,"tst":1700000000}"#,
      ], executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
    let isTold = await eventually {
      try await cluster.fleet(["events"]).stdout.contains("\"region\":\"home\"")
    }
    #expect(isTold, "\(worker.stderr)")
    #expect(worker.stderr.contains("version 1 of the regions: 1 regions, of version 4"), "\(worker.stderr)")
    #expect(try await cluster.fleet(["device", "*/phone"]).status == 64)
    // More servers than there are.
    let replicas = try await cluster.fleet(["init", "--partitions", "1", "--replicas", "3"])
    #expect(replicas.status == 78 && replicas.stderr.contains("--replicas 1"), "\(replicas.stderr)")
  }

  @Test func `a stream of fixes that was lost and made again is read from its beginning`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    let first = try cluster.worker("w1")
    func isTaken(_ fixes: Int) async -> Bool {
      await eventually {
        let device = try await cluster.fleet(["device", "alice/phone", "--json"])
        let status = try await cluster.fleet(["status"])
        return device.stdout.contains("\"fixes\":\(fixes),")
          && status.stdout.contains(", 0 beyond the checkpoints")
      }
    }
    for fix in 0..<6 { try await publish(fix: fix, to: "owntracks/alice/phone", of: cluster) }
    #expect(await isTaken(6), "\(first.stderr)")
    _ = try layout.stream.demand("STREAM.DELETE.fixes")
    #expect(try await cluster.fleet(["init", "--partitions", "1"]).status == 0)
    let isNoticed = await eventually {
      first.stderr.contains(
        "partition 0 goes on from 0, where the stream of fixes ends; its checkpoint was at 6")
    }
    #expect(isNoticed, "\(first.stderr)")
    for fix in 6..<9 { try await publish(fix: fix, to: "owntracks/alice/phone", of: cluster) }
    #expect(await isTaken(9), "\(first.stderr)")
    first.signal(SIGTERM)
    #expect(await first.finish() == 0, "\(first.stderr)")
    let second = try cluster.worker("w2")
    try await publish(fix: 9, to: "owntracks/alice/phone", of: cluster)
    #expect(await isTaken(10), "\(second.stderr)")
    #expect(!second.stderr.contains("where the stream of fixes ends"), "\(second.stderr)")
  }

  /// The number of its last fix is that of another message by then.
  @Test func `a device that was silent since the stream of fixes was lost goes on with its next fix`()
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    func isTaken(_ user: String, _ fixes: Int, _ latitude: String) async -> Bool {
      await eventually {
        let device = try await cluster.fleet(["device", "\(user)/phone", "--json"]).stdout
        let status = try await cluster.fleet(["status"]).stdout
        return device.contains("\"fixes\":\(fixes),") && device.contains("\"lat\":\(latitude)")
          && status.contains(", 0 beyond the checkpoints")
      }
    }
    let first = try cluster.worker("w1")
    for fix in 0..<2 { try await publish(fix: fix, to: "owntracks/bob/phone", of: cluster) }
    for fix in 0..<4 { try await publish(fix: fix, to: "owntracks/carl/phone", of: cluster) }
    #expect(await isTaken("carl", 4, "48.1"), "\(first.stderr)")
    _ = try layout.stream.demand("STREAM.DELETE.fixes")
    #expect(try await cluster.fleet(["init", "--partitions", "1"]).status == 0)
    #expect(await eventually { first.stderr.contains("goes on from 0, where the stream of fixes ends") })
    try await publish(fix: 2, to: "owntracks/bob/phone", of: cluster)
    #expect(await isTaken("bob", 3, "48.1"), "\(first.stderr)")
    first.signal(SIGTERM)
    #expect(await first.finish() == 0, "\(first.stderr)")
    for fix in 4..<7 {
      try await publish(fix: fix * 60, latitude: 48.2, to: "owntracks/carl/phone", of: cluster)
    }
    for fix in 3..<8 { try await publish(fix: fix, to: "owntracks/bob/phone", of: cluster) }
    // Nothing of it waits for a worker to be told.
    let device = try await cluster.fleet(["device", "carl/phone", "--json"]).stdout
    #expect(device.contains("\"fixes\":7,") && device.contains("\"lat\":48.2"), "\(device)")
    let second = try cluster.worker("w2")
    #expect(await isTaken("bob", 8, "48.1"), "\(second.stderr)")
    #expect(await isTaken("carl", 7, "48.2"), "\(second.stderr)")
    let events = try await cluster.events(atLeast: 1)
    #expect(events.contains { $0.contains("carl/phone") && $0.contains("48.2") }, "\(events)")
  }

  @Test func `regions go on where an older copy of their store was put back`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    func importRegions(_ ids: [String]) async throws -> String {
      let features = ids.map { id in
        #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":100},"geometry":"#
          + #"{"type":"Point","coordinates":[11.5,48.1]}}"#
      }
      let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
      return try await cluster.fleet(["regions", "import", "-"], stdin: text).stdout
    }
    #expect(try await importRegions(["a"]) == "version 1: 1 regions\n")
    #expect(try await importRegions(["b"]) == "version 2: 2 regions\n")
    // As the store was before the second version.
    try layout.fleet.remove("catalog.2")
    try layout.fleet.put("catalog.current", Array("1".utf8))
    let worker = try cluster.worker("w1")
    func isWatched(_ region: String) async -> Bool {
      await eventually { try await cluster.fleet(["events"]).stdout.contains("\"region\":\"\(region)\"") }
    }
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    #expect(await isWatched("a"), "\(worker.stderr)")
    #expect(worker.stderr.contains("version 2 of the regions: 1 regions, of version 1"), "\(worker.stderr)")
    #expect(try await importRegions(["a"]) == "version 3: 1 regions\n")
    #expect(try await importRegions(["a"]) == "version 3: 1 regions, as before\n")
    #expect(try await importRegions(["c"]) == "version 4: 2 regions\n")
    for fix in 1..<4 { try await publish(fix: fix, to: "owntracks/alice/phone", of: cluster) }
    #expect(await isWatched("c"), "\(worker.stderr)")
  }

  @Test func `no id of a fix swallows a change of the regions`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    let sent = try layout.stream.publish(
      "fix.0.mallory.phone", Array("{}".utf8), headers: .init(id: "catalog-1-0"))
    #expect(throws: Never.self) { try sent.get() }
    let imported = try await cluster.fleet(
      ["regions", "import", "-"],
      stdin:
        #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":{"type":"Point","coordinates":[11.5,48.1]}}"#
    )
    #expect(imported.stdout == "version 1: 1 regions\n", "\(imported)")
    let worker = try cluster.worker("w1")
    let isWatched = await eventually {
      worker.stderr.contains("partition 0 watches version 1 of the regions")
    }
    #expect(isWatched, "\(worker.stderr)")
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
    #expect(imported.stdout == "version 1: 1 regions\n", "\(imported)")
  }

  @Test func `regions whose announcement is no longer kept hold from the beginning of what is left`()
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let layout = try cluster.layout()
    func importRegion(_ id: String) async throws {
      let feature =
        #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":100},"geometry":"#
        + #"{"type":"Point","coordinates":[11.5,48.1]}}"#
      #expect(try await cluster.fleet(["regions", "import", "-"], stdin: feature).status == 0)
    }
    func regionsHeard(_ worker: LiveProcess, by fixes: Int) async throws -> Set<String> {
      let isTaken = await eventually {
        let device = try await cluster.fleet(["device", "alice/phone", "--json"])
        let status = try await cluster.fleet(["status"])
        return device.stdout.contains("\"fixes\":\(fixes),")
          && status.stdout.contains(", 0 beyond the checkpoints")
      }
      #expect(isTaken, "\(worker.stderr)")
      let events = try await cluster.events(atLeast: 1)
      return Set(["a", "b", "c"].filter { id in events.contains { $0.contains("\"region\":\"\(id)\"") } })
    }
    // As the time for which fixes are kept does.
    func forgetFixes() throws { _ = try layout.stream.demand("STREAM.PURGE.fixes") }

    try await importRegion("a")
    try await importRegion("b")
    try forgetFixes()
    for fix in 0..<3 { try await publish(fix: fix, to: "owntracks/alice/phone", of: cluster) }
    try await importRegion("c")
    let first = try cluster.worker("w1")
    // The third version is announced after the fixes: they have the second.
    #expect(try await regionsHeard(first, by: 3) == ["a", "b"], "\(first.stderr)")
    first.signal(SIGTERM)
    #expect(await first.finish() == 0, "\(first.stderr)")
    for fix in 3..<6 { try await publish(fix: fix, to: "owntracks/alice/phone", of: cluster) }
    let second = try cluster.worker("w2")
    #expect(try await regionsHeard(second, by: 6) == ["a", "b", "c"], "\(second.stderr)")
    #expect(!second.stderr.contains("no longer kept"), "\(second.stderr)")
    #expect(first.stderr.contains("watches version 2 of the regions: "), "\(first.stderr)")
  }

  @Test func `regions hold for a first worker that comes after all announcements are gone`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let layout = try cluster.layout()
    let feature =
      #"{"type":"Feature","id":"home","properties":{"radius_m":100},"geometry":"#
      + #"{"type":"Point","coordinates":[11.5,48.1]}}"#
    #expect(try await cluster.fleet(["regions", "import", "-"], stdin: feature).status == 0)
    _ = try layout.stream.demand("STREAM.PURGE.fixes")
    let worker = try cluster.worker("w1")
    try await publish(fix: 0, to: "owntracks/alice/phone", of: cluster)
    let isTold = await eventually {
      try await cluster.fleet(["events"]).stdout.contains("\"region\":\"home\"")
    }
    #expect(isTold, "\(worker.stderr)")
  }

  @Test func `one server and one partition are told as one`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let run = try await cluster.fleet(["init", "--partitions", "1"])
    #expect(run.stdout == "a fleet of 1 partition, each message on 1 server\n", "\(run)")
    // Shorter than the servers look for doubles.
    let short = try await cluster.fleet([
      "init", "--partitions", "1", "--fix-days", "0.001", "--event-days", "0.005",
    ])
    #expect(short.status == 0, "\(short)")
    // Shorter than the servers keep anything.
    let tooShort = try await cluster.fleet(["init", "--partitions", "1", "--fix-days", "1e-9"])
    #expect(tooShort.status == 78 && tooShort.stderr.contains("max age"), "\(tooShort)")
  }

  @Test func `a region that is too large for the servers is named, and changes nothing`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    var corners = (0..<30_000).map { "[11.\(1_000_000_000 + $0),48.0000000001]" }
    corners += (0..<30_000).reversed().map { "[11.\(1_000_000_000 + $0),48.5000000001]" }
    corners.append(corners[0])
    let country = folder.write(
      "country.geojson",
      #"{"type":"Feature","id":"country","properties":{},"geometry":{"type":"Polygon","coordinates":[["#
        + corners.joined(separator: ",") + "]]}}")
    let run = try await cluster.fleet(["regions", "import", country])
    #expect(run.status == 65 && run.stderr.contains("region \"country\" has "), "\(run)")
    let list = try await cluster.fleet(["regions", "list"])
    #expect(!list.stdout.contains("country"), "\(list)")
  }

  @Test func `the help says what the name of a worker may have`() async throws {
    let run = try await Binary.run(["worker", "--help"], executable: NATSCluster.program)
    let words = run.stdout.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words.contains("of letters, digits, - and _"), "\(run.stdout)")
  }

  @Test func `what is wrong is told in one line`() async throws {
    let port = try Listener.freePort()
    let run = try await Binary.run(
      ["status", "--server", "nats://secret@127.0.0.1:\(port)"], executable: NATSCluster.program)
    #expect(run.status == 69)
    #expect(run.stderr.split(separator: "\n").count == 1 && !run.stderr.contains("secret"), "\(run.stderr)")
    let cluster = try NATSCluster(folder, partitions: 2)
    try cluster.start(0)
    let isUp = await eventually {
      let status = try await cluster.fleet(["status"])
      return status.status == 78 && status.stderr.contains("locwatch-fleet init")
    }
    #expect(isUp)
    let other = try await cluster.fleet(["init", "--partitions", "1"])
    #expect(other.status == 78 || other.status == 0)
  }

  /// Publishes a fix of one place by MQTT.
  private func publish(
    fix: Int, latitude: Double = 48.1, to topic: String, of cluster: NATSCluster
  ) async throws {
    let message =
      "{\"_type\":\"location\",\"lat\":\(latitude),\"lon\":11.5,\"acc\":5,\"tst\":\(1_700_000_000 + fix * 10)}"
    let sent = try await Binary.run(
      ["-p", "\(cluster.servers[0].mqttPort)", "-q", "1", "-t", topic, "-m", message],
      executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
  }

  private func eventually(_ isSo: () async throws -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while ContinuousClock.now < end {
      if (try? await isSo()) == true { return true }
      try? await Task.sleep(for: .milliseconds(100))
    }
    return false
  }
}

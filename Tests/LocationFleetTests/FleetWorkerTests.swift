import Foundation
import TestSupport
import Testing

@testable import LocationFleet

/// One nats-server and one worker.
@Suite(.enabled(if: NATSCluster.isInstalled, "apt-get install nats-server"))
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
    #expect(published.stdout == "12,000 fixes of 40 devices published\n", "\(published.stderr)")
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
    // Into a pipe too.
    #expect(!explained.stdout.hasPrefix("{"), "\(explained.stdout)")

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
    // Keys and times are those of records.
    #expect(status.stdout.contains(/"time":"20\d\d-[0-9-]+T[0-9:.]+Z"/), "\(status)")
    #expect(status.stdout.contains(#""dead_letters":0"#) && !status.stdout.contains(#"deadLetters"#))
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
      let rest = lines.count { $0.contains(" up: the one before could not be given back") }
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

  /// Publishes a fix of one place by MQTT.
  func publish(
    fix: Int, latitude: Double = 48.1, to topic: String, of cluster: NATSCluster
  ) async throws {
    let message =
      "{\"_type\":\"location\",\"lat\":\(latitude),\"lon\":11.5,\"acc\":5,\"tst\":\(1_700_000_000 + fix * 10)}"
    let sent = try await Binary.run(
      ["-p", "\(cluster.servers[0].mqttPort)", "-q", "1", "-t", topic, "-m", message],
      executable: "/usr/bin/mosquitto_pub")
    #expect(sent.status == 0, "\(sent.stderr)")
  }
}

import Foundation
import TestSupport
import Testing

/// Three nats-servers that keep each message three times, and workers that die.
@Suite(.enabled(if: NATSCluster.isInstalled, "apt-get install nats-server"), .serialized)
struct FleetClusterTests {
  let folder = TemporaryFolder()

  @Test func `a server and two workers killed in the middle lose and double nothing`() async throws {
    let cluster = try await NATSCluster.started(folder, servers: 3, partitions: 4)
    let fleet = ["--devices", "60", "--seconds", "3000", "--start", "1700000000"]
    let fixes = folder("fixes.ndjson")
    let regions = folder("places.geojson")
    #expect(try await cluster.fleet(["simulate"] + fleet + ["--write", fixes]).status == 0)
    #expect(try await cluster.fleet(["simulate", "--regions", regions, "--count", "300"]).status == 0)
    let replay = try await Binary.run(["replay", "--batch", fixes, "-r", regions])
    let expected = FleetEvents.ofReplay(replay.stdout)
    #expect(expected.count > 100)
    let imported = try await cluster.fleet(["regions", "import", regions])
    #expect(imported.status == 0, "\(imported.stderr)")

    let workers = try ["w1", "w2", "w3", "w4"].map { try cluster.worker($0) }
    // About ten seconds of it; the kills lie in between.
    let publishing = try LiveProcess(
      NATSCluster.program, ["simulate", "--server", cluster.url, "--rate", "2000"] + fleet)
    let hasBegun = try await cluster.events(atLeast: 30)
    #expect(hasBegun.count >= 30)
    cluster.kill(2)
    workers[0].signal(SIGKILL)
    try await Task.sleep(for: .seconds(1))
    workers[1].signal(SIGKILL)
    // One that hangs for longer than its lease, and comes back.
    workers[2].signal(SIGSTOP)
    #expect(await publishing.finish() == 0, "\(publishing.stderr)")
    let events = try await cluster.events(atLeast: expected.count)
    workers[2].signal(SIGCONT)
    #expect(FleetEvents.difference(events, expected) == nil, "\(workers.map(\.stderr))")
    try await Task.sleep(for: .seconds(5))
    let later = try await cluster.events(atLeast: expected.count)
    #expect(FleetEvents.difference(later, expected) == nil, "\(workers.map(\.stderr))")
  }
}

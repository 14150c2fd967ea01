import Foundation
import TestSupport
import Testing

@testable import LocationFleet
@testable import LocationFormats

/// What the servers refuse, or do not do, is told soon, with what to do.
extension FleetWorkerTests {
  @Test func `snapshots and events that the cluster refuses are told, also by status`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1")
    let layout = try cluster.layout()
    /// Refuses what is new in a stream, or takes it again.
    func limit(_ name: String, _ most: Int) throws {
      let configuration = try layout.stream.demand("STREAM.INFO.\(name)")["config"] ?? .null
      let limited = JSONTree.object(["max_msgs": .integer(most), "discard": .string("new")])
      _ = try layout.stream.demand("STREAM.UPDATE.\(name)", limited.over(configuration))
    }
    for (stream, what) in [("KV_locwatch-devices", "snapshots of devices"), ("events", "events")] {
      try limit(stream, 1)
      let start = stream == "events" ? "1800000000" : "1700000000"
      let run = try await cluster.fleet([
        "simulate", "--devices", "20", "--seconds", "100", "--start", start,
      ])
      #expect(run.status == 0, "\(run)")
      let isTold = await eventually {
        worker.stderr.contains(
          "the cluster keeps no \(what): maximum messages exceeded; look at the stream's limits")
      }
      #expect(isTold, "\(worker.stderr)")
      let isShown = await eventually {
        let status = try await cluster.fleet(["status"])
        return status.stdout.contains("w1: the cluster keeps no \(what.prefix(6))")
      }
      #expect(isShown, "\(worker.stderr)")
      try limit(stream, -1)
      let isOver = await eventually {
        let status = try await cluster.fleet(["status"])
        return !status.stdout.contains("cluster keeps no")
          && status.stdout.contains(", 0 beyond the checkpoints")
      }
      #expect(isOver, "\(worker.stderr)")
    }
  }

  @Test func `a mapping to another number of partitions is found though there is a fleet`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 4)
    let layout = try cluster.layout()
    let before = try layout.stream.lastSequence(of: FleetLayout.fixes)
    let fine = try await cluster.fleet(["init"])
    #expect(fine.status == 0, "\(fine)")
    cluster.map(to: 8)
    let isFound = await eventually { try await cluster.fleet(["init"]).status == 78 }
    #expect(isFound)
    let run = try await cluster.fleet(["simulate", "--devices", "2", "--seconds", "20"])
    #expect(run.status == 78 && run.stderr.contains("do not map to 4 partitions"), "\(run)")
    #expect(try layout.stream.lastSequence(of: FleetLayout.fixes) == before, "the question is not kept")
  }

  @Test func `a server that is gone is told of, and nobody is taken for a namesake when it is back`()
    async throws
  {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let worker = try cluster.worker("w1")
    let follower = try LiveProcess(NATSCluster.program, ["events", "--follow", "--server", cluster.url])
    #expect(await worker.wait { _ in worker.stderr.contains("has partition 1") }, "\(worker.stderr)")
    cluster.kill(0)
    _ = await cluster.servers[0].process?.finish()
    for process in [worker, follower] {
      #expect(
        await process.wait { _ in process.stderr.contains("is lost; it is tried again") }, "\(process.stderr)"
      )
    }
    // The sign of life was sent again by then, so that several are on their way.
    #expect(await worker.wait { _ in worker.stderr.contains("it is asked again") }, "\(worker.stderr)")
    try cluster.start(0)
    for process in [worker, follower] {
      #expect(await process.wait { _ in process.stderr.contains("is there again") }, "\(process.stderr)")
    }
    let goesOn = await eventually { try await cluster.fleet(["status"]).status == 0 }
    #expect(goesOn && !worker.stderr.contains("another worker is called"), "\(worker.stderr)")
  }

  @Test func `one whose password was changed ends with what to check`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let worker = try cluster.worker("w1", url: cluster.urlOfDenied)
    #expect(await worker.wait { _ in worker.stderr.contains("has partition 0") }, "\(worker.stderr)")
    cluster.changePassword()
    #expect(await worker.finish() == 77, "\(worker.stderr)")
    #expect(worker.stderr.contains("is closed: Authorization Violation; check --creds"), "\(worker.stderr)")
  }

  @Test func `a server without JetStream is told of while it is waited for`() async throws {
    let cluster = try NATSCluster(folder, partitions: 1)
    try cluster.startWithoutJetStream()
    #expect(
      await eventually {
        _ = try cluster.layout()
        return true
      })
    let run = try LiveProcess(NATSCluster.program, ["init", "--server", cluster.url])
    #expect(
      await run.wait { _ in run.stderr.contains("has no JetStream; it is asked again") }, "\(run.stderr)")
    #expect(await run.finish() == 69)
    #expect(run.stderr.contains("put a jetstream block into the servers' configuration"), "\(run.stderr)")
  }
}

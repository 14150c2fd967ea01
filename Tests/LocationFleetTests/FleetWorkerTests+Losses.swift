import Foundation
import TestSupport
import Testing

@testable import LocationFleet

/// What was damaged or lost, and how workers go on.
extension FleetWorkerTests {
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
    #expect(try await fixes(of: 1) == 0)
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
    let isShown = await eventually {
      let status = try await cluster.fleet(["status"])
      return status.status == 1 && status.stdout.contains("partition 0: the snapshot of u/")
    }
    #expect(isShown, "\(second.stderr)")
    let report = try await cluster.fleet(["device", "u/\(devices[0])"])
    #expect(report.status == 65 && report.stderr.contains("Docs/Fleet.md"), "\(report)")
    let ids = try await cluster.events(atLeast: 1).compactMap { $0.firstMatch(of: /"seq":\d+,"id":\d+,/)?.0 }
    #expect(!ids.isEmpty && Set(ids).count == ids.count, "\(ids)")
    // What its remedy says.
    try layout.devices.remove(damaged)
    let isTaken = await eventually {
      let status = try await cluster.fleet(["status"]).stdout
      return try await fixes(of: 0) == 1 && status.contains(", 0 beyond the checkpoints")
    }
    #expect(isTaken, "\(second.stderr)")
    #expect(try await cluster.fleet(["status"]).stdout.contains(", 4 devices\n"))
  }

  @Test func `a damaged checkpoint is told, and what there is to tell of the others`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let layout = try cluster.layout()
    try layout.fleet.put("partition.1", Array("garbage".utf8))
    let worker = try cluster.worker("w1")
    let isTaken = await eventually {
      try await cluster.fleet(["status"]).stdout.contains("1 worker, 2 partitions (1 without a worker)")
    }
    #expect(isTaken, "\(worker.stderr)")
    let status = try await cluster.fleet(["status"])
    #expect(status.status == 1 && status.stdout.contains("the checkpoint of partition 1 can't be read"))
    let metrics = try await cluster.fleet(["metrics"])
    #expect(metrics.status == 0 && metrics.stdout.contains("locwatch_fleet_partitions_orphaned 1\n"))
    let json = try await cluster.fleet(["status", "--json"])
    // The report leaves out what is not known.
    #expect(json.stdout.matches(of: /"checkpoint":\{/).count == 1 && !json.stdout.contains("null"), "\(json)")
    #expect(json.stdout.matches(of: /"number":/).count == 2, "\(json)")
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

  /// The copy was made while the worker ran, or after it had ended and given everything back.
  @Test(arguments: [false, true])
  func `a worker that runs takes its share anew after an older copy of all files was put back`(
    hasEnded: Bool
  ) async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 2)
    let layout = try cluster.layout()
    let files = folder("js0")
    let copy = folder("copy")
    func restart(meanwhile: () throws -> Void) async throws {
      cluster.servers[0].process?.signal(SIGTERM)
      _ = await cluster.servers[0].process?.finish()
      try meanwhile()
      try cluster.start(0)
      // A worker that starts before the server listens ends.
      #expect(await eventually { try await cluster.fleet(["devices"]).status == 0 })
    }
    func importRegion(_ id: String) async throws -> String {
      let feature =
        #"{"type":"Feature","id":"\#(id)","properties":{"radius_m":100},"geometry":"#
        + #"{"type":"Point","coordinates":[11.5,48.1]}}"#
      return try await cluster.fleet(["regions", "import", "-"], stdin: feature).stdout
    }
    func isInside(_ region: String, after fixes: Range<Int>) async throws -> Bool {
      for fix in fixes { try await publish(fix: fix, to: "owntracks/alice/phone", of: cluster) }
      return await eventually {
        let status = try await cluster.fleet(["status"]).stdout
        let device = try await cluster.fleet(["device", "alice/phone"]).stdout
        return device.contains("inside    \(region)") && status.contains("1 worker, 2 partitions, ")
          && status.contains(", 0 beyond the checkpoints")
      }
    }
    var worker = try cluster.worker("w1")
    #expect(try await isInside("no region", after: 0..<3), "\(worker.stderr)")
    if hasEnded {
      worker.signal(SIGTERM)
      #expect(await worker.finish() == 0, "\(worker.stderr)")
    }
    try await restart { try FileManager.default.copyItem(atPath: files, toPath: copy) }
    if hasEnded { worker = try cluster.worker("w1") }
    let copied = try #require(try layout.leases.get("worker.w1")).revision
    #expect(try await importRegion("lost") == "version 1: 1 region\n")
    #expect(try await isInside("lost", after: 3..<9), "\(worker.stderr)")
    // More than the worker writes in the time of this test.
    for number in 1...200 { try layout.leases.put("other", [UInt8(number)]) }
    let isRenewed = await eventually {
      try layout.leases.get("worker.w1").map { $0.revision > copied + 200 } ?? false
    }
    #expect(isRenewed, "\(worker.stderr)")
    try await restart {
      try FileManager.default.removeItem(atPath: files)
      try FileManager.default.moveItem(atPath: copy, toPath: files)
    }
    let isNoticed = await eventually {
      worker.stderr.contains("an older copy of the store of leases was put back")
    }
    #expect(isNoticed && !worker.stderr.contains("is called w1 too"), "\(worker.stderr)")
    // The number of a version is given out again.
    #expect(try await importRegion("new") == "version 1: 1 region\n")
    #expect(try await isInside("new", after: 3..<9), "\(worker.stderr)")
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
}

import Foundation
import TestSupport
import Testing

@testable import LocationFleet

/// Regions that change while a fleet runs.
extension FleetWorkerTests {
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
    #expect(try await cluster.fleet(["regions", "remove", "home"]).status == 1)
    // The history has the events that were published, by the regions of each moment.
    let published = try await cluster.events(atLeast: lines.count)
    let replayed = try await cluster.fleet(["replay", "alice/phone"]).stdout.split(separator: "\n").map(
      String.init)
    #expect(
      FleetEvents.difference(replayed, published.map(FleetEvents.unnumbered).sorted()) == nil,
      "\(replayed) \(published)")
    for region in ["home", "other"] {
      let line = try #require(published.first { $0.contains(#""region":"\#(region)""#) })
      let id = try #require(line.firstMatch(of: /"id":(\d+)/)).1
      for asked in [["--event", "\(id)"], ["--region", region]] {
        let explained = try await cluster.fleet(["explain", "alice/phone"] + asked)
        #expect(explained.status == 0 && explained.stdout.contains(region), "\(explained)")
        #expect(explained.stderr.contains("the regions changed 4 times during these fixes"), "\(explained)")
      }
    }
    let unknown = try await cluster.fleet(["explain", "alice/phone", "--event", "123456"])
    #expect(unknown.status == 1 && unknown.stderr.contains("no event has this id"), "\(unknown)")
    // The regions at a moment, however it is written: at the 8th fix there was home alone.
    let moment = try await cluster.fleet([
      "explain", "alice/phone", "--region", "home", "--at", "2023-11-14T23:14:30+01:00",
    ])
    #expect(moment.status == 0 && moment.stderr.contains("those of version 1"), "\(moment)")
  }

  @Test func `regions are added, moved, renamed and asked about as on one machine`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    func regions(_ words: [String]) async throws -> Binary.Result {
      try await cluster.fleet(["regions"] + words)
    }
    let added = try await regions(["add", "home", "--circle", "48.1,11.5,100", "--initial", "event"])
    #expect(added.status == 0 && added.stdout.hasSuffix("version 1: 1 region\n"), "\(added)")
    #expect(try await regions(["add", "pier", "--circle", "48.2,11.5,80"]).status == 0)
    // The other region has not changed.
    #expect(try await regions(["list"]).stdout.contains(#/home +1\npier +2/#))
    let shown = try await regions(["show", "home"])
    #expect(shown.status == 0 && shown.stdout.contains("100"), "\(shown)")
    #expect(try await regions(["near", "48.2,11.5"]).stdout.contains("pier"))
    let slip = try await regions(["add", "x", "--circle", "48.1"])
    #expect(slip.status == 64 && slip.stderr.split(separator: "\n").count == 1, "\(slip)")
    #expect(try await regions(["rename", "pier", "quay"]).stdout.hasSuffix("version 3: 2 regions\n"))
    #expect(try await regions(["move", "quay", "48.3,11.5"]).stdout.hasSuffix("version 4: 2 regions\n"))
    #expect(try await regions(["export"]).stdout.contains("48.3"))
    #expect(try await regions(["check"]).status == 0)
    let lines = try await regions(["list", "--format", "ndjson"]).stdout
    #expect(lines == "{\"id\":\"home\",\"since\":1}\n{\"id\":\"quay\",\"since\":4}\n", "\(lines)")
    let south = try await regions(["near", "--", "-33.8,151"])
    #expect(south.status == 0 && south.stdout.contains("home"), "\(south)")
    let help = try await Binary.run(["regions", "add", "--help"], executable: NATSCluster.program)
    #expect(help.status == 0 && help.stdout.contains("--circle"), "\(help)")
    // Somebody else changes them while an editor is open.
    let editor = folder.write(
      "editor.sh",
      """
      #!/bin/sh
      \(NATSCluster.program) regions add meanwhile --circle 49,11.5,100
      sed -i 's/48.1/48.15/' "$1"

      """)
    try #require(unsafe chmod(editor, 0o755) == 0)
    let edited = try await Binary.run(
      ["regions", "edit", "home"],
      environment: ["NATS_URL": cluster.url, "EDITOR": editor, "VISUAL": editor],
      executable: NATSCluster.program)
    #expect(edited.status == 75 && edited.stderr.contains("at the same time"), "\(edited)")
    #expect(try await regions(["list"]).stdout.contains("meanwhile"))
  }

  @Test func `a region of beacons is told to be of no use`() async throws {
    let cluster = try await NATSCluster.started(folder, partitions: 1)
    let feature =
      #"{"type":"Feature","id":"desk","properties":{"#
      + #""beacon":"01020304-0506-0708-090a-0b0c0d0e0f10:1:2"},"geometry":null}"#
    let run = try await cluster.fleet(["regions", "import", "-"], stdin: feature)
    #expect(run.status == 0 && run.stderr.contains(#"warning: "desk" is a region of beacons"#), "\(run)")
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
    for version in 1...67 { #expect(try await imported(100 + version) == "version \(version): 1 region\n") }
    #expect(try await imported(167) == "version 67: 1 region, as before\n")
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
    #expect(worker.stderr.contains("version 1 of the regions: 1 region, of version 4"), "\(worker.stderr)")
    #expect(try await cluster.fleet(["device", "*/phone"]).status == 64)
    // More servers than there are.
    let replicas = try await cluster.fleet(["init", "--partitions", "1", "--replicas", "3"])
    #expect(replicas.status == 78 && replicas.stderr.contains("--replicas 1"), "\(replicas.stderr)")
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
    #expect(try await importRegions(["a"]) == "version 1: 1 region\n")
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
    #expect(worker.stderr.contains("version 2 of the regions: 1 region, of version 1"), "\(worker.stderr)")
    #expect(try await importRegions(["a"]) == "version 3: 1 region\n")
    #expect(try await importRegions(["a"]) == "version 3: 1 region, as before\n")
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
    #expect(imported.stdout == "version 1: 1 region\n", "\(imported)")
    let worker = try cluster.worker("w1")
    let isWatched = await eventually {
      worker.stderr.contains("partition 0 watches version 1 of the regions")
    }
    #expect(isWatched, "\(worker.stderr)")
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
    // No region was ever there, so that nobody is told of any.
    let told = try await cluster.fleet(["regions", "announce"])
    #expect(told.stdout == "there are no regions to tell of\n", "\(told)")
    let metrics = try await cluster.fleet(["metrics"])
    #expect(metrics.stdout.contains("locwatch_fleet_stream_dead_letters 0\n"), "\(metrics)")
  }
}

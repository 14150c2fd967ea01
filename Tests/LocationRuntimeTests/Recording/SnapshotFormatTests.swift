import LocationCore
import LocationFormats
import LocationRuntime
import TestSupport
import Testing

@testable import LocationLab

/// Snapshots of engines as JSON.
@Suite struct SnapshotFormatTests {
  private struct NoRecords: RecordSink {
    mutating func receive(_ record: Record) {}
  }

  /// Replays a track with its regions, subscribers and scenario; `body` sees the engine after each 20 reports.
  private static func replay(_ track: ShippedTrack, body: (borrowing Engine) throws -> Void) throws {
    var request = ReplayRequest()
    request.regions = try RegionFile.read(path: PackageRoot.file(track.regions)).regions
    request.subscribers = [try SubscriberManifest.read(path: PackageRoot.file(track.subscriber))]
    request.scenario = try Scenario(
      path: PackageRoot.file(track.scenario), subscribers: request.subscribers.map(\.name))
    var reader = try TrackReader(path: PackageRoot.file(track.track))
    var replay = TrackReplay(request, to: NoRecords())
    var items: [TrackItem] = []
    var count = 0
    while try reader.read(into: &items) {
      for item in items {
        replay.take(item)
        count += 1
        if count % 20 == 0 { try body(replay.engine) }
      }
      items.removeAll(keepingCapacity: true)
    }
    try body(replay.engine)
  }

  /// The paths of the members of a tree.
  private static func paths(_ tree: JSONTree, _ path: String, into found: inout Set<String>) {
    switch tree {
    case .object(let members):
      for member in members { paths(member.value, "\(path).\(member.key)", into: &found) }
    case .array(let elements):
      for element in elements { paths(element, path + "[]", into: &found) }
    case .string, .number, .boolean, .null: found.insert(path)
    }
  }

  @Test func `the members of the present version are those of its golden`() throws {
    var found: Set<String> = []
    for track in ShippedTrack.all where !track.track.hasSuffix(".gz") {
      try Self.replay(track) { engine in
        Self.paths(try SnapshotFormat.tree(of: engine.snapshotWithoutRegions), "", into: &found)
      }
    }
    // In a replay a notification is shown as soon as it is due.
    var engine = Engine()
    var effects: [Effect] = []
    let events: [Event] = [
      .addSubscriber(Subscriber(name: "a", services: []), .suspended),
      .subscriber(name: "a", .mode(.notify(LocalNotification(id: "n", title: "t", when: .now)))),
    ]
    for event in events { engine.handle(Stamped(at: Drive.instant(0), event), into: &effects) }
    Self.paths(try SnapshotFormat.tree(of: engine.snapshotWithoutRegions), "", into: &found)
    #expect(found.count > 100)
    Golden.expect(
      "Tests/Fixtures/snapshot-\(SnapshotFormat.version).txt",
      found.sorted().joined(separator: "\n") + "\n")
  }

  @Test func `no settings are in it, and it comes back whole`() throws {
    let track = try #require(ShippedTrack.all.first { $0.slug == "commute-with-stops" })
    var count = 0
    try Self.replay(track) { engine in
      let snapshot = engine.snapshot
      let tree = try SnapshotFormat.tree(of: snapshot)
      #expect(!tree.text.contains("configuration") && !tree.text.contains("profile"))
      #expect(try SnapshotFormat.snapshot(of: tree, configuration: snapshot.configuration) == snapshot)
      count += 1
    }
    #expect(count > 10)
  }

  @Test(
    arguments: [["state", "tally", "rejected"], ["state", "ledger", "receiverLane", "open", "millionths"]])
  func `a list without an element for each case is refused`(_ path: [String]) throws {
    let track = try #require(ShippedTrack.all.first { $0.slug == "commute-with-stops" })
    try Self.replay(track) { engine in
      let snapshot = engine.snapshot
      let tree = try SnapshotFormat.tree(of: snapshot)
      let broken = Self.replacing(path[...], in: tree, with: .array([.number("1")]))
      #expect(broken != tree)
      #expect(throws: SnapshotFormat.Trouble.self) {
        try SnapshotFormat.snapshot(of: broken, configuration: snapshot.configuration)
      }
    }
  }

  /// A tree with another value at a path; the same tree where it has no such path.
  private static func replacing(
    _ path: ArraySlice<String>, in tree: JSONTree, with value: JSONTree
  ) -> JSONTree {
    guard let key = path.first else { return value }
    guard case .object(let members) = tree else { return tree }
    return .object(
      members.map { member in
        guard member.key == key else { return member }
        return JSONTree.Member(key: key, value: replacing(path.dropFirst(), in: member.value, with: value))
      })
  }

  @Test func `counts of region events stand in the order of their names`() throws {
    let track = try #require(ShippedTrack.all.first { $0.slug == "commute-with-stops" })
    var most = 0
    try Self.replay(track) { engine in
      let tally = try SnapshotFormat.tree(of: engine.snapshot)["state"]?["tally"]
      guard case .object(let counts)? = tally?["regions"] else {
        Issue.record("no counts of region events")
        return
      }
      #expect(counts.map(\.key) == counts.map(\.key).sorted())
      most = max(most, counts.count)
    }
    #expect(most > 1)
  }

  @Test func `an engine that has seen nothing is the same under any settings`() throws {
    var other = EngineConfiguration.standard
    other.gate.maxSpeedMetersPerSecond += 1
    other.visits.confirmedSeconds += 1
    other.sampling.mode = .adaptive
    other.policy.protectUntilFirstUnlock.toggle()
    other.profile = .pinephone
    other.explains = true
    other.regions.regionLimit -= 1
    let trees = try [EngineConfiguration.standard, other].map {
      try SnapshotFormat.tree(of: Engine(configuration: $0).snapshot)
    }
    #expect(trees[0] == trees[1])
  }

  @Test func `other settings take effect with the state that there was`() throws {
    let track = try #require(ShippedTrack.all.first { $0.slug == "commute-with-stops" })
    var other = EngineConfiguration.standard
    other.profile = .pinephone
    other.visits.confirmedSeconds += 60
    try Self.replay(track) { engine in
      let changed = try engine.snapshot.configured(other).restored()
      #expect(changed.configuration == other)
      #expect(changed.ledger.profile == other.profile)
      let back = try changed.snapshot.configured(engine.configuration).restored()
      #expect(back.snapshot == engine.snapshot)
    }
  }

  @Test func `a snapshot of a later version, or none, is told`() throws {
    func trouble(_ json: String) throws -> SnapshotFormat.Trouble? {
      let tree = try JSONTree(Array(json.utf8))
      do throws(SnapshotFormat.Trouble) {
        _ = try SnapshotFormat.snapshot(of: tree, configuration: EngineConfiguration())
        return nil
      } catch {
        return error
      }
    }
    guard case .later(version: 7) = try trouble(#"{"version":7,"state":{},"regions":{}}"#) else {
      Issue.record("a later version is not told")
      return
    }
    for json in [#"{"version":0}"#, #"{"version":"2"}"#, "[]", "{}", #"{"version":2,"state":3}"#] {
      guard case .unreadable = try trouble(json) else {
        Issue.record("\(json) is read")
        continue
      }
    }
  }
}

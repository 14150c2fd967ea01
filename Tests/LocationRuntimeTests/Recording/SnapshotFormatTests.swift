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

  /// A program with every mode says something of each, and something comes of each; `body` sees the engine after it.
  private static func useModes(body: (borrowing Engine) throws -> Void) throws {
    var subscriber = Subscriber(
      name: "a",
      modes: [
        .audio, .voip, .fetch, .remoteNotification, .newsstandContent, .externalAccessory, .bluetoothCentral,
      ])
    subscriber.issues = IssueTerms(url: "https://example.net/latest", intervalSeconds: 604_800)
    subscriber.fetch = FetchTerms()
    let service = try #require(AdvertisedService(type: "_http._tcp", port: 8_080))
    let meter = AccessoryTerms(session: "meter", device: "/dev/ttyUSB0")
    let content = LocalNotification(title: "Mail", when: .now).content
    let said: [ModeEvent] = [
      .notify(LocalNotification(id: "tea", title: "Tea", when: .after(seconds: 3_600))),
      .notify(LocalNotification(id: "now", title: "Now", when: .now)),
      .keepAlive(seconds: 900), .tag("mail"), .advertise(service),
      .audio(.begin(.play, mixes: false)), .audio(.level(decibels: -90)),
      .push(Push(id: "p1", alert: content, isContentAvailable: true, payload: "{}")),
      .push(Push(id: "p2", isContentAvailable: true, issue: "june", payload: "{}")),
      .transfer(TransferTerms(session: "maps")), .transferAsks(number: 1), .answerTransfer(number: 1),
      .transferBroke(number: 1, retrySeconds: 60), .transfer(TransferTerms(session: "maps", kind: .put)),
      .transferEnded(number: 2, .done, bytes: 10),
      .accessory(.open(meter)), .accessory(.connected(session: "meter")),
      .accessory(.data(session: "meter", bytes: 64, lost: nil)), .fetched(.newData, bytes: 10),
    ]
    var engine = Engine(configuration: .standard)
    var effects: [Effect] = []
    var second = 0.0
    func handle(_ event: Event) throws {
      engine.handle(Stamped(at: Drive.instant(second), event), into: &effects)
      second += 1
      try body(engine)
    }
    try handle(.addSubscriber(subscriber, .active))
    for event in said { try handle(.subscriber(name: "a", .mode(event))) }
    try handle(.subscriber(name: "a", .background))
    for seconds in [10.0, 60, 1_000, 4_000] {
      second += seconds
      engine.advance(to: Drive.instant(second), into: &effects)
      try body(engine)
      for number in 3...6 {
        try handle(
          .subscriber(
            name: "a",
            .mode(.push(Push(id: "p\(number) \(seconds)", isContentAvailable: true, payload: "{}")))))
      }
      try handle(.subscriber(name: "a", .mode(.traffic(tag: "mail", bytes: 10, lost: nil))))
      try handle(.subscriber(name: "a", .mode(.accessory(.data(session: "meter", bytes: 64, lost: 1)))))
      try handle(.subscriber(name: "a", .mode(.listens)))
    }
    try handle(.subscriber(name: "a", .exited(status: 3)))
  }

  /// Snapshots of engines that have been through much.
  private static func everything(body: (JSONTree) throws -> Void) throws {
    try useModes { try body(SnapshotFormat.tree(of: $0.snapshotWithoutRegions)) }
    for track in ShippedTrack.all where !track.track.hasSuffix(".gz") {
      try replay(track) { try body(SnapshotFormat.tree(of: $0.snapshotWithoutRegions)) }
    }
  }

  /// What a build has written, every later one reads: a member that became mandatory, was renamed or is gone is found
  /// here. LOCWATCH_RECORD=1 adds lines for members that are new, and changes none that are there.
  @Test(arguments: 2...SnapshotFormat.version)
  func `engines that were stored with every mode in use come back whole`(version: Int) throws {
    let file = "Tests/Fixtures/snapshots-\(version).ndjson"
    let text = String(decoding: (try? FileBytes.read(path: PackageRoot.file(file))) ?? [], as: UTF8.self)
    var known: Set<String> = []
    for line in text.split(separator: "\n") {
      let tree = try JSONTree(Array(line.utf8))
      let snapshot = try SnapshotFormat.snapshot(of: tree, configuration: .standard)
      var (stored, again): (Set<String>, Set<String>) = ([], [])
      Self.paths(tree, "", into: &stored)
      known.formUnion(stored)
      guard version == SnapshotFormat.version else { continue }
      Self.paths(try SnapshotFormat.tree(of: snapshot), "", into: &again)
      #expect(stored.isSubset(of: again), "\(stored.subtracting(again))")
    }
    guard version == SnapshotFormat.version else { return }
    var added = ""
    try Self.everything { tree in
      var found: Set<String> = []
      Self.paths(tree, "", into: &found)
      if !found.isSubset(of: known) { added += tree.text + "\n" }
      known.formUnion(found)
    }
    Golden.expect(file, text + added)
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
    try Self.everything { Self.paths($0, "", into: &found) }
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

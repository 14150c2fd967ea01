import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationLab
@testable import LocationRuntime

/// `Docs/Wire.md` names every key of an explanation, and no other.
@Suite struct ExplanationDocTests {
  /// One that has everything.
  private static let whole: Explanation = {
    let time = UTCTime(microseconds: 1_777_615_200_000_000)
    let instant = EngineInstant(microseconds: time.microseconds)
    let place = Coordinate(uncheckedLatitude: 48, longitude: 11)
    let accuracy = Accuracy(radiusMeters: 5, source: .reported)
    let report = FixReport(time: time, latitude: 48, longitude: 11, accuracy: accuracy)
    let decision = Decision(
      subscriber: "a", action: .wake, rule: .regions, before: .suspended, after: .background, event: 1,
      reason: .suspended)
    let record = JSONTree(Record(id: 2, time: time, body: .decision(decision)))
    let verdict = RegionVerdict(
      region: "home", before: .outside, after: .outside, edgeMeters: -10, sigmaMeters: 3,
      probabilityInside: 0.9, clearMeters: 13, heldMeters: 10, clearFixes: 1, heldSeconds: 2, reason: .weak)
    let need = RegionNeed(
      way: .clear, beyondMeters: 1, lackingMeters: 2, radiusMeters: 3, probability: 0.95,
      fixes: RegionNeed.Tally(have: 0, need: 3), seconds: RegionNeed.Span(have: 0, need: 20))
    var session = Session(subscriber: Subscriber(name: "a"))
    session.wasForceQuit = true
    session.modes.fetch = FetchState(at: instant)
    session.modes.keepAlive = KeepAliveState(seconds: 900, from: instant)
    session.modes.sockets = ["sip"]
    session.modes.advertised = AdvertisedServices(
      services: [AdvertisedService(type: "_sip._udp", port: 5060)].compactMap { $0 })
    session.modes.audio = AudioState()
    session.modes.audio?.sessions = [AudioState.Session(token: 1, kind: .play, mixes: false)]
    session.modes.accessories = AccessoryState()
    session.modes.accessories?.sessions = [
      AccessoryState.Session(terms: AccessoryTerms(session: "meter", device: "/dev/ttyUSB0"))
    ]
    session.modes.transfers = TransferBook()
    session.modes.transfers?.add(TransferTerms(session: "maps"), at: instant)
    session.modes.issues = IssueState(at: instant)
    session.modes.issues?.name = "nov"
    session.modes.accessories?.isBluetoothDenied = true
    var whole = Explanation(time: time)
    whole.knownUntil = time
    whole.event = record
    whole.decisions = [record]
    whole.report = Record(id: 1, time: time, body: .fixRejected(.speed, report))
    whole.fix = Fix(time: time, instant: instant, coordinate: place, accuracy: accuracy)
    whole.error = ErrorEstimate(factor: 1.5, basis: .rest, isMoving: false, restBlocks: 3)
    whole.receiver = record
    whole.source = record
    whole.move = SignificantChange.Standing(
      movedMeters: 1, requiredMeters: 500, sinceSeconds: 10, windowSeconds: 290)
    whole.stay = VisitMonitor.Standing(
      stage: .moving, staySeconds: 100, requiredSeconds: 300, driftMeters: 120, driftLimitMeters: 100)
    whole.places = [
      Explanation.Place(
        region: "home", state: .outside, verdict: verdict, needs: [need], last: record, next: record)
    ]
    let outcome = Explanation.Outcome(service: .regions, region: "home", decision: decision)
    whole.listeners = [
      Explanation.Listener(
        view: SubscriberView(session, Policy.Configuration()), last: record, outcomes: [outcome])
    ]
    return whole
  }()

  /// Lists of objects that have tables of their own.
  private static let lists: Set = ["regions", "subscribers", "needs"]

  private func keys(of tree: JSONTree) -> Set<String> {
    guard case .object(let members) = tree else { return [] }
    return members.reduce(into: []) { keys, member in
      keys.insert(member.key)
      if Self.lists.contains(member.key), case .array(let elements) = member.value {
        for element in elements { keys.formUnion(self.keys(of: element)) }
      }
    }
  }

  @Test func `every key of an explanation is described, and no other`() throws {
    let section = try #require(try Markdown("Docs/Wire.md").section("`explain --json`"))
    let described = Set(Markdown.rows(in: section).flatMap { Markdown.codes(in: $0[0]) })
    #expect(keys(of: Self.whole.tree).subtracting(["v", "type"]) == described)
    for (list, inner) in [
      ("report", nil), ("fix", nil), ("significant", nil), ("visit", nil), ("subscribers", "would"),
    ] {
      var tree = Self.whole.tree[list]
      if let inner, case .array(let elements) = tree { tree = elements.first?[inner] }
      if case .array(let elements) = tree { tree = elements.first }
      for key in keys(of: try #require(tree)) { #expect(section.contains("`\(key)`"), "\(list): \(key)") }
    }
  }

  @Test func `what the modes of a subscriber say is explained in sentences`() {
    let lines = Self.whole.text(in: .utc).split(separator: "\n").map {
      $0.split(separator: " ").joined(separator: " ")
    }
    let expected = [
      "fetch score 0.50 (G3); never, by its manifest",
      "keep-alive called after 15 min, or from 11 min 15 s on if the machine is awake; "
        + "in low-power mode from 7 min 30 s on (E2)",
      "sockets sip: watched while it is suspended (E4)", "audio session 1 (play) is sounding (F1)",
      "accessory session meter waits for its device (J1)",
      "service _sip._udp at port 5060 is published while it runs (K6)", "transfers 1 open (I1)",
      "issue nov was there last (I5)", "denied by the user: bluetooth",
    ]
    #expect(lines.filter(expected.contains) == expected)
    #expect(expected.count == ModeMember.all.count)
  }

  @Test func `every code has its words`() {
    for reason in RegionVerdict.Reason.allCases { #expect(!reason.phrase.isEmpty) }
    let phrases = RejectReason.allCases.map { $0.phrase(FixGate.Configuration(), in: .metric) }
    #expect(Set(phrases).count == phrases.count)
    #expect(
      Self.whole.text(in: .utc).contains(
        "taken as ±7.5 m (× 1.50): at rest the fixes spread more, over 15 min"))
    #expect(
      Self.whole.text(in: .utc).contains("this one lacks 2.0 m farther in, or ±3.0 m instead of ±5.0 m"))
  }
}

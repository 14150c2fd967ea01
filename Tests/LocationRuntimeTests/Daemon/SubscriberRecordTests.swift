import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// What `subscribers list` and `subscribers show` say.
@Suite struct SubscriberRecordTests {
  /// A program that uses every mode that says something.
  private static let view: SubscriberView = {
    let instant = Drive.instant(0)
    var session = Session(subscriber: Subscriber(name: "a", services: []))
    session.assertions = [.task(token: 1, name: "upload")]
    session.modes.fetch = FetchState(at: instant)
    session.modes.keepAlive = KeepAliveState(seconds: 900, from: instant)
    session.modes.sockets = ["sip"]
    session.modes.audio = AudioState()
    session.modes.audio?.sessions = [AudioState.Session(token: 1, kind: .play, mixes: false)]
    session.modes.accessories = AccessoryState()
    let meter = AccessoryTerms(session: "meter", device: "/dev/ttyUSB0")
    session.modes.accessories?.sessions = [
      AccessoryState.Session(terms: meter),
      AccessoryState.Session(
        terms: AccessoryTerms(session: "scale", device: "/dev/hidraw0"), isConnected: true),
    ]
    session.modes.transfers = TransferBook()
    session.modes.transfers?.add(TransferTerms(session: "maps"), at: instant)
    session.modes.advertised = AdvertisedServices(
      services: [AdvertisedService(type: "_x._tcp", port: 8000)].compactMap { $0 })
    session.modes.issues = IssueState(at: instant)
    session.modes.issues?.name = "nov"
    session.modes.audio?.mayRecord = false
    session.modes.accessories?.isAllowed = false
    return SubscriberView(session, Policy.Configuration())
  }()

  @Test func `a subscriber is shown with all that a status says of its modes and tasks`() throws {
    let view = Self.view
    #expect(view.modeMembers().map(\.key) == ModeMember.all.map { "\($0.key)" })
    let record = SubscriberRecord(view.subscriber, StatusReport.tree(of: view, at: Drive.instant(0)))
    var line = JSONLine()
    record.write(to: &line)
    let shown = try JSONTree(line.bytes)
    for member in view.modeMembers() { #expect(shown[member.key] == member.value, "\(member.key)") }
    #expect(shown["tasks"] == .strings(["upload"]))
    // Without a daemon no process is left.
    let stopped = StatusReport.tree(of: view, at: nil)
    for key in ["tasks", "audio", "sockets", "keep_alive_s", "advertised"] {
      #expect(shown[key] != nil && stopped[key] == nil, "\(key)")
    }
    for key in ["accessories", "transfers", "issue", "denied"] { #expect(stopped[key] != nil, "\(key)") }
  }

  @Test func `and in words`() {
    let view = Self.view
    let text = SubscriberRecord(view.subscriber, StatusReport.tree(of: view, at: Drive.instant(0))).text
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    let expected = [
      "fetch score 0.500", "keep-alive every 900.000 s at least", "sockets sip", "audio 1 play sounding",
      "accessories meter waits, scale connected", "advertised _x._tcp 8000", "transfers 1 open",
      "issue nov was there last", "denied microphone, accessory", "tasks upload",
    ]
    #expect(lines.suffix(expected.count) == expected[...])
  }
  @Test func `how long it is held back is told, and why`() throws {
    var session = Session(subscriber: Subscriber(name: "a"), state: .notRunning)
    session.relaunchAt = Drive.instant(90)
    session.throttledUntil = Drive.instant(60)
    func status(_ session: Session, at seconds: Double) -> JSONTree {
      let view = SubscriberView(session, Policy.Configuration())
      return StatusReport.tree(of: view, at: Drive.instant(seconds))
    }
    let held = status(session, at: 0)
    #expect(held["held_s"]?.double == 90 && held["held"] == .string("back_off"))
    let record = SubscriberRecord(session.subscriber, held)
    let words = "held back for another 1 min 30 s: its process ended before; the next start waits"
    #expect(record.row[1] == "notRunning, " + words)
    var line = JSONLine()
    record.write(to: &line)
    #expect(try JSONTree(line.bytes)["held_s"]?.double == 90)
    #expect(status(session, at: 90)["held_s"] == nil)
    // One that runs is started no more, but may be throttled.
    session.state = .suspended
    #expect(status(session, at: 0)["held"] == .string("throttled"))
    #expect(status(session, at: 60)["held"] == nil)
  }
}

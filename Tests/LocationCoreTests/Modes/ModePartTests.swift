import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// The parts of what the background modes remember.
@Suite struct ModePartTests {
  /// A suspended program of which each part that has deadlines has one.
  private static let busy: Policy = {
    let instant = Drive.instant(0)
    var subscriber = Subscriber(
      name: "a", services: [],
      modes: [.voip, .fetch, .remoteNotification, .newsstandContent, .externalAccessory])
    subscriber.issues = IssueTerms(url: "https://example.net/latest", intervalSeconds: 604_800)
    var session = Session(subscriber: subscriber)
    session.state = .suspended
    session.modes.restart = RestartState(dueAt: instant)
    session.modes.notifications = NotificationBook()
    let tea = LocalNotification(id: "tea", title: "Tea", when: .now)
    var entry = NotificationBook.Entry(id: "tea", notification: tea)
    entry.first = UTCTime(microseconds: instant.microseconds)
    session.modes.notifications?.put(entry)
    session.modes.keepAlive = KeepAliveState(seconds: 900, from: instant)
    session.modes.pushes = PushState()
    session.modes.pushes?.hold(at: instant, Policy.Configuration.Push())
    session.outbox.append(Session.Pending(event: 1, trigger: .silentPush))
    session.modes.transfers = TransferBook()
    session.modes.transfers?.add(TransferTerms(session: "maps"), at: instant)
    session.modes.issues = IssueState(at: instant)
    session.modes.accessories = AccessoryState()
    var meter = AccessoryState.Session(terms: AccessoryTerms(session: "meter", device: "/dev/ttyUSB0"))
    meter.merged = AccessoryState.Merged(until: instant)
    session.modes.accessories?.sessions = [meter]
    session.modes.fetch = FetchState(at: instant)
    var policy = Policy()
    policy.sessions = [session]
    return policy
  }()

  @Test func `what is due of a part is fired, and moves its deadline: the engine fires until nothing is due`()
    throws
  {
    for (place, part) in ModePart.all.enumerated() {
      guard let deadline = part.deadline else { continue }
      var policy = Self.busy
      let due = try #require(
        deadline(policy, policy.sessions[0]), "nothing of part \(place) is due here: give it a state")
      var turn = PolicyTurn(instant: due)
      policy.fireModes(isAwake: false, in: &turn)
      let next = deadline(policy, policy.sessions[0])
      #expect(next.map { $0 > due } ?? true, "part \(place)")
    }
  }

  @Test func `the lists have the rows of all files`() throws {
    let folder = PackageRoot.file("Sources/LocationCore/Modes/")
    let text = try FileManager.default.contentsOfDirectory(atPath: folder).map {
      try String(contentsOfFile: folder + $0, encoding: .utf8)
    }.joined()
    #expect(text.components(separatedBy: " = ModePart(").count - 1 == ModePart.all.count)
    #expect(text.components(separatedBy: " = BackgroundMode(").count - 1 == BackgroundMode.all.count)
    #expect(text.components(separatedBy: " = ModeMember(").count - 1 == ModeMember.all.count)
  }

  @Test func `what is said of a keep-alive and of fetches goes by the numbers in force`() {
    var configuration = Policy.Configuration()
    configuration.keepAlive.earliestShare = 0.3
    configuration.keepAlive.lowPowerShare = 0.1
    configuration.fetch.latestIntervals = 5
    let view = SubscriberView(Self.busy.sessions[0], configuration)
    #expect(
      ModeMember.keepAlive.sentences(view) == [
        "called after 15 min, or from 4 min 30 s on if the machine is awake; "
          + "in low-power mode from 1 min 30 s on (E2)"
      ])
    #expect(
      ModeMember.fetch.sentences(view) == [
        "score 0.50 (G3); 1 h from one good moment to the next, 5 h where nothing wakes the machine"
      ])
  }

  @Test func `a mode is used as soon as any part remembers something`() {
    #expect(!ModeState().isUsed)
    var state = ModeState()
    state.audio = AudioState()
    #expect(state.isUsed)
    state.audio = nil
    state.sockets = ["sip"]
    #expect(state.isUsed)
  }
}

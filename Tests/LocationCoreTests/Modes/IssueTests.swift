import TestSupport
import Testing

@testable import LocationCore

/// Rule I5: when an issue is wanted, what stands in its way, and the end of its transfers.
@Suite struct IssueTests {
  private static let week = 604_800.0
  private static let day = 86_400.0

  private static func subscriber(every seconds: Double? = week) -> Subscriber {
    var subscriber = Subscriber(
      name: "a", services: [], modes: [.newsstandContent], authorization: .denied)
    subscriber.issues = seconds.map { IssueTerms(url: "https://example.net/latest", intervalSeconds: $0) }
    return subscriber
  }

  private static func stage(
    _ state: SubscriberState = .suspended, every seconds: Double? = week,
    _ adjust: (inout EngineConfiguration) -> Void = { _ in }
  ) -> Stage {
    var stage = Stage(adjust)
    stage.add(subscriber(every: seconds), state, at: 0)
    return stage
  }

  private static func push(_ issue: String, id: String? = nil, alert: Bool = false) -> SubscriberEvent {
    let content = alert ? LocalNotification.Content(title: "t") : nil
    return .mode(.push(Push(id: id, alert: content, isContentAvailable: false, issue: issue, payload: "{}")))
  }

  private static func transfer(_ session: String, launches: Bool = true) -> SubscriberEvent {
    var terms = TransferTerms(session: session)
    terms.launchesEvents = launches
    return .mode(.transfer(terms))
  }

  private static func issues(_ stage: borrowing Stage) -> [String] {
    stage.effects.records.compactMap { if case .call(let call) = $0.body { call.issue } else { nil } }
  }

  // MARK: Wanted

  @Test(arguments: [(SubscriberState.suspended, "wake"), (.notRunning, "relaunch")])
  func `I5 each interval brings one, and wakes or relaunches`(state: SubscriberState, action: String) throws {
    var stage = Self.stage(state)
    stage.wait(until: Self.week - 1)
    #expect(stage.log() == [])
    stage.wait(until: Self.week)
    #expect(stage.log() == ["\(action) I5 \(state)>background issue_wanted"])
    let launches = stage.launches()
    let launch = try #require(launches.first)
    #expect(launch.kind == "issue")
    #expect(launch.cause == .issue)
    #expect(launch.session == "issue-1")
    #expect(launch.budgetSeconds == 30)
    stage.wait(until: 2 * Self.week)
    #expect(Self.issues(stage) == ["issue-1", "issue-2"])
  }

  @Test func `I5 a push brings the one that it names, one a day, and the interval counts from there`() {
    var stage = Self.stage()
    stage.say(10, Self.push("nov"))
    #expect(stage.log() == ["wake I5 suspended>background issue_wanted"])
    stage.say(11, Self.push("dec"))
    #expect(stage.log().last == "drop I5 suspended>suspended issue_limit")
    stage.say(10 + Self.day, Self.push("dec"))
    #expect(Self.issues(stage) == ["nov", "dec"])
    stage.wait(until: Self.week + Self.day + 9)
    #expect(Self.issues(stage).count == 2)
    stage.wait(until: Self.week + Self.day + 10)
    #expect(Self.issues(stage).last == "issue-1")
    // One that is found not to be new wakes nobody.
    stage.wait(until: Self.week + 1.5 * Self.day)
    let count = stage.log().count
    stage.say(Self.week + 1.9 * Self.day, Self.push("more"))
    #expect(stage.log().dropFirst(count) == ["drop I5 suspended>suspended issue_limit"])
  }

  @Test func `I5 no interval brings them sooner than is set`() {
    var stage = Self.stage { $0.policy.issues.leastSeconds = 2 * Self.week }
    stage.wait(until: 2 * Self.week - 1)
    #expect(stage.log() == [])
    stage.wait(until: 2 * Self.week)
    #expect(Self.issues(stage) == ["issue-1"])
  }

  @Test func `I5 a push brings another as soon as is set`() {
    var stage = Stage { $0.policy.issues.leastSeconds = 3600 }
    stage.add(Self.subscriber(every: nil), .suspended, at: 0)
    stage.say(10, Self.push("nov"))
    stage.say(3609, Self.push("dec"))
    #expect(stage.log().last == "drop I5 suspended>suspended issue_limit")
    stage.say(3610, Self.push("dec"))
    #expect(Self.issues(stage) == ["nov", "dec"])
  }

  @Test func `I5 without an interval only pushes bring one, and without the mode none`() {
    var stage = Self.stage(every: nil)
    stage.wait(until: 10 * Self.week)
    #expect(stage.log() == [])
    stage.say(10 * Self.week, Self.push("nov", id: "p", alert: true))
    #expect(stage.shown == ["p"])
    #expect(stage.log().contains("wake I5 suspended>background issue_wanted"))
    var plain = Stage()
    plain.add(Subscriber(name: "a", services: [], modes: [.remoteNotification]), .suspended, at: 0)
    plain.say(1, Self.push("nov"))
    #expect(plain.log() == ["refuse I5 suspended>suspended no_mode"])
    plain.say(2, Self.push("nov", alert: true))
    #expect(
      plain.log().dropFirst() == [
        "drop I5 suspended>suspended no_mode", "notify D3 suspended>suspended push",
      ])
    #expect(Self.issues(plain) == [])
    #expect(plain.shown.count == 1)
  }

  @Test func `I5 a running program is handed it`() {
    var stage = Self.stage(.active)
    stage.say(5, Self.push("nov"))
    #expect(stage.log() == ["deliver I5 active>active foreground"])
  }

  // MARK: Obstacles

  @Test func `I5 one that waits for low power to end goes then, and no other comes meanwhile`() {
    var stage = Self.stage(every: Self.day)
    stage.take(10, .machine(.lowPower(true)))
    stage.wait(until: 5 * Self.day)
    #expect(stage.log() == ["defer I5 suspended>suspended low_power"])
    #expect(stage.engine.subscriber("a")?.waiting.count == 1)
    stage.take(5 * Self.day + 10, .machine(.lowPower(false)))
    #expect(stage.log().last == "wake I5 suspended>background kept")
    #expect(Self.issues(stage) == ["issue-1"])
    stage.wait(until: 6 * Self.day)
    #expect(Self.issues(stage) == ["issue-1", "issue-2"])
  }

  @Test func `I5 a push puts its own in the place of one that waits`() {
    var stage = Self.stage(every: Self.day)
    stage.take(10, .machine(.lowPower(true)))
    stage.say(20, Self.push("nov"))
    stage.say(20 + Self.day, Self.push("dec"))
    #expect(
      stage.log() == [
        "defer I5 suspended>suspended low_power", "drop I5 suspended>suspended merged",
        "defer I5 suspended>suspended low_power",
      ])
    stage.take(30 + Self.day, .machine(.lowPower(false)))
    #expect(stage.engine.subscriber("a")?.waiting.count == 1)
    stage.wait(until: 60 + Self.day)
    #expect(stage.engine.subscriber("a")?.waiting.isEmpty == true)
  }

  @Test func `I5 after a force-quit it waits for a user launch`() {
    var stage = Self.stage()
    stage.say(10, .quit)
    stage.wait(until: Self.week)
    #expect(stage.log().last == "defer A7 notRunning>notRunning force_quit")
    stage.say(Self.week + 10, .foreground)
    #expect(stage.handed().count == 1)
  }

  @Test func `I5 before the first unlock it waits`() {
    var stage = Self.stage { $0.policy.protectUntilFirstUnlock = true }
    stage.take(10, .machine(.reboot))
    stage.say(20, Self.push("nov"))
    #expect(stage.log().last == "defer A8 notRunning>notRunning locked")
    stage.take(30, .machine(.unlock))
    #expect(stage.log().last == "relaunch A8 notRunning>background first_unlock")
    #expect(stage.launches().last?.eventKind == "issue")
  }

  // MARK: Done

  @Test(arguments: [true, false])
  func `I5 the end of its transfers relaunches, done or failed, whatever it asked`(isDone: Bool) {
    var stage = Self.stage(.notRunning)
    stage.say(10, Self.push("nov"))
    stage.say(10.05, Self.transfer("nov", launches: false))
    stage.say(10.05, Self.transfer("nov", launches: false))
    stage.say(20, .exited(status: 0))
    // It saves no energy to keep what is there.
    stage.take(30, .machine(.lowPower(true)))
    let first: TransferOutcome = isDone ? .done : .failed(.status, status: 404)
    stage.say(40, .mode(.transferEnded(number: 1, first, bytes: 1)))
    #expect(stage.state() == .notRunning)
    stage.say(50, .mode(.transferEnded(number: 2, .done, bytes: 1)))
    #expect(stage.log().contains("relaunch I5 notRunning>background issue_done"))
    let launch = stage.launches().last
    #expect(launch?.kind == "issue")
    #expect(launch?.session == "nov")
    #expect(launch?.budgetSeconds == 30)
    // The call and both results.
    #expect(stage.handed().count == 3)
  }

  @Test func `I5 one whose transfers outlast the next issue is done all the same`() {
    var stage = Self.stage(every: nil)
    stage.say(10, Self.push("nov"))
    stage.say(10.05, Self.transfer("nov", launches: false))
    stage.say(20 + Self.day, Self.push("dec"))
    stage.wait(until: 40 + Self.day)
    stage.say(50 + Self.day, .mode(.transferEnded(number: 1, .done, bytes: 1)))
    #expect(stage.log().contains("wake I5 suspended>background issue_done"))
    #expect(stage.launches().last?.session == "nov")
  }

  @Test func `I5 other sessions are no issue`() {
    var stage = Self.stage(.active)
    stage.say(1, Self.push("nov"))
    stage.say(2, Self.transfer("maps"))
    stage.say(3, .exited(status: 0))
    stage.say(4, .mode(.transferEnded(number: 1, .done, bytes: 1)))
    #expect(stage.log().contains("relaunch I2 notRunning>background transfers_done"))
  }

  @Test func `I5 what is remembered is stored, and forgotten with the mode`() throws {
    var stage = Self.stage()
    stage.say(10, Self.push("nov"))
    stage.take(20, .addSubscriber(Subscriber(name: "a", services: []), .suspended))
    stage.take(30, .addSubscriber(Self.subscriber(), .suspended))
    stage.say(40, Self.push("nov"))
    #expect(Self.issues(stage) == ["nov", "nov"])
    var state = ModeState()
    state.issues = IssueState(at: Drive.instant(1))
    state.issues?.name = "nov"
    #expect(try Coding.copy(state) == state)
    #expect(try Coding.copy(Self.subscriber()) == Self.subscriber())
  }

  @Test(arguments: [false, true])
  func `I5 M4 one that waits for the end of low-power mode is not handed over by another wake`(runs: Bool) {
    var stage = Stage()
    var subscriber = Self.subscriber()
    subscriber.services = [.significantChange]
    subscriber.authorization = .always
    stage.add(subscriber, .suspended, at: 0)
    stage.fix(0, east: 0)
    stage.take(10, .machine(.lowPower(true)))
    stage.say(100, Self.push("nov"))
    #expect(stage.log().last == "defer I5 suspended>suspended low_power")
    stage.hanging = runs ? ["a"] : []
    let before = stage.handed().count
    stage.fix(600, east: 2000)
    stage.wait(until: runs ? 605 : 650)
    #expect(stage.state() == (runs ? .background : .suspended))
    #expect(stage.handed().count == before + 1)
    stage.take(runs ? 606 : 700, .machine(.lowPower(false)))
    #expect(stage.handed().count == before + 2)
  }
}

import TestSupport
import Testing

@testable import LocationCore

/// How long a program may run in the background: rules C2, F1, K1 and K2.
@Suite struct TimeLimitTests {
  @Test func `C2 no delivery and no further task extends the time of tasks, and each is told by token`() {
    var stage = Stage()
    stage.add(.logger, .active)
    stage.say(0, .beginTask(name: "x"))
    stage.say(10, .background)
    for second in 11...38 {
      stage.fix(Double(second), east: Double(second) * 20)
      if second == 20 { stage.say(20.5, .beginTask(name: "y")) }
    }
    #expect(stage.warnings().map(\.task) == [1, 2] && stage.warnings().allSatisfy { $0.seconds == 5 })
    stage.say(38.5, .beginTask(name: "z"))
    #expect(stage.warnings().map(\.task) == [1, 2, 3])
    stage.wait(until: 40)
    #expect(stage.log().contains("terminate C3 background>notRunning task_open"))
  }

  @Test func `K1 a hung program is ended 10 s after it was handed something, however much more comes`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(.logger, .suspended)
    for second in 0...9 { stage.fix(Double(second), east: Double(second) * 20) }
    #expect(stage.state() == .background)
    stage.wait(until: 10)
    #expect(stage.log().contains("terminate K2 background>notRunning budget_over"))
  }

  @Test func `K2 what came due while nobody was there gets the time that was left`() {
    var stage = Stage.hung()
    stage.take(3, .machine(.absent(true)))
    stage.wait(until: 49)
    // Its answer is read before somebody is there again: it had nothing to overrun.
    stage.take(50, .machine(.absent(false)))
    stage.wait(until: 56.9)
    #expect(stage.state() == .background)
    stage.wait(until: 57)
    #expect(stage.log().last { !$0.hasPrefix("defer") } == "terminate K2 background>notRunning budget_over")
  }

  @Test func `K2 K5 what ran when the daemon ended has overrun nothing`() {
    var stage = Stage.hung()
    stage.take(3, .machine(.absent(true)))
    stage.hanging = []
    stage.say(90, .orphaned)
    #expect(stage.state() == .background)
    stage.take(90, .machine(.absent(false)))
    stage.wait(until: 200)
    #expect(!stage.log().contains { $0.contains(" K2 ") })
    #expect(stage.log().filter { $0.hasPrefix("relaunch") }.count == 1)
    #expect(stage.engine.subscriber("a")?.waiting == [])
  }

  @Test func `K2 a wake that began while nobody was there has its whole time`() {
    var stage = Stage.hung()
    stage.say(1, .exited(status: 0))
    stage.take(2, .machine(.absent(true)))
    stage.fix(300, east: 5_000)
    stage.take(400, .machine(.absent(false)))
    #expect(stage.state() == .background)
    stage.wait(until: 409)
    #expect(!stage.log().contains { $0.hasPrefix("terminate K2") })
    stage.wait(until: 411)
    #expect(stage.log().contains { $0.hasPrefix("terminate K2") })
  }

  @Test func `K1 leaving the foreground with something unacknowledged gives 10 s`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(.mover, .active)
    stage.fix(0, east: 0)
    stage.wait(until: 100)
    stage.say(100, .background)
    stage.wait(until: 109.9)
    #expect(stage.state() == .background)
    stage.wait(until: 110)
    #expect(stage.log().contains("terminate K2 background>notRunning budget_over"))
  }

  /// A program that audio keeps running, with a wake from 10 s to 70 s. It does not answer its last push.
  private static func heldByAudio() -> Stage {
    var stage = Stage()
    stage.answerSeconds = 25
    stage.add(Subscriber(name: "a", services: [], modes: [.audio, .remoteNotification]), .active, at: 0)
    stage.say(1, .mode(.audio(.begin(.play, mixes: false))))
    stage.say(2, .background)
    for (second, id) in [(10.0, "p"), (30, "q"), (50, "r")] {
      if id == "r" { stage.hanging = ["a"] }
      stage.say(second, .mode(.push(Push(id: id, isContentAvailable: true, payload: "{}"))))
    }
    return stage
  }

  @Test func `K1 so does leaving it after a wake that lasted as long as it may`() throws {
    var stage = Self.heldByAudio()
    // The wake ends at 70 s, and what it leaves has its 30 s from the move to the background.
    let event = try #require(stage.handed().last)
    stage.say(71, .foreground)
    stage.say(72, .background)
    stage.say(73, .mode(.audio(.end(token: 1))))
    stage.wait(until: 100)
    #expect(stage.state() == .background)
    stage.say(100, .acknowledged(event: event, coreSeconds: 0.1))
    #expect(stage.state() == .suspended)
  }

  @Test(arguments: [true, false])
  func `K1 what audio keeps running through the pause has another wake for what it has not acknowledged`(
    answers: Bool
  ) throws {
    var stage = Self.heldByAudio()
    // The wake ends at 70 s, the pause at 80 s.
    let event = try #require(stage.handed().last)
    if answers { stage.say(100, .acknowledged(event: event, coreSeconds: 0.1)) }
    stage.wait(until: 109)
    #expect(stage.state() == .background)
    stage.wait(until: 110)
    #expect(stage.state() == (answers ? .background : .notRunning))
  }

  @Test func `K1 a oneshot is not suspended between a hundred events and the next`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", style: .oneshot, services: [.regions]), .suspended)
    stage.take(0, .machine(.reboot))
    for _ in 0..<250 { stage.engine.raise(.region, region: "r", into: &stage.effects) }
    stage.wait(until: 1)
    stage.wait(until: 100)
    #expect(stage.engine.subscriber("a")?.waiting.isEmpty == true)
    #expect(!stage.log().contains { $0.contains("budget_over") })
  }

  private static let push = Push(id: "m", isContentAvailable: true, payload: "{}")

  @Test func `K1 a wake is as long as it is set to be`() {
    let cases: [(Subscriber.Modes, SubscriberEvent?, Double)] = [
      (.location, nil, 3), (.remoteNotification, .mode(.push(Self.push)), 5),
    ]
    for (mode, event, seconds) in cases {
      var stage = Stage {
        $0.policy.wakes.seconds = 3
        $0.policy.wakes.longSeconds = 5
      }
      stage.hanging = ["a"]
      var subscriber = Subscriber.logger
      subscriber.modes = mode
      stage.add(subscriber, .suspended)
      if let event { stage.say(0, event) } else { stage.fix(0, east: 0) }
      #expect(stage.launches().first?.budgetSeconds == seconds)
      stage.wait(until: seconds - 0.1)
      #expect(stage.state() == .background)
      stage.wait(until: seconds)
      #expect(stage.log().last == "terminate K2 background>notRunning budget_over")
    }
  }

  @Test func `K1 K5 a backlog of thousands arrives in order, 100 at once, and ends nobody`() {
    var stage = Stage { $0.policy.protectUntilFirstUnlock = true }
    stage.answerSeconds = 3
    stage.add(Subscriber(name: "a", services: [.regions]), .suspended)
    stage.take(0, .machine(.reboot))
    for _ in 0..<3_000 {
      stage.engine.raise(.region, region: "r", into: &stage.effects)
    }
    stage.take(1, .machine(.unlock))
    var most = 0
    for second in 2...900 {
      stage.wait(until: Double(second))
      most = max(most, stage.engine.state.policy.sessions[0].handedCount)
    }
    let handed = stage.handed()
    #expect(most <= 100 && most > 0)
    #expect(Set(handed).count == 3_000)
    #expect(handed == handed.sorted(), "in order")
    #expect(!stage.log().contains { $0.hasPrefix("terminate") })
    #expect(stage.log().contains("wake K1 suspended>background kept"))
    #expect(stage.log().contains("suspend K1 background>suspended budget_over"))
    #expect(stage.engine.subscriber("a")?.waiting.isEmpty == true)
    #expect(stage.state() == .suspended)
  }

  @Test func `K1 what is left after a wake that lasted as long as it may comes as late as is set`() {
    var stage = Stage {
      $0.policy.protectUntilFirstUnlock = true
      $0.policy.handedLimit = 1
      $0.policy.wakeLimitSeconds = 20
      $0.policy.wakePauseSeconds = 40
    }
    stage.answerSeconds = 3
    stage.add(Subscriber(name: "a", services: [.regions]), .suspended)
    stage.take(0, .machine(.reboot))
    for _ in 0..<10 { stage.engine.raise(.region, region: "r", into: &stage.effects) }
    stage.take(1, .machine(.unlock))
    // It acknowledges at 4, 7, 10 and 13 s; then another 10 s would be too many.
    stage.wait(until: 52.9)
    #expect(stage.log().last == "suspend K1 background>suspended budget_over")
    stage.wait(until: 53)
    #expect(stage.log().last == "wake K1 suspended>background kept")
  }

  @Test func `A9 K2 the begin and the end of throttling are told`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(.mover, .suspended)
    stage.fix(0, east: 0)
    stage.wait(until: 300)
    let throttles = stage.log().filter { $0.hasPrefix("throttle") }
    #expect(throttles.count >= 2)
    #expect(throttles[0] == "throttle K2 notRunning>notRunning throttled")
    #expect(throttles[1] == "throttle K2 notRunning>notRunning throttle_over")
  }

  @Test func `K1 C2 the remaining time is that of the clock that ends first`() throws {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(.mover, .suspended)
    stage.fix(0, east: 0)
    stage.say(0.5, .beginTask(name: "x"))
    #expect(stage.engine.subscriber("a")?.budgetEnd == Drive.instant(10))
    let event = try #require(stage.handed().last)
    stage.say(8, .acknowledged(event: event, coreSeconds: 0.1))
    #expect(stage.engine.subscriber("a")?.budgetEnd == Drive.instant(30.5))
  }

  @Test func `F1 C2 a program whose audio sounds has no limit but for its tasks`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [], modes: .audio), .active, at: 0)
    stage.say(1, .mode(.audio(.begin(.play, mixes: false))))
    stage.say(2, .background)
    #expect(stage.engine.subscriber("a")?.budgetEnd == nil)
    stage.say(3, .beginTask(name: "x"))
    #expect(stage.engine.subscriber("a")?.budgetEnd == Drive.instant(32))
    stage.say(4, .endTask(token: 1))
    #expect(stage.engine.subscriber("a")?.budgetEnd == nil)
  }

  @Test(arguments: [(1, 10.0), (2, 30)])
  func `K1 a launch tells the time for what is handed over with it, not for what comes later`(
    limit: Int, seconds: Double
  ) {
    var stage = Stage {
      $0.policy.protectUntilFirstUnlock = true
      $0.policy.handedLimit = limit
    }
    var subscriber = Subscriber.mover
    subscriber.modes = .remoteNotification
    stage.add(subscriber, .notRunning)
    stage.hanging = ["a"]
    stage.take(1, .machine(.reboot))
    stage.fix(2, east: 0)
    stage.say(3, .mode(.push(Push(isContentAvailable: true, payload: "{}"))))
    stage.take(10, .machine(.unlock))
    #expect(stage.handed().count == limit)
    #expect(stage.launches().last?.budgetSeconds == seconds)
    #expect(stage.effects.decisions.last { $0.action == .relaunch }?.inputs?.budgetSeconds == seconds)
    stage.wait(until: 10 + seconds)
    #expect(stage.log().last == "terminate K2 background>notRunning budget_over")
  }
}

extension Engine {
  /// Raises an event of a trigger as if a service had found it.
  fileprivate mutating func raise(_ trigger: Trigger, region: String, into effects: inout [Effect]) {
    let event = takeID()
    state.policy.offer(event: event, trigger: trigger, region: region, in: &turn)
    recordSteps(into: &effects)
  }
}

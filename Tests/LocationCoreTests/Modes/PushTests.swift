import TestSupport
import Testing

@testable import LocationCore

/// Section H: what a push leads to, how many silent ones wake, and that each is taken once.
@Suite struct PushTests {
  private static func subscriber(modes: Subscriber.Modes = [.remoteNotification]) -> Subscriber {
    // Rights of location play no part (rule M3).
    Subscriber(name: "a", services: [], modes: modes, authorization: .denied, accuracy: .reduced)
  }

  private static func stage(
    _ state: SubscriberState = .suspended, modes: Subscriber.Modes = [.remoteNotification],
    protects: Bool = false
  ) -> Stage {
    var stage = Stage { $0.policy.protectUntilFirstUnlock = protects }
    stage.add(subscriber(modes: modes), state, at: 0)
    return stage
  }

  private static func push(_ id: String? = nil, alert: String? = nil, wakes: Bool = true) -> SubscriberEvent {
    let content = alert.map { LocalNotification.Content(title: $0) }
    return .mode(
      .push(Push(id: id, alert: content, isContentAvailable: wakes, payload: #"{"id":"\#(id ?? "")"}"#)))
  }

  // MARK: H1

  @Test(arguments: [(SubscriberState.suspended, "wake"), (.notRunning, "relaunch")])
  func `H1 a push wakes or relaunches at the same instant, and its alert is shown`(
    state: SubscriberState, action: String
  ) throws {
    var stage = Self.stage(state)
    stage.say(10, Self.push("m1", alert: "Mail"))
    #expect(
      stage.log() == ["notify D3 \(state)>\(state) push", "\(action) H1 \(state)>background push"])
    #expect(stage.shown == ["m1"])
    let launches = stage.launches()
    let launch = try #require(launches.first)
    #expect(launch.kind == "push")
    #expect(launch.cause == .push)
    #expect(launch.budgetSeconds == 30)
    #expect(stage.handed() == [launch.event])
    #expect(stage.pushes == ["m1 alert content"])
    stage.wait(until: 20)
    #expect(stage.state() == .suspended)
  }

  @Test func `D5 an alert that was on its way when the daemon ended is shown again, under the same id`() {
    var stage = Self.stage(modes: [])
    stage.presents = false
    stage.say(10, Self.push("m1", alert: "Mail"))
    stage.take(11, .machine(.absent(true)))
    stage.presents = true
    stage.take(20, .machine(.absent(false)))
    #expect(stage.log().last == "notify D3 suspended>suspended unacknowledged")
    #expect(stage.shown == ["m1", "m1"])
    #expect(stage.pushes == ["m1 alert"])
    stage.take(30, .machine(.absent(true)))
    stage.take(40, .machine(.absent(false)))
    #expect(stage.shown.count == 2)
  }

  @Test func `D5 H1 an alert that came while the daemon started is shown for the push`() {
    var stage = Self.stage(modes: [])
    stage.take(10, .machine(.absent(true)))
    stage.say(11, Self.push("m1", alert: "Mail"))
    stage.take(11, .machine(.absent(false)))
    #expect(stage.log() == ["notify D3 suspended>suspended push"])
    #expect(stage.shown == ["m1"])
  }

  @Test func `H1 without content or without the mode there is the alert alone`() {
    for (modes, wakes) in [(Subscriber.Modes.remoteNotification, false), ([], true)] {
      var stage = Self.stage(modes: modes)
      stage.say(10, Self.push("m1", alert: "Mail", wakes: wakes))
      #expect(stage.log() == ["notify D3 suspended>suspended push"])
      #expect(stage.handed() == [])
    }
    var stage = Self.stage(modes: [])
    stage.say(10, Self.push("m1"))
    #expect(stage.log() == ["refuse H1 suspended>suspended no_mode"])
    #expect(stage.pushes == [])
  }

  @Test func `H1 fetched answers a push, and what it received is booked under its rule`() {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.say(10, Self.push("m1"))
    #expect(stage.state() == .background)
    stage.say(12, .mode(.fetched(.newData, bytes: 40_000, coreSeconds: 0.2)))
    #expect(stage.state() == .suspended)
    #expect(stage.log() == ["wake H1 suspended>background push", "suspend A2 background>suspended idle"])
    stage.take(20, .end)
    let entries = stage.effects.records.compactMap { record in
      if case .power(let entry) = record.body { entry } else { nil }
    }
    let radio = entries.filter { $0.component.rawValue.hasPrefix("radio") }
    let run = entries.filter { $0.component == .subscriberRun }
    #expect(run.map { ($0.seconds * 1000).rounded() } == [200])
    #expect(run.allSatisfy { $0.subscriber == "a" && $0.rule == .push })
    #expect(!radio.isEmpty)
    #expect(radio.allSatisfy { $0.subscriber == "a" && $0.rule == .push })
    // Nobody is asked any more.
    stage.say(21, .mode(.fetched(.noData, bytes: nil)))
    #expect(stage.log().last == "refuse G1 suspended>suspended not_asked")
  }

  @Test func `H1 who answers nothing for 30 s is ended, and handed the push again`() {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.say(10, Self.push("m1"))
    stage.wait(until: 39)
    #expect(stage.state() == .background)
    stage.wait(until: 40)
    #expect(stage.log().last == "terminate K2 background>notRunning budget_over")
    stage.hanging = []
    stage.wait(until: 42)
    #expect(stage.log().contains("relaunch K5 notRunning>background unacknowledged"))
    #expect(Set(stage.handed()).count == 1)
  }

  // MARK: H2

  @Test func `H2 the fourth silent one in an hour waits an hour, and then all go at once`() {
    var stage = Self.stage()
    for index in 1...3 { stage.say(100 * Double(index), Self.push("s\(index)")) }
    #expect(stage.log().filter { $0.hasPrefix("wake H1") }.count == 3)
    stage.say(400, Self.push("s4"))
    stage.say(500, Self.push("s5"))
    #expect(stage.log().suffix(2) == Array(repeating: "defer H2 suspended>suspended push_limit", count: 2))
    // One with an alert is not silent.
    stage.wait(until: 3999)
    #expect(stage.handed().count == 3)
    stage.wait(until: 4000)
    #expect(
      stage.log().suffix(2) == [
        "wake H2 suspended>background kept", "deliver K5 background>background kept",
      ])
    let launch = stage.launches().last
    #expect(launch?.cause == .silentPush && launch?.kind == "push" && launch?.eventKind == nil)
    let handed = stage.handed()
    #expect(handed.count == 5)
    #expect(handed == handed.sorted())
    stage.wait(until: 9000)
    #expect(stage.handed().count == 5)
  }

  @Test func `H2 as many silent ones wake in an hour as are set, and further ones wait as long as is set`() {
    var stage = Stage {
      $0.policy.push.hourLimit = 1
      $0.policy.push.waitSeconds = 60
    }
    stage.add(Self.subscriber(), .suspended, at: 0)
    stage.say(100, Self.push("s1"))
    stage.say(200, Self.push("s2"))
    #expect(stage.log().last == "defer H2 suspended>suspended push_limit")
    stage.wait(until: 259)
    #expect(stage.handed().count == 1)
    stage.wait(until: 260)
    #expect(stage.log().last == "wake H2 suspended>background kept")
    // It counts too.
    stage.say(3859, Self.push("s3"))
    #expect(stage.log().last == "defer H2 suspended>suspended push_limit")
    stage.say(3861, Self.push("s4"))
    #expect(stage.log().filter { $0 == "wake H1 suspended>background push" }.count == 2)
    #expect(stage.handed().count == 4)
  }

  @Test func `H1 H4 as many wait as are set, and a name is taken again when the time set is over`() {
    var stage = Stage {
      $0.policy.protectUntilFirstUnlock = true
      $0.policy.push.waitingLimit = 2
      $0.policy.push.onceSeconds = 60
    }
    stage.add(Self.subscriber(), .notRunning, at: 0)
    stage.take(1, .machine(.reboot))
    for id in ["a", "b", "c"] { stage.say(2, Self.push(id, alert: "Mail")) }
    #expect(stage.log().contains("drop H1 notRunning>notRunning outbox_full"))
    stage.take(10, .machine(.unlock))
    #expect(stage.handed().count == 2)
    stage.say(61, Self.push("c"))
    #expect(stage.log().last == "drop H4 suspended>suspended duplicate")
    stage.say(62, Self.push("c"))
    #expect(stage.log().last == "wake H1 suspended>background push")
  }

  @Test func `H2 what waits goes with any other wake, and one with an alert is not limited`() {
    var stage = Self.stage()
    for index in 1...4 { stage.say(Double(index), Self.push("s\(index)")) }
    #expect(stage.handed().count == 3)
    stage.say(10, Self.push("loud", alert: "Mail"))
    #expect(
      stage.log().suffix(2) == ["wake H1 suspended>background push", "deliver K5 background>background kept"])
    #expect(stage.handed().count == 5)
    // One that runs is handed it at once.
    stage.say(20, .foreground)
    stage.say(21, Self.push("s9"))
    #expect(stage.log().last == "deliver H1 active>active foreground")
  }

  @Test func `H2 K5 a silent one that was handed over is tried again, and counts once`() {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.say(1, Self.push("s1"))
    stage.wait(until: 150)
    let tries = stage.log().filter { $0 == "relaunch K5 notRunning>background unacknowledged" }
    #expect(tries.count >= 3, "\(stage.log())")
    stage.hanging = []
    stage.wait(until: 1000)
    #expect(stage.state() == .suspended)
    stage.say(1001, Self.push("s2"))
    stage.say(1002, Self.push("s3"))
    #expect(!stage.log().contains { $0.contains("push_limit") }, "\(stage.log())")
    stage.say(1003, Self.push("s4"))
    #expect(stage.log().last == "defer H2 suspended>suspended push_limit", "\(stage.log())")
  }

  @Test func `H2 of silent ones that wait the latest of one name counts`() {
    var stage = Self.stage()
    for index in 1...3 { stage.say(Double(index), Self.push("s\(index)")) }
    stage.say(10, Self.push("state"))
    stage.say(11, Self.push("state"))
    #expect(
      stage.log().suffix(3) == [
        "defer H2 suspended>suspended push_limit", "drop H2 suspended>suspended merged",
        "defer H2 suspended>suspended push_limit",
      ])
    stage.wait(until: 5000)
    #expect(stage.handed().count == 4)
  }

  /// With something for the program it wakes for that; an alert alone takes the place of what waits all the same.
  @Test(arguments: [true, false])
  func `H2 H4 one with an alert takes the place of a silent one of its name that waits, and is shown once`(
    wakes: Bool
  ) {
    var stage = Self.stage()
    for index in 1...3 { stage.say(Double(index), Self.push("s\(index)")) }
    stage.say(10, Self.push("state"))
    stage.say(11, Self.push("state", alert: "Mail", wakes: wakes))
    #expect(stage.shown == ["state"])
    #expect(
      stage.log().suffix(wakes ? 3 : 2)
        == [
          "notify D3 suspended>suspended push", "drop H2 suspended>suspended merged",
          "wake H1 suspended>background push",
        ].prefix(wakes ? 3 : 2))
    stage.say(20, Self.push("state", alert: "Mail", wakes: wakes))
    #expect(stage.log().last == "drop H4 suspended>suspended duplicate")
    stage.wait(until: 5000)
    #expect(stage.shown == ["state"])
    #expect(stage.handed().count == (wakes ? 4 : 3))
  }

  @Test func `H2 low power holds silent ones back, and its end hands them over`() {
    var stage = Self.stage()
    stage.take(1, .machine(.lowPower(true)))
    stage.say(2, Self.push("s1"))
    #expect(stage.log() == ["defer H2 suspended>suspended low_power"])
    stage.say(3, Self.push("loud", alert: "Mail"))
    #expect(
      stage.log().suffix(2) == ["wake H1 suspended>background push", "deliver K5 background>background kept"])
    stage.say(50, Self.push("s2"))
    stage.take(60, .machine(.lowPower(false)))
    #expect(stage.log().last == "wake H2 suspended>background kept")
    // While it lasts, an hour is the longest.
    stage.take(100, .machine(.lowPower(true)))
    stage.say(200, Self.push("s3"))
    stage.wait(until: 3799)
    #expect(stage.log().last == "defer H2 suspended>suspended low_power")
    stage.wait(until: 3800)
    #expect(stage.log().contains("wake H2 suspended>background kept"))
  }

  // MARK: H3

  @Test func `H3 after a force-quit the alert is shown, and the wake is dropped and not kept`() {
    var stage = Self.stage()
    stage.say(1, .quit)
    stage.say(2, Self.push("m1", alert: "Mail"))
    #expect(
      stage.log().suffix(2) == [
        "notify D3 notRunning>notRunning push", "drop A7 notRunning>notRunning force_quit",
      ])
    stage.say(3, .foreground)
    #expect(stage.handed() == [])
  }

  @Test func `H3 a force-quit drops the pushes that wait`() {
    var stage = Self.stage(.notRunning, protects: true)
    stage.take(1, .machine(.reboot))
    stage.say(2, Self.push("m1"))
    stage.say(3, .quit)
    #expect(stage.log().last == "drop A7 notRunning>notRunning force_quit")
    stage.take(10, .machine(.unlock))
    stage.say(20, .foreground)
    #expect(stage.handed() == [])
  }

  @Test func `H3 M3 after a force-quit the wake is dropped also where an earlier obstacle is the reason`() {
    var leaving = Stage()
    var subscriber = Self.subscriber()
    subscriber.exitsOnSuspend = true
    leaving.add(subscriber, .notRunning, at: 0)
    leaving.say(1, .quit)
    leaving.say(2, Self.push("m1", alert: "Mail"))
    #expect(leaving.log().last == "drop A5 notRunning>notRunning exits_on_suspend")
    #expect(leaving.shown == ["m1"])
    leaving.say(3, .foreground)
    #expect(leaving.handed() == [])

    var throttled = Stage { $0.policy.throttleOverruns = 1 }
    throttled.add(Self.subscriber(), .suspended, at: 0)
    throttled.hanging = ["a"]
    throttled.say(1, Self.push("m1"))
    throttled.say(40, .quit)
    throttled.say(41, Self.push("m2"))
    #expect(throttled.log().last == "drop K2 notRunning>notRunning throttled")
    throttled.say(42, .foreground)
    #expect(throttled.handed().count == 1)
  }

  @Test func `H3 without background delivery the wake is dropped`() {
    var stage = Self.stage()
    stage.say(1, .backgroundDelivery(false))
    stage.say(2, Self.push("m1"))
    #expect(stage.log() == ["drop B8 suspended>suspended background_delivery_off"])
    stage.say(3, .backgroundDelivery(true))
    #expect(stage.handed() == [])
  }

  @Test func `A9 H3 a push that waits is dropped when background delivery ends`() {
    var held = Self.stage()
    for second in 1...4 { held.say(Double(second) * 10, Self.push("m\(second)")) }
    #expect(held.log().last == "defer H2 suspended>suspended push_limit")
    held.say(50, .backgroundDelivery(false))
    #expect(held.log().last == "drop B8 suspended>suspended background_delivery_off")
    held.say(6000, .backgroundDelivery(true))
    #expect(held.handed().count == 3)

    var locked = Self.stage(.notRunning, protects: true)
    locked.take(1, .machine(.reboot))
    locked.say(2, Self.push("m1", alert: "Mail"))
    locked.say(3, .backgroundDelivery(false))
    #expect(locked.log().last == "drop B8 notRunning>notRunning background_delivery_off")
    locked.take(100, .machine(.unlock))
    #expect(locked.shown == ["m1"])
    locked.say(200, .backgroundDelivery(true))
    #expect(locked.handed() == [])
  }

  @Test func `A5 a push that waits is handed over when a new manifest opts in to the background again`() {
    var stage = Stage()
    var subscriber = Self.subscriber()
    subscriber.exitsOnSuspend = true
    stage.add(subscriber, .notRunning, at: 0)
    stage.say(1, Self.push("m1"))
    #expect(stage.log() == ["defer A5 notRunning>notRunning exits_on_suspend"])
    stage.take(2, .addSubscriber(Self.subscriber(), .notRunning))
    #expect(stage.log().last == "relaunch A5 notRunning>background kept")
    #expect(stage.handed().count == 1)
  }

  @Test func `H3 before the first unlock the alert is held and shown once, and the wake is kept`() {
    var stage = Self.stage(.notRunning, protects: true)
    stage.take(1, .machine(.reboot))
    stage.say(2, Self.push("m1", alert: "Mail"))
    #expect(stage.shown == [])
    stage.say(3, Self.push("only", alert: "Note", wakes: false))
    #expect(stage.handed() == [])
    stage.take(100, .machine(.unlock))
    #expect(stage.shown == ["m1", "only"])
    #expect(stage.log().contains("relaunch A8 notRunning>background first_unlock"))
    stage.wait(until: 5000)
    #expect(stage.shown.count == 2)
    #expect(stage.notified.isEmpty)
  }

  @Test func `D4 before the first unlock neither alerts nor what is to be shown now count`() {
    var stage = Self.stage(.notRunning, protects: true)
    stage.take(1, .machine(.reboot))
    stage.say(2, Self.push("m1", alert: "Mail"))
    stage.say(2, .mode(.notify(LocalNotification(id: "now", title: "Now", when: .now))))
    for index in 1...128 {
      let tea = LocalNotification(id: "tea\(index)", title: "Tea", when: .after(seconds: 500))
      stage.say(3, .mode(.notify(tea)))
    }
    #expect(!stage.log().contains { $0.hasPrefix("refuse") })
    let late = LocalNotification(id: "late", title: "Tea", when: .after(seconds: 500))
    stage.say(4, .mode(.notify(late)))
    #expect(stage.log().last == "refuse D4 notRunning>notRunning too_many_notifications")
  }

  @Test func `H3 D1 an alert that is held takes the place of no notification of its name`() {
    var stage = Self.stage(.notRunning, protects: true)
    let tea = LocalNotification(id: "m1", title: "Tea", when: .after(seconds: 500))
    stage.say(1, .mode(.notify(tea)))
    stage.take(1, .machine(.reboot))
    stage.say(2, Self.push("m1", alert: "Mail", wakes: false))
    stage.take(100, .machine(.unlock))
    let event = stage.effects.records.first { $0.type == "push" }?.id ?? 0
    #expect(stage.shown == ["push-\(event)"])
    stage.wait(until: 501)
    #expect(stage.shown.last == "m1")
    #expect(stage.notified.map(\.notification) == ["m1"])
  }

  @Test func `H3 D1 what is scheduled or cancelled under the name of an alert leaves the alert as it is`() {
    let tea = LocalNotification(id: "m1", title: "Tea", when: .after(seconds: 500))
    for event in [ModeEvent.notify(tea), .cancelNotification(id: "m1"), .cancelNotifications] {
      var stage = Self.stage(.notRunning, protects: true)
      stage.take(1, .machine(.reboot))
      stage.say(2, Self.push("m1", alert: "Mail", wakes: false))
      stage.say(3, .mode(event))
      if case .cancelNotification = event {
        #expect(stage.log().last == "refuse D4 notRunning>notRunning unknown_notification")
      }
      stage.take(100, .machine(.unlock))
      #expect(stage.shown == ["m1"] && stage.notified.isEmpty)
      stage.wait(until: 600)
      #expect(stage.shown.count == (event == .notify(tea) ? 2 : 1))
    }
  }

  @Test func `H3 an active one is handed it, and nothing is shown`() {
    var stage = Self.stage(.active)
    stage.say(1, Self.push("m1", alert: "Mail"))
    stage.say(2, Self.push("m2", alert: "Mail", wakes: false))
    #expect(stage.shown == [])
    #expect(stage.log() == ["deliver H1 active>active foreground", "deliver D3 active>active foreground"])
    #expect(stage.handed().count == 2)
  }

  @Test(arguments: [SubscriberEvent.exited(status: 1), .exited(status: 0), .quit, .background])
  func `H3 K5 the alert of a push that an active one was handed and does not acknowledge is shown once`(
    _ end: SubscriberEvent
  ) {
    for isAnswered in [false, true] {
      var stage = Self.stage(.active)
      if !isAnswered { stage.hanging = ["a"] }
      stage.say(1, Self.push("m1", alert: "Mail"))
      #expect(stage.handed().count == 1 && stage.shown == [])
      stage.say(2, end)
      // It is ended again and again for lack of an answer.
      stage.wait(until: 500)
      let shown = stage.log().filter { $0.hasPrefix("notify") }
      #expect(
        shown == (isAnswered ? [] : ["notify D3 notRunning>notRunning unacknowledged"]), "\(stage.log())")
      let dropped = stage.log().filter { $0 == "drop A7 notRunning>notRunning force_quit" }
      #expect(dropped.count == (end == .quit && !isAnswered ? 1 : 0))
      // The push itself is kept, but for the force-quit.
      let isTriedAgain = stage.handed().count > 1
      #expect(isTriedAgain == (end != .quit && !isAnswered))
    }
  }

  /// An active program that is pushed two alerts, the second at 2 s, and acknowledges neither.
  private static func stageWithTwoAlerts(_ configure: (inout EngineConfiguration) -> Void) -> Stage {
    var stage = Stage(configure)
    stage.add(subscriber(), .active, at: 0)
    stage.hanging = ["a"]
    stage.say(1, push("m1", alert: "Mail"))
    stage.say(2, push("m2", alert: "Mail"))
    return stage
  }

  @Test func `H1 D3 an active one that can be handed nothing more has the alert shown, and the push later`() {
    var stage = Self.stageWithTwoAlerts { $0.policy.handedLimit = 1 }
    #expect(
      stage.log() == [
        "deliver H1 active>active foreground", "notify D3 active>active push",
        "defer K5 active>active backlog",
      ])
    #expect(stage.shown == ["m2"])
    stage.say(3, .exited(status: 1))
    #expect(stage.shown == ["m2", "m1"])
    stage.wait(until: 500)
    #expect(stage.shown.count == 2)
  }

  @Test func `M2 K5 a push that a program has does not wait: it makes no room, and is handed over again`() {
    var stage = Self.stageWithTwoAlerts { $0.policy.push.waitingLimit = 1 }
    let delivered = Array(repeating: "deliver H1 active>active foreground", count: 2)
    #expect(stage.log() == delivered)
    stage.hanging = []
    stage.say(3, .exited(status: 1))
    stage.wait(until: 10)
    #expect(stage.handed().count == 4)
    #expect(stage.shown == ["m1", "m2"])
    #expect(stage.engine.subscriber("a")?.waiting == [])
  }

  @Test func `M1 D3 the alert of a push that was handed over is shown when the manifest loses the mode`() {
    var stage = Self.stage(.active)
    stage.hanging = ["a"]
    stage.say(1, Self.push("m1", alert: "Mail"))
    stage.add(Self.subscriber(modes: []), .active, at: 2)
    #expect(
      stage.log().suffix(2) == [
        "drop H1 active>active no_mode", "notify D3 active>active unacknowledged",
      ])
    #expect(stage.shown == ["m1"])
  }

  @Test func `D6 D8 an alert is opened as a notification, and not shown to who wants to see none`() throws {
    var stage = Self.stage()
    stage.say(1, Self.push("m1", alert: "Mail", wakes: false))
    stage.say(2, .mode(.openNotification(id: "m1")))
    #expect(stage.opened.first?.notification == "m1")
    #expect(stage.state() == .active)
    stage.say(3, .background)
    stage.say(4, .mode(.permitNotifications(false)))
    stage.say(5, Self.push("m2", alert: "Mail"))
    #expect(stage.log().contains("drop D8 background>background not_permitted"))
    #expect(stage.shown == ["m1"])
    #expect(stage.handed().count == 1)
  }

  // MARK: H4 and M2

  @Test func `H4 a name is taken once in a day`() {
    var stage = Self.stage()
    stage.say(1, Self.push("m1", alert: "Mail"))
    stage.say(86_399, Self.push("m1", alert: "Mail"))
    #expect(stage.log().last == "drop H4 suspended>suspended duplicate")
    #expect(stage.shown.count == 1)
    stage.say(86_401, Self.push("m1", alert: "Mail"))
    #expect(stage.shown.count == 2)
    // Without a name each one counts.
    stage.say(86_500, Self.push(alert: "Mail", wakes: false))
    stage.say(86_501, Self.push(alert: "Mail", wakes: false))
    #expect(stage.shown.count == 4)
  }

  @Test func `M2 64 wait, and then the oldest is dropped`() {
    var stage = Self.stage(.notRunning, protects: true)
    stage.take(1, .machine(.reboot))
    for index in 1...66 { stage.say(1 + Double(index), Self.push("s\(index)")) }
    #expect(stage.log().filter { $0 == "drop H1 notRunning>notRunning outbox_full" }.count == 2)
    stage.take(100, .machine(.unlock))
    #expect(stage.handed().count == 64)
    #expect(stage.pushes.count == 66)
  }

  @Test func `M2 64 alerts wait for the unlock, and then the oldest is dropped`() {
    var stage = Self.stage(.notRunning, modes: [], protects: true)
    stage.take(1, .machine(.reboot))
    for index in 1...66 { stage.say(1 + Double(index), Self.push("a\(100 - index)", alert: "Mail")) }
    #expect(stage.log().filter { $0 == "drop H1 notRunning>notRunning outbox_full" }.count == 2)
    stage.take(100, .machine(.unlock))
    #expect(stage.shown.count == 64)
    #expect(!stage.shown.contains("a99") && !stage.shown.contains("a98"))
  }

  @Test func `M1 what waits is dropped when the manifest loses the mode`() {
    var stage = Self.stage(.notRunning, protects: true)
    stage.take(1, .machine(.reboot))
    stage.say(2, Self.push("s1"))
    stage.add(Self.subscriber(modes: []), .notRunning, at: 3)
    #expect(stage.log().last == "drop H1 notRunning>notRunning no_mode")
  }

  @Test func `what a push says is with the event that waits, and in no record`() throws {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.say(1, Self.push("secret-name", alert: "Very private"))
    let event = try #require(stage.handed().first)
    #expect(stage.engine.payload(of: event, for: "a") == #"{"id":"secret-name"}"#)
    #expect(!stage.effects.records.contains { "\($0)".contains("Very private") })
    stage.say(2, .acknowledged(event: event, coreSeconds: 0))
    #expect(stage.engine.payload(of: event, for: "a") == nil)
    let trigger = try Coding.copy(Trigger.silentPush)
    #expect(trigger == .silentPush)
    #expect(trigger != .push)
  }

  @Test(arguments: [SubscriberState.active, .suspended])
  func `D8 an alert of a program whose notifications nobody wants is dropped`(state: SubscriberState) throws {
    var stage = Self.stage(state)
    stage.say(1, .mode(.permitNotifications(false)))
    stage.say(2, Self.push("m1", alert: "Mail", wakes: false))
    #expect(stage.log() == ["drop D8 \(state)>\(state) not_permitted"])
    #expect(stage.handed() == [] && stage.shown == [])
  }
}

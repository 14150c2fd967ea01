import LocationCore
import TestSupport
import Testing

/// One subscriber `a` on a drive: a significant change whenever `move` is called. Its program acknowledges 0.1 s
/// after it was handed something, unless it hangs.
private struct Day: ~Copyable {
  var engine: Engine
  var effects: [Effect] = []
  var hangs = false
  private var performed = 0
  private var east = 0.0

  init(
    _ subscriber: Subscriber = Subscriber(name: "a", services: [.significantChange]),
    from state: SubscriberState, _ adjust: (inout EngineConfiguration) -> Void = { _ in }
  ) {
    var configuration = EngineConfiguration()
    adjust(&configuration)
    engine = Engine(configuration: configuration)
    engine.handle(Stamped(at: Drive.instant(-1), .addSubscriber(subscriber, state)), into: &effects)
  }

  /// A fix 1 km farther; calls are to be 300 s or more apart.
  mutating func move(_ seconds: Double) {
    engine.handle(
      Stamped(at: Drive.instant(seconds), .fix(Drive.report(seconds, east: east))), into: &effects)
    east += 1000
    acknowledge(seconds + 0.1)
  }

  mutating func say(_ seconds: Double, _ event: SubscriberEvent) {
    engine.handle(Stamped(at: Drive.instant(seconds), .subscriber(name: "a", event)), into: &effects)
    acknowledge(seconds + 0.1)
  }

  mutating func machine(_ seconds: Double, _ event: MachineEvent) {
    engine.handle(Stamped(at: Drive.instant(seconds), .machine(event)), into: &effects)
    acknowledge(seconds + 0.1)
  }

  mutating func wait(until seconds: Double) {
    engine.advance(to: Drive.instant(seconds), into: &effects)
    acknowledge(seconds)
  }

  private mutating func acknowledge(_ seconds: Double) {
    let orders = effects.orders
    let new = orders[performed...]
    performed = orders.count
    guard !hangs else { return }
    for case .deliver(_, let event, _) in new {
      engine.handle(
        Stamped(
          at: Drive.instant(seconds), .subscriber(name: "a", .acknowledged(event: event, coreSeconds: 0.1))),
        into: &effects)
    }
  }

  /// Action, rule, states and reason of every decision, one a line.
  var log: [String] {
    effects.decisions.map { "\($0.action) \($0.rule.rawValue) \($0.before)>\($0.after) \($0.reason)" }
  }

  var state: SubscriberState? { engine.subscriberState("a") }
}

@Suite struct PolicyTests {
  @Test func a1_onlyTheLegalMovesAreMade() {
    let legal: [SubscriberState: [SubscriberState]] = [
      .notRunning: [.inactive, .background],
      .inactive: [.notRunning, .active, .background],
      .active: [.notRunning, .inactive],
      .background: [.notRunning, .inactive, .suspended],
      .suspended: [.notRunning, .inactive, .background],
    ]
    for before in SubscriberState.allCases {
      #expect(SubscriberState.allCases.filter { before.mayBecome($0) } == legal[before])
    }
  }

  @Test(arguments: SubscriberState.allCases, [SubscriberEvent.background, .foreground, .exited(status: 0)])
  func a1_aMoveThatIsNotLegalIsRefusedAndChangesNothing(_ before: SubscriberState, _ event: SubscriberEvent) {
    var day = Day(from: before)
    day.say(0, event)
    let isRefused = day.log == ["refuse A1 \(before)>\(before) illegalMove"]
    switch (event, before) {
    case (.background, .inactive), (.background, .active): #expect(!isRefused)
    case (.foreground, .notRunning), (.foreground, .suspended), (.foreground, .background),
      (.foreground, .inactive):
      #expect(!isRefused)
    case (.exited, .inactive), (.exited, .active), (.exited, .background), (.exited, .suspended):
      #expect(!isRefused)
    default: #expect(isRefused && day.state == before)
    }
  }

  @Test func a2_leavingTheForegroundSuspendsAfterTheGrace() {
    var day = Day(from: .notRunning)
    day.say(0, .foreground)
    #expect(day.state == .active)
    day.say(10, .background)
    day.wait(until: 14.9)
    #expect(day.state == .background)
    day.wait(until: 15)
    #expect(day.state == .suspended)
    #expect(day.log == ["suspend A2 background>suspended idle"])
  }

  @Test func a3_aSuspendedSubscriberIsToldNothingUntilItIsWoken() {
    var day = Day(Subscriber(name: "a", services: [.standard]), from: .suspended)
    day.move(0)
    #expect(day.effects.orders.isEmpty)
  }

  @Test func a4_memoryPressurePurgesTheSuspended() {
    var day = Day(from: .suspended)
    day.machine(0, .memoryPressure(.warning))
    #expect(day.log.isEmpty)
    day.machine(1, .memoryPressure(.critical))
    #expect(day.log == ["purge A4 suspended>notRunning memoryPressure"])
    day.move(2)
    #expect(day.log.dropFirst().first == "defer A4 notRunning>notRunning memoryPressure")
    day.machine(3, .memoryPressure(.none))
    #expect(day.log.dropFirst(2).first == "relaunch A4 notRunning>background pressureOver")
  }

  @Test func a5_whoOptedOutEndsWithTheForegroundAndIsNeverWoken() {
    let subscriber = Subscriber(name: "a", services: [.significantChange], exitsOnSuspend: true)
    var day = Day(subscriber, from: .notRunning)
    day.say(0, .foreground)
    day.say(10, .background)
    #expect(day.effects.orders.last == .warn(subscriber: "a", Order.Warning(reason: .exit, seconds: 5)))
    day.wait(until: 14.9)
    #expect(day.state?.isForeground == true)
    day.wait(until: 15)
    #expect(day.state == .notRunning)
    day.move(20)
    #expect(
      day.log == [
        "warn A5 inactive>inactive exit", "terminate A5 inactive>notRunning exitsOnSuspend",
        "drop A5 notRunning>notRunning exitsOnSuspend",
      ])
  }

  @Test func a5_whoReturnsInTimeGoesOn() {
    let subscriber = Subscriber(name: "a", services: [.significantChange], exitsOnSuspend: true)
    var day = Day(subscriber, from: .notRunning)
    day.say(0, .foreground)
    day.say(10, .background)
    day.say(14, .foreground)
    day.wait(until: 60)
    #expect(day.log == ["warn A5 inactive>inactive exit"] && day.state == .active)
  }

  @Test func a7_locationServicesRelaunchAfterAForceQuit() {
    var day = Day(from: .suspended)
    day.say(0, .quit)
    day.move(10)
    #expect(
      day.log == [
        "terminate A7 suspended>notRunning forceQuit", "relaunch A7 notRunning>background forceQuitLocation",
        "suspend A2 background>suspended idle",
      ])
  }

  @Test func a7_unlessTheOlderRuleIsSetAndThenItIsToldWhereItIsAtTheLaunch() {
    var day = Day(from: .suspended) { $0.policy.forceQuitBlocksLocation = true }
    day.say(0, .quit)
    day.move(10)
    #expect(day.log.last == "drop A7 notRunning>notRunning forceQuit")
    day.say(30, .foreground)
    #expect(day.log.last == "deliver B1 active>active foreground")
    #expect(day.effects.changes.map(\.reason) == [.initial, .initial])
  }

  @Test func a7_aRebootClearsTheMark() {
    var day = Day(from: .suspended) { $0.policy.forceQuitBlocksLocation = true }
    day.say(0, .quit)
    day.machine(5, .reboot)
    day.move(10)
    #expect(day.log.last == "suspend A2 background>suspended idle")
    #expect(day.log.contains("relaunch B1 notRunning>background notRunning"))
  }

  @Test func a8_nothingIsRelaunchedBeforeTheFirstUnlock() {
    var day = Day(from: .suspended) { $0.policy.protectUntilFirstUnlock = true }
    day.machine(0, .reboot)
    day.move(10)
    day.move(410)
    #expect(day.state == .notRunning)
    day.machine(500, .unlock)
    #expect(
      day.log == [
        "defer A8 notRunning>notRunning locked", "defer A8 notRunning>notRunning locked",
        "relaunch A8 notRunning>background firstUnlock", "deliver K5 background>background kept",
        "suspend A2 background>suspended idle",
      ])
  }

  @Test func a9_everyDecisionCarriesSubscriberRuleStatesAndEvent() {
    var day = Day(from: .suspended)
    day.move(0)
    let wake = day.effects.decisions.first
    #expect(wake?.subscriber == "a" && wake?.rule == .significantChange && wake?.before == .suspended)
    #expect(wake?.event != nil && wake?.event == day.effects.firstChangeID)
  }

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func b1_significantChangeWakesOrRelaunches(_ state: SubscriberState) {
    var day = Day(from: state)
    day.move(0)
    let action = state == .suspended ? "wake" : "relaunch"
    #expect(day.log.first == "\(action) B1 \(state)>background \(state)")
    #expect(day.state == .suspended)
  }

  @Test func b1_aRunningSubscriberIsToldWhereItIs() {
    var day = Day(from: .active)
    day.move(0)
    #expect(day.log == ["deliver B1 active>active foreground"])
  }

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func b4_regionsWakeOrRelaunchWhoAskedForThatRegion(_ state: SubscriberState) {
    var drive = Drive()
    drive.add(0, .addSubscriber(Subscriber(name: "a", services: [.regions]), state))
    drive.add(0, .addSubscriber(Subscriber(name: "b", services: [.regions], regions: ["other"]), state))
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 200), initial: .event)
    drive.add(0, .addRegion(home))
    drive.fix(1, east: 0)
    let decisions = drive.effects().decisions
    #expect(decisions.map(\.subscriber) == ["a"])
    #expect(decisions.first?.action == (state == .suspended ? .wake : .relaunch))
    #expect(decisions.first?.rule == .regions)
  }

  @Test(arguments: SubscriberState.allCases) func b8_deniedIsNeverTold(_ state: SubscriberState) {
    var day = Day(
      Subscriber(name: "a", services: [.significantChange], authorization: .denied), from: state)
    day.move(0)
    #expect(day.log == ["refuse B8 \(state)>\(state) denied"])
  }

  @Test(arguments: SubscriberState.allCases) func b8_whenInUseIsToldOnlyWhileItRuns(_ state: SubscriberState)
  {
    var day = Day(
      Subscriber(name: "a", services: [.significantChange], authorization: .whenInUse), from: state)
    day.move(0)
    let expected = state.isRunning ? "deliver B1 " : "refuse B8 \(state)>\(state) needsAlways"
    #expect(day.log.first?.hasPrefix(expected) == true)
  }

  @Test func b8_authorizationCanChange() {
    var day = Day(from: .suspended)
    day.say(0, .authorization(.denied))
    day.move(10)
    day.say(20, .authorization(.always))
    day.move(410)
    #expect(
      day.log.map { String($0.prefix(9)) } == [
        "refuse B8", "wake B1 s", "suspend A", "wake B1 s", "suspend A",
      ])
  }

  @Test func c1_aTaskHoldsOffSuspensionUntilItEnds() {
    var day = Day(from: .notRunning)
    day.say(0, .foreground)
    day.say(1, .beginTask(name: "upload"))
    day.say(10, .background)
    day.wait(until: 30)
    #expect(day.state == .background)
    day.say(31, .endTask(token: 1))
    #expect(day.state == .suspended)
  }

  @Test func c2_c3_aTaskThatOutlivesItsBudgetIsWarnedAndThenEnded() {
    var day = Day(from: .notRunning)
    day.say(0, .foreground)
    day.say(1, .beginTask(name: "upload"))
    day.say(10, .background)
    day.wait(until: 34.9)
    #expect(day.log.isEmpty)
    day.wait(until: 35)
    #expect(
      day.effects.orders.last
        == .warn(subscriber: "a", Order.Warning(reason: .task, seconds: 5, task: 1)))
    day.wait(until: 40)
    #expect(day.log == ["warn C3 background>background task", "terminate C3 background>notRunning taskOpen"])
  }

  @Test func c4_endingAnUnknownTaskIsAnErrorAndChangesNothing() {
    var day = Day(from: .active)
    day.say(0, .endTask(token: 9))
    #expect(day.log == ["refuse C4 active>active unknownTask"])
  }

  @Test func k1_k2_whoDoesNotAnswerInTimeIsEnded() {
    var day = Day(from: .suspended)
    day.hangs = true
    day.move(0)
    day.wait(until: 9.9)
    #expect(day.state == .background)
    day.wait(until: 10)
    #expect(day.log.last == "terminate K2 background>notRunning budgetOver")
  }

  @Test func k5_whatWasNotAcknowledgedComesAgainWithTheSameId() {
    var day = Day(from: .suspended)
    day.hangs = true
    day.move(0)
    day.say(1, .exited(status: 1))
    day.hangs = false
    day.wait(until: 2)
    let delivered = day.effects.orders.compactMap {
      if case .deliver(_, let event, _) = $0 { event } else { nil }
    }
    #expect(delivered == [delivered[0], delivered[0]])
    #expect(day.log.last == "suspend A2 background>suspended idle")
  }

  @Test func k5_startsThatFailAreBackedOff() {
    var day = Day(from: .suspended)
    day.hangs = true
    day.move(0)
    var time = 1.0
    for wait in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
      day.say(time, .exited(status: 1))
      day.wait(until: time + wait - 0.001)
      #expect(day.state == .notRunning)
      day.wait(until: time + wait)
      #expect(day.state == .background, "after \(wait) s")
      time += wait + 1
    }
  }
}

extension [Effect] {
  /// The id of the first significant change.
  fileprivate var firstChangeID: Int {
    records.first { if case .significant = $0.body { true } else { false } }?.id ?? -1
  }
}

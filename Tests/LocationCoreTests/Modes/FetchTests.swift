import TestSupport
import Testing

@testable import LocationCore

/// Section G: when a good moment comes, what an answer is worth, and what stands in the way.
@Suite struct FetchTests {
  private static func subscriber(
    _ name: String = "a", interval: Double? = 3600, metered: Bool = false
  ) -> Subscriber {
    var subscriber = Subscriber(name: name, services: [], modes: [.fetch])
    subscriber.fetch = FetchTerms()
    subscriber.fetch?.intervalSeconds = interval
    subscriber.fetch?.metered = metered
    return subscriber
  }

  private static func stage(_ state: SubscriberState = .suspended) -> Stage {
    var stage = Stage()
    stage.add(subscriber(), state, at: 0)
    return stage
  }

  // MARK: Moments

  @Test(arguments: [(SubscriberState.suspended, "wake"), (.notRunning, "relaunch")])
  func `G1 without anything else it comes after two intervals, and wakes or relaunches`(
    state: SubscriberState, action: String
  ) throws {
    var stage = Self.stage(state)
    stage.wait(until: 7199)
    #expect(stage.log() == [])
    stage.wait(until: 7200)
    #expect(stage.log() == ["\(action) G1 \(state)>background good_moment"])
    let launches = stage.launches()
    let launch = try #require(launches.first)
    #expect(launch.kind == "fetch")
    #expect(launch.cause == .goodMoment)
    #expect(launch.budgetSeconds == 30)
  }

  @Test func `G1 a machine that is awake anyway brings it after one interval`() {
    var stage = Self.stage()
    stage.take(3599, .machine(.awake))
    #expect(stage.log() == [])
    stage.take(3600, .machine(.awake))
    #expect(stage.log().first == "wake G1 suspended>background good_moment")
  }

  /// As at the start of a daemon, which tells what the network is like before it tells who still runs.
  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func `G1 one that came due while nobody was there waits until somebody is`(state: SubscriberState) {
    var stage = Self.stage(state)
    stage.take(7000, .machine(.absent(true)))
    stage.take(9000, .machine(.network(.metered)))
    stage.take(9000, .machine(.network(.free)))
    stage.take(9000, .machine(.supply(.mains)))
    stage.say(9000, .orphaned)
    #expect(stage.log() == [] && stage.launches().isEmpty)
    stage.take(9001, .machine(.absent(false)))
    #expect(stage.log().first == "relaunch G1 notRunning>background good_moment")
    #expect(stage.state() == .background)
  }

  @Test func `G1 another program that runs brings it`() {
    var stage = Self.stage()
    stage.add(Subscriber(name: "b", services: []), .notRunning, at: 0)
    stage.say(3000, .foreground, of: "b")
    stage.wait(until: 3599)
    #expect(stage.log() == [])
    stage.wait(until: 3600)
    #expect(stage.log().first == "wake G1 suspended>background good_moment")
  }

  @Test func `G1 what stands in the way of another program is said, and wakes nothing`() {
    var stage = Stage()
    stage.add(Self.subscriber(interval: 900), .suspended, at: 0)
    stage.add(Self.subscriber("b", interval: 1000, metered: true), .suspended, at: 0)
    stage.take(10, .machine(.network(.metered)))
    stage.wait(until: 1999)
    #expect(stage.log() == ["defer G1 suspended>suspended no_network"])
    #expect(stage.log(of: "b") == [])
    stage.wait(until: 2000)
    #expect(stage.log(of: "b") == ["wake G1 suspended>background good_moment"])
  }

  @Test func `G1 one is asked at a time, the longest overdue first`() {
    var stage = Stage()
    stage.add(Self.subscriber("late"), .suspended, at: 0)
    stage.add(Self.subscriber("later"), .suspended, at: 100)
    stage.answers["late"] = (.newData, 5, nil)
    stage.answers["later"] = (.newData, 5, nil)
    stage.take(5000, .machine(.awake))
    #expect(stage.log(of: "late").count == 1)
    #expect(stage.log(of: "later") == [])
    stage.wait(until: 5004)
    #expect(stage.log(of: "later") == [])
    stage.wait(until: 5006)
    #expect(stage.log(of: "later").first == "wake G1 suspended>background good_moment")
  }

  /// A program that was woken for something shorter has the time of a fetch from when it is called.
  @Test func `G2 K1 a fetch that joins a wake of 10 s has its 30 s, once`() {
    var stage = Stage()
    var subscriber = Self.subscriber(interval: 900)
    subscriber.services = [.significantChange]
    subscriber.authorization = .always
    stage.add(subscriber, .suspended, at: 0)
    stage.answers["a"] = (.newData, 20, 5000)
    stage.fix(1000, east: 0)
    stage.wait(until: 1000)
    #expect(
      stage.log() == [
        "wake B1 suspended>background suspended", "deliver G1 background>background running",
      ])
    stage.wait(until: 1030)
    #expect(stage.log().last == "suspend A2 background>suspended idle")
    #expect(stage.fetches.map(\.seconds) == [20])
    // Who answers nothing is ended after 30 s, not later, whatever else comes.
    stage.hanging = ["a"]
    stage.fix(5000, east: 5000)
    stage.wait(until: 5029)
    #expect(stage.engine.subscriberState("a") == .background)
    stage.wait(until: 5030)
    #expect(stage.log().contains("terminate K2 background>notRunning budget_over"))
  }

  @Test func `G2 K1 one is not asked at the end of a long wake, and has its 30 s in the next`() {
    var stage = Stage()
    var subscriber = Self.subscriber()
    subscriber.modes = [.fetch, .externalAccessory]
    stage.add(subscriber, .active, at: 0)
    stage.answerSeconds = 8
    stage.answers["a"] = (.newData, 12, nil)
    stage.say(1, .mode(.accessory(.open(AccessoryTerms(session: "meter", device: "/dev/meter")))))
    stage.say(1, .mode(.accessory(.connected(session: "meter"))))
    stage.say(4, .background)
    // The wake begins at 3550 s, and what comes prolongs it to 3610 s.
    for number in 0..<10 {
      let event: AccessoryEvent =
        number.isMultiple(of: 2) ? .disconnected(session: "meter") : .connected(session: "meter")
      stage.say(3550 + 6 * Double(number), .mode(.accessory(event)))
    }
    stage.wait(until: 3610)
    #expect(stage.log().contains("defer K5 background>background backlog"))
    #expect(stage.log().last == "suspend K1 background>suspended budget_over")
    #expect(stage.fetches.isEmpty)
    stage.wait(until: 3640)
    #expect(stage.fetches.map(\.result) == [.newData])
    #expect(stage.fetches.map(\.seconds) == [12])
  }

  @Test func `G3 one that could not be handed the call is not asked`() {
    var stage = Stage { $0.policy.handedLimit = 1 }
    var subscriber = Self.subscriber(interval: 900)
    subscriber.services = [.significantChange]
    subscriber.authorization = .always
    stage.add(subscriber, .suspended, at: 0)
    stage.answers["a"] = (.newData, 1, 5000)
    stage.answerSeconds = 5
    stage.fix(1000, east: 0)
    stage.wait(until: 1000)
    #expect(stage.log().last == "defer K5 background>background backlog")
    #expect(stage.fetches.isEmpty)
    stage.wait(until: 1010)
    #expect(stage.fetches.map(\.seconds) == [1])
  }

  /// It runs because its audio sounds, or is suspended.
  @Test(arguments: [true, false])
  func `G3 B7 one is asked after the updates that are kept back, where these are many`(isSounding: Bool) {
    var stage = Stage { $0.policy.handedLimit = 2 }
    var subscriber = Self.subscriber(interval: 900)
    subscriber.services = [.standard]
    subscriber.modes = [.fetch, .location, .audio]
    subscriber.standard.deferSeconds = 50_000
    stage.add(subscriber, .active, at: 0)
    if isSounding { stage.say(1, .mode(.audio(.begin(.play, mixes: false)))) }
    stage.say(1, .background)
    for second in [10.0, 20, 30] { stage.fix(second, east: 0) }
    #expect(stage.log().suffix(3).allSatisfy { $0.hasPrefix("coalesce B7") })
    stage.answers["a"] = (.newData, 1, 5000)
    stage.wait(until: isSounding ? 910 : 1810)
    #expect(stage.fetches.map(\.seconds) == [1])
    // It was handed each but once, and the call last.
    #expect(stage.handed() == stage.handed().sorted())
    #expect(Set(stage.handed()).count == stage.handed().count)
    #expect(stage.log().count { $0.hasPrefix("defer K5") } == 1)
    #expect(stage.log().count { $0.hasPrefix("deliver G1") } == 1)
  }

  @Test(arguments: [0, 1] as [Int32])
  func `G3 a oneshot is asked once it is done with the event that it is at work on`(status: Int32) throws {
    var stage = Stage()
    var subscriber = Self.subscriber()
    subscriber.style = .oneshot
    subscriber.modes = [.fetch, .remoteNotification]
    stage.add(subscriber, .notRunning, at: 0)
    stage.hanging = ["a"]
    stage.say(5000, .mode(.push(Push(id: "p", isContentAvailable: true, payload: "{}"))))
    let push = try #require(stage.handed().last)
    stage.wait(until: 5020)
    #expect(
      stage.log() == [
        "relaunch H1 notRunning>background push", "defer K5 background>background backlog",
      ])
    // How the process ended comes before what follows from it.
    stage.say(5020, .finished(ProgramEnd(event: push, status: status, seconds: 20, lastLine: nil)))
    if status == 0 { stage.say(5020, .acknowledged(event: push, coreSeconds: 0.1)) }
    #expect(stage.handed() == [push])
    stage.say(5020, .exited(status: status))
    #expect(stage.fetches.isEmpty)
    if status == 0 {
      #expect(stage.log().last == "relaunch G1 notRunning>background good_moment")
      let call = try #require(stage.handed().last)
      stage.say(5025, .finished(ProgramEnd(event: call, status: 0, seconds: 5, lastLine: nil)))
      stage.say(5025, .acknowledged(event: call, coreSeconds: 0.1))
      stage.say(5025, .exited(status: 0))
      #expect(stage.fetches.map(\.result) == [.noData])
      #expect(stage.fetches.map(\.seconds) == [5])
    } else {
      // It is tried again and again, and asked for nothing else meanwhile.
      stage.wait(until: 7200)
      #expect(stage.fetches.isEmpty)
      #expect(Set(stage.handed()) == [push])
    }
  }

  @Test func `G1 at most 48 a day`() {
    var stage = Stage()
    stage.add(Self.subscriber(interval: 900), .suspended, at: 0)
    stage.answers["a"] = (.newData, 1, 4096)
    for step in 1...96 { stage.take(900 * Double(step) + 100, .machine(.awake)) }
    let first = stage.fetches.count
    #expect(first == 48)
    for step in 97...150 { stage.take(900 * Double(step) + 100, .machine(.awake)) }
    #expect(stage.fetches.count > 48)
  }

  @Test func `G1 a day has as many as are set, and the machine need not be awake after the intervals set`() {
    var stage = Stage {
      $0.policy.fetch.dayLimit = 2
      $0.policy.fetch.latestIntervals = 3
      $0.policy.fetch.leastSeconds = 1800
    }
    stage.add(Self.subscriber(interval: 900), .suspended, at: 0)
    stage.answers["a"] = (.newData, 1, 4096)
    stage.wait(until: 5399)
    #expect(stage.log() == [])
    stage.wait(until: 5400)
    #expect(stage.log().first == "wake G1 suspended>background good_moment")
    for step in 1...40 { stage.take(5400 + 1800 * Double(step), .machine(.awake)) }
    #expect(stage.fetches.count == 2)
    stage.take(5400 + 86_400, .machine(.awake))
    stage.wait(until: 5410 + 86_400)
    #expect(stage.fetches.count == 3)
  }

  @Test func `G1 the moments of a day are those of any 24 hours, not of a day that begins with the first`() {
    var stage = Stage { $0.policy.fetch.dayLimit = 2 }
    stage.add(Self.subscriber(interval: 900), .suspended, at: 0)
    stage.answers["a"] = (.newData, 1, 4096)
    stage.take(1000, .machine(.awake))
    stage.take(1010, .machine(.network(.unreachable)))
    stage.take(87_000, .machine(.network(.free)))
    // The first lies a day back now, the second does not.
    stage.take(88_000, .machine(.awake))
    stage.wait(until: 88_010)
    #expect(stage.fetches.count == 3)
    stage.take(90_000, .machine(.awake))
    stage.wait(until: 173_399)
    #expect(stage.fetches.count == 3)
    stage.wait(until: 173_410)
    #expect(stage.fetches.count == 4)
  }

  @Test func `G1 other numbers are in force at once, also for a moment that is waited for`() throws {
    var stage = Self.stage()
    stage.wait(until: 10)
    var snapshot = stage.engine.snapshot
    snapshot.configuration.policy.fetch.latestIntervals = 1
    stage.engine = try Engine(restoring: snapshot)
    stage.wait(until: 3599)
    #expect(stage.log() == [])
    stage.wait(until: 3600)
    #expect(stage.log().first == "wake G1 suspended>background good_moment")
  }

  @Test func `G1 a battery is low as it is set to be`() {
    var stage = Stage { $0.policy.fetch.batteryPercent = 50 }
    stage.add(Self.subscriber(), .suspended, at: 0)
    stage.take(10, .machine(.supply(PowerSupply(isOnBattery: true, percent: 49))))
    stage.wait(until: 20_000)
    #expect(stage.log() == ["defer G1 suspended>suspended power_low"])
    stage.take(20_001, .machine(.supply(PowerSupply(isOnBattery: true, percent: 50))))
    #expect(stage.log().dropFirst().first == "wake G1 suspended>background good_moment")
  }

  @Test func `G1 never means never, and a program without the mode is not asked`() {
    var stage = Stage()
    stage.add(Self.subscriber(interval: nil), .suspended, at: 0)
    var plain = Self.subscriber("b")
    plain.modes = []
    stage.add(plain, .suspended, at: 0)
    stage.take(50_000, .machine(.awake))
    #expect(stage.log() == [])
    #expect(stage.log(of: "b") == [])
    stage.say(50_001, .mode(.fetched(.newData, bytes: nil)), of: "b")
    #expect(stage.log(of: "b") == ["refuse G1 suspended>suspended no_mode"])
  }

  // MARK: Obstacles

  @Test(
    arguments: [
      (MachineEvent.network(.unreachable), MachineEvent.network(.free), "G1", "no_network"),
      (.network(.metered), .network(.free), "G1", "no_network"),
      (.lowPower(true), .lowPower(false), "G1", "low_power"),
      (.memoryPressure(.warning), .memoryPressure(.none), "G1", "pressure"),
      (
        .supply(PowerSupply(isOnBattery: true, percent: 19)),
        .supply(PowerSupply(isOnBattery: true, percent: 20)), "G1", "power_low"
      ),
    ] as [(MachineEvent, MachineEvent, String, String)])
  func `G1 what stands in the way is told once, and when it ends the moment comes`(
    begin: MachineEvent, end: MachineEvent, rule: String, reason: String
  ) {
    var stage = Self.stage()
    stage.take(10, .machine(begin))
    stage.wait(until: 20_000)
    #expect(stage.log() == ["defer \(rule) suspended>suspended \(reason)"])
    let inputs = stage.effects.decisions.first?.inputs
    #expect(inputs?.forceQuit == false && inputs?.backgroundDelivery == true && inputs?.lowPower != nil)
    #expect(inputs?.pressure == (reason == "pressure" ? .warning : nil))
    stage.take(20_001, .machine(.awake))
    #expect(stage.log().count == 1)
    stage.take(20_002, .machine(end))
    #expect(stage.log().dropFirst().first == "wake G1 suspended>background good_moment")
  }

  @Test func `G1 the user's doing is an obstacle of its own, told at its change`() {
    var stage = Self.stage(.notRunning)
    stage.say(1, .quit)
    stage.wait(until: 9000)
    stage.say(9001, .backgroundDelivery(false))
    stage.wait(until: 20_000)
    #expect(
      stage.log().dropFirst() == [
        "defer A7 notRunning>notRunning force_quit",
        "defer B8 notRunning>notRunning background_delivery_off",
      ])
    stage.say(20_001, .backgroundDelivery(true))
    #expect(stage.log().last == "defer A7 notRunning>notRunning force_quit")
    #expect(stage.launches().isEmpty)
  }

  @Test func `G1 a metered network will do where the manifest says so`() {
    var stage = Stage()
    stage.add(Self.subscriber(metered: true), .suspended, at: 0)
    stage.take(10, .machine(.network(.metered)))
    stage.wait(until: 7200)
    #expect(stage.log().first == "wake G1 suspended>background good_moment")
  }

  // MARK: Answers

  @Test(
    arguments: [
      (.newData, 5, 4096, 1), (.newData, 5, nil, 1), (.newData, 5, 1023, 0),
      (.noData, 10, nil, 0.7), (.newData, 11, nil, 0.5), (.noData, 20, nil, 0.5), (.noData, 21, nil, 0.2),
      (.newData, 20, 5, 0), (.newData, 25, 5, 0), (.newData, 25, 4096, 0.2), (.noData, 25, 5, 0.2),
      (.failed, 1, nil, 0.2), (.failed, 1, 5, 0.2), (nil, 30, nil, 0),
    ] as [(FetchResult?, Double, Int?, Double)])
  func `G3 what an answer is worth`(result: FetchResult?, seconds: Double, bytes: Int?, value: Double) {
    #expect(FetchState.value(result, seconds: seconds, bytes: bytes) == value)
  }

  @Test func `G3 the score moves by a fifth, and the interval with it`() throws {
    var stage = Self.stage()
    stage.answers["a"] = (.newData, 2, 5000)
    stage.wait(until: 7210)
    let fetches = stage.fetches
    let record = try #require(fetches.first)
    #expect(record.result == .newData)
    #expect(record.seconds == 2)
    #expect(record.bytes == 5000)
    #expect(abs(record.score - 0.6) < 1e-12)
    // 3600 times 4 to the power of -0.2.
    #expect(abs(record.nextSeconds - 2728.289_820) < 1e-3)
    let view = stage.engine.subscriber("a")
    #expect(view?.session.modes.fetch?.lastValue == 1)
    #expect(view?.fetchIntervalSeconds == record.nextSeconds)
    #expect(stage.state() == .suspended)
    var state = FetchState(at: Drive.instant(0))
    state.score = 1
    let numbers = Policy.Configuration.Fetch()
    #expect(abs(state.intervalSeconds(wishSeconds: 3600, numbers) - 900) < 1e-6)
    state.score = 0
    #expect(abs(state.intervalSeconds(wishSeconds: 3600, numbers) - 14_400) < 1e-6)
  }

  @Test(arguments: [true, false])
  func `G2 H1 fetched answers the oldest that was handed over, a good moment or a push`(isPushFirst: Bool) {
    var stage = Stage()
    var subscriber = Self.subscriber()
    subscriber.modes = [.fetch, .remoteNotification]
    stage.add(subscriber, .suspended, at: 0)
    stage.hanging = ["a"]
    let push = SubscriberEvent.mode(.push(Push(id: "p", isContentAvailable: true, payload: "{}")))
    if isPushFirst { stage.say(7190, push) }
    stage.wait(until: 7200)
    if !isPushFirst { stage.say(7205, push) }
    let handed = stage.handed()
    #expect(handed.count == 2)
    stage.say(7210, .mode(.fetched(.failed, bytes: nil)))
    #expect(stage.fetches.map(\.result) == (isPushFirst ? [] : [.failed]))
    stage.say(7211, .mode(.fetched(.newData, bytes: nil)))
    #expect(stage.fetches.map(\.result) == (isPushFirst ? [.newData] : [.failed]))
    #expect(stage.state() == .suspended)
  }

  @Test(arguments: [(0, .noData, 0.7), (1, .failed, 0.2)] as [(Int32, FetchResult, Double)])
  func `G2 G3 the status of a oneshot is its answer`(
    status: Int32, result: FetchResult, value: Double
  ) throws {
    var subscriber = Self.subscriber()
    subscriber.style = .oneshot
    var stage = Stage()
    stage.add(subscriber, .notRunning, at: 0)
    stage.hanging = ["a"]
    stage.wait(until: 7200)
    let handed = stage.handed()
    let event = try #require(handed.last)
    stage.say(7205, .finished(ProgramEnd(event: event, status: status, seconds: 5, lastLine: nil)))
    if status == 0 { stage.say(7205, .acknowledged(event: event, coreSeconds: 0.1)) }
    stage.say(7205, .exited(status: status))
    #expect(stage.fetches.map(\.result) == [result])
    #expect(stage.engine.subscriber("a")?.session.modes.fetch?.lastValue == value)
  }

  @Test func `G2 no answer within 30 s ends the program, and counts as nothing`() throws {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.wait(until: 7229)
    #expect(stage.state() == .background)
    stage.wait(until: 7231)
    #expect(stage.log().last == "terminate K2 background>notRunning budget_over")
    let fetches = stage.fetches
    let record = try #require(fetches.first)
    #expect(record.result == nil)
    #expect(abs(record.score - 0.4) < 1e-12)
    // Never kept: nothing is tried again for it.
    stage.wait(until: 7300)
    #expect(stage.launches().count == 1)
  }

  @Test func `G2 one that is opened and never answers is not ended, and holds up nobody after 30 s`() {
    var stage = Stage()
    stage.add(Self.subscriber(), .suspended, at: 0)
    stage.add(Self.subscriber("b"), .suspended, at: 100)
    stage.hanging = ["a"]
    stage.wait(until: 7200)
    #expect(stage.log() == ["wake G1 suspended>background good_moment"])
    stage.say(7210, .foreground)
    stage.wait(until: 7229)
    #expect(stage.log(of: "b") == [])
    #expect(stage.fetches.isEmpty)
    stage.wait(until: 7230)
    #expect(stage.log().dropFirst() == ["drop G1 active>active budget_over"])
    #expect(stage.fetches.map(\.result) == [nil])
    #expect(stage.log(of: "b") == ["wake G1 suspended>background good_moment"])
    // It owes no answer any more: a late one is of no moment, and it is not ended for lack of one.
    stage.say(7240, .mode(.fetched(.newData, bytes: nil)))
    #expect(stage.log().last == "refuse G1 active>active not_asked")
    stage.say(7250, .background)
    stage.wait(until: 7300)
    #expect(stage.state() == .suspended)
  }

  @Test func `G2 one that is opened and left again has its 30 s from when it was asked, and is suspended`() {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.wait(until: 7200)
    stage.say(7210, .foreground)
    stage.say(7220, .background)
    stage.wait(until: 7229)
    #expect(stage.fetches.isEmpty && stage.state() == .background)
    stage.wait(until: 7230)
    #expect(
      stage.log().dropFirst() == [
        "drop G1 background>background budget_over", "suspend A2 background>suspended idle",
      ])
    #expect(stage.fetches.map(\.result) == [nil])
  }

  @Test func `G2 one that is opened has its 30 s, not counting the time in which nobody was there`() {
    var stage = Self.stage()
    stage.hanging = ["a"]
    stage.wait(until: 7200)
    stage.say(7210, .foreground)
    stage.take(7215, .machine(.absent(true)))
    stage.take(7315, .machine(.absent(false)))
    stage.wait(until: 7329)
    #expect(stage.fetches.isEmpty)
    stage.say(7329, .mode(.fetched(.newData, bytes: 4096)))
    #expect(stage.fetches.map(\.result) == [.newData])
    #expect(stage.fetches.map(\.seconds) == [29])
  }

  @Test func `G3 sleep is no slowness, also where the answer is read before anybody is there again`() {
    for isRead in [true, false] {
      var stage = Self.stage()
      stage.hanging = ["a"]
      stage.wait(until: 7200)
      stage.take(7205, .machine(.absent(true)))
      if !isRead { stage.take(8000, .machine(.absent(false))) }
      stage.say(8000, .mode(.fetched(.newData, bytes: 4096)))
      if isRead { stage.take(8001, .machine(.absent(false))) }
      #expect(stage.fetches.map(\.seconds) == [5])
      #expect(stage.engine.subscriber("a")?.session.modes.fetch?.lastValue == 1)
    }
  }

  @Test func `G3 the end of the daemon, a new manifest and a reboot leave the score of a fetch as it is`() {
    for end in [
      Event.subscriber(name: "a", .orphaned), .addSubscriber(Self.subscriber(), .notRunning),
      .machine(.reboot),
    ] {
      var stage = Self.stage()
      stage.hanging = ["a"]
      stage.wait(until: 7200)
      stage.take(7210, end)
      #expect(stage.state() == .notRunning)
      #expect(stage.fetches.isEmpty)
      #expect(stage.engine.subscriber("a")?.session.modes.fetch?.score == 0.5)
      // It is asked again.
      stage.wait(until: 14_400)
      #expect(stage.log().last == "relaunch G1 notRunning>background good_moment")
    }
  }

  @Test func `G1 a reboot keeps the last moment, and removing the mode forgets the score`() {
    var stage = Self.stage()
    stage.answers["a"] = (.newData, 1, nil)
    stage.wait(until: 7205)
    stage.take(7300, .machine(.reboot))
    #expect(stage.engine.subscriber("a")?.session.modes.fetch?.lastValue == 1)
    stage.take(7400, .addSubscriber(Subscriber(name: "a", services: []), .notRunning))
    #expect(stage.engine.subscriber("a")?.session.modes.fetch == nil)
    stage.take(7500, .addSubscriber(Self.subscriber(), .notRunning))
    #expect(stage.engine.subscriber("a")?.session.modes.fetch?.score == 0.5)
  }

  @Test func `M6 what a fetch sent is booked to its subscriber under G1`() throws {
    var stage = Stage { $0.profile = .pinephone }
    stage.add(Self.subscriber(), .suspended, at: 0)
    stage.answers["a"] = (.newData, 5, 100_000)
    stage.wait(until: 7300)
    stage.take(7300, .end)
    let entries = stage.effects.records.compactMap { record -> PowerEntry? in
      if case .power(let entry) = record.body { entry } else { nil }
    }
    let radio = entries.filter { $0.component.rawValue.hasPrefix("radio") }
    #expect(!radio.isEmpty)
    #expect(radio.allSatisfy { $0.subscriber == "a" && $0.rule == .goodMoment })
    #expect(radio.reduce(0) { $0 + $1.joules } > 0)
    let run = entries.filter { $0.component == .subscriberRun }
    #expect(run.map { ($0.seconds * 1000).rounded() } == [100])
    #expect(run.allSatisfy { $0.subscriber == "a" && $0.rule == .goodMoment })
  }
}

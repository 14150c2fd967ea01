import TestSupport
import Testing

@testable import LocationCore

/// The rules at their edges: rights at each handing over, the two clocks, backlogs, retries, memory as a level.
@Suite struct EdgeTests {
  static let mover = Subscriber(name: "a", services: [.significantChange])
  static let logger = Subscriber(name: "a", services: [.standard], modes: [.location])

  /// A stage on which `a` has been woken for a significant change at 0 and hangs.
  static func hung(_ subscriber: Subscriber = mover) -> Stage {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(subscriber, .suspended)
    stage.fix(0, east: 0)
    return stage
  }

  // MARK: B8

  @Test(arguments: [SubscriberEvent.authorization(.denied), .accuracy(.reduced)])
  func `B8 what was handed over and not acknowledged is dropped when the right is gone`(
    _ change: SubscriberEvent
  ) {
    var stage = Self.hung()
    #expect(stage.handed().count == 1)
    stage.say(1, change)
    let reason = change == .accuracy(.reduced) ? "reduced" : "denied"
    #expect(stage.log().contains("drop B8 background>background \(reason)"))
    stage.say(2, .exited(status: 1))
    stage.say(30, .foreground)
    stage.wait(until: 400)
    #expect(stage.handed().count == 1, "it is never handed it again")
  }

  @Test func `B8 a region's state is told by the same rights, and only of a region of the manifest`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.regions], regions: ["r"]), .suspended)
    for id in ["r", "other"] {
      stage.take(0, .addRegion(Region(id: id, shape: .circle(center: Drive.origin, radiusMeters: 200))))
    }
    stage.fix(1, east: 0)
    func answer(_ id: String) -> Engine.RegionAnswer { stage.engine.regionState(id, for: "a") }
    #expect(answer("r") == .state(.inside))
    #expect(answer("other") == .unknown)
    stage.say(2, .accuracy(.reduced))
    #expect(answer("r") == .refused(.reduced))
    stage.say(3, .authorization(.denied))
    #expect(answer("r") == .refused(.denied))
  }

  // MARK: C2, C3, K1

  @Test func `C2 no delivery and no further task extends the time of tasks, and each is told by token`() {
    var stage = Stage()
    stage.add(Self.logger, .active)
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
    stage.add(Self.logger, .suspended)
    for second in 0...9 { stage.fix(Double(second), east: Double(second) * 20) }
    #expect(stage.state() == .background)
    stage.wait(until: 10)
    #expect(stage.log().contains("terminate K2 background>notRunning budget_over"))
  }

  @Test func `K2 what came due while nobody was there gets the time that was left`() {
    var stage = Self.hung()
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
    var stage = Self.hung()
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
    var stage = Self.hung()
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
    stage.add(Self.mover, .active)
    stage.fix(0, east: 0)
    stage.wait(until: 100)
    stage.say(100, .background)
    stage.wait(until: 109.9)
    #expect(stage.state() == .background)
    stage.wait(until: 110)
    #expect(stage.log().contains("terminate K2 background>notRunning budget_over"))
  }

  @Test func `K1 so does leaving it after a wake that lasted as long as it may`() throws {
    var stage = Stage()
    stage.answerSeconds = 25
    stage.add(Subscriber(name: "a", services: [], modes: [.audio, .remoteNotification]), .active, at: 0)
    stage.say(1, .mode(.audio(.begin(.play, mixes: false))))
    stage.say(2, .background)
    for (second, id) in [(10.0, "p"), (30, "q"), (50, "r")] {
      if id == "r" { stage.hanging = ["a"] }
      stage.say(second, .mode(.push(Push(id: id, isContentAvailable: true, payload: "{}"))))
    }
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
      var subscriber = Self.logger
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

  private static let push = Push(id: "m", isContentAvailable: true, payload: "{}")

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

  // MARK: K5

  @Test func `K5 the first of the retries comes as late as is set`() {
    var stage = Stage { $0.policy.backOffSeconds = 20 }
    stage.hanging = ["a"]
    stage.add(Self.mover, .suspended)
    stage.fix(0, east: 0)
    stage.say(5, .exited(status: 139))
    stage.wait(until: 24.9)
    #expect(stage.state() == .notRunning)
    stage.wait(until: 25)
    #expect(stage.log().last == "relaunch K5 notRunning>background unacknowledged")
  }

  @Test func `K5 whatever ended it, what it had not acknowledged is tried again`() {
    for end in ["overrun", "crash"] {
      var stage = Self.hung()
      switch end {
      case "overrun": stage.wait(until: 10)
      case "crash": stage.say(10, .exited(status: 139))
      case _: break
      }
      #expect(stage.state() == .notRunning, "\(end)")
      stage.hanging = []
      stage.wait(until: 10.9)
      #expect(stage.state() == .notRunning, "\(end)")
      stage.wait(until: 12)
      #expect(stage.log().contains("relaunch K5 notRunning>background unacknowledged"), "\(end)")
      #expect(Set(stage.handed()).count == 1 && stage.handed().count == 2, "\(end)")
      #expect(stage.state() == .suspended, "\(end)")
    }
  }

  @Test func `K5 a purge is tried again too, once there is memory`() {
    var stage = Self.hung()
    stage.take(1, .machine(.memoryPressure(.critical)))
    stage.wait(until: 6)
    #expect(stage.log().last == "terminate A4 background>notRunning memory_pressure")
    stage.hanging = []
    stage.wait(until: 20)
    #expect(stage.state() == .notRunning)
    stage.take(21, .machine(.memoryPressure(.none)))
    stage.wait(until: 22)
    #expect(stage.handed().count == 2 && stage.state() == .suspended)
  }

  // MARK: A7

  @Test
  func `A7 after a relaunch under the mark background location wakes nobody until the user launches it`() {
    var stage = Stage()
    var subscriber = Self.logger
    subscriber.services.insert(.significantChange)
    stage.add(subscriber, .suspended)
    stage.say(0, .quit)
    stage.fix(1, east: 0)
    stage.wait(until: 2)
    #expect(stage.state() == .suspended, "relaunched and done")
    stage.fix(3, east: 20)
    #expect(stage.log().last == "defer A7 suspended>suspended force_quit")
    stage.say(4, .foreground)
    stage.say(5, .background)
    stage.wait(until: 20)
    stage.fix(21, east: 60)
    #expect(stage.log().last == "wake B3 suspended>background suspended")
  }

  @Test func `A7 A9 the mark is told where nothing ran`() {
    var stage = Stage()
    stage.add(Self.mover, .notRunning)
    stage.say(0, .quit)
    #expect(stage.log() == ["terminate A7 notRunning>notRunning force_quit"])
    #expect(stage.effects.orders.isEmpty)
  }

  // MARK: A4

  @Test func `A4 critical is a level: whoever is suspended meanwhile goes too, and nothing is relaunched`() {
    var stage = Stage()
    stage.add(Self.mover, .suspended)
    stage.add(Subscriber(name: "b", services: [.significantChange]), .active)
    stage.take(1, .machine(.memoryPressure(.critical)))
    #expect(stage.log() == ["purge A4 suspended>notRunning memory_pressure"])
    stage.say(2, .background, of: "b")
    stage.wait(until: 8)
    #expect(stage.state(of: "b") == .notRunning)
    stage.fix(9, east: 0)
    #expect(stage.log().last == "defer A4 notRunning>notRunning memory_pressure")
    stage.say(10, .foreground, of: "b")
    #expect(stage.state(of: "b") == .active, "the user may")
  }

  @Test func `A4 relief ends a pending termination, and a warning reaches everyone that runs`() {
    var stage = Stage()
    stage.add(Self.mover, .active)
    stage.add(Subscriber(name: "b"), .active)
    stage.add(Subscriber(name: "c"), .suspended)
    stage.say(0, .beginTask(name: "t"))
    stage.say(0, .background)
    stage.take(1, .machine(.memoryPressure(.critical)))
    stage.wait(until: 3)
    #expect(stage.warnings().map(\.level) == [.critical])
    stage.take(4, .machine(.memoryPressure(.warning)))
    stage.wait(until: 20)
    #expect(stage.state() == .background)
    #expect(stage.warnings().map(\.level) == [.critical, .warning])
    #expect(stage.warnings(of: "b").map(\.level) == [.warning] && stage.warnings(of: "c").isEmpty)
  }

  // MARK: A9

  @Test func `A9 each event handed again is told, and what was never handed is kept`() {
    var stage = Stage()
    stage.add(Self.mover, .suspended)
    stage.take(0, .machine(.memoryPressure(.critical)))
    stage.fix(1, east: 0)
    stage.take(2, .machine(.reboot))
    #expect(stage.log().contains("relaunch K5 notRunning>background kept"))
    var hung = Self.hung()
    hung.say(1, .exited(status: 1))
    hung.wait(until: 2)
    #expect(hung.log().last == "relaunch K5 notRunning>background unacknowledged")
    var quit = Self.hung()
    quit.say(5, .quit)
    quit.say(20, .authorization(.always))
    #expect(quit.log().last == "relaunch B8 notRunning>background unacknowledged")
  }

  @Test func `A9 a decision tells what it depended on`() {
    var stage = Stage()
    stage.add(Self.mover, .notRunning)
    stage.fix(0, east: 0)
    let inputs = stage.effects.decisions.first?.inputs
    #expect(inputs?.authorization == .always && inputs?.accuracy == .full && inputs?.forceQuit == false)
    #expect(
      inputs?.isLocked == false && inputs?.backgroundDelivery == true
        && inputs?.pressure == MemoryPressure.none)
    #expect(inputs?.budgetSeconds == 10 && inputs?.lowPower == nil)
  }

  @Test func `A9 K2 the begin and the end of throttling are told`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Self.mover, .suspended)
    stage.fix(0, east: 0)
    stage.wait(until: 300)
    let throttles = stage.log().filter { $0.hasPrefix("throttle") }
    #expect(throttles.count >= 2)
    #expect(throttles[0] == "throttle K2 notRunning>notRunning throttled")
    #expect(throttles[1] == "throttle K2 notRunning>notRunning throttle_over")
  }

  // MARK: A1, A5, A8, A11

  @Test func `A1 a return from the background records no state that was not held`() {
    var stage = Stage()
    stage.add(Self.mover, .active)
    stage.say(0, .background)
    stage.say(2, .foreground)
    let after = stage.effects.records.compactMap { record in
      if case .subscriberState(let move) = record.body { move.after } else { nil }
    }
    #expect(after == [.inactive, .background, .inactive, .active])
  }

  private static func moves(_ stage: borrowing Stage) -> [String] {
    stage.effects.records.compactMap { record in
      guard case .subscriberState(let move) = record.body else { return nil }
      return "\(move.before)>\(move.after) \(move.cause)"
    }
  }

  @Test func `A1 no suspension is recorded of a program whose process has ended`() {
    var stage = Self.hung(Subscriber(name: "a", style: .oneshot, services: [.significantChange]))
    stage.fix(400, east: 2_000)
    let events = stage.handed()
    #expect(events.count == 2)
    for event in events {
      stage.say(401, .finished(ProgramEnd(event: event, status: 0, seconds: 1, lastLine: nil)))
      stage.say(401, .acknowledged(event: event, coreSeconds: 0.1))
      #expect(stage.state() == .background)
    }
    stage.say(401, .exited(status: 0))
    #expect(Self.moves(stage) == ["background>notRunning exit"])
    #expect(!stage.log().contains { $0.hasPrefix("suspend") })
    // The end is that of one process alone.
    stage.say(500, .foreground)
    stage.say(501, .background)
    stage.wait(until: 510)
    #expect(stage.log().last == "suspend A2 background>suspended idle")
  }

  /// The process of the event that a oneshot has ends well, and that of a launch comes next.
  private static func endFollowed(_ stage: inout Stage, at second: Double) {
    for event in stage.handed() {
      var end = ProgramEnd(event: event, status: 0, seconds: 2, lastLine: nil)
      end.isFollowed = true
      stage.say(second, .finished(end))
      stage.say(second, .acknowledged(event: event, coreSeconds: 0.1))
    }
  }

  @Test func `A2 a oneshot that the user launched during an event is suspended once he has left it`() {
    var stage = Self.hung(Subscriber(name: "a", style: .oneshot, services: [.significantChange]))
    stage.say(1, .foreground)
    Self.endFollowed(&stage, at: 2)
    stage.say(3, .background)
    stage.wait(until: 60)
    #expect(stage.state() == .suspended)
  }

  @Test func `A2 a launch that waited for the process of an event has a grace of its own`() {
    var stage = Self.hung(Subscriber(name: "a", style: .oneshot, services: [.significantChange]))
    stage.say(1, .foreground)
    stage.say(2, .background)
    Self.endFollowed(&stage, at: 8)
    stage.wait(until: 12)
    #expect(stage.state() == .background)
    stage.wait(until: 14)
    #expect(stage.state() == .suspended)
  }

  @Test func `A1 a program that is replaced is not suspended first, and started again for what is left`() {
    var stage = Self.hung()
    var subscriber = Self.mover
    subscriber.authorization = .denied
    stage.take(1, .addSubscriber(subscriber, .notRunning))
    #expect(stage.log().last == "drop B8 background>background denied")
    #expect(Self.moves(stage) == ["background>notRunning replaced"])
    var other = Self.hung()
    other.take(1, .addSubscriber(Self.mover, .notRunning))
    #expect(Self.moves(other) == ["background>notRunning replaced"])
    #expect(other.state() == .background)
    #expect(other.handed().count == 2)
  }

  @Test func `A2 it is told when it moves to the background and before it is suspended, and ends its grace`()
  {
    var stage = Stage()
    stage.add(Self.mover, .active)
    stage.say(0, .background)
    stage.say(1, .done)
    #expect(stage.state() == .suspended)
    let notices = stage.effects.orders.compactMap { order in
      if case .announce(_, let notice) = order { notice } else { nil }
    }
    #expect(notices.map(\.state) == [.background, .suspended])
    #expect(notices.first?.graceSeconds == 5)
  }

  @Test func `K1 C2 the remaining time is that of the clock that ends first`() throws {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Self.mover, .suspended)
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

  @Test func `A5 a second background is refused and does not move the end`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", exitsOnSuspend: true), .active)
    stage.say(0, .background)
    for second in [1.0, 2, 3, 4] { stage.say(second, .background) }
    #expect(stage.log().count { $0 == "refuse A1 inactive>inactive illegal_move" } == 4)
    #expect(stage.engine.subscriber("a")?.budgetEnd == Drive.instant(5), "what it is told that remains")
    stage.wait(until: 5)
    #expect(stage.state() == .notRunning)
  }

  @Test func `L1 B8 regions alone need no receiver where the position may be told roughly only`() {
    for accuracy in [Subscriber.AccuracyAuthorization.full, .reduced] {
      var stage = Stage()
      var subscriber = Subscriber(name: "a", services: [.regions])
      subscriber.accuracy = accuracy
      stage.add(subscriber, .suspended)
      #expect(stage.engine.state.policy.receiverUsers.isEmpty == (accuracy == .reduced))
      #expect(stage.engine.state.policy.samplingNeeds.needsNone == (accuracy == .reduced))
    }
  }

  @Test func `L1 A5 who opted out of the background uses the receiver only with a process`() {
    var stage = Stage()
    let services: Subscriber.Services = [.significantChange, .regions, .visits]
    stage.add(Subscriber(name: "a", services: services, exitsOnSuspend: true), .active)
    #expect(stage.engine.state.policy.receiverUsers == [ReceiverUser(subscriber: "a", rule: .regions)])
    stage.say(0, .background)
    stage.wait(until: 5)
    #expect(stage.state() == .notRunning)
    #expect(stage.engine.state.policy.receiverUsers == [])
    #expect(stage.engine.state.policy.samplingNeeds.needsNone)
    stage.say(10, .foreground)
    #expect(stage.engine.state.policy.receiverUsers == [ReceiverUser(subscriber: "a", rule: .regions)])
  }

  /// What a program was told of regions and moves, in order: the type of the record, and what it says.
  private func told(_ stage: borrowing Stage) -> [String] {
    let handed = Set(stage.handed())
    return stage.effects.records.filter { handed.contains($0.id) }.compactMap { record in
      switch record.body {
      case .region(let event):
        if case .state(let state) = event.kind {
          return "\(event.region) \(state.rawValue) \(event.reason.rawValue)"
        }
        return "\(event.region) \(event.kind.name)"
      case .significant(let change): return "move \(change.reason.rawValue)"
      case _: return nil
      }
    }
  }

  /// A stage with regions at the origin and 2 km east of it, where the position comes from the first.
  private func stageBetweenRegions(
    _ subscriber: Subscriber, blocks: Bool = false
  ) -> Stage {
    var stage = Stage { $0.policy.forceQuitBlocksLocation = blocks }
    for (id, east) in [("home", 0.0), ("work", 2000)] {
      let center = Geodesy.direct(from: Drive.origin, azimuthDegrees: 90, distanceMeters: east)
      stage.take(-2, .addRegion(Region(id: id, shape: .circle(center: center, radiusMeters: 200))))
    }
    stage.add(subscriber, .active)
    for second in 0..<5 { stage.fix(Double(second), east: 0) }
    return stage
  }

  @Test func `L1 A5 who waits for the user has nothing kept, and is told where it is at the launch`() {
    let services: Subscriber.Services = [.significantChange, .regions]
    var stage = stageBetweenRegions(Subscriber(name: "a", services: services, exitsOnSuspend: true))
    #expect(told(stage) == ["move initial"])
    stage.say(10, .background)
    for second in 20..<30 { stage.fix(Double(second) * 20, east: 2000) }
    #expect(stage.state() == .notRunning)
    let drops = stage.log().filter { $0 == "drop A5 notRunning>notRunning exits_on_suspend" }
    #expect(drops.count == 3, "left home, entered work, moved: \(stage.log())")
    #expect(stage.engine.subscriber("a")?.waiting == [])
    stage.say(590, .foreground)
    #expect(Array(told(stage).dropFirst()) == ["work inside launched", "move initial"])
    stage.say(600, .background)
    stage.say(602, .foreground)
    #expect(told(stage).count == 3, "its process did not end")
  }

  @Test func `L1 A7 a launch tells the regions of the manifest, and after a boot so does the next start`() {
    let subscriber = Subscriber(
      name: "a", services: [.significantChange, .regions], regions: ["work", "home", "none"])
    for boots in [false, true] {
      var stage = stageBetweenRegions(subscriber, blocks: true)
      stage.say(10, .quit)
      for second in 20..<30 { stage.fix(Double(second) * 20, east: 2000) }
      #expect(stage.engine.subscriber("a")?.waiting == [])
      stage.take(900, boots ? .machine(.reboot) : .subscriber(name: "a", .foreground))
      let states = ["home outside launched", "work inside launched"]
      if boots { #expect(told(stage).count == 1) } else { #expect(Array(told(stage).dropFirst()) == states) }
      stage.fix(910, east: 3000)
      let after = boots ? ["move moved"] + states : states + ["move initial"]
      #expect(Array(told(stage).dropFirst()) == after)
    }
  }

  @Test func `L1 who chose its events, or may not know of regions, is told no states at the launch`() {
    for change in 0..<3 {
      var subscriber = Subscriber(name: "a", services: [.regions], exitsOnSuspend: true)
      switch change {
      case 0:
        var filter = OfferFilter()
        filter.kinds = [.enter]
        subscriber.filter = filter
      case 1: subscriber.accuracy = .reduced
      case _: subscriber.authorization = .denied
      }
      var stage = stageBetweenRegions(subscriber)
      stage.say(10, .quit)
      stage.say(20, .foreground)
      #expect(told(stage) == [], "\(change)")
    }
  }

  @Test func `L1 D7 a notification of a region has the receiver on for the region, and for nothing else`() {
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200))))
    stage.add(Subscriber(name: "a", services: [.significantChange], exitsOnSuspend: true), .notRunning)
    stage.say(
      0, .mode(.notify(LocalNotification(id: "n", title: "N", when: .region(id: "r", isLeft: false)))))
    #expect(
      stage.engine.state.policy.receiverUsers == [ReceiverUser(subscriber: "a", rule: .notificationRegion)])
    let needs = stage.engine.state.policy.samplingNeeds
    #expect(needs.needsRegions && !needs.needsMoves)
  }

  @Test func `A8 a launch by the user is refused before the first unlock`() {
    var stage = Stage { $0.policy.protectUntilFirstUnlock = true }
    stage.add(Self.mover, .suspended)
    stage.take(0, .machine(.reboot))
    stage.say(1, .foreground)
    #expect(stage.log() == ["refuse A8 notRunning>notRunning locked"] && stage.state() == .notRunning)
    stage.take(2, .machine(.unlock))
    stage.say(3, .foreground)
    #expect(stage.state() == .active)
  }

  @Test func `A10 a launch tells its kind`() {
    var stage = Self.hung()
    #expect(stage.launches().last?.kind == "significant-change" && stage.launches().last?.eventKind == nil)
    stage.say(1, .exited(status: 1))
    stage.wait(until: 2)
    #expect(stage.launches().last?.kind == "redelivery")
    #expect(stage.launches().last?.eventKind == "significant-change")
  }

  @Test(arguments: [(1, 10.0), (2, 30)])
  func `K1 a launch tells the time for what is handed over with it, not for what comes later`(
    limit: Int, seconds: Double
  ) {
    var stage = Stage {
      $0.policy.protectUntilFirstUnlock = true
      $0.policy.handedLimit = limit
    }
    var subscriber = Self.mover
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

  @Test func `A11 what was preserved is restored, and forgotten after two ends soon after`() {
    var stage = Self.hung()
    stage.say(1, .preserve(text: "page 7"))
    stage.say(2, .exited(status: 1))
    stage.wait(until: 3)
    #expect(stage.launches().last?.restored == "page 7")
    stage.say(4, .exited(status: 1))
    stage.wait(until: 6)
    #expect(stage.launches().last?.restored == "page 7")
    stage.say(7, .exited(status: 1))
    stage.wait(until: 20)
    #expect(stage.launches().last?.restored == nil)
  }

  @Test func `A11 a start by the user restores too, and counts for what is forgotten`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: []), .active)
    stage.say(1, .preserve(text: "page 7"))
    stage.say(2, .exited(status: 0))
    for second in [10.0, 20] {
      #expect(stage.engine.subscriber("a")?.preserved == "page 7")
      stage.say(second, .foreground)
      stage.say(second + 1, .exited(status: 0))
    }
    #expect(stage.engine.subscriber("a")?.preserved == nil)
  }

  @Test func `A11 an end soon after counts also where something was acknowledged`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [], modes: .remoteNotification), .active)
    stage.say(1, .preserve(text: "page 7"))
    stage.say(2, .exited(status: 0))
    for second in [10.0, 20, 30] {
      stage.say(second, .mode(.push(Push(isContentAvailable: true, payload: "{}"))))
      stage.say(second + 1, .exited(status: 0))
    }
    #expect(stage.handed().count == 3)
    #expect(stage.engine.subscriber("a")?.waiting == [])
    #expect(stage.launches().map(\.restored) == ["page 7", "page 7", nil])
  }

  @Test func `A11 how soon an end is, and how many are forgiven, is as set`() {
    var stage = Stage {
      $0.policy.restoring.soonSeconds = 2
      $0.policy.restoring.attempts = 1
    }
    stage.add(Subscriber(name: "a", services: []), .active)
    stage.say(1, .preserve(text: "page 7"))
    stage.say(2, .exited(status: 0))
    for (start, end, isKept) in [(10.0, 12.0, true), (20, 21.9, false)] {
      stage.say(start, .foreground)
      stage.say(end, .exited(status: 0))
      #expect((stage.engine.subscriber("a")?.preserved == "page 7") == isKept)
    }
  }

  // MARK: B1, B9

  @Test func `B1 a subscriber that may be told late is told at once, and measures for itself`() {
    var stage = Stage()
    var subscriber = Self.mover
    subscriber.authorization = .denied
    stage.add(subscriber, .suspended)
    for second in 0...70 { stage.fix(Double(second) * 10, east: Double(second) * 15) }
    stage.say(705, .authorization(.always))
    #expect(stage.log().last == "wake B1 suspended>background suspended")
    #expect(stage.effects.changes.last?.reason == .initial && stage.effects.changes.last?.movedMeters == nil)
    let count = stage.handed().count
    // 500 m from there, and not from where the others were told.
    for second in 71...170 { stage.fix(Double(second) * 10, east: Double(second) * 15) }
    #expect(stage.handed().count == count + 2)
    #expect(stage.effects.changes.last { $0.movedMeters.map { $0 >= 500 } ?? false } != nil)
  }

  @Test func `B1 who was told roughly where it is measures from that`() {
    // Its coarse position waited from 900 m on, was told at 900 s, and it may know exactly from 902 s on.
    for (full, times) in [(902.0, 0), (890, 1)] {
      var stage = Stage()
      var subscriber = Self.mover
      subscriber.accuracy = .reduced
      stage.add(subscriber, .suspended)
      // Beyond the first coarse cell, so that the second position is another.
      var before = 0
      for second in stride(from: 0.0, through: 1_150, by: 5) {
        if second - 5 < full, second >= full {
          before = stage.handed().count
          stage.say(full, .accuracy(.full))
        }
        stage.fix(second, east: max(0, min(second, 900) - 500) * 80)
      }
      #expect(stage.handed().count - before == times, "\(full): \(stage.log())")
    }
  }

  @Test
  func
    `B1 what was not told, because the coarse position was the same, is measured from once it may be known`()
  {
    var stage = Stage()
    var subscriber = Self.mover
    subscriber.accuracy = .reduced
    stage.add(subscriber, .suspended)
    // 900 m within one cell: nothing new to tell roughly.
    for second in 0...190 { stage.fix(Double(second) * 5, east: 2_000 + min(900, Double(second) * 5)) }
    #expect(stage.handed().count == 1)
    stage.say(952, .accuracy(.full))
    stage.fix(955, east: 2_900)
    #expect(stage.handed().count == 2, "\(stage.log())")
    #expect(stage.effects.changes.last.map { ($0.movedMeters ?? 0) > 800 } == true)
  }

  @Test func `B1 the last fix is told only while it is fresh`() {
    var stage = Stage()
    stage.fix(0, east: 0)
    stage.add(Self.mover, .suspended, at: 61)
    #expect(stage.handed().isEmpty)
    stage.fix(100, east: 0)
    #expect(stage.handed().count == 1)
    stage.add(Subscriber(name: "b", services: [.significantChange]), .suspended, at: 101)
    #expect(stage.handed(to: "b").count == 1)
  }

  @Test func `B1 how old the last fix may be is as set`() {
    var stage = Stage { $0.policy.moves.freshSeconds = 3 }
    stage.fix(0, east: 0)
    stage.add(Self.mover, .suspended, at: 4)
    #expect(stage.handed().isEmpty)
    stage.fix(100, east: 0)
    stage.add(Subscriber(name: "b", services: [.significantChange]), .suspended, at: 103)
    #expect(stage.handed(to: "b").count == 1)
  }

  @Test func `B9 a request that suspension cuts off is answered with the best, or refused`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: []), .active)
    stage.say(0, .background)
    stage.say(1, .locate(seconds: 30))
    stage.fix(2, east: 0, accuracy: 80)
    stage.wait(until: 5)
    #expect(stage.locations.map(\.update.reason) == [.best])
    #expect(stage.state() == .suspended)
    stage.say(10, .foreground)
    stage.say(20, .background)
    stage.say(21, .locate(seconds: 30))
    stage.wait(until: 25)
    #expect(stage.log().contains("refuse B2 background>background suspended"))
    #expect(stage.effects.orders.contains(.refuse(subscriber: "a", what: "locate", reason: .suspended)))
    #expect(stage.state() == .suspended)
  }

  @Test func `B9 a request that finds no fix in its time is refused`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: []), .active)
    stage.say(0, .locate(seconds: 30))
    stage.wait(until: 29)
    #expect(!stage.effects.orders.contains(.refuse(subscriber: "a", what: "locate", reason: .noFix)))
    stage.wait(until: 31)
    #expect(stage.effects.orders.contains(.refuse(subscriber: "a", what: "locate", reason: .noFix)))
  }

  // MARK: A1, A2

  @Test func `A2 the screen's lock sends the foreground away, and its unlock brings it back`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a"), .active)
    stage.add(Subscriber(name: "b"), .suspended)
    stage.take(1, .machine(.lock))
    #expect(stage.state() == .background)
    stage.wait(until: 6)
    #expect(stage.state() == .suspended)
    stage.take(10, .machine(.unlock))
    #expect(stage.state() == .active)
    #expect(stage.state(of: "b") == .suspended, "it was not in the foreground")
    stage.say(11, .background)
    stage.take(12, .machine(.unlock))
    #expect(stage.state() == .background, "the user had turned away")
  }

  @Test func `A2 A5 an unlock in time brings back who opted out of the background`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", exitsOnSuspend: true), .active)
    stage.add(Subscriber(name: "b", exitsOnSuspend: true), .active)
    stage.say(1, .background, of: "b")
    stage.take(2, .machine(.lock))
    stage.take(5, .machine(.unlock))
    #expect(stage.state() == .active)
    #expect(stage.state(of: "b") == .inactive, "the user had turned away")
    stage.wait(until: 20)
    #expect(stage.state() == .active)
    #expect(stage.state(of: "b") == .notRunning)
  }

  @Test func `A1 an interruption takes the foreground and gives it back`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a"), .active)
    stage.say(1, .interrupted(true))
    #expect(stage.state() == .inactive)
    stage.say(2, .interrupted(true))
    #expect(stage.log() == ["refuse A1 inactive>inactive illegal_move"])
    stage.say(3, .interrupted(false))
    #expect(stage.state() == .active)
  }

  @Test func `A1 the end of a call asks nothing of who is about to end`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", exitsOnSuspend: true), .active)
    stage.say(1, .interrupted(true))
    stage.say(2, .background)
    stage.say(3, .interrupted(false))
    #expect(stage.log().allSatisfy { !$0.hasPrefix("refuse") }, "\(stage.log())")
    #expect(stage.state() == .inactive)
  }

  // MARK: B9

  @Test func `B9 a program that starts without a source is told so at once`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a"), .notRunning)
    stage.take(0, .source(.stale(.lost, seconds: 0)))
    stage.say(1, .foreground)
    #expect(
      stage.effects.orders.contains(.refuse(subscriber: "a", what: "start", reason: .noSource)))
    #expect(stage.log() == ["refuse B9 active>active no_source"])
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

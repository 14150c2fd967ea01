import LocationCore
import TestSupport
import Testing

/// Rules B1, B2, B3, B6, B7 and the request for one fix (B9).
@Suite struct StandardServiceTests {
  static func subscriber(
    _ services: Subscriber.Services = [.standard], modes: Subscriber.Modes = [], filter: Double = 0,
    _ adjust: (inout StandardTerms) -> Void = { _ in }
  ) -> Subscriber {
    var terms = StandardTerms()
    adjust(&terms)
    return Subscriber(
      name: "a", services: services, modes: modes, distanceFilterMeters: filter, standard: terms)
  }

  // MARK: B2

  @Test(arguments: SubscriberState.allCases)
  func `B2 every fix comes while it runs, and none while it does not`(_ state: SubscriberState) {
    var stage = Stage()
    stage.add(Self.subscriber(), state)
    if state == .background { stage.say(0, .beginTask(name: "stay")) }
    for second in 0..<5 { stage.fix(Double(second), east: 0) }
    #expect(stage.locations.count == (state.isRunning ? 5 : 0))
    #expect(stage.handed() == stage.locations.map(\.id))
    let reason = state.isForeground ? "foreground" : "running"
    let expected = "deliver B2 \(state)>\(state) \(reason)"
    #expect(stage.log() == (state.isRunning ? [String](repeating: expected, count: 5) : []))
  }

  @Test func `B2 nothing is queued, and a delivery holds nothing off`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Self.subscriber(), .notRunning)
    stage.say(0, .foreground)
    stage.say(1, .background)
    for second in 2..<20 { stage.fix(Double(second), east: 0) }
    #expect(stage.log().last == "suspend A2 background>suspended idle")
    #expect(stage.locations.count == 4)
    let handed = stage.handed().count
    stage.say(30, .foreground)
    #expect(stage.handed().count == handed, "what it did not acknowledge does not come again")
  }

  @Test func `B2 K5 updates that are not acknowledged take no room from what is kept`() {
    var stage = Stage { $0.policy.handedLimit = 3 }
    stage.hanging = ["a"]
    stage.add(Self.subscriber([.standard, .significantChange]), .active)
    stage.fix(0, east: 0)
    let move = stage.engine.subscriber("a")?.waiting.map(\.event).last
    for second in 1..<20 { stage.fix(Double(second), east: 0) }
    #expect(stage.locations.count == 20)
    #expect(stage.handed().count == 21)
    // Of the updates the latest are known still.
    #expect(
      stage.engine.subscriber("a")?.waiting.map(\.event) == [move].compactMap(\.self)
        + stage.locations.suffix(3).map(\.id))
  }

  @Test func `B2 a process that ends is not started again for an update`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Self.subscriber(), .active)
    stage.fix(0, east: 0)
    stage.say(1, .exited(status: 1))
    stage.wait(until: 1000)
    #expect(stage.state() == .notRunning)
  }

  @Test func `B2 the distance is measured from the update before`() {
    var stage = Stage()
    stage.add(Self.subscriber(filter: 100), .active)
    for step in 0...30 { stage.fix(Double(step), east: Double(step) * 30) }
    // 0, 120, 240, ... and not every 100 m: 30 m a fix.
    #expect(stage.locations.count == 8)
  }

  @Test func `B2 a fix with half the error passes the distance filter`() {
    var stage = Stage()
    stage.add(Self.subscriber(filter: 1000), .active)
    for (second, accuracy) in [20.0, 15, 10.1, 10, 9, 5.1, 5].enumerated() {
      stage.fix(Double(second), east: 0, accuracy: accuracy)
    }
    #expect(stage.locations.map(\.update.accuracy.radiusMeters) == [20, 10, 5])
  }

  @Test func `B2 what is less exact than asked for is left out, for half a minute at most`() {
    var stage = Stage()
    stage.add(Self.subscriber { $0.desiredAccuracy = .tenMeters }, .active)
    for second in 0...70 { stage.fix(Double(second), east: 0, accuracy: second == 10 ? 8 : 25) }
    #expect(stage.locations.map(\.update.accuracy.radiusMeters) == [25, 8, 25, 25])
  }

  @Test func `B2 one record serves all, and each has its own filter`() {
    var stage = Stage()
    stage.add(Self.subscriber(), .active)
    var other = Self.subscriber(filter: 50)
    other.name = "b"
    stage.add(other, .active)
    for step in 0..<10 { stage.fix(Double(step), east: Double(step) * 20) }
    #expect(stage.locations.count == 10)
    #expect(stage.handed(to: "b").count == 4)
    #expect(Set(stage.handed(to: "b")).isSubset(of: stage.handed()))
  }

  // MARK: One fix

  @Test func `B2 a request is answered by the first fix that is exact enough`() {
    var stage = Stage()
    stage.add(Self.subscriber([]), .active)
    stage.say(0, .locate(seconds: 30))
    stage.fix(1, east: 0, accuracy: 50)
    stage.fix(2, east: 0, accuracy: 9)
    stage.fix(3, east: 0, accuracy: 5)
    #expect(stage.locations.map(\.update.reason) == [.requested])
    #expect(stage.locations.first?.update.accuracy.radiusMeters == 9)
  }

  @Test func `B2 or by the best when its time is over, or by nothing`() {
    var stage = Stage()
    stage.add(Self.subscriber([]), .active)
    stage.say(0, .locate(seconds: 30))
    for (second, accuracy) in [50.0, 40, 60].enumerated() {
      stage.fix(Double(second), east: 0, accuracy: accuracy)
    }
    stage.wait(until: 29.9)
    #expect(stage.locations.isEmpty)
    stage.wait(until: 30)
    #expect(stage.locations.map(\.update.reason) == [.best])
    #expect(stage.locations.first?.update.accuracy.radiusMeters == 40)
    stage.say(100, .locate(seconds: 30))
    stage.wait(until: 200)
    #expect(stage.log().last == "refuse B9 active>active no_fix")
  }

  // MARK: B3

  @Test func `B3 the mode wakes for every fix that passes`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]), .suspended)
    for second in 0..<3 { stage.fix(Double(second), east: 0) }
    stage.wait(until: 3)
    let each = ["wake B3 suspended>background suspended", "suspend A2 background>suspended idle"]
    #expect(stage.log() == each + each + each)
  }

  @Test func `B3 the mode does not hold off suspension and does not relaunch`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]), .active)
    stage.say(0, .background)
    stage.wait(until: 10)
    #expect(stage.state() == .suspended)
    stage.say(11, .exited(status: 0))
    stage.fix(12, east: 0)
    #expect(stage.state() == .notRunning && stage.locations.isEmpty)
  }

  @Test func `B3 what waits is bounded, and the oldest goes by name`() {
    var stage = Stage()
    var subscriber = Self.subscriber(modes: [.location])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, .suspended)
    for second in 0..<300 { stage.fix(Double(second), east: 0) }
    #expect(stage.log().count { $0 == "defer B8 suspended>suspended background_delivery_off" } == 300)
    #expect(stage.log().count { $0 == "drop B3 suspended>suspended outbox_full" } == 300 - Limits.updates)
    stage.say(400, .foreground)
    #expect(stage.handed().count == 100, "no more at once")
    stage.wait(until: 410)
    #expect(stage.handed() == Array(stage.locations.map(\.id).suffix(Limits.updates)))
  }

  // MARK: B6

  static let activities: [(StandardTerms.Activity, seconds: Double)] = [
    (.other, 180), (.fitness, 180), (.automotive, 300), (.otherNavigation, 300), (.airborne, 600),
  ]

  @Test(arguments: activities)
  func `B6 updates pause at rest and resume when it moves on`(
    _ activity: StandardTerms.Activity, seconds: Double
  ) {
    var stage = Stage()
    stage.add(
      Self.subscriber {
        $0.pausesAutomatically = true
        $0.activity = activity
      }, .active)
    for second in 0...Int(seconds) + 100 { stage.fix(Double(second), east: 0) }
    #expect(stage.pauses.map(\.pauses) == [true])
    #expect(stage.pauses.map(\.reason) == [.resting])
    #expect(stage.locations.count == Int(seconds))
    let away = max(60, activity == .airborne ? 510.0 : 60)
    stage.fix(seconds + 110, east: away)
    #expect(stage.pauses.map(\.pauses) == [true, false])
    #expect(stage.locations.count == Int(seconds) + 1)
    #expect(stage.handed().count == stage.locations.count + 2, "it is told of both")
  }

  @Test(arguments: [true, false])
  func `B6 who could not be told that it moves on is told with the next update`(_ isDenied: Bool) {
    var stage = Stage()
    stage.add(Self.subscriber { $0.pausesAutomatically = true }, .active)
    for step in 0...30 { stage.fix(Double(step) * 10, east: 0) }
    #expect(stage.pauses.map(\.pauses) == [true])
    stage.say(301, isDenied ? .authorization(.denied) : .background)
    for step in 31...60 { stage.fix(Double(step) * 10, east: Double(step - 30) * 50) }
    #expect(stage.pauses.map(\.pauses) == [true])
    let count = stage.handed().count
    stage.say(601, isDenied ? .authorization(.always) : .foreground)
    stage.fix(610, east: 1_550)
    #expect(stage.pauses.map(\.pauses) == [true, false])
    #expect(stage.pauses.last?.reason == .moved)
    #expect(stage.handed().count == count + 2, "that it goes on, and then the update")
    stage.fix(620, east: 1_600)
    #expect(stage.handed().count == count + 3)
  }

  @Test(arguments: [true, false])
  func `B6 no pause comes of a first fix outside, or of a rest before there were no updates`(_ isFar: Bool) {
    var stage = Stage()
    stage.add(Self.subscriber { $0.pausesAutomatically = true }, .active)
    stage.fix(0, east: 0)
    if isFar {
      for step in 1...8 { stage.fix(Double(step) * 200, east: Double(step) * 3000) }
    } else {
      stage.say(10, .background)
      for step in 2...79 { stage.fix(Double(step) * 10, east: step < 40 ? 2000 : 0) }
      stage.say(795, .foreground)
      for step in 80...83 { stage.fix(Double(step) * 10, east: 0) }
    }
    #expect(stage.pauses.isEmpty)
  }

  @Test func `B6 B9 a pause waits until it can be told, and an answer that can't be told is refused`() throws
  {
    var stage = Stage { $0.policy.handedLimit = 1 }
    stage.hanging = ["a"]
    stage.add(Self.subscriber([.standard, .significantChange]) { $0.pausesAutomatically = true }, .active)
    stage.fix(0, east: 0)
    let handed = stage.handed()
    for step in 1...40 { stage.fix(Double(step) * 10, east: 0) }
    #expect(stage.pauses.isEmpty)
    stage.say(401, .locate(seconds: 30))
    stage.fix(410, east: 0)
    #expect(stage.log().contains("refuse B2 active>active backlog"))
    for event in handed { stage.say(411, .acknowledged(event: event, coreSeconds: 0)) }
    stage.fix(420, east: 0)
    #expect(stage.pauses.map(\.pauses) == [true])
  }

  @Test func `B6 nobody who walks is paused`() {
    var stage = Stage()
    stage.add(Self.subscriber { $0.pausesAutomatically = true }, .active)
    for second in 0..<1000 { stage.fix(Double(second), east: Double(second)) }
    #expect(stage.pauses.isEmpty && stage.locations.count == 1000)
  }

  @Test(arguments: [UInt64](1...(Corpus.isFull ? 20 : 6)))
  func `B6 every pause is followed by a resume as soon as it has moved 60 m`(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]) { $0.pausesAutomatically = true }, .suspended)
    var east = 0.0
    var time = 0.0
    var pausedAt: Double?
    for _ in 0..<600 {
      time += Double.random(in: 1...60, using: &random)
      if Double.random(in: 0...1, using: &random) < 0.2 { east += Double.random(in: 0...200, using: &random) }
      switch Int.random(in: 0...60, using: &random) {
      case 0: stage.say(time, .exited(status: 0))
      case 1: stage.say(time, .foreground)
      case 2: stage.say(time, .background)
      default: break
      }
      stage.fix(time + 0.5, east: east)
      if stage.pauses.last?.pauses == true {
        if let anchor = pausedAt { #expect(abs(east - anchor) < 110, "seed \(seed)") }
        pausedAt = pausedAt ?? east
      } else {
        pausedAt = nil
      }
    }
    let kinds = stage.pauses.map(\.pauses)
    #expect(zip(kinds, kinds.dropFirst()).allSatisfy { $0 != $1 }, "they alternate, seed \(seed)")
    #expect(kinds.first ?? true)
  }

  // MARK: B7

  @Test func `B7 updates are kept back until a distance, then come together and in order`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]) { $0.deferMeters = 990 }, .suspended)
    for step in 0..<25 { stage.fix(Double(step), east: Double(step) * 50) }
    stage.wait(until: 100)
    #expect(stage.log().count { $0 == "coalesce B7 suspended>suspended batched" } == 25)
    #expect(stage.log().filter { $0.hasPrefix("wake") } == ["wake B7 suspended>background batch_full"])
    #expect(stage.handed() == Array(stage.locations.map(\.id).prefix(21)))
  }

  @Test func `B7 or until a time, which needs no further fix`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]) { $0.deferSeconds = 60 }, .suspended)
    for step in 0..<10 { stage.fix(Double(step), east: Double(step) * 50) }
    stage.wait(until: 59.9)
    #expect(stage.handed().isEmpty)
    stage.wait(until: 60)
    #expect(stage.handed() == stage.locations.map(\.id))
    #expect(stage.log().contains("wake B7 suspended>background batch_due"))
  }

  @Test func `B3 B8 who was never handed updates that were dropped is told of the next fix`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location], filter: 300) { $0.deferSeconds = 600 }, .suspended)
    stage.fix(0, east: 0)
    stage.fix(100, east: 1_000)
    #expect(stage.log().last == "coalesce B7 suspended>suspended batched", "\(stage.log())")
    stage.say(110, .authorization(.denied))
    #expect(stage.log().count { $0.hasPrefix("drop B8") } == 2, "\(stage.log())")
    stage.say(120, .authorization(.always))
    stage.fix(130, east: 1_000)
    #expect(stage.log().last == "coalesce B7 suspended>suspended batched", "\(stage.log())")
  }

  @Test func `B7 stopping the service delivers what was kept back`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]) { $0.deferSeconds = 600 }, .suspended)
    for step in 0..<10 { stage.fix(Double(step), east: 0) }
    stage.say(20, .stop(.standard))
    #expect(stage.handed() == stage.locations.map(\.id))
    #expect(stage.log().contains("wake B7 suspended>background stopped"))
    stage.fix(30, east: 0)
    #expect(stage.locations.count == 10)
  }

  @Test func `B7 the user who opens it gets what was kept back, and then each at once`() {
    var stage = Stage()
    stage.add(Self.subscriber(modes: [.location]) { $0.deferSeconds = 600 }, .suspended)
    for step in 0..<3 { stage.fix(Double(step), east: 0) }
    stage.say(10, .foreground)
    stage.fix(11, east: 0)
    #expect(stage.handed() == stage.locations.map(\.id) && stage.handed().count == 4)
    #expect(stage.log().last == "deliver B2 active>active foreground")
  }

  @Test func `B7 K5 what comes behind many updates that are kept back is delivered when it is handed over`() {
    var stage = Stage { $0.policy.handedLimit = 2 }
    stage.add(Self.subscriber(modes: [.location, .remoteNotification]) { $0.deferSeconds = 600 }, .active)
    stage.say(0, .beginTask(name: "stay"))
    stage.say(1, .background)
    for second in [2.0, 3, 4] { stage.fix(second, east: 0) }
    stage.say(5, .mode(.push(Push(id: "p", isContentAvailable: true, payload: "{}"))))
    #expect(stage.log().suffix(3).first == "defer K5 background>background backlog")
    #expect(stage.handed().count == 2)
    stage.wait(until: 6)
    #expect(stage.handed().count == 4)
    #expect(stage.log().last == "deliver K5 background>background kept")
    #expect(!stage.log().contains { $0.hasPrefix("deliver H1") })
  }

  // MARK: B1, B9

  @Test func `B1 a subscriber that may be told late is told at once, and measures for itself`() {
    var stage = Stage()
    var subscriber = Subscriber.mover
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
      var subscriber = Subscriber.mover
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
    var subscriber = Subscriber.mover
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
    stage.add(.mover, .suspended, at: 61)
    #expect(stage.handed().isEmpty)
    stage.fix(100, east: 0)
    #expect(stage.handed().count == 1)
    stage.add(Subscriber(name: "b", services: [.significantChange]), .suspended, at: 101)
    #expect(stage.handed(to: "b").count == 1)
  }

  @Test func `B1 how old the last fix may be is as set`() {
    var stage = Stage { $0.policy.moves.freshSeconds = 3 }
    stage.fix(0, east: 0)
    stage.add(.mover, .suspended, at: 4)
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

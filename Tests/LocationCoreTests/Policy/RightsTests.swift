import TestSupport
import Testing

@testable import LocationCore

/// Rules B8, B9 and B10, and the parts of A4, C1, K2 and K3 that need a further event.
@Suite struct RightsTests {
  static func reduced(_ services: Subscriber.Services, modes: Subscriber.Modes = []) -> Subscriber {
    Subscriber(name: "a", services: services, modes: modes, accuracy: .reduced)
  }

  // MARK: Reduced accuracy

  @Test(arguments: [UInt64](1...50))
  func `B8 a coarse position is a function of the cell, and lies near`(_ seed: UInt64) {
    var random = SeededRandom(seed)
    for _ in 0..<100 {
      let place = Coordinate(
        latitude: Double.random(in: -89...89, using: &random),
        longitude: Double.random(in: -180...180, using: &random))!
      let cell = ReducedCell(place)
      #expect(ReducedCell(cell.middle) == cell)
      #expect(Geodesy.distanceMeters(cell.middle, place) < cell.accuracy.radiusMeters, "\(place)")
    }
  }

  @Test(arguments: [-90.0, -89.99, -45, 0, 45, 89.99, 90], [-180.0, -179.999, 0, 179.999, 180])
  func `B8 every corner of the world has a cell`(latitude: Double, longitude: Double) {
    let cell = ReducedCell(Coordinate(latitude: latitude, longitude: longitude)!)
    #expect(abs(cell.middle.latitude) <= 90 && abs(cell.middle.longitude) <= 180)
  }

  @Test func `B8 reduced standard updates are one in 15 minutes, and the same all over a cell`() {
    var stage = Stage()
    stage.add(Self.reduced([.standard]), .active)
    for step in 0...360 { stage.fix(Double(step) * 10, east: Double(step)) }
    #expect(stage.locations.count == 5)
    #expect(Set(stage.locations.map(\.update)).count == 1)
    #expect(
      stage.locations.allSatisfy { $0.update.reason == .reduced && $0.update.speedMetersPerSecond == nil })
  }

  @Test func `B8 coarse positions are as far apart as is set`() {
    var stage = Stage { $0.policy.coarse.leastSeconds = 60 }
    stage.add(Self.reduced([.standard]), .active)
    for step in 0...12 { stage.fix(Double(step) * 10, east: Double(step)) }
    #expect(stage.locations.count == 3)
    var waiting = Stage { $0.policy.coarse.leastSeconds = 400 }
    waiting.add(Self.reduced([.significantChange]), .suspended)
    waiting.fix(0, east: 0)
    waiting.fix(300, east: 3000)
    #expect(waiting.locations.count == 1)
    waiting.wait(until: 400)
    #expect(waiting.locations.count == 2)
    // In whole microseconds this is due before it has passed as a number.
    var odd = Stage { $0.policy.coarse.leastSeconds = 600.2 }
    odd.add(Self.reduced([.significantChange]), .suspended)
    odd.fix(0, east: 0)
    odd.fix(300, east: 3000)
    odd.wait(until: 601)
    #expect(odd.locations.count == 2)
  }

  @Test func `B8 a coarse position wakes for a significant change, at most once in 15 minutes`() {
    var stage = Stage()
    stage.add(Self.reduced([.significantChange]), .suspended)
    for step in 0...240 { stage.fix(Double(step) * 10, east: Double(step) * 300) }
    #expect(stage.locations.count == 3)
    let changes = Set(
      stage.effects.records.compactMap { if case .significant = $0.body { $0.id } else { nil } })
    #expect(changes.isDisjoint(with: stage.handed()), "it is not handed where it really is")
    #expect(stage.handed() == stage.locations.map(\.id))
    #expect(stage.log().contains("coalesce B8 suspended>suspended reduced_window"))
  }

  /// A stage on which a significant change at 300 s waits until the next coarse position may be told at 900 s.
  static func waiting() -> Stage {
    var stage = Stage()
    stage.add(Self.reduced([.significantChange]), .suspended)
    stage.fix(0, east: 0)
    stage.fix(300, east: 3000)
    #expect(stage.handed().count == 1)
    return stage
  }

  @Test func `B8 a coarse position that waits is told at once when accuracy is full`() {
    var stage = Self.waiting()
    stage.say(450, .accuracy(.full))
    stage.wait(until: 460)
    #expect(stage.handed().count == 2, "a move that was kept back is not forgotten")
    stage.fix(900, east: 3000)
    #expect(stage.handed().count == 2)
  }

  @Test func `B8 a coarse position that waits is not told where it is the same as the last`() {
    var stage = Self.waiting()
    stage.fix(600, east: 0)
    stage.wait(until: 1_000)
    #expect(stage.handed().count == 1)
    #expect(stage.log().last == "drop B8 suspended>suspended reduced")
    // The next move need not wait for another 15 minutes.
    stage.fix(1_100, east: 6_000)
    stage.wait(until: 1_101)
    #expect(stage.handed().count == 2)
  }

  @Test func `B1 B8 with full accuracy a move that waited is told only if it holds`() {
    var stage = Self.waiting()
    stage.fix(600, east: 0)
    stage.say(700, .accuracy(.full))
    stage.wait(until: 710)
    #expect(stage.handed().count == 1)
  }

  @Test func `B1 B8 with full accuracy a move that waited is told exactly`() {
    var stage = Self.waiting()
    stage.fix(440, east: 3_000)
    stage.say(450, .accuracy(.full))
    stage.wait(until: 460)
    #expect(stage.handed().count == 2)
    let handed = stage.handed()
    let changes = stage.effects.records.compactMap { record in
      if case .significant(let change) = record.body { (record.id, change.instant) } else { nil }
    }
    #expect(changes.last?.0 == handed.last)
    #expect(changes.last?.1 == Drive.instant(450))
  }

  @Test func `B8 a coarse position that waits is told once it may be again`() {
    var stage = Self.waiting()
    stage.say(400, .authorization(.denied))
    stage.wait(until: 1_000)
    #expect(stage.handed().count == 1)
    stage.say(1_000, .authorization(.always))
    stage.wait(until: 1_001)
    #expect(stage.handed().count == 2)
  }

  @Test func `B8 a visit that waits is dropped with the right`() {
    var stage = Stage()
    stage.add(Self.reduced([.significantChange, .visits]), .suspended)
    for step in 0...40 { stage.fix(Double(step) * 10, east: 0) }
    #expect(stage.handed().count == 1)
    stage.say(450, .authorization(.denied))
    stage.say(460, .authorization(.always))
    stage.wait(until: 2_000)
    #expect(stage.handed().count == 1)
    #expect(stage.log().contains("drop B8 suspended>suspended denied"))
  }

  @Test func `B8 a visit of a reduced subscriber tells the cell`() {
    var stage = Stage()
    stage.add(Self.reduced([.visits]), .suspended)
    for step in 0...40 { stage.fix(Double(step) * 10, east: 0) }
    let visits = stage.effects.records.compactMap { record in
      if case .visit(let event) = record.body { (record.id, event) } else { nil }
    }
    let arrivals = stage.engine.tally.arrivals
    #expect(visits.count == 2 && arrivals == 2)
    #expect(stage.handed() == [visits[1].0])
    #expect(visits[1].1.coordinate == ReducedCell(Drive.origin).middle)
    #expect(visits[1].1.radiusMeters == 5000)
  }

  @Test func `B8 there are no regions for reduced accuracy`() {
    var stage = Stage()
    stage.add(Self.reduced([.regions]), .suspended)
    stage.take(
      0,
      .addRegion(
        Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200), initial: .event)))
    stage.fix(1, east: 0)
    #expect(stage.log() == ["refuse B8 suspended>suspended reduced"])
    stage.say(2, .foreground)
    stage.say(3, .start(.regions))
    #expect(stage.log().last == "refuse B8 active>active reduced")
  }

  @Test func `B8 accuracy changes while it runs`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.standard]), .active)
    stage.fix(0, east: 0)
    stage.say(1, .accuracy(.reduced))
    stage.fix(2, east: 0)
    stage.fix(3, east: 0)
    stage.say(4, .accuracy(.full))
    stage.fix(5, east: 0)
    #expect(stage.locations.map(\.update.reason) == [.update, .reduced, .update])
  }

  @Test func `B8 what waits and says more than it may know is dropped`() {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: [.significantChange])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, .suspended)
    stage.fix(0, east: 0)
    stage.say(1, .accuracy(.reduced))
    let wait = "defer B8 suspended>suspended background_delivery_off"
    #expect(stage.log() == [wait, "drop B8 suspended>suspended reduced", wait])
    stage.say(2, .foreground)
    #expect(stage.handed() == stage.locations.map(\.id), "a coarse position, as it was never told any")
    #expect(stage.handed().count == 1)
  }

  // MARK: Starts that are refused

  @Test func `B8 a service that is refused does not start when the right is there`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [], authorization: .denied), .active)
    stage.say(1, .start(.standard))
    #expect(stage.log() == ["refuse B8 active>active denied"])
    stage.say(2, .authorization(.always))
    stage.fix(3, east: 0)
    #expect(stage.handed().isEmpty)
    stage.say(4, .start(.standard))
    stage.fix(5, east: 0)
    #expect(stage.handed().count == 1)
  }

  @Test func `B8 regions that are refused do not start with full accuracy, and the rest starts`() {
    var stage = Stage()
    stage.add(Self.reduced([]), .active)
    stage.take(
      0,
      .addRegion(
        Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200), initial: .event)))
    stage.say(1, .start([.regions, .standard]))
    #expect(stage.log() == ["refuse B8 active>active reduced"])
    stage.say(2, .accuracy(.full))
    stage.fix(3, east: 0)
    #expect(stage.log().dropFirst() == ["deliver B2 active>active foreground"])
  }

  @Test func `B8 a request for one fix is answered with a coarse position, if one may be told now`() {
    var stage = Stage()
    stage.add(Self.reduced([]), .active)
    stage.say(1, .locate(seconds: 30))
    stage.fix(2, east: 0)
    #expect(stage.locations.map(\.update.reason) == [.reduced])
    stage.say(3, .locate(seconds: 30))
    #expect(stage.log().last == "refuse B8 active>active reduced_window")
    // Later the same cell is an answer, too.
    stage.say(903, .locate(seconds: 30))
    stage.fix(904, east: 1)
    #expect(stage.locations.count == 2)
    // What is told otherwise meanwhile is the answer, once.
    stage.say(1_804, .start(.standard))
    stage.say(1_805, .locate(seconds: 30))
    stage.fix(1_806, east: 2)
    stage.wait(until: 1_900)
    #expect(stage.locations.count == 3)
    #expect(!stage.log().contains { $0.contains("no_fix") })
  }

  @Test func `B8 K5 what was not acknowledged is dropped where it may no longer be told`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange], authorization: .always), .suspended)
    stage.hanging = ["a"]
    stage.fix(0, east: 0)
    stage.say(5, .authorization(.whenInUse))
    stage.wait(until: 100)
    #expect(
      stage.log().suffix(2) == [
        "terminate K2 background>notRunning budget_over", "drop B8 notRunning>notRunning needs_always",
      ])
    #expect(stage.engine.subscriber("a")?.waiting == [])
  }

  // MARK: Moves that may not be told

  /// A program that was told a significant change at 0 s and is suspended without the right to be woken.
  private static func asleep() -> Stage {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange], authorization: .whenInUse), .active)
    stage.fix(0, east: 0)
    stage.say(2, .background)
    return stage
  }

  @Test func `B1 B8 a move that may not be told is not told once the device is back`() {
    var stage = Self.asleep()
    for step in 1...60 { stage.fix(Double(step) * 10, east: Double(step <= 30 ? step : 60 - step) * 100) }
    #expect(stage.log().contains("refuse B8 suspended>suspended needs_always"))
    stage.say(605, .foreground)
    stage.fix(610, east: 0)
    stage.wait(until: 1_000)
    #expect(stage.handed().count == 1)
  }

  @Test func `B1 B8 who was never handed moves that were dropped is told of one from where it was told last`()
    throws
  {
    var stage = Stage()
    stage.add(.mover, .suspended)
    stage.fix(0, east: 0)
    stage.say(10, .backgroundDelivery(false))
    stage.fix(310, east: 2_000)
    stage.fix(620, east: 4_000)
    stage.say(700, .authorization(.denied))
    stage.say(800, .authorization(.always))
    stage.say(900, .backgroundDelivery(true))
    stage.wait(until: 901)
    let log = stage.log()
    #expect(log.filter { $0.hasPrefix("drop B8") }.count == 2, "\(log)")
    #expect(stage.handed().count == 2)
    let moved = try #require(stage.effects.changes.last?.movedMeters)
    #expect(moved > 3_900 && moved < 4_100)
  }

  @Test func `B1 B8 who is back where it was told last is told of no move that was dropped`() {
    var stage = Stage()
    stage.add(.mover, .suspended)
    stage.fix(0, east: 0)
    stage.say(10, .backgroundDelivery(false))
    stage.fix(310, east: 2_000)
    stage.say(400, .authorization(.denied))
    stage.fix(500, east: 0)
    stage.say(800, .authorization(.always))
    stage.say(900, .backgroundDelivery(true))
    stage.fix(1_300, east: 0)
    #expect(stage.handed().count == 1, "\(stage.log())")
  }

  @Test func `B1 B8 who may be told again is told where it is, and then once in 300 s`() {
    var stage = Self.asleep()
    for step in 1...40 { stage.fix(Double(step) * 10, east: Double(step) * 100) }
    #expect(stage.handed().count == 1)
    stage.say(405, .foreground)
    stage.wait(until: 406)
    #expect(stage.handed().count == 2)
    #expect(stage.effects.changes.last?.instant == Drive.instant(405))
    #expect(stage.effects.changes.last?.reason == .moved)
    let moved = stage.effects.changes.last?.movedMeters ?? 0
    #expect(moved > 3_900 && moved < 4_100, "from where it was told last to where it is")
    for step in 41...70 { stage.fix(Double(step) * 10, east: Double(step) * 100) }
    #expect(stage.handed().count == 2)
    stage.fix(710, east: 7_100)
    #expect(stage.handed().count == 3)
  }

  @Test func `B8 a coarse position that waits of a kind that a new manifest does not have is dropped`() {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: [.significantChange, .visits])
    subscriber.accuracy = .reduced
    stage.add(subscriber, .suspended)
    for step in 0...60 { stage.fix(Double(step) * 10, east: Double(step) * 100) }
    #expect(stage.engine.state.policy.session("a")?.owed?.trigger.kind == .move)
    subscriber.filter = OfferFilter()
    subscriber.filter?.kinds = [.leave]
    stage.take(601, .addSubscriber(subscriber, .suspended))
    #expect(stage.engine.state.policy.session("a")?.owed == nil)
  }

  @Test func `B4 what waits of a kind that a new manifest does not have is dropped`() {
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200))))
    var subscriber = Subscriber(name: "a", services: [.regions])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, .suspended)
    for step in 0...70 { stage.fix(Double(step) * 10, east: min(0, Double(step) * 50 - 1_000)) }
    #expect(stage.engine.state.policy.session("a")?.outbox.count == 1)
    subscriber.filter = OfferFilter()
    subscriber.filter?.kinds = [.exit]
    stage.take(800, .addSubscriber(subscriber, .suspended))
    stage.say(801, .foreground)
    stage.wait(until: 810)
    #expect(stage.log().contains("drop B4 suspended>suspended stopped"), "\(stage.log())")
    #expect(stage.handed().isEmpty)
  }

  @Test(arguments: [(Subscriber.Services.significantChange, "B1"), (.regions, "B4"), (.visits, "B5")])
  func `B1 B4 B5 what waits of a service that is stopped is dropped`(
    _ service: Subscriber.Services, _ rule: String
  ) {
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 200))))
    var subscriber = Subscriber(name: "a", services: [.significantChange, .regions, .visits])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, .suspended)
    for step in 0...70 { stage.fix(Double(step) * 10, east: min(0, Double(step) * 50 - 1_000)) }
    let waiting = stage.engine.state.policy.session("a")?.outbox.count ?? 0
    stage.say(800, .stop(service))
    let dropped = stage.log().count { $0 == "drop \(rule) suspended>suspended stopped" }
    #expect(dropped > 0)
    stage.say(801, .foreground)
    stage.wait(until: 810)
    #expect(stage.handed().count == waiting - dropped)
  }

  @Test(arguments: [true, false])
  func `B4 K5 what waits of a region that was renamed is kept, of one that is no more asked for dropped`(
    isRenamed: Bool
  ) {
    let shape = Region.Shape.circle(center: Drive.origin, radiusMeters: 200)
    var stage = Stage()
    stage.take(-2, .addRegion(Region(id: "home", shape: shape)))
    var subscriber = Subscriber(name: "a", services: [.regions], regions: ["home"])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, .suspended)
    for step in 0...70 { stage.fix(Double(step) * 10, east: min(0, Double(step) * 50 - 1_000)) }
    let waiting = stage.engine.subscriber("a")?.waiting ?? []
    #expect(!waiting.isEmpty)
    subscriber.regions = ["flat"]
    if isRenamed {
      stage.take(800, .removeRegion(id: "home"))
      let newest = waiting.map(\.event).max() ?? 0
      subscriber.formerRegions = [FormerRegion(id: "home", through: newest)]
    }
    stage.take(800, .addRegion(Region(id: "flat", shape: shape)))
    stage.take(800, .addSubscriber(subscriber, .suspended))
    #expect(stage.engine.subscriber("a")?.waiting == (isRenamed ? waiting : []))
    #expect(stage.log().contains("drop B4 suspended>suspended stopped") == !isRenamed)
    stage.say(801, .foreground)
    #expect(stage.handed() == (isRenamed ? waiting.map(\.event) : []))
  }

  @Test func `A2 a program that stops a service keeps what it is at work on, and is suspended after that`() {
    var stage = Stage()
    stage.answerSeconds = 8
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    stage.fix(0, east: 0)
    stage.say(2, .stop(.significantChange))
    stage.say(4, .mode(.notify(LocalNotification(id: "n", title: "T", when: .now))))
    stage.wait(until: 60)
    #expect(stage.state() == .suspended)
    #expect(!stage.log().contains { $0.hasPrefix("drop") })
  }

  // MARK: Background delivery

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func `B8 with background delivery off all waits for the user`(_ state: SubscriberState) {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: [.significantChange])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, state)
    stage.fix(0, east: 0)
    #expect(stage.log() == ["defer B8 \(state)>\(state) background_delivery_off"])
    stage.say(10, .foreground)
    #expect(stage.log().last == "deliver K5 active>active kept" && stage.handed().count == 1)
  }

  @Test func `B8 switched on again what waits is delivered`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    stage.say(0, .backgroundDelivery(false))
    stage.fix(1, east: 0)
    stage.say(2, .backgroundDelivery(true))
    #expect(stage.log().last == "wake B8 suspended>background background_delivery_on")
  }

  @Test(arguments: [(SubscriberState.suspended, "wake"), (.notRunning, "relaunch")])
  func `B8 what waits is delivered when a new manifest lets it`(_ state: SubscriberState, _ action: String) {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: [.significantChange])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, state)
    stage.fix(0, east: 0)
    subscriber.distanceFilterMeters = 1
    stage.take(1, .addSubscriber(subscriber, state))
    #expect(stage.handed().isEmpty, "another manifest alone delivers nothing")
    subscriber.backgroundDelivery = true
    stage.take(2, .addSubscriber(subscriber, state))
    #expect(stage.log().last == "\(action) B8 \(state)>background background_delivery_on")
    #expect(stage.handed().count == 1)
  }

  // MARK: Availability and advice

  @Test func `B9 a fix says that there is a source`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: []), .active)
    stage.take(0, .source(.stale(.noDevice, seconds: 0)))
    stage.fix(1, east: 0)
    stage.say(2, .start(.significantChange))
    #expect(
      stage.log().allSatisfy { !$0.contains("no_source") } && stage.handed().count == 1, "\(stage.log())")
  }

  @Test func `B9 without a source asking fails at once`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: []), .active)
    stage.take(0, .source(.stale(.lost, seconds: 60)))
    stage.say(1, .start(.significantChange))
    stage.say(2, .locate(seconds: 30))
    #expect(stage.log() == ["refuse B9 active>active no_source", "refuse B9 active>active no_source"])
    stage.take(3, .source(.found(name: "gpsd")))
    stage.say(4, .start(.significantChange))
    stage.fix(5, east: 0)
    #expect(stage.log().last == "deliver B1 active>active foreground")
  }

  @Test(arguments: [(600.0, 500.0, true), (100, 500, false), (600, 5_000, false)])
  func `B10 whose updates are as rare as significant changes is told so`(
    filter: Double, move: Double, isAdvised: Bool
  ) {
    var stage = Stage { $0.significant.distanceMeters = move }
    stage.add(
      Subscriber(name: "a", services: [.standard], modes: [.location], distanceFilterMeters: filter),
      .suspended)
    for step in 0...600 { stage.fix(Double(step) * 10, east: Double(step) * 15) }
    stage.take(7000, .end)
    let advice = stage.effects.records.compactMap { record in
      if case .advice(let advice) = record.body { advice } else { nil }
    }
    #expect(advice.map(\.cheaper) == (isAdvised ? [.significantChange] : []))
    #expect(advice.allSatisfy { $0.rule == .backgroundLocation && $0.joules > 0 })
  }

  // MARK: Memory, locks, overruns

  @Test func `A4 the largest goes first, and the background only when nobody suspended is left`() {
    var stage = Stage()
    for (name, bytes) in [("a", 10), ("b", 30), ("c", 20)] {
      stage.add(Subscriber(name: name), .suspended)
      stage.say(0, .memory(bytes: Int64(bytes)), of: name)
    }
    stage.add(Subscriber(name: "d"), .active)
    stage.say(1, .beginTask(name: "t"), of: "d")
    stage.say(2, .background, of: "d")
    stage.take(3, .machine(.memoryPressure(.critical)))
    stage.wait(until: 5.9)
    let purged = stage.effects.decisions.filter { $0.action == .purge }.map(\.subscriber)
    #expect(purged == ["b", "c", "a"], "one in a second")
    stage.wait(until: 6)
    #expect(
      stage.warnings(of: "d") == [Order.Warning(reason: .memory, seconds: 5, level: .critical)])
    stage.wait(until: 10.9)
    #expect(stage.state(of: "d") == .background)
    stage.wait(until: 11)
    #expect(stage.log(of: "d").last == "terminate A4 background>notRunning memory_pressure")
  }

  @Test func `A4 from one to the next it takes as long as is set`() {
    var stage = Stage { $0.policy.pressureLookSeconds = 10 }
    for name in ["a", "b"] { stage.add(Subscriber(name: name), .suspended) }
    stage.take(1, .machine(.memoryPressure(.critical)))
    stage.wait(until: 10.9)
    #expect(stage.effects.decisions.filter { $0.action == .purge }.map(\.subscriber) == ["a"])
    stage.wait(until: 11)
    #expect(stage.effects.decisions.filter { $0.action == .purge }.map(\.subscriber) == ["a", "b"])
  }

  @Test func `A4 whoever is told and then has room again lives, and the foreground always does`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a"), .active)
    stage.take(0, .machine(.memoryPressure(.critical)))
    stage.wait(until: 10)
    #expect(stage.state() == .active && stage.log().isEmpty)
    stage.say(11, .beginTask(name: "t"))
    stage.say(12, .background)
    stage.take(13, .machine(.memoryPressure(.critical)))
    stage.take(14, .machine(.memoryPressure(.none)))
    stage.wait(until: 30)
    #expect(stage.state() == .background)
  }

  @Test func `C1 no more tasks than may be, and none of who runs no code`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a"), .active)
    for _ in 0..<Limits.tasks { stage.say(0, .beginTask(name: "t")) }
    #expect(stage.log().isEmpty)
    stage.say(0, .beginTask(name: "t"))
    #expect(stage.log() == ["refuse C1 active>active too_many_tasks"])
    stage.add(Subscriber(name: "b"), .suspended, at: 1)
    stage.say(2, .beginTask(name: "t"), of: "b")
    #expect(stage.log(of: "b") == ["refuse C1 suspended>suspended suspended"])
  }

  @Test func `K2 who overruns again and again is throttled, longer each time, and told`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    stage.fix(0, east: 0)
    // It is tried again after 1, 2, 4 and 8 s, and overruns 10 s each time.
    stage.wait(until: 65)
    #expect(stage.log().count { $0.hasPrefix("terminate K2") } == 5)
    stage.wait(until: 124.9)
    #expect(stage.state() == .notRunning)
    stage.wait(until: 125)
    #expect(stage.log().last == "relaunch K2 notRunning>background throttle_over")
    #expect(stage.state() == .background)
    #expect(stage.launches().last?.throttleSeconds == 60)
    stage.wait(until: 136)
    stage.hanging = []
    // The sixth time is overrun too, and twice as long follows.
    stage.wait(until: 254.9)
    #expect(stage.state() == .notRunning)
    stage.wait(until: 256)
    #expect(stage.state() == .suspended, "what it acknowledges in time ends the throttling")
    stage.fix(2000, east: 9000)
    #expect(stage.log().last == "wake B1 suspended>background suspended")
  }

  @Test func `K2 who takes too much of the processor is ended, but only in the background`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    stage.fix(0, east: 0)
    stage.say(1, .overran)
    #expect(stage.log().last == "terminate K2 background>notRunning processor")
    stage.add(Subscriber(name: "b", services: [.regions]), .active, at: 1.5)
    stage.say(1.6, .overran, of: "b")
    #expect(stage.log(of: "b") == [])
    stage.wait(until: 2)
    #expect(stage.log().last == "relaunch K5 notRunning>background unacknowledged", "tried again")
  }

  @Test func `K2 an event during the throttling waits`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    for step in 0..<5 { stage.fix(Double(step) * 301, east: Double(step) * 1000) }
    stage.take(
      1220,
      .addRegion(Region(id: "r", shape: .circle(center: Drive.origin, radiusMeters: 9000), initial: .event)))
    stage.say(1220, .start(.regions))
    stage.fix(1221, east: 4000)
    #expect(stage.log().last == "defer K2 notRunning>notRunning throttled")
  }

  @Test func `K3 who holds a lock is ended instead of suspended`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    stage.fix(0, east: 0)
    stage.say(0.05, .lock(isHeld: true))
    stage.wait(until: 1)
    #expect(stage.log().last == "terminate K3 background>notRunning shared_lock")
    stage.add(Subscriber(name: "b", services: []), .suspended, at: 2)
    stage.say(3, .lock(isHeld: true), of: "b")
    #expect(stage.log(of: "b") == ["terminate K3 suspended>notRunning shared_lock"])
  }

  @Test func `K4 a wake says how long it slept`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended, at: 0)
    stage.fix(100, east: 0)
    guard case .wake(_, let launch) = stage.effects.orders.first else {
      return #expect(Bool(false), "not woken")
    }
    #expect(launch.sleptSeconds == 100)
  }

  // MARK: What was handed over, and states of regions

  @Test(arguments: [SubscriberEvent.authorization(.denied), .accuracy(.reduced)])
  func `B8 what was handed over and not acknowledged is dropped when the right is gone`(
    _ change: SubscriberEvent
  ) {
    var stage = Stage.hung()
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
}

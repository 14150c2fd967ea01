import TestSupport
import Testing

@testable import LocationCore

/// What a launch may do, and what it tells: rules A7, A8, A10, A11 and L1.
@Suite struct LaunchTests {
  @Test
  func `A7 after a relaunch under the mark background location wakes nobody until the user launches it`() {
    var stage = Stage()
    var subscriber = Subscriber.logger
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
    stage.add(.mover, .notRunning)
    stage.say(0, .quit)
    #expect(stage.log() == ["terminate A7 notRunning>notRunning force_quit"])
    #expect(stage.effects.orders.isEmpty)
  }

  @Test func `A8 a launch by the user is refused before the first unlock`() {
    var stage = Stage { $0.policy.protectUntilFirstUnlock = true }
    stage.add(.mover, .suspended)
    stage.take(0, .machine(.reboot))
    stage.say(1, .foreground)
    #expect(stage.log() == ["refuse A8 notRunning>notRunning locked"] && stage.state() == .notRunning)
    stage.take(2, .machine(.unlock))
    stage.say(3, .foreground)
    #expect(stage.state() == .active)
  }

  @Test func `A10 a launch tells its kind`() {
    var stage = Stage.hung()
    #expect(stage.launches().last?.kind == "significant-change" && stage.launches().last?.eventKind == nil)
    stage.say(1, .exited(status: 1))
    stage.wait(until: 2)
    #expect(stage.launches().last?.kind == "redelivery")
    #expect(stage.launches().last?.eventKind == "significant-change")
  }

  @Test func `A11 what was preserved is restored, and forgotten after two ends soon after`() {
    var stage = Stage.hung()
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
    #expect(stage.told() == ["move initial"])
    stage.say(10, .background)
    for second in 20..<30 { stage.fix(Double(second) * 20, east: 2000) }
    #expect(stage.state() == .notRunning)
    let drops = stage.log().filter { $0 == "drop A5 notRunning>notRunning exits_on_suspend" }
    #expect(drops.count == 3, "left home, entered work, moved: \(stage.log())")
    #expect(stage.engine.subscriber("a")?.waiting == [])
    stage.say(590, .foreground)
    #expect(Array(stage.told().dropFirst()) == ["work inside launched", "move initial"])
    stage.say(600, .background)
    stage.say(602, .foreground)
    #expect(stage.told().count == 3, "its process did not end")
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
      if boots {
        #expect(stage.told().count == 1)
      } else {
        #expect(Array(stage.told().dropFirst()) == states)
      }
      stage.fix(910, east: 3000)
      let after = boots ? ["move moved"] + states : states + ["move initial"]
      #expect(Array(stage.told().dropFirst()) == after)
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
      #expect(stage.told() == [], "\(change)")
    }
  }
}

import TestSupport
import Testing

@testable import LocationCore

/// What is handed over again, and when: rules A9 and K5.
@Suite struct RetryTests {
  @Test func `K5 the first of the retries comes as late as is set`() {
    var stage = Stage { $0.policy.backOffSeconds = 20 }
    stage.hanging = ["a"]
    stage.add(.mover, .suspended)
    stage.fix(0, east: 0)
    stage.say(5, .exited(status: 139))
    stage.wait(until: 24.9)
    #expect(stage.state() == .notRunning)
    stage.wait(until: 25)
    #expect(stage.log().last == "relaunch K5 notRunning>background unacknowledged")
  }

  @Test func `K5 a program that comes by itself is handed what waits for the next attempt`() {
    var stage = Stage { $0.policy.backOffSeconds = 20 }
    stage.hanging = ["a"]
    stage.add(.mover, .notRunning)
    stage.say(0, .registered)
    #expect(stage.log().isEmpty, "nothing waits")
    stage.fix(1, east: 0)
    stage.say(2, .exited(status: 69))
    stage.say(3, .registered)
    #expect(stage.log().last == "relaunch K5 notRunning>background unacknowledged")
    #expect(stage.handed().count == 2)
    stage.say(4, .registered)
    #expect(stage.launches().count == 2, "it runs")
    // Where something else stands in the way it waits for that.
    stage.say(5, .exited(status: 1))
    stage.take(6, .machine(.memoryPressure(.critical)))
    stage.say(7, .registered)
    #expect(stage.launches().count == 2)
    stage.take(8, .machine(.memoryPressure(.none)))
    stage.wait(until: 9)
    #expect(stage.launches().count == 3)
  }

  @Test func `K5 M3 a retry that something stands in the way of says so`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(.mover, .suspended)
    stage.fix(0, east: 0)
    stage.say(5, .backgroundDelivery(false))
    stage.say(5, .exited(status: 139))
    stage.wait(until: 100)
    #expect(stage.log().last == "defer B8 notRunning>notRunning background_delivery_off")
    #expect(stage.log().count { $0.hasPrefix("defer") } == 1, "once")
    stage.say(100, .backgroundDelivery(true))
    #expect(stage.log().last == "relaunch B8 notRunning>background background_delivery_on")
  }

  @Test func `A9 what waits behind the event of a oneshot was never handed over`() {
    var stage = Stage()
    stage.hanging = ["a"]
    stage.add(Subscriber(name: "a", style: .oneshot, services: [.significantChange]), .notRunning)
    for (second, east) in [(0.0, 0.0), (310, 2_000)] { stage.fix(second, east: east) }
    for _ in 1...2 {
      stage.say(320, .exited(status: 3))
      stage.wait(until: 325)
      let log = stage.log()
      #expect(log.suffix(2).first == "relaunch K5 notRunning>background unacknowledged", "\(log)")
      #expect(log.last == "deliver K5 background>background kept", "\(log)")
    }
  }

  @Test func `K5 whatever ended it, what it had not acknowledged is tried again`() {
    for end in ["overrun", "crash"] {
      var stage = Stage.hung()
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
    var stage = Stage.hung()
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

  private func isRelaunchBooked(_ stage: borrowing Stage) -> Bool {
    stage.engine.ledger.settled(at: stage.engine.instant).entries.contains { $0.component == .relaunch }
  }

  @Test func `K5 what starts itself is called once it is connected, and not before`() {
    var stage = Stage()
    var mover = Subscriber.mover
    mover.style = .socket
    stage.add(mover, .notRunning)
    stage.say(0, .unregistered)
    stage.fix(1, east: 0)
    stage.wait(until: 1_000)
    #expect(stage.log() == ["defer K5 notRunning>notRunning not_connected"])
    stage.say(1_001, .foreground)
    #expect(stage.log().last == "refuse K5 notRunning>notRunning not_connected")
    stage.say(1_002, .registered)
    #expect(stage.log().last == "relaunch K5 notRunning>background kept")
    #expect(stage.handed().count == 1)
    // Nobody has started it.
    var isBooked = isRelaunchBooked(stage)
    #expect(!isBooked)
    stage.wait(until: 1_010)
    stage.say(1_011, .exited(status: 0))
    stage.fix(2_000, east: 2_000)
    #expect(stage.log().last == "defer K5 notRunning>notRunning not_connected")
    stage.say(2_001, .registered)
    #expect(stage.handed().count == 2)
    stage.wait(until: 2_010)
    stage.say(2_011, .exited(status: 0))
    stage.say(2_012, .registered)
    stage.say(2_030, .unregistered)
    stage.fix(3_000, east: 4_000)
    #expect(stage.log().last == "defer K5 notRunning>notRunning not_connected")
    // With a command it can be started.
    mover.command = ["a"]
    stage.add(mover, .notRunning, at: 3_001)
    #expect(stage.log().last == "relaunch K5 notRunning>background kept")
    isBooked = isRelaunchBooked(stage)
    #expect(isBooked)
  }

  @Test func `K5 where nobody has said whether it is connected, what starts itself is called as any other`() {
    var stage = Stage()
    var mover = Subscriber.mover
    mover.style = .socket
    stage.add(mover, .notRunning)
    stage.fix(1, east: 0)
    #expect(stage.log().first == "relaunch B1 notRunning>background not_running")
    stage.hanging = ["a"]
    stage.fix(1_000, east: 2_000)
    stage.say(1_001, .exited(status: 0))
    stage.wait(until: 1_002.5)
    #expect(stage.log().last == "relaunch K5 notRunning>background unacknowledged")
  }

  @Test func `A9 each event handed again is told, and what was never handed is kept`() {
    var stage = Stage()
    stage.add(.mover, .suspended)
    stage.take(0, .machine(.memoryPressure(.critical)))
    stage.fix(1, east: 0)
    stage.take(2, .machine(.reboot))
    #expect(stage.log().contains("relaunch K5 notRunning>background kept"))
    var hung = Stage.hung()
    hung.say(1, .exited(status: 1))
    hung.wait(until: 2)
    #expect(hung.log().last == "relaunch K5 notRunning>background unacknowledged")
    var quit = Stage.hung()
    quit.say(5, .quit)
    quit.say(20, .authorization(.always))
    #expect(quit.log().last == "relaunch B8 notRunning>background unacknowledged")
  }
}

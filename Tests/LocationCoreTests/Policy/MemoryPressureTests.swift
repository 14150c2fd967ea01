import TestSupport
import Testing

@testable import LocationCore

/// Memory as a level: rule A4.
@Suite struct MemoryPressureTests {
  @Test func `A4 critical is a level: whoever is suspended meanwhile goes too, and nothing is relaunched`() {
    var stage = Stage()
    stage.add(.mover, .suspended)
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

  @Test func `A4 the level is looked at again before the next in the background is told`() {
    var stage = Stage()
    for name in ["a", "b"] {
      stage.add(Subscriber(name: name), .active)
      stage.say(0, .beginTask(name: "t"), of: name)
      stage.say(0, .background, of: name)
    }
    stage.take(1, .machine(.memoryPressure(.critical)))
    stage.wait(until: 6.9)
    #expect(stage.state() == .notRunning)
    #expect(stage.warnings(of: "b").isEmpty)
    stage.wait(until: 7)
    #expect(stage.warnings(of: "b").count == 1)
  }

  @Test func `A4 a warning is a level: who begins to run meanwhile is told, once`() {
    var stage = Stage()
    stage.add(.mover, .suspended)
    stage.add(Subscriber(name: "b"), .notRunning)
    stage.take(1, .machine(.memoryPressure(.warning)))
    #expect(stage.warnings().isEmpty && stage.warnings(of: "b").isEmpty)
    stage.fix(10, east: 0)
    #expect(stage.warnings().map(\.level) == [.warning])
    stage.fix(1_000, east: 2_000)
    #expect(stage.warnings().count == 1)
    stage.say(1_001, .foreground, of: "b")
    #expect(stage.warnings(of: "b").map(\.level) == [.warning])
    // Another process, and another warning, are told anew.
    stage.say(1_002, .exited(status: 0), of: "b")
    stage.say(1_003, .foreground, of: "b")
    #expect(stage.warnings(of: "b").count == 2)
    stage.take(1_010, .machine(.memoryPressure(.none)))
    stage.take(1_020, .machine(.memoryPressure(.warning)))
    #expect(stage.warnings(of: "b").count == 3)
  }

  @Test func `A4 what starts as critical falls to warning is told once`() {
    var stage = Stage()
    stage.add(.mover, .notRunning)
    stage.take(0, .machine(.memoryPressure(.critical)))
    stage.fix(1, east: 0)
    #expect(stage.log() == ["defer A4 notRunning>notRunning memory_pressure"])
    stage.take(2, .machine(.memoryPressure(.warning)))
    #expect(stage.state() == .background && stage.warnings().count == 1)
  }

  @Test func `A4 relief ends a pending termination, and a warning reaches everyone that runs`() {
    var stage = Stage()
    stage.add(.mover, .active)
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
}

import TestSupport
import Testing

@testable import LocationCore

/// The states of a program and the moves between them: rules A1, A2, A5 and A9.
@Suite struct ProcessStateTests {
  @Test func `A1 a return from the background records no state that was not held`() {
    var stage = Stage()
    stage.add(.mover, .active)
    stage.say(0, .background)
    stage.say(2, .foreground)
    let after = stage.effects.records.compactMap { record in
      if case .subscriberState(let move) = record.body { move.after } else { nil }
    }
    #expect(after == [.inactive, .background, .inactive, .active])
  }

  @Test func `A1 no suspension is recorded of a program whose process has ended`() {
    var stage = Stage.hung(Subscriber(name: "a", style: .oneshot, services: [.significantChange]))
    stage.fix(400, east: 2_000)
    let events = stage.handed()
    #expect(events.count == 2)
    for event in events {
      stage.say(401, .finished(ProgramEnd(event: event, status: 0, seconds: 1, lastLine: nil)))
      stage.say(401, .acknowledged(event: event, coreSeconds: 0.1))
      #expect(stage.state() == .background)
    }
    stage.say(401, .exited(status: 0))
    #expect(stage.moves() == ["background>notRunning exit"])
    #expect(!stage.log().contains { $0.hasPrefix("suspend") })
    // The end is that of one process alone.
    stage.say(500, .foreground)
    stage.say(501, .background)
    stage.wait(until: 510)
    #expect(stage.log().last == "suspend A2 background>suspended idle")
  }

  @Test func `A2 a process of a oneshot whose event is acknowledged by hand runs on, within its time`() {
    let oneshot = Subscriber(name: "a", style: .oneshot, services: [.significantChange])
    var stage = Stage.hung(oneshot)
    let event = stage.handed()[0]
    stage.say(1, .dismissed(event: event))
    stage.wait(until: 60)
    #expect(stage.state() == .background && stage.engine.subscriber("a")?.waiting == [])
    stage.say(61, .finished(ProgramEnd(event: event, status: 1, seconds: 61, lastLine: nil)))
    stage.say(61, .exited(status: 1))
    stage.wait(until: 5_000)
    #expect(stage.state() == .notRunning && stage.handed() == [event])
    #expect(!stage.log().contains { $0.hasPrefix("suspend") })
    var slow = Stage.hung(oneshot)
    slow.say(1, .dismissed(event: slow.handed()[0]))
    slow.wait(until: 600)
    #expect(slow.log().last == "terminate K2 background>notRunning budget_over")
    // The next process has a time of its own.
    var two = Stage.hung(oneshot)
    two.fix(400, east: 2_000)
    two.say(401, .dismissed(event: two.handed()[0]))
    var end = ProgramEnd(event: two.handed()[0], status: 0, seconds: 550, lastLine: nil)
    end.isFollowed = true
    two.say(550, .finished(end))
    two.wait(until: 1_100)
    #expect(two.state() == .background)
    two.wait(until: 1_200)
    #expect(two.log().contains("terminate K2 background>notRunning budget_over"))
    var resident = Stage.hung()
    resident.say(1, .dismissed(event: resident.handed()[0]))
    #expect(resident.state() == .suspended)
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

  @Test func `A1 a program that is replaced is not suspended first, and started again for what is left`() {
    var stage = Stage.hung()
    var subscriber = Subscriber.mover
    subscriber.authorization = .denied
    stage.take(1, .addSubscriber(subscriber, .notRunning))
    #expect(stage.log().last == "drop B8 background>background denied")
    #expect(stage.moves() == ["background>notRunning replaced"])
    var other = Stage.hung()
    other.take(1, .addSubscriber(.mover, .notRunning))
    #expect(other.moves() == ["background>notRunning replaced"])
    #expect(other.state() == .background)
    #expect(other.handed().count == 2)
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
    var stage = Stage.hung(Subscriber(name: "a", style: .oneshot, services: [.significantChange]))
    stage.say(1, .foreground)
    Self.endFollowed(&stage, at: 2)
    stage.say(3, .background)
    stage.wait(until: 60)
    #expect(stage.state() == .suspended)
  }

  @Test func `A2 a launch that waited for the process of an event has a grace of its own`() {
    var stage = Stage.hung(Subscriber(name: "a", style: .oneshot, services: [.significantChange]))
    stage.say(1, .foreground)
    stage.say(2, .background)
    Self.endFollowed(&stage, at: 8)
    stage.wait(until: 12)
    #expect(stage.state() == .background)
    stage.wait(until: 14)
    #expect(stage.state() == .suspended)
  }

  @Test func `A2 it is told when it moves to the background and before it is suspended, and ends its grace`()
  {
    var stage = Stage()
    stage.add(.mover, .active)
    stage.say(0, .background)
    stage.say(1, .done)
    #expect(stage.state() == .suspended)
    let notices = stage.effects.orders.compactMap { order in
      if case .announce(_, let notice) = order { notice } else { nil }
    }
    #expect(notices.map(\.state) == [.background, .suspended])
    #expect(notices.first?.graceSeconds == 5)
  }

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

  @Test func `A9 a decision tells what it depended on`() {
    var stage = Stage()
    stage.add(.mover, .notRunning)
    stage.fix(0, east: 0)
    let inputs = stage.effects.decisions.first?.inputs
    #expect(inputs?.authorization == .always && inputs?.accuracy == .full && inputs?.forceQuit == false)
    #expect(
      inputs?.isLocked == false && inputs?.backgroundDelivery == true
        && inputs?.pressure == MemoryPressure.none)
    #expect(inputs?.budgetSeconds == 10 && inputs?.lowPower == nil)
  }
}

import TestSupport
import Testing

@testable import LocationCore

/// While nobody is there, because the daemon is down or stopped, the machine sleeps or the disk is full, no time passes
/// for programs.
@Suite struct AbsenceTests {
  /// Something of a program that ends: begun at 0, due some seconds later.
  enum Clock: CaseIterable {
    case wake, taskWarning, task, grace, exit, memory, request, silence, interruption, answer

    var seconds: Double {
      switch self {
      case .wake: 10
      case .taskWarning: 25
      case .task, .silence, .interruption: 30
      case .grace, .exit, .memory: 5
      case .request: 20
      case .answer: 3600
      }
    }

    /// What is told when it is due.
    var end: String {
      switch self {
      case .wake: "terminate K2 background>notRunning budget_over"
      case .taskWarning: "warn C3 background>background task"
      case .task: "terminate C3 background>notRunning task_open"
      case .grace, .interruption: "suspend A2 background>suspended idle"
      case .exit: "terminate A5 inactive>notRunning exits_on_suspend"
      case .memory: "terminate A4 background>notRunning memory_pressure"
      case .request: "refuse B9 active>active no_fix"
      case .silence: "warn F3 background>background audio_silent"
      case .answer: "transfer.failed 1 unanswered"
      }
    }

    private var events: [(seconds: Double, event: Event)] {
      func say(_ seconds: Double, _ event: SubscriberEvent) -> (Double, Event) {
        (seconds, .subscriber(name: "a", event))
      }
      let audio = [say(-9, .mode(.audio(.begin(.play, mixes: false)))), say(-8, .background)]
      let task = [say(-0.5, .beginTask(name: "t")), say(0, .background)]
      return switch self {
      case .wake:
        [say(-30, .background), (0, .subscriber(name: "a", .mode(.push(AbsenceTests.push))))]
      case .taskWarning, .task: task
      case .grace, .exit: [say(0, .background)]
      case .memory:
        [say(-2, .beginTask(name: "t")), say(-1, .background), (0, .machine(.memoryPressure(.critical)))]
      case .request: [say(0, .locate(seconds: 20))]
      case .silence: audio + [say(0, .mode(.audio(.level(decibels: -90))))]
      case .interruption: audio + [say(0, .interrupted(true))]
      case .answer:
        [
          say(-1, .mode(.transfer(TransferTerms(session: "s")))),
          say(0, .mode(.transferAsks(number: 1))),
        ]
      }
    }

    /// A stage on which it has begun.
    func begun() -> Stage {
      var stage = Stage { $0.policy.wakes.longSeconds = 10 }
      stage.hanging = ["a"]
      var subscriber = Subscriber(
        name: "a", services: [.regions], modes: [.audio, .remoteNotification], exitsOnSuspend: self == .exit)
      if self == .request { subscriber.services.insert(.standard) }
      stage.add(subscriber, .active, at: -40)
      for (seconds, event) in events { stage.take(seconds, event) }
      return stage
    }

    /// How often its end has been told.
    func count(on stage: borrowing Stage) -> Int {
      (stage.log() + stage.transferRecords).count { $0 == end }
    }
  }

  private static let push = Push(id: "m", isContentAvailable: true, payload: "{}")

  @Test(arguments: Clock.allCases)
  func `A2 A4 A5 B9 C3 F3 F4 I2 K1 what was left of a time is left when somebody is there again`(
    _ clock: Clock
  ) {
    let due = clock.seconds
    // It ends before the time is over, with it, after it, and there are two.
    let cases: [[(begin: Double, seconds: Double)]] = [
      [(1, due - 1.1)], [(1, due - 1)], [(1, 500)], [(due - 0.5, 4)], [(1, 50), (53, due)],
    ]
    for gaps in cases {
      var stage = clock.begun()
      for (begin, seconds) in gaps {
        stage.take(begin, .machine(.absent(true)))
        stage.take(begin + seconds, .machine(.absent(false)))
      }
      let end = due + gaps.map(\.seconds).reduce(0, +)
      stage.wait(until: end - 0.01)
      let before = clock.count(on: stage)
      stage.wait(until: end + 0.01)
      #expect(before == 0 && clock.count(on: stage) == 1, "\(clock) \(gaps): \(stage.log())")
    }
  }

  @Test func `K1 a program whose process begins late has its whole time from then on`() {
    var stage = Clock.wake.begun()
    let due = Clock.wake.seconds
    stage.say(5, .begun(lateSeconds: 4.5))
    stage.wait(until: due + 4.49)
    #expect(Clock.wake.count(on: stage) == 0, "\(stage.log())")
    stage.wait(until: due + 4.51)
    #expect(Clock.wake.count(on: stage) == 1, "\(stage.log())")
    // A program that does not run ignores it.
    let log = stage.log()
    #expect(stage.state() == .notRunning)
    stage.say(due + 4.6, .begun(lateSeconds: 4.5))
    #expect(stage.log() == log)
  }

  @Test func `K1 what is taken before somebody is there again counts from where the time stood`() {
    var stage = Clock.wake.begun()
    stage.take(8, .machine(.absent(true)))
    // Its answer is read at last; what it begins has its whole time.
    stage.say(300, .beginTask(name: "t"))
    for event in stage.handed() { stage.say(300, .acknowledged(event: event, coreSeconds: 0)) }
    stage.take(302, .machine(.absent(false)))
    stage.wait(until: 326.9)
    #expect(stage.warnings().isEmpty)
    stage.wait(until: 327)
    #expect(stage.warnings().map(\.seconds) == [5])
    stage.wait(until: 331.9)
    #expect(stage.state() == .background)
    stage.wait(until: 332)
    #expect(stage.log().last == "terminate C3 background>notRunning task_open")
  }

  // MARK: Where the position is

  @Test func `B5 silence in which nobody listened confirms no visit`() {
    let gone: [(away: Event, back: Event)] = [
      (.machine(.absent(true)), .machine(.absent(false))),
      (.source(.stale(.lost, seconds: 10)), .source(.found(name: "gpsd"))),
      (.source(.stale(.noDevice, seconds: 10)), .source(.found(name: "gpsd"))),
    ]
    // Under a roof the receiver is there and only quiet.
    let quiet: [(away: Event, back: Event)] = [
      (.source(.stale(.silent, seconds: 10)), .source(.stale(.noFix, seconds: 700)))
    ]
    for (moment, isGone) in gone.map({ ($0, true) }) + quiet.map({ ($0, false) }) {
      var stage = Stage()
      stage.add(Subscriber(name: "a", services: [.visits]), .suspended)
      for second in 0...10 { stage.fix(Double(second) * 20, east: 0) }
      stage.take(210, moment.away)
      stage.take(1000, moment.back)
      stage.wait(until: 1100)
      #expect(stage.launches().isEmpty == isGone, "\(moment)")
      // What a fix after it says is as after any silence.
      stage.fix(1200, east: 0)
      #expect(stage.launches().map(\.kind) == ["visit"])
    }
  }

  @Test func `B1 other settings count also for who measures significant changes for itself`() throws {
    var stage = Stage()
    stage.fix(0, east: 0)
    stage.fix(100, east: 100)
    stage.add(Subscriber(name: "a", services: [.significantChange]), .active)
    try #require(stage.engine.state.policy.sessions[0].significant != nil)
    var snapshot = stage.engine.snapshot
    snapshot.configuration.significant.distanceMeters = 5_000
    let engine = try Engine(restoring: snapshot)
    #expect(engine.state.policy.sessions[0].significant?.configuration.distanceMeters == 5_000)
  }

  @Test func `B1 a move that waits for its window is told when somebody is there again`() {
    var stage = Stage()
    stage.add(Subscriber(name: "a", services: [.significantChange]), .suspended)
    stage.fix(0, east: 0)
    stage.fix(100, east: 1_000)
    stage.take(150, .machine(.absent(true)))
    stage.wait(until: 999)
    #expect(stage.effects.changes.count == 1)
    stage.take(1000, .machine(.absent(false)))
    let change = stage.effects.changes.last
    #expect(change?.reason == .window && change?.instant == Drive.instant(1000))
    #expect(stage.launches().count == 2 && stage.state() == .background)
    stage.wait(until: 1100)
    #expect(stage.effects.changes.count == 2 && stage.state() == .suspended)
  }

  // MARK: What it ran

  @Test func `A11 time in which nobody was there is no time of running`() {
    var stage = Clock.wake.begun()
    stage.say(1, .preserve(text: "page 7"))
    stage.say(2, .exited(status: 1))
    stage.say(4, .exited(status: 1))
    stage.take(7, .machine(.absent(true)))
    stage.take(500, .machine(.absent(false)))
    // The second process in a row that ends within 5 s of being restored.
    stage.say(501, .exited(status: 1))
    stage.wait(until: 505)
    #expect(stage.launches().map(\.restored) == [nil, "page 7", "page 7", nil])
  }

  @Test func `K1 waits that are no program's time go on`() {
    var stage = Clock.wake.begun()
    stage.say(1, .exited(status: 0))
    stage.take(1.5, .machine(.absent(true)))
    stage.take(1.9, .machine(.absent(false)))
    stage.wait(until: 1.99)
    #expect(stage.launches().count == 1)
    stage.wait(until: 2)
    #expect(stage.launches().count == 2, "the back-off is 1 s, as without the gap")
  }

  @Test(arguments: [true, false])
  func `A1 nobody is suspended while nobody is there to do it`(isGone: Bool) {
    var stage = Clock.wake.begun()
    stage.take(8, .machine(.absent(true)))
    let before = stage.log().count
    // An answer that was left for the next daemon.
    for event in stage.handed() { stage.say(9, .acknowledged(event: event, coreSeconds: 0)) }
    #expect(stage.state() == .background)
    if isGone { stage.say(9, .orphaned) }
    stage.take(10, .machine(.absent(false)))
    #expect(stage.state() == (isGone ? .notRunning : .suspended))
    #expect(
      stage.log().dropFirst(before).contains { $0.hasPrefix("suspend ") } == !isGone, "\(stage.log())")
  }

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func `B8 what a new manifest lets be delivered is when somebody is there again`(_ state: SubscriberState) {
    var stage = Stage()
    var subscriber = Subscriber(name: "a", services: [.significantChange])
    subscriber.backgroundDelivery = false
    stage.add(subscriber, state)
    stage.fix(0, east: 0)
    stage.take(1, .machine(.absent(true)))
    subscriber.backgroundDelivery = true
    stage.take(2, .addSubscriber(subscriber, state))
    #expect(stage.handed().isEmpty)
    stage.take(3, .machine(.absent(false)))
    stage.wait(until: 3)
    #expect(stage.handed().count == 1, "\(stage.log())")
  }

  @Test func `B1 nobody is started for a first significant change while nobody is there to do it`() {
    var stage = Stage()
    stage.take(0, .fix(Drive.report(0, east: 0)))
    stage.take(1, .machine(.absent(true)))
    stage.add(.mover, .notRunning, at: 1)
    #expect(stage.log().isEmpty && stage.moves().isEmpty)
    stage.take(2, .machine(.absent(false)))
    #expect(stage.log().first == "relaunch B1 notRunning>background not_running")
    #expect(stage.handed().count == 1)
  }
}

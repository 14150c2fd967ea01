import LocationCore
import LocationFormats
import Synchronization
import TestSupport
import Testing

@testable import LocationRuntime

@Suite struct LiveHostTests {
  /// Keeps events in memory.
  private struct MemoryJournal: EngineJournal {
    var events: [Stamped] = []
    mutating func append(_ stamped: Stamped) { events.append(stamped) }
    mutating func commit(_ effects: [Effect], at instant: EngineInstant) -> Bool {
      true
    }
  }

  /// Collects effects in their order.
  private struct EffectList: EffectPorts {
    var effects: [Effect] = []
    mutating func receive(_ record: Record) { effects.append(.record(record)) }
    mutating func receive(_ order: Order) { effects.append(.perform(order)) }
    mutating func receive(_ order: ReceiverOrder) { effects.append(.receive(order)) }
  }

  private func reading(_ seconds: Double, clockIsSet: Bool = true) -> ClockReading {
    ClockReading(
      instant: Drive.instant(seconds),
      utc: clockIsSet ? UTCTime(microseconds: Drive.instant(seconds).microseconds) : nil)
  }

  private func live(_ timing: LiveTiming) -> LiveHost<MemoryJournal, EffectList> {
    var configuration = EngineConfiguration()
    configuration.explains = true
    let host = EngineHost(
      Engine(configuration: configuration), journal: MemoryJournal(), ports: EffectList())
    return LiveHost(host, timing: timing)
  }

  private func replayed(_ events: [Stamped]) -> [Effect] {
    var configuration = EngineConfiguration()
    configuration.explains = true
    var engine = Engine(configuration: configuration)
    var effects: [Effect] = []
    for event in events { engine.handle(event, into: &effects) }
    // Changes of who waits for what go to the journal, not to a port.
    return effects.filter { if case .outbox = $0 { false } else { true } }
  }

  @Test func `a fix is stamped when it is taken, and dated by its age`() throws {
    var live = live(.clock)
    live.handle(.fix(Drive.report(10, east: 0)), at: reading(10.25))
    #expect(live.engine.tally.last?.instant == Drive.instant(10))
    #expect(live.host.journal.events.map(\.at) == [Drive.instant(10.25)])
    live.handle(.fix(Drive.report(11, east: 0)), at: reading(9))
    #expect(live.host.journal.events.last?.at == Drive.instant(10.25), "stamps never go back")
  }

  @Test func `a clock that is not set refuses nothing for its age`() throws {
    var live = live(.clock)
    live.handle(.fix(Drive.report(1e6, east: 0)), at: reading(10, clockIsSet: false))
    #expect(live.engine.tally.accepted == 1)
    live.handle(.fix(Drive.report(1e6 + 3600, east: 0)), at: reading(11))
    #expect(live.engine.tally.rejected(for: .future) == 1)
  }

  @Test(arguments: [UInt64](1...5))
  func `what was recorded gives the same effects again, whenever deadlines were met`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed)
    var live = live(.clock)
    var now = 0.0
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150), dwellSeconds: 60)
    live.handle(.addRegion(home), at: reading(0))
    live.handle(.addSubscriber(Subscriber(name: "s"), .suspended), at: reading(0))
    for step in 0..<300 {
      now += Double.random(in: 0...12, using: &random)
      if Bool.random(using: &random) { live.advance(to: reading(now)) }
      now += Double.random(in: 0...0.01, using: &random)
      let event: Event =
        step % 41 == 40
        ? .source(.switched(to: "b"))
        : .fix(Drive.report(now - 0.1, east: Double.random(in: -400...400, using: &random)))
      live.handle(event, at: reading(now))
    }
    live.finish(at: reading(now + 1000))
    live.commit(at: reading(now + 1000))
    let effects = live.host.ports.effects
    #expect(effects == replayed(live.host.journal.events), "seed \(seed)")
    #expect(effects.records.contains { if case .region = $0.body { true } else { false } })
  }

  @Test func `what was decided by a deadline after the last event is in the recording`() {
    var live = live(.clock)
    let home = Region(
      id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150), notify: [.enter, .dwell],
      dwellSeconds: 60)
    live.handle(.addRegion(home), at: reading(0))
    for second in 1...40 {
      live.handle(.fix(Drive.report(Double(second), east: 0)), at: reading(Double(second)))
    }
    live.commit(at: reading(40))
    func dwells(_ effects: [Effect]) -> Int {
      effects.records.count { if case .region(let event) = $0.body { event.kind == .dwell } else { false } }
    }
    #expect(dwells(live.host.ports.effects) == 0)
    live.advance(to: reading(200))
    live.commit(at: reading(200))
    #expect(dwells(live.host.ports.effects) == 1)
    #expect(live.host.ports.effects == replayed(live.host.journal.events))
    // Where nothing is due nothing is journaled.
    let count = live.host.journal.events.count
    live.advance(to: reading(200.001))
    #expect(live.host.journal.events.count == count)
  }

  @Test func `a source that plays a log gives what a replay gives, at any speed`() throws {
    var drive = Drive()
    for second in 0..<400 { drive.fix(Double(second) * 3, east: Double(second) * 25) }
    var live = live(.fixes)
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150))
    live.handle(.addRegion(home), at: reading(1e8))
    live.handle(.source(.found(name: "x")), at: reading(1e8))
    #expect(live.host.journal.events.isEmpty, "there is no time yet")
    for event in drive.events { live.handle(event.event, at: reading(1e8)) }
    live.finish(at: reading(1e8))
    #expect(live.nextDeadline == nil)
    live.commit(at: reading(1e8))
    let effects = live.host.ports.effects

    var expected = Drive()
    expected.add(0, .addRegion(home))
    expected.add(0, .source(.found(name: "x")))
    expected.events += drive.events
    expected.add(399 * 3, .end)
    #expect(live.host.journal.events == expected.events)
    #expect(effects == replayed(expected.events))
    #expect(effects.changes.count > 2)
  }

  @Test func `without any fix what was held is still taken`() throws {
    var live = live(.fixes)
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150))
    live.handle(.addRegion(home), at: reading(0))
    live.finish(at: reading(0))
    #expect(live.host.journal.events.map(\.event) == [.addRegion(home), .end])
  }

  private struct FullDisk: EngineJournal {
    mutating func append(_ stamped: Stamped) throws(Failure) {
      throw Failure(.io, what: "the disk is full")
    }
    mutating func commit(
      _ effects: [Effect], at instant: EngineInstant
    ) throws(Failure) -> Bool { true }
  }

  @Test func `the engine does not see what could not be recorded`() throws {
    var live = LiveHost(
      EngineHost(Engine(), journal: FullDisk(), ports: EffectList()), timing: .clock)
    #expect(throws: Failure(.io, what: "the disk is full")) {
      try live.handle(.fix(Drive.report(0, east: 0)), at: reading(0))
    }
    #expect(live.engine.tally.fixes == 0)
  }

  @Test func `B9 a program that a push starts finds no source of fixes, and the push is not refused`() throws
  {
    var live = live(.clock)
    let subscriber = Subscriber(name: "a", services: [.visits], modes: [.remoteNotification])
    try live.handle(.addSubscriber(subscriber, .notRunning), at: reading(0))
    try live.handle(.source(.stale(.noDevice, seconds: 0)), at: reading(1))
    let push = Push(id: "m1", alert: nil, isContentAvailable: true, payload: "{}")
    try live.handle(.subscriber(name: "a", .mode(.push(push))), at: reading(2))
    #expect(live.engine.subscriberState("a") == .background)
    let refusals = live.host.lastDecisions(about: "a").filter { $0.action == .refuse }
    #expect(refusals.map(\.reason) == [.noSource], "the program is told so")
    #expect(live.host.refusal == nil)
    try live.handle(.subscriber(name: "a", .start(.significantChange)), at: reading(3))
    #expect(live.host.refusal?.reason == .noSource)
  }
}

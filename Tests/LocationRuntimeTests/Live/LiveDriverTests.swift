import LocationCore
import LocationFormats
import LocationLab
import LocationRuntime
import Synchronization
import TestSupport
import Testing

@Suite struct LiveDriverTests {
  /// Keeps what the driver has recorded.
  private final class Journal: Sendable {
    let events = Mutex<[Stamped]>([])
    func append(_ stamped: Stamped) { events.withLock { $0.append(stamped) } }
    var all: [Stamped] { events.withLock { $0 } }
  }

  private func reading(_ seconds: Double, clockIsSet: Bool = true) -> ClockReading {
    ClockReading(
      instant: Drive.instant(seconds),
      utc: clockIsSet ? UTCTime(microseconds: Drive.instant(seconds).microseconds) : nil)
  }

  private func driver(_ timing: LiveDriver.Timing, _ journal: Journal) -> LiveDriver {
    var configuration = EngineConfiguration()
    configuration.explains = true
    return LiveDriver(engine: Engine(configuration: configuration), timing: timing) { journal.append($0) }
  }

  private func replayed(_ events: [Stamped]) -> [Effect] {
    var configuration = EngineConfiguration()
    configuration.explains = true
    var engine = Engine(configuration: configuration)
    var effects: [Effect] = []
    for event in events { engine.handle(event, into: &effects) }
    return effects
  }

  @Test func `a fix is stamped when it is taken, and dated by its age`() throws {
    let journal = Journal()
    var driver = driver(.clock, journal)
    var effects: [Effect] = []
    try driver.take(.fix(Drive.report(10, east: 0)), at: reading(10.25), into: &effects)
    #expect(driver.engine.tally.last?.instant == Drive.instant(10))
    #expect(journal.all.map(\.at) == [Drive.instant(10.25)])
    try driver.take(.fix(Drive.report(11, east: 0)), at: reading(9), into: &effects)
    #expect(journal.all.last?.at == Drive.instant(10.25), "stamps never go back")
  }

  @Test func `a clock that is not set refuses nothing for its age`() throws {
    let journal = Journal()
    var driver = driver(.clock, journal)
    var effects: [Effect] = []
    try driver.take(.fix(Drive.report(1e6, east: 0)), at: reading(10, clockIsSet: false), into: &effects)
    #expect(driver.engine.tally.accepted == 1)
    try driver.take(.fix(Drive.report(1e6 + 3600, east: 0)), at: reading(11), into: &effects)
    #expect(driver.engine.tally.rejected(for: .future) == 1)
  }

  @Test(arguments: [UInt64](1...5))
  func `what was recorded gives the same effects again, whenever deadlines were met`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed)
    let journal = Journal()
    var driver = driver(.clock, journal)
    var effects: [Effect] = []
    var now = 0.0
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150), dwellSeconds: 60)
    try driver.take(.addRegion(home), at: reading(0), into: &effects)
    try driver.take(.addSubscriber(Subscriber(name: "s"), .suspended), at: reading(0), into: &effects)
    for step in 0..<300 {
      now += Double.random(in: 0...12, using: &random)
      if Bool.random(using: &random) { driver.advance(to: reading(now), into: &effects) }
      now += Double.random(in: 0...0.01, using: &random)
      let event: Event =
        step % 41 == 40
        ? .source(.switched(to: "b"))
        : .fix(Drive.report(now - 0.1, east: Double.random(in: -400...400, using: &random)))
      try driver.take(event, at: reading(now), into: &effects)
    }
    try driver.finish(at: reading(now + 1000), into: &effects)
    #expect(effects == replayed(journal.all), "seed \(seed)")
    #expect(effects.records.contains { if case .region = $0.body { true } else { false } })
  }

  @Test func `a source that plays a log gives what a replay gives, at any speed`() throws {
    var drive = Drive()
    for second in 0..<400 { drive.fix(Double(second) * 3, east: Double(second) * 25) }
    let journal = Journal()
    var driver = driver(.fixes, journal)
    var effects: [Effect] = []
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150))
    try driver.take(.addRegion(home), at: reading(1e8), into: &effects)
    try driver.take(.source(.found(name: "x")), at: reading(1e8), into: &effects)
    #expect(journal.all.isEmpty, "there is no time yet")
    for event in drive.events { try driver.take(event.event, at: reading(1e8), into: &effects) }
    try driver.finish(at: reading(1e8), into: &effects)
    #expect(driver.nextDeadline == nil)

    var expected = Drive()
    expected.add(0, .addRegion(home))
    expected.add(0, .source(.found(name: "x")))
    expected.events += drive.events
    expected.add(399 * 3, .end)
    #expect(journal.all == expected.events)
    #expect(effects == replayed(expected.events))
    #expect(effects.changes.count > 2)
  }

  @Test func `without any fix what was held is still taken`() throws {
    let journal = Journal()
    var driver = driver(.fixes, journal)
    var effects: [Effect] = []
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150))
    try driver.take(.addRegion(home), at: reading(0), into: &effects)
    try driver.finish(at: reading(0), into: &effects)
    #expect(journal.all.map(\.event) == [.addRegion(home), .end])
  }

  @Test func `the engine does not see what could not be recorded`() throws {
    var driver = LiveDriver(engine: Engine(), timing: .clock) { (_) throws(Failure) in
      throw Failure(.io, what: "the disk is full")
    }
    var effects: [Effect] = []
    #expect(throws: Failure(.io, what: "the disk is full")) {
      try driver.take(.fix(Drive.report(0, east: 0)), at: reading(0), into: &effects)
    }
    #expect(driver.engine.tally.fixes == 0)
  }
}

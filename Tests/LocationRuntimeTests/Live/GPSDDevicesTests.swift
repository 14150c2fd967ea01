import LocationCore
import LocationFormats
import Testing

@testable import LocationRuntime

/// Receivers that interleave, jump and vanish.
@Suite struct GPSDDevicesTests {
  /// Two receivers 440 km apart, as one gpsd mixed them.
  private func interleave(
    _ run: inout SessionRun, from: Int, through: Int, ephA: Double? = 19, ephB: Double? = 19
  ) {
    for second in from...through {
      run.pass(to: Double(second))
      if let ephA { run.say(GPSDText.tpv(Double(second), device: "/dev/a", east: 0, eph: ephA)) }
      if let ephB { run.say(GPSDText.tpv(Double(second), device: "/dev/b", east: 440_000, eph: ephB)) }
    }
  }

  private func engine(after run: borrowing SessionRun) -> Engine {
    var engine = Engine()
    for event in run.events { engine.take(event.event, at: event.at) }
    return engine
  }

  @Test func `two receivers that interleave look like one that stays`() throws {
    var run = try SessionRun.greeted()
    interleave(&run, from: 0, through: 60)
    #expect(Set(run.reports.map(\.longitude)).count == 1)
    #expect(run.session.decoder.otherDevicesReports == 61)
    #expect(run.source.count == 1)
  }

  @Test func `after 10 s of silence the other takes over, which is told and breaks the track`() throws {
    var run = try SessionRun.greeted()
    interleave(&run, from: 0, through: 10)
    interleave(&run, from: 11, through: 30, ephA: nil)
    #expect(run.source.contains(.switched(to: "/dev/b")))
    let switchedAt = run.events.first { $0.event == .source(.switched(to: "/dev/b")) }?.at ?? 0
    #expect(switchedAt >= 20 && switchedAt < 20.3)
    // It comes back, and has to wait for its turn.
    interleave(&run, from: 31, through: 60)
    #expect(run.source.filter { if case .switched = $0 { true } else { false } }.count == 1)
    let engine = engine(after: run)
    #expect(engine.tally.rejected(for: .speed) == 0, "the distance between two receivers is no movement")
    #expect((engine.tally.last?.coordinate.longitude ?? 0) > 15)
  }

  @Test func `the one that is clearly better for 30 s takes over`() throws {
    var run = try SessionRun.greeted()
    interleave(&run, from: 0, through: 10)
    interleave(&run, from: 11, through: 40, ephB: 5)
    #expect(!run.source.contains(.switched(to: "/dev/b")))
    interleave(&run, from: 41, through: 42, ephB: 5)
    #expect(run.source.contains(.switched(to: "/dev/b")))
  }

  @Test(arguments: [14.0, 19, 30]) func `a little better is not enough`(eph: Double) throws {
    var run = try SessionRun.greeted()
    interleave(&run, from: 0, through: 100, ephB: eph)
    #expect(run.source.count == 1)
  }

  @Test func `better has to last: a pause or a worse report begins the 30 s again`() throws {
    var run = try SessionRun.greeted()
    interleave(&run, from: 0, through: 25, ephB: 5)
    interleave(&run, from: 26, through: 26, ephB: 50)
    interleave(&run, from: 27, through: 50, ephB: 5)
    interleave(&run, from: 51, through: 62, ephB: nil)
    interleave(&run, from: 63, through: 90, ephB: 5)
    #expect(run.source.count == 1)
    interleave(&run, from: 91, through: 95, ephB: 5)
    #expect(run.source.count == 2)
  }

  @Test func `the device in use keeps its place when the connection is renewed`() throws {
    var run = try SessionRun.greeted()
    interleave(&run, from: 0, through: 10)
    run.closed()
    run.pass(to: 100)
    run.reconnect()
    run.say(GPSDText.version, GPSDText.devices("/dev/a", "/dev/b"), GPSDText.watch)
    let next = Int(run.now) + 1
    run.pass(to: Double(next))
    run.say(GPSDText.tpv(Double(next), device: "/dev/b", east: 440_000))
    interleave(&run, from: next + 1, through: next + 10)
    #expect(run.fixTimes.count > 15)
    #expect(Set(run.reports.map(\.longitude)).count == 1)
  }

  @Test func `a jump and a step back in time change nothing`() throws {
    var run = try SessionRun.greeted()
    for second in 0..<60 {
      run.pass(to: Double(second))
      let isJump = second % 20 == 10
      run.say(GPSDText.tpv(Double(second), east: isJump ? 100_000 : Double(second) * 2))
      if second % 20 == 15 { run.say(GPSDText.tpv(Double(second) - 10, east: 0)) }
    }
    run.pass(to: 60)
    let engine = engine(after: run)
    #expect(engine.tally.rejected(for: .speed) == 3)
    #expect(engine.tally.rejected(for: .late) == 3)
    #expect(engine.tally.significant == 1)
  }
}

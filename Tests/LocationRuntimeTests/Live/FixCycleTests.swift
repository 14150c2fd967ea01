import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

/// How far apart the fixes of a receiver are, and when they are missed.
@Suite struct FixCycleTests {
  private static let cycles: [(steps: [Double], seconds: Double)] = [
    ([0.2, 0.2, 0.2], 1),
    // One gap is no cycle.
    ([1, 1, 40], 1), ([40, 40], 40),
    // Some fixes, and then a pause.
    ([1, 1, 10, 1, 1, 10], 10), ([300, 300], 60),
    // Eight steps later a cycle is forgotten.
    ([40, 40, 1, 1, 1, 1, 1, 1, 1], 1),
  ]

  @Test(arguments: cycles)
  func `the second longest of eight steps is the cycle`(steps: [Double], seconds: Double) {
    var cycle = FixCycle()
    var time = UTCTime(microseconds: 0)
    cycle.note(time)
    for step in steps {
      time = time.advanced(bySeconds: step)
      cycle.note(time)
    }
    #expect(cycle.seconds == seconds)
    #expect(cycle.staleSeconds == 30 * seconds)
  }

  @Test func `a rest is no step`() {
    var cycle = FixCycle()
    for start in [0.0, 600, 1_200] {
      cycle.note(UTCTime(microseconds: Int64(start) * 1_000_000))
      cycle.pause()
    }
    #expect(cycle.seconds == 1)
  }

  @Test(arguments: ["tcp:pi:10110", "mqtt:owntracks/anna/phone"], [false, true])
  func `the age of a fix says something where the source sends all the time`(source: String, isSampled: Bool)
    throws
  {
    let traits = try SourceAddress(source: source).traits
    let seconds = FixCycle().staleSeconds(of: traits, isSampled: isSampled)
    #expect(seconds == (source.hasPrefix("tcp") && !isSampled ? 30 : nil))
  }

  @Test(arguments: [(30.0, true), (1_200.0, false), (nil, false)])
  func `the status is stale by the cycle`(staleSeconds: Double?, isStale: Bool) {
    var drive = Drive()
    drive.fix(0, east: 0)
    var engine = Engine(configuration: EngineConfiguration())
    var effects: [Effect] = []
    for event in drive.events { engine.handle(event, into: &effects) }
    let now = Drive.instant(60)
    let report = StatusReport(
      running: StatusReport.Running(
        pid: 1, since: UTCTime(microseconds: 0), instant: now,
        address: SourceAddress(endpoint: .tcp(host: "pi", port: "2947")),
        suspension: .stopSignal(reason: ""), staleSeconds: staleSeconds, heldRows: 0),
      state: "", now: UTCTime(microseconds: now.microseconds), source: .found(name: ""), newestID: 1,
      journalRows: 0, eventRows: 0, regions: 0)
    #expect(report.tree(of: engine)["stale"] == .boolean(isStale))
  }
}

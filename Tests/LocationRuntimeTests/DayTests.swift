import TestSupport
import Testing

@testable import LocationCore
@testable import LocationLab

/// A whole day as a user lives it, each decision held against the rules of `Docs/Policy.md`.
@Suite struct DayTests {
  /// Half past five to the next morning: a commute by car into a garage without sky, lunch, the way home, a night.
  private static let track: [FixReport] = {
    var day: [FixReport] = []
    var second = 0.0
    var east = 0.0
    func fix() { day.append(Drive.report(second, east: east, accuracy: 8)) }
    /// Stays where it is until a time of day, a fix each 20 s.
    func stay(until hour: Double) {
      while second < (hour - 6) * 3600 {
        fix()
        second += 20
      }
    }
    /// Drives to a place, a fix each 2 s.
    func drive(to target: Double, metersPerSecond speed: Double) {
      while abs(target - east) > 1e-9 {
        east += min(2 * speed, abs(target - east)) * (target < east ? -1 : 1)
        second += 2
        fix()
      }
      second += 2
    }
    stay(until: 7)
    drive(to: 7_800, metersPerSecond: 12)
    // Into the garage: no sky until the stairs.
    east = 8_000
    second = 1.75 * 3600
    stay(until: 12)
    drive(to: 10_000, metersPerSecond: 10)
    stay(until: 13)
    drive(to: 8_000, metersPerSecond: 10)
    stay(until: 17.5)
    drive(to: 0, metersPerSecond: 12)
    stay(until: 22.5)
    // Somebody else takes the car round the block.
    drive(to: -1_500, metersPerSecond: 10)
    drive(to: 0, metersPerSecond: 10)
    stay(until: 31)
    return day
  }()

  private static let scenario = """
    protect_until_first_unlock: true
    steps:
      - {at: 2026-05-01T06:00:00Z, launch: logger}
      - {at: 2026-05-01T06:01:00Z, background: logger}
      - {at: 2026-05-01T09:00:00Z, foreground: logger}
      - {at: 2026-05-01T09:01:00Z, begin_task: logger, task: upload, seconds: 20}
      - {at: 2026-05-01T09:01:05Z, background: logger}
      - {at: 2026-05-01T11:55:00Z, quit: logger}
      - {at: 2026-05-01T15:00:00Z, memory_pressure: critical}
      - {at: 2026-05-01T15:05:00Z, memory_pressure: none}
      - {at: 2026-05-01T17:00:00Z, authorization: logger, value: denied}
      - {at: 2026-05-01T18:30:00Z, authorization: logger, value: always}
      - {at: 2026-05-01T22:00:00Z, reboot: true}
      - {at: 2026-05-02T06:30:00Z, unlock: true}
    """

  /// What each rule demands, in order: when, what it is about, and the decision.
  private static let expected = """
    01T06:00:00 significant: deliver B1 active>active foreground
    01T06:01:05 -: suspend A2 background>suspended idle
    01T06:05:00 visit.arrive: wake B5 suspended>background suspended
    01T06:05:00 -: suspend A2 background>suspended idle
    01T07:00:10 visit.depart: wake B5 suspended>background suspended
    01T07:00:10 -: suspend A2 background>suspended idle
    01T07:00:20 region.exit home: wake B4 suspended>background suspended
    01T07:00:20 -: suspend A2 background>suspended idle
    01T07:00:46 significant: wake B1 suspended>background suspended
    01T07:00:46 -: suspend A2 background>suspended idle
    01T07:05:46 significant: wake B1 suspended>background suspended
    01T07:05:46 -: suspend A2 background>suspended idle
    01T07:10:46 significant: wake B1 suspended>background suspended
    01T07:10:46 -: suspend A2 background>suspended idle
    01T07:45:20 region.enter office: wake B4 suspended>background suspended
    01T07:45:20 visit.arrive: deliver B5 background>background running
    01T07:45:20 -: suspend A2 background>suspended idle
    01T09:01:20 -: suspend A2 background>suspended idle
    01T11:55:00 -: terminate A7 suspended>notRunning force_quit
    01T12:00:12 visit.depart: relaunch A7 notRunning>background force_quit_location
    01T12:00:12 -: suspend A2 background>suspended idle
    01T12:00:22 region.exit office: wake B4 suspended>background suspended
    01T12:00:22 -: suspend A2 background>suspended idle
    01T12:00:30 significant: wake B1 suspended>background suspended
    01T12:00:30 -: suspend A2 background>suspended idle
    01T12:05:30 significant: wake B1 suspended>background suspended
    01T12:05:30 -: suspend A2 background>suspended idle
    01T12:08:22 visit.arrive: wake B5 suspended>background suspended
    01T12:08:22 -: suspend A2 background>suspended idle
    01T13:00:14 visit.depart: wake B5 suspended>background suspended
    01T13:00:14 -: suspend A2 background>suspended idle
    01T13:00:56 significant: wake B1 suspended>background suspended
    01T13:00:56 -: suspend A2 background>suspended idle
    01T13:03:14 region.enter office: wake B4 suspended>background suspended
    01T13:03:14 -: suspend A2 background>suspended idle
    01T13:05:56 significant: wake B1 suspended>background suspended
    01T13:05:56 -: suspend A2 background>suspended idle
    01T13:08:24 visit.arrive: wake B5 suspended>background suspended
    01T13:08:24 -: suspend A2 background>suspended idle
    01T15:00:00 -: purge A4 suspended>notRunning memory_pressure
    01T17:30:14 visit.depart: refuse B8 notRunning>notRunning denied
    01T17:30:24 region.exit office: refuse B8 notRunning>notRunning denied
    01T17:30:50 significant: refuse B8 notRunning>notRunning denied
    01T17:41:06 region.enter home: refuse B8 notRunning>notRunning denied
    01T17:46:14 visit.arrive: refuse B8 notRunning>notRunning denied
    01T18:30:00 significant: relaunch A7 notRunning>background force_quit_location
    01T18:30:00 -: suspend A2 background>suspended idle
    01T22:30:26 visit.depart: defer A8 notRunning>notRunning locked
    01T22:30:36 region.exit home: defer A8 notRunning>notRunning locked
    01T22:31:08 significant: defer A8 notRunning>notRunning locked
    01T22:35:08 region.enter home: defer A8 notRunning>notRunning locked
    01T22:36:08 significant: defer A8 notRunning>notRunning locked
    01T22:40:18 visit.arrive: defer A8 notRunning>notRunning locked
    02T06:30:00 visit.depart: relaunch A8 notRunning>background first_unlock
    02T06:30:00 region.exit home: deliver K5 background>background kept
    02T06:30:00 significant: deliver K5 background>background kept
    02T06:30:00 region.enter home: deliver K5 background>background kept
    02T06:30:00 significant: deliver K5 background>background kept
    02T06:30:00 visit.arrive: deliver K5 background>background kept
    02T06:30:00 -: suspend A2 background>suspended idle
    """

  private func replay() throws -> [Record] {
    let folder = TemporaryFolder()
    var request = ReplayRequest()
    request.regions = [
      Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150)),
      Region(
        id: "office",
        shape: .circle(
          center: Geodesy.direct(from: Drive.origin, azimuthDegrees: 90, distanceMeters: 8_000),
          radiusMeters: 150)),
    ]
    request.subscribers = [Subscriber(name: "logger", services: [.significantChange, .regions, .visits])]
    let scenario = try Scenario(path: folder.write("day.yaml", Self.scenario), subscribers: ["logger"])
    request.scenario = scenario
    request.configuration.policy.protectUntilFirstUnlock = scenario.protectUntilFirstUnlock ?? false
    var replay = TrackReplay(request, to: Records())
    for report in Self.track { replay.take(.fix(report)) }
    _ = replay.finish(notes: [])
    return replay.sink.all
  }

  private struct Records: RecordSink {
    var all: [Record] = []
    mutating func receive(_ record: Record) { all.append(record) }
  }

  /// A line for each decision.
  private func table(_ records: [Record]) -> [String] {
    var causes: [Int: String] = [:]
    for record in records {
      var words = record.type
      if case .region(let event) = record.body { words += " " + event.region }
      causes[record.id] = words
    }
    return records.compactMap { record in
      guard case .decision(let decision) = record.body else { return nil }
      let cause = decision.event.flatMap { causes[$0] } ?? "-"
      return "\(record.time.rfc3339.dropFirst(8).prefix(11)) \(cause): \(decision.action.rawValue) "
        + "\(decision.rule.rawValue) \(decision.before.rawValue)>\(decision.after.rawValue) "
        + decision.reason.rawValue
    }
  }

  @Test func `each decision of a day is the one that the rules demand`() throws {
    let table = table(try replay())
    let expected = Self.expected.split(separator: "\n").map(String.init)
    #expect(table == expected, "\n\(table.joined(separator: "\n"))")
  }
}

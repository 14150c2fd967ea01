import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

/// What is spent is booked to the day on which it was spent.
@Suite struct EnergyDaysTests {
  private let folder = TemporaryFolder()

  /// A time of 2026-05-01 or later.
  private func reading(hour: Double) -> ClockReading {
    let utc = UTCTime(microseconds: 1_777_593_600_000_000 + Int64(hour * 3_600_000_000))
    return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
  }

  private func fix(_ host: inout DaemonHost, hour: Double) throws {
    let report = FixReport(
      time: reading(hour: hour).utc, latitude: 48, longitude: 11.5,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
    try host.handle(.fix(report), at: reading(hour: hour))
  }

  @Test(arguments: [[48.0], [25, 30, 48], [24, 48]])
  func `whenever it is booked, each day has its hours`(looks: [Double]) throws {
    let database = try StateDatabase.open(path: folder("s.db"))
    var host = try DaemonHost(
      database, configuration: EngineConfiguration(), retention: Retention(), timing: .clock)
    try fix(&host, hour: 20)
    try host.host.journal.bookEnergy(of: host.host.engine, at: reading(hour: 20))
    for look in looks {
      try host.handle(.time, at: reading(hour: look))
      try host.host.journal.bookEnergy(of: host.host.engine, at: reading(hour: look))
    }
    let tracking = try database.energy().filter { $0.component == "receiver_tracking" }
    #expect(tracking.map(\.day) == ["2026-05-01", "2026-05-02"])
    #expect(tracking.map { $0.seconds.rounded() } == [4 * 3600, 24 * 3600])
  }
}

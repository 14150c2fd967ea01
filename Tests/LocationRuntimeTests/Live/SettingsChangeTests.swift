import GRDB
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// Other settings for a daemon that runs.
@Suite struct SettingsChangeTests {
  private let folder = TemporaryFolder()

  private func reading(_ second: Int) -> ClockReading {
    let instant = EngineInstant(microseconds: 1_777_000_000_000_000 + Int64(second) * 1_000_000)
    return ClockReading(instant: instant, utc: UTCTime(microseconds: instant.microseconds))
  }

  @Test(arguments: [true, false])
  func `they are in force once they are stored, and not before`(doRowsWait: Bool) throws {
    let before = EngineConfiguration()
    var after = before
    after.policy.wakes.seconds += 1
    let database = try StateDatabase.open(path: folder("s.db"))
    database.setPatience(seconds: 0)
    var host = try DaemonHost(database, configuration: before, retention: Retention(), timing: .clock)
    try host.handle(.machine(.unlock), at: reading(0))
    try host.commit(at: reading(0))
    // Another program writes.
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: folder("s.db"), configuration: configuration)
    try other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    if doRowsWait { try host.handle(.machine(.lock), at: reading(1)) }
    do throws(Failure) {
      try host.change(to: after, at: reading(2))
      Issue.record("they can't be stored")
    } catch {
      #expect(error.code == .tryAgain, "\(error)")
    }
    let refused = host.engine.configuration
    #expect(refused == before)
    // A restart would handle what comes from here on under these.
    #expect(try database.snapshot()?.engine.configuration == before)
    try other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try host.change(to: after, at: reading(3))
    let changed = host.engine.configuration
    let waitingRows = host.host.journal.waitingRows
    #expect(changed == after && waitingRows == 0)
    #expect(try database.snapshot()?.engine.configuration == after)
  }
}

import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// The lines of records that a daemon has at hand.
@Suite struct StoredLinesTests {
  /// Nobody waits for the records.
  @Test func `a line goes when the effects of its commit have run, whatever the next commit has`() throws {
    let folder = TemporaryFolder()
    let database = try StateDatabase.open(path: folder("s.db"))
    var journal = try DatabaseJournal(
      database, keeping: Retention(), after: 0, rows: 0, snapshotBytes: 0)
    var drive = Drive()
    for second in 0..<50 { drive.fix(Double(second), east: Double(second) * 600) }
    var configuration = EngineConfiguration()
    configuration.explains = true
    let records = drive.effects(configuration).records
    #expect(records.count >= 50)
    for (index, record) in records.enumerated() {
      let effects = [Effect.record(record)]
      #expect(try journal.commit(effects, at: Drive.instant(Double(index))))
      #expect(!journal.line(of: record.id).isEmpty)
      if index > 0 { #expect(journal.line(of: records[index - 1].id).isEmpty) }
    }
  }
}

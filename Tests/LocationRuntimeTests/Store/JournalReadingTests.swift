import GRDB
import Glibc
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// The journal as a recording, for who reads it slowly.
@Suite struct JournalReadingTests {
  private let folder = TemporaryFolder()
  private var path: String { folder("s.db") }
  private static let fixes = 4_000

  /// A state file whose journal is far more than one piece.
  private func made() throws -> StateDatabase {
    let database = try StateDatabase.open(path: path)
    var host = try DaemonHost(
      database, configuration: EngineConfiguration(), retention: Retention(), timing: .clock)
    for second in 0..<Self.fixes {
      let instant = Drive.instant(Double(second))
      let reading = ClockReading(instant: instant, utc: UTCTime(microseconds: instant.microseconds))
      try host.handle(.fix(Drive.report(Double(second), east: 0)), at: reading)
    }
    let end = Drive.instant(Double(Self.fixes))
    try host.commit(at: ClockReading(instant: end, utc: UTCTime(microseconds: end.microseconds)))
    return database
  }

  @Test func `the log can be begun anew while a piece is read, and later rows are left out`() throws {
    let database = try made()
    let reader = try #require(try StateDatabase.openToRead(path: path))
    var (pieces, lines) = (0, 0)
    let count = try reader.recording { (bytes) throws(Failure) in
      pieces += 1
      lines += bytes.count { $0 == UInt8(ascii: "\n") }
      try database.write { try $0.execute(sql: "INSERT INTO journal (at, line) VALUES (0, '{}')") }
      database.emptyLog()
      #expect(StatePath.status(path + "-wal").map { $0.st_size } == 0)
    }
    #expect(pieces > 2)
    #expect(count == Self.fixes && lines == count + 1, "with the header")
  }

  @Test(arguments: ["number < 3900", "number > 0"])
  func `that rows were discarded before they were read is told`(which: String) throws {
    let database = try made()
    let reader = try #require(try StateDatabase.openToRead(path: path))
    var pieces = 0
    do throws(Failure) {
      _ = try reader.recording { (_) throws(Failure) in
        pieces += 1
        guard pieces == 2 else { return }
        try database.write { try $0.execute(sql: "DELETE FROM journal WHERE \(which)") }
      }
      Issue.record("\(pieces) pieces")
    } catch {
      #expect(error.code == .tryAgain && error.what.contains("discarded"), "\(error)")
    }
    #expect(pieces == 2)
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationRuntime

/// What lies beside the state file until a transfer is done.
@Suite struct TransferSpoolTests {
  @Test func `after a crash nothing stays but what is open, and nothing of a program that was removed`()
    throws
  {
    let folder = TemporaryFolder()
    let spool = TransferSpool(state: folder("s.db"))
    for (name, number) in [("a b", 1), ("a b", 2), ("gone", 1)] {
      try spool.store(#"{"password":"sesame"}"#, number, of: name)
    }
    let parts = folder("s.db.transfers/parts/gone")
    try FileManager.default.createDirectory(atPath: parts, withIntermediateDirectories: true)
    for name in ["1", "1.state", "1.done"] { _ = folder.write("s.db.transfers/parts/gone/" + name, "x") }
    spool.sweep(except: ["a b": [2], "new": []])
    #expect(spool.job(2, of: "a b") != nil)
    let left = FileManager.default.subpaths(atPath: folder("s.db.transfers"))?.sorted()
    #expect(left == ["jobs", "jobs/a%20b", "jobs/a%20b/2.json", "parts"])
  }
}

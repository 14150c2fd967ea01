import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// Who reads along begins where it was told to.
@Suite struct EventFeedTests {
  private let folder = TemporaryFolder()

  private func log(_ ids: some Sequence<Int>) throws {
    var batch = StoreBatch()
    for id in ids {
      batch.events.append(
        StoreBatch.EventRow(id: id, type: "gap", time: UTCTime(microseconds: 0), line: #","id":\#(id)}"#))
    }
    _ = try StateDatabase.open(path: folder("state.db")).store(batch)
  }

  private func count(_ feed: inout EventFeed) throws -> Int {
    var count = 0
    try feed.read { count += $0.count { $0 == UInt8(ascii: "\n") } }
    return count
  }

  @Test func `from now on is after what is there, however much comes at once`() throws {
    try log(1...3)
    var feed = try EventFeed(fromNowOn: folder("state.db"))
    #expect(try count(&feed) == 0)
    try log(4...12_003)
    #expect(try count(&feed) == 12_000)
    #expect(try count(&feed) == 0)
  }

  @Test func `from now on is everything where there is no state file yet`() throws {
    var feed = try EventFeed(fromNowOn: folder("state.db"))
    #expect(try count(&feed) == 0)
    try log(1...5)
    #expect(try count(&feed) == 5)
  }

  @Test func `another file of that name is opened`() throws {
    try log(1...3)
    var feed = EventFeed(state: folder("state.db"), since: 0)
    #expect(try count(&feed) == 3)
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder("state.db" + end)) }
    try log(1...2)
    #expect(try feed.open()?.lastEventID() == 2)
  }
}

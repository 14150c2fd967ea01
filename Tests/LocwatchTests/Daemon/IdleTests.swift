import Foundation
import TestSupport
import Testing

@testable import LocationCore

/// Nothing wakes the daemon but what is due.
@Suite struct IdleTests {
  /// Dispatch's manager waits in an epoll and looks after its threads every second. The daemon has no use for it.
  @Test func `a daemon has no threads of Dispatch`() async throws {
    let run = try DaemonRun()
    try await run.add(
      "a", manifest: "services: [significant-change]\nmodes: [voip, fetch, remote-notification]")
    try await run.startWithFix()
    #expect(try await run.command(["subscribers", "launch", "a"]).status == 0)
    #expect(try await run.command(["subscribers", "background", "a"]).status == 0)
    run.move(0, second: 10)
    try await run.waitFor("a", .suspended)
    let folder = "/proc/\(try #require(run.process?.pid))/fd"
    let targets = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    #expect(targets.contains { $0.hasSuffix("s.db") }, "\(targets)")
    #expect(!targets.contains("anon_inode:[eventpoll]"), "\(targets)")
    #expect(await run.end() == 0)
  }
}

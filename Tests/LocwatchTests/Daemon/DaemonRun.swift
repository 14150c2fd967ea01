import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationRuntime

/// A `locwatch run` on a state file of its own, fed by a scripted gpsd, that can be killed and started again.
final class DaemonRun {
  let folder = TemporaryFolder()
  let gpsd: ScriptedGPSD
  private(set) var process: LiveProcess?

  init() throws { gpsd = try ScriptedGPSD() }

  deinit { process?.signal(SIGKILL) }

  var state: String { folder("s.db") }

  /// Starts it and waits until it listens to gpsd.
  func start(_ more: [String] = []) throws {
    gpsd.hangUp()
    process = try LiveProcess(
      Binary.path, ["run", "--gpsd", gpsd.address, "--state", state, "--simulated"] + more)
    try #require(gpsd.connect(), "\(process?.stderr ?? "")")
  }

  /// Ends it by a signal and waits for its end; its exit status.
  @discardableResult
  func end(_ signal: Int32 = SIGTERM) async -> Int32? {
    process?.signal(signal)
    return await process?.finish()
  }

  /// A command on the same state file.
  func command(_ arguments: [String]) async throws -> Binary.Result {
    try await Binary.run(arguments + ["--state", state])
  }

  /// The records it has kept.
  func events() async throws -> [Substring] {
    let run = try await command(["events"])
    #expect(run.status == 0, "\(run.stderr)")
    return run.stdout.split(separator: "\n")
  }

  /// Reports that it has taken and stored.
  func storedFixes() throws -> Int {
    try StateDatabase.openToRead(path: state)?.storedFixes() ?? 0
  }

  /// Waits until so many reports are stored.
  func waitForFixes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while try storedFixes() < count {
      guard ContinuousClock.now < end, process?.status == nil else {
        Issue.record(
          "\(try storedFixes()) of \(count) reports; \(process?.stderr ?? "")", sourceLocation: sourceLocation
        )
        return
      }
      try? await Task.sleep(for: .milliseconds(2))
    }
  }

  /// Waits until something is so.
  func wait(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, until isSo: () async throws -> Bool
  )
    async throws
  {
    let end = ContinuousClock.now + .seconds(60)
    while try await !isSo() {
      guard ContinuousClock.now < end else {
        Issue.record("waited in vain for \(what)", sourceLocation: sourceLocation)
        return
      }
      try? await Task.sleep(for: .milliseconds(10))
    }
  }
}

extension StateDatabase {
  /// Position reports in the journal, and before it.
  fileprivate func storedFixes() throws(Failure) -> Int {
    try RestoredEngine(self, orNew: EngineConfiguration()).engine.tally.fixes
  }
}

import Foundation
import TestSupport
import Testing

@testable import LocationCore
@testable import LocationFormats
@testable import LocationRuntime

/// A `locwatch run` on a state file of its own, fed by a scripted gpsd, that can be killed and started again.
final class DaemonRun {
  /// What the daemon may do.
  enum Rights: String, CaseIterable, CustomTestStringConvertible {
    /// Whatever the test may: as root programs are frozen.
    case own
    /// Whatever the test may, but it does not freeze.
    case ownWithoutCgroup
    /// What a user may who can't write any cgroup.
    case nobody
    var testDescription: String { rawValue }

    /// Those that can be had here: only root can become another.
    static let here: [Rights] = allCases.filter { $0 != .nobody || getuid() == 0 }
  }

  let folder = TemporaryFolder()
  let gpsd: ScriptedGPSD
  let rights: Rights
  private(set) var process: LiveProcess?

  init(_ rights: Rights = .own) throws {
    self.rights = rights
    gpsd = try ScriptedGPSD()
    if rights == .nobody { try #require(unsafe chown(folder.path, Self.nobody, Self.nobody) == 0) }
  }

  private static let nobody: uid_t = 65_534

  deinit { process?.signal(SIGKILL) }

  /// One that runs already, without further options.
  static func started() throws -> DaemonRun {
    let run = try DaemonRun()
    try run.start()
    return run
  }

  var state: String { folder("s.db") }

  /// Starts it and waits until it listens to gpsd.
  ///
  /// - Parameters:
  ///   - more: further options.
  ///   - isSimulated: whether time is that of the fixes.
  ///   - starter: a command that becomes it.
  func start(
    _ more: [String] = [], isSimulated: Bool = true, through starter: [String] = [],
    expectsConnection: Bool = true
  ) throws {
    gpsd.hangUp()
    let mode: [String] = rights == .ownWithoutCgroup ? ["--no-cgroup"] : []
    process = try LiveProcess.command(
      starter + (rights == .nobody ? Self.becomeNobody : [])
        + [Binary.path, "run", "--gpsd", gpsd.address, "--state", state]
        + (isSimulated ? ["--simulated"] : []) + mode + more)
    guard expectsConnection else { return }
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    var isConnected = false
    while !isConnected, process?.status == nil, ContinuousClock.now < end {
      isConnected = gpsd.connect(seconds: 0.2)
    }
    try #require(isConnected, "\(process?.stderr ?? "")")
  }

  /// Ends it by a signal and waits for its end; its exit status.
  @discardableResult
  func end(_ signal: Int32 = SIGTERM) async -> Int32? {
    process?.signal(signal)
    return await process?.finish()
  }

  private static let becomeNobody = [
    "/usr/bin/setpriv", "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups",
  ]

  /// What the control socket replies to a line.
  func ask(_ line: String) throws -> String {
    let socket = try StreamSocket(path: state + ".control")
    socket.send((line + "\n").utf8)
    return String(decoding: socket.receive(seconds: TestPatience.seconds) ?? [], as: UTF8.self)
  }

  /// A command on the same state file.
  func command(_ arguments: [String]) async throws -> Binary.Result {
    let arguments = arguments + ["--state", state]
    guard rights == .nobody else { return try await Binary.run(arguments) }
    return try await Binary.run(
      Self.becomeNobody[1...] + [Binary.path] + arguments, executable: Self.becomeNobody[0])
  }

  /// The records it has kept.
  func events() async throws -> [Substring] {
    let run = try await command(["events"])
    #expect(run.status == 0, "\(run.stderr)")
    return run.stdout.split(separator: "\n")
  }

  /// Replays a recording; the records but for the books that only a replay settles at its end.
  static func replay(_ recording: String) async throws -> [Substring] {
    let run = try await Binary.run(["replay", recording, "--format", "ndjson"])
    #expect(run.status == 0, "\(run.stderr)")
    return run.stdout.split(separator: "\n").filter {
      !$0.contains(#""type":"power""#) && !$0.contains(#""type":"summary""#)
    }
  }

  /// Replays its journal; the records as of ``replay(_:)``.
  func replayJournal() async throws -> [Substring] {
    let journal = folder("replayed.journal")
    #expect(try await command(["journal", "-o", journal]).status == 0)
    return try await Self.replay(journal)
  }

  /// Reports that it has taken and stored.
  func storedFixes() throws -> Int {
    try StateDatabase.openToRead(path: state)?.storedFixes() ?? 0
  }

  /// Waits until so many reports are stored.
  func waitForFixes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while true {
      // One look more when the time is up: the thread may have had to wait for all of it.
      let isLast = ContinuousClock.now >= end || process?.status != nil
      if try storedFixes() >= count { return }
      guard !isLast else {
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
    _ what: String, seconds: Double = TestPatience.seconds,
    sourceLocation: SourceLocation = #_sourceLocation, until isSo: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      // One look more when the time is up, as above.
      let isLast = ContinuousClock.now >= end
      if try await isSo() { return }
      guard !isLast else {
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

extension LiveProcess {
  /// Starts a command, its program first.
  static func command(_ words: [String]) throws -> LiveProcess {
    try LiveProcess(try #require(words.first), Array(words.dropFirst()))
  }
}

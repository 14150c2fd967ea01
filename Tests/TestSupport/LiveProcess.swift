import Foundation
import Synchronization

/// A program that runs beside the test, whose lines the test waits for. It is killed when the test lets go of it.
package final class LiveProcess: Sendable {
  private struct State {
    var pid: Swift.Result<Int32, any Error>?
    var stdout: [UInt8] = []
    var stderr: [UInt8] = []
    var status: Int32?
  }

  /// What the test shares with the thread that reads, which outlives a test that gives up.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  private let shared = Shared()
  /// Its number.
  package let pid: Int32

  /// Starts it as ``Binary`` does.
  ///
  /// - Parameter seconds: after which it is killed, whatever it does.
  package init(_ executable: String, _ arguments: [String], seconds: Double = TestPatience.lifeSeconds)
    throws
  {
    let shared = shared
    Thread.detachNewThread { Self.run(executable, arguments, seconds, shared) }
    var started: Swift.Result<Int32, any Error>?
    while started == nil {
      started = shared.state.withLock { $0.pid }
      if started == nil { Self.pause() }
    }
    pid = try started?.get() ?? -1
  }

  private static func run(_ executable: String, _ arguments: [String], _ seconds: Double, _ shared: Shared) {
    do {
      var child = try ChildProcess(
        executable: executable, arguments: arguments, environment: Binary.variables(adding: [:]),
        directory: PackageRoot.path)
      let pid = child.pid
      shared.state.withLock { $0.pid = .success(pid) }
      let result = child.finish(stdin: [], timeout: .seconds(seconds)) { result in
        let (stdout, stderr) = (result.stdoutBytes, result.stderrBytes)
        shared.state.withLock {
          $0.stdout = stdout
          $0.stderr = stderr
        }
      }
      shared.state.withLock { $0.status = result.status }
    } catch {
      shared.state.withLock { $0.pid = .failure(error) }
    }
  }

  deinit { if status == nil { kill(-pid, SIGKILL) } }

  /// Its exit status as a shell has it; nil while it runs.
  package var status: Int32? { shared.state.withLock { $0.status } }
  /// All of standard output so far.
  package var stdout: String { String(decoding: shared.state.withLock { $0.stdout }, as: UTF8.self) }
  /// All of standard error so far.
  package var stderr: String { String(decoding: shared.state.withLock { $0.stderr }, as: UTF8.self) }

  /// The whole lines of standard output so far.
  package var lines: [Substring] {
    stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }

  /// Waits until standard output is as it should be; false where it is not in time, or will not be.
  package func wait(seconds: Double = TestPatience.seconds, until isEnough: ([Substring]) -> Bool) async
    -> Bool
  {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      let isOver = status != nil
      if isEnough(lines) { return true }
      if isOver { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return isEnough(lines)
  }

  /// Sends a signal, unless it has ended: its number may be another's by then.
  package func signal(_ number: Int32) { if status == nil { kill(pid, number) } }

  /// Waits for its end; its exit status as a shell has it, or nil where it does not end in time.
  package func finish(seconds: Double = TestPatience.seconds) async -> Int32? {
    let end = ContinuousClock.now + .seconds(seconds)
    while status == nil, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
    return status
  }

  /// Between two looks at something that another process does.
  static func pause() { usleep(1_000) }
}

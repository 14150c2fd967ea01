import Foundation
import Synchronization

/// A program that runs beside the test, whose lines the test waits for.
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
  package init(_ executable: String, _ arguments: [String], seconds: Double = 180) throws {
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
  package func wait(seconds: Double = 60, until isEnough: ([Substring]) -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      let isOver = status != nil
      if isEnough(lines) { return true }
      if isOver { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return isEnough(lines)
  }

  /// Sends a signal.
  package func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for its end; its exit status as a shell has it, or nil where it does not end in time.
  package func finish(seconds: Double = 60) async -> Int32? {
    let end = ContinuousClock.now + .seconds(seconds)
    while status == nil, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
    return status
  }

  /// Between two looks at something that another process does.
  fileprivate static func pause() { usleep(1_000) }
}

/// A real gpsd, whose receiver the test plays over TCP.
package final class GPSDServer: Sendable {
  /// Where its clients connect.
  package let port: Int
  private let receiver: Listener
  private let process: Mutex<LiveProcess?> = Mutex(nil)

  /// Whether a gpsd is installed.
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
  private static let path = "/usr/sbin/gpsd"

  package init() throws {
    receiver = try Listener()
    port = try Listener.freePort()
    try start()
  }

  deinit { stop() }

  /// Its address as its clients write it.
  package var address: String { "localhost:\(port)" }
  /// The path it gives to the receiver.
  package var device: String { "tcp://127.0.0.1:\(receiver.port)" }

  /// Starts it, and waits until it answers. It opens the receiver when the first client asks for reports.
  package func start() throws {
    let started = try LiveProcess(Self.path, ["-N", "-S", "\(port)", device])
    process.withLock { $0 = started }
    let end = ContinuousClock.now + .seconds(30)
    while !isListening, ContinuousClock.now < end { LiveProcess.pause() }
  }

  /// Ends it.
  package func stop() {
    let running = process.withLock { process in
      defer { process = nil }
      return process
    }
    running?.signal(SIGTERM)
    let end = ContinuousClock.now + .seconds(10)
    while let running, running.status == nil, ContinuousClock.now < end { LiveProcess.pause() }
  }

  /// Waits until it opens the receiver.
  package func connectReceiver(seconds: Double = 30) -> Connection? { receiver.accept(seconds: seconds) }

  /// Looks into the kernel's table, because a connection would count as a client.
  private var isListening: Bool {
    let hex = String(port, radix: 16, uppercase: true)
    let wanted = ":" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    let table = (try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)) ?? ""
    return table.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[1].hasSuffix(wanted) && fields[3] == "0A"
    }
  }
}

import Foundation
import LocationFormats
import Synchronization

/// A real gpsd, whose receiver the test plays over TCP or on a serial line.
package final class GPSDServer: Sendable {
  /// Where its clients connect.
  package let port: Int
  /// The path it gives to the receiver.
  package let device: String
  /// Where it asks for the receiver; nil for a serial line.
  private let receiver: Listener?
  private let process: Mutex<LiveProcess?> = Mutex(nil)

  /// Whether a gpsd is installed.
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
  private static let path = "/usr/sbin/gpsd"

  /// - Parameter line: the receiver's path; nil for one over TCP.
  package init(line: String? = nil) throws {
    let receiver = line == nil ? try Listener() : nil
    self.receiver = receiver
    device = line ?? "tcp://127.0.0.1:\(receiver?.port ?? 0)"
    port = try Listener.freePort()
    try start()
  }

  deinit { stop() }

  /// Its address as its clients write it.
  package var address: String { "localhost:\(port)" }

  /// Starts it, and waits until it answers. It opens the receiver when the first client asks for reports.
  package func start() throws {
    let started = try LiveProcess(Self.path, ["-N", "-S", "\(port)", device])
    process.withLock { $0 = started }
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while !KernelTable.isListening(port), started.status == nil, ContinuousClock.now < end {
      LiveProcess.pause()
    }
  }

  /// Ends it.
  package func stop() {
    let running = process.withLock { process in
      defer { process = nil }
      return process
    }
    running?.signal(SIGTERM)
    let end = ContinuousClock.now + .seconds(30)
    while let running, running.status == nil, ContinuousClock.now < end { LiveProcess.pause() }
    // One that does not end lets go of its port all the same.
    guard let running, running.status == nil else { return }
    running.signal(SIGKILL)
    while running.status == nil { LiveProcess.pause() }
  }

  /// Waits until it opens the receiver.
  package func connectReceiver(seconds: Double = TestPatience.seconds) -> Connection? {
    receiver?.accept(seconds: seconds)
  }
}

/// A real gpsfake: a gpsd that is fed with a log.
package final class GPSFake: Sendable {
  /// Where the clients of its gpsd connect.
  package let port: Int
  private let process: LiveProcess

  /// Whether it is installed.
  package static let isInstalled = FileManager.default.isExecutableFile(atPath: path)
  private static let path = "/usr/bin/gpsfake"

  /// Starts it; it feeds the log once, from now on. gpsd opens the receiver for its first client, and what was fed
  /// before is lost: all of a log that is fed without a pause.
  ///
  /// - Parameter seconds: from one sentence to the next.
  package init(log: String, secondsBetweenSentences seconds: Double) throws {
    port = try Listener.freePort()
    process = try LiveProcess(Self.path, ["-q", "-1", "-c", "\(seconds)", "-P", "\(port)", log])
    let end = ContinuousClock.now + .seconds(TestPatience.seconds)
    while !KernelTable.isListening(port), process.status == nil, ContinuousClock.now < end {
      LiveProcess.pause()
    }
  }

  /// Its gpsd's address as its clients write it.
  package var address: String { "localhost:\(port)" }

  /// What it complained of.
  package var stderr: String { process.stderr }
}

/// What the kernel knows of who listens, for tests that wait for a server: a connection would count as a client.
private enum KernelTable {
  static func isListening(_ port: Int) -> Bool {
    let hex = String(port, radix: 16, uppercase: true)
    let wanted = ":" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
    // Foundation reads no more than the first page of a file of the kernel's.
    let table = String(decoding: (try? FileBytes.read(path: "/proc/net/tcp")) ?? [], as: UTF8.self)
    return table.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[1].hasSuffix(wanted) && fields[3] == "0A"
    }
  }
}

import Glibc
import LocationCore
import LocationFormats

/// A running program of locwatch's own that stands on a bus. It is started when it is first told something, and may be
/// ended in between. Where it ends by itself, whoever has the link may have it started again a while later.
struct SiblingLink {
  private let environment: [String]
  private let hasChannel: Bool
  private var process: SiblingProcess?
  /// Where it could not be started, or has ended by itself: when it may be started again.
  private(set) var retryAt: EngineInstant?
  /// Seconds until then; doubled while it says nothing in between.
  private var retrySeconds = leastRetrySeconds
  private let clock = SystemClock()

  /// The longest line that it says, bytes.
  private static let lineBytes = 4_096
  /// Seconds until it is started again, at first and at most: those of rule K5.
  private static let leastRetrySeconds = 1.0
  private static let mostRetrySeconds = 300.0

  /// - Parameter hasChannel: whether it passes descriptors.
  init(environment: [String], hasChannel: Bool = false) {
    self.environment = environment
    self.hasChannel = hasChannel
  }

  /// Starts it where it does not run.
  ///
  /// - Parameter path: the program; nil where it is not there.
  mutating func start(_ path: String?) {
    guard let path, process == nil, retryAt == nil else { return }
    process = try? SiblingProcess(
      path, environment: environment, lineBytes: Self.lineBytes, hasChannel: hasChannel)
    if process == nil { fail() }
  }

  private mutating func fail() {
    retryAt = clock.instant.advanced(bySeconds: retrySeconds)
    retrySeconds = min(2 * retrySeconds, Self.mostRetrySeconds)
  }

  /// Whether the time has come to start it again; if so, once.
  mutating func mayRetry() -> Bool {
    guard let at = retryAt, at <= clock.instant else { return false }
    retryAt = nil
    return true
  }

  /// Tells it a line, where it runs.
  mutating func say(_ line: JSONTree) { process?.say(line.text) }

  /// Ends it, and waits for its end.
  mutating func end() {
    process?.end()
    process = nil
  }

  /// Where it passes descriptors; -1 where it does not.
  var passing: Int32 { process?.channel?.number ?? -1 }

  /// The descriptors that it has passed.
  func takePassed() -> [(line: JSONTree, descriptor: Descriptor)] { process?.takePassed() ?? [] }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    guard let process else { return }
    polled.watch(process.readable)
    polled.watch(process.writable, for: POLLOUT)
  }

  /// Whether it has said something, has ended, or takes more.
  func hasNews(_ polled: PollSet) -> Bool {
    guard let process else { return false }
    return polled.has(process.readable) || polled.has(process.writable, POLLOUT)
  }

  /// What it has said, and whether it has just ended by itself.
  mutating func take() -> (lines: [JSONTree], hasEnded: Bool) {
    process?.send()
    guard let (lines, hasEnded) = process?.take() else { return ([], false) }
    if !lines.isEmpty { retrySeconds = Self.leastRetrySeconds }
    if hasEnded {
      fail()
      end()
    }
    return (lines, hasEnded)
  }
}

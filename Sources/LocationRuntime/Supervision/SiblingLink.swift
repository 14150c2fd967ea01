import Glibc
import LocationCore
import LocationFormats

/// A helper program of locwatch that speaks to D-Bus for the daemon. It is started before the first line that it is
/// told, and may be ended and started again. If it ends by itself, its owner may start it again at ``retryAt``.
struct SiblingLink {
  private let environment: [String]
  private let hasChannel: Bool
  private var process: SiblingProcess?
  /// When it may be started again, after a failed start or an unexpected end; nil where there was neither.
  private(set) var retryAt: EngineInstant?
  /// The time until then; doubled while it does nothing in between.
  private var retryWait = RetryWait()
  /// Whether it has run: what it takes, such as a bus, was there.
  private var hasRun = false
  private let now: () -> EngineInstant
  /// What went wrong, for the log.
  private var troubles: [String] = []
  /// What the log was told since it last did something: that is not told again.
  private var told: Set<String> = []

  /// The longest line that it says, bytes.
  private static let lineBytes = 4_096
  /// So many different troubles are told once.
  private static let mostTold = 64

  /// - Parameters:
  ///   - hasChannel: whether it passes descriptors.
  ///   - now: tells the time, on the axis on which ``retryAt`` is waited for.
  init(environment: [String], hasChannel: Bool = false, now: @escaping () -> EngineInstant) {
    self.environment = environment
    self.hasChannel = hasChannel
    self.now = now
  }

  /// Starts it where it does not run. If it can't run here now but has run, such as while its bus is started anew, it may
  /// be started again later, as after a failure. If it never could, nothing is waited for.
  ///
  /// - Parameter path: the program; nil where it, or its bus, is not there.
  mutating func start(_ path: String?) {
    guard process == nil, retryAt == nil, path != nil || hasRun else { return }
    process = path.flatMap {
      try? SiblingProcess(
        $0, environment: environment, lineBytes: Self.lineBytes, hasChannel: hasChannel)
    }
    if process == nil { fail() } else { hasRun = true }
  }

  private mutating func fail() {
    retryAt = now().advanced(bySeconds: retryWait.seconds)
    retryWait.double()
  }

  /// Whether the time has come to start it again; if so, once.
  mutating func mayRetry() -> Bool {
    guard let at = retryAt, at <= now() else { return false }
    retryAt = nil
    return true
  }

  /// Keeps what went wrong, for the log; what is still the same is told once.
  mutating func complain(_ trouble: String) {
    if told.count >= Self.mostTold { told = [] }
    if told.insert(trouble).inserted { troubles.append(trouble) }
  }

  /// It does what it is for: what goes wrong from now on is new.
  private mutating func noteWork() {
    retryWait.reset()
    told = []
  }

  /// What went wrong, once.
  mutating func takeTroubles() -> [String] {
    defer { troubles = [] }
    return troubles
  }

  /// Tells it a line, where it runs.
  mutating func say(_ line: JSONTree) { process?.say(line.text) }

  /// Whether it runs.
  var isRunning: Bool { process != nil }

  /// Ends it, and waits for its end.
  mutating func end() {
    process?.end()
    process = nil
  }

  /// The descriptors that it has passed.
  mutating func takePassed() -> [(line: JSONTree, descriptor: Descriptor)] {
    let passed = process?.takePassed() ?? []
    if !passed.isEmpty { noteWork() }
    return passed
  }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    guard let process else { return }
    polled.watch(process.channel?.number ?? -1)
    polled.watch(process.readable)
    polled.watch(process.writable, for: POLLOUT)
  }

  /// Whether it has said or passed something, has ended, or takes more.
  func hasNews(_ polled: PollSet) -> Bool {
    guard let process else { return false }
    return polled.has(process.channel?.number ?? -1) || polled.has(process.readable)
      || polled.has(process.writable, POLLOUT)
  }

  /// What it has said, and whether it has just ended by itself.
  mutating func take() -> (lines: [JSONTree], hasEnded: Bool) {
    process?.send()
    guard let (lines, hasEnded) = process?.take() else { return ([], false) }
    // One without a bus says so, and ends.
    if lines.contains(where: { $0["trouble"] == nil }) { noteWork() }
    if hasEnded {
      fail()
      end()
    }
    return (lines, hasEnded)
  }
}

/// What the daemon's loop asks of each link to a program of locwatch's own.
protocol LinkedSibling {
  /// The program.
  var link: SiblingLink { get set }
  /// Forgets what it was told: one that is started again knows nothing of it.
  mutating func forgetTold()
}

extension LinkedSibling {
  /// When it is started again; nil where it has not failed.
  var retryAt: EngineInstant? { link.retryAt }

  /// Whether the time has come to start it again; if so, once.
  mutating func mayRetry() -> Bool {
    guard link.mayRetry() else { return false }
    forgetTold()
    return true
  }

  /// Ends it.
  mutating func end() { link.end() }

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) { link.watch(&polled) }

  /// What went wrong, once.
  mutating func takeTroubles() -> [String] { link.takeTroubles() }
}

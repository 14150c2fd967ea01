import Glibc
import LocationCore
import LocationFormats

/// Listens whether the audio sessions of programs sound (rule F3): whether PipeWire has a stream of theirs that runs, and
/// how loud that is. It watches the graph only while a session is open, and measures only in the background.
///
/// A stream belongs to a program by its process: the one that was started, one of its process group, or one of its cgroup.
struct AudioWatch {
  /// A program with an open session.
  struct Player: Hashable {
    var name: String
    var state: SubscriberState

    /// Whether nothing but its audio may hold off its suspension, so that it matters how loud it is.
    fileprivate var isInBackground: Bool { state == .background }
  }

  /// What is told of a program: the peak of its streams, decibels relative to full scale.
  struct Level: Equatable {
    var subscriber: String
    var decibels: Double
  }

  private let environment: [String]
  private var dump: ProgramStart?
  private var graph = PipeWireGraph()
  private var meter: StreamMeter?
  /// When the next stream is measured.
  private var meterAt: EngineInstant?
  /// The stream that was measured last.
  private var lastMetered = -1
  /// What was measured of each stream.
  private var measured: [Int: Double] = [:]
  /// The process of each program.
  private var pids: [String: pid_t] = [:]
  private var players: [Player] = []
  /// What is quiet, and for how long until a session ends.
  private var numbers = Policy.Configuration.Audio()
  /// What each player was last said to be.
  private var told: [String: Loudness] = [:]
  /// Whether nothing is known of streams, since the program that tells of them ended.
  private var hasFailed = false
  /// Whether anything was told.
  private var hasTold = false
  /// When that is started again.
  private var retryAt: EngineInstant?
  /// The time until then; doubled each time until somebody else has a session.
  private var retryWait = RetryWait()
  /// Whether others have a session open than when it was last told.
  private var hasNews = false
  /// What went wrong, for the log.
  private var trouble: String?

  private enum Loudness {
    case sounding
    case quiet(since: EngineInstant)

    var isQuiet: Bool { if case .quiet = self { true } else { false } }
  }

  init(environment: [String]) { self.environment = environment }

  /// What a stream without any sound has, decibels.
  static let silence = -1000.0
  /// Seconds from one measurement to the next.
  private static let meterSeconds = 10.0
  /// The same while a silence may be over soon: what sounds again has to be heard before (rule F3).
  private static let quietMeterSeconds = 1.0
  /// Seconds for which it is measured that often, beside one ordinary step.
  private static let endSeconds = 20.0

  // MARK: Whom to listen to

  /// The process of a program, which was started or has connected.
  mutating func note(_ pid: pid_t, of name: String) { pids[name] = pid }

  /// Who has a session open now, below how many decibels one is quiet, and for how long until its session ends.
  mutating func align(_ players: [Player], _ numbers: Policy.Configuration.Audio, at now: EngineInstant) {
    guard players != self.players || numbers != self.numbers else { return }
    self.numbers = numbers
    let names = Set(players.map(\.name))
    if !names.isSubset(of: Set(self.players.map(\.name))) {
      hasFailed = false
      retryWait.reset()
    }
    self.players = players
    hasNews = true
    // In the foreground nobody measures, so what was measured before says nothing there.
    let forgotten = Set(
      players.filter(\.state.isForeground).flatMap { streams(of: $0.name, among: graph.streams) }.map(
        \.serial))
    measured = measured.filter { !forgotten.contains($0.key) }
    told = told.filter { names.contains($0.key) }
    if players.isEmpty {
      stop()
      retryAt = nil
    } else if dump == nil, !hasFailed {
      start(at: now)
    }
    scheduleMeter(at: now)
  }

  /// Whether there is a PipeWire that can be listened to.
  static var isAvailable: Bool {
    socket.map { unsafe access($0, R_OK | W_OK) == 0 } ?? false
      && (try? CommandPath.resolve("pw-dump")) != nil
  }

  /// Where PipeWire is: by its name, `pipewire-0`, in the directory of the user's session.
  private static var socket: String? {
    let name = EnvironmentVariable.value("PIPEWIRE_REMOTE") ?? "pipewire-0"
    if name.hasPrefix("/") { return name }
    let folder =
      EnvironmentVariable.value("PIPEWIRE_RUNTIME_DIR") ?? EnvironmentVariable.value("XDG_RUNTIME_DIR")
    return folder.map { "\($0)/\(name)" }
  }

  private mutating func start(at now: EngineInstant) {
    retryAt = nil
    guard Self.isAvailable else {
      // What was told of a PipeWire that is gone holds no more. It may come back.
      hasFailed = hasTold
      if hasTold { scheduleRetry(at: now) }
      return
    }
    graph = PipeWireGraph()
    do throws(ProgramStart.Refusal) {
      dump = try ProgramStart(
        command: ["pw-dump", "--monitor"], environment: environment, hasOutput: true,
        hasError: true)
    } catch {
      fail("can't be started: \(error.text)", at: now)
    }
  }

  /// Starts it again. PipeWire may not be back yet.
  private mutating func retryIfDue(at now: EngineInstant) {
    guard let due = retryAt, due <= now else { return }
    start(at: now)
    if dump == nil, retryAt == nil { scheduleRetry(at: now) }
  }

  private mutating func scheduleRetry(at now: EngineInstant) {
    retryAt = now.advanced(bySeconds: retryWait.seconds)
    retryWait.double()
  }

  private mutating func stop() {
    _ = meter?.finish()
    meter = nil
    meterAt = nil
    measured = [:]
    dump?.end()
    dump = nil
  }

  /// Ends what was started.
  mutating func end() { stop() }

  /// Nothing is known of streams for now: sessions are as they were declared.
  private mutating func fail(_ what: String, at now: EngineInstant) {
    stop()
    if !hasFailed {
      trouble = "audio: pw-dump \(what); sessions are as programs declare them until it tells again"
    }
    hasFailed = true
    graph = PipeWireGraph()
    scheduleRetry(at: now)
  }

  /// What went wrong, once.
  mutating func takeTrouble() -> String? {
    defer { trouble = nil }
    return trouble
  }

  // MARK: Waiting

  /// Adds what is waited for.
  func watch(_ polled: inout PollSet) {
    polled.watch(dump?.output?.number ?? -1)
    polled.watch(meter?.readable ?? -1)
  }

  /// When something is due by time.
  var deadline: EngineInstant? {
    hasNews && graph.isKnown ? .distantPast : EngineInstant.earlier(retryAt, meter?.end ?? meterAt)
  }

  /// Takes what has come; of whom something has changed.
  mutating func take(_ polled: PollSet, at now: EngineInstant) -> [Level] {
    hasNews = false
    guard !players.isEmpty else { return [] }
    retryIfDue(at: now)
    if polled.has(dump?.output?.number ?? -1) { readGraph(at: now) }
    if let meter { readMeter(hasCome: polled.has(meter.readable), at: now) }
    if let due = meterAt, due <= now { beginMeter(at: now) }
    let levels = changes(at: now)
    scheduleMeter(at: now)
    return levels
  }

  private mutating func readGraph(at now: EngineInstant) {
    guard let output = dump?.output else { return }
    var isGood = true
    let hasEnded = output.readAll { piece in
      isGood = graph.take(piece)
      return isGood
    }
    if hasEnded { return fail("has ended", at: now) }
    if !isGood { return fail("says too much", at: now) }
    if graph.isKnown { hasFailed = false }
    let serials = Set(graph.streams.map(\.serial))
    measured = measured.filter { serials.contains($0.key) }
  }

  // MARK: Measuring

  private mutating func readMeter(hasCome: Bool, at now: EngineInstant) {
    guard var running = meter else { return }
    let isOver = hasCome && running.take() || running.end <= now
    meter = running
    guard isOver else { return }
    if let level = running.finish() { measured[running.serial] = level }
    meter = nil
    meterAt = nil
  }

  /// Streams whose loudness matters.
  private var metered: [PipeWireGraph.Stream] {
    let streams = graph.streams
    return players.filter(\.isInBackground).flatMap { self.streams(of: $0.name, among: streams) }
  }

  private mutating func scheduleMeter(at now: EngineInstant) {
    guard dump != nil, meter == nil else { return }
    let streams = metered
    guard !streams.isEmpty else {
      meterAt = nil
      return
    }
    let isNew = streams.contains { measured[$0.serial] == nil }
    // The last of the ordinary measurements in a silence may come just before its end.
    let endsSoon = told.values.contains { loudness in
      guard case .quiet(let since) = loudness else { return false }
      let left = numbers.silenceSeconds - since.seconds(to: now)
      return left > 0 && left <= Self.meterSeconds + Self.endSeconds
    }
    let seconds = (endsSoon ? Self.quietMeterSeconds : Self.meterSeconds) / Double(streams.count)
    let due = now.advanced(bySeconds: isNew ? 1 : seconds)
    meterAt = meterAt.map { min($0, due) } ?? due
  }

  /// Measures the stream that was measured longest ago: those that were not, then one after the other.
  private mutating func beginMeter(at now: EngineInstant) {
    meterAt = nil
    let streams = metered
    let new = streams.first { measured[$0.serial] == nil }
    guard let next = new ?? streams.first(where: { $0.serial > lastMetered }) ?? streams.first else { return }
    lastMetered = next.serial
    meter = StreamMeter(next, environment: environment, at: now)
  }

  // MARK: Telling

  /// What is to be told, where that is not what was told last.
  private mutating func changes(at now: EngineInstant) -> [Level] {
    guard graph.isKnown || hasFailed else { return [] }
    let all = graph.streams
    var levels: [Level] = []
    for player in players {
      let own = streams(of: player.name, among: all)
      // What was not measured is taken to be heard.
      let loudest = own.map { measured[$0.serial] ?? 0 }.max() ?? (hasFailed ? 0 : Self.silence)
      let isQuiet = loudest < numbers.quietDecibels
      guard told[player.name]?.isQuiet != isQuiet else { continue }
      told[player.name] = isQuiet ? .quiet(since: now) : .sounding
      hasTold = true
      levels.append(Level(subscriber: player.name, decibels: loudest))
    }
    return levels
  }

  /// The streams of a program.
  private func streams(of name: String, among all: [PipeWireGraph.Stream]) -> [PipeWireGraph.Stream] {
    guard let pid = pids[name] else { return [] }
    let cgroup = KernelFile.read("/proc/\(pid)/cgroup")
    let isItsOwn = cgroup != nil && cgroup != KernelFile.read("/proc/self/cgroup")
    return all.filter { stream in
      stream.pid == pid || getpgid(stream.pid) == pid
        || isItsOwn && KernelFile.read("/proc/\(stream.pid)/cgroup") == cgroup
    }
  }
}

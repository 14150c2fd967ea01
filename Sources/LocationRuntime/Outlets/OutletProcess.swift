import Glibc
import LocationCore
import LocationFormats

/// An outlet whose other side is spoken to by a process of its own, `locwatch-outlet`, so that the daemon loads neither
/// curl nor TLS. There is one only while there is something to send.
///
/// The process reads the settings and then events, each on a line, and answers `{"accepted":ID}` for each event, or
/// says why it ends: `{"failed":REASON}`. It never goes on after a failure: the next one begins anew.
struct OutletProcess: Outlet {
  let settings: OutletSettings
  private let environment: [String]
  /// The regions, for an outlet that is about to tell others of them.
  private var scene: OwnTracksOutlet.Scene?
  /// Whether the regions were changed since the process was told of them.
  private var isSceneStale = false
  private var process: SiblingProcess?
  /// Those that were told to end, until they have.
  private var ending: [Descriptor] = []
  private var acceptedID: Int?
  private var failure: OutletFailure?
  private var requests: [OutletRequest] = []
  private var hasConnected = false
  /// Pushes that were taken and may not be on disk yet. A broker gives no number again before it is told of it, so
  /// there are 65,535 at most.
  private var taken: [Int] = []

  /// The longest answer, bytes: a command has up to 65,536, and escapes make it longer.
  private static let answerBytes = 1 << 19
  /// Commands, pushes and notes that may wait here, but for those read at once with the last. The others wait in the
  /// pipe, and then at the other side.
  private static let requestLimit = 64

  init(_ settings: OutletSettings, environment: [String]) {
    self.settings = settings
    self.environment = environment
  }

  private var staysConnected: Bool { settings.kind.staysConnected }

  var name: String { settings.name }

  var filter: EventFilter {
    EventFilter(
      types: settings.types.map { Set($0) }, regions: settings.regions.map { Set($0) },
      formerRegions: settings.formerRegions ?? [])
  }

  var limits: OutletPump.Limits {
    var limits = OutletPump.Limits()
    // Some days of a phone that moves; each takes some 300 bytes of disk.
    limits.waitingEvents = 50_000
    limits.retrySteps = settings.kind.retrySteps
    if staysConnected { limits.restSeconds = nil }
    return limits
  }

  // MARK: - The process

  var readable: Int32 { process?.readable ?? ending.first?.number ?? -1 }
  var writable: Int32 { process?.writable ?? -1 }

  /// The program: beside this one.
  static let path = SiblingProgram.path("locwatch-outlet") ?? "locwatch-outlet"

  /// Starts the process where there is none, and tells it of the regions where it does not know them yet.
  private mutating func start() throws(OutletFailure) {
    if process == nil { try launch() }
    guard let scene = scene.take() else { return }
    guard let text = try? ExactEncoder.tree(of: scene).text else {
      throw OutletFailure("the regions can't be written")
    }
    process?.say(text)
  }

  private mutating func launch() throws(OutletFailure) {
    if wantsScene, scene == nil { throw OutletFailure("the regions can't be read") }
    failure = nil
    acceptedID = nil
    hasConnected = false
    do throws(ProgramStart.Refusal) {
      process = try SiblingProcess(Self.path, environment: environment, lineBytes: Self.answerBytes)
    } catch {
      throw OutletFailure("\(Self.path) can't be started: \(error.text)")
    }
    guard let text = try? ExactEncoder.tree(of: settings).text else {
      throw OutletFailure("its settings can't be written")
    }
    process?.say(text)
  }

  var wantsScene: Bool { staysConnected && (process == nil || isSceneStale) }

  mutating func noteRegions() { isSceneStale = true }

  mutating func take(_ scene: OwnTracksOutlet.Scene) {
    guard staysConnected else { return }
    self.scene = scene
    isSceneStale = false
  }

  mutating func rest(isFailure: Bool) {
    guard let process else { return }
    ending.append(process.pidfd)
    // It ends when its input does; one that hangs must not see the next one's events.
    if isFailure { process.kill() }
    self.process = nil
    // The next one is given them again.
    taken = []
  }

  mutating func close() { process?.closeInput() }

  var hasEnded: Bool { ending.allSatisfy { ProgramStart.reap($0) != nil } }

  // One that stays connected is tended.
  mutating func hasLeft() -> Bool { !staysConnected && process != nil && read() }

  mutating func reap() { ending.removeAll { ProgramStart.reap($0) != nil } }

  mutating func tend() throws(OutletFailure) {
    reap()
    guard staysConnected else {
      process?.send()
      return
    }
    try start()
    process?.send()
    // What was accepted is asked for first.
    let hasEnded = read()
    guard acceptedID == nil, failure != nil || hasEnded else { return }
    throw failure ?? OutletFailure("locwatch-outlet ended unasked")
  }

  mutating func takeConnection() -> Bool {
    defer { hasConnected = false }
    return hasConnected
  }

  var hasRequests: Bool { !requests.isEmpty }

  mutating func takeRequests() -> [OutletRequest] {
    defer { requests = [] }
    return requests
  }

  mutating func noteTaken(_ number: Int) {
    // 0: nobody waits for it.
    if process != nil, number > 0 { taken.append(number) }
  }

  mutating func noteStored() {
    guard !taken.isEmpty else { return }
    process?.say(taken.map { JSONTree.object(["taken": .integer($0)]).text })
    taken = []
  }

  mutating func say(_ line: JSONTree) { process?.say(line.text) }

  // MARK: - Events

  mutating func offer(_ events: [LoggedEvent]) throws(OutletFailure) {
    try start()
    process?.say(events.lazy.map(\.line))
  }

  mutating func accepted() throws(OutletFailure) -> Int? {
    let hasEnded = read()
    if let id = acceptedID.take() { return id }
    if let failure { throw failure }
    if hasEnded { throw OutletFailure("locwatch-outlet ended unasked") }
    return nil
  }

  /// Takes what the process has said; whether it says no more.
  private mutating func read() -> Bool {
    let room = Self.requestLimit - requests.count
    guard room > 0 else { return false }
    guard let (answers, hasEnded) = process?.take(upTo: room) else { return true }
    for answer in answers { take(answer) }
    return hasEnded
  }

  private mutating func take(_ answer: JSONTree) {
    if let id = answer["accepted"]?.integer {
      acceptedID = id
    } else if answer["connected"] == .boolean(true) {
      hasConnected = true
    } else if let command = answer["command"] {
      requests.append(.command(command))
    } else if let push = answer["push"], let number = answer["number"]?.integer {
      requests.append(.push(push, number: number))
    } else if let note = answer["note"]?.string {
      requests.append(.note(note))
    } else if let reason = answer["failed"]?.string {
      var failure = OutletFailure(reason)
      failure.waitSeconds = answer["wait_s"]?.integer.map { Double($0) }
      failure.isCounted = answer["attempt"] != .boolean(false)
      failure.isFinal = answer["final"] == .boolean(true)
      self.failure = failure
    }
  }
}

import Glibc
import LocationCore
import LocationFormats

/// Shows the records of a watch. Nobody has subscribed, and the receiver is always on.
struct WatchPorts: ~Copyable, EffectPorts {
  var output: WatchOutput
  /// What the output has thrown and nobody has been told of.
  private var failure: Failure?

  init(_ output: consuming WatchOutput) { self.output = output }

  mutating func receive(_ record: Record) {
    guard failure == nil else { return }
    do throws(Failure) { try output.show(record) } catch { failure = error }
  }

  /// Hands on what was printed.
  mutating func flush() throws(Failure) {
    if let failure { throw failure }
    try output.flush()
  }
}

/// The one loop of `locwatch watch`: it waits for events, deadlines, signals and keys, and has each shown.
struct WatchLoop: ~Copyable {
  private let request: WatchRequest
  private let clock = SystemClock()
  private let inbox: Inbox
  private let stop: WakePipe
  private var polled = PollSet()
  private var live: LiveHost<FileJournal, WatchPorts>
  private let start: EngineInstant
  private var events: [Event] = []
  private var ending: WatchEnding?

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP]

  init(_ request: WatchRequest) throws(Failure) {
    let inbox = try Inbox()
    let stop = try WakePipe()
    var recording: JournalWriter?
    var moved: String?
    if let path = request.recording {
      let free = StatePath.unused(path)
      recording = try JournalWriter(path: free, configuration: request.configuration)
      if free != path { moved = "\(path) is there already: recording to \(free)" }
    }
    var output = try WatchOutput(request, at: clock.instant)
    if let moved { output.tell(moved) }
    self.request = request
    self.inbox = inbox
    self.stop = stop
    live = LiveHost(
      EngineHost(
        Engine(configuration: request.configuration), journal: FileJournal(recording),
        ports: WatchPorts(output)),
      timing: request.isSimulated ? .fixes : .clock)
    start = clock.instant
  }

  /// Watches until it is enough.
  mutating func run() throws(Failure) -> WatchEnding {
    let heeded = Self.signals.filter { $0 != SIGHUP || !SignalBell.isIgnored($0) }
    let signals = try SignalBell.install(heeded)
    defer {
      stop.ring()
      SignalBell.uninstall(heeded)
    }
    for region in request.regions { try live.handle(.addRegion(region), at: clock.read()) }
    try GPSDLink.start(
      request.address, isSimulated: request.isSimulated, clock: clock, inbox: inbox, stop: stop,
      mustBeThere: true)
    while true {
      try handOn()
      live.host.ports.output.refresh(live.host.engine, at: clock.instant, since: start)
      if let ending {
        try finish()
        return ending
      }
      try wait(signals: signals)
    }
  }

  /// Has everything recorded, then shown.
  private mutating func handOn() throws(Failure) {
    try live.commit(at: clock.read())
    try live.host.ports.flush()
  }

  private mutating func finish() throws(Failure) {
    try live.finish(at: clock.read())
    try handOn()
    try live.host.ports.output.finish(Summary(of: live.engine, notes: []))
  }

  // MARK: - Waiting

  private mutating func wait(signals: Int32) throws(Failure) {
    let end = request.seconds.map { start.advanced(bySeconds: $0) }
    let due = [live.nextDeadline, end, live.host.ports.output.nextRefresh].compactMap { $0 }.min()
    let keys = live.host.ports.output.keys
    polled.removeAll()
    for descriptor in [inbox.readable, signals, keys] { polled.watch(descriptor) }
    polled.wait(atMost: clock.milliseconds(until: due))
    if polled.has(signals) { take(SignalBell.take()) }
    if polled.has(keys), live.host.ports.output.readsQuit() { ending = .done }
    guard ending == nil else { return }
    if polled.has(inbox.readable) { try takeEvents() }
    let reading = clock.read()
    try live.advance(to: reading)
    if let end, end <= reading.instant { ending = ending ?? .done }
  }

  private mutating func takeEvents() throws(Failure) {
    events.removeAll(keepingCapacity: true)
    try inbox.take(into: &events)
    for event in events {
      try live.handle(event, at: clock.read())
      if let count = request.count, live.engine.tally.accepted >= count {
        ending = .done
        return
      }
    }
  }

  private mutating func take(_ signals: [Int32]) {
    for number in signals {
      switch number {
      case SIGWINCH: live.host.ports.output.resize()
      case SIGTSTP: live.host.ports.output.suspend()
      default: ending = .signal(number)
      }
    }
  }
}

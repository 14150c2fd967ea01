import LocationCore
import LocationFormats

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The one loop of `locwatch watch`: it waits for events, deadlines, signals and keys, and has each shown.
struct WatchLoop: ~Copyable {
  private let request: WatchRequest
  private let clock = SystemClock()
  private let inbox: Inbox
  private let stop: WakePipe
  private let journal: JournalWriter?
  private var driver: LiveDriver
  private var output: WatchOutput
  private let start: EngineInstant
  private var events: [Event] = []
  private var effects: [Effect] = []
  private var ending: WatchEnding?

  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP]

  init(_ request: WatchRequest) throws(Failure) {
    let inbox = try Inbox()
    let stop = try WakePipe()
    var journal: JournalWriter?
    if let path = request.recording {
      journal = try JournalWriter(path: path, configuration: request.configuration)
    }
    let output = try WatchOutput(request, at: clock.instant)
    self.request = request
    self.inbox = inbox
    self.stop = stop
    self.journal = journal
    self.output = output
    driver = LiveDriver(
      engine: Engine(configuration: request.configuration), timing: request.isSimulated ? .fixes : .clock
    ) { [journal] (stamped) throws(Failure) in try journal?.append(stamped) }
    start = clock.instant
  }

  /// Watches until it is enough.
  mutating func run() throws(Failure) -> WatchEnding {
    let signals = try SignalBell.install(Self.signals)
    defer {
      stop.ring()
      SignalBell.uninstall(Self.signals)
    }
    for region in request.regions { try driver.take(.addRegion(region), at: clock.read(), into: &effects) }
    try GPSDLink.start(
      request.address, isSimulated: request.isSimulated, clock: clock, inbox: inbox, stop: stop,
      mustBeThere: true)
    while true {
      try handOn()
      output.refresh(driver.engine, at: clock.instant, since: start)
      if let ending {
        try finish()
        return ending
      }
      try wait(signals: signals)
    }
  }

  /// Has everything recorded, then shown.
  private mutating func handOn() throws(Failure) {
    try journal?.flush()
    for effect in effects {
      switch effect {
      case .record(let record): try output.show(record)
      // Nobody has subscribed.
      case .perform: break
      // The watch always shows each fix.
      case .receive: break
      }
    }
    effects.removeAll(keepingCapacity: true)
    try output.flush()
  }

  private mutating func finish() throws(Failure) {
    try driver.finish(at: clock.read(), into: &effects)
    try handOn()
    try output.finish(Summary(of: driver.engine, notes: []))
  }

  // MARK: - Waiting

  private mutating func wait(signals: Int32) throws(Failure) {
    let end = request.seconds.map { start.advanced(bySeconds: $0) }
    let due = [driver.nextDeadline, end, output.nextRefresh].compactMap { $0 }.min()
    // poll(2) passes over negative descriptors.
    var entries = [inbox.readable, signals, output.keys].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    _ = unsafe poll(&entries, nfds_t(entries.count), clock.milliseconds(until: due))
    if entries[1].revents != 0 { take(SignalBell.take()) }
    if entries[2].revents != 0, output.readsQuit() { ending = .done }
    guard ending == nil else { return }
    if entries[0].revents != 0 { try takeEvents() }
    let reading = clock.read()
    driver.advance(to: reading, into: &effects)
    if let end, end <= reading.instant { ending = ending ?? .done }
  }

  private mutating func takeEvents() throws(Failure) {
    events.removeAll(keepingCapacity: true)
    try inbox.take(into: &events)
    for event in events {
      try driver.take(event, at: clock.read(), into: &effects)
      if let count = request.count, driver.engine.tally.accepted >= count {
        ending = .done
        return
      }
    }
  }

  private mutating func take(_ signals: [Int32]) {
    for number in signals {
      switch number {
      case SIGWINCH: output.resize()
      case SIGTSTP: output.suspend()
      default: ending = .signal(number)
      }
    }
  }
}

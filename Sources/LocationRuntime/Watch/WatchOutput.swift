import Glibc
import LocationCore
import LocationFormats

/// Where the records of `locwatch watch` go: lines, or a view drawn in place.
struct WatchOutput: ~Copyable {
  private var encoder: RecordEncoder
  private var printer: LinePrinter
  private var screen: TerminalScreen?
  private var view = WatchView()
  private var dates = DateNotice()
  private let isScreen: Bool
  private let isPlain: Bool
  private let regions: [Region]
  private var isDirty: Bool
  private var isShown = false
  private var drawnAt: EngineInstant
  /// Whether time is that of the fixes.
  private let isSimulated: Bool
  /// The last fix that was drawn, and when it was first drawn.
  private var lastFix: (instant: EngineInstant, drawnAt: EngineInstant)?

  /// Events that are kept for a taller terminal.
  private static let keptEvents = 200
  /// The view is not drawn more often than so many seconds apart, whatever comes.
  private static let leastRefreshSeconds = 0.1
  /// It is drawn at least so often, seconds, because it shows how old the fix is.
  private static let refreshSeconds = 1.0
  /// The nearest regions that the view may show.
  private static let standings = 50

  /// - Parameter instant: now. The terminal is taken when there is something to show, so that an error at once
  ///   stays in sight.
  init(_ request: WatchRequest, at instant: EngineInstant) throws(Failure) {
    drawnAt = instant
    isDirty = false
    let format: RecordFormat
    switch request.output {
    case .screen(let isPlain):
      let opened = TerminalScreen()
      keys = opened.hasKeys ? STDIN_FILENO : -1
      screen = consume opened
      isScreen = true
      self.isPlain = isPlain
      format = .text
    case .lines(let lines):
      screen = nil
      keys = -1
      isScreen = false
      isPlain = true
      format = lines
    }
    encoder = RecordEncoder(format: format, track: nil)
    encoder.style.units = request.units
    view.units = request.units
    printer = LinePrinter(format: format, to: try OutputFile(path: "-"))
    regions = request.regions
    isSimulated = request.isSimulated
    view.address = request.address.description
    view.isRecording = request.recording != nil
    view.regionCount = request.regions.count
    view.profile = request.configuration.profile.name
  }

  /// The terminal's keys, for `poll`; -1 where there are none.
  private(set) var keys: Int32

  /// Shows a record.
  mutating func show(_ record: Record) throws(Failure) {
    isDirty = true
    if let notice = dates.text(after: record.body) { tell(notice) }
    guard isScreen else {
      if let line = encoder.encode(record) { try printer.print(line.span) }
      return
    }
    guard notes(record.body), let text = TextRecord(record, in: view.units) else { return }
    let clock = String(decoding: Array(record.time.rfc3339.utf8).dropFirst(11).prefix(8), as: UTF8.self)
    view.events.append("\(clock)  \(text.what.padded(to: 10))  \(TextTable.cell(text.detail))")
    if view.events.count > Self.keptEvents { view.events.removeFirst() }
  }

  /// Notes what the head of the view shows of a record; whether the record stands in its list too.
  private mutating func notes(_ body: Record.Body) -> Bool {
    if case .fixAccepted = body {
      view.trouble = nil
      view.notice = nil
      return false
    }
    if case .fixRejected = body { return false }
    if case .power = body { return false }
    if case .receiver = body { return false }
    if case .region(let event) = body, case .state(.outside) = event.kind { return false }
    if case .source(.found(let name)) = body {
      view.sourceName = name
      view.trouble = nil
    }
    if case .source(.stale(let reason, _)) = body { view.trouble = reason }
    return true
  }

  /// Hands on what was printed.
  mutating func flush() throws(Failure) { if !isScreen { try printer.flush() } }

  /// Gives the terminal back, and says what it came to.
  mutating func finish(_ summary: Summary) throws(Failure) {
    screen?.leave()
    if let notice = view.notice { Self.printError(notice) }
    do throws(Failure) {
      if let line = encoder.encode(summary) { try printer.print(line.span) }
      try printer.finish()
    } catch {
      // A terminal that has gone away can't be told so; a pipe's other end can't either, but a file can be full.
      if !isScreen { throw error }
    }
  }

  /// Says what is no record, where it does not mix with them.
  mutating func tell(_ notice: String) {
    if isScreen { view.notice = notice } else { Self.printError(notice) }
  }

  private static func printError(_ notice: String) {
    do throws(Failure) {
      try OutputFile.standardError.write(Array("locwatch: \(notice)\n".utf8))
    } catch {
      // Where nobody listens there is nobody to tell.
    }
  }

  // MARK: - The view

  /// When the view is to be drawn again; nil for lines.
  var nextRefresh: EngineInstant? {
    !isScreen
      ? nil : drawnAt.advanced(bySeconds: isDirty ? Self.leastRefreshSeconds : Self.refreshSeconds)
  }

  /// Draws the view when it is time to.
  mutating func refresh(_ engine: borrowing Engine, at instant: EngineInstant, since start: EngineInstant) {
    guard let next = nextRefresh, next <= instant, let size = screen?.size else { return }
    if !isShown { screen?.enter() }
    isShown = true
    drawnAt = instant
    isDirty = false
    let last = engine.tally.last
    view.fix = last
    view.tally = engine.tally
    view.isSimulated = isSimulated
    // What a played log costs is what it would have cost then: its own time counts. The age is ours.
    let now = isSimulated ? last?.instant : max(instant, last?.instant ?? instant)
    if let last, lastFix?.instant != last.instant { lastFix = (last.instant, instant) }
    let seenAt = isSimulated ? lastFix?.drawnAt : last?.instant
    view.fixAgeSeconds = seenAt.map { max(0, $0.seconds(to: instant)) } ?? 0
    view.elapsedSeconds =
      isSimulated && last != nil ? engine.tally.durationSeconds : start.seconds(to: instant)
    if let now {
      let ledger = engine.ledger.settled(at: now)
      view.receiverOnSeconds = ledger.receiverOnSeconds
      view.energy = ledger.estimate
    }
    view.standings = standings(engine, at: last?.coordinate)
    screen?.draw(view.lines(columns: size.columns, rows: size.rows, isPlain: isPlain))
  }

  private func standings(_ engine: borrowing Engine, at place: Coordinate?) -> [WatchView.Standing] {
    guard let place else {
      return regions.prefix(Self.standings).map {
        WatchView.Standing(name: $0.name ?? $0.id, state: .unknown, edgeMeters: nil)
      }
    }
    var standings: [WatchView.Standing] = []
    do throws(Failure) {
      for near in try RegionNearness.order(regions, from: place, limit: Self.standings) {
        standings.append(
          WatchView.Standing(
            name: near.name ?? near.id, state: engine.regionState(near.id) ?? .unknown,
            edgeMeters: near.edgeMeters))
      }
    } catch {
      // The engine has refused such a region with a record of its own.
    }
    return standings
  }

  /// The terminal has another size now.
  mutating func resize() {
    drawnAt = .distantPast
  }

  /// Gives the terminal back until the shell lets us go on.
  mutating func suspend() {
    screen?.leave()
    isShown = false
    _ = raise(SIGSTOP)
    drawnAt = .distantPast
  }

  /// Whether the key to quit was struck.
  mutating func readsQuit() -> Bool {
    let struck = screen?.keys() ?? []
    // A terminal without a keyboard any more would be readable for ever.
    if struck.isEmpty { keys = -1 }
    return struck.contains { $0 == UInt8(ascii: "q") || $0 == UInt8(ascii: "Q") }
  }
}

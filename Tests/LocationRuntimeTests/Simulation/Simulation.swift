import FoundationEssentials
import GRDB
import Glibc
import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

/// A daemon's host and its state file in one process, with simulated time, programs and faults: a seed chooses what
/// happens, and after each step the promises of Docs/Reliability.md are checked.
///
/// Real are the engine, its journal, the outbox and SQLite with its files. Simulated are the clock, the supervisor and
/// its programs, whose orders and reports come late, and the faults: a kill at any moment, a loss of power that takes
/// what was not synced, a full disk, programs that crash, hang, or say what nobody asked them.
struct Simulation: ~Copyable {
  /// A program, as the simulated supervisor knows it.
  private struct Program {
    enum State { case ended, running, suspended }
    var state = State.ended
    /// Events that it was handed and has not acknowledged, the oldest first.
    var handed: [Int] = []
    var tasks = 0
  }

  /// Something that was broken.
  struct Violation: Error, CustomStringConvertible { var description: String }

  /// What happened, for the message of a violation.
  private(set) var log: [String] = []
  /// Kills, losses of power, and times at which the disk took nothing.
  private(set) var kills = 0
  private(set) var powerLosses = 0
  private(set) var fullDisks = 0
  /// Events that programs were handed, also again.
  private(set) var deliveries = 0

  private var random: SeededRandom
  private let folder: TemporaryFolder
  private var path: String
  private var database: StateDatabase
  private var host: DaemonHost
  private var second = 0.0
  private var position = (east: 0.0, speed: 0.0)
  private var programs: [String: Program] = [:]
  /// Orders that the supervisor has not carried out, the oldest first.
  private var orders: [DaemonPorts.Work] = []
  /// What programs said and the daemon has not read, the oldest first.
  private var reports: [(name: String, event: SubscriberEvent)] = []
  /// The line that an id was handed over with: it never becomes another.
  private var told: [Int: [UInt8]] = [:]
  /// The engine after each row of the journal at which it was stored.
  private var stored: [Int64: Int] = [:]
  /// The row up to which somebody was told what followed.
  private var toldRow: Int64 = 0
  /// Bytes of the log at that moment; nil where the log was begun anew since.
  private var toldLogBytes: Int?
  /// Events that wait for somebody, as last seen.
  private var waiting: [String: Set<Int>] = [:]
  /// Events that nobody waits for any more, whose reason is not stored yet.
  private var unexplained: [(name: String, event: Int)] = []
  private var isFull = false
  private var generation = 0

  private static let configuration: EngineConfiguration = {
    var configuration = EngineConfiguration()
    configuration.sampling.mode = .continuous
    return configuration
  }()

  private static let subscribers = [
    Subscriber(name: "all", services: .all, modes: .location),
    Subscriber(name: "regions", services: .regions),
    Subscriber(name: "visits", services: [.visits, .significantChange], authorization: .whenInUse),
  ]

  /// A daemon that has just begun, with three regions and three subscribers.
  static func begun(seed: UInt64) throws -> Simulation {
    let folder = TemporaryFolder()
    let database = try StateDatabase.open(path: folder("s0.db"))
    let features = [-800, 0, 800].map { east in
      #"{"type":"Feature","id":"r\#(east)","properties":{"radius_m":150,"notify":["enter","exit","dwell"],"#
        + #""dwell_s":60},"geometry":{"type":"Point","coordinates":[\#(11 + Double(east) / 74_600),48]}}"#
    }
    let file = try RegionFile.read(bytes: Array(features.joined(separator: "\n").utf8), name: "f")
    _ = try database.put([file], changing: true)
    var simulation = Simulation(
      SeededRandom(seed, environment: nil), folder, database,
      try DaemonHost(
        database, configuration: Self.configuration, retention: Retention(), timing: .clock))
    try simulation.begin()
    return simulation
  }

  private init(
    _ random: SeededRandom, _ folder: TemporaryFolder, _ database: StateDatabase, _ host: consuming DaemonHost
  ) {
    self.random = random
    self.folder = folder
    path = database.path
    self.database = database
    self.host = host
  }

  private mutating func begin() throws {
    for subscriber in Self.subscribers {
      programs[subscriber.name] = Program()
      try host.handle(.addSubscriber(subscriber, .notRunning), at: reading)
    }
    try host.handle(.machine(.unlock), at: reading)
    try commit()
  }

  // MARK: - Steps

  /// Lets so much happen, then lets everything come to rest.
  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      try step()
      try check()
    }
    try settle()
  }

  private mutating func step() throws {
    second += random.chance(0.1) ? random.uniform(in: 10...400) : random.uniform(in: 0...5)
    switch random.unit() {
    case ..<0.42: try fix()
    case ..<0.57: carryOut()
    case ..<0.72: speak()
    case ..<0.80: try read()
    case ..<0.88: try user()
    case ..<0.91: try machine()
    case ..<0.94: try toggleDisk()
    case ..<0.955: host.tidyForTest(at: reading, &toldLogBytes, database)
    case ..<0.985: try kill()
    default: try losePower()
    }
    try host.advance(to: reading)
    try commit()
  }

  private mutating func fix() throws {
    if random.chance(0.2) { position.speed = random.uniform(in: -30...30) }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      second += 1
      position.east = max(-1500, min(1500, position.east + position.speed))
      try host.handle(.fix(report()), at: reading)
    }
    note("fix at \(position.east)")
  }

  private mutating func report() -> FixReport {
    FixReport(
      time: reading.utc, latitude: 48, longitude: 11 + (position.east + random.normal(sigma: 3)) / 74_600,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
  }

  /// The supervisor carries some orders out; what is left comes later, in order.
  private mutating func carryOut() {
    let count = Int.random(in: 0...8, using: &random)
    for work in orders.prefix(count) { carryOut(work) }
    orders.removeFirst(min(count, orders.count))
  }

  private mutating func carryOut(_ work: DaemonPorts.Work) {
    switch work {
    case .order(.wake(let name, _), _):
      if programs[name]?.state == .suspended { programs[name]?.state = .running }
    case .order(.relaunch(let name, _), _): start(name)
    case .action(.userLaunch(let name)): start(name)
    case .order(.suspend(let name), _):
      if programs[name]?.state == .running { programs[name]?.state = .suspended }
    case .order(.terminate(let name), _): end(name, status: 143)
    case .order(.deliver(let name, let event), _):
      deliveries += 1
      if programs[name]?.state == .running { programs[name]?.handed.append(event) }
    case .order(.open(let name, _), _): start(name)
    case .order(.warn, _), .order(.announce, _), .order(.refuse, _), .order(.notify, _), .order(.keep, _),
      .order(.audio, _), .order(.transfer, _), .order(.accessory, _):
      break
    case .action(.answer): break
    }
  }

  private mutating func start(_ name: String) {
    guard programs[name]?.state == .ended else {
      programs[name]?.state = .running
      return
    }
    if random.chance(0.1) { return reports.append((name, .exited(status: 127))) }
    programs[name] = Program(state: .running)
  }

  private mutating func end(_ name: String, status: Int32) {
    guard programs[name]?.state != .ended else { return }
    programs[name] = Program()
    reports.append((name, .exited(status: status)))
  }

  /// A program says something, or ends.
  private mutating func speak() {
    guard let name = programs.keys.sorted().randomElement(using: &random),
      let program = programs[name], program.state == .running
    else { return }
    switch random.unit() {
    case ..<0.6:
      let count = Int.random(in: 0...program.handed.count, using: &random)
      for event in program.handed.prefix(count) {
        reports.append((name, .acknowledged(event: event, coreSeconds: 0)))
      }
      programs[name]?.handed.removeFirst(count)
    case ..<0.65:
      reports.append((name, .acknowledged(event: Int.random(in: 0...500, using: &random), coreSeconds: 0)))
    case ..<0.72:
      programs[name]?.tasks += 1
      reports.append((name, .beginTask(name: "upload")))
    case ..<0.78: reports.append((name, .endTask(token: Int.random(in: 1...5, using: &random))))
    case ..<0.82: reports.append((name, .done))
    case ..<0.86: reports.append((name, .start(.standard)))
    case ..<0.89: reports.append((name, .stop(.standard)))
    case ..<0.93: end(name, status: 1)
    default: break  // It hangs.
    }
  }

  /// The daemon reads some of what programs said.
  private mutating func read() throws {
    let count = Int.random(in: 0...reports.count, using: &random)
    for report in reports.prefix(count) {
      note("\(report.name): \(report.event)")
      try host.handle(.subscriber(name: report.name, report.event), at: reading)
      if case .acknowledged(let event, _) = report.event { waiting[report.name]?.remove(event) }
    }
    reports.removeFirst(count)
  }

  private mutating func user() throws {
    let name = Self.subscribers.randomElement(using: &random)?.name ?? ""
    let event: SubscriberEvent? =
      switch random.unit() {
      case ..<0.3: .foreground
      case ..<0.6: .background
      case ..<0.7: .quit
      case ..<0.8: .authorization(Subscriber.Authorization.allCases.randomElement(using: &random) ?? .always)
      case ..<0.9: .backgroundDelivery(random.chance(0.5))
      default: nil
      }
    guard let event else { return try changeRegions() }
    note("user: \(name) \(event)")
    if event == .foreground {
      guard let state = host.engine.subscriberState(name), !state.isForeground,
        state != .notRunning || !host.engine.isLocked
      else { return }
      host.add(.userLaunch(name))
    }
    try host.handle(.subscriber(name: name, event), at: reading)
  }

  private mutating func changeRegions() throws {
    let id = "x\(Int.random(in: 0...2, using: &random))"
    if random.chance(0.5) {
      let radius = Int.random(in: 100...300, using: &random)
      let file = try RegionFile.read(
        bytes: Array(StateDatabaseTests.feature(id, radius: radius).utf8), name: "f")
      // A full disk takes it later or never.
      _ = try? database.put([file], changing: true)
    } else {
      _ = try? database.remove(.ids([id]))
    }
    // The daemon is told, or not.
    if random.chance(0.8) { try host.applyRegions([id], of: database, at: reading) }
    note("region \(id)")
  }

  private mutating func machine() throws {
    let event: MachineEvent =
      switch random.unit() {
      case ..<0.3: .lock
      case ..<0.6: .unlock
      case ..<0.8: .memoryPressure([.none, .warning, .critical].randomElement(using: &random) ?? .none)
      default: .lowPower(random.chance(0.5))
      }
    note("machine: \(event)")
    try host.handle(.machine(event), at: reading)
  }

  // MARK: - Faults

  private mutating func toggleDisk() throws {
    isFull.toggle()
    if isFull { fullDisks += 1 }
    note(isFull ? "the disk is full" : "the disk has room")
    try limitPages(isFull)
  }

  private func limitPages(_ isFull: Bool) throws {
    try database.write(durably: false) { database in
      let pages = isFull ? try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0 : 1_073_741_823
      try database.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
  }

  /// The daemon ends at once; what was not committed is gone, and so are its programs, orders and reports.
  private mutating func kill() throws {
    kills += 1
    note("kill")
    try restart(at: copy(logBytes: nil))
  }

  /// As a kill, and the disk keeps only what was synced, and some of the rest.
  private mutating func losePower() throws {
    guard let toldLogBytes else { return }
    let log = size(path + "-wal")
    guard log >= toldLogBytes else { return }
    powerLosses += 1
    let kept = Int.random(in: toldLogBytes...log, using: &random)
    note("loss of power: \(kept) of \(log) bytes of the log are left")
    try restart(at: copy(logBytes: kept))
  }

  private func size(_ path: String) -> Int { StatePath.status(path).map { Int($0.st_size) } ?? 0 }

  /// The files as they are now, elsewhere.
  private mutating func copy(logBytes: Int?) throws -> String {
    generation += 1
    let copy = folder("s\(generation).db")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    if FileManager.default.fileExists(atPath: path + "-wal") {
      let log = try Data(contentsOf: URL(filePath: path + "-wal"))
      try log.prefix(logBytes ?? log.count).write(to: URL(filePath: copy + "-wal"))
    }
    return copy
  }

  private mutating func restart(at copy: String) throws {
    path = copy
    database = try StateDatabase.open(path: copy)
    isFull = false
    orders = []
    reports = []
    for name in programs.keys { programs[name] = Program() }
    host = try DaemonHost(
      database, configuration: Self.configuration, retention: Retention(), timing: .clock)
    // The engine is one that was stored, and none from before somebody was told.
    let row = try database.journalEnd().number
    guard let expected = stored[row] else { throw violation("row \(row) is the end of no transaction") }
    guard row >= toldRow else { throw violation("what followed from row \(toldRow) was told and is gone") }
    guard expected == host.engine.snapshot.hashValue else {
      throw violation("another engine after row \(row)")
    }
    for (id, line) in told where try database.event(id: id) == nil {
      throw violation("event \(id) was told and is gone: \(String(decoding: line, as: UTF8.self))")
    }
    stored = stored.filter { $0.key <= row }
    waiting = Dictionary(
      uniqueKeysWithValues: host.engine.subscribers.map { view in
        (view.subscriber.name, Set(view.waiting.map(\.event)))
      })
    unexplained = []
    toldLogBytes = nil
    for view in host.engine.subscribers where view.state != .notRunning {
      try host.handle(.subscriber(name: view.subscriber.name, .orphaned), at: reading)
    }
    try host.applyRegions(nil, of: database, at: reading)
  }

  // MARK: - Promises

  private mutating func commit() throws {
    try host.commit(at: reading)
    guard host.host.journal.trouble == nil else { return }
    let row = try database.journalEnd().number
    stored[row] = host.engine.snapshot.hashValue
    let work = host.host.ports.takeWork()
    let news = host.host.journal.takeNews()
    if !work.isEmpty || !news.isEmpty {
      toldRow = row
      toldLogBytes = size(path + "-wal")
    }
    for case .order(.deliver(let name, let event), let line) in work {
      guard told.updateValue(line, forKey: event) ?? line == line, !line.isEmpty else {
        throw violation("event \(event) is told in other words")
      }
      let view = host.engine.subscriber(name)
      let waits = view?.waiting.contains { $0.event == event } ?? false
      guard view?.subscriber.authorization != .denied || !waits else {
        throw violation("\(name) is handed event \(event), which it may not know")
      }
    }
    orders += work
  }

  /// What waits for somebody is acknowledged, dropped with a record, or still waits.
  private mutating func check() throws {
    for view in host.engine.subscribers {
      let name = view.subscriber.name
      let now = Set(view.waiting.map(\.event))
      unexplained += waiting[name, default: []].subtracting(now).sorted().map { (name, $0) }
      waiting[name] = now
    }
    guard host.host.journal.trouble == nil else { return }
    for (name, event) in unexplained {
      let decisions = try database.decisions(about: event).filter { $0["subscriber"]?.text(or: nil) == name }
      let isExplained = decisions.contains { decision in
        switch decision["action"]?.text(or: nil) {
        case "drop", "coalesce": true
        // What was handed to a running program by this rule is not kept when that leaves or ends.
        case "deliver": decision["rule"]?.text(or: nil) == "B2"
        default: false
        }
      }
      guard isExplained else {
        throw violation(
          "event \(event) waits for \(name) no more, and nothing says why: \(decisions.map(\.text))")
      }
    }
    unexplained = []
  }

  /// Everything is allowed and works: whatever waits arrives.
  private mutating func settle() throws {
    if isFull { try toggleDisk() }
    try host.handle(.machine(.unlock), at: reading)
    try host.handle(.machine(.memoryPressure(.none)), at: reading)
    for subscriber in Self.subscribers {
      try host.handle(.subscriber(name: subscriber.name, .authorization(.always)), at: reading)
      try host.handle(.subscriber(name: subscriber.name, .backgroundDelivery(true)), at: reading)
      try host.handle(.subscriber(name: subscriber.name, .stop(.standard)), at: reading)
      try openAndLeave(subscriber.name)
    }
    for step in 1...600 {
      second += 5
      // A standard update starts nobody: it waits until the user does.
      for view in host.engine.subscribers
      where step % 100 == 0 && view.state == .notRunning && !view.waiting.isEmpty {
        try openAndLeave(view.subscriber.name)
      }
      try host.advance(to: reading)
      try commit()
      try check()
      if host.engine.subscribers.allSatisfy({ $0.waiting.isEmpty }) { return }
      for work in orders { carryOut(work) }
      orders = []
      for name in programs.keys.sorted() where programs[name]?.state == .running {
        for event in programs[name]?.handed ?? [] {
          reports.append((name, .acknowledged(event: event, coreSeconds: 0)))
        }
        programs[name]?.handed = []
      }
      for report in reports {
        try host.handle(.subscriber(name: report.name, report.event), at: reading)
        if case .acknowledged(let event, _) = report.event { waiting[report.name]?.remove(event) }
      }
      reports = []
    }
    let left = try host.engine.subscribers.map { view in
      let decisions = try view.waiting.flatMap { try database.decisions(about: $0.event).map(\.text) }
      return "\(view.subscriber.name) \(view.state) \(view.waiting) \(decisions)"
    }
    throw violation("what waits does not arrive: \(left)")
  }

  // MARK: - Words

  private var reading: ClockReading {
    let utc = UTCTime(microseconds: Drive.instant(0).microseconds + Int64(second * 1e6))
    return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
  }

  private mutating func note(_ text: String) { log.append("\(second): \(text)") }

  /// The user starts a program and turns to another.
  private mutating func openAndLeave(_ name: String) throws {
    host.add(.userLaunch(name))
    try host.handle(.subscriber(name: name, .foreground), at: reading)
    try host.handle(.subscriber(name: name, .background), at: reading)
  }

  private func violation(_ text: String) -> Violation {
    Violation(description: "\(text); after \(log.suffix(12).joined(separator: "; "))")
  }
}

extension LiveHost where Journal == DatabaseJournal, Ports == DaemonPorts {
  /// What the daemon does when nobody waits: a snapshot now and then, and the log into the database.
  fileprivate mutating func tidyForTest(
    at reading: ClockReading, _ toldLogBytes: inout Int?, _ database: StateDatabase
  ) {
    guard host.journal.trouble == nil else { return }
    try? checkpoint(at: reading)
    database.checkpointLog()
    // SQLite may begin the log anew: its length says nothing any more.
    toldLogBytes = nil
  }
}

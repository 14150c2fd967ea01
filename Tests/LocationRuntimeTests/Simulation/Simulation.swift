import FoundationEssentials
import LocationCore
import TestSupport

@testable import LocationRuntime

/// A daemon's host and its state file in one process, with simulated time, disk, programs and faults: a seed chooses
/// what happens, and after each step the promises of Docs/Reliability.md are checked.
///
/// Real are the engine, its journal, the outbox and SQLite. Simulated are the clock, the disk, the supervisor and its
/// programs. Orders and reports come late, and those of different programs in any order; timers are missed; the
/// daemon ends at any write; a loss of power takes any sectors that were not synced; the disk is full; programs
/// crash, hang, or say what nobody asked them.
struct Simulation: ~Copyable {
  /// A program, as the simulated supervisor knows it.
  struct Program {
    enum State { case ended, running, suspended }
    var state = State.ended
    /// Events that it was handed and has not acknowledged, the oldest first.
    var handed: [Int] = []
  }

  /// Something that was broken.
  struct Violation: Error, CustomStringConvertible { var description: String }

  /// How the daemon is about to end.
  struct End {
    var isLossOfPower: Bool
    /// Steps until it ends in any case.
    var steps: Int
  }

  /// How often what happened.
  struct Counts {
    var kills = 0
    var powerLosses = 0
    var fullDisks = 0
    /// Events that programs were handed, also again.
    var deliveries = 0

    static func += (sum: inout Counts, counts: Counts) {
      sum.kills += counts.kills
      sum.powerLosses += counts.powerLosses
      sum.fullDisks += counts.fullDisks
      sum.deliveries += counts.deliveries
    }
  }

  /// What happened, for the message of a violation.
  private var log: [String] = []
  private(set) var isNoted = false
  var counts = Counts()

  var random: SeededRandom
  /// How much of the past is kept: more than comes, or little.
  let retention: Retention
  var disk: SimulatedDisk
  var database: StateDatabase
  var host: DaemonHost
  var second = 0.0
  var programs: [String: Program] = [:]
  /// Orders that the supervisor has not carried out, the oldest first.
  var orders: [(name: String, work: DaemonPorts.Work)] = []
  /// What programs said and the daemon has not read, the oldest first.
  var reports: [(name: String, event: SubscriberEvent)] = []
  var isFull = false
  var end: End?
  var promises = SimulationPromises()
  private var position = (east: 0.0, speed: 0.0)

  private static let configuration: EngineConfiguration = {
    var configuration = EngineConfiguration()
    configuration.sampling.mode = .continuous
    return configuration
  }()

  static let subscribers = [
    Subscriber(name: "all", services: .all, modes: .location),
    Subscriber(name: "regions", services: .regions),
    Subscriber(name: "visits", services: [.visits, .significantChange], authorization: .whenInUse),
  ]

  /// A daemon that has just begun, with three regions and three subscribers.
  private static func begun(seed: UInt64) throws -> Simulation {
    let disk = SimulatedDisk()
    let database = try StateDatabase.open(path: disk.path)
    var random = SeededRandom(seed, environment: nil)
    var retention = Retention()
    if random.chance(0.5) {
      retention.eventRows = 40
      retention.journalRows = 20
    }
    let host = try host(database, keeping: retention)
    var simulation = Simulation(random, retention, disk, database, host)
    simulation.promises.engines.insert(simulation.host.engine.snapshot.hashValue)
    try simulation.addSubscribers()
    try simulation.commit()
    return simulation
  }

  private init(
    _ random: SeededRandom, _ retention: Retention, _ disk: SimulatedDisk, _ database: StateDatabase,
    _ host: consuming DaemonHost
  ) {
    self.random = random
    self.retention = retention
    self.disk = disk
    self.database = database
    self.host = host
  }

  /// Opens the state file and begins a daemon on it.
  mutating func begin() throws {
    database = try StateDatabase.open(path: disk.path)
    host = try Self.host(database, keeping: retention)
  }

  private static func host(_ database: StateDatabase, keeping retention: Retention) throws -> DaemonHost {
    try DaemonHost(database, configuration: configuration, retention: retention, timing: .clock)
  }

  /// Adds the subscribers, as a daemon does that has never seen them.
  mutating func addSubscribers() throws {
    guard host.engine.subscribers.isEmpty else { return }
    for subscriber in Self.subscribers {
      programs[subscriber.name] = Program()
      try host.handle(.addSubscriber(subscriber, .notRunning), at: reading)
    }
    try host.handle(.machine(.unlock), at: reading)
  }

  // MARK: - Steps

  /// Lets 150 things happen, then lets everything come to rest.
  static func run(seed: UInt64) throws -> Counts {
    do { return try run(seed: seed, isNoted: false) } catch {
      // What led to it takes too long to note each time.
      return try run(seed: seed, isNoted: true)
    }
  }

  private static func run(seed: UInt64, isNoted: Bool) throws -> Counts {
    var simulation = try begun(seed: seed)
    simulation.isNoted = isNoted
    for _ in 0..<150 {
      try simulation.step()
      try simulation.check()
    }
    try simulation.settle()
    return simulation.counts
  }

  private mutating func step() throws {
    second += random.chance(0.1) ? random.uniform(in: 10...400) : random.uniform(in: 0...5)
    if let end, end.steps == 0 || disk.isStopped {
      try restart()
    } else {
      end?.steps -= 1
      try happen()
    }
    // A timer that is missed fires with the next event.
    if random.chance(0.9) { try host.advance(to: reading) }
    try commit()
  }

  private mutating func happen() throws {
    switch random.unit() {
    case ..<0.42: try fix()
    case ..<0.57: carryOut()
    case ..<0.72: speak()
    case ..<0.80: try read()
    case ..<0.88: try user()
    case ..<0.91: try machine()
    case ..<0.94: toggleDisk()
    case ..<0.955: host.tidyForTest(at: reading, database)
    case ..<0.985: endSoon(isLossOfPower: false)
    default: endSoon(isLossOfPower: true)
    }
  }

  private mutating func fix() throws {
    if random.chance(0.2) { position.speed = random.uniform(in: -30...30) }
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      second += 1
      position.east = max(-1500, min(1500, position.east + position.speed))
      try host.handle(.fix(report()), at: reading)
    }
    if isNoted { note("fix at \(position.east)") }
  }

  private mutating func report() -> FixReport {
    FixReport(
      time: reading.utc, latitude: 48, longitude: 11 + (position.east + random.normal(sigma: 3)) / 74_600,
      accuracy: Accuracy(radiusMeters: 5, source: .reported))
  }

  private mutating func machine() throws {
    let event: MachineEvent =
      switch random.unit() {
      case ..<0.3: .lock
      case ..<0.6: .unlock
      case ..<0.8: .memoryPressure([.none, .warning, .critical].randomElement(using: &random) ?? .none)
      default: .lowPower(random.chance(0.5))
      }
    if isNoted { note("machine: \(event)") }
    try host.handle(.machine(event), at: reading)
  }

  // MARK: - Words

  var reading: ClockReading {
    let utc = UTCTime(microseconds: Drive.instant(0).microseconds + Int64(second * 1e6))
    return ClockReading(instant: EngineInstant(microseconds: utc.microseconds), utc: utc)
  }

  mutating func note(_ text: String) { log.append("\(second): \(text)") }

  func violation(_ text: String) -> Violation {
    Violation(description: "\(text); after \(log.suffix(12).joined(separator: "; "))")
  }
}

extension LiveHost where Journal == DatabaseJournal, Ports == DaemonPorts {
  /// What the daemon does when nobody waits: a snapshot now and then, and the log into the database.
  fileprivate mutating func tidyForTest(at reading: ClockReading, _ database: StateDatabase) {
    guard host.journal.trouble == nil else { return }
    try? checkpoint(at: reading)
    database.checkpointLog()
  }
}

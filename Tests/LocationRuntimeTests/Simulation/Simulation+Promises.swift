import GRDB
import LocationCore
import LocationFormats

@testable import LocationRuntime

/// What was promised to whom, as far as the next check needs it.
struct SimulationPromises {
  /// An event, and who was handed it.
  struct Handed: Hashable {
    var name: String
    var event: Int
  }

  /// The line that an id was handed over with: it never becomes another.
  var told: [Int: [UInt8]] = [:]
  /// The engines that may come back: that of the commit after which somebody was last told, and those since, also if
  /// the disk failed when it had taken them.
  var engines: Set<Int> = []
  /// Events that wait for somebody, as last seen.
  var waiting: [String: Set<Int>] = [:]
  /// Events that were handed to running programs and are not kept when those leave or end (rule B2).
  var passing: Set<Handed> = []
  /// Up to which decisions are noted in it.
  var learnedID = 0
  /// Events that nobody waits for any more, whose reason is not stored yet.
  var unexplained: [Handed] = []

  /// The engine is one that was stored, and none from before somebody was told.
  ///
  /// - Parameter keepsAll: whether no event is too old to be kept; otherwise those are kept that somebody waits for.
  mutating func checkRestart(
    _ database: StateDatabase, _ engine: borrowing Engine, keepsAll: Bool
  ) throws {
    let restored = engine.snapshot.hashValue
    guard engines.contains(restored) else {
      throw Simulation.Violation(
        description:
          "the engine of row \(try database.read { try StateDatabase.lastJournalNumber($0) }) is none since somebody was last told"
      )
    }
    let needed = Set(engine.subscribers.flatMap { $0.waiting.map(\.event) })
    let lines = try database.lines()
    for (id, line) in told where lines[id] != line {
      if lines[id] == nil, !keepsAll, !needed.contains(id) { continue }
      throw Simulation.Violation(
        description: "event \(id) was told and is gone: \(String(decoding: line, as: UTF8.self))")
    }
    for id in needed where lines[id] == nil {
      throw Simulation.Violation(description: "event \(id) is waited for and is gone")
    }
    try learn(lines)
    learnedID = lines.keys.max() ?? 0
    let outbox = try database.outbox()
    for view in engine.subscribers {
      let entries = outbox[view.subscriber.name] ?? []
      guard Set(entries) == Set(view.waiting) else {
        throw Simulation.Violation(
          description: "the stored outbox is another: \(entries), not \(view.waiting)")
      }
    }
    // Nobody was told of it yet. A row of before that was lost may come back: where a later write that is lost in part
    // mends the sector of the log that it lacked.
    engines.insert(restored)
    waiting = Dictionary(
      uniqueKeysWithValues: engine.subscribers.map { view in
        (view.subscriber.name, Set(view.waiting.map(\.event)))
      })
    unexplained = []
  }

  /// Takes note of decisions, before they are too old to be kept.
  mutating func learn(_ news: [EventNews], _ database: StateDatabase) throws {
    guard let newest = news.last?.newest else { return }
    // Of a great many at once there is only the number.
    if news.contains(where: \.lines.isEmpty) {
      try learn(try database.lines())
    } else {
      for line in news.flatMap({ $0.lines.split(separator: UInt8(ascii: "\n")) }) { try learn(line) }
    }
    learnedID = newest
  }

  private mutating func learn(_ lines: [Int: [UInt8]]) throws {
    for (id, line) in lines where id > learnedID { try learn(line[...]) }
  }

  private mutating func learn(_ line: ArraySlice<UInt8>) throws {
    guard String(decoding: line, as: UTF8.self).contains("\"rule\":\"B2\"") else { return }
    let record = try JSONTree(Array(line))
    guard record["action"]?.string == "deliver", let name = record["subscriber"]?.string,
      let event = record["event"]?.integer
    else { return }
    passing.insert(Handed(name: name, event: event))
  }
}

extension StateDatabase {
  /// The lines of all events, as they are handed over.
  fileprivate func lines() throws -> [Int: [UInt8]] {
    try read("events") { database in
      var lines: [Int: [UInt8]] = [:]
      let rows = try Row.fetchCursor(database, sql: "SELECT id, seq, line FROM events")
      while let row = try rows.next() {
        lines[row[0]] = Array(Self.eventLine(seq: row[1], row[2]).utf8)
      }
      return lines
    }
  }
}

extension Simulation {
  mutating func commit() throws {
    try host.commit(at: reading)
    let engine = host.engine.snapshot.hashValue
    promises.engines.insert(engine)
    guard host.host.journal.trouble == nil, !disk.isStopped else { return }
    let work = host.host.ports.takeWork()
    let news = host.host.journal.takeNews()
    try promises.learn(news, database)
    if !work.isEmpty || !news.isEmpty { promises.engines = [engine] }
    for case .order(.deliver(let name, let event, _), let line) in work {
      guard promises.told.updateValue(line, forKey: event) ?? line == line, !line.isEmpty else {
        throw violation("event \(event) is told in other words")
      }
      let view = host.engine.subscriber(name)
      let waits = view?.waiting.contains { $0.event == event } ?? false
      guard view?.subscriber.authorization != .denied || !waits else {
        throw violation("\(name) is handed event \(event), which it may not know")
      }
    }
    orders += work.map { ($0.name, $0) }
  }

  /// What waits for somebody is acknowledged, dropped with a record, or still waits.
  mutating func check() throws {
    for view in host.engine.subscribers {
      let name = view.subscriber.name
      let now = Set(view.waiting.map(\.event))
      let gone = promises.waiting[name, default: []].subtracting(now)
      promises.unexplained += gone.sorted().map { SimulationPromises.Handed(name: name, event: $0) }
      promises.waiting[name] = now
    }
    guard host.host.journal.trouble == nil, !disk.isStopped else { return }
    for handed in promises.unexplained where !promises.passing.contains(handed) {
      let decisions = try database.decisions(about: handed.event).filter {
        $0["subscriber"]?.string == handed.name
      }
      guard decisions.contains(where: { ["drop", "coalesce"].contains($0["action"]?.string) }) else {
        throw violation(
          "event \(handed.event) waits for \(handed.name) no more, and nothing says why: \(decisions.map(\.text))"
        )
      }
    }
    promises.unexplained = []
  }

  /// Everything is allowed and works: whatever waits arrives.
  mutating func settle() throws {
    if end != nil { try restart() }
    end = nil
    disk.stop(afterWrites: nil)
    disk.limit(bytes: nil)
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
      for (_, work) in orders { carryOut(work) }
      orders = []
      for name in programs.keys.sorted() where programs[name]?.state == .running {
        for event in programs[name]?.handed ?? [] {
          reports.append((name, .acknowledged(event: event, coreSeconds: 0)))
        }
        programs[name]?.handed = []
      }
      for report in reports { try handle(report) }
      reports = []
    }
    let left = try host.engine.subscribers.map { view in
      let decisions = try view.waiting.flatMap { try database.decisions(about: $0.event).map(\.text) }
      return "\(view.subscriber.name) \(view.state) \(view.waiting) \(decisions)"
    }
    throw violation("what waits does not arrive: \(left)")
  }
}

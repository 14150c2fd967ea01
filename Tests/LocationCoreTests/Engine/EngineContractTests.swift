import LocationCore
import TestSupport
import Testing

/// The clauses of the engine's contract, one test each, on a drive with everything in it.
@Suite struct EngineContractTests {
  /// Two hours that move, rest, break off, jump and shake, with programs that come and go.
  static func drive(seed: UInt64, shift: Double = 0) -> Drive {
    var random = SeededRandom(seed)
    var drive = Drive()
    drive.add(shift, .addSubscriber(Subscriber(name: "logger"), .suspended))
    drive.add(shift, .addSubscriber(Subscriber(name: "closed", authorization: .whenInUse), .suspended))
    let home = Region(id: "home", shape: .circle(center: Drive.origin, radiusMeters: 150))
    drive.add(shift, .addRegion(home))
    var east = 0.0
    var time = shift
    for index in 0..<400 {
      time += Double.random(in: 1...20, using: &random)
      east += Double.random(in: -60...140, using: &random)
      let jump = index % 37 == 36 ? 30_000.0 : 0
      drive.fix(time, east: east + jump, accuracy: Double.random(in: 2...40, using: &random))
      switch index % 50 {
      case 10: drive.add(time, .segmentBreak)
      case 5: drive.add(time, .source(.found(name: "gpsd")))
      case 12: drive.add(time, .source(.stale(.noFix, seconds: 30)))
      case 13: drive.add(time, .source(.switched(to: "/dev/b")))
      case 14: drive.add(time, .source(.dropped(reports: 7, seconds: 20)))
      case 15: drive.add(time, .source(.stale(.lost, seconds: 1)))
      case 20: drive.add(time + 0.5, .subscriber(name: "logger", .quit))
      case 25: drive.add(time + 0.5, .subscriber(name: "logger", .foreground))
      case 30: drive.add(time + 0.5, .subscriber(name: "logger", .background))
      case 40: drive.add(time + 0.5, .machine(.reboot))
      case 45: drive.add(time + 0.5, .machine(.memoryPressure(.critical)))
      default: break
      }
    }
    drive.add(time, .end)
    return drive
  }

  @Test(arguments: [FixReport].strange) func anyReportInAnyStateReturns(_ report: FixReport) {
    var engine = Engine()
    var effects: [Effect] = []
    for seconds in [0.0, 1, 2] {
      engine.handle(Stamped(at: Drive.instant(seconds), .fix(report)), into: &effects)
      engine.handle(Stamped(at: Drive.instant(seconds), .fix(Drive.report(seconds, east: 0))), into: &effects)
    }
    let tally = engine.tally
    let refused = RejectReason.allCases.map { tally.rejected(for: $0) }.reduce(0, +)
    #expect(tally.accepted + refused == tally.fixes)
    #expect(tally.fixes == 6)
  }

  @Test func `records come in the order of their ids, also where the source's clock moves`() {
    var configuration = EngineConfiguration()
    configuration.explains = true
    var engine = Engine(configuration: configuration)
    var effects: [Effect] = []
    for index in 0..<30 {
      // After half of them it is five hours earlier.
      let report = Drive.report(Double(index) - (index < 15 ? 0 : 18_000), east: 0)
      let instant = engine.instant(ofReplayed: report)
      engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
    }
    let records = effects.records
    #expect(records.contains { $0.type == "clock" })
    #expect(records.map(\.id) == records.map(\.id).sorted())
  }

  @Test func `what is recorded before anything has a time is dated 1970`() {
    var configuration = EngineConfiguration()
    configuration.explains = true
    var engine = Engine(configuration: configuration)
    var effects: [Effect] = []
    var report = Drive.report(0, east: 0)
    report.time = nil
    let instant = engine.instant(ofReplayed: report)
    engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
    engine.handle(Stamped(at: instant, .removeSubscriber(name: "a")), into: &effects)
    engine.handle(Stamped(at: instant, .subscriber(name: "a", .done)), into: &effects)
    #expect(effects.records.map(\.type) == ["fix.rejected", "refused"])
    #expect(effects.records.allSatisfy { $0.time == UTCTime(microseconds: 0) })
  }

  @Test func anyEventAboutAStrangerIsRefusedByName() {
    let all: [SubscriberEvent] = [
      .foreground, .background, .quit, .exited(status: 1), .acknowledged(event: 7, coreSeconds: 1),
      .beginTask(name: "x"), .endTask(token: 3), .authorization(.denied),
    ]
    for event in all {
      var engine = Engine()
      var effects: [Effect] = []
      engine.handle(Stamped(at: Drive.instant(0), .subscriber(name: "nobody", event)), into: &effects)
      let bodies = effects.records.map(\.body)
      #expect(bodies == [.refused(what: "subscriber nobody", reason: "no such subscriber")])
    }
  }

  @Test func aStampBeforeTheLastIsTakenAsEqualToIt() {
    var ordered = Drive()
    var reversed = Drive()
    ordered.fix(0, east: 0)
    ordered.add(100, .segmentBreak)
    ordered.add(100, .fix(Drive.report(101, east: 900)))
    reversed.fix(0, east: 0)
    reversed.add(100, .segmentBreak)
    reversed.add(40, .fix(Drive.report(101, east: 900)))
    #expect(ordered.effects() == reversed.effects())
  }

  @Test(arguments: [3.0, 86_400, 1e8]) func shiftingAllTimesShiftsEveryRecordAndChangesNothingElse(
    _ shift: Double
  ) {
    let plain = Self.drive(seed: 1).effects()
    let shifted = Self.drive(seed: 1, shift: shift).effects()
    #expect(plain.count == shifted.count)
    #expect(plain.records.map(\.id) == shifted.records.map(\.id))
    #expect(plain.orders.map(Self.withoutTimes) == shifted.orders.map(Self.withoutTimes))
    let differences = zip(plain.records, shifted.records).map { $0.time.seconds(to: $1.time) }
    #expect(differences.allSatisfy { abs($0 - shift) < 1e-5 })
  }

  @Test(arguments: [UInt64](1...5)) func callsToAdvanceAnywhereChangeNothing(_ seed: UInt64) {
    let drive = Self.drive(seed: seed)
    var random = SeededRandom(seed)
    var engine = Engine()
    var effects: [Effect] = []
    var last = drive.events[0].at
    for event in drive.events {
      let gap = last.seconds(to: event.at)
      for part in [0.1, 0.5, Double.random(in: 0...1, using: &random), 1] {
        engine.advance(to: last.advanced(bySeconds: gap * part), into: &effects)
      }
      engine.handle(event, into: &effects)
      last = event.at
    }
    #expect(effects == drive.effects())
  }

  @Test func deadlinesFireInOrderEachAtItsOwnInstant() {
    var engine = Engine()
    var effects: [Effect] = []
    engine.handle(
      Stamped(at: Drive.instant(0), .addSubscriber(Subscriber(name: "a"), .notRunning)), into: &effects)
    engine.handle(Stamped(at: Drive.instant(0), .fix(Drive.report(0, east: 0))), into: &effects)
    engine.handle(Stamped(at: Drive.instant(100), .fix(Drive.report(100, east: 2000))), into: &effects)
    effects = []
    // Nobody looked for an hour: the window ended at 300 s, the unacknowledged wake's budget before that.
    engine.advance(to: Drive.instant(3600), into: &effects)
    let times = effects.records.compactMap(\.time)
    #expect(times == times.sorted())
    #expect(effects.changes.map(\.instant) == [Drive.instant(300)])
    // Nobody acknowledges anything: each start is overrun, tried again later, and throttled in the end.
    #expect(effects.decisions.first?.rule == .overrun)
    #expect(Set(effects.decisions.map(\.action)).isSuperset(of: [.terminate, .relaunch, .throttle]))
    #expect(engine.nextDeadline.map { $0 > Drive.instant(3600) } == true)
  }

  @Test func idsRiseAndAreTheSameInEveryRun() {
    let ids = Self.drive(seed: 3).effects().records.map(\.id)
    #expect(ids == Self.drive(seed: 3).effects().records.map(\.id))
    #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func aDeliveryThatNobodyAcknowledgesHasADeadline() {
    var engine = Engine()
    var effects: [Effect] = []
    engine.handle(
      Stamped(at: Drive.instant(0), .addSubscriber(Subscriber(name: "a"), .suspended)), into: &effects)
    engine.handle(Stamped(at: Drive.instant(0), .fix(Drive.report(0, east: 0))), into: &effects)
    #expect(engine.subscriberState("a") == .background)
    #expect(engine.nextDeadline == Drive.instant(10))
  }

  @Test func theOutboxIsBoundedAndSaysSo() {
    var engine = Engine()
    var effects: [Effect] = []
    let subscriber = Subscriber(name: "a", backgroundDelivery: false)
    engine.handle(Stamped(at: Drive.instant(0), .addSubscriber(subscriber, .notRunning)), into: &effects)
    for index in 0...Limits.outbox {
      let seconds = Double(index) * 301
      engine.handle(
        Stamped(at: Drive.instant(seconds), .fix(Drive.report(seconds, east: index % 2 == 0 ? 0 : 1000))),
        into: &effects)
    }
    #expect(effects.decisions.filter { $0.action == .defer }.count == Limits.outbox)
    #expect(effects.decisions.last?.action == .drop)
    #expect(effects.decisions.last?.reason == .outboxFull)
  }

  @Test(arguments: [UInt64](1...3)) func aSnapshotAtAnyPointIsInvisible(_ seed: UInt64) throws {
    let drive = Self.drive(seed: seed)
    let whole = drive.effects()
    for cut in stride(from: 0, through: drive.events.count, by: 13) {
      var engine = Engine()
      var effects: [Effect] = []
      for event in drive.events[..<cut] { engine.handle(event, into: &effects) }
      var restored = try Engine(restoring: engine.snapshot)
      #expect(restored.snapshot == engine.snapshot)
      for event in drive.events[cut...] { restored.handle(event, into: &effects) }
      #expect(effects == whole, "cut at \(cut), seed \(seed)")
    }
  }

  @Test(arguments: [UInt64](1...3)) func whatIsToldOfTheOutboxIsWhatWaits(_ seed: UInt64) {
    var engine = Engine()
    var random = SeededRandom(seed)
    var told: [String: [Int: Bool]] = [:]
    var changes: Set<String> = []
    for event in Self.drive(seed: seed).events {
      var effects: [Effect] = []
      engine.handle(event, into: &effects)
      for case .perform(.deliver(let name, let id, _)) in effects where Bool.random(using: &random) {
        let answer = SubscriberEvent.acknowledged(event: id, coreSeconds: 0.01)
        engine.handle(Stamped(at: event.at, .subscriber(name: name, answer)), into: &effects)
      }
      for case .outbox(let change) in effects {
        switch change {
        case .put(let name, let id, let isHanded):
          told[name, default: [:]][id] = isHanded
          changes.insert(isHanded ? "handed" : "waiting")
        case .remove(let name, let id):
          #expect(told[name]?.removeValue(forKey: id) != nil)
          changes.insert("removed")
        case .removeAll(let name): told[name] = nil
        }
      }
      for view in engine.subscribers {
        let waiting = Dictionary(uniqueKeysWithValues: view.waiting.map { ($0.event, $0.isHanded) })
        #expect(told[view.subscriber.name] ?? [:] == waiting, "\(event), seed \(seed)")
      }
    }
    #expect(changes == ["handed", "waiting", "removed"], "seed \(seed)")
    var effects: [Effect] = []
    let last = engine.instant
    engine.handle(Stamped(at: last, .removeSubscriber(name: "logger")), into: &effects)
    engine.handle(Stamped(at: last, .removeSubscriber(name: "logger")), into: &effects)
    #expect(effects == [.outbox(.removeAll(subscriber: "logger"))])
  }

  @Test(arguments: [UInt64](1...3)) func aFixTwiceAndALateCopyChangeNothing(_ seed: UInt64) {
    var drive = Self.drive(seed: seed)
    let plain = drive.effects().records.filter { if case .power = $0.body { false } else { true } }
    var repeated: [Stamped] = []
    var old: Stamped?
    for event in drive.events {
      repeated.append(event)
      guard case .fix = event.event else { continue }
      repeated.append(event)
      if let old { repeated.append(Stamped(at: event.at, old.event)) }
      if repeated.count % 7 == 0 { old = event }
    }
    drive.events = repeated
    let again = drive.effects().records.filter { if case .power = $0.body { false } else { true } }
    #expect(plain.map(Self.withoutIDs) == again.map(Self.withoutIDs))
  }

  private static func withoutTimes(_ order: Order) -> String {
    switch order {
    case .wake(let name, let launch), .relaunch(let name, let launch), .open(let name, let launch):
      "\(name) \(launch.cause) \(launch.event)"
    case .deliver, .suspend, .warn, .announce, .refuse, .terminate, .notify, .keep, .audio, .transfer,
      .accessory, .advertise:
      "\(order)"
    }
  }

  private static func withoutIDs(_ record: Record) -> String {
    var copy = record
    copy.id = 0
    if case .decision(var decision) = copy.body {
      decision.event = nil
      copy.body = .decision(decision)
    }
    return "\(copy)"
  }
}

extension [FixReport] {
  /// Reports no receiver should send, and some do.
  static let strange: [FixReport] = [
    FixReport(time: nil, latitude: 48, longitude: 11, accuracy: .assumed(.unknown)),
    FixReport(time: UTCTime(microseconds: .min), latitude: 48, longitude: 11, accuracy: .assumed(.unknown)),
    FixReport(time: UTCTime(microseconds: .max), latitude: 48, longitude: 11, accuracy: .assumed(.unknown)),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch), latitude: .nan, longitude: .infinity,
      accuracy: .assumed(.unknown)),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch), latitude: 91, longitude: 0, accuracy: .assumed(.unknown)),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch), latitude: 0, longitude: 0, accuracy: .assumed(.unknown)),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch + 500_000), latitude: 214.7483647, longitude: 214.7483647,
      accuracy: .assumed(.unknown)),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch + 500_000), latitude: 48, longitude: 11,
      accuracy: Accuracy(radiusMeters: .nan, source: .reported)),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch + 500_000), latitude: 48, longitude: 11,
      accuracy: Accuracy(radiusMeters: -1, source: .reported), speedMetersPerSecond: -1, courseDegrees: .nan),
    FixReport(
      time: UTCTime(microseconds: Drive.epoch + 500_000), latitude: -90, longitude: 180,
      accuracy: Accuracy(radiusMeters: 1e300, source: .reported)),
  ]
}

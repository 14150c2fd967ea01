import TestSupport
import Testing

@testable import LocationCore

private typealias Fixture = PowerFixture

/// What holds of every bill, whatever happened.
@Suite struct PowerLedgerTests {
  /// Something that is booked.
  private enum Step {
    case receiver(PowerLedger.Receiver)
    case users([String])
    case running([String])
    case motion([String])
    case network
    case transfer(String, Double)
    case run(String, Double)
    case relaunch(String)
  }

  private static let names = ["a", "b", "c"]

  /// A day of changes at random instants, in order.
  private static func day(_ random: inout SeededRandom, steps: Int = 60) -> [(seconds: Double, Step)] {
    var seconds = 0.0
    return (0..<steps).map { _ in
      seconds += random.chance(0.2) ? 0 : random.uniform(in: 0...40)
      let some = names.filter { _ in random.chance(0.5) }
      let one = names[Int(random.uniform(in: 0...2.99))]
      let step: Step =
        switch Int(random.uniform(in: 0...12.99)) {
        case 0: .receiver(.off)
        case 1: .receiver(.acquiring)
        case 2: .receiver(.tracking)
        case 3: .receiver(.trackingWeak)
        case 4: .receiver(.trackingStrong)
        case 5: .receiver(.powerSaving)
        case 6: .users(some)
        case 7: .running(some)
        case 8: .motion(some)
        case 9: .network
        case 10: .transfer(one, random.uniform(in: 0...5))
        case 11: .run(one, random.uniform(in: 0...1))
        default: .relaunch(one)
        }
      return (seconds, step)
    }
  }

  private static func perform(_ step: Step, _ ledger: inout PowerLedger, at instant: EngineInstant) {
    func users(_ names: [String]) -> [ReceiverUser] { names.map { Fixture.user($0) } }
    switch step {
    case .receiver(let state): ledger.setReceiver(state, at: instant)
    case .users(let names): ledger.setUsers(users(names), at: instant)
    case .running(let names): ledger.setRunning(users(names), at: instant)
    case .motion(let names): ledger.setMotionUsers(users(names), at: instant)
    case .network: ledger.noteNetworkFix(at: instant)
    case .transfer(let name, let seconds):
      ledger.addTransfer(name, kilobytes: seconds * 3, seconds: seconds, rule: .regions, at: instant)
    case .run(let name, let seconds): ledger.addRun(name, coreSeconds: seconds, rule: .regions)
    case .relaunch(let name): ledger.addRelaunch(name, rule: .regions)
    }
  }

  /// Books a day; with `readings` the ledger is settled and read at that many further instants.
  private static func book(
    _ day: [(seconds: Double, Step)], _ profile: PowerProfile, sharing: PowerSharing = .equal,
    readings: Int = 0, _ random: inout SeededRandom
  ) -> PowerLedger {
    var ledger = PowerLedger(profile: profile, sharing: sharing)
    ledger.settle(at: Fixture.at(0))
    var last = 0.0
    for (seconds, step) in day {
      for place in (0..<readings).map({ _ in random.unit() }).sorted() {
        ledger.settle(at: Fixture.at(last + (seconds - last) * place))
        _ = ledger.joules
      }
      perform(step, &ledger, at: Fixture.at(seconds))
      last = seconds
    }
    ledger.settle(at: Fixture.at(last + 5))
    return ledger
  }

  @Test(arguments: [UInt64](1...8), PowerSharing.allCases)
  func sharesSumToWhatWasUsed(_ seed: UInt64, _ sharing: PowerSharing) {
    var random = SeededRandom(seed)
    let ledger = Self.book(Self.day(&random), Fixture.full, sharing: sharing, &random)
    let total = ledger.use.joules(under: Fixture.full)
    #expect(total > 0)
    #expect(abs(ledger.joules - total) <= 1e-9 * total, "\(random)")
    let bySubscriber = (Self.names + [PowerLedger.shared]).reduce(0) { $0 + ledger.joules(of: $1) }
    #expect(abs(bySubscriber - total) <= 1e-9 * total, "\(random)")
  }

  @Test func `a bill that begins before anything has happened counts from the first event`() {
    var ledger = PowerLedger(profile: Fixture.full)
    ledger.beginBill(at: .distantPast)
    ledger.settle(at: Fixture.at(0))
    ledger.setUsers([Fixture.user("a")], at: Fixture.at(0))
    Self.perform(.receiver(.tracking), &ledger, at: Fixture.at(0))
    ledger.settle(at: Fixture.at(10))
    #expect(ledger.seconds(.receiverTracking) == 10 && ledger.seconds(.receiverBackup) == 0)
  }

  @Test(arguments: [UInt64](1...8)) func readingInBetweenChangesNothing(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let day = Self.day(&random)
    let plain = Self.book(day, Fixture.full, &random)
    let read = Self.book(day, Fixture.full, readings: 3, &random)
    #expect(plain == read, "\(random)")
  }

  @Test(arguments: [UInt64](1...8)) func energyIsAdditiveOverASplitInTime(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let day = Self.day(&random)
    let whole = Self.book(day, Fixture.full, &random)
    // Read before and after any instant: the difference and what was before are the whole.
    for cut in [0, day.count / 3, day.count / 2, day.count - 1] {
      var ledger = PowerLedger(profile: Fixture.full)
      ledger.settle(at: Fixture.at(0))
      for (seconds, step) in day[..<cut] { Self.perform(step, &ledger, at: Fixture.at(seconds)) }
      let before = ledger.use
      var after = whole.use
      for term in PowerTerm.allCases { after[term] -= before[term] }
      let joules = before.joules(under: Fixture.full) + after.joules(under: Fixture.full)
      #expect(abs(joules - whole.joules) <= 1e-9 * whole.joules, "\(random)")
      #expect(PowerTerm.allCases.allSatisfy { after[$0] >= -1e-9 }, "\(random)")
    }
  }

  @Test(arguments: PowerParameter.allCases) func moreOfAnyParameterIsNeverLessEnergy(
    _ parameter: PowerParameter
  ) {
    for seed in [UInt64](1...3) {
      var random = SeededRandom(seed)
      let day = Self.day(&random)
      var last = -1.0
      for factor in [0.0, 0.5, 1, 2, 10] {
        var profile = Fixture.full
        // Searching draws more than tracking, and backup less, as in every profile that comes with the program.
        profile[.receiverAcquire].value = 60
        profile[.receiverBackup].value = 0.1
        profile[parameter].value *= factor
        let joules = Self.book(day, profile, &random).use.joules(under: profile)
        switch parameter {
        // More of these is less of another cost: fresher orbits, a machine not yet awake, fewer promotions.
        case .hotWindow, .wakeTime, .radioPromotionTime, .radioTailTime: break
        // None of it is a scan and a reading for each fix instead.
        case .networkLocation where factor == 0: continue
        default: #expect(joules >= last - 1e-9, "\(parameter) x \(factor) \(random)")
        }
        last = joules
      }
    }
  }

  @Test(arguments: [UInt64](1...8)) func noStateLastsLongerThanTheRunHoweverManyNeedIt(_ seed: UInt64) {
    var random = SeededRandom(seed)
    let day = Self.day(&random)
    let ledger = Self.book(day, Fixture.full, &random)
    // To the microsecond.
    let run = (day.last?.seconds ?? 0) + 5 + 1e-6
    let use = ledger.use
    let receiver = PowerTerm.allCases.filter(\.isReceiverOn).reduce(0) { $0 + use[$1] } + use[.backup]
    #expect(abs(receiver - run) < 1e-5, "\(random)")
    for term in [PowerTerm.awake, .motion, .networkLocation] {
      #expect(use[term] <= run, "\(term) \(random)")
    }
    #expect(use[.radioActive] + use[.radioTail] <= run, "\(random)")
  }

  @Test func `L2 two who need the receiver pay half each`() {
    let profile = Fixture.profile([.receiverTrackStrong: 100, .receiverTrackWeak: 100])
    var ledger = Fixture.ledger(profile, ["a"])
    ledger.setReceiver(.trackingStrong, at: Fixture.at(0))
    ledger.setUsers([Fixture.user("a"), Fixture.user("b")], at: Fixture.at(100))
    ledger.setUsers([Fixture.user("b")], at: Fixture.at(200))
    ledger.settle(at: Fixture.at(300))
    #expect(abs(ledger.joules(of: "a") - 15) < 1e-9)
    #expect(abs(ledger.joules(of: "b") - 15) < 1e-9)
    #expect(ledger.receiverOnSeconds == 300)
  }

  /// Who sends from when, for how long, and the seconds of sending and of the tail that each pays for.
  @Test(
    arguments: [
      ([("b", 0, 1000), ("a", 0, 2)], ["a": (1, 0), "b": (999, 10)]),
      ([("a", 0, 20), ("b", 20, 20)], ["a": (20, 0), "b": (20, 10)]),
      ([("a", 0, 20), ("b", 10, 20)], ["a": (15, 0), "b": (15, 10)]),
      ([("a", 0, 20), ("b", 0, 20)], ["a": (10, 5), "b": (10, 5)]),
      ([("a", 0, 20), ("b", 25, 20)], ["a": (20, 5), "b": (20, 10)]),
      ([("a", 0, 20), ("b", 5, 5), ("a", 6, 2)], ["a": (17.5, 10), "b": (2.5, 0)]),
    ] as [([(name: String, at: Double, seconds: Double)], [String: (Double, Double)])])
  func whoSendsPaysForItsOwnSeconds(
    _ transfers: [(name: String, at: Double, seconds: Double)], _ shares: [String: (Double, Double)]
  ) {
    let profile = Fixture.profile([.radioTail: 1000, .radioTailTime: 10])
    var ledger = Fixture.ledger(profile, [])
    for transfer in transfers {
      ledger.addTransfer(
        transfer.name, kilobytes: 0, seconds: transfer.seconds, rule: .regions, at: Fixture.at(transfer.at))
    }
    ledger.settle(at: Fixture.at(2000))
    for (name, (active, tail)) in shares {
      let own = ledger.entries.filter { $0.subscriber == name }
      #expect(own.first { $0.component == .radioActive }?.seconds ?? 0 == active, "\(name)")
      #expect(own.first { $0.component == .radioTail }?.seconds ?? 0 == tail, "\(name)")
    }
  }

  /// Who sends from each instant on, and the seconds of the radio that each pays: active, and in its tail.
  @Test(
    arguments: [
      ([(0, ["a"]), (20, [])], ["a": (20, 10)]),
      ([(0, ["a"]), (5, ["a", "b"]), (20, ["b"]), (30, [])], ["a": (12.5, 0), "b": (17.5, 10)]),
      ([(0, ["a", "b"]), (20, ["b"]), (20, [])], ["a": (10, 5), "b": (10, 5)]),
      ([(0, ["a"]), (20, []), (20, ["a"]), (25, [])], ["a": (25, 10)]),
      ([(0, ["a"]), (20, []), (24, ["b"]), (30, [])], ["a": (20, 4), "b": (6, 10)]),
      ([(0, ["a"])], ["a": (2000, 0)]),
    ] as [([(at: Double, names: [String])], [String: (Double, Double)])])
  func whoSendsUntilItSaysSoPaysForThatTime(
    _ changes: [(at: Double, names: [String])], _ shares: [String: (Double, Double)]
  ) {
    let profile = Fixture.profile([.radioTail: 1000, .radioTailTime: 10])
    var ledger = Fixture.ledger(profile, [])
    for change in changes {
      ledger.setTransferring(change.names.map { Fixture.user($0) }, at: Fixture.at(change.at))
    }
    ledger.settle(at: Fixture.at(2000))
    for (name, (active, tail)) in shares {
      let own = ledger.entries.filter { $0.subscriber == name }
      #expect(own.first { $0.component == .radioActive }?.seconds ?? 0 == active, "\(name)")
      #expect(own.first { $0.component == .radioTail }?.seconds ?? 0 == tail, "\(name)")
    }
  }

  @Test func whatIsSentMeanwhileNeitherEndsNorProlongsATransfer() {
    let profile = Fixture.profile([.radioTail: 1000, .radioTailTime: 10, .radioPromotion: 1])
    var ledger = Fixture.ledger(profile, [])
    ledger.setTransferring([Fixture.user("a")], at: Fixture.at(0))
    ledger.addTransfer("a", kilobytes: 1, seconds: 2, rule: .regions, at: Fixture.at(5))
    ledger.addTransfer("b", kilobytes: 1, seconds: 15, rule: .regions, at: Fixture.at(10))
    ledger.setTransferring([], at: Fixture.at(20))
    ledger.settle(at: Fixture.at(2000))
    func seconds(_ component: PowerComponent, of name: String) -> Double {
      let own = ledger.entries.filter { $0.component == component && $0.subscriber == name }
      return own.reduce(0) { $0 + $1.seconds }
    }
    #expect(seconds(.radioActive, of: "a") == 15)
    #expect(seconds(.radioActive, of: "b") == 10)
    #expect(seconds(.radioTail, of: "b") == 10)
    #expect(ledger.entries.count { $0.component == .radioPromotion } == 1)
  }

  /// A push of 25 s, and a transfer of one second in the middle of it, or at its beginning.
  @Test(arguments: [5.0, 0])
  func whatEndsByItselfGoesOnAfterATransfer(begins: Double) {
    let profile = Fixture.profile([.radioTail: 1000, .radioTailTime: 10])
    var ledger = Fixture.ledger(profile, [])
    ledger.addTransfer("a", kilobytes: 0, seconds: 25, rule: .push, at: Fixture.at(0))
    ledger.setTransferring([Fixture.user("a", .transfer)], at: Fixture.at(begins))
    ledger.setTransferring([], at: Fixture.at(begins + 1))
    ledger.settle(at: Fixture.at(2000))
    func seconds(_ component: PowerComponent, _ rule: Rule) -> Double {
      ledger.entries.first { $0.component == component && $0.rule == rule }?.seconds ?? 0
    }
    #expect(seconds(.radioActive, .push) == 24)
    #expect(seconds(.radioActive, .transfer) == 1)
    #expect(seconds(.radioTail, .push) == 10)
  }

  @Test func whoComesLastPaysWhereTheLastTriggerDoes() {
    let profile = Fixture.profile([
      .receiverTrackStrong: 100, .receiverTrackWeak: 100, .radioTail: 1000, .radioTailTime: 10,
    ])
    var ledger = Fixture.ledger(profile, ["a"], sharing: .lastTrigger)
    ledger.setReceiver(.trackingStrong, at: Fixture.at(0))
    ledger.setUsers([Fixture.user("a"), Fixture.user("b")], at: Fixture.at(100))
    ledger.setUsers([Fixture.user("a")], at: Fixture.at(200))
    ledger.setReceiver(.off, at: Fixture.at(300))
    ledger.addTransfer("b", kilobytes: 0, rule: .regions, at: Fixture.at(400))
    ledger.addTransfer("a", kilobytes: 0, rule: .regions, at: Fixture.at(405))
    ledger.addTransfer("b", kilobytes: 0, rule: .regions, at: Fixture.at(406))
    ledger.settle(at: Fixture.at(500))
    #expect(abs(ledger.joules(of: "a") - (20 + 1)) < 1e-9)
    #expect(abs(ledger.joules(of: "b") - (10 + 5 + 10)) < 1e-9)
  }

  @Test func aThirdOfAnOddMicrosecondIsNotLost() {
    let profile = Fixture.profile([.receiverTrackStrong: 1000, .receiverTrackWeak: 1000])
    var ledger = Fixture.ledger(profile, ["a", "b", "c"])
    ledger.setReceiver(.trackingStrong, at: Fixture.at(0))
    ledger.settle(at: Fixture.at(0.000_005))
    #expect(ledger.entries.filter { $0.component == .receiverTracking }.map(\.seconds) == [2e-6, 2e-6, 1e-6])
  }

  @Test func whatNobodyAskedForIsShared() {
    var ledger = Fixture.ledger(.iphoneClass, [])
    ledger.setReceiver(.tracking, at: Fixture.at(0))
    ledger.settle(at: Fixture.at(10))
    #expect(ledger.entries.allSatisfy { $0.subscriber == PowerLedger.shared && $0.rule == .sharedReceiver })
  }

  @Test func `L1 every joule has a component, a payer and a rule`() {
    var random = SeededRandom(5)
    let day = Self.day(&random, steps: 300)
    let ledger = Self.book(day, Fixture.full, &random)
    var withoutService = Fixture.full
    withoutService[.networkLocation] = .none
    let scans = Self.book(day, withoutService, &random)
    #expect(
      Set((ledger.entries + scans.entries).map(\.component)) == Set(PowerLedger.Component.allCases))
    #expect(ledger.entries.allSatisfy { !$0.subscriber.isEmpty && $0.joules >= 0 && $0.seconds >= 0 })
    let orders = ledger.entries.map { "\($0.component.rawValue) \($0.subscriber) \($0.rule.rawValue)" }
    #expect(orders == orders.sorted())
    #expect(Set(orders).count == orders.count)
  }

  @Test func aWeakSignalIsToldByTheFixsOwnAccuracy() throws {
    func receiver(_ accuracy: Accuracy) throws -> PowerLedger.Receiver {
      var report = Drive.report(0, east: 0)
      report.accuracy = accuracy
      var gate = FixGate(configuration: FixGate.Configuration())
      try gate.judge(report, at: Drive.instant(0))
      return PowerLedger.Receiver(tracking: try #require(gate.last))
    }
    #expect(try receiver(Accuracy(radiusMeters: 5, source: .reported)) == .trackingStrong)
    #expect(try receiver(Accuracy(radiusMeters: 50, source: .reported)) == .trackingWeak)
    #expect(try receiver(Accuracy(radiusMeters: 50, source: .assumed)) == .tracking)
  }
}

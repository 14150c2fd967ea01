import LocationCore
import TestSupport
import Testing

/// Rule B5 as subscribers meet it.
@Suite struct VisitServiceTests {
  /// Ten minutes here, a way of two kilometres, ten minutes there.
  static func drive(_ subscriber: Subscriber, from state: SubscriberState) -> Drive {
    var drive = Drive()
    drive.add(-1, .addSubscriber(subscriber, state))
    var time = 0.0
    var east = 0.0
    for phase in 0..<3 {
      for _ in 0..<120 {
        if phase.isMultiple(of: 2) == false { east += 50 }
        drive.fix(time, east: east)
        time += 5
      }
    }
    drive.add(time, .end)
    return drive
  }

  static func visits(_ effects: [Effect]) -> [Record] {
    effects.records.filter { if case .visit = $0.body { true } else { false } }
  }

  @Test(arguments: [SubscriberState.suspended, .notRunning])
  func b5_arrivalsAndDeparturesWakeOrRelaunch(_ state: SubscriberState) {
    let effects = Self.drive(Subscriber(name: "a", services: [.visits]), from: state).effects()
    let visits = Self.visits(effects)
    #expect(visits.count == 4)
    let first = effects.decisions.first
    #expect(first?.action == (state == .suspended ? .wake : .relaunch))
    #expect(first?.rule == .visits && first?.event == visits.first?.id)
  }

  @Test func b5_whoDidNotAskIsNotTold() {
    let effects = Self.drive(Subscriber(name: "a", services: [.regions]), from: .suspended).effects()
    #expect(Self.visits(effects).count == 4 && effects.decisions.isEmpty)
  }

  @Test func b5_theEndOfTheStreamClosesAVisitAndWakesNobody() {
    let drive = Self.drive(Subscriber(name: "a", services: [.visits]), from: .suspended)
    let effects = drive.effects()
    guard let last = Self.visits(effects).last, case .visit(let event) = last.body else {
      Issue.record("no visit")
      return
    }
    #expect(event.kind == .depart && event.reason == .end && event.departed == nil)
    #expect(effects.decisions.allSatisfy { $0.event != last.id })
  }

  @Test func b5_explainingAddsTheProvisionalAndChangesNoId() {
    let drive = Self.drive(Subscriber(name: "a"), from: .suspended)
    var configuration = EngineConfiguration()
    configuration.explains = true
    let plain = drive.effects().records
    let explained = drive.effects(configuration).records
    let ids = Set(explained.map(\.id))
    #expect(plain.allSatisfy { ids.contains($0.id) })
    #expect(Self.visits(drive.effects(configuration)).count == 6)
  }

  /// From when on the source's clock is off, by how many seconds: while a visit is told, before it is told, by a
  /// rollover of the week number, and by reports that come late.
  private static let clocks: [[(from: Int, seconds: Double)]] = [
    [(600, -3_600)], [(100, -3_600)], [(600, 1_024 * 7 * 86_400)], [(600, -3_600), (1_000, 0)],
  ]

  @Test(arguments: clocks)
  func `B5 a clock that is moved changes no length of a stay`(_ moves: [(from: Int, seconds: Double)]) throws
  {
    var engine = Engine()
    var effects: [Effect] = []
    for second in 0..<1_500 {
      let off = moves.last { $0.from <= second }?.seconds ?? 0
      let report = Drive.report(Double(second) + off, east: Double(max(0, second - 1_200)) * 10)
      let instant = engine.instant(ofReplayed: report)
      engine.handle(Stamped(at: instant, .fix(report)), into: &effects)
    }
    let records = Self.visits(effects)
    let visits = records.compactMap { if case .visit(let event) = $0.body { event } else { nil } }
    #expect(visits.map(\.kind) == [.arrive, .depart])
    let told = try #require(records.first).time
    #expect(abs(try #require(visits.first).arrived.seconds(to: told) - 300) < 10)
    let visit = try #require(visits.last)
    let departed = try #require(visit.departed)
    #expect(abs(visit.arrived.seconds(to: departed) - 1_200) < 30)
  }

  @Test func b5_aSnapshotInTheMiddleOfAVisitIsInvisible() throws {
    let drive = Self.drive(Subscriber(name: "a"), from: .suspended)
    let whole = drive.effects()
    for cut in stride(from: 1, to: drive.events.count, by: 41) {
      var engine = Engine()
      var effects: [Effect] = []
      for event in drive.events[..<cut] { engine.handle(event, into: &effects) }
      var restored = try Engine(restoring: engine.snapshot)
      for event in drive.events[cut...] { restored.handle(event, into: &effects) }
      #expect(effects == whole, "cut at \(cut)")
    }
  }
}

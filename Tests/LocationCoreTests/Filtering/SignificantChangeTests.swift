import LocationCore
import TestSupport
import Testing

@Suite struct SignificantChangeTests {
  /// The changes of fixes given as (seconds, metres east).
  static func changes(
    _ fixes: [(Double, Double)], accuracy: Double = 5,
    _ adjust: (inout EngineConfiguration) -> Void = { _ in }
  ) -> [SignificantChange.Change] {
    var configuration = EngineConfiguration()
    adjust(&configuration)
    var drive = Drive()
    for (seconds, east) in fixes { drive.fix(seconds, east: east, accuracy: accuracy) }
    return drive.effects(configuration).changes
  }

  static func seconds(_ changes: [SignificantChange.Change]) -> [Double] {
    changes.map { Drive.instant(0).seconds(to: $0.instant) }
  }

  @Test func theFirstFixIsDeliveredAtOnce() {
    let changes = Self.changes([(0, 0)])
    #expect(changes.count == 1)
    #expect(changes.first?.reason == .initial)
    #expect(changes.first?.movedMeters == nil)
  }

  @Test(arguments: [(499.9, 1), (500.1, 2)]) func fiveHundredMetresAreTheThreshold(
    _ east: Double, _ count: Int
  ) {
    #expect(Self.changes([(0, 0), (400, east)]).count == count)
  }

  @Test func aMoveInsideTheWindowIsDeliveredWhenItEndsWithTheLatestFix() {
    let changes = Self.changes([(0, 0), (100, 600), (200, 700), (400, 800)])
    #expect(Self.seconds(changes) == [0, 300])
    #expect(changes.last?.reason == .window)
    #expect(changes.last?.suppressed == 2)
    #expect(abs((changes.last?.movedMeters ?? 0) - 700) < 0.01)
  }

  @Test func aMoveThatDidNotLastIsNotDelivered() {
    #expect(Self.seconds(Self.changes([(0, 0), (100, 600), (200, 100), (400, 100)])) == [0])
  }

  @Test func aFixInTheLastInstantOfTheWindowIsDeliveredItself() {
    let changes = Self.changes((0...600).map { (Double($0), Double($0) * 30) })
    #expect(Self.seconds(changes) == [0, 300, 600])
    #expect(changes.last?.reason == .moved)
  }

  @Test func tenKilometresInFiveMinutesAreOneChange() {
    let changes = Self.changes((0...300).map { (Double($0), Double($0) * 33.4) })
    #expect(Self.seconds(changes) == [0, 300])
  }

  @Test func anHourAtMotorwaySpeedIsTwelveChanges() {
    let changes = Self.changes((0...3600).map { (Double($0), Double($0) * 30) })
    #expect(changes.count == 13)
  }

  @Test func bothThresholdsCanBeSet() {
    let changes = Self.changes([(0, 0), (20, 80), (30, 180)]) {
      $0.significant.distanceMeters = 50
      $0.significant.windowSeconds = 10
    }
    #expect(Self.seconds(changes) == [0, 20, 30])
  }

  /// A day at 1 Hz whose error is correlated over `tau` seconds, told about honestly.
  static func day(at east: (Int) -> Double, tau: Double, seconds: Int, seed: UInt64) -> [SignificantChange
    .Change]
  {
    var random = SeededRandom(seed)
    var engine = Engine()
    var effects: [Effect] = []
    let sigma = 7.0
    let keep = Trig.exp(-1 / tau)
    let fresh = sigma * (1 - keep * keep).squareRoot()
    var x = random.normal(sigma: sigma)
    var y = random.normal(sigma: sigma)
    for second in 0..<seconds {
      x = keep * x + random.normal(sigma: fresh)
      y = keep * y + random.normal(sigma: fresh)
      let report = Drive.report(
        Double(second), east: east(second) + x, north: y, accuracy: sigma * Accuracy.sigmasIn68Percent)
      engine.handle(Stamped(at: Drive.instant(Double(second)), .fix(report)), into: &effects)
    }
    return effects.changes
  }

  @Test(arguments: [1.0, 60]) func standingStillGivesNothingAfterTheFirst(_ tau: Double) {
    let seconds = Corpus.isFull ? 86_400 : 7200
    #expect(Self.day(at: { _ in 0 }, tau: tau, seconds: seconds, seed: 5).count == 1)
  }

  @Test(arguments: [1.0, 60]) func aShuttleJustShortOfTheThresholdGivesNothing(_ tau: Double) {
    let seconds = Corpus.isFull ? 86_400 : 7200
    let shuttle = { (second: Int) in second / 600 % 2 == 0 ? 0.0 : 499 }
    // The jump itself is a teleport to the gate, so the shuttle is seen once it has been confirmed.
    #expect(Self.day(at: shuttle, tau: tau, seconds: seconds, seed: 6).count == 1)
  }

  @Test func aPoorFixDoesNotMove() {
    var drive = Drive()
    drive.fix(0, east: 0)
    drive.fix(400, east: 700, accuracy: 280)
    drive.fix(401, east: 0)
    #expect(drive.effects().changes.count == 1)
  }

  @Test func afterAnyWindowTheDeliveredPositionIsNear() {
    for seed: UInt64 in 1...20 {
      var random = SeededRandom(seed)
      var drive = Drive()
      var east = 0.0
      for index in 0..<500 {
        east += random.uniform(in: -200...250)
        drive.fix(Double(index) * 10, east: east)
      }
      var engine = Engine()
      var effects: [Effect] = []
      var lastNear = Drive.instant(0)
      for event in drive.events {
        engine.handle(event, into: &effects)
        guard let told = effects.changes.last?.fix.coordinate, let here = engine.tally.last else { continue }
        if Geodesy.distanceMeters(told, here.coordinate) < 500 + 25 { lastNear = here.instant }
        #expect(lastNear.seconds(to: here.instant) <= 300, "\(random)")
      }
    }
  }
}

import LocationCore
import TestSupport
import Testing

/// A day told to a visit monitor fix by fix: stops and ways between them, east and north of a place.
struct VisitDay {
  var monitor = VisitMonitor()
  var events: [VisitEvent] = []
  private(set) var seconds = 0.0
  private(set) var east = 0.0
  private(set) var north = 0.0
  var accuracy = 5.0
  /// What its fixes say of their speed.
  var speed: Double?
  var interval = 1.0
  /// Where the day's zero is.
  var zero = Drive.origin

  /// A fix now, so many metres off.
  mutating func fix(offEast: Double = 0, offNorth: Double = 0) {
    let azimuth = Trig.atan2(east + offEast, north + offNorth) * 180 / .pi
    let distance = Trig.hypot(east + offEast, north + offNorth)
    let place = Geodesy.direct(from: zero, azimuthDegrees: azimuth, distanceMeters: distance)
    let instant = Drive.instant(seconds)
    monitor.observe(
      Fix(
        time: UTCTime(microseconds: instant.microseconds), instant: instant, coordinate: place,
        accuracy: Accuracy(radiusMeters: accuracy, source: .reported), speedMetersPerSecond: speed),
      into: &events)
  }

  /// Stands for so long, with a fix at each interval.
  mutating func stand(_ duration: Double) {
    for _ in 0..<Int(duration / interval) {
      fix()
      seconds += interval
    }
  }

  /// Goes so far, with a fix at each interval.
  mutating func go(east: Double = 0, north: Double = 0, speed: Double) {
    let distance = Trig.hypot(east, north)
    let steps = Swift.max(1, Int((distance / speed / interval).rounded()))
    let start = (self.east, self.north)
    for step in 1...steps {
      self.east = start.0 + east * Double(step) / Double(steps)
      self.north = start.1 + north * Double(step) / Double(steps)
      fix()
      seconds += interval
    }
  }

  /// Nothing is heard.
  mutating func silence(_ duration: Double, east: Double = 0) {
    seconds += duration
    self.east += east
  }

  mutating func finish() { monitor.finish(at: Drive.instant(seconds), into: &events) }

  /// Kind, visit and reason of what was told, without the provisional.
  var log: [String] { told.map { "\($0.kind) \($0.visit) \($0.reason)" } }

  var told: [VisitEvent] { events.filter { $0.kind != .provisional } }

  /// Seconds into the day.
  static func seconds(_ time: UTCTime?) -> Double? {
    time.map { UTCTime(microseconds: Drive.epoch).seconds(to: $0) }
  }
}

@Suite struct VisitMonitorTests {
  @Test func b5_aVisitIsProvisionalAtThreeMinutesToldOnceAtFiveAndDatedBack() {
    var day = VisitDay()
    day.go(east: 2000, speed: 10)
    let arrived = day.seconds
    day.stand(170)
    #expect(day.monitor.stage == .moving)
    day.stand(15)
    #expect(day.monitor.stage == .provisional)
    #expect(day.log.isEmpty)
    day.stand(125)
    #expect(day.monitor.stage == .visiting)
    day.stand(7200)
    #expect(day.log == ["arrive 1 stayed"])
    #expect(day.events.map(\.kind) == [.provisional, .arrive])
    let error = (VisitDay.seconds(day.told.first?.arrived) ?? 0) - arrived
    #expect(abs(error) <= 10)
    #expect((VisitDay.seconds(UTCTime(microseconds: day.told[0].instant.microseconds)) ?? 0) <= arrived + 300)
  }

  @Test(arguments: [30.0, 60, 120, 200, 240]) func b5_aShortStopIsNoVisit(_ duration: Double) {
    var day = VisitDay()
    day.go(east: 1000, speed: 10)
    day.stand(duration)
    day.go(east: 1000, speed: 10)
    #expect(day.log.isEmpty)
  }

  @Test(arguments: [0.6, 0.8, 1.0, 1.4, 3, 15, 40]) func b5_whoGoesOnIsNowhere(_ speed: Double) {
    var day = VisitDay()
    day.go(east: 3000, north: 2000, speed: speed)
    #expect(day.log.isEmpty)
  }

  @Test(arguments: [1.4, 2, 5, 15, 30], [1.0, 5, 10])
  func b5_aDepartureIsToldWithinAMinute(_ speed: Double, _ interval: Double) {
    var day = VisitDay()
    day.interval = interval
    day.stand(900)
    let left = day.seconds
    day.go(east: 4000, speed: speed)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
    guard let event = day.told.last, let departed = VisitDay.seconds(event.departed) else {
      Issue.record("no departure")
      return
    }
    let told = Drive.instant(0).seconds(to: event.instant)
    #expect(told - left <= 60 + interval, "told after \(told - left) s")
    #expect(abs(departed - left) <= 60, "dated \(departed - left) s off")
  }

  @Test func b5_comingBackWithinFiveMinutesGoesOnWithTheVisit() {
    var day = VisitDay()
    day.stand(600)
    day.go(east: 150, speed: 2)
    day.go(east: -150, speed: 2)
    day.stand(600)
    day.go(east: 500, speed: 2)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left", "arrive 1 returned", "depart 1 left"])
    #expect(Set(day.told.map(\.arrived)).count == 1)
  }

  @Test(arguments: [(400.0, 0.0), (0, 250)])
  func b5_laterOrElsewhereItIsAnotherVisit(_ secondsAway: Double, _ metersOff: Double) {
    var day = VisitDay()
    day.stand(600)
    day.go(east: 250, speed: 5)
    if secondsAway > 0 {
      for _ in 0..<Int(secondsAway / 60) {
        day.go(north: 300, speed: 10)
        day.go(north: -300, speed: 10)
      }
    }
    day.go(east: metersOff - 250, speed: 5)
    if metersOff > 0 { day.go(north: 150, speed: 5) }
    day.stand(600)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left", "arrive 2 stayed"])
  }

  @Test func b5_silenceConfirmsWhatWasProvisional() {
    var day = VisitDay()
    day.go(east: 1000, speed: 10)
    let arrived = day.seconds
    day.stand(200)
    guard let due = day.monitor.nextDeadline else {
      Issue.record("nothing is due")
      return
    }
    #expect(abs(Drive.instant(arrived).seconds(to: due) - 380) <= 15)
    day.monitor.advance(to: due, into: &day.events)
    #expect(day.log == ["arrive 1 silence"])
    #expect(day.told.first?.instant == due)
    day.monitor.advance(to: due.advanced(bySeconds: 1e6), into: &day.events)
    #expect(day.told.count == 1 && day.monitor.nextDeadline == nil)
  }

  @Test func b5_silenceConfirmsNothingWhileTheLastFixIsOutside() {
    var day = VisitDay()
    day.stand(200)
    day.fix(offEast: 400)
    #expect(day.monitor.nextDeadline == nil)
  }

  @Test func b5_aVisitGoesOnThroughASilenceAfterWhichThePositionIsStillThere() {
    var day = VisitDay()
    day.stand(600)
    day.silence(8 * 3600)
    day.stand(600)
    day.finish()
    #expect(day.log == ["arrive 1 stayed", "depart 1 end"])
  }

  @Test func b5_aFixNearbyAfterASilenceDatesTheDeparture() {
    var day = VisitDay()
    day.stand(60)
    day.silence(4000, east: 280)
    let seen = day.seconds
    day.go(east: 1000, speed: 1.4)
    #expect(day.log == ["arrive 1 near", "depart 1 near"])
    #expect(VisitDay.seconds(day.told.last?.departed).map { abs($0 - (seen - 200)) < 5 } == true)
    #expect(VisitDay.seconds(day.told.last?.arrived) == 0)
  }

  @Test func b5_fixesThatGoOnFastAfterASilenceDateTheDeparture() throws {
    var day = VisitDay()
    day.go(east: 2000, speed: 10)
    day.stand(100)
    let left = day.seconds + 550
    day.silence(600, east: 800)
    day.go(east: 2000, speed: 16)
    #expect(day.log == ["arrive 1 near", "depart 1 near"])
    let departed = try #require(VisitDay.seconds(day.told.last?.departed))
    #expect(abs(departed - left) < 10)
  }

  /// Where a walk would have taken most of the silence, or all of it, and the phone drove.
  @Test(arguments: [(370.0, 400.0, true), (250, 400, true), (250, 900, true), (170, 40, false)])
  func b5_whoDrivesOnAfterASilenceDroveThereToo(_ silence: Double, _ meters: Double, _ isDated: Bool) throws {
    var day = VisitDay()
    day.go(east: 2000, speed: 10)
    day.stand(200)
    let left = day.seconds + silence - meters / 16
    day.silence(silence, east: meters)
    day.go(east: 2000, speed: 16)
    #expect(day.told.last?.reason == (isDated ? .near : nil))
    guard isDated else { return }
    let departed = try #require(VisitDay.seconds(day.told.last?.departed))
    #expect(abs(departed - left) < 30, "\(departed - left)")
  }

  @Test func b5_whoWalksOnAfterAShortSilenceMayHaveWalkedThroughIt() {
    var day = VisitDay()
    day.stand(400)
    let seen = day.seconds - 1
    day.silence(250, east: 200)
    day.go(east: 1000, speed: 1.6)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
    #expect(VisitDay.seconds(day.told.last?.departed) == seen)
  }

  @Test func b5_errorsOfTheFixesAreNoSpeed() throws {
    var day = VisitDay()
    day.stand(400)
    day.silence(600, east: 420)
    let walk = day.seconds - 300
    day.accuracy = 65
    for step in 0..<6 {
      day.fix(offEast: step.isMultiple(of: 2) ? 0 : 60)
      day.seconds(pass: 6)
    }
    #expect(day.log == ["arrive 1 stayed", "depart 1 near"])
    let departed = try #require(VisitDay.seconds(day.told.last?.departed))
    #expect(abs(departed - walk) < 2, "\(departed - walk)")
  }

  @Test func b5_aSilenceIsSpentWhereTheWayLedAndNoVisitIsWithoutTime() throws {
    var day = VisitDay()
    day.interval = 20
    day.go(east: 2000, speed: 10)
    let last = day.seconds - 20
    day.silence(380, east: 34)
    let left = day.seconds
    day.fix()
    day.seconds(pass: 20)
    day.go(east: 2000, speed: 10)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
    let arrived = try #require(VisitDay.seconds(day.told.first?.arrived))
    let departed = try #require(VisitDay.seconds(day.told.last?.departed))
    #expect(arrived > last && arrived < last + 60, "\(arrived - last)")
    #expect(abs(departed - left) <= 20, "\(departed - left)")
  }

  @Test func b5_aPauseNearbyJustBeforeDoesNotHideAStop() throws {
    var day = VisitDay()
    day.accuracy = 65
    day.interval = 6
    day.go(east: 2000, speed: 10)
    day.stand(120)
    day.go(north: 100, speed: 10)
    let arrived = day.seconds
    day.stand(396)
    day.go(east: 2000, speed: 10)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
    let dated = try #require(VisitDay.seconds(day.told.first?.arrived))
    #expect(abs(dated - arrived) < 60)
  }

  @Test(arguments: [(1700.0, true), (1900, false)])
  func b5_aFixFarAwayAfterHalfAnHourLeavesTheDepartureUnknown(_ silence: Double, _ isKnown: Bool) {
    var day = VisitDay()
    day.stand(600)
    let seen = day.seconds - 1
    day.silence(silence, east: 20_000)
    day.go(east: 3000, speed: 15)
    #expect(day.log == ["arrive 1 stayed", isKnown ? "depart 1 left" : "depart 1 gap"])
    #expect(VisitDay.seconds(day.told.last?.departed) == (isKnown ? seen : nil))
    #expect(VisitDay.seconds(day.told.last?.seen) == seen)
  }

  /// A silence begins no stay where the last fix was under way: only a fix at the same place says that it stopped there.
  @Test(arguments: [(30.0, true), (300, false)])
  func b5_whoDroveIntoASilenceHasStoppedWhereTheyStillAre(_ meters: Double, _ isVisit: Bool) throws {
    var day = VisitDay()
    day.interval = 30
    day.go(east: 3000, speed: 20)
    let began = day.seconds - 30
    day.silence(7200, east: meters)
    let seen = day.seconds
    day.fix()
    day.seconds(pass: 30)
    day.go(east: 3000, speed: 20)
    #expect(day.told.map(\.kind) == (isVisit ? [.arrive, .depart] : []))
    guard isVisit else { return }
    let arrived = try #require(VisitDay.seconds(day.told.first?.arrived))
    let departed = try #require(VisitDay.seconds(day.told.last?.departed))
    #expect(abs(arrived - began) < 5 && abs(departed - seen) < 300)
  }

  @Test(arguments: [(30.0, 5.0), (300, 5), (600, 2)])
  func b5_twoPassagesHoursApartAreNoVisit(_ meters: Double, _ hours: Double) {
    var day = VisitDay()
    day.interval = 30
    day.go(east: 3000, speed: 20)
    day.silence(hours * 3600, east: meters)
    day.fix()
    day.seconds(pass: 30)
    day.go(east: 3000, speed: 20)
    #expect(day.log.isEmpty)
  }

  /// In a tunnel, say: a lone fix between two rides is no stop, but one that rested before is.
  @Test(arguments: [true, false]) func b5_aLoneFixOnARideIsNoStop(_ saysSpeed: Bool) {
    for isRide in [true, false] {
      var day = VisitDay()
      day.speed = saysSpeed ? 0 : nil
      day.stand(60)
      day.silence(isRide ? 30 : 60, east: isRide ? 300 : 120)
      day.fix()
      day.speed = saysSpeed ? 30 : nil
      day.silence(1300, east: 11_000)
      day.go(east: 3000, speed: 25)
      #expect(day.log == (isRide ? [] : ["arrive 1 near", "depart 1 near"]), "ride: \(isRide)")
    }
  }

  @Test(arguments: [1.0, 20])
  func b5_whoWalkedBeforeASilenceAndRestsAfterItRestedThere(_ interval: Double) throws {
    var day = VisitDay()
    day.interval = interval
    day.go(east: 1000, speed: 1.2)
    let arrived = day.seconds - interval + 156 / 1.4
    day.silence(417 - interval, east: 156)
    day.stand(900)
    day.go(east: 1000, speed: 1.2)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
    let dated = try #require(VisitDay.seconds(day.told.first?.arrived))
    #expect(abs(dated - arrived) < 60, "\(dated - arrived)")
  }

  @Test func b5_aStayThatGoesOnFromASilenceIsThatOfItsFirstPlace() throws {
    var day = VisitDay()
    day.stand(100)
    day.silence(417, east: 156)
    day.stand(60)
    day.go(east: 1000, speed: 1.2)
    #expect(day.log == ["arrive 1 near", "depart 1 near"])
  }

  /// Phones that wake may first tell a place of before, twice.
  @Test func b5_aPlaceThatTheNextFixesRefuteIsNoDeparture() throws {
    var day = VisitDay()
    day.stand(250)
    day.silence(1100)
    for _ in 0..<2 {
      day.fix(offEast: 17_000, offNorth: -9000)
      day.seconds(pass: 2)
    }
    day.silence(50, east: -700)
    let seen = day.seconds
    day.go(east: -3000, speed: 20)
    #expect(day.log == ["arrive 1 silence", "depart 1 near"])
    let departed = try #require(VisitDay.seconds(day.told.last?.departed))
    #expect(abs(departed - seen) < 400)
  }

  @Test func b5_aFlightIsADeparture() {
    var day = VisitDay()
    day.interval = 10
    day.stand(900)
    day.go(east: 100_000, speed: 250)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
  }

  @Test(arguments: [80.0, 300, 5000], [1.0, 60, 900])
  func b5_aLoneOutlierNeitherOpensNorCloses(_ meters: Double, _ interval: Double) {
    var day = VisitDay()
    day.interval = interval
    for round in 0..<12 {
      day.stand(Swift.max(120, 3 * interval))
      day.fix(offEast: meters, offNorth: round.isMultiple(of: 2) ? meters : -meters)
      day.seconds(pass: interval)
    }
    day.finish()
    #expect(day.log.first?.hasPrefix("arrive 1") == true)
    #expect(day.log.last == "depart 1 end")
    #expect(day.log.count == 2)
  }

  @Test(arguments: [60.0, 300, 600, 1800, 3600]) func b5_lowRatesFindVisitsToo(_ interval: Double) {
    var day = VisitDay()
    day.interval = interval
    for _ in 0..<3 {
      day.stand(Swift.max(1800, 8 * interval))
      day.go(east: 30 * 5 * interval, speed: 30)
    }
    #expect(day.told.map(\.kind) == [.arrive, .depart, .arrive, .depart, .arrive, .depart])
    #expect(day.told.map(\.visit) == [1, 1, 2, 2, 3, 3])
  }

  @Test func b5_theEndClosesWhatIsOpenAndInventsNoDeparture() {
    var day = VisitDay()
    day.stand(400)
    day.finish()
    #expect(day.log == ["arrive 1 stayed", "depart 1 end"])
    #expect(day.told.last?.departed == nil)
    day.finish()
    #expect(day.told.count == 2)
  }

  @Test func b5_theEndMakesNoVisitOfAPause() {
    var day = VisitDay()
    day.stand(250)
    day.finish()
    #expect(day.log.isEmpty && day.monitor.nextDeadline == nil)
  }

  @Test(arguments: [
    (0.0, 180.0), (65, -180), (-70, 179.9999), (90, 0), (89.9999, 10), (89.95, 77), (-89.9995, 120),
    (-90, 40), (89.89, 0),
  ]) func b5_placesAreWholeAtTheAntimeridianAndAtThePoles(_ latitude: Double, _ longitude: Double) throws {
    let zero = try #require(Coordinate(latitude: latitude, longitude: longitude))
    var day = VisitDay()
    day.zero = zero
    var random = SeededRandom(7)
    for _ in 0..<900 {
      let (east, north) = (
        Double.random(in: -12...12, using: &random), Double.random(in: -12...12, using: &random)
      )
      day.fix(offEast: east, offNorth: north)
      day.seconds(pass: 1)
    }
    day.go(east: 600, speed: 5)
    #expect(day.log == ["arrive 1 stayed", "depart 1 left"])
    for event in day.told {
      #expect(Geodesy.distanceMeters(event.coordinate, zero) < 10)
      #expect(event.radiusMeters > 10 && event.radiusMeters < 45)
    }
  }

  @Test func b5_poorFixesNeedMoreRoomAndGoodOnesKeepTheirs() {
    var poor = VisitDay()
    poor.accuracy = 65
    var good = VisitDay()
    for _ in 0..<60 {
      for (east, north) in [(90.0, 0.0), (-90, 0), (0, 90), (0, -90)] {
        poor.fix(offEast: east, offNorth: north)
        poor.seconds(pass: 20)
        good.fix(offEast: east, offNorth: north)
        good.seconds(pass: 20)
      }
    }
    #expect(poor.log == ["arrive 1 stayed"])
    #expect(good.log.isEmpty)
  }
}

extension VisitDay {
  /// Time passes without a fix.
  mutating func seconds(pass duration: Double) { silence(duration) }
}

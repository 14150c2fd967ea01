import LocationCore
import TestSupport
import Testing

@testable import LocationRuntime

/// The traps of gpsd's protocol.
@Suite struct GPSDSessionTests {
  @Test(arguments: [
    ("localhost", "?WATCH={\"enable\":true,\"json\":true};\r\n"),
    ("::/dev/b", "?WATCH={\"enable\":true,\"json\":true,\"device\":\"/dev/b\"};\r\n"),
  ])
  func `it asks for reports as soon as it is connected, and says what it found`(
    address: String, request: String
  ) throws {
    var run = try SessionRun(address)
    run.start()
    #expect(run.connects == [0])
    #expect(run.sent.isEmpty)
    run.connected()
    #expect(run.sent == [request])
    run.say(GPSDText.version)
    #expect(run.source == [.found(name: "gpsd 3.22")])
  }

  @Test func `a source that tells fixes is asked for nothing, and found by its first fix`() throws {
    var run = try SessionRun("geoclue")
    run.start()
    run.connected()
    run.pass(to: 40)
    let time = UTCTime(microseconds: Drive.instant(40).microseconds).rfc3339
    run.say(#"{"time":"\#(time)","lat":48.1371,"lon":11.5754,"acc_m":9}"#)
    run.pass(to: 3_600)
    #expect(run.sent.isEmpty)
    #expect(run.source == [.found(name: "geoclue")])
    #expect(run.fixTimes == [40])
    #expect(run.disconnects.isEmpty)
  }

  @Test func `what a gpsd calls itself is one line, and not long`() throws {
    var run = try SessionRun()
    run.start()
    run.connected()
    let name = #"3.22\u001b[2J\nMAINPID=1"#
    run.say(#"{"class":"VERSION","release":"\#(name)\#(String(repeating: "x", count: 5_000))","rev":"1"}"#)
    guard case .found(let told) = run.source.first else { return #expect(Bool(false), "\(run.source)") }
    #expect(told.hasPrefix("gpsd 3.22?[2J?MAINPID=1xxx") && told.count < 300, "\(told)")
  }

  @Test func `gpsd may be busy with a receiver for a while before it says anything`() throws {
    var run = try SessionRun()
    run.start()
    run.connected()
    run.pass(to: 14)
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    run.fixes(from: 15, through: 16)
    run.pass(to: 17)
    #expect(run.disconnects.isEmpty)
    #expect(run.staleness.isEmpty)
    #expect(run.fixTimes == [15, 16])
  }

  @Test func `classes, members and values that are not known change nothing`() throws {
    var run = try SessionRun.greeted()
    run.say(
      #"{"class":"ATT","device":"/dev/a","heading":1}"#, #"{"class":"TOFF","device":"/dev/a","real_sec":1}"#,
      #"{"class":"PPS"}"#, #"{"class":"OSC","x":{"y":[1,{"class":"TPV"}]}}"#, #"{"class":"NEWER","mode":3}"#,
      #"{"class":"AIS","type":1,"name":"a \"TPV\" \u0041"}"#)
    run.pass(to: 0.5)
    #expect(run.reports.isEmpty)
    let tpv = GPSDText.tpv(1).dropLast()
    run.say(tpv + #","newer":{"a":[1,2]},"leapseconds":18,"ept":0.005,"eps":20.5,"status":77}"#)
    run.pass(to: 2)
    #expect(run.fixTimes == [1])
    #expect(run.reports.first?.accuracy == .from95Percent(19))
  }

  @Test func `of several reports of an epoch the last counts`() throws {
    var run = try SessionRun.greeted()
    run.say(GPSDText.tpv(0, eph: nil))
    run.pass(to: 0.1)
    run.say(GPSDText.tpv(0, eph: 19, speed: 3))
    #expect(run.reports.isEmpty)
    run.pass(to: 0.199)
    #expect(run.reports.isEmpty)
    run.pass(to: 0.201)
    #expect(run.reports.count == 1)
    #expect(run.reports.first?.speedMetersPerSecond == 3)
    #expect(run.reports.first?.accuracy == .from95Percent(19))
  }

  @Test func `the next epoch ends the one before`() throws {
    var run = try SessionRun.greeted()
    run.say(GPSDText.tpv(0))
    run.pass(to: 0.05)
    run.say(GPSDText.tpv(0.05))
    #expect(run.fixTimes == [0])
  }

  @Test(arguments: [1, 2, 3])
  func `once the reports of an epoch have a number, the last of them ends it at once`(
    count: Int
  ) throws {
    var run = try SessionRun.greeted()
    for second in 0..<10 {
      for part in 0..<count {
        run.pass(to: Double(second) + Double(part) * 0.05)
        #expect(run.fixTimes.count == second, "before report \(part) of second \(second)")
        run.say(GPSDText.tpv(Double(second), eph: part == count - 1 ? 19 : nil))
      }
      let isKnown = second >= 3
      #expect(run.fixTimes.count == (isKnown ? second + 1 : second), "at second \(second)")
      run.pass(to: Double(second) + 0.9)
      #expect(run.fixTimes.count == second + 1)
      #expect(run.reports.last?.accuracy == .from95Percent(19))
    }
  }

  @Test func `a report that comes when its epoch is over is left out`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 5)
    #expect(run.fixTimes.count == 6)
    run.say(GPSDText.tpv(5, eph: 10))
    run.pass(to: 5.9)
    #expect(run.fixTimes.count == 6)
    run.fixes(from: 6, through: 6)
    #expect(run.fixTimes.count == 6, "it waits again, since an epoch has had two")
    run.pass(to: 6.5)
    #expect(run.fixTimes.count == 7)
  }

  @Test func `what has no time, no fix or no place goes to the gate, and does not count as a fix`() throws {
    var run = try SessionRun.greeted()
    for second in 0..<40 {
      run.pass(to: Double(second))
      switch second % 3 {
      case 0: run.say(GPSDText.tpv(nil))
      case 1: run.say(GPSDText.tpv(Double(second), mode: 1, east: nil, eph: nil))
      default: run.say(GPSDText.tpv(Double(second), mode: 3, east: nil, eph: nil))
      }
    }
    #expect(run.staleness == [.init(30, .noFix, 30)])
    #expect(run.disconnects.isEmpty)
    var engine = Engine()
    for event in run.events { engine.take(event.event, at: event.at) }
    #expect(engine.tally.accepted == 0)
    #expect(engine.tally.rejected(for: .noTime) > 10)
    #expect(engine.tally.rejected(for: .noFix) > 10)
    #expect(engine.tally.rejected(for: .noPosition) > 10)
  }

  @Test func `an error estimate counts for half when the geometry it is made from is old`() throws {
    var run = try SessionRun.greeted()
    run.say(GPSDText.sky())
    run.fixes(from: 0, through: 15)
    run.pass(to: 15.9)
    let radii = run.reports.map(\.accuracy.radiusMeters)
    let fresh = Accuracy.from95Percent(19).radiusMeters
    #expect(radii == Array(repeating: fresh, count: 11) + Array(repeating: 2 * fresh, count: 5))
    run.say(GPSDText.sky())
    run.fixes(from: 16, through: 16)
    run.pass(to: 16.9)
    #expect(run.reports.last?.accuracy.radiusMeters == fresh)
  }

  @Test func `a receiver that never sends its geometry keeps its error estimate`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 30)
    #expect(run.reports.allSatisfy { $0.accuracy == .from95Percent(19) })
  }

  @Test func `a simulated fix is one only where the source is said to be`() throws {
    for isSimulated in [false, true] {
      var run = try SessionRun.greeted(isSimulated: isSimulated)
      run.say(GPSDText.tpv(0, status: 8))
      run.pass(to: 1)
      #expect(run.reports.map(\.mode) == [isSimulated ? .threeD : .noFix])
    }
  }

  @Test func `lines that are not gpsd's are passed over`() throws {
    var run = try SessionRun.greeted()
    run.say("$GPRMC,1,2,3*00", "{\"class\":\"TPV\",\"mode\":3", "", "{}", "\u{0}\u{1}", "[]", GPSDText.tpv(0))
    run.pass(to: 1)
    #expect(run.fixTimes == [0])
  }

  @Test(arguments: [1, 2, 7]) func `a line without an end takes no memory and does not hide the next`(
    pieces: Int
  ) throws {
    var run = try SessionRun.greeted()
    let long = String(repeating: "x", count: 200_000 * pieces)
    for _ in 0..<pieces { run.receive(String(long.prefix(200_000))) }
    run.receive("tail\r\n")
    run.say(GPSDText.tpv(0))
    run.say("{\"class\":\"TPV\",\"x\":\"" + String(long.prefix(70_000)) + "\"}", GPSDText.tpv(1))
    run.say(GPSDText.tpv(2))
    run.pass(to: 2)
    #expect(run.fixTimes == [0, 1, 2])
    #expect(run.session.buffer.bytes.count < 300)
  }

  @Test func `bytes cut anywhere give the same events`() throws {
    let lines = [
      GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.tpv(0), "garbage", GPSDText.tpv(1),
      GPSDText.tpv(2),
    ]
    let text = lines.map { $0 + "\r\n" }.joined()
    func events(cutEvery size: Int) throws -> [Event] {
      var run = try SessionRun()
      run.start()
      run.connected()
      var rest = text[...]
      while !rest.isEmpty {
        run.receive(String(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      run.pass(to: 1)
      return run.events.map(\.event)
    }
    let whole = try events(cutEvery: .max)
    #expect(whole.count == 4)
    for size in [1, 2, 3, 5, 64, 100] { #expect(try events(cutEvery: size) == whole, "cut every \(size)") }
  }

  @Test func `a backlog is drained to the newest, which is told`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 3)
    // We were stopped for two minutes, and gpsd kept everything.
    run.now = 120
    let waiting = (4...120).map { GPSDText.tpv(Double($0)) + "\r\n" }.joined()
    run.receive(waiting)
    run.pass(to: 120.9)
    #expect(run.fixTimes.suffix(2) == [3, 120])
    #expect(run.source.dropFirst() == [.dropped(reports: 116, seconds: 116)])
    #expect(run.staleness.isEmpty)
  }

  @Test(arguments: [[-86_396, 4], [4, -86_396], [-14, 4], [4, 22], [4, 22, 5], [4, 619_315_204]])
  func `two receivers of different dates are no backlog`(_ seconds: [Double]) throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 3)
    run.now = 4.5
    run.receive(seconds.map { GPSDText.tpv($0) + "\r\n" }.joined())
    run.pass(to: 5)
    #expect(run.source.count == 1, "\(run.source)")
    #expect(run.fixTimes.contains(4))
  }

  @Test func `what a receiver says without a date, and another dates, is no backlog`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 3)
    for second in 4...6 {
      // The date of the other receiver, that of its own, and the other receiver itself.
      let times = [Double(second) - 86_400, Double(second)]
      run.now = Double(second) + 0.1
      run.receive(times.map { GPSDText.tpv($0) + "\r\n" }.joined())
      run.pass(to: Double(second) + 0.4)
      run.receive(GPSDText.tpv(Double(second) + 0.4 - 86_400) + "\r\n")
      run.pass(to: Double(second) + 0.9)
    }
    #expect(run.source.count == 1, "\(run.source)")
  }

  @Test(arguments: [[4, 5, 130, 131], [4, 304, 604]])
  func `a backlog may have holes`(_ seconds: [Double]) throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 3)
    run.now = seconds.last ?? 0
    run.receive(seconds.map { GPSDText.tpv($0) + "\r\n" }.joined())
    run.pass(to: run.now + 0.9)
    #expect(run.fixTimes.suffix(2) == [3, seconds.last ?? 0])
    #expect(run.source.count == 2, "\(run.source)")
  }

  @Test func `what a simulated source sends is never left out`() throws {
    var run = try SessionRun.greeted(isSimulated: true)
    run.receive((0...120).map { GPSDText.tpv(Double($0)) + "\r\n" }.joined())
    run.pass(to: 1)
    #expect(run.fixTimes.count == 121)
  }

  @Test func `the silence of a simulated source says nothing: its time is that of the fixes`() throws {
    var run = try SessionRun.greeted(isSimulated: true)
    run.pass(to: 40)
    run.say(GPSDText.tpv(41))
    run.pass(to: 90)
    #expect(run.staleness.isEmpty)
  }
}

extension Engine {
  /// Takes an event that reached it so many seconds after the epoch of ``Drive``, on a machine whose clock is set.
  @discardableResult
  mutating func take(_ event: Event, at seconds: Double, clockIsSet: Bool = true) -> [Effect] {
    var effects: [Effect] = []
    var event = event
    if clockIsSet, case .fix(var report) = event {
      report.received = UTCTime(microseconds: Drive.instant(seconds).microseconds)
      event = .fix(report)
    }
    handle(Stamped(at: Drive.instant(seconds), event), into: &effects)
    return effects
  }
}

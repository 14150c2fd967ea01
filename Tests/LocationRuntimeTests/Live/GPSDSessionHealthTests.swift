import FoundationEssentials
import LocationCore
import LocationRuntime
import TestSupport
import Testing

/// What becomes of a source that falls silent, goes away, or is not what it seems.
@Suite struct GPSDSessionHealthTests {
  @Test func `silence is told after 5 s, no fix after 30 s, and after 60 s the connection is made anew`()
    throws
  {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.pass(to: 69.999)
    #expect(run.staleness == [.init(15, .silent, 5), .init(40, .noFix, 30)])
    #expect(run.disconnects.isEmpty)
    run.pass(to: 70)
    #expect(run.disconnects == [70])
    #expect(run.connects == [0, 70])
    run.connected()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    run.fixes(from: 75, through: 76)
    run.pass(to: 76.5)
    #expect(run.fixTimes.suffix(2) == [75, 76])
    #expect(run.source.count == 3, "gpsd was never gone")
  }

  @Test func `after 5 s fixes have stopped, whatever became of the reports`() throws {
    let table = try String(contentsOfFile: PackageRoot.file("Docs/Wire.md"), encoding: .utf8)
    #expect(table.contains("| `silent` | \(SourceEvent.Staleness.silent.phrase) |"))
  }

  @Test func `a receiver with a fix every ten seconds is given ten times as long`() throws {
    var run = try SessionRun.greeted()
    for second in [0, 10, 20, 30] {
      run.pass(to: Double(second))
      run.say(GPSDText.tpv(Double(second)))
    }
    let before = run.staleness
    run.pass(to: 30 + 599)
    #expect(
      Array(run.staleness.dropFirst(before.count)) == [.init(80, .silent, 50), .init(330, .noFix, 300)])
    #expect(run.disconnects.isEmpty)
    run.pass(to: 30 + 600)
    #expect(run.disconnects.count == 1)
  }

  @Test func `a receiver that rests between two fixes and the next two is not silent`() throws {
    var run = try SessionRun.greeted()
    for second in [0, 1, 10, 11, 20, 21, 30, 31, 40, 41] {
      run.pass(to: Double(second))
      run.say(GPSDText.tpv(Double(second)))
    }
    #expect(run.staleness.allSatisfy { $0.seconds < 15 }, "\(run.staleness)")
    let before = run.staleness
    run.pass(to: 41 + 44)
    #expect(run.staleness == before)
  }

  @Test func `a gap does not make a receiver a slow one`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.fixes(from: 30, through: 30)
    run.pass(to: 35.5)
    #expect(run.staleness == [.init(15, .silent, 5), .init(35, .silent, 5)])
  }

  @Test func `a connection that stays silent is made anew later and later`() throws {
    var run = try SessionRun.greeted()
    for _ in 0..<8 {
      run.reconnect()
      run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    }
    let steps = zip(run.connects, run.connects.dropFirst()).map { $1 - $0 }
    #expect(steps == [60, 120, 240, 480, 960, 960, 960, 960])
    #expect(run.staleness.map(\.reason) == [.noFix])
    run.say(GPSDText.tpv(run.now))
    let before = run.now
    run.reconnect()
    #expect(run.now - before == 60)
  }

  @Test(arguments: [
    ("udp::10110", 0), ("udp:127.0.0.1:10110", 0), ("udp:239.192.0.1:10110", 1), ("udp:[ff02::1]:10110", 1),
    ("tcp:pi.local:10110", 1),
  ])
  func `a port of this machine is kept, however long nobody sends there`(address: String, renewals: Int)
    throws
  {
    var run = try SessionRun(address)
    run.start()
    run.connected()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"))
    run.fixes(from: 0, through: 10)
    run.pass(to: 75)
    #expect(run.disconnects.count == renewals)
  }

  @Test func `words without fixes keep the connection`() throws {
    var run = try SessionRun.greeted()
    for second in 0..<300 {
      run.pass(to: Double(second))
      run.say(GPSDText.sky())
    }
    #expect(run.disconnects.isEmpty)
    #expect(run.staleness == [.init(30, .noFix, 30)])
  }

  @Test func `nothing is due while gpsd has no receiver`() throws {
    var run = try SessionRun()
    run.start()
    run.connected()
    run.say(GPSDText.version, GPSDText.devices(), GPSDText.watch)
    #expect(run.staleness == [.init(0, .noDevice, 0)])
    #expect(run.session.nextDeadline == nil)
    run.pass(to: 10_000)
    run.say(GPSDText.device("/dev/a", isActive: true))
    run.fixes(from: 10_001, through: 10_002)
    run.pass(to: 10_003)
    #expect(run.fixTimes == [10_001, 10_002])
  }

  @Test
  func `a receiver that is let go of is missed at once, one that vanishes when the connection is renewed`()
    throws
  {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.say(GPSDText.device("/dev/a", isActive: false))
    #expect(run.staleness == [.init(10, .noDevice, 0)])

    run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.pass(to: 70)
    run.connected()
    run.say(GPSDText.version, GPSDText.devices(), GPSDText.watch)
    #expect(run.staleness.last == .init(70, .noDevice, 60))
    #expect(run.session.nextDeadline == nil)
  }

  @Test func `when gpsd ends, the connection is made again after 1, 2, 4 ... 30 s and a little`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.closed()
    #expect(run.staleness == [.init(10, .lost, 0)])
    var delays: [Double] = []
    for _ in 0..<8 {
      let before = run.now
      run.pass(to: try #require(run.session.nextDeadline.map { Drive.instant(0).seconds(to: $0) }))
      delays.append(run.now - before)
      run.failed(.unreachable("refused"))
    }
    for (delay, base) in zip(delays, [1, 2, 4, 8, 16, 30, 30, 30]) {
      #expect(delay >= Double(base) && delay <= Double(base) * 1.25, "\(delays)")
    }
    #expect(Set(delays.map { Int($0 * 1000) % 1000 }).count > 4, "there is some chance in it: \(delays)")
    #expect(run.staleness.count == 1, "it is told once")
    run.reconnect()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    #expect(run.source.last == .found(name: "gpsd 3.22"))
  }

  @Test func `the same seed gives the same delays, another seed others`() throws {
    func delays(_ seed: UInt64) -> [Double] {
      var delay = ReconnectDelay(seed: seed)
      return (0..<6).map { _ in delay.next() }
    }
    #expect(delays(1) == delays(1))
    #expect(delays(1) != delays(2))
  }

  @Test func `a gpsd that answers and ends at once is not asked ever faster`() throws {
    var run = try SessionRun()
    run.start()
    var attempts: [Double] = []
    for _ in 0..<6 {
      run.connected()
      run.say(GPSDText.version)
      attempts.append(run.now)
      run.closed()
      run.pass(to: try #require(run.session.nextDeadline.map { Drive.instant(0).seconds(to: $0) }))
    }
    #expect(attempts[5] - attempts[4] >= 16)
  }

  @Test func `what was open when the connection ended is still delivered`() throws {
    var run = try SessionRun.greeted()
    run.say(GPSDText.tpv(0))
    run.closed()
    #expect(run.fixTimes == [0])
  }

  @Test func `what does not speak like gpsd is left after 15 s`() throws {
    var run = try SessionRun()
    run.start()
    run.connected()
    run.say("HTTP/1.1 400 Bad Request", "Server: none")
    run.pass(to: 15)
    #expect(run.disconnects == [15])
    #expect(run.session.trouble == .notGPSD)
    #expect(run.staleness == [.init(15, .lost, 15)])
  }

  @Test func `what says nothing does not answer`() throws {
    var run = try SessionRun()
    run.start()
    run.connected()
    run.pass(to: 15)
    #expect(run.disconnects == [15] && run.session.trouble == .timeout)
  }

  @Test func `connecting may take 15 s`() throws {
    var run = try SessionRun()
    run.start()
    run.pass(to: 14.9)
    #expect(run.disconnects.isEmpty)
    run.pass(to: 15)
    #expect(run.disconnects == [15])
    #expect(run.session.trouble == .timeout)
  }

  @Test func `a device that gpsd does not have is said, and asked for again`() throws {
    var run = try SessionRun("::/dev/none")
    run.start()
    run.connected()
    run.say(GPSDText.version)
    run.say(GPSDText.error("No such device as /dev/none"))
    #expect(run.session.trouble == .noSuchDevice)
    #expect(run.staleness == [.init(0, .noDevice, 0)])
    run.pass(to: 1.3)
    #expect(run.connects.count == 2)
  }

  @Test func `another complaint changes nothing`() throws {
    var run = try SessionRun.greeted()
    run.say(GPSDText.error("Unrecognized request 'x'"), GPSDText.tpv(0))
    run.pass(to: 1)
    #expect(run.session.trouble == .complaint("Unrecognized request 'x'"))
    #expect(run.fixTimes == [0])
  }

  @Test func `a fix that gpsd kept from before is no news, by its age or, without a clock, by the next one`()
    throws
  {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.closed()
    run.pass(to: 100)
    run.reconnect()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch, GPSDText.tpv(11))
    run.pass(to: run.now + 1)
    var engine = Engine()
    for event in run.events { engine.take(event.event, at: event.at) }
    #expect(engine.tally.rejected(for: .stale) == 1)

    run = try SessionRun.greeted(clockIsSet: false)
    run.fixes(from: 0, through: 10)
    #expect(run.fixTimes == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    run.closed()
    run.pass(to: 100)
    run.reconnect()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch, GPSDText.tpv(11))
    run.pass(to: run.now + 1)
    run.say(GPSDText.tpv(500))
    run.pass(to: run.now + 1)
    #expect(run.fixTimes.suffix(2) == [10, 500])
  }

  @Test(arguments: [-1024.0, 1024])
  func `a date 1024 weeks off is put right and told, or believed where nobody knows the date`(
    weeks: Double
  ) throws {
    let shift = weeks * 7 * 86_400
    for clockIsSet in [true, false] {
      var run = try SessionRun.greeted(clockIsSet: clockIsSet)
      for second in 0...40 {
        run.pass(to: Double(second))
        run.say(GPSDText.tpv(Double(second) + shift))
      }
      var engine = Engine()
      let records = run.events.flatMap {
        engine.take($0.event, at: $0.at, clockIsSet: clockIsSet).records
      }
      let clocks = records.filter { $0.type == "clock" }
      #expect(engine.tally.accepted > 30)
      #expect(run.staleness.isEmpty)
      let last = try #require(engine.tally.last)
      if clockIsSet {
        guard clocks.count == 1, case .clock(let seconds) = clocks.first?.body else {
          Issue.record("\(clocks.count) records of a clock")
          return
        }
        #expect(abs(seconds - shift) < 2)
        #expect(abs(Drive.report(40, east: 0).time?.seconds(to: last.time) ?? .infinity) < 1)
      } else {
        #expect(clocks.isEmpty)
        #expect(abs(Drive.report(40 + shift, east: 0).time?.seconds(to: last.time) ?? .infinity) < 1)
      }
    }
  }

  @Test func `reports that waited and come all at once show no fix of now`() throws {
    var run = try SessionRun.greeted()
    run.pass(to: 20)
    for second in 1...10 { run.say(GPSDText.tpv(Double(second) - 200)) }
    run.pass(to: 45)
    #expect(run.staleness.map(\.reason) == [.noFix])
  }
}

import LocationCore
import LocationRuntime
import Testing

/// A connection that is given up because nobody needs a fix.
@Suite struct GPSDSessionRestTests {
  @Test func `silence at rest means nothing, and the next search begins afresh`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.rest()
    #expect(run.disconnects == [10])
    #expect(run.session.nextDeadline == nil)
    run.pass(to: 1000)
    run.wake()
    #expect(run.connects == [0, 1000])
    run.connected()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    run.fixes(from: 1003, through: 1004)
    #expect(run.fixTimes.suffix(2) == [1003, 1004])
    #expect(run.source == [.found(name: "gpsd 3.22")], "it was never gone")
    // The pause is no cycle of the receiver's.
    run.pass(to: 1010)
    #expect(run.staleness == [.init(1009, .silent, 5)])
  }

  @Test func `a search that finds nothing is told after 30 s, and a gpsd that is not there at once`() throws {
    var run = try SessionRun.greeted()
    run.fixes(from: 0, through: 10)
    run.rest()
    run.pass(to: 1000)
    run.wake()
    run.connected()
    run.say(GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch)
    run.pass(to: 1031)
    #expect(run.staleness == [.init(1030, .noFix, 1020)])
    run.rest()
    run.pass(to: 2000)
    run.wake()
    run.failed(.unreachable("refused"))
    #expect(run.staleness.last == .init(2000, .lost, 1990))
    run.rest()
    #expect(run.session.nextDeadline == nil, "no attempt at rest")
  }

  @Test func `it rests from the start, and twice is as good as once`() throws {
    var run = try SessionRun()
    run.rest()
    #expect(run.disconnects.isEmpty && run.connects.isEmpty && run.session.nextDeadline == nil)
    run.wake()
    run.wake()
    #expect(run.connects == [0])
    run.rest()
    run.rest()
    #expect(run.disconnects == [0])
    // What comes too late is not taken.
    run.connected()
    #expect(run.sent.isEmpty)
  }
}

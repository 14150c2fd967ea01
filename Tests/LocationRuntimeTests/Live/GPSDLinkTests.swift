import Glibc
import LocationCore
import LocationFormats
import LocationRuntime
import TestSupport
import Testing

/// The link to a gpsd that the test plays: slow, torn, garbled, silent, gone.
@Suite struct GPSDLinkTests {
  /// A link under test and what it delivered.
  private final class Link {
    let inbox: Inbox
    let stop: WakePipe
    var events: [Event] = []

    init(_ address: String, isSimulated: Bool = false, mustBeThere: Bool = false) throws {
      inbox = try Inbox()
      stop = try WakePipe()
      try GPSDLink.start(
        SourceAddress(address), isSimulated: isSimulated, clock: SystemClock(), inbox: inbox, stop: stop,
        mustBeThere: mustBeThere)
    }

    deinit { stop.ring() }

    /// Waits until what was delivered is enough; false where it is not in time.
    func wait(until isEnough: ([Event]) -> Bool) throws -> Bool {
      let end = ContinuousClock.now + .seconds(TestPatience.seconds)
      while !isEnough(events), ContinuousClock.now < end {
        _ = PollSet.wait(on: inbox.readable, atMost: 1_000)
        try inbox.take(into: &events)
      }
      return isEnough(events)
    }

    var fixes: Int { events.count { if case .fix = $0 { true } else { false } } }
  }

  private static let greeting =
    [GPSDText.version, GPSDText.devices("/dev/a"), GPSDText.watch].map { $0 + "\r\n" }.joined()

  private static func fixes(_ seconds: Range<Int>) -> String {
    seconds.map { GPSDText.tpv(Double($0)) + "\r\n" }.joined()
  }

  @Test func `it asks, and delivers what comes in pieces of any size, with garbage between`() throws {
    let folder = TemporaryFolder()
    let listener = try Listener(path: folder("gpsd.sock"))
    let link = try Link(folder("gpsd.sock"), isSimulated: true)
    let connection = try #require(listener.accept())
    #expect(connection.receive() == "?WATCH={\"enable\":true,\"json\":true};\r\n")
    let text = Self.greeting + "$GPRMC,garbage*00\r\n" + Self.fixes(0..<20)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      connection.send(Array(rest.prefix(7)))
      rest = rest.dropFirst(7)
    }
    #expect(try link.wait { _ in link.fixes == 20 })
    #expect(link.events.first == .source(.found(name: "gpsd 3.22")))
  }

  @Test func `it comes back to a gpsd that ended, and to one that vanished while it asked`() throws {
    let folder = TemporaryFolder()
    let listener = try Listener(path: folder("gpsd.sock"))
    let link = try Link(folder("gpsd.sock"))
    // Gone before the request can be sent: a write to it raises no signal.
    try #require(listener.accept()).finish()
    let first = try #require(listener.accept())
    first.send(Self.greeting + Self.fixes(0..<3))
    #expect(try link.wait { _ in link.fixes >= 2 })
    first.finish()
    #expect(try link.wait { $0.contains { if case .source(.stale(.lost, _)) = $0 { true } else { false } } })
    let second = try #require(listener.accept())
    second.send(Self.greeting + Self.fixes(10..<13))
    #expect(try link.wait { _ in link.fixes >= 5 })
  }

  @Test func `a gpsd that has to be there and is not ends it, with a remedy`() throws {
    let folder = TemporaryFolder()
    let link = try Link(folder("none.sock"), mustBeThere: true)
    let failure = #expect(throws: Failure.self) { try link.wait { _ in false } }
    #expect(failure?.code == .unavailable)
    #expect(failure?.remedy != nil)
  }

  @Test func `a device that has to be there and is not ends it`() throws {
    let folder = TemporaryFolder()
    let listener = try Listener(path: folder("gpsd.sock"))
    let link = try Link(folder("gpsd.sock") + ":/dev/none", mustBeThere: true)
    let connection = try #require(listener.accept())
    connection.send(GPSDText.version + "\r\n" + GPSDText.error("No such device as /dev/none") + "\r\n")
    let failure = #expect(throws: Failure.self) { try link.wait { _ in false } }
    #expect(failure?.what.contains("no such device") == true)
  }

  @Test func `a source that plays a log waits for us, and nothing is left out`() throws {
    let folder = TemporaryFolder()
    let listener = try Listener(path: folder("gpsd.sock"))
    let link = try Link(folder("gpsd.sock"), isSimulated: true)
    let connection = try #require(listener.accept())
    let count = 3 * GPSDLimits.inboxEvents
    #expect(
      DedicatedThread.start {
        connection.send(Self.greeting)
        for start in stride(from: 0, to: count, by: 256) { connection.send(Self.fixes(start..<start + 256)) }
        connection.finish()
      })
    #expect(try link.wait { _ in link.fixes == count })
    #expect(!link.events.contains { if case .source(.dropped) = $0 { true } else { false } })
  }

  @Test func `it ends when it is told to`() throws {
    let folder = TemporaryFolder()
    let listener = try Listener(path: folder("gpsd.sock"))
    var link: Link? = try Link(folder("gpsd.sock"))
    let connection = try #require(listener.accept())
    #expect(connection.receive() != nil)
    _ = link
    link = nil
    #expect(connection.waitForEnd(), "the connection is closed")
  }
}

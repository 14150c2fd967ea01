import Glibc
import LocationCore
import TestSupport
import Testing

@testable import LocationFormats
@testable import LocationRuntime

/// When a helper is started again.
@Suite struct SiblingLinkTests {
  /// A clock that stands until it is moved.
  private final class Hands {
    var instant = Drive.instant(0)
  }

  /// A link whose helper has run, and has ended by itself.
  private static func ended(_ hands: Hands) throws -> SiblingLink {
    var link = SiblingLink(environment: []) { hands.instant }
    link.start("/bin/true")
    try waitForEnd(&link)
    return link
  }

  private static func waitForEnd(_ link: inout SiblingLink) throws {
    var hasEnded = false
    while !hasEnded {
      var polled = PollSet()
      link.watch(&polled)
      try #require(polled.wait(atMost: Int32(TestPatience.seconds * 1_000)) > 0)
      let (lines, isOver) = link.take()
      for line in lines { if let text = line["trouble"]?.string { link.complain(text) } }
      hasEnded = isOver
    }
  }

  @Test
  func `a helper that says why it can't work and ends is tried ever more seldom, and that is told once`()
    throws
  {
    let folder = TemporaryFolder()
    let hands = Hands()
    func helper(_ name: String, _ line: String) -> String {
      let path = folder.write(name, "#!/bin/sh\necho '\(line)'\n")
      _ = unsafe chmod(path, 0o755)
      return path
    }
    let failing = helper("failing", #"{"trouble":"no bus"}"#)
    let working = helper("working", #"{"found":"x"}"#)
    var link = SiblingLink(environment: []) { hands.instant }
    var waits: [Double] = []
    var troubles: [[String]] = []
    for path in [failing, failing, failing, failing, working, failing] {
      link.start(path)
      try Self.waitForEnd(&link)
      let due = try #require(link.retryAt)
      waits.append(hands.instant.seconds(to: due))
      link.complain("it has ended")
      troubles.append(link.takeTroubles())
      hands.instant = due
      let isDue = link.mayRetry()
      #expect(isDue)
    }
    #expect(waits == [1, 2, 4, 8, 1, 2])
    #expect(troubles == [["no bus", "it has ended"], [], [], [], ["it has ended"], ["no bus"]])
  }

  @Test func `a helper that finds no bus when it is started again is tried again, ever more seldom`() throws {
    let hands = Hands()
    var link = try Self.ended(hands)
    var waits: [Double] = []
    for _ in 0..<12 {
      let due = try #require(link.retryAt)
      waits.append(hands.instant.seconds(to: due))
      let isEarly = link.mayRetry()
      hands.instant = due
      let isDue = link.mayRetry()
      #expect(!isEarly && isDue)
      #expect(link.retryAt == nil)
      link.start(nil)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  }

  @Test func `nothing is waited for where a helper never could run, or is not needed any more`() throws {
    let hands = Hands()
    var link = SiblingLink(environment: []) { hands.instant }
    link.start(nil)
    #expect(link.retryAt == nil)
    var other = try Self.ended(hands)
    hands.instant = try #require(other.retryAt)
    let isDue = other.mayRetry()
    #expect(isDue && other.retryAt == nil)
  }
}

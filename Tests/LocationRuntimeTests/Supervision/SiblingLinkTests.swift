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
    var hasEnded = false
    while !hasEnded {
      var polled = PollSet()
      link.watch(&polled)
      try #require(polled.wait(atMost: Int32(TestPatience.seconds * 1_000)) > 0)
      hasEnded = link.take().hasEnded
    }
    return link
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

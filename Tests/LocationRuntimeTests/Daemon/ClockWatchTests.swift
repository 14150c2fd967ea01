import LocationCore
import LocationFormats
import Testing

@testable import LocationRuntime

@Suite struct ClockWatchTests {
  @Test(
    "the system clock counts until a receiver has told UTC",
    // Seconds: UTC by the clock, the last fix, what the engine takes for UTC ahead of its axis; what it is told.
    arguments: [
      // Both say the same, or almost.
      (1000, nil, nil, nil), (1001, nil, nil, nil),
      // The clock was set ahead while nobody saw it.
      (5000, nil, nil, 4000), (5000, 10, 20, 4000),
      // A fix since the machine booted knows better, one before does not.
      (5000, 200, 0, nil), (5000, 100, 0, nil), (5000, 99, 0, 4000),
      // A clock that is behind was perhaps never set.
      (500, nil, nil, nil), (3000, 10, 4000, nil),
    ] as [(Int64, Int64?, Int64?, Int64?)])
  func news(utc: Int64, lastFix: Int64?, known: Int64?, expected: Int64?) {
    let epoch = SystemClock.leastBelievable.microseconds
    func instant(_ seconds: Int64) -> EngineInstant {
      EngineInstant(microseconds: epoch + seconds * 1_000_000)
    }
    let watch = ClockWatch()
    let news = watch.news(
      of: ClockReading(instant: instant(1000), utc: UTCTime(microseconds: epoch + utc * 1_000_000)),
      boot: instant(100), lastFix: lastFix.map(instant), known: known.map { $0 * 1_000_000 })
    #expect(news == expected.map { $0 * 1_000_000 })
  }

  @Test func `a clock that is not set, or not to be believed, is no news`() {
    var polled = PollSet()
    var watch = ClockWatch()
    watch.watch(&polled)
    #expect(polled.wait(atMost: 0) == 0)
    let wasSet = watch.take(polled)
    #expect(!wasSet)
    let reading = ClockReading(instant: EngineInstant(microseconds: 0), utc: nil)
    let boot = EngineInstant(microseconds: 0)
    #expect(watch.news(of: reading, boot: boot, lastFix: nil, known: nil) == nil)
  }
}

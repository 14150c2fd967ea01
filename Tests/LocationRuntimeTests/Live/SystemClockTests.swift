import LocationCore
import LocationFormats
import TestSupport
import Testing

@testable import LocationRuntime

@Suite struct SystemClockTests {
  private static let hour: Int64 = 3_600_000_000

  @Test(
    "after another boot the time counts that is sure to have passed",
    // Hours: the system clock now, the axis then, the date then; and how long the machine was off.
    arguments: [
      (10, 8, 8, 2),
      // The system clock was behind, or ahead, when the axis began; the receiver was right.
      (10, 2, 8, 2), (10, 32, 8, 2),
      // The receiver is behind by years, or ahead.
      (10, 8, -170_000, 2), (10, 8, 170_000, 2),
      // The clock now is behind both.
      (0, 8, 8, 0),
    ] as [(Int64, Int64, Int64, Int64)])
  func passed(now: Int64, axis: Int64, utc: Int64, expected: Int64) {
    let beginning = SystemClock.beginning(
      now: EngineInstant(microseconds: now * Self.hour), after: EngineInstant(microseconds: axis * Self.hour),
      utcAheadMicroseconds: (utc - axis) * Self.hour)
    let passed = beginning.microseconds - axis * Self.hour
    #expect(passed == expected * Self.hour)
  }
}

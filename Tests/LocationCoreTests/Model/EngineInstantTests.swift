import Testing

@testable import LocationCore

/// Seconds as whole microseconds.
@Suite struct EngineInstantTests {
  @Test(
    arguments: [
      (0, 0), (0.5e-6, 1), (-0.5e-6, -1), (0.499e-6, 0), (-0.499e-6, 0),
      (1.5e-6, 2), (2.5e-6, 3), (-2.5e-6, -3), (300, 300_000_000), (-0.1, -100_000),
      (1e12, 1_000_000_000_000_000_000), (9.1e12, 9_100_000_000_000_000_000), (1e13, .max), (-1e13, .min),
      (.infinity, .max), (-.infinity, .min), (.nan, 0),
    ] as [(Double, Int64)])
  func secondsAreRoundedToTheNearestMicrosecond(_ seconds: Double, _ microseconds: Int64) {
    #expect(Int64(microsecondsIn: seconds) == microseconds)
  }

  @Test func roundingIsThatOfTheStandardLibrary() {
    var noise = SeededNoise(seed: 44)
    for round in 0..<20_000 {
      // Halves of a microsecond, and what lies beside them.
      let scale = [1.0, 1e3, 1e6, 1e9][round % 4]
      let half = (noise.uniform(-1e6...1e6) * scale).rounded() + 0.5
      let scaled = [half, half.nextUp, half.nextDown, half + noise.unit()][round / 4 % 4]
      let seconds = scaled * 1e-6
      #expect(Int64(microsecondsIn: seconds) == Int64((seconds * 1e6).rounded()), "round \(round) \(seconds)")
    }
  }

  @Test func theAxisEndsWhereItEnds() {
    let late = EngineInstant(microseconds: .max - 10)
    #expect(late.advanced(bySeconds: 1).microseconds == .max)
    #expect(EngineInstant.distantPast.advanced(bySeconds: -1) == .distantPast)
  }
}

import Foundation
import Testing

@testable import LocationCore

/// Fixes of which nobody said how accurate they are.
@Suite struct ResidualSpreadTests {
  /// The estimate after so many seconds of fixes along a path, with independent errors of a standard deviation.
  private func estimate(
    after seconds: Int, errorMeters: Double, source: Accuracy.Source = .assumed, seed: Int = 1,
    path: (Double) -> (east: Double, north: Double)
  ) -> ErrorEstimate {
    var noise = SeededNoise(seed: seed)
    var inflation = AccuracyInflation()
    for second in 0..<seconds {
      let (east, north) = path(Double(second))
      var fix = makeFix(
        second: Double(second),
        place(
          east: east + errorMeters * noise.normal(), north: north + errorMeters * noise.normal(), from: munich
        ))
      fix.accuracy = Accuracy(radiusMeters: Accuracy.assumed(.threeD).radiusMeters, source: source)
      inflation.note(fix, limit: 4)
    }
    return inflation.estimate
  }

  @Test(arguments: 0..<5) func `a track that scatters more than assumed is found out within minutes`(
    seed: Int
  ) {
    let found = estimate(after: 240, errorMeters: 25, seed: seed) { (1.4 * $0, 0) }
    #expect(found.basis == .residuals)
    #expect(found.factor > 2.5, "\(found)")
  }

  @Test(arguments: 0..<5) func `a track that scatters less is believed more, to a half`(seed: Int) {
    let found = estimate(after: 240, errorMeters: 1, seed: seed) { (1.4 * $0, 0) }
    #expect(found.basis == .residuals)
    #expect(found.factor == ResidualSpread.leastFactor, "\(found)")
  }

  @Test func `turns and stops of a car are no scatter`() {
    // A square of streets, 12 m/s, with a stop of 20 s at each corner.
    let found = estimate(after: 1_200, errorMeters: 3) { second in
      let leg = Int(second / 45)
      let along = Swift.min(12 * (second - 45 * Double(leg)), 300)
      switch leg % 4 {
      case 0: return (along, 0)
      case 1: return (300, along)
      case 2: return (300 - along, 300)
      default: return (0, 300 - along)
      }
    }
    #expect(found.factor < 1.2, "\(found)")
  }

  @Test func `a stated accuracy is left alone`() {
    let found = estimate(after: 600, errorMeters: 1, source: .reported) { (1.4 * $0, 0) }
    #expect(found.factor == 1)
    #expect(found.basis == .claimed)
  }

  /// It hardly shows from one fix to the next: what was half of it on the way is all of it after a rest.
  @Test(arguments: 0..<3) func `a slow error is found out at rest`(seed: Int) {
    var receiver = SimulatedReceiver(
      seed: seed, sigmaMeters: Accuracy.assumed(.threeD).sigmaMeters, correlationSeconds: 60)
    var inflation = AccuracyInflation()
    var factors: [Int: ErrorEstimate] = [:]
    for second in 0...7_200 {
      var fix = receiver.fix(second: second, east: 0, north: 0, from: munich)
      fix.accuracy = .assumed(.threeD)
      inflation.note(fix, limit: 4)
      factors[second] = inflation.estimate
    }
    #expect((factors[300]?.factor ?? 1) < 0.7)
    #expect((0.8...1.3).contains(factors[7_200]?.factor ?? 0), "\(factors[7_200] as Any)")
    #expect(factors[7_200]?.basis == .rest)
  }

  @Test func `nothing is said before there is enough of it`() {
    #expect(estimate(after: 60, errorMeters: 25) { (1.4 * $0, 0) }.factor == 1)
  }

  @Test func `an estimate survives a snapshot`() throws {
    var inflation = AccuracyInflation()
    for second in 0..<240 {
      var fix = makeFix(second: Double(second), place(east: 1.4 * Double(second), from: munich))
      fix.accuracy = .assumed(.threeD)
      inflation.note(fix, limit: 4)
    }
    let copy = try JSONDecoder().decode(AccuracyInflation.self, from: JSONEncoder().encode(inflation))
    #expect(copy == inflation)
  }
}

import LocationCore
import Testing

@testable import LocationLab

@Suite struct SynthNoiseTests {
  /// Errors east and north of a receiver that stands still, metres.
  static func errors(_ noise: String, interval: Double = 1, count: Int) throws -> [(
    east: Double, north: Double
  )] {
    let text = """
      start: 2026-05-04T00:00:00Z
      interval_s: \(interval)
      noise: \(noise)
      steps: [at: [52, 13], stop_s: \(Double(count - 1) * interval)]
      """
    return SynthTrack(try scenario(text)).map { fix in
      LocalScale(latitude: 52).offset(of: fix.coordinate, from: fix.truth)
    }
  }

  static func correlation(_ values: [Double], lag: Int) -> Double {
    let mean = values.reduce(0, +) / Double(values.count)
    let centred = values.map { $0 - mean }
    let variance = centred.map { $0 * $0 }.reduce(0, +)
    return zip(centred, centred.dropFirst(lag)).map { $0 * $1 }.reduce(0, +) / variance
  }

  @Test func `the spread along each axis is sigma`() throws {
    let errors = try Self.errors("{sigma_m: 7, tau_s: 0}", count: 10_000)
    for axis in [errors.map(\.east), errors.map(\.north)] {
      let mean = axis.reduce(0, +) / 10_000
      let sigma = (axis.map { $0 * $0 }.reduce(0, +) / 10_000).squareRoot()
      // Five standard errors of each estimate.
      #expect(abs(mean) < 0.35 && abs(sigma - 7) < 0.25)
      #expect(abs(Self.correlation(axis, lag: 1)) < 0.05)
    }
    let across = zip(errors.map(\.east), errors.map(\.north)).map { $0 * $1 }.reduce(0, +) / 10_000 / 49
    #expect(abs(across) < 0.05)
  }

  @Test func `the reported accuracy holds 68 percent`() throws {
    let radius = Accuracy.sigmasIn68Percent * 7
    let errors = try Self.errors("{sigma_m: 7, tau_s: 0}", count: 10_000)
    let within = errors.filter { ($0.east * $0.east + $0.north * $0.north).squareRoot() <= radius }.count
    #expect(abs(Double(within) / 10_000 - 0.6827) < 0.024)
  }

  @Test(arguments: [0.5, 1, 5])
  func `the correlation falls to 1 over e in tau, at any interval`(interval: Double) throws {
    let errors = try Self.errors("{sigma_m: 5, tau_s: 10}", interval: interval, count: 20_000)
    let lag = Int(10 / interval)
    for axis in [errors.map(\.east), errors.map(\.north)] {
      #expect(abs(Self.correlation(axis, lag: lag) - 0.3679) < 0.1)
    }
  }

  @Test func `an understated accuracy is smaller than the truth by its factor`() throws {
    let text = "start: 2026-05-04T00:00:00Z\nnoise: {sigma_m: 9, understated_by: 1.5}\nsteps: [at: [52, 13]]"
    let fix = try #require(Array(SynthTrack(scenario(text))).first)
    #expect(abs(fix.accuracyMeters - 6 * Accuracy.sigmasIn68Percent) < 1e-9)
  }

  @Test func `a seeded generator gives the numbers of its reference`() {
    // From the reference implementation of SplitMix64, seed 1234567.
    var random = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<3).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
      ])
  }

  @Test func `streams of one seed differ`() {
    let firsts = (0...5 as ClosedRange<UInt64>).map { stream in
      var random = SplitMix64(seed: 9, stream: stream)
      return random.next()
    }
    #expect(Set(firsts).count == 6)
  }
}

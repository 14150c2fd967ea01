import TestSupport
import Testing

@testable import LocationCore

/// Which passages are reported, and what that costs in false transitions. `LOCWATCH_FULL` makes the tables of
/// Docs/Regions.md.
@Suite struct SensitivityTests {
  private static let runs = Corpus.isFull ? 500 : 40

  @Test func `passages that are deep and long are reported`() throws {
    for (depth, dwell) in [(6.0, 30), (6, 60), (9, 5), (9, 60)] {
      let share = try DetectionLimit.share(
        of: Self.runs, .balanced, depth: depth, dwell: dwell, DetectionLimit.Receiver())
      #expect(share >= 0.99, "\(depth) sigma, \(dwell) s")
    }
    let brief = try DetectionLimit.share(
      of: Self.runs, .balanced, depth: 2, dwell: 20, DetectionLimit.Receiver())
    #expect(brief < 0.1)
  }

  @Test func `early reports more than balanced, and certain less`() throws {
    let shares = try [Region.Sensitivity.early, .balanced, .certain].map {
      try DetectionLimit.share(of: Self.runs, $0, depth: 4, dwell: 30, DetectionLimit.Receiver())
    }
    #expect(shares[0] > shares[1] && shares[1] > shares[2], "\(shares)")
    let delays = try [Region.Sensitivity.early, .balanced, .certain].map {
      let all = try DetectionLimit.exitDelays(of: 40, $0, speed: 1.4, DetectionLimit.Receiver())
      return all[all.count / 2]
    }
    #expect(delays[0] < delays[1] && delays[1] < delays[2], "\(delays)")
  }

  @Test(arguments: Region.Sensitivity.allCases)
  func `a device on the edge`(sensitivity: Region.Sensitivity) throws {
    let (runs, hours) = Corpus.isFull ? (30, 24.0) : (1, 1.0)
    for understates in [1.0, 1.5, 2] {
      for correlation in [10.0, 60, 300] {
        let receiver = DetectionLimit.Receiver(
          sigma: 7 * understates, correlationSeconds: correlation, understates: understates)
        let found = try DetectionLimit.transitionsADay(of: runs, hours: hours, sensitivity, receiver)
        if Corpus.isFull {
          print(
            "edge \(sensitivity), \(understates) times, \(correlation) s: \(found.mean) a day, most \(found.most)"
          )
        }
        #expect(found.most <= (sensitivity == .early ? 3 : 1))
      }
    }
  }

  @Test(.enabled(if: Corpus.isFull), arguments: Region.Sensitivity.allCases)
  func `the tables`(sensitivity: Region.Sensitivity) throws {
    for (correlation, interval) in [(10.0, 1), (60, 1), (10, 10)] {
      for depth in [1.0, 2, 3, 4.5, 6, 9] {
        let shares = try [5, 10, 20, 30, 60, 120, 300, 900].map { dwell in
          let receiver = DetectionLimit.Receiver(
            sigma: 7, correlationSeconds: correlation, interval: interval)
          return try DetectionLimit.share(of: Self.runs, sensitivity, depth: depth, dwell: dwell, receiver)
        }
        print("\(sensitivity), \(correlation) s, each \(interval) s, \(depth) sigma: \(shares)")
      }
    }
    for speed in [1.4, 5, 15] {
      let delays = try DetectionLimit.exitDelays(
        of: Self.runs, sensitivity, speed: speed, DetectionLimit.Receiver())
      print("\(sensitivity), \(speed) m/s: \(delays[delays.count / 2]), \(delays[delays.count * 95 / 100])")
    }
  }
}

import LocationCore
import Testing

@testable import LocationLab

@Suite struct SpeedProfileTests {
  static func piece(
    _ length: Double, limit: Double, a: Double = 1, b: Double = 2, end: Double = .infinity
  ) -> SpeedProfile.Piece {
    SpeedProfile.Piece(
      lengthMeters: length, limitMetersPerSecond: limit, accelerationMetersPerSecondSquared: a,
      brakingMetersPerSecondSquared: b, endLimitMetersPerSecond: end)
  }

  @Test func `a long piece rises, holds and falls`() {
    let run = SpeedProfile([Self.piece(1000, limit: 10)]).runs[0]
    #expect(run.entry == 0 && run.peak == 10 && run.exit == 0)
    #expect(run.rising == 10 && run.falling == 5)
    // 50 m of rising, 25 m of falling, the rest at 10 m/s.
    #expect(abs(run.holding - 92.5) < 1e-9)
  }

  @Test func `a short piece never reaches its limit`() {
    let run = SpeedProfile([Self.piece(3, limit: 10)]).runs[0]
    #expect(abs(run.peak - 2) < 1e-9 && run.holding < 1e-9)
  }

  @Test func `a slower piece is braked for in time`() {
    let runs = SpeedProfile([Self.piece(500, limit: 20), Self.piece(500, limit: 5)]).runs
    #expect(runs[0].exit == 5 && runs[1].entry == 5 && runs[1].peak == 5)
  }

  @Test func `a corner holds its own limit`() {
    let runs = SpeedProfile([Self.piece(500, limit: 20, end: 3), Self.piece(500, limit: 20)]).runs
    #expect(runs[0].exit == 3 && runs[1].entry == 3 && runs[1].peak == 20)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `every limit is kept and every metre travelled`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pieces = (0..<Int(random.uniform(in: 1...12))).map { _ in
      Self.piece(
        random.uniform(in: 0.001...300), limit: random.uniform(in: 0.5...30),
        a: random.uniform(in: 0.05...3), b: random.uniform(in: 0.05...3),
        end: random.unit() < 0.3 ? random.uniform(in: 0...5) : .infinity)
    }
    let runs = SpeedProfile(pieces).runs
    #expect(runs.first?.entry == 0 && runs.last?.exit == 0)
    var speed = 0.0
    for (piece, run) in zip(pieces, runs) {
      #expect(run.entry == speed)
      speed = run.exit
      #expect(run.exit <= piece.endLimitMetersPerSecond)
      #expect(run.seconds.isFinite && run.seconds > 0)
      #expect(run.state(at: 0).meters < 1e-9 && abs(run.state(at: 0).metersPerSecond - run.entry) < 1e-9)
      #expect(abs(run.state(at: run.seconds).meters - piece.lengthMeters) < 1e-6)
      check(run, against: piece)
    }
  }

  private func check(_ run: SpeedProfile.Run, against piece: SpeedProfile.Piece) {
    var last = run.state(at: 0)
    let step = run.seconds / 50
    for index in 1...50 {
      let state = run.state(at: step * Double(index))
      #expect(state.metersPerSecond <= piece.limitMetersPerSecond + 1e-9)
      let change = state.metersPerSecond - last.metersPerSecond
      #expect(change <= piece.accelerationMetersPerSecondSquared * step + 1e-9)
      #expect(-change <= piece.brakingMetersPerSecondSquared * step + 1e-9)
      let slow = min(state.metersPerSecond, last.metersPerSecond) * step
      #expect(state.meters - last.meters >= slow - 1e-6)
      #expect(state.meters - last.meters <= run.peak * step + 1e-6)
      last = state
    }
  }
}
